"""The real betting between seats, each on its own abstract tree, grown where hands come.

A node is a real betting sequence together with the places where every seat believes to be: where a seat throws a coin to
read a bet there is a node for each outcome. `joint_tree` lays all of it out, for exact sums; a match of concrete hands
meets a small part, so here a node gets its children when the first hand comes to it. Any number of seats, any trees.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import State
from limpet.strategies.blueprint.walk import START, Places
from limpet.strategies.engine.match_seat import NO_ROW, EngineSeat, Plan

# Kinds of node. Hands stop at the last three: nobody has been here yet, the hand is over, a seat acts without a table.
PLAIN, SUM, MEAN, OPEN, OVER, OUTSIDE = range(6)

# Columns of a node's record, which fills a cache line.
KIND, ACTOR, ROUND, ACTED, PART, PARTS, EDGE, EDGES = range(8)
# Columns of parts and edges.
ROW, WIDTH, TO = range(3)
CHILD, COIN, COINS = range(3)

MOST_ACTIONS = 64


class TreeArrays(NamedTuple):
    """N nodes, M parts of answers, E edges, C coins; P positions."""

    record: NDArray[np.int64]
    """``[N, 8]``: kind, actor, round, actions so far in the hand; first part, parts; first edge, edges. PLAIN: one row
    whose entries are the edges; SUM: parts are added up; MEAN: and divided by the total."""
    spent: NDArray[np.int64]
    """``[N, P]``: chips over the hand."""
    folded: NDArray[np.int64]
    """``[N]``: bit p is set when position p has folded."""
    part: NDArray[np.int64]
    """``[M, 3]``: row, its width and where its edge numbers start in `to`; a constant has row NO_ROW and width 1."""
    share: NDArray[np.float32]
    """``[M]``."""
    to: NDArray[np.int64]
    """For each entry of a row the edge it counts for."""
    edge: NDArray[np.int64]
    """``[E, 3]``: first child, first coin, coins. Coin i adds 2^i to the child if it shows the last branch."""
    coin: NDArray[np.int64]
    """``[C]``: the position that throws it."""
    chance: NDArray[np.float64]
    """``[C]``: probability of its first branch."""


class MatchTree:
    """The nodes met so far by these seats, one for each position."""

    def __init__(self, game: GameDef, seats: Sequence[EngineSeat]) -> None:
        players = game.num_players
        self.seats = tuple(seats)
        self.states: list[State] = []
        """Of every node, without boards."""
        self._places: list[tuple[Places, ...]] = []
        self._grown = {
            "record": _Grown(np.int64, 8),
            "spent": _Grown(np.int64, players),
            "folded": _Grown(np.int64),
            "part": _Grown(np.int64, 3),
            "share": _Grown(np.float32),
            "to": _Grown(np.int64),
            "edge": _Grown(np.int64, 3),
            "coin": _Grown(np.int64),
            "chance": _Grown(np.float64),
        }
        self._add(State.start(game), (START,) * players)

    def arrays(self) -> TreeArrays:
        """As they are now; growing may leave them behind."""
        return TreeArrays(**{name: grown.rows for name, grown in self._grown.items()})

    def grow(self, node: int) -> None:
        """Give an OPEN node its answer and its children, or find that it is OUTSIDE all tables.

        Raises `ValueError` for over 64 actions.
        """
        state, places = self.states[node], self._places[node]
        plan = self.seats[state.actor].plan(places[state.actor], state)
        record = self._grown["record"].rows[node]
        self._places[node] = ()
        if plan is None:
            record[KIND] = OUTSIDE
            return
        if len(plan.actions) > MOST_ACTIONS:
            raise ValueError(f"{len(plan.actions)} actions after '{state.betting}'; the engine knows {MOST_ACTIONS}")
        answer = [_kind(plan), *self._lay_out(plan)]
        edges = []
        for action in plan.actions:
            after = state.apply(action)
            coin, coins = len(self._grown["coin"]), 0
            # A finished hand needs no places, and would come once for every coin.
            ways: list[list[Places]] = [[START] for _ in places]
            if not after.finished:
                for position, seat in enumerate(self.seats):
                    branches = seat.follow(places[position], state, after)
                    ways[position] = [branch.places for branch in branches]
                    if len(branches) > 1:
                        coins += 1
                        self._grown["coin"].append(position)
                        self._grown["chance"].append(branches[0].probability)
            edges.append((len(self.states), coin, coins))
            for reversed_places in product(*reversed(ways)):  # the first coin is the lowest bit
                self._add(after, reversed_places[::-1])
        answer += [len(self._grown["edge"]), len(edges)]
        self._grown["edge"].extend(edges)
        record = self._grown["record"].rows[node]  # it may have moved
        record[KIND], record[PART:] = answer[0], answer[1:]

    def _add(self, state: State, places: tuple[Places, ...]) -> None:
        kind = OVER if state.finished else OPEN
        self._grown["record"].append((kind, state.actor, state.round, state.actions_in_hand, 0, 0, 0, 0))
        self._grown["spent"].append(state.spent)
        self._grown["folded"].append(state.folded)
        self.states.append(state)
        self._places.append(places)

    def _lay_out(self, plan: Plan) -> tuple[int, int]:
        """Store a plan's parts; the first and how many."""
        first = len(self._grown["part"])
        for part in plan.parts:
            self._grown["part"].append((part.row, len(part.to), len(self._grown["to"])))
            self._grown["share"].append(part.share)
            self._grown["to"].extend(part.to)
        return first, len(plan.parts)


def _kind(plan: Plan) -> int:
    if plan.mean:
        return MEAN
    (first, *more) = plan.parts
    alone = not more and first.row != NO_ROW and first.to == tuple(range(len(plan.actions)))
    return PLAIN if alone else SUM


class _Grown:
    """An array that rows are added to."""

    def __init__(self, dtype: Any, width: int | None = None) -> None:
        self._room: NDArray[Any] = np.zeros((64,) if width is None else (64, width), dtype)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    @property
    def rows(self) -> NDArray[Any]:
        return self._room[: self._size]

    def append(self, row: Any) -> None:
        if self._size == len(self._room):
            self._room = np.concatenate([self._room, np.zeros_like(self._room)])
        self._room[self._size] = row
        self._size += 1

    def extend(self, rows: Sequence[Any]) -> None:
        for row in rows:
            self.append(row)
