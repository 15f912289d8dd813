"""How large a betting tree becomes once boards and hands are dealt into it.

The counts follow Kujath, "Effiziente Berechnung des ε-Nash-Equilibriums einer Poker-Variante" (2014), Tables 2 and 3:
a *dealer node* stands before each new street, a called all-in is one leaf with all its run-outs, and every node is
repeated for each board that may lie there.
"""

from collections.abc import Callable, Sequence
from math import comb
from typing import NamedTuple

import numpy as np

from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import State
from limpet.strategies.trees.betting import BettingTree
from limpet.strategies.trees.menu import BetMenu, abstract_actions, street_start

ASK_EVERY = 100
"""Different decisions that `count_tree` looks at between two calls of `enough`."""


class StreetCount(NamedTuple):
    """What one board of a street holds, over all ways to reach the street. A called all-in ends its street's betting.

    Attributes:
        player: decisions by position.
        leaf: terminals whose last action was taken on this street.
        dealer: decisions of the next street that follow directly, each behind a node of the dealer.
        edges: actions at decisions.
        folds: terminals among `leaf` at which only one player is left.
        most_actions: number of actions of the decision that has most.
    """

    player: tuple[int, ...]
    leaf: int
    dealer: int
    edges: int
    folds: int
    most_actions: int

    @property
    def decisions(self) -> int:
        return sum(self.player)

    @property
    def nodes(self) -> int:
        return self.decisions + self.leaf + self.dealer


class TreeCount(NamedTuple):
    """The size of a betting tree that was counted and not built, see `count_tree`.

    Attributes:
        streets: counts of each street from the root's on.
        whole: whether everything was counted. Otherwise all counts are lower bounds.
    """

    streets: tuple[StreetCount, ...]
    whole: bool

    @property
    def nodes(self) -> int:
        """Number of nodes that `build_tree` would make."""
        return sum(street.decisions + street.leaf for street in self.streets)


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
    """The counts of each street from the root's on."""
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
                leaf=int((here & ~decides).sum()),
                dealer=int((deals & (tree.round[parent] == round_)).sum()),
                edges=int(tree.num_actions[here].sum()),
                folds=int((here & ~decides & alone).sum()),
                most_actions=int(tree.num_actions[here].max(initial=0)),
            )
        )
    return tuple(counts)


def count_tree(
    root: GameDef | State,
    menu: BetMenu | None = None,
    enough: Callable[[TreeCount], bool] = lambda count: False,
) -> TreeCount:
    """Count what `build_tree` would build, without building it: the same numbers as `street_counts` of the tree.

    The subtree below a state depends only on whose turn it is, the chips and the raises so far, so that each such
    combination is walked once, however many lines lead to it: the 24 million nodes of three-player limit hold'em take
    0.2 seconds. Where hardly any lines meet, the walk takes as long as building. `enough` is therefore called with the
    count so far, which only grows, and ends the walk when it returns True.

    The menu must be a plain `BetMenu`; one that looks at the line of betting cannot be counted like this.
    """
    if isinstance(root, GameDef):
        root = State.start(root)
    players, first = root.game.num_players, root.round
    folds, shown, dealt, edges, width = players, players + 1, players + 2, players + 3, players + 4
    total = [0] * width * (root.game.num_rounds - first)
    most_actions = [0] * (root.game.num_rounds - first)
    known: dict[tuple[object, ...], list[int]] = {}
    # States to come, each with the chips that a call matched when its street began. None ends the subtree of the last
    # state in `open_`, which holds the state's key and the total before it.
    stack: list[tuple[State, int] | None] = [(root, street_start(root))]
    open_: list[tuple[tuple[object, ...], list[int]]] = []
    seen = 0

    def counted(whole: bool) -> TreeCount:
        parts = [total[at : at + width] for at in range(0, len(total), width)]
        return TreeCount(
            tuple(
                StreetCount(
                    tuple(part[:players]), part[folds] + part[shown], part[dealt], part[edges], part[folds], most
                )
                for part, most in zip(parts, most_actions, strict=True)
            ),
            whole,
        )

    while stack:
        item = stack.pop()
        if item is None:
            key, before = open_.pop()
            known[key] = [now - then for now, then in zip(total, before, strict=True)]
            continue
        state, start = item
        key = (
            state.round, state.actor, state.spent, state.folded, state.max_spent, state.min_raise_to, state.raises,
            state.actions, state.called, start,
        )  # fmt: skip
        if (below := known.get(key)) is not None:
            total = [now + more for now, more in zip(total, below, strict=True)]
            continue
        seen += 1
        if seen % ASK_EVERY == 0 and enough(counted(False)):
            return counted(False)
        open_.append((key, total.copy()))
        stack.append(None)
        actions = abstract_actions(state, menu)
        street = state.round - first
        at = street * width
        total[at + state.actor] += 1
        total[at + edges] += len(actions)
        most_actions[street] = max(most_actions[street], len(actions))
        for action in actions:
            child = state.apply(action)
            if child.finished:
                total[at + (shown if child.showdown else folds)] += 1
            elif child.round == state.round:
                stack.append((child, start))
            else:
                total[at + dealt] += 1
                stack.append((child, child.max_spent))
    return counted(True)


def board_counts(board_cards: int) -> tuple[int, ...]:
    """Boards of each street from one of 3 to 5 cards on, turn and river told apart.

    >>> board_counts(3)
    (1, 49, 2352)
    """
    counts = [1]
    for dealt in range(board_cards, 5):
        counts.append(counts[-1] * (52 - dealt))
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
