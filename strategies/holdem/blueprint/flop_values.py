"""The value of a flop to starting hands, after each line of betting before it, when it is solved or a blueprint plays on.

The values answer bets before the flop that the blueprint's tree does not have: the value after the real betting is that
after the most similar lines of the tree, by pots, interpolated between the stack-to-pot ratios of two of them. With
shorter stacks those lines had more raises, and so narrower ranges, and with deeper ones fewer; what equity is worth more then was
measured on solved flops.
"""

from dataclasses import dataclass
from errno import ENOENT
from functools import cache, cached_property
from math import exp, inf, log
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.common.safetensors import map_tensors, write_tensors
from limpet.protocol.state import State
from limpet.strategies.abstraction.betting import BettingTree
from limpet.strategies.cards.isomorphism import NUM_CLASSES
from limpet.strategies.cards.preflop_tables import class_equities, class_matrix
from limpet.strategies.solvers.streets import street_roots

FILE = "flop_values.safetensors"
"""Name of the file in a strategy's folder."""
GAINS_FILE = "stack_gains.safetensors"
"""Name of the file of gains with other stacks, in the same folder."""
UNITS = 256
"""Units of a pot in which values are stored."""
NOBODY = -1
Weighted = tuple[list[int], float]
"""Lines by their index, whose mean counts so much; none for the equity."""


@dataclass(frozen=True, slots=True)
class FlopLine:
    """The betting before a flop, as far as the flop's value depends on it.

    `raiser` is the position that raised last, `NOBODY` where nobody did, after so many raises in all; `depth` is the natural
    logarithm of the stack-to-pot ratio on the flop.
    """

    raiser: int
    raises: int
    depth: float

    @staticmethod
    def of(state: State, stack: float | None = None) -> "FlopLine":
        """Return the line to a flop on which nobody has acted yet and somebody has chips left.

        stack: chips that each player began the hand with; None for those of the state, the fewer of two.
        """
        acted = ((past.parent, past.action) for past in state.path())
        raisers = [before.actor for before, action in acted if before and action and action.kind == "r"]
        behind = (min(state.game.stack) if stack is None else stack) - state.max_spent
        return FlopLine(raisers[-1] if raisers else NOBODY, len(raisers), log(max(1, behind) / state.pot))


class StackGains(NamedTuple):
    """Gains of flops with other stacks over the values that `FlopValues` has by the stack-to-pot ratio, L lines of several stacks.

    A pair of classes gains a sum of the four `gain_terms`.

    Attributes:
        stacks: float64 ``[L]``: stacks of each line in big blinds.
        lines: float64 ``[L, 3]``: raiser, raises and depth of each, as in `FlopLine`.
        gains: float64 ``[L, 4]``: the terms' factors, in pots.
    """

    stacks: NDArray[np.float64]
    lines: NDArray[np.float64]
    gains: NDArray[np.float64]

    @staticmethod
    def open(folder: Path, values: "FlopValues") -> "StackGains":
        """Open the gains in a strategy's folder. Raises `ValueError` for a damaged file, and for one made for other values."""
        arrays, notes = map_tensors(folder / GAINS_FILE)
        if set(arrays) != set(StackGains._fields) or notes != values.made_from:
            raise ValueError(
                f"{folder / GAINS_FILE} is for other values; make it again with 'limpet strategy stack-gains'"
            )
        return StackGains(**arrays)

    def save(self, folder: Path, values: "FlopValues") -> None:
        """Write the gains beside the values that they belong to."""
        write_tensors(folder / GAINS_FILE, self._asdict(), values.made_from)

    def of(self, line: FlopLine, stack: float, own: float) -> NDArray[np.float64]:
        """Return the factors ``[4]`` for a line, interpolated between the logarithms of the nearest stacks.

        stack, own: big blinds of the game and of the tree, with which nothing is gained. Beyond the least stack and the greatest
        these count.
        """
        nothing = np.zeros(len(gain_terms()))
        if stack == own:
            return nothing
        knots = {float(known): self._between(line, known) for known in np.unique(self.stacks)} | {own: nothing}
        known = sorted(knots)
        columns = np.array([knots[each] for each in known]).T
        return np.array([np.interp(log(stack), np.log(known), column) for column in columns])

    def _between(self, line: FlopLine, stack: float) -> NDArray[np.float64]:
        """Return the factors of the lines most like another by the last raiser, then by raises, interpolated between their depths.

        With less behind than on all of them they are smaller in proportion: where nothing is left to bet nothing is gained.
        """
        own = self.stacks == stack
        raisers, raises, depths = self.lines[own].T
        unlike = np.abs(raises - line.raises) + np.where(raisers == line.raiser, 0, raises.sum())
        alike = np.flatnonzero(unlike == unlike.min())
        alike = alike[np.argsort(depths[alike])]
        gained = [np.interp(line.depth, depths[alike], column) for column in self.gains[own][alike].T]
        return min(1.0, exp(line.depth - depths[alike[0]])) * np.array(gained)


