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
from limpet.dealer.table.score import by_position
from limpet.protocol.draws import Draws, visible_draws
from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import Hole, MatchState
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

    A masked action checks or calls. A learner's fold ends its episode; the bots play the hand out only if one of them learns
    from it. Hands that end before the learner's first decision are dealt over; their winnings are
    in ``info["passed"]`` of `reset`.
    """

    metadata = {"render_modes": []}  # noqa: RUF012 - as the base class has it

    def __init__(
        self,
        game: GameDef | str = "leduc.limit.2p",
        opponents: str | Path | dict[str, Any] | Sequence[str | Path | dict[str, Any]] = ("random",),
        raises: Sequence[RaiseSize] = RAISES,
    ) -> None:
        """Seat the learner and the bots, whose configs are given from seat 1 on as `load_bot` takes them, or one for all.

        `raises` are those of a no-limit game: ``min``, ``max`` or pot fractions.

        Raises `ValueError` for another number of opponents, and `ConfigError` for a bot that cannot play the game.
        """
        self.hands = LearningHands(game, raises)
        others = self.hands.game.num_players - 1
        listed = [opponents] if isinstance(opponents, str | Path | dict) else list(opponents)
        named = listed * others if len(listed) == 1 else listed
        if len(named) != others:
            raise ValueError(f"{len(named)} opponents; the game seats {others} beside the learner")
        bots = [load_bot(bot, self.hands.game) for bot in named]
        self._agents = [Agent(bot.build(), bot.config.seed) for bot in bots]
        self.observation_space = observation_space(self.hands)
        self.action_space = Discrete(self.hands.num_actions)
        self._learns = any(agent.strategy.learns for agent in self._agents)
        self._seeded, self._position = False, -1

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
            self._position = position = self.hands.position(0)
            self._actors = by_position((None, *self._agents), self.hands.hand)
            holes = self.hands.deal_of_hand.holes
            hidden: tuple[Hole, ...] = ((),) * len(holes)
            self._seen = [(*hidden[:own], hole, *hidden[own + 1 :]) for own, hole in enumerate(holes)]
            self._others_act()
            if not self.hands.state.finished:
                return observe(self.hands, position), {"passed": passed}
            passed += self.hands.winnings[position]

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take an action, and let the bots act up to the next decision or the end of the hand.

        Raises ValueError before the first hand, and once the learner's hand is over.
        """
        hands, position = self.hands, self._position
        if position < 0:
            raise ValueError("no hand is dealt yet; reset deals the first one")
        if hands.state.actor != position:
            raise ValueError("the hand is over; reset deals the next one")
        hands.act(int(action))
        if hands.state.has_folded(position) and not self._learns:
            lost = -hands.state.paid[position] / hands.game.big_blind
            return observe(hands, position), lost, True, False, {}
        self._others_act()
        return observe(hands, position), hands.winnings[position], hands.state.finished, False, {}

    def action_masks(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Return bool ``[action]``: what is legal now, by the name that maskable learners ask for."""
        return self.hands.mask(self._position).astype(np.bool_)

    def _others_act(self) -> None:
        hands = self.hands
        draws: Draws = ()
        while (actor := hands.state.actor) >= 0 and (agent := self._actors[actor]):
            if hands.game.num_draws:
                draws = visible_draws(hands.state, hands.cards.draws, actor)
            hands.apply(agent.decide(MatchState(actor, hands.hand, hands.state, self._seen[actor], draws)))
        if actor < 0 and self._learns:
            holes, draws = hands.deal_of_hand.holes, hands.cards.draws
            for seat, agent in enumerate(self._agents, 1):
                agent.observe(MatchState(hands.position(seat), hands.hand, hands.state, holes, draws))


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
        self.agents: list[str] = []

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
        """Take the action of `agent_selection`; None for an agent of a hand that is over. Raises ValueError before the first."""
        if not self.agents:
            raise ValueError("no hand is being played; reset deals one")
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
