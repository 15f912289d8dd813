"""The betting of one round for two players without a limit of chips: raises are shares of the pot."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.abstraction.betting import BettingTree
from limpet.strategies.solvers.streets import FOLD, street_below

TERMINAL = -1
"""Player to act at a terminal."""
NOBODY = -1
"""Player who folded at a showdown."""
HALF_POT, POT = 0.5, 1.0
NAMES = {HALF_POT: "r", POT: "p"}
"""Letter of each raise in a betting history, after the thesis; other shares are written as numbers."""


@dataclass(frozen=True, eq=False)
class RoundTree:
    """N nodes, breadth first, so that the children of a node lie side by side.

    Attributes:
        player: int64 ``[N]``: player to act, 0 or 1; `TERMINAL` at terminals.
        parent: int64 ``[N]``: parent of each node, -1 at the root.
        first_child: int64 ``[N]``: first child of each node; 0 at terminals.
        num_actions: int64 ``[N]``: number of actions, 0 at terminals. Order: fold, call, raises ascending.
        entry: int64 ``[N]``: row of a decision's first action among those of all decisions.
        paid: float64 ``[N, 2]``: what each player has put into the pot in the whole hand.
        folded: int64 ``[N]``: player who folded at a terminal, `NOBODY` elsewhere.
        histories: actions of the round up to each node, such as ``cprc``.
    """

    player: NDArray[np.int64]
    parent: NDArray[np.int64]
    first_child: NDArray[np.int64]
    num_actions: NDArray[np.int64]
    entry: NDArray[np.int64]
    paid: NDArray[np.float64]
    folded: NDArray[np.int64]
    histories: tuple[str, ...]

    @property
    def pot(self) -> float:
        """Return the chips in the pot at the root."""
        return float(self.paid[0].sum())

    @property
    def entries(self) -> int:
        """Return the number of actions of all decisions."""
        return int(self.num_actions.sum())

    @property
    def decisions(self) -> NDArray[np.intp]:
        return np.flatnonzero(self.player != TERMINAL)

    @property
    def terminals(self) -> NDArray[np.intp]:
        return np.flatnonzero(self.player == TERMINAL)

    def steps(self, node: int) -> list[tuple[int, int]]:
        """Return the decisions on the way from the root to a node, each with the child that was chosen."""
        steps: list[tuple[int, int]] = []
        while node:
            parent = int(self.parent[node])
            steps.append((parent, node))
            node = parent
        return steps[::-1]


def round_tree(
    paid: tuple[float, float] = (1.0, 1.0), first: int = 0, raises: int = 3, shares: Sequence[float] = (HALF_POT, POT)
) -> RoundTree:
    """Return the betting tree of a round.

    A raise by a share s of the pot after calling brings the raiser to (1 + 2 s) times the opponent's chips. Nobody folds
    without a bet to call, and a player who has not acted yet may raise even if the chips are equal.

    Args:
        paid: chips of both players before the round's first action.
        first: player who acts first.
        raises: number of raises that are still allowed.
        shares: sizes of raises as shares of the pot, ascending.
    """
    histories, parents, chips, left = [""], [-1], [tuple(paid)], [raises]
    players, folded, first_child, counts = [first], [NOBODY], [], []
    node = 0
    while node < len(histories):
        actor = players[node]
        first_child.append(len(histories) if actor != TERMINAL else 0)
        own, other = (chips[node][actor], chips[node][1 - actor]) if actor != TERMINAL else (0.0, 0.0)
        moves = [] if actor == TERMINAL else ["f"] * (own < other) + ["c"] + [str(s) for s in shares if left[node]]
        counts.append(len(moves))
        for move in moves:
            new = list(chips[node])
            raising = move not in "fc"
            if raising:
                new[actor] = other * (1 + 2 * float(move))
            elif move == "c":
                new[actor] = other
            ends = move == "f" or (move == "c" and histories[node] != "")
            histories.append(histories[node] + (NAMES.get(float(move), move) if raising else move))
            parents.append(node)
            chips.append((new[0], new[1]))
            left.append(left[node] - raising)
            players.append(TERMINAL if ends else 1 - actor)
            folded.append(actor if move == "f" else NOBODY)
        node += 1
    num_actions = np.array(counts, np.int64)
    return RoundTree(
        player=np.array(players, np.int64),
        parent=np.array(parents, np.int64),
        first_child=np.array(first_child, np.int64),
        num_actions=num_actions,
        entry=np.cumsum(num_actions) - num_actions,
        paid=np.array(chips, np.float64),
        folded=np.array(folded, np.int64),
        histories=tuple(histories),
    )


def last_round(tree: BettingTree, root: int) -> tuple[RoundTree, NDArray[np.int64]]:
    """Return the betting below a decision that begins the last round, and the node of `tree` behind each of its nodes."""
    street = street_below(tree, np.array([root]), tree.game.num_rounds - 1)
    actions, parent = street.actions.astype(np.int64), street.parent
    player = np.where(actions > 0, street.kind, TERMINAL).astype(np.int64)
    round_ = RoundTree(
        player=player,
        parent=np.append(-1, parent[1:]),
        first_child=np.where(actions > 0, street.child, 0).astype(np.int64),
        num_actions=actions,
        entry=np.cumsum(actions) - actions,
        paid=tree.spent[street.origin].astype(np.float64),
        folded=np.where(street.kind == FOLD, player[parent], NOBODY),
        histories=("",) * len(actions),
    )
    return round_, street.origin
