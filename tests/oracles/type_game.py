"""Type games: two players, one private type each, a betting tree, and no chance after the deal.

A river spot is one (types are hands), so are preflop jam-or-fold (types are the 169 classes) and the model games of the
textbooks. Everything here is exact, dense and plain: float64 matrices and one recursion. Fast solvers are checked
against it.

Notation: i, j types of players 0 and 1; P joint probability of the types; u payoff of player 0; σ strategy, π reach.
The counterfactual value of player 0's type i at a node is v(i) = Σ_j P(i, j) π_1(j) u(i, j), and likewise for player 1
with payoffs -u. Chips are net: what is in the pot at the start counts as half each player's.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
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


AtOwnNode = Callable[[int, NDArray[np.float64]], NDArray[np.float64]]
"""From a node's number and the values ``[actions, types]`` of its children to the values ``[types]`` of the node."""


def walk(game: TypeGame, strategy: Strategy, player: int, at_own_node: AtOwnNode) -> NDArray[np.float64]:
    """Counterfactual values ``[types]`` of `player` at the root.

    The other follows `strategy`; at the player's own nodes, `at_own_node` says what they are worth. It is called in
    postorder: for each node once, after all nodes below.
    """
    matchups = game.probability if player == 0 else game.probability.T
    edge = game.edge if player == 0 else game.edge.T

    def visit(number: int, reach: NDArray[np.float64]) -> NDArray[np.float64]:
        """`reach` ``[types of the other]``: probability that the other plays to here."""
        node = game.nodes[number]
        if isinstance(node, Fold):
            return (-node.chips if node.loser == player else node.chips) * (matchups @ reach)
        if isinstance(node, Showdown):
            return (node.stake if player == 0 else -node.stake) * (edge @ reach)
        if node.player == player:
            return at_own_node(number, np.stack([visit(child, reach) for child in game.children[number]]))
        below = [visit(child, reach * row) for child, row in zip(game.children[number], strategy[number], strict=True)]
        total: NDArray[np.float64] = np.sum(below, axis=0)
        return total

    return visit(0, np.ones(matchups.shape[1]))


def reaches(game: TypeGame, strategy: Strategy, player: int) -> list[NDArray[np.float64]]:
    """For each node ``[types]``: probability that `player` plays to it."""
    result = [np.ones(game.weights.shape[player]) for _ in game.nodes]
    for number, node in game.decisions:
        for action, child in enumerate(game.children[number]):
            result[child] = result[number] * strategy[number][action] if node.player == player else result[number]
    return result


def node_values(game: TypeGame, strategy: Strategy, player: int) -> list[NDArray[np.float64]]:
    """For each node ``[types]``: counterfactual values of `player` when both follow `strategy` from there on."""
    matchups = game.probability if player == 0 else game.probability.T
    reach = reaches(game, strategy, 1 - player)
    values: list[NDArray[np.float64]] = [np.empty(0)] * len(game.nodes)
    for number in reversed(range(len(game.nodes))):  # children come after their parents
        node, below = game.nodes[number], [values[child] for child in game.children[number]]
        if not isinstance(node, Decision):
            payoff = game.payoff(node) if player == 0 else -game.payoff(node).T
            values[number] = (matchups * payoff) @ reach[number]
        elif node.player == player:
            values[number] = np.sum(strategy[number] * np.stack(below), axis=0)
        else:
            values[number] = np.sum(below, axis=0)
    return values


def expected_values(game: TypeGame, strategy: Strategy, player: int) -> list[NDArray[np.float64]]:
    """For each node ``[types]``: chips that a type of `player` expects there, given that the other has played to it.

    These are the node's counterfactual values per probability of meeting such an opponent; nan where there is none.
    """
    matchups = game.probability if player == 0 else game.probability.T
    reach = reaches(game, strategy, 1 - player)
    with np.errstate(invalid="ignore"):
        return [
            value / (matchups @ others)
            for value, others in zip(node_values(game, strategy, player), reach, strict=True)
        ]


def frequencies(game: TypeGame, strategy: Strategy) -> list[NDArray[np.float64]]:
    """For each node ``[actions]``: how often its actors choose each action when they get there; nan if they never do."""
    reach = [reaches(game, strategy, player) for player in (0, 1)]
    result = [np.empty(0)] * len(game.nodes)
    for number, node in game.decisions:
        both = reach[0][number][:, None] * game.probability * reach[1][number]
        mass = both.sum(axis=1 - node.player)
        with np.errstate(invalid="ignore"):
            result[number] = strategy[number] @ mass / mass.sum()
    return result


def value(game: TypeGame, strategy: Strategy) -> float:
    """Net chips a hand of player 0 when both follow `strategy`; player 1 gets as much less."""
    return float(node_values(game, strategy, 0)[0].sum())


def best_response(
    game: TypeGame, strategy: Strategy, player: int
) -> tuple[NDArray[np.float64], list[NDArray[np.float64]]]:
    """The best answer of `player` to the other's `strategy`.

    Returns its counterfactual values ``[types]`` at the root, which sum to net chips a hand, and the strategy: pure at
    the player's nodes (of equal actions the first), and the given one at the other's.
    """
    answer = [np.array(rows, np.float64) for rows in strategy]

    def best(number: int, below: NDArray[np.float64]) -> NDArray[np.float64]:
        answer[number] = (np.arange(len(below))[:, None] == below.argmax(axis=0)).astype(np.float64)
        result: NDArray[np.float64] = below.max(axis=0)
        return result

    return walk(game, strategy, player, best), answer


def nash_conv(game: TypeGame, strategy: Strategy) -> float:
    """Chips a hand that both players together could gain by answering `strategy` best; 0 in equilibrium."""
    return float(sum(best_response(game, strategy, player)[0].sum() for player in (0, 1)))


def exploitability(game: TypeGame, strategy: Strategy) -> float:
    """`nash_conv` per player: what a best response wins, averaged over the seats."""
    return nash_conv(game, strategy) / 2.0
