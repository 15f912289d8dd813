"""A model of an opponent: a known strategy, moved to the frequencies of the actions that were seen in the match.

The model's rows are those nearest to the known strategy's rows that have the posterior frequencies. Of
several known strategies, the one that predicted most of what was seen is taken for the opponent's.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.messages import MatchState
from limpet.protocol.state import Action, State
from limpet.strategies.base.strategy import HandStrategy, Rows, Strategy, pot_fraction
from limpet.strategies.cards.equity import known_strengths
from limpet.strategies.cards.handspace import game_hands

Vector = NDArray[np.float64]

# --- The range of one position along a hand, by Bayes' rule from a strategy's rows.

Likelihood = Callable[[Rows, State, Action, Vector], Vector]
"""Returns float64 ``[hand]``: how likely each hand of a range takes an action in a state, by the state's rows.

It is up to a factor, but exact for actions that the rows have.
"""


@dataclass(eq=False)
class FollowedRange:
    """A position's range at every state of a hand that was asked about. `hand`: answers of the position's strategy."""

    position: int
    hand: HandStrategy
    likelihood: Likelihood
    _ranges: dict[State, Vector] = field(default_factory=dict)

    def fork(self, hand: HandStrategy) -> "FollowedRange":
        """Return the same ranges so far, to be followed along another line by a fork of the strategy's answers."""
        return replace(self, hand=hand, _ranges=dict(self._ranges))

    def at(self, state: State) -> Vector:
        """Return float64 ``[hand]``: the range at `state`, up to a factor; uniform if the strategy never comes there."""
        if state not in self._ranges:
            live = ~game_hands(state.game).blocked(state.board)
            reach = live.astype(np.float64)
            if state.parent is not None and state.action is not None:
                before = state.parent.with_board(state.board)
                weights = self.at(before)
                if before.actor == self.position:
                    weights = weights * self.likelihood(self.hand.rows(before), before, state.action, weights)
                if (weights * live).max() > 0:
                    reach = live * weights / weights.max()
            self._ranges[state] = reach
        return self._ranges[state]


def exact_likelihood(rows: Rows, state: State, action: Action, held: Vector | None = None) -> Vector:
    """Return float64 ``[hand]``: the probability that each hand takes `action`; 0 for an action that the rows lack.

    held: the range, see `Likelihood`; what a hand plays does not depend on it.
    """
    blocked = game_hands(state.game).blocked(state.board)
    if action not in rows.actions:
        return np.zeros(len(blocked))
    return np.asarray(rows.dense(blocked)[rows.actions.index(action)], np.float64)


def best_rows(values: Vector) -> NDArray[np.float32]:
    """Return float32 ``[action, hand]``: 1 for each hand's action of the largest value, the first of equal ones."""
    rows = np.zeros(values.shape, np.float32)
    rows[values.argmax(axis=0), np.arange(values.shape[1])] = 1.0
    return rows


# --- How often an opponent took each kind of action in a match, and how often a known strategy would have taken it.

DOUBT = 0.15
"""Probability, on either side, that the opponent folds to a size of bet more rarely or more often than `fold_bounds` says."""
NEVER = 0.001
"""Frequency of a kind of action that the known strategy never takes."""

FOLD_KIND, CALL_KIND = 0, 1
RAISE_KINDS = (0.75, 1.5, 3.0)
"""Largest pot fractions of the first kinds of raises; the last kind has all larger ones."""
KINDS = CALL_KIND + 1 + len(RAISE_KINDS) + 1
"""Number of kinds: fold, call (or check), and raises by size."""


def kind_of(state: State, action: Action) -> int:
    """Return the kind of an action in a state, 0 .. `KINDS` - 1. A limit game has one kind of raise."""
    if action.kind != "r":
        return FOLD_KIND if action.kind == "f" else CALL_KIND
    fraction = pot_fraction(state, action.size) if state.game.no_limit else 0.0
    return CALL_KIND + 1 + sum(fraction > largest for largest in RAISE_KINDS)


def decision_groups(state: State) -> tuple[Hashable, ...]:
    """Return the groups of decisions that `state` is counted in, from the coarsest to the finest.

    Limit games are small, and every betting sequence is a group. In no-limit games a coarse group has all decisions before
    the flop, or after it, with a raise of about the same size to answer or with none; the finer one also tells street,
    position, and the first raise of a street from later ones.
    """
    if not state.game.no_limit:
        return (state.betting,)
    parent, action = state.parent, state.action
    faced = kind_of(parent, action) if parent and action and action.kind == "r" else CALL_KIND
    return (state.round > 0, faced), (state.round, state.actor, faced, min(state.raises, 2))


