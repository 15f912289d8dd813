"""AIVAT: a player's winnings with the luck of the cards and of its own choices taken out (Burch et al. 2018).

Everything that is drawn by known chances, cards and the actions of a player whose strategy is known, is compared with what
might have been drawn. A correction is the mean of a value function over all that might have happened, less its value after
what did happen. Its expectation is 0, whatever the value function says. Moreover all hands that the known player might have
held and played the same way ("imaginary observations") share in the result by their likelihood, because the opponent cannot
have known which it was.

In the paper's terms, with x the known player and W(h) = chance · x's part of the reach of hand h:

    AIVAT(z) = Σ_h W(h) v(z, h) / Σ_h W(h) + Σ_events k,
    k = Σ_a Σ_h W(h a) u(h a) / Σ_h W(h) - Σ_h W(h a*) u(h a*) / Σ_h W(h a*),  a* being what happened.

The others' cards must be in the log. Their strategies need not be known; where one is, its actions are corrected as well.

Where both of two players are known (`aivat_of_both`), the hand is looked at from outside: by what happened in public, each
player has a range, and the result is the mean over all pairs of hands. Chance then decides only board cards and actions,
with probabilities that follow from the ranges. With r the ranges by Bayes' rule, r_a the ranges after event a, and m(r) the
weight of all pairs of hands that share no card:

    AIVAT(z) = mean of v(z) over r + Σ_events (Σ_a m(r_a) u(r_a) / Σ_a m(r_a) - u(r_a*))
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from limpet.protocol.matchlog import HandRecord
from limpet.protocol.settlement import settle_ranks
from limpet.protocol.state import Action, State
from limpet.strategies.base.records import PlayedRow, RowsSource
from limpet.strategies.cards.boards import Board
from limpet.strategies.cards.handspace import game_hands
from limpet.strategies.holdem.luck.range_values import Ranges, RangeValues
from limpet.strategies.holdem.luck.runouts import showdown_values
from limpet.strategies.holdem.luck.value_function import Holes, ValueFunction, Values

Sources = Mapping[int, RowsSource]
"""Where the rows of the known positions come from."""


class Corrected(NamedTuple):
    """One hand's result for the known player, in chips: the outcome plus all corrections.

    Attributes:
        outcome: value of the hand's end, over all hands that might have been held and all cards not dealt by then.
        deal: correction for everybody's hole cards.
        cards: corrections for the board cards of each round.
        own, others: corrections for decisions of the known player, and of others whose strategies are known, by round.
    """

    outcome: float
    deal: float
    cards: tuple[float, ...]
    own: tuple[float, ...]
    others: tuple[float, ...]

    @property
    def value(self) -> float:
        return self.outcome + self.deal + sum(self.cards) + sum(self.own) + sum(self.others)


def aivat(
    record: HandRecord, position: int, heuristic: ValueFunction, sources: Sources, cards_only: bool = False
) -> Corrected:
    """Return the corrected result of `position` in a finished hand with everybody's hole cards.

    heuristic: the value function, fixed before the hand was played. sources: rows by position; those of `position` are
    needed. cards_only: take out the luck of the deal and the board alone, as MIVAT does; `sources` is then not looked at.
    Raises `ValueError` if cards are missing, or rows do not go with what was played.
    """
    check_holes(record)
    game, space, full = heuristic.game, heuristic.space, record.state.board
    holes = tuple(tuple(hole) for hole in record.holes)
    own, others, cards = np.zeros(game.num_rounds), np.zeros(game.num_rounds), np.zeros(game.num_rounds)
    others_cards = [card for p, hole in enumerate(holes) if p != position for card in hole]
    weights = np.where(space.blocked(others_cards), 0.0, 1.0)
    if cards_only:
        weights[:] = np.arange(space.size) == space.index(holes[position])
    deal = heuristic.start_mean(position) - _mean(weights, heuristic.values(State.start(game), position, holes))
    path = list(record.state.path())
    for state, after in pairwise(path):
        state, actor = state.with_board(full), state.actor
        acts = actor == position
        if not cards_only and (acts or actor in sources):
            row = _played_row(record, state, after, sources)
            if acts:
                chances = row.probabilities
            else:
                chances = np.broadcast_to(row.probabilities[:, [space.index(holes[actor])]], row.probabilities.shape)
            if len(row.actions) > 1:
                values = _values_after_actions(state, row.actions, heuristic, position, holes)
                term = _mean(weights, sum(p * u for p, u in zip(chances, values, strict=True)))
                term -= _mean(weights * chances[row.chosen], values[row.chosen])
                (own if acts else others)[state.round] += term
            if acts:
                weights = weights * chances[row.chosen]
        if not after.finished and after.round > state.round:
            dealt = full[: game.board_sizes[after.round]]
            left = np.where(space.blocked(dealt), 0.0, weights)
            before, now = heuristic.next_cards(after._replace(board=state.board), dealt, position, holes)
            cards[after.round] += _mean(weights, before) - _mean(left, now)
            weights = left
    outcome = _mean(weights, _ending(path[-1], path[-2].with_board(full).board, position, holes))
    return Corrected(outcome, deal, *(tuple(part.tolist()) for part in (cards, own, others)))


def aivat_of_both(record: HandRecord, position: int, heuristic: RangeValues, sources: Sources) -> Corrected:
    """Return the corrected result of `position` in a finished hand of two players who are both known.

    heuristic: the value function, fixed before the hand was played. sources: the rows of both positions. Raises `ValueError`
    if cards are missing, or rows do not go with what was played.
    """
    check_holes(record)
    game, full = heuristic.game, record.state.board
    cards, actions = np.zeros(game.num_rounds), np.zeros((2, game.num_rounds))
    ranges = np.ones((2, heuristic.space.size))
    path = list(record.state.path())
    for state, after in pairwise(path):
        state, actor = state.with_board(full), state.actor
        row = _played_row(record, state, after, sources)
        ranges_after = np.stack([ranges] * len(row.actions))
        ranges_after[:, actor] *= row.probabilities
        if len(row.actions) > 1:
            weights = np.array([heuristic.pairs(narrowed) for narrowed in ranges_after])
            values = np.zeros(len(weights))
            for index in np.flatnonzero(weights > 0).tolist():
                below, narrowed = state.apply(row.actions[index]), ranges_after[index]
                values[index] = _value_of_ranges(record, below, state.board, position, narrowed, heuristic, sources)
            actions[actor, state.round] += weights @ values / weights.sum() - values[row.chosen]
        ranges = ranges_after[row.chosen]
        if not after.finished and after.round > state.round:
            dealt = full[: game.board_sizes[after.round]]
            before, now = heuristic.next_cards(after._replace(board=state.board), dealt, position, ranges)
            cards[after.round] += before - now
            ranges = heuristic.on_board(ranges, dealt)
    outcome = heuristic.ending(path[-1], path[-2].with_board(full).board, position, ranges)
    own, others = actions[position], actions[1 - position]
    return Corrected(outcome, 0.0, *(tuple(part.tolist()) for part in (cards, own, others)))


def _value_of_ranges(
    record: HandRecord, state: State, board: Board, position: int, ranges: Ranges, heuristic: RangeValues,
    sources: Sources,
) -> float:  # fmt: skip
    """Return the value of a state after an action on `board`; after a bet, the mean over the real answers to it."""
    if state.finished:
        return heuristic.ending(state, board, position, ranges)
    needs_answers = state.to_call > 0 and heuristic.wants_answers(state)
    answers = sources[state.actor].answers(record.hand, state, state.actor) if needs_answers else None
    if answers is None:
        return heuristic.value(state, position, ranges)
    total = weights = 0.0
    for answer, chances in zip(*answers, strict=True):
        left = ranges.copy()
        left[state.actor] *= chances
        weight = heuristic.pairs(left)
        if weight > 0:
            end = state.apply(answer)
            ended = end.finished
            value = heuristic.ending(end, board, position, left) if ended else heuristic.value(end, position, left)
            total, weights = total + weight * value, weights + weight
    return total / weights


def all_in_equity(record: HandRecord, position: int) -> float:
    """Return the net chips of a position, with the cards dealt after the last decision averaged out exactly.

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
    """Raise `ValueError` unless everybody's hole cards are in the log."""
    if any(len(hole) != record.state.game.num_hole_cards for hole in record.holes):
        raise ValueError(
            f"hand {record.hand}: somebody's hole cards are not in the log; without them luck stays unknown"
        )


