"""The history of one hand: its public states in order, with both ranges as they were believed and the subgame at each."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from limpet.protocol.state import State
from limpet.strategies.resolving.beliefs import Ranges, likelihood, on_board, starting_ranges, updated
from limpet.strategies.resolving.subgame import Subgame
from limpet.strategies.strategy import Rows


@dataclass(frozen=True, eq=False)
class HandHistory:
    """A public state of a hand and the history that led to it. Immutable: `after` returns a new one for the next state."""

    state: State  # the public state, with its board
    ranges: Ranges  # ranges of both positions at the state
    subgame: Subgame | None = None  # the subgame whose tree holds the state; None where the blueprint plays
    before: "HandHistory | None" = None  # history at the parent state; None at the start of the hand
    rows: Rows | None = None  # rows by which the parent's actor played; None at the start of the hand

    @staticmethod
    def start(state: State) -> "HandHistory":
        """Return the history of a hand in which nobody has acted."""
        return HandHistory(state, starting_ranges(state.board))

    def after(self, rows: Rows, state: State, mix: float) -> "HandHistory":
        """Return the history at `state`, where an action of this state's actor led, who played by `rows`.

        mix: share of the actor's range that stays as it was, see `beliefs.updated`. The new history has no subgame yet.
        """
        assert state.action is not None
        actor = self.state.actor
        action_likelihood = likelihood(rows, self.state, state.action, self.ranges[actor])
        ranges = on_board(updated(self.ranges, actor, action_likelihood, mix), state.board)
        return HandHistory(state, ranges, before=self, rows=rows)

    def within(self, subgame: Subgame | None) -> "HandHistory":
        """Return the same history with the subgame that its state belongs to."""
        return replace(self, subgame=subgame)

    def on_path(self, path: Sequence[State]) -> "HandHistory | None":
        """Return the latest part of this history that belongs to `path`, the states of a hand from its start; or None."""
        history: HandHistory | None = self
        while history is not None:
            actions = history.state.actions_in_hand
            if actions < len(path) and history.state == path[actions]:
                break
            history = history.before
        return history
