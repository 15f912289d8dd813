"""The real betting between seats, each on its own abstract tree, as flat arrays that grow.

A node is a real betting sequence together with the abstract nodes at which each seat believes to be. Where a seat throws
a coin to read a bet, there is a node for each outcome. A match of concrete hands reaches a small part of the betting, so
that a node gets its children when the first hand reaches it. Exact sums over all hands need the whole betting.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.recfunctions import unstructured_to_structured
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.protocol.ranking import Ranking
from limpet.protocol.state import CALL, State
from limpet.strategies.abstraction.betting import BettingTree
from limpet.strategies.base.strategy import Strategy
from limpet.strategies.cards.handspace import require_no_antes
from limpet.strategies.holdem.blueprint.blueprint_hand import NO_ROW, BlueprintAnswer, Passive, RowShare, Seated
from limpet.strategies.holdem.blueprint.walk import START, Branch, WeightedNodes
from limpet.strategies.players.blueprint import Blueprint
from limpet.strategies.players.simple import Call, Fold, Raise

# Kinds of node; see `TreeArrays.node` for the first four. A hand stops at an OPEN node, which has no answer and no children
# yet, at an OVER one, where the hand is over, and at an OUTSIDE one, for which the seat has no table.
PLAIN, SUM, MEAN, LOST, OPEN, OVER, OUTSIDE = range(7)

MOST_ACTIONS = 64
"""Largest number of actions among which the engine draws."""
MOST_NODES = 3_000_000
"""Largest number of nodes of betting that is laid out whole."""

_ANSWER = ("kind", "part", "parts", "edge", "edges")
_NODE = np.dtype([(name, np.int64) for name in ("actor", "round", "acted", *_ANSWER)])  # fills a cache line
_PART = np.dtype([("row", np.int64), ("width", np.int64), ("to", np.int64), ("share", np.float64)])
_EDGE = np.dtype([(name, np.int64) for name in ("child", "coin", "coins")])
_COIN = np.dtype([("position", np.int64), ("chance", np.float64)])


class TreeArrays(NamedTuple):
    """N nodes, M parts of answers, E edges, C coins; P positions. Arrays with fields are records.

    Attributes:
        spent: int64 ``[N, P]``: chips over the hand.
        folded: int64 ``[N]``: bit p is set when position p has folded.
        to: int64: for each entry of a part's row, the index of its edge.
        coin: [C]: the position that throws each coin, and the probability of the first branch.
    """

    node: NDArray[Any]
    """``[N]``: position that acts, round, actions so far in the hand; kind; first part, number of parts; first edge, edges.

    PLAIN: the answer is one row whose entries are the edges. SUM: parts are added up. MEAN: their sum is scaled to 1.
    LOST: the seat has left its tree and calls."""
    spent: NDArray[np.int64]
    folded: NDArray[np.int64]
    part: NDArray[Any]
    """``[M]``: row, its width and index in `to` of its first entry, weight; a constant has row NO_ROW and width 1."""
    to: NDArray[np.int64]
    edge: NDArray[Any]
    """``[E]``: first child, first coin, number of coins. Coin i adds 2^i to the child if it shows its second branch."""
    coin: NDArray[Any]


class JointBetting:
    """The nodes that have been reached in the betting between `seats`, one for each position, and their states without a board."""

    def __init__(self, game: GameDef, seats: Sequence[Seated]) -> None:
        self.seats = tuple(seats)
        self.states: dict[int, State] = {}
        self._nodes: dict[int, tuple[WeightedNodes, ...]] = {}
        self._answers: dict[int, tuple[int, ...]] = {}
        self._grown = {
            "node": _Grown(_NODE),
            "spent": _Grown(np.int64, game.num_players),
            "folded": _Grown(np.int64),
            "part": _Grown(_PART),
            "to": _Grown(np.int64),
            "edge": _Grown(_EDGE),
            "coin": _Grown(_COIN),
        }
        self._add(State.start(game), (START,) * game.num_players)

    def arrays(self) -> TreeArrays:
        """Return the arrays as they are now. Growing may replace them."""
        arrays = TreeArrays(**{name: grown.rows for name, grown in self._grown.items()})
        if self._answers:
            answers = arrays.node[list(_ANSWER)]
            answers[list(self._answers)] = np.array(list(self._answers.values()), answers.dtype)
            self._answers = {}
        return arrays

    def grow(self, node: int, whole: bool = False) -> range:
        """Give an OPEN node its answer and its children, and return the children.

        A node of a seat that has left its tree becomes OUTSIDE, or LOST if `whole`. So does one of over 64 actions, unless
        `whole`: the engine draws actions, exact sums do not.
        """
        state, nodes, grown = self.states[node], self._nodes.pop(node), self._grown
        plan = self.seats[state.actor].plan(nodes[state.actor], state)
        kind = LOST if plan is None else _kind(plan)
        if not whole and (plan is None or len(plan.actions) > MOST_ACTIONS):
            self._answers[node] = OUTSIDE, 0, 0, 0, 0
            return range(0)
        plan = plan or BlueprintAnswer((CALL,), (RowShare(NO_ROW, (0,)),))
        self._answers[node] = kind, len(grown["part"]), len(plan.parts), len(grown["edge"]), len(plan.actions)
        for part in plan.parts:
            grown["part"].new.append((part.row, len(part.to), len(grown["to"]), part.share))
            grown["to"].new += part.to
        first = len(grown["node"])
        for action in plan.actions:
            after = state.apply(action)
            branches: list[list[Branch]] = []  # nobody reads the last action of a hand
            if not after.finished:
                branches = [seat.follow(own, state, after) for seat, own in zip(self.seats, nodes, strict=True)]
            thrown = ((position, options) for position, options in enumerate(branches) if len(options) > 1)
            coins = [(position, options[0].probability) for position, options in thrown]
            grown["edge"].new.append((len(grown["node"]), len(grown["coin"]), len(coins)))
            grown["coin"].new += coins
            for chosen in product(*reversed(branches)):  # the first coin is the lowest bit
                self._add(after, tuple(branch.nodes for branch in reversed(chosen)))
        return range(first, len(grown["node"]))

    def _add(self, state: State, nodes: tuple[WeightedNodes, ...]) -> None:
        node, kind = len(self._grown["node"]), OVER if state.finished else OPEN
        self._grown["node"].new.append((state.actor, state.round, state.actions_in_hand, kind, 0, 0, 0, 0))
        self._grown["spent"].new.append(state.spent)
        self._grown["folded"].new.append(state.folded)
        self.states[node] = state
        if not state.finished:
            self._nodes[node] = nodes


def whole_betting(game: GameDef, seats: tuple[Seated, Seated]) -> TreeArrays:
    """Return all betting of two seats; a seat that has left its tree calls.

    Raises `ValueError` unless two play, or for over three million nodes.
    """
    if game.num_players != 2:
        raise ValueError(
            f"a duel is between two positions, and this game has {game.num_players}; limpet match plays it, with --duplicate"
        )
    betting = JointBetting(game, seats)
    waiting, nodes = [0], 1
    while waiting:
        node = waiting.pop()
        if not betting.states[node].finished:
            children = betting.grow(node, whole=True)
            waiting += children
            nodes += len(children)
        del betting.states[node]  # the garbage collector goes through all that are kept, again and again
        if nodes > MOST_NODES:
            raise ValueError(
                f"the two trees together have over {MOST_NODES:,} betting sequences; "
                "choose translation: nearest, which throws no coins"
            )
    return betting.arrays()


def own_betting(tree: BettingTree, offset: NDArray[np.int64]) -> TreeArrays:
    """Return all betting of two seats that both act on `tree`, with rows that start at `offset`. Nodes are the tree's."""
    count, first = tree.num_actions, tree.first_edge[:-1]
    kind, none = np.where(count > 0, PLAIN, OVER), np.zeros(len(tree.edge_child), np.int64)
    node = (tree.player, tree.round, tree.depth, kind, np.arange(tree.num_nodes), count > 0, first, count)
    return TreeArrays(
        node=unstructured_to_structured(np.column_stack(node), _NODE),
        spent=tree.spent.astype(np.int64),
        folded=tree.folded.astype(np.int64),
        part=unstructured_to_structured(np.column_stack((offset[:-1], count, first, np.ones(len(first)))), _PART),
        to=tree.action[tree.edge_child].astype(np.int64),
        edge=unstructured_to_structured(np.column_stack((tree.edge_child, none, none)), _EDGE),
        coin=np.zeros(0, _COIN),
    )


