"""What a bot wins from its blueprint by its play of flops alone, with a 95 % interval.

    python benchmarks/flop_gain.py [BOT] [--flops 150] [--runouts 98] [--seed 1]

Flops are those that the blueprint comes to against itself. On each of them the bot sits in either seat and plays the flop with
all hands; the opponent plays the blueprint, and so do both on turn and river. What the blueprint wins there in the bot's place
is taken off. As turn and river are played alike in both cases, and valued over the same runouts, hardly anything is left to
chance but the flop. What the bot's own turns and rivers add is measured by `limpet gain`.
"""

import argparse
import time

import numpy as np
from numpy.typing import NDArray

from limpet.common.statistics import estimate
from limpet.protocol.state import State
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.strategy import HandKey, HandStrategy
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.measures.full_ranges import PublicSpot, build_without_clock, sampled_spots
from limpet.strategies.holdem.resolving.beliefs import on_board
from limpet.strategies.holdem.resolving.sampled import SampledSubgame
from limpet.strategies.players.resolve import Resolve
from limpet.strategies.solvers.streets import street_below

Values = NDArray[np.float64]


class Flop:
    """A flop between the blueprint and itself, with the value of every line that leads on from it or ends on it."""

    def __init__(self, spot: PublicSpot, player: Resolve, runouts: int) -> None:
        root = spot.state
        hand = player.blueprint.start_hand(HandKey(0, spot.hand, 0))
        ranges = on_board(spot.reach, root.board)
        # Its regrets begin in proportion to the blueprint's probabilities, and are put back after every walk.
        menu = hand.seat.file.manifest.menu
        assert menu is not None  # the game is no-limit
        subgame = SampledSubgame(root, menu, ranges, hand)
        self.tree, self.hands, self._sampling = subgame.tree, subgame.runouts.hands, subgame.sampling
        self.street = street_below(self.tree, np.zeros(1, np.int64), root.round)
        played = self._sampling.regret.copy()
        self.values = np.zeros((2, len(self.street.origin), len(self.hands)))
        """Chips of each position's hands at each node of the flop, times the weight of the hand, summed over runouts."""
        self.met = 0.0
        for number in range(runouts):
            first, second = subgame.runouts.ranges * ~hand_space().blocked(subgame.runouts.board(number))
            self.met += float(hand_space().compatible(second) @ first.astype(np.float64))
            for position in (0, 1):
                found = self._sampling.first_street_values(position, subgame.runouts.sample(number))
                self.values[position] += found[:, : len(self.hands)]
                self._sampling.regret[:] = played

    def won(self, position: int, hand: HandStrategy, root: State) -> float:
        """Return the big blinds that a position wins by playing the flop as `hand` does, a mean over pairs of hands."""
        chips = self._value(0, position, hand, root)
        return float(chips.sum()) / self.met / root.game.big_blind

    def _value(self, slot: int, position: int, hand: HandStrategy, state: State) -> Values:
        """Return `values` at a node of the flop where the position plays as `hand` does from there on."""
        count = int(self.street.actions[slot])
        if count == 0:
            return np.asarray(self.values[position, slot])
        actions = self.tree.actions(int(self.street.origin[slot]))
        children = int(self.street.child[slot]) + np.arange(count)
        probabilities = np.ones((count, len(self.hands)))
        if state.actor == position:
            rows = hand.rows(state)
            dense = rows.dense(hand_space().blocked(state.board))[:, self.hands]
            probabilities = np.zeros((count, len(self.hands)))
            for action, row in zip(rows.actions, dense, strict=True):
                probabilities[actions.index(action)] = row
        total = np.zeros(len(self.hands))
        for child, action, row in zip(children.tolist(), actions, probabilities, strict=True):
            if row.any():
                total += row * self._value(child, position, hand.fork(), state.apply(action))
        return total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bot", nargs="?", default="limpet")
    parser.add_argument("--flops", type=int, default=150)
    parser.add_argument("--runouts", type=int, default=98)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    player = build_without_clock(load_bot(given.bot))
    assert isinstance(player, Resolve), "name a bot of player 'resolve'"
    player.warm_up()
    began, gains, flops = time.process_time(), [], 0
    for spot in sampled_spots((player.blueprint, player.blueprint), 1, given.seed):
        gains.append(0.0)
        if not spot.state.finished:
            flops += 1
            flop = Flop(spot, player, given.runouts)
            for position in (0, 1):
                key = HandKey(given.seed, spot.hand, position)
                solved, stored = (
                    flop.won(position, strategy.start_hand(key), spot.state) for strategy in (player, player.blueprint)
                )
                gains[-1] += 1000 * (solved - stored) / 2
            seconds = (time.process_time() - began) / flops
            print(
                f"{flops} flops of {len(gains)} hands: {estimate(np.array(gains))} mbb/g, {seconds:.1f} s each",
                flush=True,
            )
        if flops == given.flops:
            break


if __name__ == "__main__":
    main()