class Frequencies:
    """How often an opponent took each kind of action in one match, beside how often a known strategy would have."""

    def __init__(self, prior: float) -> None:
        """prior: number of observations, in each group, that the known strategy's frequencies count for."""
        import scipy.special  # noqa: F401 - slow to import: not for a list of players, nor as late as a decision

        self.prior = prior
        self.tallies: dict[Hashable, NDArray[np.float64]] = defaultdict(lambda: np.zeros((2, KINDS)))
        """For each group of decisions float64 ``[2, kind]``: how often each kind was seen, and how often it was expected."""

    def observe(self, state: State, kind: int, expected: Vector) -> None:
        """Count an action. expected: float64 ``[kind]``: frequencies in `state` by the known strategy."""
        for group in decision_groups(state):
            moved = self._moved(group, expected)
            self.tallies[group] += np.eye(KINDS)[kind], expected
            expected = moved

    def fade(self, kept: float) -> None:
        """Let all counts so far weigh `kept` times as much."""
        for tally in self.tallies.values():
            tally *= kept

    def posterior(self, state: State, expected: Vector) -> Vector | None:
        """Return float64 ``[kind]``: the posterior frequencies at `state`, None if none of its groups was ever seen.

        The posterior of a coarse group is the prior of the finer one inside it. `expected` are the known strategy's.
        """
        groups = [group for group in decision_groups(state) if group in self.tallies]
        return reduce(lambda moved, group: self._moved(group, moved), groups, expected) if groups else None

    def _moved(self, group: Hashable, expected: Vector) -> Vector:
        """Return `expected` with each kind as much more or less frequent as it was seen in the group than expected there."""
        if group not in self.tallies:
            return expected
        observed, usual = self.tallies[group]
        number = observed.sum()
        ratio = observed / np.maximum(usual, NEVER * number)
        moved = np.maximum(expected, NEVER) * (self.prior + number * ratio) / (self.prior + number)
        return np.asarray(moved / moved.sum())

    def answers_seen(self, state: State) -> float:
        """Return how many answers to bets about as large as the one that `state` faces were seen, on all later streets."""
        return float(self._answers(state)[0].sum())

    def fold_bounds(self, state: State, expected: float) -> tuple[float, float]:
        """Return how often the opponent folds in `state` at least, and at most, so that each is wrong at most by `DOUBT`.

        Only answers to bets about as large count, so that small bets prove nothing about large ones. Where few were seen,
        the bounds lie around the frequency that is `expected` by the known strategy.
        """
        from scipy.special import betaincinv

        observed, usual = self._answers(state)
        folds = self.prior * expected + observed[FOLD_KIND]
        others = self.prior * (1 - expected) + observed.sum() - observed[FOLD_KIND]
        mean = (self.prior * expected + usual[FOLD_KIND]) / (self.prior + observed.sum())
        low, high = betaincinv(max(folds, 1e-6), max(others, 1e-6), (DOUBT, 1 - DOUBT)) * expected / max(mean, 1e-6)
        return float(min(low, 1)), float(min(high, 1))

    def _answers(self, state: State) -> NDArray[np.float64]:
        """Return the tally of the coarsest group, float64 ``[2, kind]``. A question adds no group."""
        return self.tallies.get(decision_groups(state)[0], np.zeros((2, KINDS)))


# --- The rows nearest to given ones under which a range takes each kind of action with given frequencies.

ROUNDS = 30
"""Rounds of proportional fitting; frequencies are then right to about a thousandth."""
SPREAD = 0.01
"""Share of the rows that is spread evenly over the actions first, so that an action never taken can become frequent."""
STEEPNESS = 10.0
"""Growth of an action's log odds from the weakest hand of the range to the strongest, against the next weaker action."""


