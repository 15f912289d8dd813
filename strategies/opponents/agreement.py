"""The agreement of a strategy with a player's recorded decisions, beside that of the player's own plain frequencies."""

import heapq
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from math import inf, nan
from operator import mul
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.common.statistics import Estimate, estimate_from_sums
from limpet.protocol.gamedef import BET
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.state import Action, State, action_order
from limpet.strategies.abstraction.menu import STREETS
from limpet.strategies.base.sampling import OpenKey
from limpet.strategies.base.strategy import HandKey, Strategy
from limpet.strategies.cards.handspace import HandSpace, game_hands, hand_space
from limpet.strategies.holdem.resolving.resolve_hand import ResolveHand
from limpet.strategies.opponents.situations import KINDS, RecordedDecision, possible_kinds
from limpet.strategies.solvers.vector.vector_solver import possible_reach


def player_decisions(record: HandRecord, position: int, where: str = "") -> Iterator[RecordedDecision]:
    """Yield the betting decisions of a position in a finished hand, in order of play; draws are left out."""
    for state, action, hands in record.decisions():
        if state.actor == position and state.phase is BET:
            yield RecordedDecision(record.hand, state, hands[position], action, where)


# --- Plain frequencies of fold, call and raise, the baseline that a strategy's predictions are compared with.


class FrequencyBaseline:
    """Counts of a player's actions by street and by which kinds of action are legal."""

    def __init__(self) -> None:
        self._counts: dict[tuple[int, ...], NDArray[np.float64]] = defaultdict(lambda: np.zeros(len(KINDS)))

    def add(self, decision: RecordedDecision) -> None:
        self._counts[_situation(decision.state)][decision.kind] += 1

    def kinds(self, decision: RecordedDecision) -> NDArray[np.float64]:
        """Return float64 ``[kind]``: the share of each kind of action in situations like that of a decision not counted.

        One action of each legal kind is counted beside those that were taken (Laplace's rule).
        """
        return self._shares(decision, 0)

    def without(self, decision: RecordedDecision) -> NDArray[np.float64]:
        """Return `kinds` of a decision that was counted, by all the others, so that it does not predict itself."""
        return self._shares(decision, 1)

    def _shares(self, decision: RecordedDecision, itself: int) -> NDArray[np.float64]:
        legal = np.array(possible_kinds(decision.state), np.float64)
        counts = self._counts.get(_situation(decision.state), 0.0) + legal
        counts[decision.kind] -= itself
        return np.asarray(counts / counts.sum())


def _situation(state: State) -> tuple[int, ...]:
    return state.round, *possible_kinds(state)


# --- A strategy's probabilities of the actions that a player could have taken.

MIX = 0.01
"""Share of the uniform distribution in a range narrowed by Bayes' rule, so that no action empties the range."""


class Prediction(NamedTuple):
    """A strategy's probabilities at one decision of a player: of each action that it may take, in fixed order."""

    decision: RecordedDecision
    actions: dict[Action, float]

    def kinds(self) -> NDArray[np.float64]:
        """Return float64 ``[kind]``: the probability of a fold, of a call and of any raise."""
        totals = np.zeros(len(KINDS))
        for action, probability in self.actions.items():
            totals[KINDS.index(action.kind)] += probability
        return totals

    @property
    def probability(self) -> float:
        """Probability of the kind of action that was taken; raises of all sizes are one kind."""
        return float(self.kinds()[self.decision.kind])


def predictions(
    strategy: Strategy, decisions: Iterable[RecordedDecision], seed: int = 0, coins: int | None = None
) -> Iterator[Prediction]:
    """Yield a strategy's probabilities at each decision. The decisions of a hand must follow each other.

    Where the hole cards are not known, the mean is taken over the player's range: all hands at first, narrowed by Bayes'
    rule from the strategy's own rows at the decisions of the same hand before. Those must then be among `decisions`.

    seed: seed of the strategy. coins: number of seeds, from `seed` up, whose probabilities are averaged. Without it the
    mean is exact over all outcomes of the coins by which a strategy translates bets.
    """
    space = game_hands(strategy.game)
    for _, group in groupby(decisions, lambda decision: (decision.where, decision.hand, decision.state.actor)):
        of_hand = list(group)
        hand, position = of_hand[0].hand, of_hand[0].state.actor
        keys: list[HandKey] = [HandKey(seed + coin, hand, position) for coin in range(coins or 0)]
        asked = [_Asked(strategy, space, key) for key in keys or [OpenKey.begin(seed, hand, position)]]
        for number, decision in enumerate(of_hand):
            columns = []
            for outcome in asked:  # grows where a coin is thrown
                columns.append(outcome.column(decision))
                for key in outcome.others():
                    asked.append(_Asked(strategy, space, key))
                    for before in of_hand[:number]:
                        asked[-1].column(before)
            yield Prediction(decision, _mean(columns, [outcome.share for outcome in asked]))


