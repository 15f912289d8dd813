"""A response that learns from samples what the local best response to a bot does not see: what is bet after the next action.

The local best response values an action as if nobody bet again. Here samples of whole hands by full ranges are played on to
their ends, and what an action brought more or less than that value is remembered for decisions that are alike: by street,
position, raises, depth, the action, and the equity of the hand. Later samples play by values corrected so, which makes this
policy iteration by Monte Carlo from the local best response on. An approximate best response in the sense of Timbers et al.
2022 ("Approximate Exploitability"), with a table in place of their network.

A line that was not drawn counts as what was expected of it (baselines: Schmid et al. 2019, "Variance Reduction in Monte Carlo
CFR"), so that sampling does not bend the means.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import CALL, FOLD, Action, State
from limpet.strategies.base.strategy import HandKey, HandStrategy, Strategy, sized_raise
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.measures.line_play import (
    DEPTHS,
    FAINT,
    PAIRS,
    BettingLine,
    LinePlay,
    StartHands,
    both_positions,
    depth_index,
    first_line,
    follow_for,
    lbr_hands,
)
from limpet.strategies.opponents.opponent_model import best_rows
from limpet.strategies.players.lbr import Equities, LocalBestResponse, LocalBestResponseHand

EQUITY_BINS = 12
MOST_RAISES = 2
"""Number of raises on a street from which on decisions are not told apart by it."""
PRIOR = 20.0
"""Big blinds in the pots of samples for which the value of the local best response counts."""
EXPLORE = 0.2
"""Share of each hand that takes the actions alike while the response learns."""
ROUNDS = 10
"""Number of times that the response goes over to what it has learnt."""

Vector = NDArray[np.float64]


class LearntValues:
    """By how much actions were worth more than the local best response says, in parts of the pot, by kinds of decisions."""

    def __init__(self, sums: Vector) -> None:
        """sums: float64 ``[2, round, position, raises, depth, action, equity]``: weights, and corrections times weights."""
        weights, total = sums
        self.corrections = total / (weights + PRIOR)

    @staticmethod
    def shape(player: LocalBestResponse) -> tuple[int, ...]:
        """Return the shape of the sums for a response with the player's raises."""
        return 2, player.game.num_rounds, 2, MOST_RAISES + 1, len(DEPTHS), 1 + len(player.sizes), EQUITY_BINS


class Estimates(NamedTuple):
    """Expected values of a decision's actions.

    Attributes:
        actions: fold where it is legal, call, raises.
        local: float64 ``[action, 1326]``: values of the local best response, in chips more than folding.
        more: float64 ``[action, 1326]``: corrections of these values by what was learnt, in chips.
        cells: for each action but a fold its index into the corrections, up to the equity.
        bins: int64 ``[1326]``: the equity of each hand.
    """

    actions: tuple[Action, ...]
    local: Vector
    more: Vector
    cells: Mapping[Action, tuple[int, ...]]
    bins: NDArray[np.int64]

    @property
    def values(self) -> Vector:
        """Return float64 ``[action, 1326]``: the corrected values, in chips more than folding."""
        return self.local + self.more


class LearntResponseHand(LocalBestResponseHand):
    """Answers for one hand by learnt values."""

    def __init__(
        self, player: LocalBestResponse, position: int, opponent: HandStrategy, equities: Equities, learnt: LearntValues
    ) -> None:
        super().__init__(player, position, opponent, equities)
        self._learnt = learnt

    def values(self, state: State) -> tuple[tuple[Action, ...], Vector]:
        estimates = self.estimates(state)
        return estimates.actions, estimates.values

    def estimates(self, state: State) -> Estimates:
        """Return what the actions are expected to bring in a state in which the position acts."""
        actions, local = super().values(state)
        kind = (state.round, state.actor, min(state.raises, MOST_RAISES), depth_index(state))
        cells = {CALL: (*kind, 0)}
        for index, size in enumerate(self._player.sizes, 1):
            if (action := sized_raise(state, size)) is not None:
                cells[action] = (*kind, index)
        equity = (local[actions.index(CALL)] + state.to_call) / (state.pot + state.to_call)
        bins = np.clip((equity * EQUITY_BINS).astype(np.int64), 0, EQUITY_BINS - 1)
        more = np.zeros(local.shape)
        for row, action in zip(more, actions, strict=True):
            if action != FOLD:
                row += self._learnt.corrections[cells[action]][bins] * state.pot
        return Estimates(actions, local, more, cells, bins)


