"""Plays every hand out from here by a model of both players, and takes the action that wins most on average.

The simulation player of Kebrle's thesis (2016), section 4.5, for all hands at once. Heads-up hold'em.

On one board the betting is not sampled but followed into every branch that the models give some probability, with the
opponent's range as a vector, so that one walk answers for all hands of the player at once. Branches that hardly ever happen
are played by lot, with their values scaled up, which keeps the mean right (Russian roulette).
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.configs.fitting import Misfit
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import CALL, FOLD, Action, State
from limpet.strategies.base.botconfig import bot_beside
from limpet.strategies.base.sampling import mix
from limpet.strategies.base.strategy import HandKey, HandStrategy, RaiseSize, Rows, Strategy, sized_raises
from limpet.strategies.cards import equity_kernels
from limpet.strategies.cards.handspace import hand_space, is_heads_up_holdem, require_no_antes
from limpet.strategies.cards.ranking_kernels import card_mask
from limpet.strategies.holdem.resolving.beliefs import Ranges, likelihood, on_board, starting_ranges, updated
from limpet.strategies.holdem.resolving.time_bank import BankRules, TimeBank
from limpet.strategies.opponents.opponent_model import best_rows
from limpet.strategies.players.resolve import Resolve

# --- Playing the hand out on sampled boards until time is up or the best action is clear.

Vector = NDArray[np.float64]
"""float64 ``[1326]``: a number for each hand, or ``[action, 1326]``."""

RIVERS = 3
"""Number of rivers that are played out after each turn card, from the flop."""
FEWEST = 6
"""Fewest boards that are played out, whatever the clock says, where there are as many."""
CHECK_EVERY = 8
"""Number of boards between two looks at how clear the best action is."""
CLEAR = 2.6
"""Standard errors by which an action must be behind the best to be ruled out: a two-sided 1 % of a normal distribution."""
ALIKE = 0.05
"""Difference in big blinds below which two actions count as equally good."""
SETTLED = 0.95
"""Share of the hands whose action must be clear for a simulation to stop early."""


@dataclass
class Policies:
    """How positions 0 and 1 play on in a hand, as probabilities for all hands; kept, because boards share their first streets."""

    hands: tuple[HandStrategy, HandStrategy]
    _kept: dict[tuple[str, tuple[int, ...]], tuple[tuple[Action, ...], Vector]] = field(default_factory=dict)

    def at(self, state: State) -> tuple[tuple[Action, ...], Vector]:
        """Return the actions of a state and float64 ``[action, 1326]``; columns of hands that the board blocks mean nothing."""
        key = (state.betting, state.board)
        if key not in self._kept:
            rows = self.hands[state.actor].rows(state)
            probabilities = rows.probabilities if rows.classes is None else rows.probabilities[:, rows.classes]
            self._kept[key] = (rows.actions, probabilities.astype(np.float64))
        return self._kept[key]


@dataclass
class PlayOut:
    """A walk over the betting that follows a decision of the actor of `root`, on one full board.

    Branches below the probability `cut` are played by lot, with `draws` as random numbers; 0 follows every branch.
    """

    root: State
    board: tuple[int, ...]
    policies: Policies
    cut: float
    draws: np.random.Generator

    def __post_init__(self) -> None:
        self.blocked = hand_space().blocked(self.board)
        self._live = int((~self.blocked).sum())
        self._mask = card_mask(np.array(self.board, np.int8), 5)

    def disjoint(self, reach: Vector) -> Vector:
        """Return the opponent's reach that each hand leaves possible; 0 for hands that the board blocks."""
        sums = np.empty(len(reach))
        equity_kernels.sum_disjoint(hand_space().holes, reach, sums)
        sums[self.blocked] = 0
        return sums

    def value(self, state: State, reach: Vector, own: Vector) -> Vector:
        """Return the chips that each hand wins more than by folding at the root, times the opponent's reach that is disjoint from it.

        reach: the opponent's hands' probabilities of being here. own: the same for the player's hands, for the cut alone;
        the mean of `own` and the sum of `reach` are 1 at the root.
        """
        if state.finished:
            return self._settled(state, reach)
        state = state.with_board(self.board)
        total = np.zeros(len(reach))
        is_own = state.actor == self.root.actor
        moved, still = (own, reach) if is_own else (reach, own)
        weight = float(still.sum()) / self._live
        for action, action_likelihood in zip(*self.policies.at(state), strict=True):
            probability = float(moved @ action_likelihood) * weight
            if probability <= 0 or (probability < self.cut and self.draws.random() * self.cut >= probability):
                continue
            scale = max(1.0, self.cut / probability)
            below = state.apply(action)
            if is_own:
                total += action_likelihood * self.value(below, reach * scale, own * action_likelihood)
            else:
                total += self.value(below, reach * action_likelihood * scale, own)
        return total

    def _settled(self, state: State, reach: Vector) -> Vector:
        me = self.root.actor
        back, disjoint = self.root.spent[me], self.disjoint(reach)
        if state.has_folded(me):
            return (back - state.spent[me]) * disjoint
        if state.has_folded(1 - me):
            return (back + state.spent[1 - me]) * disjoint
        wins, ties = np.zeros((2, len(reach)))
        equity_kernels.add_river_sums(self._mask, hand_space().holes, reach, wins, ties)
        return min(state.spent) * (2 * wins + ties - disjoint) + back * disjoint