NO_GAINS = StackGains(np.zeros(0), np.zeros((0, 3)), np.zeros((0, 4)))


@cache
def gain_terms() -> NDArray[np.float32]:
    """Return float32 ``[4, 169, 169]``: what gains of position 0 are a sum of, for its class (row) against that of position 1.

    They are 1, what the equity has above a half, what that of position 0's class against any hand has, and what that of position
    1's class lacks.
    """
    against_any = class_equities() - 0.5
    equities = class_matrix().equities - 0.5
    one = np.ones_like(equities)
    return np.stack([one, equities, one * against_any[:, None], -one * against_any], dtype=np.float32)


class FlopValues:
    """The values of all lines of one strategy's tree, for two players.

    Attributes:
        nodes: int32 ``[L]``: the tree's nodes at which a flop begins.
        shares: int16 ``[L, 169, 169]``: for the class of position 0 (row) and that of position 1 (column), what position
            0 has at the end of the hand beyond the chips that it had behind on the flop, in pots on the flop / `UNITS`.
        deals: number of deals of the blueprint's own play that they were counted on.
        solves: number of solved flops by which they were made anew; 0 for the blueprint's play.
        gains: what other stacks gain besides.
    """

    def __init__(
        self, tree: BettingTree, nodes: NDArray[np.int32], shares: NDArray[np.int16], deals: int, solves: int = 0,
        gains: StackGains = NO_GAINS,
    ) -> None:  # fmt: skip
        """Raise `ValueError` for arrays that are not of this tree."""
        if nodes.tolist() != flop_nodes(tree) or shares.shape != (len(nodes), NUM_CLASSES, NUM_CLASSES):
            raise ValueError(f"{FILE} is of another betting tree; make it again with 'limpet strategy flop-values'")
        self.tree, self.nodes, self.shares, self.deals, self.solves = tree, nodes, shares, deals, solves
        self.gains = gains

    @staticmethod
    def open(folder: Path, tree: BettingTree, gains: bool = True) -> "FlopValues":
        """Open the values in a strategy's folder, with the gains of other stacks unless they are to be made anew.

        Raises `ValueError` for a damaged file and for gains of other values, `FileNotFoundError` where there are no values.
        """
        if not (folder / FILE).is_file():
            remedy = f"no such file; make it with 'limpet strategy flop-values {folder.name}'"
            raise FileNotFoundError(ENOENT, remedy, str(folder / FILE))
        arrays, notes = map_tensors(folder / FILE)
        solves = int(notes.get("solves", 0))
        values = FlopValues(tree, arrays["nodes"], arrays["shares"], int(notes["deals"]), solves)
        if gains and (folder / GAINS_FILE).is_file():
            values = values.with_gains(StackGains.open(folder, values))
        return values

    def save(self, folder: Path) -> None:
        """Write the values into a strategy's folder, but for the gains of other stacks."""
        write_tensors(folder / FILE, {"nodes": self.nodes, "shares": self.shares}, self.made_from)

    @property
    def made_from(self) -> dict[str, str]:
        """Numbers of deals and solves, as the file says them."""
        return {"deals": str(self.deals), "solves": str(self.solves)}

    def with_gains(self, gains: StackGains) -> "FlopValues":
        """Return the same values with new gains of other stacks."""
        return FlopValues(self.tree, self.nodes, self.shares, self.deals, self.solves, gains)

    @cached_property
    def lines(self) -> tuple[FlopLine, ...]:
        """The line to each node."""
        return tuple(FlopLine.of(self.tree.state(node)) for node in self.nodes.tolist())

    def nearest(self, state: State) -> int:
        """Return the node that is most like a flop on which nobody has acted yet, by its pot in big blinds.

        With other stacks than the tree's the stack-to-pot ratio does not count: the ranges of a pot are more like those of an
        equal one than those of a larger pot with deeper stacks.
        """
        own = self.tree.game
        line = FlopLine.of(state, min(own.stack) * state.game.big_blind / own.big_blind)
        by_depth = self._by_depth(line)
        return int(self.nodes[by_depth[min(by_depth, key=lambda depth: abs(depth - line.depth))][0]])

    def share(self, state: State) -> NDArray[np.float32]:
        """Return float32 ``[169, 169]``: the values of a flop that a state begins, as `shares` but in pots.

        They are interpolated between the two nearest stack-to-pot ratios of lines with the same last raiser. Beyond the last
        ratio that one counts; below the first, values near the equity, which they are where nothing is left to bet.
        """
        (lower, first), (upper, second) = self.mixture(state)
        share = np.asarray(first * self._mean(lower) + second * self._mean(upper), np.float32)
        own, game = self.tree.game, state.game
        stacks = min(game.stack) / game.big_blind, min(own.stack) / own.big_blind
        factors = self.gains.of(FlopLine.of(state), *stacks)
        if factors.any():
            share += np.tensordot(factors.astype(np.float32), gain_terms(), axes=1)
        return share

    def mixture(self, state: State) -> tuple[Weighted, Weighted]:
        """Return the lines between which the values of a flop are interpolated, and how much each group of them counts."""
        line = FlopLine.of(state)
        by_depth = self._by_depth(line)
        at = min(line.depth, max(by_depth))
        above = min(depth for depth in by_depth if depth >= at)
        below = max((depth for depth in by_depth if depth <= at), default=-inf)
        if below == -inf:
            return ([], 1 - exp(at - above)), (by_depth[above], exp(at - above))
        weight = 0.0 if above == below else (at - below) / (above - below)
        return (by_depth[below], 1 - weight), (by_depth[above], weight)

    def _mean(self, chosen: list[int]) -> NDArray[np.float32]:
        if not chosen:
            return np.asarray(class_matrix().equities, np.float32)
        return np.asarray(self.shares[chosen].mean(axis=0, dtype=np.float32) / UNITS)

    def _by_depth(self, line: FlopLine) -> dict[float, list[int]]:
        """Return the indices of the lines with the same last raiser by depth, or of all if there are none.

        A limp has one line, the deepest: for less depth, raises of the limper stand for it, who is the last to act on the flop.
        Of lines of equal depth, only those with the most similar number of raises are returned.
        """
        numbered = list(enumerate(self.lines))
        raisers = {line.raiser, 1 - self.tree.player[self.nodes[0]]} if line.raiser == NOBODY else {line.raiser}
        alike = [(index, other) for index, other in numbered if other.raiser in raisers] or numbered
        by_depth: dict[float, list[int]] = {}
        for index, other in sorted(alike, key=lambda item: abs(item[1].raises - line.raises)):
            same = by_depth.setdefault(other.depth, [])
            if not same or abs(self.lines[same[0]].raises - line.raises) == abs(other.raises - line.raises):
                same.append(index)
        return by_depth


def flop_nodes(tree: BettingTree) -> list[int]:
    """Return the nodes of a tree at which a flop begins and somebody acts, ascending."""
    return [int(node) for node in street_roots(tree, 1)]
