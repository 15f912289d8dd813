"""Computes the size of a spot's tree and the memory of its solve without building anything."""

from collections.abc import Iterator
from typing import NamedTuple

from limpet.protocol.cards import cards_text
from limpet.strategies.solutions.spot import Spot
from limpet.strategies.solving.vector.board_tree import board_tree
from limpet.strategies.solving.vector.memory import (
    TOO_MANY_NODES,
    ForestSize,
    MemoryEstimate,
    free_memory,
    require_memory,
    too_large,
)
from limpet.strategies.trees.tree_size import TreeCount, board_counts, count_tree


class SpotSize(NamedTuple):
    """Size of a spot's tree and memory of its solve.

    Counting ends as soon as the tree is known to be too large, see `too_large`; both are then lower bounds.
    """

    tree: TreeCount
    memory: MemoryEstimate

    def require(self) -> None:
        """Raise `MemoryError`, with the numbers, if the spot cannot be solved in the memory that is free."""
        require_memory(self.memory)
        if too_large(self.tree):
            raise MemoryError(TOO_MANY_NODES)


def spot_size(spot: Spot) -> SpotSize:
    """Count the tree of a spot and estimate the memory of its solve. Raises ValueError as `Spot.root` and the menu do."""
    limit = free_memory()
    boards = board_tree(spot.cards, spot.weights, spot.merge)

    def memory(count: TreeCount) -> MemoryEstimate:
        return MemoryEstimate.of(
            ForestSize.of_counts(count.streets), boards, spot.storage, spot.used_threads,
            tables=1 + (spot.algorithm == "pcfr+"), average=spot.minimiser.averages, at_least=not count.whole,
        )  # fmt: skip

    count = count_tree(
        spot.root, spot.menu, lambda so_far: too_large(so_far) or limit is not None and memory(so_far).total > limit
    )
    return SpotSize(count, memory(count))


def spot_lines(spot: Spot, size: SpotSize) -> Iterator[str]:
    """Yield lines that say what is to be solved, how large it is and what memory it takes."""
    root = spot.root
    unit = root.game.big_blind
    behind = [stack - spent for stack, spent in zip(root.game.stack, root.spent, strict=True)]
    stacks = f"{behind[0] / unit:g}" if behind[0] == behind[1] else f"{behind[0] / unit:g} and {behind[1] / unit:g}"
    hands = " against ".join(f"{int((weights > 0).sum()):,}" for weights in spot.weights)
    yield f"{cards_text(spot.cards)}: pot {root.pot / unit:g} bb, {stacks} bb behind, {hands} hands"
    counts, boards = size.tree.streets, board_counts(len(spot.cards))
    decisions = sum(count.decisions * board for count, board in zip(counts, boards, strict=True))
    streets = ", ".join(f"{count.decisions:,} on {board:,}" for count, board in zip(counts, boards, strict=True))
    more = "" if size.tree.whole else "more than "
    yield f"tree: {more}{decisions:,} decisions (by street, {streets} boards)"
    yield f"memory: {size.memory}"
