"""Plays every hand out from here by a model of both players, and takes the action that wins most on average.

The simulation player of Kebrle's thesis (2016), section 4.5, for all hands at once. Heads-up hold'em.
"""

import time
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.configs.fitting import Misfit
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import CALL, FOLD, State
from limpet.strategies.base.botconfig import bot_beside
from limpet.strategies.base.sampling import mix
from limpet.strategies.base.strategy import HandKey, HandStrategy, RaiseSize, Rows, Strategy, sized_raises
from limpet.strategies.cards.handspace import is_holdem
from limpet.strategies.holdem.resolving.beliefs import Ranges, likelihood, on_board, starting_ranges, updated
from limpet.strategies.holdem.resolving.time_bank import BankRules, TimeBank
from limpet.strategies.opponents.bet_ahead import best_rows
from limpet.strategies.opponents.play_out import ActionValues, Policies, simulate
from limpet.strategies.players.resolve import Resolve

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
        if not (is_holdem(game, whole=True) and game.num_players == 2):
            raise ValueError(
                "hands are played out in heads-up hold'em; player 'profile' plays hold'em with more players"
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
                result, temperature = self.values(state), self._player.options.temperature
                chosen = chosen_actions(result.values, temperature * state.game.big_blind)
                self._rows[state] = Rows(result.actions, chosen)
        return self._rows[state]

    def values(self, state: State) -> ActionValues:
        """Return the simulated value of each action in a state, for all hands."""
        player, options = self._player, self._player.options
        began, seconds = time.monotonic(), player.seconds(state)
        actions = ((FOLD,) if state.can_fold else ()) + (CALL,) + sized_raises(state, options.sizes)
        reach = self._range_of(state)[1 - state.actor]
        draws = np.random.default_rng(mix(*self._key, BOARDS, state.actions_in_hand))
        hands = self._policies
        if state.actor != self._key.position:  # asked about the other seat: both play as they would from there
            hands = SimulationHand(player, self._key._replace(position=state.actor))._policies
        result = simulate(
            state, actions, reach, Policies(hands), options.boards, options.cut, draws,
            lambda: seconds is not None and time.monotonic() - began >= seconds,
        )  # fmt: skip
        player.simulated += 1
        player.boards += result.boards
        if player.bank is not None:
            player.bank.take(time.monotonic() - began)
        return result

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