def _kind(plan: BlueprintAnswer) -> int:
    if plan.mean:
        return MEAN
    (first, *more) = plan.parts
    alone = not more and first.row != NO_ROW and first.to == tuple(range(len(plan.actions)))
    return PLAIN if alone else SUM


class _Grown:
    """An array that rows are appended to; they wait in a list until the array is asked for."""

    def __init__(self, dtype: Any, *width: int) -> None:
        self._room: NDArray[Any] = np.zeros((64, *width), dtype)
        self._size = 0
        self.new: list[Any] = []

    def __len__(self) -> int:
        return self._size + len(self.new)

    @property
    def rows(self) -> NDArray[Any]:
        if self.new:
            if len(self) > len(self._room):
                more = np.zeros((max(len(self), 2 * len(self._room)), *self._room.shape[1:]), self._room.dtype)
                more[: self._size] = self._room[: self._size]
                self._room = more
            self._room[self._size : len(self)] = self.new
            self._size, self.new = len(self), []
        return self._room[: self._size]


# --- The players that the compiled match engine can seat.


def engine_seats(strategy: Strategy) -> tuple[Seated, ...]:
    """Return a seat for each position. Raises `ValueError` for a strategy that is no table, and for rules that tables lack."""
    if strategy.game.num_draws or strategy.game.hole_cards_used or strategy.game.ranking is not Ranking.HIGH:
        raise ValueError("compiled matches have no draws, take all hole cards into account, and pay the highest hand")
    require_no_antes(strategy.game)
    ours = type(strategy) in (Blueprint, Call, Fold, Raise)  # a class derived from one of these may answer otherwise
    if ours and isinstance(strategy, Blueprint):
        return strategy.seats
    if ours and isinstance(strategy, Call | Fold | Raise):
        kind = f"{type(strategy).__name__} {getattr(strategy, 'size', '')}"
        return (Passive(kind, lambda state: strategy.rows(state).actions[0]),) * strategy.game.num_players
    raise ValueError(
        f"player {type(strategy).__name__.lower()} works its answers out while it plays; "
        "the compiled engine seats tables: blueprint, call, fold and raise"
    )