class LearningPlay(LinePlay):
    """One sample of whole hands, played to their ends and counted for what a response learns."""

    def __init__(self, key: HandKey, follow: Sequence[float], sums: Vector) -> None:
        """sums: as in `LearntValues`; what is learnt is added to them."""
        super().__init__(key, follow)
        self._sums = sums

    def values(self, root: BettingLine) -> Vector:
        """Return the chips of each of the position's hands from the beginning of a street on, as the response plays.

        float64 ``[1326]``, net, summed over the opponent's hands that share no card with it.
        """
        ends: list[BettingLine] = []
        betting = self._walk(root, root.pot * FAINT, ends)
        values = {id(end): chips for end, chips in zip(ends, self._checked_down_values(ends), strict=True)}
        for end, dealt in self._drawn(root, ends):
            (checked,) = self._checked_down_values([dealt])
            values[id(end)] = values[id(end)] + (self.values(dealt) - checked) * dealt.weight / end.weight
        return betting(values)

    def _walk(
        self, line: BettingLine, faint: float, ends: list[BettingLine]
    ) -> Callable[[Mapping[int, Vector]], Vector]:
        """Append the lines with which a street's betting ends, and return what makes a line's values from theirs, by `id`."""
        state = line.state
        if self._is_over(state):
            ends.append(end := self._named(line))
            return lambda values: values[id(end)]
        hand, estimates = line.players[state.actor], None
        if isinstance(hand, LearntResponseHand) and hand.slow(state):
            estimates = hand.estimates(state)
            actions, rows = estimates.actions, best_rows(estimates.values)
            taken = (1 - EXPLORE) * rows + EXPLORE / len(actions)
        else:
            answer = hand.rows(state)
            actions, taken = answer.actions, answer.dense(hand_space().blocked(state.board))
        followed = self._after(line, actions, taken, faint)
        below = [(index, chance, self._walk(after, faint, ends)) for index, chance, after in followed]

        def values(of_ends: Mapping[int, Vector]) -> Vector:
            drawn = [(index, chance, walk(of_ends)) for index, chance, walk in below]
            if estimates is not None:
                return np.asarray((rows * self._corrected(line, estimates, drawn)).sum(axis=0))
            chips = np.zeros(1326)
            for index, chance, won in drawn:
                # The opponent's actions are in the reach that values are sums over.
                chips += won / chance * (taken[index] if state.actor == self._position else 1)
            return chips

        return values

    def _corrected(self, line: BettingLine, estimates: Estimates, drawn: Sequence[tuple[int, float, Vector]]) -> Vector:
        """Return the chips of each action and hand, and learn from the actions that were drawn.

        drawn: the action's index, the chance with which it was drawn, and the chips of each hand.
        """
        state, spent = line.state, line.state.spent[self._position]
        total = hand_space().compatible(line.reach[1 - self._position]) * ~hand_space().blocked(state.board)
        weights = line.weight * line.reach[self._position] * total * state.pot / (PAIRS * state.game.big_blind)
        chips = (estimates.values - spent) * total
        for index, chance, won in drawn:
            chips[index] += (won - chips[index]) / chance
            if (action := estimates.actions[index]) != FOLD:
                brought = np.divide(won, total, out=np.zeros(1326), where=total > 0) + spent
                more = weights * (brought - estimates.local[index]) / state.pot
                cell = estimates.cells[action]
                self._sums[0][cell] += np.bincount(estimates.bins, weights, EQUITY_BINS)
                self._sums[1][cell] += np.bincount(estimates.bins, more, EQUITY_BINS)
        return chips


def learnt_hands(player: LocalBestResponse, bot: Strategy, sums: Vector) -> StartHands:
    """Return how hands of a response against a bot begin that has learnt `sums`, see `LearntValues`."""
    return lbr_hands(player, bot, "call", partial(LearntResponseHand, learnt=LearntValues(sums)))


def learn_set(player: LocalBestResponse, bot: Strategy, known: Vector, seed: int, number: int) -> Vector:
    """Return what a sample, fixed by its seed and number, adds to the sums of a response that has learnt `known`."""
    sums = np.zeros(known.shape)
    for key, players in both_positions(learnt_hands(player, bot, known), seed, number):
        LearningPlay(key, follow_for(bot), sums).values(first_line(State.start(bot.game), players))
    return sums
