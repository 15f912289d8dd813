"""Counts of a built tree, and the sizes of a spot's tree with its boards and hands dealt in, as Kujath counts and exactly."""

from collections.abc import Sequence
from math import comb
from typing import NamedTuple

import numpy as np

from limpet.strategies.abstraction.betting import BettingTree
from limpet.strategies.solvers.streets import StreetCount


class TreeSize(NamedTuple):
    """Numbers of the tree with its boards dealt in; means over several flops need not be whole."""

    street_nodes: tuple[float, ...]
    player_nodes: float
    leaves: float
    dealer_nodes: float
    infosets: float
    """(decision, board, own hand)."""
    actions: float
    """(decision, board, own hand, action)."""
    states: float
    """(node, board, both hands)."""

    @property
    def nodes(self) -> float:
        return sum(self.street_nodes)


def street_counts(tree: BettingTree) -> tuple[StreetCount, ...]:
    """Return the counts of each street from the root's on."""
    parent, decides = tree.parent, tree.player >= 0
    first, last = int(tree.round[0]), int(tree.game.num_rounds)
    # A terminal belongs to the street on which its last action was taken, wherever the rules go on dealing to.
    street = np.where(decides, tree.round, tree.round[parent])
    deals = decides & (parent >= 0) & (tree.round > tree.round[parent])
    alone = np.bitwise_count(tree.folded) == tree.game.num_players - 1
    counts = []
    for round_ in range(first, last):
        here = street == round_
        counts.append(
            StreetCount(
                player=tuple(int((here & (tree.player == p)).sum()) for p in range(tree.game.num_players)),
                choices=tuple(
                    int(tree.num_actions[here & (tree.player == p)].sum()) for p in range(tree.game.num_players)
                ),
                leaf=int((here & ~decides).sum()),
                dealer=int((deals & (tree.round[parent] == round_)).sum()),
                folds=int((here & ~decides & alone).sum()),
                most_actions=int(tree.num_actions[here].max(initial=0)),
            )
        )
    return tuple(counts)


def mean_boards(classes: Sequence[Sequence[int]]) -> tuple[float, ...]:
    """Mean number of boards of each street over several roots."""
    return tuple(sum(column) / len(column) for column in zip(*classes, strict=True))


def kujath_size(counts: Sequence[StreetCount], boards: Sequence[float]) -> TreeSize:
    """The size as Kujath's tables have it: hands of the first street in the infosets of all, and states with any two
    hands, also those that share cards. The states of a mean over flops are those of its rounded nodes.

    Args:
        counts: of the streets up to the river, see `street_counts`.
        boards: of the same streets, see `board_counts`.
    """
    hands = _hands(len(counts))
    size = _size(counts, boards, [hands[0]] * len(counts), [0] * len(counts))
    return size._replace(states=sum(round(n) * h**2 for n, h in zip(size.street_nodes, hands, strict=True)))


def exact_size(counts: Sequence[StreetCount], boards: Sequence[float]) -> TreeSize:
    """The true size: each street's own hands, and pairs of hands without a card in common."""
    hands = _hands(len(counts))
    return _size(counts, boards, hands, [h * comb(_cards_left(i, len(counts)) - 2, 2) for i, h in enumerate(hands)])


def _size(
    counts: Sequence[StreetCount], boards: Sequence[float], hands: Sequence[int], pairs: Sequence[int]
) -> TreeSize:
    streets = list(zip(counts, boards, strict=True))
    nodes = tuple(count.nodes * board for count, board in streets)
    return TreeSize(
        street_nodes=nodes,
        player_nodes=sum(count.decisions * board for count, board in streets),
        leaves=sum(count.leaf * board for count, board in streets),
        dealer_nodes=sum(count.dealer * board for count, board in streets),
        infosets=sum(c.decisions * board * h for (c, board), h in zip(streets, hands, strict=True)),
        actions=sum(c.edges * board * h for (c, board), h in zip(streets, hands, strict=True)),
        states=sum(n * pair for n, pair in zip(nodes, pairs, strict=True)),
    )


def _cards_left(street: int, streets: int) -> int:
    """Cards not on the board, on the last streets of a hand."""
    return 52 - 5 + (streets - 1 - street)


def _hands(streets: int) -> list[int]:
    return [comb(_cards_left(street, streets), 2) for street in range(streets)]
