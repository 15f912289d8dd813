"""One seat's decisions: match state in, action out. The same object plays over TCP and in one process."""

from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise

import numpy as np

from limpet.protocol.cards import cards_text
from limpet.protocol.draws import visible_draws
from limpet.protocol.messages import MatchState, visible_holes
from limpet.protocol.state import Action, discard
from limpet.strategies.base.sampling import pick, uniform
from limpet.strategies.base.strategy import HandKey, HandStrategy, Rows, Strategy, discards_of, is_action, one_class
from limpet.strategies.cards.handspace import game_hands

NOBODY = -1
"""A position that nobody holds, who sees what everybody sees."""
DECISION = 0
"""First counter of the random number that picks an action; strategies use other counters for their own."""
SUM_TOLERANCE = 1e-3
"""Largest difference of a column's sum from 1; rounding makes far smaller ones."""


class WrongRows(ValueError):
    """No action can be drawn from a strategy's rows."""


class Agent:
    """Asks a strategy for rows and samples the column of the hand it holds. Plays one match at a time."""

    def __init__(self, strategy: Strategy, seed: int) -> None:
        self._built = strategy
        self.strategy = strategy.for_match()
        """The strategy as it plays the match in progress."""
        self.seed = seed
        self.decisions = 0
        """Number of decisions made."""
        self.misses = 0
        """Number of decisions for which the strategy had no answer of its own for the hand held (`Rows.missed`)."""
        game = strategy.game
        self._space = game_hands(game)
        self._hands = self._space.size
        self._index = lru_cache(maxsize=4096)(self._space.index)  # as many as hold'em has hands, in either order
        self._at: tuple[int, int] | None = None
        """Number and position of the hand that is played."""
        self._hand: HandStrategy | None = None
        self._checked: tuple[int, int] | None = None
        """Hand and position whose rows keep the promises that are looked at once a hand."""
        self._sure: Rows | None = None
        """The last checked rows of a single action for all hands: a strategy that looks at no cards gives them again."""

    def start_match(self) -> None:
        """Begin a match anew: a strategy that learns forgets what it learnt in an earlier one."""
        self.strategy = self._built.for_match()
        self._at = self._hand = self._checked = None

    def observe(self, match: MatchState) -> None:
        """Let the strategy take note of a finished hand, of which it is shown what everybody saw."""
        if self.strategy.learns:
            holes = visible_holes(match.state, match.holes, NOBODY)
            self.strategy.observe(match._replace(holes=holes, draws=visible_draws(match.state, match.draws, NOBODY)))

    def hand_strategy(self, match: MatchState) -> HandStrategy:
        """Return the object that answers for the hand that `match` belongs to."""
        at = match.hand, match.position
        if self._hand is None or at != self._at:
            self._at, self._hand = at, self.strategy.start_hand(HandKey(self.seed, *at))
        return self._hand

    def slow(self, match: MatchState) -> bool:
        """Return whether `decide` may take more than a millisecond here."""
        return self.hand_strategy(match).slow(match.state)

    def decide(self, match: MatchState) -> Action:
        """Return the action of `match.position`, whose turn it must be; fixed by the seed, the strategy and the state."""
        hand = self.hand_strategy(match)
        action = self.sample(match, hand.rows_for(match.state, self._index(match.own_hand)))
        hand.took(match.state, action)
        return action

    def ponder(self, stop: Callable[[], bool]) -> None:
        """Let the strategy go on with the hand of the last decision until `stop()` says so."""
        if self._hand is not None:
            self._hand.ponder(stop)

    def sample(self, match: MatchState, rows: Rows) -> Action:
        """Draw the action of the hand held in `match` from `rows`. Raises `WrongRows`."""
        self.decisions += 1
        if rows is self._sure and rows is not None:
            return rows.actions[0]
        column = self._column(match, rows)
        is_alike = rows.probabilities.size == 1 and rows.classes is one_class(self._hands)
        if is_alike and rows.missed is None and rows.discards is None:
            self._sure = rows
        if rows.missed is not None and rows.missed[column]:
            self.misses += 1
        row = 0
        if len(rows.actions) > 1:
            key = HandKey(self.seed, match.hand, match.position)
            row = pick(rows.probabilities[:, column], uniform(key, DECISION, match.state.actions_in_hand))
        if rows.discards is None:
            return rows.actions[row]
        return discard(discards_of(match.own_hand, rows.discards[row]))

    def _column(self, match: MatchState, rows: Rows) -> int:
        """Return the column of the hand held, checked. To check the others too would take longer than the draw."""
        if problem := self._broken_promise(match, rows):
            raise WrongRows(f"rows after {match.state.betting!r} {problem}")
        hole = match.own_hand
        column = rows.class_of(self._index(hole))
        if column >= rows.probabilities.shape[1]:
            raise WrongRows(
                f"rows after {match.state.betting!r} have {_count(rows.probabilities.shape[1], 'column')} and a class {column}"
            )
        probabilities = rows.probabilities[:, column].tolist()
        total = sum(probabilities)
        if not abs(total - 1) <= SUM_TOLERANCE or min(probabilities) < 0:  # a NaN is wrong too
            fault = "has a negative probability" if min(probabilities) < 0 else f"sums to {total:g}"
            raise WrongRows(f"rows after {match.state.betting!r}: the column of {cards_text(hole)} {fault}")
        return column

    def _broken_promise(self, match: MatchState, rows: Rows) -> str:
        """Return which promise of `Rows` is broken, of their shapes, and once a hand of their order and type; or nothing."""
        if not isinstance(rows, Rows):
            return f"are of type {type(rows).__name__}, not Rows"
        if not isinstance(rows.probabilities, np.ndarray):
            return f"have probabilities of type {type(rows.probabilities).__name__}, not an array"
        actions, shape = len(rows.actions), rows.probabilities.shape
        hands = self._hands if rows.classes is None else len(rows.classes)
        if len(shape) != 2:
            return f"have {len(shape)} axes; they need two, [action, hand]"
        if shape[0] != actions or not actions:
            return f"have {_count(actions, 'action')} and {_count(shape[0], 'row')} of probabilities"
        if rows.discards is not None and len(rows.discards) != actions:
            return f"have {_count(actions, 'action')} and {_count(len(rows.discards), 'set')} of discards"
        if hands != self._hands:
            return f"have classes of {_count(hands, 'hand')}; the game has {self._hands:,}"
        if rows.classes is None and shape[1] != hands:
            return f"have {_count(shape[1], 'column')}; the game has {_count(hands, 'hand')}"
        if self._checked == (match.hand, match.position):
            return ""  # a strategy that breaks a promise does so always, and look-ups must stay quick
        if strange := [action for action in rows.actions if not is_action(action)]:
            return f"have the action {strange[0]!r}; actions are FOLD, CALL and raises to a whole number of chips"
        order = [("fcr".find(action.kind), action.size) for action in rows.actions]
        if rows.discards is None and any(later <= earlier for earlier, later in pairwise(order)):
            return f"have the actions {', '.join(map(str, rows.actions))}; they come as fold, call, raises ascending"
        if rows.probabilities.dtype != np.float32:
            return f"have probabilities of type {rows.probabilities.dtype}; they are float32"
        self._checked = match.hand, match.position
        return ""


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