def nearest_rows(
    rows: NDArray[np.floating], weights: Vector, kinds: NDArray[np.intp], target: Vector
) -> NDArray[np.float32]:
    """Return float32 ``[action, class]``: rows moved so that the range takes actions with the frequencies of `target`.

    Each kind of action gets one factor for all classes, found by proportional fitting. So classes keep their order: those
    that folded most readily before still do. Among rows with these frequencies they have the least relative entropy to the
    given ones, weighted by the range (Csiszár 1975).

    rows: ``[action, class]``, columns sum to 1; weights: ``[class]``, the range; kinds: ``[action]``, kind of each action.
    target: ``[kind]``: frequencies that sum to 1. Those of kinds that no action has go to the nearest kind with one.
    """
    present = np.unique(kinds)
    nearest = present[np.abs(present[:, None] - np.arange(len(target))).argmin(axis=0)]
    frequencies = np.bincount(nearest, target, len(target))
    total = weights.sum()
    moved = (1 - SPREAD) * np.asarray(rows, np.float64) + SPREAD / len(rows)
    if total <= 0:
        return moved.astype(np.float32)
    share = weights / total
    for _ in range(ROUNDS):
        taken = np.bincount(kinds, moved @ share, len(target))
        factor = np.divide(frequencies, taken, out=np.ones(len(target)), where=taken > 0)
        moved *= factor[kinds][:, None]
        sums = moved.sum(axis=0)
        moved = np.divide(moved, sums, out=np.full_like(moved, 1 / len(rows)), where=sums > 0)
    return moved.astype(np.float32)


def strength_rows(board: tuple[int, ...], reach: Vector, levels: NDArray[np.intp]) -> NDArray[np.float32]:
    """Return float32 ``[action, hand]``: rows of a straightforward player, by a hand's rank in the range.

    `nearest_rows` then moves the thresholds between folding, calling and raising to where the frequencies are right.

    reach: ``[hand]``, range of the player; levels: ``[action]``, 0 to fold, 1 to call, 2 for every raise.
    """
    order = np.argsort(known_strengths(board), kind="stable")
    rank = np.empty(len(order))
    rank[order] = np.cumsum(reach[order])
    rank /= max(rank.max(), 1e-12)
    rows = np.exp(STEEPNESS * (levels[:, None] - 1) * (rank - 0.5))
    return np.asarray(rows / rows.sum(axis=0), np.float32)


SURPRISE = 0.05
"""Share of each candidate's predictions that is spread evenly, so that no single strange action or hand decides."""
RULED_OUT = 20.0
"""Difference of log evidence from the best candidate at which a candidate is no longer considered."""


@dataclass(eq=False)
class ModelHand(HandStrategy):
    """The model's answers for one hand of the opponent, from the `base` of a known strategy's. It is hand-blind, like any strategy.

    With `by_strength` only the frequencies are known from the flop on, and stronger hands act more strongly; hold'em only.
    """

    base: HandStrategy
    position: int
    frequencies: Frequencies
    likelihood: Likelihood
    by_strength: bool = False

    def __post_init__(self) -> None:
        self._rows: dict[State, Rows] = {}
        self._range = FollowedRange(self.position, self, self.likelihood)

    def rows(self, state: State) -> Rows:
        """Return the rows of the opponent, who must be the actor of `state`."""
        if state not in self._rows:
            self._rows[state] = self._moved(state)
        return self._rows[state]

    def range(self, state: State) -> NDArray[np.float64]:
        """Return float64 ``[hand]``: the opponent's range at `state`, up to a factor."""
        return self._range.at(state)

    def doubtful_rows(self, state: State) -> list[Rows]:
        """Return the rows if the opponent folds to a bet as rarely, and as often, as what was seen leaves possible."""
        expected, target = self.kind_frequencies(state)
        both = []
        for folds in self.frequencies.fold_bounds(state, float(expected[FOLD_KIND])):
            moved = target * (1 - folds) / max(1 - target[FOLD_KIND], 1e-12)
            moved[FOLD_KIND] = folds
            both.append(self._moved(state, moved))
        return both

    def kind_frequencies(self, state: State) -> tuple[Vector, Vector]:
        """Return float64 ``[kind]`` twice: frequencies in `state` by the known strategy, and by the model."""
        *_, expected, posterior = self._base_at(state)
        return expected, expected if posterior is None else posterior

    def _base_at(self, state: State) -> tuple[Rows, Vector, NDArray[np.intp], Vector, Vector | None]:
        """Return the known rows, the range by their classes, ``[action]`` the kinds of actions, and ``[kind]`` frequencies.

        The frequencies are those of the known strategy, and the posterior ones if there are any.
        """
        rows, reach = self.base.rows(state), self._range.at(state)
        live = reach > 0
        classes = np.arange(len(reach)) if rows.classes is None else rows.classes
        weights = np.bincount(classes[live], reach[live], rows.probabilities.shape[1]).astype(np.float64)
        kinds = np.array([kind_of(state, action) for action in rows.actions])
        expected = np.bincount(kinds, rows.probabilities @ (weights / weights.sum()), KINDS).astype(np.float64)
        return rows, weights, kinds, expected, self.frequencies.posterior(state, expected)

    def _moved(self, state: State, target: Vector | None = None) -> Rows:
        """Return the rows of `state` that have the frequencies of `target`, float64 ``[kind]``; None stands for posterior ones."""
        rows, weights, kinds, expected, posterior = self._base_at(state)
        target = posterior if target is None else target
        if self.by_strength and state.board:
            reach = self._range.at(state)
            ordered = strength_rows(state.board, reach, np.minimum(kinds, CALL_KIND + 1))
            target = expected / expected.sum() if target is None else target
            return Rows(rows.actions, nearest_rows(ordered, reach, kinds, target))
        if target is None:
            return rows
        return Rows(rows.actions, nearest_rows(rows.probabilities, weights, kinds, target), rows.classes)


