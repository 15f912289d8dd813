"""Type games: two players, one private type each, a betting tree, and no chance after the deal.

A river spot is one: its types are hands. Everything here is exact, dense and plain: float64 matrices and one recursion. The
linear program is checked against it. Chips are net: what is in the pot at the start counts as half each player's.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Fold:
    """The end: `loser` has folded and loses `chips`, everything that this player has put in."""

    loser: int
    chips: float


@dataclass(frozen=True)
class Showdown:
    """The end: the better hand wins `stake`, what each player has put in that the other has matched."""

    stake: float


@dataclass(frozen=True)
class Decision:
    """`player` chooses one of the named actions."""

    player: int
    actions: Mapping[str, "Node"]


Node = Fold | Showdown | Decision

Strategy = Sequence[NDArray[np.float64]]
"""For each node, in preorder, probabilities ``[actions, types of the actor]``; at ends an empty array."""


@dataclass(frozen=True, eq=False)
class TypeGame:
    """A tree, who holds what, and who wins.

    Attributes:
        root: the tree. Its nodes are numbered in depth-first preorder, actions in the order of their mapping, which is
            the numbering of a `BettingTree`.
        weights: ``[n0, n1]`` joint weight of the types, not negative; zero where two hands share a card.
        shares: ``[n0, n1]`` what player 0 gets of a showdown's stake, from 1 (wins) through 0 (tie) to -1 (loses). Twice
            the equity minus one where cards are still to come.
        types: names of the types, for readers; numbers if left out.
        probability: ``[n0, n1]``: the weights, scaled to sum to one.
        edge: ``[n0, n1]``: probability times share.
        nodes: all nodes in preorder.
        children: for each node the numbers of its children.

    Raises `ValueError` for matrices of other shapes, or entries that no probability or share can have.
    """

    root: Node
    weights: NDArray[np.float64]
    shares: NDArray[np.float64]
    types: tuple[Sequence[str], Sequence[str]] = ((), ())
    probability: NDArray[np.float64] = field(init=False, repr=False)
    edge: NDArray[np.float64] = field(init=False, repr=False)
    nodes: tuple[Node, ...] = field(init=False, repr=False)
    children: tuple[tuple[int, ...], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        weights = np.asarray(self.weights, np.float64)
        shares = np.asarray(self.shares, np.float64)
        if weights.ndim != 2 or weights.shape != shares.shape:
            raise ValueError(f"weights {weights.shape} and shares {shares.shape} must both be [n0, n1]")
        if not np.isfinite(weights).all() or weights.min(initial=0.0) < 0.0 or weights.sum() <= 0.0:
            raise ValueError("weights must be finite and not negative, and at least one pair of types must have some")
        if not (np.abs(shares) <= 1.0).all():
            raise ValueError("shares must lie in -1..1: 1 if player 0 wins the stake, -1 if player 1 does, 0 for a tie")
        types = tuple(
            names or tuple(map(str, range(count))) for names, count in zip(self.types, weights.shape, strict=True)
        )
        if tuple(map(len, types)) != weights.shape:
            raise ValueError(f"{len(types[0])} and {len(types[1])} names for {weights.shape} types; name all or none")
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "shares", shares)
        object.__setattr__(self, "types", types)
        object.__setattr__(self, "probability", weights / weights.sum())
        object.__setattr__(self, "edge", self.probability * shares)
        nodes, children = _number(self.root)
        object.__setattr__(self, "nodes", nodes)
        object.__setattr__(self, "children", children)

    @property
    def decisions(self) -> Iterator[tuple[int, Decision]]:
        """(number, node) of all decisions in preorder."""
        return ((number, node) for number, node in enumerate(self.nodes) if isinstance(node, Decision))

    def node(self, *actions: str) -> int:
        """Number of the node that a sequence of actions leads to.

        Raises `ValueError` for an action that is not offered.
        """
        number = 0
        for action in actions:
            node = self.nodes[number]
            if not isinstance(node, Decision) or action not in node.actions:
                offered = ", ".join(node.actions) if isinstance(node, Decision) else "nothing, the hand is over"
                raise ValueError(f"no action {action!r} in {actions}: offered is {offered}")
            number = self.children[number][list(node.actions).index(action)]
        return number

    def payoff(self, end: Fold | Showdown) -> NDArray[np.float64]:
        """float64 ``[n0, n1]``: net chips of player 0."""
        if isinstance(end, Fold):
            return np.full(self.weights.shape, end.chips if end.loser == 1 else -end.chips)
        return end.stake * self.shares


def _number(root: Node) -> tuple[tuple[Node, ...], tuple[tuple[int, ...], ...]]:
    nodes: list[Node] = []
    children: list[tuple[int, ...]] = []

    def visit(node: Node) -> int:
        number = len(nodes)
        nodes.append(node)
        children.append(())
        if isinstance(node, Decision):
            if node.player not in (0, 1) or not node.actions:
                raise ValueError(f"a decision needs player 0 or 1 and at least one action, not {node}")
            children[number] = tuple([visit(child) for child in node.actions.values()])
        return number

    visit(root)
    return tuple(nodes), tuple(children)


def uniform(game: TypeGame) -> list[NDArray[np.float64]]:
    """The strategy of both players that plays all actions equally often."""
    return [
        np.full((len(node.actions), game.weights.shape[node.player]), 1.0 / len(node.actions))
        if isinstance(node, Decision)
        else np.empty((0, 0))
        for node in game.nodes
    ]


def value(game: TypeGame, strategy: Strategy) -> float:
    """Net chips a hand of player 0 when both follow `strategy`; player 1 gets as much less."""

    def visit(number: int, met: NDArray[np.float64]) -> float:
        """`met` ``[n0, n1]``: probability that two types meet and play to here."""
        node = game.nodes[number]
        if not isinstance(node, Decision):
            return float((met * game.payoff(node)).sum())
        rows = strategy[number][:, :, None] if node.player == 0 else strategy[number][:, None, :]
        return sum(visit(child, met * row) for child, row in zip(game.children[number], rows, strict=True))

    return visit(0, game.probability)


def best_values(game: TypeGame, strategy: Strategy, player: int) -> NDArray[np.float64]:
    """Counterfactual values ``[types]`` of `player` at the root who answers the other's `strategy` best.

    They sum to net chips a hand.
    """
    matchups = game.probability if player == 0 else game.probability.T
    edge = game.edge if player == 0 else -game.edge.T

    def visit(number: int, reach: NDArray[np.float64]) -> NDArray[np.float64]:
        """`reach` ``[types of the other]``: probability that the other plays to here."""
        node, children = game.nodes[number], game.children[number]
        if isinstance(node, Fold):
            return (-node.chips if node.loser == player else node.chips) * (matchups @ reach)
        if isinstance(node, Showdown):
            return node.stake * (edge @ reach)
        result: NDArray[np.float64]
        if node.player == player:
            result = np.max([visit(child, reach) for child in children], axis=0)
        else:
            below = zip(children, strategy[number], strict=True)
            result = np.sum([visit(child, reach * row) for child, row in below], axis=0)
        return result

    return visit(0, np.ones(matchups.shape[1]))


def nash_conv(game: TypeGame, strategy: Strategy) -> float:
    """Chips a hand that both players together could gain by answering `strategy` best; 0 in equilibrium."""
    return float(sum(best_values(game, strategy, player).sum() for player in (0, 1)))
