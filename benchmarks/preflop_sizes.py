"""What a raiser of good hands wins before the flop by an odd size, and how often a bot plays on against it.

    python benchmarks/preflop_sizes.py [BOT] [--lines ...] [--sizes 10,15,20] [--stack 50] [--judge]

The raiser comes to a decision with all hands, raises those that gain by it and folds the rest. Calls are checked down to the
showdown, and the bot's raises are answered by the better of a fold and a call, hand by hand. That is a best response of
one raise: what it wins is exact, over all pairs of hands. Folding everything loses the chips already paid. Seconds
of processor time are of the bot's solves. BOT is a resolving player; --stack seats it with other stacks than its config's.
--judge solves the betting from before the raise, with the same values of flops, far longer than the bot does, and says how many
big blinds the bot's answer loses by that: the hand of its range that loses most, and the mean. As in the bot's solve, good
hands make the raise now and then where hardly any hand would.
"""

import argparse
import time
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import CALL, Action, State, raise_to
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.strategy import HandKey
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.preflop_tables import BOARDS, hand_matrix
from limpet.strategies.cards.ranges import parse_range
from limpet.strategies.holdem.resolving.before_flop import BeforeFlop, BeforeFlopHand, preflop_values
from limpet.strategies.holdem.resolving.plans import with_bets
from limpet.strategies.players.resolve import Resolve
from limpet.strategies.solvers.schedule import ANYTIME

Vector = NDArray[np.float64]

LINES: dict[str, tuple[Action, ...]] = {
    "first in": (),
    "c": (CALL,),
    "r200": (raise_to(200),),
    "r300": (raise_to(300),),
    "r500": (raise_to(500),),
    "r300r900": (raise_to(300), raise_to(900)),
}
"""Betting before the raise: the bot acted last, or nobody did."""
SIZES = (2, 2.5, 3, 4, 5, 7, 10, 15, 20, 25, 30, 40, 60, 80, 100, 125, 150, 175, 199, 200, 300, 400)
"""Raises to, in big blinds; in each line those that are legal."""
JUDGE = 2000
"""Iterations of the judge."""
LIKELY = 0.01
"""Least weight of a hand, of the likeliest of the range, whose loss counts."""


@dataclass(frozen=True)
class Raise:
    """What came of one raise.

    Attributes:
        plays_on: share of the bot's range that does not fold.
        shoves: share of the bot's range that goes all-in.
        won: float64 ``[1326]``: chips that each of the raiser's hands wins by the raise.
        folding: chips that a fold wins, not above 0.
        range: float64 ``[1326]``: the raiser's range as the bot believes it after the raise.
        seconds: processor time of the bot's answer.
    """

    plays_on: float
    shoves: float
    won: Vector
    folding: float
    range: Vector
    seconds: float

    @property
    def best(self) -> float:
        """Chips that the raiser of good hands wins, a mean over all hands."""
        return float(np.maximum(self.won, self.folding).mean())


@cache
def pair_shares() -> tuple[Vector, Vector]:
    """Return ``[1326, 1326]``: the share of the pot that a row's hand has against a column's, and 1 for pairs that may be."""
    wins, ties = hand_matrix()
    a, b = hand_space().holes.T
    same = (a[:, None] == a) | (a[:, None] == b) | (b[:, None] == a) | (b[:, None] == b)
    return (wins + ties / 2) / BOARDS, np.where(same, 0.0, 1.0)


