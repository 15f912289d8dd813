"""AIVAT: what a player won, with the luck taken out of the cards and of its own choices (Burch et al. 2018).

Whatever is drawn by known chances, cards and the actions of a player whose strategy is known, is compared with what
might have been drawn: the guess (`ValueFunction`) after what happened leaves, its mean over all that might have happened
comes. Such a term is 0 in the mean, whatever is guessed. And all hands that the known player might have held and played
the same way ("imaginary observations") share in the result by their likelihood, because the opponent cannot have known
which it was.

In the paper's terms, with x the known player and W(h) = chance · x's part of the reach of hand h:

    AIVAT(z) = Σ_h W(h) v(z, h) / Σ_h W(h) + Σ_events k,
    k = Σ_a Σ_h W(h a) u(h a) / Σ_h W(h) - Σ_h W(h a*) u(h a*) / Σ_h W(h a*),  a* being what happened.

The others' cards must be in the log. Their strategies need not be known; where one is, its actions are compared as well.
Of two players who are both known, `both_known` takes out more.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from limpet.protocol.matchlog import HandRecord
from limpet.protocol.messages import Hole
from limpet.protocol.settlement import settle_ranks
from limpet.protocol.state import Action, State
from limpet.strategies.cards.handspace import game_hands
from limpet.strategies.measures.luck.runouts import showdown_values
from limpet.strategies.measures.luck.value_function import ValueFunction, Values
from limpet.strategies.records.rows_source import PlayedRow, RowsSource


class Corrected(NamedTuple):
    """One hand's result for the known player, in chips: the outcome plus all corrections is what counts."""

    outcome: float
    """What the end of the hand is worth, over all hands that might have been held and all cards not dealt by then."""
    deal: float
    """Correction for everybody's hole cards."""
    cards: tuple[float, ...]
    """Corrections for the board cards of each round."""
    own: tuple[float, ...]
    """Corrections for the known player's decisions, summed by round."""
    others: tuple[float, ...]
    """Corrections for decisions of others whose strategies are known, summed by round."""

    @property
    def value(self) -> float:
        return self.outcome + self.deal + sum(self.cards) + sum(self.own) + sum(self.others)


class Corrections(NamedTuple):
    """Which luck is taken out. All of it is AIVAT, cards alone are MIVAT's part of it."""

    cards: bool = True
    """Of the deal and the board."""
    actions: bool = True
    """Of the known players' draws between actions."""
    imaginary: bool = True
    """Of the hand held: all hands that might have been played the same way share in the result."""


ALL = Corrections()
CARDS_ONLY = Corrections(actions=False, imaginary=False)


def aivat(
    record: HandRecord,
    position: int,
    guess: ValueFunction,
    known: Mapping[int, RowsSource],
    corrections: Corrections = ALL,
) -> Corrected:
    """The corrected result of `position` in a finished hand with everybody's hole cards.

    guess: must have been fixed before the hand was played. known: rows by position; that of `position` is needed unless
    only cards are corrected. Raises `ValueError` if cards are missing, or rows do not go with what was played.
    """
    check_holes(record)
    game, space, full = guess.game, guess.space, record.state.board
    holes = tuple(tuple(hole) for hole in record.holes)
    own, others, cards = np.zeros(game.num_rounds), np.zeros(game.num_rounds), np.zeros(game.num_rounds)
    if corrections.imaginary:
        others_cards = [card for p, hole in enumerate(holes) if p != position for card in hole]
        weights = np.where(space.blocked(others_cards), 0.0, 1.0)
    else:
        weights = np.zeros(space.size)
        weights[space.index(holes[position])] = 1.0
    deal = 0.0
    if corrections.cards:
        start = State.start(game)
        deal = guess.start_mean(position) - _mean(weights, guess.values(start, position, holes))
    path = list(record.state.path())
    for state, after in pairwise(path):
        state, actor = state.with_board(full), state.actor
        assert after.action is not None
        acts = actor == position
        if (acts and (corrections.actions or corrections.imaginary)) or (actor in known and corrections.actions):
            row = known[actor].played(record.hand, state, actor, holes[actor], after.action)
            require_played(record, state, after.action, row, space.index(holes[actor]))
            if acts:
                chances = row.probabilities
            else:
                chances = np.broadcast_to(row.probabilities[:, [space.index(holes[actor])]], row.probabilities.shape)
            if corrections.actions and len(row.actions) > 1:
                worth = _after_actions(state, row.actions, guess, position, holes)
                term = _mean(weights, sum(p * u for p, u in zip(chances, worth, strict=True)))
                term -= _mean(weights * chances[row.chosen], worth[row.chosen])
                (own if acts else others)[state.round] += term
            if acts and corrections.imaginary:
                weights = weights * chances[row.chosen]
        if not after.finished and after.round > state.round:
            dealt = full[: game.board_sizes[after.round]]
            left = np.where(space.blocked(dealt), 0.0, weights)
            if corrections.cards:
                before, now = guess.next_cards(after._replace(board=state.board), dealt, position, holes)
                cards[after.round] += _mean(weights, before) - _mean(left, now)
            weights = left
    outcome = _mean(weights, _ending(path[-1], path[-2].with_board(full).board, position, holes))
    return Corrected(outcome, deal, *(tuple(part.tolist()) for part in (cards, own, others)))


def all_in_equity(record: HandRecord, position: int) -> float:
    """Net chips of a position, with the cards that were dealt after the last decision averaged out exactly.

    Raises `ValueError` if cards of a showdown are missing.
    """
    assert record.state.parent is not None
    board = record.state.parent.with_board(record.state.board).board
    if not record.state.showdown or len(board) == len(record.state.board):
        return record.values[position]
    check_holes(record)
    hand = game_hands(record.state.game).index(record.holes[position])
    return float(showdown_values(record.state, board, position, record.holes)[hand])


def check_holes(record: HandRecord) -> None:
    """Raises `ValueError` unless everybody's hole cards are in the log."""
    if any(len(hole) != record.state.game.num_hole_cards for hole in record.holes):
        raise ValueError(
            f"hand {record.hand}: somebody's hole cards are not in the log; without them luck stays unknown"
        )


def require_played(record: HandRecord, state: State, action: Action, row: PlayedRow, held: int) -> None:
    """Raises `ValueError` if a row never takes the logged action with the hand held, an index of the hand space."""
    if row.probabilities[row.chosen, held] <= 0:
        raise ValueError(
            f"hand {record.hand}: {action} after '{state.betting}' is never played with the hand held; "
            "these are not the rows that the match was played by"
        )


def _after_actions(
    state: State, actions: Sequence[Action], guess: ValueFunction, position: int, holes: Sequence[Hole]
) -> list[Values]:
    """The worth of each action: guessed, or what it is where the action ends the hand."""
    states = [state.apply(action) for action in actions]
    going = [action for action, after in zip(actions, states, strict=True) if not after.finished]
    guessed = iter(guess.after_actions(state, going, position, holes) if going else ())
    return [_ending(after, state.board, position, holes) if after.finished else next(guessed) for after in states]


def _ending(state: State, board: tuple[int, ...], position: int, holes: Sequence[Hole]) -> Values:
    """Net chips at the end of a hand that was decided on `board`; further cards are averaged out."""
    if state.showdown and not state.has_folded(position):
        return showdown_values(state, board, position, holes)
    space = game_hands(state.game)
    if state.showdown:
        return np.full(space.size, float(-state.spent[position]))
    return np.full(space.size, settle_ranks(state.spent, state.folded, ())[position])


def _mean(weights: Values, of: Values | int) -> float:
    return float(weights @ of) / float(weights.sum())
