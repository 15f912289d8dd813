"""Environments of other libraries: Gymnasium's has one learner at a table of our bots, PettingZoo's a learner on each seat.

They need the extra ``gym``.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary
from pettingzoo import AECEnv

from limpet.dealer.matches.learning_hands import RAISES, LearningHands
from limpet.protocol.draws import visible_draws
from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import MatchState
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.strategy import RaiseSize

Observation = dict[str, Any]
"""``observation``, see `LearningHands`, and ``action_mask``, int8 ``[action]``."""


def observation_space(hands: LearningHands) -> Dict:
    """Return the space of observations of all seats."""
    return Dict(
        {"observation": Box(0.0, 1.0, (hands.size,), np.float32), "action_mask": MultiBinary(hands.num_actions)}
    )


def observe(hands: LearningHands, position: int) -> Observation:
    """Return what a position observes."""
    return {"observation": hands.observation(position), "action_mask": hands.mask(position)}


class SeatEnv(gymnasium.Env[Observation, np.int64]):
    """One learner plays hands against bots; each episode is a hand, and the reward at its end is in big blinds.

    A masked action checks or calls. Hands that end before the learner's first decision are dealt over; their winnings are
    in ``info["passed"]`` of `reset`.
    """

    metadata = {"render_modes": []}  # noqa: RUF012 - as the base class has it

    def __init__(
        self,
        game: GameDef | str = "leduc.limit.2p",
        opponents: Sequence[str | Path | dict[str, Any]] = ("random",),
        raises: Sequence[RaiseSize] = RAISES,
    ) -> None:
        """Seat the learner and the bots, whose configs are given from seat 1 on as `load_bot` takes them, or one for all.

        `raises` are those of a no-limit game: ``min``, ``max`` or pot fractions.

        Raises `ValueError` for another number of opponents, and `ConfigError` for a bot that cannot play the game.
        """
        self.hands = LearningHands(game, raises)
        others = self.hands.game.num_players - 1
        named = list(opponents) * others if len(opponents) == 1 else list(opponents)
        if len(named) != others:
            raise ValueError(f"{len(named)} opponents; the game seats {others} beside the learner")
        bots = [load_bot(bot, self.hands.game) for bot in named]
        self._agents = [Agent(bot.build(), bot.config.seed) for bot in bots]
        self.observation_space = observation_space(self.hands)
        self.action_space = Discrete(self.hands.num_actions)
        self._seeded = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Deal the next hand up to the learner's decision. With a seed the match of that seed begins, as at the dealer."""
        super().reset(seed=seed)
        if seed is not None or not self._seeded:
            self.hands.seed(int(self.np_random.integers(2**32)) if seed is None else seed)
            self._seeded = True
            for agent in self._agents:
                agent.start_match()
        passed = 0.0
        while True:
            self.hands.deal()
            self._others_act()
            if not self.hands.state.finished:
                return observe(self.hands, self.hands.position(0)), {"passed": passed}
            passed += self.hands.winnings[self.hands.position(0)]

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take an action, and let the bots act up to the next decision or the end of the hand."""
        self.hands.act(int(action))
        self._others_act()
        position = self.hands.position(0)
        return (
            observe(self.hands, position), self.hands.winnings[position], self.hands.state.finished, False, {},
        )  # fmt: skip

    def action_masks(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Return bool ``[action]``: what is legal now, by the name that maskable learners ask for."""
        return self.hands.mask(self.hands.position(0)).astype(np.bool_)

    def _others_act(self) -> None:
        hands, holes = self.hands, self.hands.deal_of_hand.holes
        while (actor := hands.state.actor) >= 0 and (seat := hands.seat(actor)):
            seen = tuple(hole if position == actor else () for position, hole in enumerate(holes))
            draws = visible_draws(hands.state, hands.cards.draws, actor) if hands.game.num_draws else ()
            hands.apply(self._agents[seat - 1].decide(MatchState(actor, hands.hand, hands.state, seen, draws)))
        if actor < 0:
            for seat, agent in enumerate(self._agents, 1):
                agent.observe(MatchState(hands.position(seat), hands.hand, hands.state, holes, hands.cards.draws))


gymnasium.register("limpet/Seat-v0", f"{__name__}:SeatEnv")


class TableEnv(AECEnv[str, Observation, Any]):  # type: ignore[misc]
    """Agents ``player_0`` and on are the seats of a match; each episode is a hand, with rewards in big blinds at its end.

    Seats move on by one position each hand. A masked action checks or calls.
    """

    metadata = {"name": "limpet_v0", "render_modes": [], "is_parallelizable": False}  # noqa: RUF012

    def __init__(self, game: GameDef | str = "leduc.limit.2p", raises: Sequence[RaiseSize] = RAISES) -> None:
        """`raises` are those of a no-limit game: ``min``, ``max`` or pot fractions."""
        super().__init__()
        self.hands = LearningHands(game, raises)
        self.possible_agents = [f"player_{seat}" for seat in range(self.hands.game.num_players)]
        self._space, self._actions = observation_space(self.hands), Discrete(self.hands.num_actions)
        self._seeded = False

    def observation_space(self, agent: str) -> Dict:
        return self._space

    def action_space(self, agent: str) -> Discrete:
        return self._actions

    def observe(self, agent: str) -> Observation:
        return observe(self.hands, self.hands.position(self.possible_agents.index(agent)))

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal the next hand. With a seed the match of that seed begins, with the cards that the dealer deals."""
        if seed is not None or not self._seeded:
            self.hands.seed(int(np.random.default_rng().integers(2**32)) if seed is None else seed)
            self._seeded = True
        self.hands.deal()
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self._actor()

    def step(self, action: Any) -> None:
        """Take the action of `agent_selection`; None for an agent of a hand that is over."""
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        hands = self.hands
        hands.act(int(action))
        if not hands.state.finished:
            self.agent_selection = self._actor()
            return
        for seat, agent in enumerate(self.agents):
            self.rewards[agent] = self._cumulative_rewards[agent] = hands.winnings[hands.position(seat)]
            self.terminations[agent] = True

    def _actor(self) -> str:
        return self.possible_agents[self.hands.seat(self.hands.state.actor)]