class _Asked:
    """A strategy that is asked about a hand with known coins, and the range that its rows leave the player."""

    def __init__(self, strategy: Strategy, space: HandSpace, key: HandKey) -> None:
        self._hand, self._space, self._key = strategy.start_hand(key), space, key
        self._weights = np.ones(space.size)

    @property
    def share(self) -> float:
        return self._key.share if isinstance(self._key, OpenKey) else 1.0

    def others(self) -> list[OpenKey]:
        """Return the keys of other outcomes of the coins that were thrown since the last call."""
        return self._key.others() if isinstance(self._key, OpenKey) else []

    def column(self, decision: RecordedDecision) -> dict[Action, float]:
        """Return the probability of each action. Narrows the range where hole cards are unknown."""
        if decision.hole:
            actions, row = self._hand.column(decision.state, self._space.index(decision.hole))
            column = row.astype(np.float64)
        else:
            rows = self._hand.rows(decision.state)
            actions = rows.actions
            dense = rows.dense(self._space.blocked(decision.state.board)).astype(np.float64)
            column = dense @ self._weights
            likely = sum(row for action, row in zip(actions, dense, strict=True) if action.kind == decision.action.kind)
            self._weights *= (1 - MIX) * likely + MIX / len(KINDS)
        return dict(zip(actions, (column / column.sum()).tolist(), strict=True))


def _mean(columns: Sequence[dict[Action, float]], weights: Sequence[float]) -> dict[Action, float]:
    if len(columns) == 1:
        return columns[0]
    actions, total = sorted({action for column in columns for action in column}, key=action_order), sum(weights)
    return {action: sum(map(mul, weights, (each.get(action, 0.0) for each in columns))) / total for action in actions}


# --- Expected values of the actions of one decision, from strategies that solve while they play.


def action_values(strategy: Strategy, decision: RecordedDecision, seed: int = 0) -> dict[Action, float] | None:
    """Return what each action wins from here on by the strategy's own solve, in big blinds; a fold wins 0.

    None for a strategy that solves nothing here, for unknown hole cards, and for a hand against which the solve's opponent can hold none.
    """
    state = decision.state
    hand = strategy.start_hand(HandKey(seed, decision.hand, state.actor))
    if not decision.hole or not isinstance(hand, ResolveHand):
        return None
    hand.rows(state)  # a street's tree depends on the first decision that is asked about
    subgame = hand.subgame(state)
    if subgame is None or not state.round:  # classes have no values by hand
        return None
    values = subgame.node_values(state)
    index = hand_space().index(decision.hole)
    if not possible_reach(values.reach[1 - state.actor])[index]:
        return None
    spent = state.spent[state.actor] / state.game.big_blind
    won = values.actions[:, index].astype(np.float64) + spent
    return dict(zip(subgame.tree.actions(subgame.node(state)), won.tolist(), strict=True))


# --- Scores of predictions, by street.

UNIFORM = 0.01
"""Share of the uniform distribution over fold, call and raise that is mixed into each prediction before its logarithm."""
UNLIKELY = 0.02
"""Probability below which a kind of action counts as one that the strategy does not take."""
BINS = 10
"""Number of bins of equal width between 0 and 1 in the reliability table."""
ALL = "all"
"""Name of all streets in one."""


