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
from limpet.strategies.base.strategy import HandKey, HandStrategy, Rows, Strategy, discards_of
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
        self._index = lru_cache(maxsize=1)(self._space.index)  # of the hand that is asked about decision after decision
        self._at: tuple[int, int] | None = None
        """Number and position of the hand that is played."""
        self._hand: HandStrategy | None = None
        self._checked: tuple[int, int] | None = None
        """Hand and position whose rows keep the promises that are looked at once a hand."""

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
        column = self._column(match, rows)
        self.decisions += 1
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
        actions, shape = len(rows.actions), rows.probabilities.shape
        hands = self._hands if rows.classes is None else len(rows.classes)
        problem = ""
        if len(shape) != 2:
            problem = f"have {len(shape)} axes; they need two, [action, hand]"
        elif shape[0] != actions or not actions:
            problem = f"have {_count(actions, 'action')} and {_count(shape[0], 'row')} of probabilities"
        elif rows.discards is not None and len(rows.discards) != actions:
            problem = f"have {_count(actions, 'action')} and {_count(len(rows.discards), 'set')} of discards"
        elif hands != self._hands:
            problem = f"have classes of {_count(hands, 'hand')}; the game has {self._hands:,}"
        elif rows.classes is None and shape[1] != hands:
            problem = f"have {_count(shape[1], 'column')}; the game has {_count(hands, 'hand')}"
        elif self._checked != (match.hand, match.position):
            # Once a hand: a strategy that breaks a promise does so always, and look-ups must stay quick.
            problem = self._broken_promise(match, rows)
        if problem:
            raise WrongRows(f"rows after {match.state.betting!r} {problem}")
        hole = match.own_hand
        column = rows.class_of(self._index(hole))
        if column >= shape[1]:
            raise WrongRows(
                f"rows after {match.state.betting!r} have {_count(shape[1], 'column')} and a class {column}"
            )
        probabilities = rows.probabilities[:, column].tolist()
        total = sum(probabilities)
        if not abs(total - 1) <= SUM_TOLERANCE or min(probabilities) < 0:  # a NaN is wrong too
            fault = "has a negative probability" if min(probabilities) < 0 else f"sums to {total:g}"
            raise WrongRows(f"rows after {match.state.betting!r}: the column of {cards_text(hole)} {fault}")
        return column

    def _broken_promise(self, match: MatchState, rows: Rows) -> str:
        """Return which promise of `Rows` the first rows of a hand break: order of actions, type; empty if they keep both."""
        order = [("fcr".find(action.kind), action.size) for action in rows.actions]
        if rows.discards is None and any(later <= earlier for earlier, later in pairwise(order)):
            return f"have the actions {', '.join(map(str, rows.actions))}; they come as fold, call, raises ascending"
        if rows.probabilities.dtype != np.float32:
            return f"have probabilities of type {rows.probabilities.dtype}; they are float32"
        self._checked = match.hand, match.position
        return ""


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
