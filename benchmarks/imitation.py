"""How well models of recorded players predict them, and how many hands a copy of the blueprint needs.

    python benchmarks/imitation.py archive FILE... [--least 300] [--models FOLDER] [--trees]
    python benchmarks/imitation.py blueprint [--hands 1000 3000 13000 50000 200000] [--seed 1]

`archive` learns each player of an archive from the first four fifths of its sessions (files), alone and over a model of
everybody, and scores it on the last fifth: a markdown table of mean log likelihoods of fold, call and raise by street,
beside the player's plain frequencies and those by position. With --models it keeps the models, with --trees it also
learns each by decision trees (scikit-learn, a minute or two a player). The last two columns are raise sizes.

`blueprint` deals hands in which the blueprint plays itself, all cards known, and learns it from the first so many. It
prints the mean total variation between the model's and the blueprint's probabilities of fold, call and raise before the
flop: over the decisions of other hands, at the button's first decision, and there for the worst class of hands. Only
the betting before the flop is drawn, because nothing else is compared.
"""

import argparse
import time
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec
import numpy as np

from limpet.common.folders import replace_file
from limpet.dealer.measures.learn_model import Hand, Scored, bot_configs, score, split
from limpet.protocol.archives.hands import located_hands
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.state import State
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.strategy import HandKey
from limpet.strategies.cards.isomorphism import class_name, preflop_classes
from limpet.strategies.opponents.boosted import BoostedModel, learn_trees
from limpet.strategies.opponents.imitation import (
    PRIOR_LEVEL_WEIGHT,
    THESIS,
    LearntModel,
    Model,
    ModelOptions,
    learn,
)
from limpet.strategies.opponents.imitation_file import Card, write_model

STREETS = ("preflop", "flop", "turn", "river", "all")
SHARE = 0.2
LAST_HANDS = 2000
"""Number of further hands, which are not learnt from, whose decisions are compared."""
LIKE_THESIS = msgspec.structs.replace(THESIS, postflop=False)
OVER_PRIOR = msgspec.structs.replace(ModelOptions(), level_weight=PRIOR_LEVEL_WEIGHT)
COMBOS = np.bincount(preflop_classes(), minlength=169) / 1326


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    archive_parser = commands.add_parser("archive")
    archive_parser.add_argument("files", nargs="+", type=Path)
    archive_parser.add_argument("--least", type=int, default=300, help="least number of held-out decisions of a player")
    archive_parser.add_argument("--models", type=Path, help="folder for the models")
    archive_parser.add_argument("--trees", action="store_true", help="learn trees as well")
    blueprint_parser = commands.add_parser("blueprint")
    blueprint_parser.add_argument("--hands", nargs="+", type=int, default=[1000, 3000, 13_000, 50_000, 200_000])
    blueprint_parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.command == "archive":
        archive(options.files, options.least, options.models, options.trees)
    else:
        blueprint(options.hands, options.seed)


def archive(files: Sequence[Path], least: int, models: Path | None, trees: bool) -> None:
    hands = list(located_hands(files, skipped=[]))
    first, rest = split(hands, files, SHARE)
    counts = Counter(record.names[state.actor] for _, record in rest for state, _, _ in record.decisions())
    print(f"{len(first):,} hands learnt from, {len(rest):,} held out\n")
    print(
        "| player | model | decisions | " + " | ".join(STREETS) + " | frequencies | by position | calibration error "
        "| sizes | their frequencies |"
    )
    print("|-|-|" + "-:|" * (len(STREETS) + 6))
    generic = learn(record for _, record in first)
    keep(models, "everybody", [], generic)
    show("everybody", "own", scored(generic.model, first, rest, None))
    if trees:
        show("everybody", "trees", scored(learn_trees(record for _, record in first).model, first, rest, None))
    for name in sorted(name for name, count in counts.items() if count >= least):
        own = learn((record for _, record in first), [name])
        over = learn((record for _, record in first), [name], OVER_PRIOR, generic.model)
        keep(models, name, [name], over)
        for kind, model in (("own", own.model), ("of everybody", generic.model), ("own over everybody", over.model)):
            show(name, kind, scored(model, first, rest, frozenset([name])))
        if trees:
            grown = learn_trees((record for _, record in first), [name]).model
            show(name, "trees", scored(grown, first, rest, frozenset([name])))


def scored(
    model: Model | BoostedModel, first: Sequence[Hand], rest: Sequence[Hand], names: frozenset[str] | None
) -> Scored:
    return score(model, first, rest, names, None)


