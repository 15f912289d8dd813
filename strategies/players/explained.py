"""A hand replayed for a reader: both ranges and the strategy at each decision of one player."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.messages import Hole
from limpet.protocol.state import Action, State
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.players.resolve import ResolveHand
from limpet.strategies.resolving.beliefs import Ranges, after, likelihood, on_board, starting_ranges
from limpet.strategies.solutions.answer import Decision
from limpet.strategies.solutions.lines import Place, pot_fractions
from limpet.strategies.solving.vector.node_values import NodeValues
from limpet.strategies.strategy import HandStrategy, Rows
from limpet.strategies.trees.action_names import action_names
from limpet.strategies.trees.betting import BettingTree

MIX = 0.1
"""Of a strategy that tracks no ranges itself; see `players.resolve`."""


class Explained(NamedTuple):
    """A decision of the player.

    Attributes:
        rows: what was played by.
        ranges: ``[2, 1326]`` of both positions, as the player saw them.
        taken: None for a decision that is still open.
        kept: whether `rows` were kept when they were played, and not worked out again.
        root: betting at the root of the subgame that was solved for it; None where none was, or for rows that were kept.
        percent: its exploitability in % of its pot.
    """

    state: State
    rows: Rows
    ranges: Ranges
    taken: Action | None
    hole: Hole
    kept: bool = False
    root: str | None = None
    iterations: int = 0
    percent: float | None = None

    @property
    def probability(self) -> float | None:
        """Of what was done, with the hand held; None where either is not known."""
        if self.taken is None or not self.hole or self.taken not in self.rows.actions:
            return None
        return float(self.rows.column(hand_space().index(self.hole))[self.rows.actions.index(self.taken)])

    def decision(self) -> Decision:
        """As pictures of solved spots take it, without values."""
        tree = one_decision(self.state, self.rows.actions)
        strategy = self.rows.dense(hand_space().blocked(self.state.board))
        return self._picture(self.state.actor, action_names(tree, 0), pot_fractions(tree, 0), strategy)

    def opposed(self) -> Decision:
        """The other's range as a decision of one action, which is to hold it."""
        live = ~hand_space().blocked(self.state.board)
        return self._picture(1 - self.state.actor, ("held",), (None,), live[None].astype(np.float32))

    def weights(self, position: int) -> NDArray[np.float32]:
        """float32 ``[1326]``: a range with its likeliest hand at 1."""
        held = self.ranges[position]
        return np.asarray(held / held.max(), np.float32)

    def _picture(
        self, position: int, actions: tuple[str, ...], fractions: tuple[float | None, ...], rows: NDArray[np.float32]
    ) -> Decision:
        state, unit = self.state, self.state.game.big_blind
        reach = np.stack([self.weights(0), self.weights(1)])
        return Decision(
            place=Place(0, state.board, (state.betting,) if state.betting else (), state.betting),
            position=position,
            spent=(state.spent[0] / unit, state.spent[1] / unit),
            actions=actions,
            fractions=fractions,
            values=NodeValues(reach, np.zeros_like(reach), np.zeros_like(rows), rows),
        )


def explained(
    hand: HandStrategy, position: int, state: State, hole: Hole, kept: Callable[[State, Action], Rows] | None = None
) -> Iterator[Explained]:
    """The decisions of `position` on the way to `state`, and in it where it is to act.

    state: with all of its board; kept: gives the rows by which an action was played, where they are known. The rows are
    asked for in the order of play, as at the table.
    """
    ranges = starting_ranges()
    path = list(state.path())
    for at, following in zip(path, [*path[1:], None], strict=True):
        if at.finished:
            return
        at = at.with_board(state.board)
        ranges = on_board(ranges, at.board)
        rows = None
        if at.actor == position:
            rows = hand.rows(at)  # also where they were kept: subgames depend on when they were first needed
            taken = None if following is None else following.action
            found = Explained(at, rows, ranges, taken, hole)
            if kept is not None and taken is not None:
                rows = kept(at, taken)
                found = found._replace(rows=rows, kept=True)
                if isinstance(hand, ResolveHand):
                    hand.played(at, rows)
            yield _resolved(hand, found) if isinstance(hand, ResolveHand) else found
        if following is not None and following.action is not None and not isinstance(hand, ResolveHand):
            rows = hand.rows(at) if rows is None else rows
            ranges = after(ranges, at.actor, likelihood(rows, at, following.action), MIX if at.actor != position else 0)


def _resolved(hand: ResolveHand, found: Explained) -> Explained:
    subgame = hand.subgame(found.state)
    found = found._replace(ranges=hand.ranges(found.state))
    if subgame is None or found.kept:
        return found
    percent = float(subgame.percent)
    return found._replace(
        root=subgame.root.betting,
        iterations=subgame.solver.iteration,
        percent=percent if np.isfinite(percent) else None,
    )


def one_decision(state: State, actions: tuple[Action, ...]) -> BettingTree:
    """A tree of one decision and what each action leads to, for what is asked of trees alone, such as names."""
    below = [state.apply(action) for action in actions]
    count = len(actions)
    return BettingTree(
        root=state,
        player=np.array([state.actor] + [-1] * count, np.int8),
        round=np.array([state.round, *[later.round for later in below]], np.int8),
        first_edge=np.array([0] + [count] * (count + 1), np.int32),
        edge_child=np.arange(1, count + 1, dtype=np.int32),
        edge_kind=np.array(["fcr".index(action.kind) for action in actions], np.uint8),
        edge_size=np.array([action.size for action in actions], np.int32),
        spent=np.array([state.spent, *[later.spent for later in below]], np.int32),
        folded=np.array([state.folded, *[later.folded for later in below]], np.int32),
    )
