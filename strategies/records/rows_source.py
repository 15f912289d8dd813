"""Sources of the rows that a player played by: worked out again, or kept beside the log."""

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.messages import Hole
from limpet.protocol.state import Action, State
from limpet.strategies.agent import DECISION
from limpet.strategies.cards.handspace import game_hands
from limpet.strategies.sampling import pick, uniform
from limpet.strategies.strategy import HandKey, HandStrategy, Rows, Strategy


class PlayedRow(NamedTuple):
    """The strategy of a player in one state, with all hands or with the hand held alone, and the action that was played.

    Attributes:
        actions: the actions of the state; with the hand held alone, draws name their discards.
        probabilities: float64 ``[action, hand]``, 0 for hands that the board blocks; or ``[action]``. They sum to 1 over actions.
        chosen: index of the action that was played.
    """

    actions: tuple[Action, ...]
    probabilities: NDArray[np.float64]
    chosen: int


class ColumnSource(Protocol):
    """Knows how a player played the hands that it held, decision by decision."""

    def column(self, hand: int, state: State, position: int, hole: Hole, action: Action) -> PlayedRow:
        """Return what `RowsSource.played` returns of the hand held alone. A draw's `action` must name its discards."""


class RowsSource(ColumnSource, Protocol):
    """Knows how a player played with all hands, decision by decision."""

    def played(self, hand: int, state: State, position: int, hole: Hole, action: Action) -> PlayedRow:
        """Return the rows of `position` in `state` of hand number `hand`, where it held `hole` and played `action`.

        Raises `ValueError` if no rows are known that `action` can have been drawn from.
        """

    def answers(self, hand: int, state: State, position: int) -> tuple[tuple[Action, ...], NDArray[np.float64]] | None:
        """Return the actions and probabilities ``[action, hand]`` of `position` in `state`; None where they are not known.

        The state need not have come up in hand number `hand`.
        """


class Recomputed:
    """Asks the strategy again, whose rows must depend on nothing but the hand's key and the public history.

    The action is drawn again as well, from the same random number. If it is another one than was played, the log was
    played by another strategy or seed.
    """

    def __init__(self, strategy: Strategy, seed: int) -> None:
        self.strategy = strategy
        self.seed = seed
        self._space = game_hands(strategy.game)
        self._current: tuple[HandKey, HandStrategy] | None = None

    def played(self, hand: int, state: State, position: int, hole: Hole, action: Action) -> PlayedRow:
        rows, _ = self._drawn(hand, state, position, hole, action)
        return played_row(rows, self._space.blocked(state.board), action)

    def column(self, hand: int, state: State, position: int, hole: Hole, action: Action) -> PlayedRow:
        rows, chosen = self._drawn(hand, state, position, hole, action)
        own = rows.column(self._space.index(hole)).astype(np.float64)
        return PlayedRow(rows.named_actions(hole), own / own.sum(), chosen)

    def _drawn(self, hand: int, state: State, position: int, hole: Hole, action: Action) -> tuple[Rows, int]:
        """Return the rows of a state and the number of the action drawn from them. Raises as `RowsSource.played`."""
        key = HandKey(self.seed, hand, position)
        rows = self._hand(key).rows(state)
        own = rows.column(self._space.index(hole))
        chosen = pick(own, uniform(key, DECISION, state.actions_in_hand)) if len(rows.actions) > 1 else 0
        drawn = rows.named_actions(hole)[chosen]
        if (drawn.kind, drawn.size, set(drawn.cards)) != (action.kind, action.size, set(action.cards)):
            raise ValueError(
                f"hand {hand}: {drawn} is what this bot plays after '{state.betting}', and the log says {action}; "
                "name the config, with the strategy and the seed, that the match was played with"
            )
        return rows, chosen

    def answers(self, hand: int, state: State, position: int) -> tuple[tuple[Action, ...], NDArray[np.float64]] | None:
        # A fork is asked, because later answers must not depend on a state that never came up.
        rows = self._hand(HandKey(self.seed, hand, position)).fork().rows(state)
        return rows.actions, played_row(rows, self._space.blocked(state.board), rows.actions[0]).probabilities

    def _hand(self, key: HandKey) -> HandStrategy:
        if self._current is None or self._current[0] != key:
            self._current = key, self.strategy.start_hand(key)
        return self._current[1]


def played_row(rows: Rows, blocked: NDArray[np.bool_], action: Action) -> PlayedRow:
    """Return `rows` in float64, each column scaled to sum to 1, with the action that was played.

    Raises `ValueError` if the rows do not have that action.
    """
    dense = rows.dense(blocked).astype(np.float64)
    total = dense.sum(axis=0)
    dense /= np.where(total > 0, total, 1.0)
    if action not in rows.actions:
        raise ValueError(f"{action} was played, but the rows know only {', '.join(map(str, rows.actions))}")
    return PlayedRow(rows.actions, dense, rows.actions.index(action))
