"""The real betting between two seats, each on its own abstract tree, as flat arrays.

A node is a real betting sequence together with the places where both seats believe to be. Where a seat throws a coin to
read a bet, the node comes once for each outcome, with the outcome's probability as a weight: expectations over the coins
are exact.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import State
from limpet.strategies.blueprint.seat import Choice, Seated
from limpet.strategies.blueprint.walk import START, Places

MOST_NODES = 3_000_000
INNER, FOLD, SHOWDOWN = 0, 1, 2


class JointTree(NamedTuple):
    """N nodes in depth-first preorder, S entries of rows. The edge of a node is the one that leads to it.

    Reach is kept by position in rows by depth, which counts a position's own edges: an edge of position p writes row
    ``depth[node, p]`` from the row before, and the other position's stays what it is.
    """

    actor: NDArray[np.int8]
    """``[N]`` position that takes the edge; -1 at the root."""
    round: NDArray[np.int8]
    """``[N]`` round in which the edge is taken, which is that of its row."""
    depth: NDArray[np.int32]
    """``[N, 2]``."""
    after: NDArray[np.int32]
    """``[N]``: the first node that is not below."""
    weight: NDArray[np.float64]
    """``[N]``: probability of the coins from the root to here."""
    kind: NDArray[np.int8]
    """``[N]``: INNER, FOLD, SHOWDOWN."""
    stake: NDArray[np.float64]
    """``[N]``: net chips of position 0 after a fold; what the winner of a showdown wins; 0 inside."""
    constant: NDArray[np.float32]
    """``[N]`` part of the edge's probability that no hand changes."""
    first: NDArray[np.int64]
    """``[N + 1]``: the edge's entries are ``first[n]:first[n + 1]``."""
    row: NDArray[np.int64]
    """``[S]``: entry of bucket b in the seat's table: ``row + b * actions``."""
    actions: NDArray[np.int32]
    """``[S]``."""
    share: NDArray[np.float32]
    """``[S]``: weight of the entry."""
    lost: NDArray[np.bool_]
    """``[N]``: on the way here somebody acted who had left his tree, and called."""


def joint_tree(game: GameDef, seats: tuple[Seated, Seated]) -> JointTree:
    """Walk all betting of two seats. Raises `ValueError` unless two play, or for over three million nodes."""
    if game.num_players != 2:
        raise ValueError(f"a duel is between two positions; this game has {game.num_players}")
    nodes: list[tuple[int, int, int, int, float, int, float, float, bool]] = []
    entries: list[tuple[int, int, float]] = []
    first = [0]
    parents: list[int] = []
    stack: list[tuple[State, tuple[Places, Places], int, int, int, int, float, Choice, bool]] = [
        (State.start(game), (START, START), -1, -1, 0, 0, 1.0, Choice(1.0), False)
    ]
    while stack:
        state, places, parent, actor, zero, one, weight, choice, lost = stack.pop()
        node = len(nodes)
        if node >= MOST_NODES:
            raise ValueError(
                f"the two trees together have over {MOST_NODES:,} betting sequences; "
                "choose translation: nearest, which throws no coins"
            )
        round_ = state.parent.round if state.parent is not None else 0
        kind, stake = _outcome(state)
        nodes.append((actor, round_, zero, one, weight, kind, stake, choice.constant, lost))
        parents.append(parent)
        for abstract, index, share in choice.entries:
            start, actions = seats[actor].row(abstract)
            entries.append((start + index, actions, share))
        first.append(len(entries))
        if state.finished:
            continue
        p = state.actor
        below = []
        for action, chosen in seats[p].choices(places[p], state).items():
            after = state.apply(action)
            # A finished hand needs no places, and would come once for every coin.
            ways = [(1.0, (START, START))] if after.finished else [
                (own.probability * others.probability, (own.places, others.places))
                for own in seats[0].follow(places[0], state, after)
                for others in seats[1].follow(places[1], state, after)
            ]  # fmt: skip
            for probability, onward in ways:
                depths = (zero + (p == 0), one + (p == 1))
                below.append((after, onward, node, p, *depths, weight * probability, chosen, lost or not places[p]))
        stack += reversed(below)
    after_node = np.arange(1, len(nodes) + 1, dtype=np.int32)
    for node in range(len(nodes) - 1, 0, -1):
        parent = parents[node]
        after_node[parent] = max(after_node[parent], after_node[node])
    columns = list(zip(*nodes, strict=True))
    flat = list(zip(*entries, strict=True)) if entries else [(), (), ()]
    return JointTree(
        actor=np.array(columns[0], np.int8),
        round=np.array(columns[1], np.int8),
        depth=np.array(columns[2:4], np.int32).T.copy(),
        after=after_node,
        weight=np.array(columns[4], np.float64),
        kind=np.array(columns[5], np.int8),
        stake=np.array(columns[6], np.float64),
        constant=np.array(columns[7], np.float32),
        first=np.array(first, np.int64),
        row=np.array(flat[0], np.int64),
        actions=np.array(flat[1], np.int32),
        share=np.array(flat[2], np.float32),
        lost=np.array(columns[8], np.bool_),
    )


def _outcome(state: State) -> tuple[int, float]:
    """Kind and stake of a node; what nobody matched goes back to who bet it."""
    if not state.finished:
        return INNER, 0.0
    matched = float(min(state.spent))
    if state.showdown:
        return SHOWDOWN, matched
    return FOLD, -matched if state.has_folded(0) else matched