def show(name: str, kind: str, found: Scored) -> None:
    table = found.table()
    streets = [f"{table[street]['log_likelihood']:.3f}" if street in table else "-" for street in STREETS]
    streets[-1] += f" ± {table['all']['half_width_95']:.3f}"
    rest = (f"{table['all'][key]:.3f}" for key in ("baseline_log_likelihood", "position_log_likelihood"))
    sizes = (f"{table['all'][key] or 0:.3f}" for key in ("size_log_likelihood", "size_baseline_log_likelihood"))
    print(
        f"| {name} | {kind} | {table['all']['decisions']:,} | {' | '.join(streets)} | {' | '.join(rest)} | "
        f"{100 * table['all']['calibration_error']:.1f} % | {' | '.join(sizes)} |",
        flush=True,
    )


def keep(models: Path | None, name: str, players: list[str], learnt: LearntModel[Model]) -> None:
    if models is not None:
        card = Card(players, learnt.hands, learnt.decisions, learnt.seen_share, learnt.model.options)
        write_model(models / name, learnt.model, card)
        for config, text in bot_configs(card, learnt.model).items():
            replace_file(models / name / config, text)


def preflop_hands(count: int, seed: int) -> list[HandRecord]:
    """Return hands of the blueprint against itself in a random order, their betting cut off after the flop is reached."""
    bot = load_bot("blueprint")
    strategy = bot.build().start_hand(HandKey(0, 0, 0))
    generator = np.random.default_rng(seed)
    decks = generator.permuted(np.tile(np.arange(52), (count, 1)), axis=1)[:, :4]
    low, high = np.sort(decks.reshape(-1, 2, 2), axis=2).astype(np.intp).transpose(2, 0, 1)
    held = low + high * (high - 1) // 2
    made: list[HandRecord] = []
    waiting = [(State.start(bot.game), np.arange(count))]
    while waiting:
        state, deals = waiting.pop()
        if state.finished or state.round:
            for deal in deals.tolist():
                holes = tuple(tuple(decks[deal, 2 * seat : 2 * seat + 2].tolist()) for seat in range(2))
                made.append(HandRecord(deal, state, holes, (0.0, 0.0), ("blueprint", "blueprint.2")))
            continue
        rows = strategy.rows(state)
        chances = rows.dense(np.zeros(1326, np.bool_))[:, held[deals, state.actor]].cumsum(axis=0)
        taken = (generator.random(len(deals)) * chances[-1] >= chances[:-1]).sum(axis=0)
        for number, action in enumerate(rows.actions):
            if (taken == number).any():
                waiting.append((state.apply(action), deals[taken == number]))
    return sorted(made, key=lambda record: record.hand)


def blueprint(counts: Sequence[int], seed: int) -> None:
    bot = load_bot("blueprint").build().start_hand(HandKey(0, 0, 0))
    records = preflop_hands(max(counts) + LAST_HANDS, seed)
    states = Counter(state for record in records[-LAST_HANDS:] for state, _, _ in record.decisions() if not state.round)

    @cache
    def right(state: State) -> np.ndarray:
        rows = bot.rows(state)
        found = np.zeros((3, 1326))
        for action, row in zip(rows.actions, rows.dense(np.zeros(1326, np.bool_)), strict=True):
            found["fcr".index(action.kind)] += row
        return found

    def distance(model: Model, state: State) -> np.ndarray:
        difference = model.kinds(state)[:, model.cells(state)] - right(state)
        each = np.abs(difference).sum(axis=0) / 2
        return np.bincount(preflop_classes(), each, 169) / (COMBOS * 1326)

    print("| hands | all decisions, mended | first decision, mended | first decision, thesis | worst class | seconds |")
    print("|-:|-:|-:|-:|-|-:|")
    total = sum(states.values())
    for count in counts:
        began = time.perf_counter()
        model = learn(records[:count], options=ModelOptions(postflop=False)).model
        taken = time.perf_counter() - began
        thesis = learn(records[:count], options=LIKE_THESIS).model
        start = State.start(records[0].state.game)
        mean = sum(times * float(distance(model, state) @ COMBOS) for state, times in states.items()) / total
        by_class = distance(model, start)
        worst = int(by_class.argmax())
        print(
            f"| {count:,} | {mean:.4f} | {float(by_class @ COMBOS):.4f} | "
            f"{float(distance(thesis, start) @ COMBOS):.4f} | {class_name(worst)} {by_class[worst]:.2f} | {taken:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