def raised(player: Resolve, line: tuple[Action, ...], size: int, number: int = 0) -> Raise:
    """Return what a raise to `size` chips wins from a bot that answers with the hand of a number."""
    before = State.start(player.game)
    for action in line:
        before = before.apply(action)
    raiser, state = before.actor, before.apply(raise_to(size))
    hand = player.start_hand(HandKey(1, number, 1 - raiser))
    began = time.process_time()
    rows, ranges = hand.rows(state), hand.ranges(state)
    seconds = time.process_time() - began
    shares, possible = pair_shares()
    own = ranges[1 - raiser]
    dense = rows.dense(np.zeros(1326, np.bool_)).astype(np.float64)
    compatible = possible @ own
    folding = -float(before.spent[raiser])
    won = np.zeros(1326)
    for action, row in zip(rows.actions, dense, strict=True):
        reach = possible @ (own * row) / compatible
        if action.kind == "f":
            won += reach * before.spent[1 - raiser]
            continue
        paid = state.max_spent if action.kind == "c" else action.size
        shown = ((shares * possible) @ (own * row) / compatible) * 2 * paid - reach * paid
        won += shown if action.kind == "c" else np.maximum(shown, -reach * size)
    share = dense @ own
    shoves = sum(
        part for action, part in zip(rows.actions, share, strict=True) if action.size == player.game.stack[raiser]
    )
    return Raise(1 - float(share[0]), float(shoves), won, folding, ranges[raiser], seconds)


def lost(player: Resolve, line: tuple[Action, ...], size: int) -> tuple[float, float]:
    """Return the big blinds that the answer to a raise loses against the judge: with the worst hand, and in the mean."""
    before = State.start(player.game)
    for action in line:
        before = before.apply(action)
    state = before.apply(raise_to(size))
    hand, plan = player.start_hand(HandKey(1, 0, state.actor)), player.resolver.rules.preflop
    assert plan is not None and player.flops is not None
    menu = with_bets(plan.menu, {before.betting: size})
    solved = hand.subgame(state)
    natural = solved is not None and solved is hand.subgame(before)
    judge = BeforeFlop(before, menu, hand.ranges(before), player.flops, None if natural else raise_to(size))
    judge.rounds.algorithm = ANYTIME
    judge.solve(JUDGE)
    rows, ranges = hand.rows(state), hand.ranges(before)
    raiser = dict(zip(judge.rows(before).actions, judge.rows(before).dense(np.zeros(1326, np.bool_)), strict=True))
    ranges[before.actor] *= raiser[raise_to(size)]
    actions = preflop_values(BeforeFlopHand(judge), state, ranges, player.flops)[0].actions
    worth = dict(zip(judge.rows(state).actions, actions, strict=True))
    dense = rows.dense(np.zeros(1326, np.bool_))
    won = sum(row * worth[action] for action, row in zip(rows.actions, dense, strict=True))
    own = ranges[state.actor]
    losses = actions.max(axis=0) - won
    return float(losses[own >= LIKELY * own.max()].max()), float(losses @ own / own.sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bot", nargs="?", default="limpet-fast")
    parser.add_argument("--lines", nargs="*", choices=LINES, default=list(LINES))
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="raises to, in big blinds")
    parser.add_argument("--stack", type=float, help="stacks, in big blinds, in place of the config's")
    parser.add_argument("--judge", action="store_true", help="also what the answers lose; a second or so each")
    asked = parser.parse_args()
    bot = load_bot(asked.bot)
    chips = bot.game.stack[0] if asked.stack is None else round(asked.stack * bot.game.big_blind)
    player = load_bot(asked.bot, replace(bot.game, stack=(chips, chips))).build()
    assert isinstance(player, Resolve)
    player.warm_up()
    blind = player.game.big_blind
    strong = parse_range("QQ+,AK") > 0
    print(
        "|after|raise to, bb|plays on|shoves|wins, bb a hand|QQ+ and AK win|seconds|most lost, mean|\n|-|-|-|-|-|-|-|-|"
    )
    for name in asked.lines:
        for size in map(float, asked.sizes.split(",")):
            before = State.start(player.game)
            for action in LINES[name]:
                before = before.apply(action)
            low, top = before.raise_bounds() or (1, 0)
            if not low <= size * blind <= top:
                continue
            made = raised(player, LINES[name], round(size * blind))
            losses = (
                ", ".join(f"{each:.3f}" for each in lost(player, LINES[name], round(size * blind)))
                if asked.judge
                else ""
            )
            print(
                f"|{name}|{size:g}|{made.plays_on:.1%}|{made.shoves:.1%}|{made.best / blind:+.2f}|"
                f"{made.won[strong].mean() / blind:+.1f}|{made.seconds:.2f}|{losses}|",
                flush=True,
            )


if __name__ == "__main__":
    main()