def check_rows(record: HandRecord, sources: Sources) -> None:
    """Raise `ValueError` unless the rows of the known positions go with what was played in a hand."""
    for state, action, hands in record.decisions():
        actor = state.actor
        if actor in sources:
            row = sources[actor].column(record.hand, state, actor, hands[actor], action)
            _require_possible(record, state, action, float(row.probabilities[row.chosen]))


def _require_possible(record: HandRecord, state: State, action: Action, probability: float) -> None:
    """Raise `ValueError` if an action was played with probability 0."""
    if probability <= 0:
        raise ValueError(
            f"hand {record.hand}: {action} after '{state.betting}' is never played with the hand held; "
            "these are not the rows that the match was played by"
        )


def _played_row(record: HandRecord, state: State, after: State, sources: Sources) -> PlayedRow:
    """Return the row by which the action between two states was played.

    Raises `ValueError` if the row never takes that action with the hand held.
    """
    action, actor, hole = after.action, state.actor, record.holes[state.actor]
    assert action is not None
    row = sources[actor].played(record.hand, state, actor, hole, action)
    _require_possible(record, state, action, float(row.probabilities[row.chosen, game_hands(state.game).index(hole)]))
    return row


def _values_after_actions(
    state: State, actions: Sequence[Action], heuristic: ValueFunction, position: int, holes: Holes
) -> list[Values]:
    """Return the values after each action: estimated, or exact where the action ends the hand."""
    states = [state.apply(action) for action in actions]
    going = [action for action, after in zip(actions, states, strict=True) if not after.finished]
    values = iter(heuristic.after_actions(state, going, position, holes) if going else ())
    return [_ending(after, state.board, position, holes) if after.finished else next(values) for after in states]


def _ending(state: State, board: Board, position: int, holes: Holes) -> Values:
    """Return net chips at the end of a hand that was decided on `board`; further cards are averaged out."""
    if state.showdown and not state.has_folded(position):
        return showdown_values(state, board, position, holes)
    space = game_hands(state.game)
    if state.showdown:
        return np.full(space.size, float(-state.spent[position]))
    return np.full(space.size, settle_ranks(state.spent, state.folded, ())[position])


def _mean(weights: Values, of: Values | int) -> float:
    return float(weights @ of) / float(weights.sum())