def simulate(
    state: State, actions: tuple[Action, ...], reach: Vector, policies: Policies, most: int, cut: float,
    draws: np.random.Generator, stop: Callable[[], bool],
) -> tuple[Vector, int]:  # fmt: skip
    """Return the value of each action for every hand of the actor, if both play on by `policies`, and the number of boards.

    Values are float64 ``[action, 1326]``: chips won more than by folding, 0 for hands that leave no hand of the range.

    reach: the opponent's range, summing to 1. most: number of boards. cut, draws: see `PlayOut`. stop: asked after each
    board from the `FEWEST` on; once it is true, no further board is played out.
    """
    weights = np.zeros(len(reach))
    won: list[NDArray[np.float64]] = []
    boards, after = completed_boards(state, most, draws), [state.apply(action) for action in actions]
    for board in boards:
        play_out = PlayOut(state, board, policies, cut if len(boards) > 1 else 0.0, draws)
        live = reach * ~play_out.blocked
        own = (~play_out.blocked).astype(np.float64)
        won.append(np.array([play_out.value(below, live, own) for below in after]))
        weights += play_out.disjoint(live)
        late = len(won) >= FEWEST and stop()
        if late or (len(won) % CHECK_EVERY == 0 and is_settled(np.array(won), weights, ALIKE * state.game.big_blind)):
            break
    total = np.sum(won, axis=0)
    return np.divide(total, weights, out=np.zeros(total.shape), where=weights > 0), len(won)


def is_settled(won: NDArray[np.float64], weights: Vector, alike: float) -> bool:
    """Return whether nearly all hands have an action that is clearly best, or best by less than can matter.

    won: float64 ``[board, action, hand]``: values times the opponent's disjoint reach; weights: ``[hand]``: the sum of that reach.
    alike: difference in chips that does not matter.
    """
    boards = len(won)
    live = weights > 0
    means = won.mean(axis=0)[:, live] / (weights[live] / boards)
    best = means.argmax(axis=0)
    top = np.take_along_axis(won[:, :, live], best[None, None, :], axis=1)
    behind = (top - won[:, :, live]) / (weights[live] / boards)
    mean, error = behind.mean(axis=0), behind.std(axis=0, ddof=1) / np.sqrt(boards)
    clear = (mean >= CLEAR * error) | (mean + CLEAR * error <= alike)
    return bool(clear.all(axis=0).mean() >= SETTLED)


