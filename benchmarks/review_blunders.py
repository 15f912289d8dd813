"""What `limpet review` says was lost in the states of `benchmarks/blunders.py`, beside what their judge says: hands of a file.

    python benchmarks/review_blunders.py [--hands 100] [--bot limpet-fast]
    python benchmarks/review_blunders.py --bot judge    # a bot that solves the state's street as the judge did
    python benchmarks/review_blunders.py --flops 3000   # all actions on flops, both with so many iterations

In each hand the hero comes to one of the states with its hand, and does there what is drawn among the judge's actions. Both losses
are relative to the judge's or the bot's own play, in % of the pot. The judge solved longer, with more bets, from the ranges of the
blueprint's play. A bot that does the same says whether a review values what it solves rightly. Flops are solved over sampled
runouts, the judge's from regrets of 0 and the bot's from the blueprint's play: how far both are apart says how many iterations are
enough, for the judge too.
"""

import sys
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import click
import msgspec
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # the file of states is that of a test
from blunders import LONG, Judge

from limpet.configs.loading import yaml_text
from limpet.dealer.measures.agree import Options
from limpet.dealer.measures.review import JudgedDecision, Review
from limpet.protocol.cards import parse_cards
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.state import CALL, FOLD, Action
from limpet.strategies.abstraction.menu import STREETS
from limpet.strategies.base.botconfig import load_bot
from tests.strategies.players.blunder_states import GAME, Blunder, blunders, losses


def record(number: int, blunder: Blunder, taken: str, random: Random) -> HandRecord:
    """Return a hand in which the hero does `taken` in the state. The others' cards are drawn, and all check or fold from there on."""
    state, hero = blunder.state, blunder.state.actor
    own = parse_cards(blunder.hand)
    rest = random.sample([card for card in GAME.deck if card not in (*own, *state.board)], 7)
    board = (*state.board, *rest[2:])[:5]
    state = state.apply(Action(taken[0], int(taken[1:] or 0))).with_board(board)
    while not state.finished:
        state = state.apply(FOLD if state.can_fold else CALL).with_board(board)
    holes = tuple(own if position == hero else tuple(rest[:2]) for position in range(2))
    names = tuple("Hero" if position == hero else "Other" for position in range(2))
    return HandRecord(number, state, holes, (0.0, 0.0), names)


def asked(hands: int) -> list[tuple[Blunder, str]]:
    """Return so many different pairs of a state and an action, drawn by seed 1."""
    pairs = [(blunder, taken) for blunder in blunders() for taken in blunder.loses]
    return Random(1).sample(pairs, min(hands, len(pairs)))


def judge_bot(folder: Path, round_: int, iterations: int | None = None) -> str:
    """Write the config of a bot that solves a round as the judge did, after the blueprint's play. Returns its path.

    iterations: of the round, in place of the judge's.
    """

    def plan(at: int, **more: str) -> dict[str, object]:
        count = iterations if at == round_ and iterations else LONG.iterations[at]
        return {"menus": [{"menu": LONG.menus[at]}], "iterations": count, "target": 0, **more}

    streets = {STREETS[round_]: plan(round_)} if round_ else {"river": plan(3)}
    if round_ == 1:
        streets = {"flop": plan(1, runouts="sampled"), "turn": plan(2)}
    preflop = {"menu": LONG.menus[0], "iterations": LONG.iterations[0]}
    config = load_bot("limpet-fast").config
    options = config.options | {"mix": 0, "preflop": preflop, "streets": streets}
    path = folder / f"judge-{round_}.yaml"
    path.write_text(yaml_text(msgspec.to_builtins(msgspec.structs.replace(config, options=options))))
    return str(path)


