"""Whether the blueprint is as sure as it should be: its probabilities against those of solves at the table.

    python benchmarks/confidence.py [BOT] [--hands 40] [--iterations 300] [--seed 1]

The blueprint plays hands against itself. At each decision after the flop is dealt, BOT solves the same state, without a clock.
All hands of the actor's range are compared, by their weight: the probability of the kind of action (fold, call, raise) that
the blueprint takes most often, and that of the same kind in the solve. The calibration error (ECE) is the mean distance of the
two over bins of the blueprint's probability.
"""

import argparse

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import State
from limpet.strategies.abstraction.menu import STREETS
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.strategy import HandKey, Rows
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.measures.full_ranges import build_without_clock
from limpet.strategies.players.resolve import Resolve

EDGES = np.array([0.0, 0.5, 0.7, 0.9, 0.98, 1.0001])
"""Bounds of the bins."""


def kinds(rows: Rows, board: tuple[int, ...]) -> NDArray[np.float64]:
    """Return float64 ``[3, 1326]``: each hand's probabilities of folding, calling and raising."""
    found = np.zeros((3, 1326))
    for action, row in zip(rows.actions, rows.dense(hand_space().blocked(board)), strict=True):
        found["fcr".index(action.kind)] += row
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bot", nargs="?", default="limpet")
    parser.add_argument("--hands", type=int, default=40)
    parser.add_argument("--iterations", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    bot = load_bot(given.bot)
    player = build_without_clock(bot, given.iterations)
    assert isinstance(player, Resolve)
    random = np.random.default_rng(given.seed)
    sums = np.zeros((len(STREETS), len(EDGES) - 1, 3))  # weight, the blueprint's probability, the solve's
    for number in range(given.hands):
        board = tuple(random.permutation(52)[:5].tolist())
        thinker = player.start_hand(HandKey(given.seed, number, 0))
        state = State.start(bot.game)
        while not state.finished:
            rows = thinker.blueprint.rows(state)
            played = kinds(rows, state.board)
            if state.round > 0:
                solved = kinds(thinker.rows(state), state.board)
                surest, weight = played.argmax(axis=0), thinker.ranges(state)[state.actor]
                at = np.digitize(played.max(axis=0), EDGES) - 1
                for column, value in enumerate((np.ones(1326), played.max(axis=0), solved[surest, np.arange(1326)])):
                    np.add.at(sums[state.round, :, column], at, weight * value)
            share = rows.dense(hand_space().blocked(state.board)) @ thinker.ranges(state)[state.actor]
            state = state.apply(rows.actions[random.choice(len(share), p=share / share.sum())]).with_board(board)
    print("| street | the blueprint's probability | share of hands | blueprint | solved |\n|-|-|-|-|-|")
    for street in range(1, len(STREETS)):
        weight, ours, theirs = sums[street].T
        for low, high, mass, sure, found in zip(EDGES[:-1], EDGES[1:], weight, ours, theirs, strict=True):
            if mass > 0:
                part = mass / weight.sum()
                print(
                    f"| {STREETS[street]} | {low:.0%}–{min(1, high):.0%} | {part:.1%} | {sure / mass:.1%} | {found / mass:.1%} |"
                )
        error = np.abs(ours - theirs).sum() / max(weight.sum(), 1)
        print(f"| {STREETS[street]} | all | calibration error {error:.1%} | | |")


if __name__ == "__main__":
    main()