@dataclass(eq=False)
class Candidate:
    """A known strategy, the opponent's deviations from it, and the log probability that it gave to all that was seen."""

    strategy: Strategy
    frequencies: Frequencies
    by_strength: bool = False
    log_evidence: float = 0.0

    def observe(self, model: ModelHand, hand: MatchState) -> float:
        """Judge a finished hand by the candidate's `model` of it, learn from it, and return the log probability of its actions.

        Each action of the opponent counts by the probability that the model gave to its kind, and a hand shown by its
        share of the model's range.
        """
        end, opponent = hand.state, model.position
        observed, acted = [], 0.0
        for before, after in pairwise(end.path()):
            if before.actor != opponent or after.action is None:
                continue
            before = before.with_board(end.board)
            kind = kind_of(before, after.action)
            expected, predicted = model.kind_frequencies(before)
            acted += math.log((1 - SURPRISE) * predicted[kind] + SURPRISE / KINDS)
            observed.append((before, kind, expected))
        self.log_evidence += acted
        if hand.holes[opponent]:
            reach = model.range(end)
            share = float(reach[game_hands(end.game).index(hand.holes[opponent])] / reach.sum())
            self.log_evidence += math.log((1 - SURPRISE) * share + SURPRISE / np.count_nonzero(reach))
        for before, kind, expected in observed:
            self.frequencies.observe(before, kind, expected)
        return acted


def likely(candidates: list[Candidate]) -> list[Candidate]:
    """Return the candidates that are not ruled out, the likeliest first; of equal ones the first given."""
    ordered = sorted(candidates, key=lambda candidate: -candidate.log_evidence)
    return [candidate for candidate in ordered if candidate.log_evidence > ordered[0].log_evidence - RULED_OUT]


# --- Page's test of whether an opponent still plays as the model predicts, with a bound on false alarms.

KEPT = 0.95
"""Weight that the recent play's counts keep from hand to hand, so that some twenty hands count."""


def joint(weights: Sequence[float], values: Sequence[float]) -> float:
    """Return the log of a weighted mean of probabilities; all are given as logs, the weights up to a factor."""
    return float(np.logaddexp.reduce(np.add(weights, values)) - np.logaddexp.reduce(weights))


@dataclass
class ChangeTest:
    """Page's test of a match's hands: recent play against the model (Page 1954).

    Each hand adds the log of the probability of its actions by recent play less that by the model; the sum never falls below 0.
    If the opponent plays as the model predicts, the mean number of hands to an alarm is at least `hands` (`docs/exploit.md`).

    `recent` is the blueprint, moved to the frequencies of the last hands, and `score` the log odds of a change so far.
    """

    recent: Candidate
    hands: float
    score: float = 0.0

    def enter(self, gained: float) -> bool:
        """Add a hand's log odds of a change, and return whether that sets off the alarm."""
        self.score = max(0.0, self.score + gained)
        return self.score > math.log(self.hands)

    def observe(self, predicted: float, model: ModelHand, hand: MatchState) -> bool:
        """Judge a finished hand and return whether the opponent has changed.

        predicted: log probability that the model in use gave to the opponent's actions; model: recent play in that hand.
        """
        acted = self.recent.observe(model, hand)
        self.recent.frequencies.fade(KEPT)
        return self.enter(acted - predicted)