def judged(pairs: list[tuple[Blunder, str]], bot: str, iterations: int | None = None) -> list[JudgedDecision]:
    """Return what the bot says of each pair, or for ``judge`` the bot that solves the pairs' round as the judge did.

    iterations: see `judge_bot`.
    """
    random = Random(1)
    with TemporaryDirectory() as folder:
        log = Path(folder) / "m.log"
        lines = [str(record(number, *pair, random)) for number, pair in enumerate(pairs)]
        log.write_text("\n".join(["# name/game/hands/seed m holdem.nolimit.2p.reverse_blinds 1 1", *lines, ""]))
        bot = judge_bot(Path(folder), pairs[0][0].state.round, iterations) if bot == "judge" else bot
        found = sorted(Review(Options((log,), bot, "Hero")).judged([], jobs=1), key=lambda hand: hand.hand)
    return [
        next(each for each in hand.decisions if (each.betting, each.taken) == (blunder.state.betting, taken))
        for hand, (blunder, taken) in zip(found, pairs, strict=True)
    ]


def judged_again(blunder: Blunder, iterations: int) -> dict[str, float]:
    """Return what each action of a flop loses beyond the play of the judge, in % of the pot, with so many iterations."""
    judge, state = Judge(), blunder.state
    subgame = judge.solve(state, LONG._replace(iterations=(iterations,) * 4))
    values, actions = judge.values(subgame, state, LONG), subgame.tree.actions(subgame.node(state))
    lost = losses(values, state)[:, blunder.holes]
    own = float(lost @ values.strategy[:, blunder.holes])
    return {str(action): float(loss) - own for action, loss in zip(actions, lost, strict=True)}


def flops(iterations: int) -> None:
    """Print what all actions on flops lose by the judge and by its bot, both with so many iterations."""
    away, near = [], 0
    for blunder in blunders():
        if blunder.state.round == 1:
            again = judged_again(blunder, iterations)
            (said,) = judged([(blunder, next(iter(again)))], "judge", iterations)
            assert said.values is not None
            own = sum(share * said.values[taken] for taken, share in said.actions.items())
            for taken, theirs in again.items():
                ours, error = 100 * (own - said.values[taken]) / said.pot, 100 * said.error / said.pot
                away.append(abs(ours - theirs))
                near += away[-1] <= 2 * error + 1 + 0.1 * abs(theirs)
                print(f"{blunder} {taken}: review {ours:.2f} ± {error:.2f}, judge {theirs:.2f}", flush=True)
    print(
        f"{len(away)} actions, median difference {np.median(away):.2f}; {near} within 1 %, a tenth of the loss and two errors"
    )


@click.command(help=__doc__.replace("\n\n    python", "\n\n\b\n    python"))
@click.option("--hands", default=100, show_default=True)
@click.option("--flops", "iterations", type=int, metavar="ITERATIONS")
@click.option("--bot", default="limpet-fast", show_default=True)
def main(hands: int, bot: str, iterations: int | None) -> None:
    """Judge hands, and print both losses by street; or of flops alone, with so many iterations."""
    if iterations is not None:
        flops(iterations)
        return
    pairs = asked(hands)
    for round_, street in enumerate(STREETS):
        on_street = [pair for pair in pairs if pair[0].state.round == round_]
        rows = []
        for (blunder, taken), said in zip(on_street, judged(on_street, bot) if on_street else (), strict=True):
            if said.lost is None:
                print(f"{blunder} {taken}: {said.how}")
                continue
            row = (100 * said.lost / said.pot, blunder.loses[taken] - blunder.judge, 100 * said.error / said.pot)
            rows.append(row)
            print(f"{blunder} {taken}: review {row[0]:.2f} ± {row[2]:.2f}, judge {row[1]:.2f}", flush=True)
        if not rows:
            continue
        ours, theirs, errors = np.array(rows).T
        away = np.abs(ours - theirs)
        print(
            f"{street}: {len(ours)} hands, mean {ours.mean():.1f} and {theirs.mean():.1f}, median difference"
            f" {np.median(away):.2f}, correlation {np.corrcoef(ours, theirs)[0, 1]:.2f};"
            f" {np.sum(away <= 2 * errors + 5)} within 5 % of the pot and two errors,"
            f" {np.sum(away <= 2 * errors + 1 + 0.1 * np.abs(theirs))} within 1 %, a tenth of the loss and two errors"
        )


if __name__ == "__main__":
    main()