def completed_boards(state: State, most: int, draws: np.random.Generator) -> list[tuple[int, ...]]:
    """Return different full boards that begin with the state's, in random order; all of them where there are few.

    Cards are spread evenly over the ranks. From the flop, `RIVERS` boards in a row have the same turn card, so that they
    share the work on the turn.
    """
    rest = [card for card in state.game.deck if card not in state.board]
    if len(state.board) == 5:
        return [state.board]
    if len(state.board) == 4:
        return [(*state.board, river) for river in _spread_cards(rest, most, draws)]
    boards = []
    for turn in _spread_cards(rest, math.ceil(most / RIVERS), draws):
        rivers = _spread_cards([card for card in rest if card != turn], RIVERS, draws)
        boards += [(*state.board, turn, river) for river in rivers]
    return boards[:most]


def _spread_cards(cards: list[int], count: int, draws: np.random.Generator) -> list[int]:
    """Return different cards at equal distances from each other, in random order; each is as likely as any other."""
    count = min(count, len(cards))
    at = ((draws.random() + np.arange(count)) * len(cards) / count).astype(int)
    ordered = sorted(cards)
    return [ordered[index] for index in draws.permutation(at)]


# --- The player.

LEAST_SECONDS = 0.05
"""With fewer seconds for a decision nothing is simulated."""
BOARDS = 5
"""Counter of the random numbers that draw boards."""


class SimulationPlayer(Strategy):
    """From the flop on takes the best action against a model of the opponent; before it plays as another bot does."""

    class Options(Strategy.Options, frozen=True, forbid_unknown_fields=True):
        """Options of a simulation, see docs/betting-profiles.md. Bots are named as a config that ships or a file beside this.

        model: the bot that the opponent is taken to be.
        policy: the bot as which this player itself goes on after the action that is tried; None for the model.
        preflop: the bot that plays before the flop.
        sizes: raises that are tried: pot fractions, ``min`` or ``max``.
        boards: most boards that are played out for a decision.
        seconds: most seconds for a decision; None looks at no clock, so that play can be repeated.
        bank: the time of a match, from which each decision gets a share; it lowers `seconds` where that would be too much.
        cut: branches of the betting that happen less often than this are played by lot.
        doubt: share of the opponent's range that stays as it was at each of the opponent's actions.
        temperature: 0 plays the best action; above, an action's probability falls by e for each so many big blinds that
            it is behind the best.
        """

        model: str = "formula"
        policy: str | None = None
        preflop: str = "chart"
        sizes: tuple[RaiseSize, ...] = (0.5, 1.0, 2.0)
        boards: Annotated[int, msgspec.Meta(ge=1)] = 18
        seconds: Annotated[float, msgspec.Meta(gt=0)] | None = None
        bank: BankRules | None = None
        cut: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.1
        doubt: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.1
        temperature: Annotated[float, msgspec.Meta(ge=0)] = 0.0

    def __init__(self, game: GameDef, options: Options, folder: Path) -> None:
        super().__init__(game, options, folder)
        require_no_antes(game)
        if not is_heads_up_holdem(game, whole=True):
            raise ValueError(
                "hands are played out in heads-up hold'em; player 'profile' plays hold'em with more players, and 'formula' all that the "
                "highest hand wins"
            )
        self.options = options
        names = (options.model, options.policy or options.model, options.preflop)
        self.bots = model, policy, preflop = [bot_beside(name, game, folder) for name in names]
        played = model.build()
        self.strategies = (played, played if options.policy is None else policy.build(), preflop.build())
        for bot, strategy in zip((model, policy), self.strategies, strict=False):
            if isinstance(strategy, SimulationPlayer | Resolve):
                raise Misfit(f"{bot.name} thinks at each decision; hands are played out by a bot that answers at once")
        self.bank = None if options.bank is None else TimeBank(options.bank)
        self.boards = self.simulated = self.unsimulated = 0

    def start_hand(self, key: HandKey) -> "SimulationHand":
        if self.bank is not None:
            self.bank.hand_begins()
        return SimulationHand(self, key)

    def warm_up(self) -> None:
        for strategy in self.strategies:
            strategy.warm_up()
        *_, last = State.start(self.game).called_down(self.game.deck[:5])
        SimulationHand(self, HandKey(0, 0, 0)).values(last)

    def report(self) -> dict[str, int]:
        """Return how many decisions were simulated, on how many boards in all, and how many had no time for it."""
        return {"simulated": self.simulated, "boards": self.boards, "unsimulated": self.unsimulated}

    def checksums(self) -> tuple[str, ...]:
        return tuple(bot.fingerprint(strategy) for bot, strategy in zip(self.bots, self.strategies, strict=True))

    def describe(self) -> dict[str, str]:
        return {"model": str(self.bots[0].path), "before the flop": str(self.bots[2].path)}

    def seconds(self, state: State) -> float | None:
        """Return the seconds that a decision may take; None where no clock is looked at."""
        if self.bank is None:
            return self.options.seconds
        share = self.bank.share(state.pot / self.game.big_blind)
        return share if self.options.seconds is None else min(share, self.options.seconds)