def log_likelihood(kinds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return natural logarithms of the probabilities of fold, call and raise, mixed with `UNIFORM` of the uniform one."""
    return np.log((1 - UNIFORM) * kinds + UNIFORM / len(KINDS))


class Bin(NamedTuple):
    """Predicted probabilities from `least` to ``1 / BINS`` more: their number, their mean, and the share that happened."""

    least: float
    predictions: int
    predicted: float
    happened: float


class HandSums:
    """A mean over decisions whose interval allows for decisions of one hand being alike (a ratio of sums by hand)."""

    def __init__(self) -> None:
        self._hand: tuple[str, int] | None = None
        self._value, self._count = 0.0, 0
        self._totals = np.zeros(6)
        """Sums over hands of 1, value, count, value², value · count and count²."""

    def add(self, hand: tuple[str, int], value: float) -> None:
        """Count a decision's value. Decisions of one hand must follow each other."""
        if hand != self._hand:
            self._close()
            self._hand = hand
        self._value += value
        self._count += 1

    def mean(self) -> Estimate:
        """Return the mean value of a decision, NaN for none, with its 95 % interval; the samples are hands."""
        self._close()
        hands, values, counts, *squares = self._totals.tolist()
        if not counts:
            return Estimate(nan, inf, 0)
        mean, each = values / counts, hands / counts
        variance = each * each * (squares[0] - 2 * mean * squares[1] + mean * mean * squares[2])
        return estimate_from_sums(int(hands), 0.0, variance)._replace(mean=mean)

    def _close(self) -> None:
        """Add the sums of the hand that has ended."""
        if self._count:
            value, count = self._value, self._count
            self._totals += (1, value, count, value * value, value * count, count * count)
            self._hand, self._value, self._count = None, 0.0, 0


class ScoreTally:
    """Scores of predictions of fold, call and raise, of one street or all."""

    def __init__(self) -> None:
        self.decisions = 0
        self._likelihood = HandSums()
        self._expected = self._probability = 0.0
        self._unlikely = 0
        self._bins = [[0.0, 0.0, 0.0] for _ in range(BINS)]
        """Number of predictions, sum of their probabilities and number that happened, for each bin."""

    def add(self, decision: RecordedDecision, predicted: Sequence[float], scores: Sequence[float]) -> None:
        """Count a decision. Decisions of one hand must follow each other.

        predicted: probability of each kind of action; scores: `log_likelihood` of each.
        """
        taken_kind = decision.kind
        self.decisions += 1
        self._likelihood.add((decision.where, decision.hand), scores[taken_kind])
        self._expected += sum(map(mul, predicted, scores))
        self._probability += predicted[taken_kind]
        self._unlikely += predicted[taken_kind] < UNLIKELY
        for kind, is_possible in enumerate(possible_kinds(decision.state)):
            if is_possible:
                sums = self._bins[min(int(BINS * predicted[kind]), BINS - 1)]
                sums[0] += 1
                sums[1] += predicted[kind]
                sums[2] += kind == taken_kind

    @property
    def log_likelihood(self) -> Estimate:
        """Mean `log_likelihood` of what was done; NaN where nothing was decided."""
        return self._likelihood.mean()

    def means(self) -> dict[str, float]:
        """Return scores by name, NaN for no decision.

        ``expected_log_likelihood`` is the mean that would be expected if the player decided as predicted, ``probability``
        the mean predicted probability of the kind of action that was taken, ``below_2_percent`` the share of decisions
        where that is below `UNLIKELY`, ``calibration_error`` the mean over predictions of |predicted - happened| of their bin.
        """
        sums = {
            "expected_log_likelihood": self._expected,
            "probability": self._probability,
            "below_2_percent": self._unlikely,
        }
        error = sum(abs(predicted - happened) for _, predicted, happened in self._bins)
        predictions = sum(count for count, _, _ in self._bins)
        means = {name: total / (self.decisions or nan) for name, total in sums.items()}
        return means | {"calibration_error": error / (predictions or nan)}

    def reliability(self) -> list[Bin]:
        """Return the reliability table: a row for each bin that holds predictions, one of each legal kind of action."""
        return [
            Bin(index / BINS, int(count), predicted / count, happened / count)
            for index, (count, predicted, happened) in enumerate(self._bins)
            if count
        ]


def tallies() -> dict[str, ScoreTally]:
    """Return an empty tally for each street, of which some games have only the first, and one for all of them."""
    return {street: ScoreTally() for street in (*STREETS, ALL)}


def count(tallied: Mapping[str, ScoreTally], decision: RecordedDecision, kinds: NDArray[np.float64]) -> None:
    """Count a decision, with its predicted kinds float64 ``[kind]``, in the tallies of its street and of all streets."""
    predicted, scores = kinds.tolist(), log_likelihood(kinds).tolist()
    for street in (STREETS[decision.state.round], ALL):
        tallied[street].add(decision, predicted, scores)


class Agreement(NamedTuple):
    """Scores of a strategy and of plain frequencies by street: ``preflop``, ``flop``, ``turn``, ``river`` and ``all``.

    `surprises` are the decisions whose kind of action was predicted with the smallest probabilities, smallest first.
    """

    strategy: dict[str, ScoreTally]
    baseline: dict[str, ScoreTally]
    surprises: list[Prediction]


def agreement(
    predicted: Iterable[Prediction], baseline: Callable[[RecordedDecision], NDArray[np.float64]], surprises: int
) -> Agreement:
    """Return how well `predictions` predicted the decisions, those of one hand after each other.

    baseline: `FrequencyBaseline.kinds`, learnt from other decisions, or `FrequencyBaseline.without`. surprises: their number.
    """
    scores, plain = tallies(), tallies()
    likeliest_last: list[tuple[float, int, Prediction]] = []  # a heap; on equal terms the first decisions are kept
    for number, prediction in enumerate(predicted):
        decision, kinds = prediction.decision, prediction.kinds()
        count(scores, decision, kinds)
        count(plain, decision, baseline(decision))
        heapq.heappush(likeliest_last, (-float(kinds[decision.kind]), -number, prediction))
        if len(likeliest_last) > surprises:
            heapq.heappop(likeliest_last)
    return Agreement(scores, plain, [prediction for _, _, prediction in sorted(likeliest_last, reverse=True)])