class SimulationHand(HandStrategy):
    """The answers in one hand, kept for each state that was asked about."""

    def __init__(self, player: SimulationPlayer, key: HandKey) -> None:
        self._player = player
        self._key = key
        model, policy, preflop = player.strategies
        own, other = policy.start_hand(key), model.start_hand(key._replace(position=1 - key.position))
        self._policies = (other, own) if key.position else (own, other)
        self._preflop = preflop.start_hand(key)
        self._rows: dict[State, Rows] = {}
        self._ranges: dict[State, Ranges] = {}

    def slow(self, state: State) -> bool:
        return state.round > 0 or self._preflop.slow(state)

    def rows(self, state: State) -> Rows:
        if state.round == 0:
            return self._preflop.rows(state)
        if state not in self._rows:
            seconds = self._player.seconds(state)
            if seconds is not None and seconds < LEAST_SECONDS:
                self._player.unsimulated += 1
                self._rows[state] = self._policies[state.actor].rows(state)
            else:
                (actions, values), temperature = self.values(state), self._player.options.temperature
                self._rows[state] = Rows(actions, chosen_actions(values, temperature * state.game.big_blind))
        return self._rows[state]

    def values(self, state: State) -> tuple[tuple[Action, ...], Vector]:
        """Return the actions of a state and the simulated value of each, float64 ``[action, 1326]``."""
        player, options = self._player, self._player.options
        began, seconds = time.monotonic(), player.seconds(state)
        actions = ((FOLD,) if state.can_fold else ()) + (CALL,) + sized_raises(state, options.sizes)
        reach = self._range_of(state)[1 - state.actor]
        draws = np.random.default_rng(mix(*self._key, BOARDS, state.actions_in_hand))
        hands = self._policies
        if state.actor != self._key.position:  # asked about the other seat: both play as they would from there
            hands = SimulationHand(player, self._key._replace(position=state.actor))._policies
        values, boards = simulate(
            state, actions, reach, Policies(hands), options.boards, options.cut, draws,
            lambda: seconds is not None and time.monotonic() - began >= seconds,
        )  # fmt: skip
        player.simulated += 1
        player.boards += boards
        if player.bank is not None:
            player.bank.take(time.monotonic() - began)
        return actions, values

    def _range_of(self, state: State) -> Ranges:
        """Return both ranges at a state, if both positions played by the model and the policy."""
        if state.parent is None or state.action is None:
            return starting_ranges(state.board)
        if state not in self._ranges:
            before = state.parent.with_board(state.board)
            ranges = self._range_of(before)
            if before.actor != self._key.position or before.round == 0:
                rows = self._policies[before.actor].rows(before)
                action_likelihood = likelihood(rows, before, state.action, ranges[before.actor])
                ranges = updated(ranges, before.actor, action_likelihood, self._player.options.doubt)
            self._ranges[state] = on_board(ranges, state.board)
        return self._ranges[state]


def chosen_actions(values: NDArray[np.float64], temperature: float) -> NDArray[np.float32]:
    """Return float32 ``[action, hand]``: probabilities from values in chips, by softmax; temperature 0 takes the best."""
    if temperature == 0:
        return best_rows(values)
    weights = np.exp((values - values.max(axis=0)) / temperature)
    return np.asarray(weights / weights.sum(axis=0), np.float32)
