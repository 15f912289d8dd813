"""A PettingZoo environment: every seat is a learner's. Needs the extra ``gym``."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Dict, Discrete
from pettingzoo import AECEnv

from limpet.dealer.learning.gymnasium_env import Observation, learning_hands, observation_space, observe
from limpet.dealer.learning.hands import RAISES
from limpet.protocol.gamedef import GameDef
from limpet.strategies.base.strategy import RaiseSize


class TableEnv(AECEnv[str, Observation, Any]):  # type: ignore[misc]
    """Agents ``player_0`` and on are the seats of a match; each episode is a hand, with rewards in big blinds at its end.

    Seats move on by one position each hand. A masked action checks or calls.
    """

    metadata = {"name": "limpet_v0", "render_modes": [], "is_parallelizable": False}  # noqa: RUF012

    def __init__(self, game: GameDef | str = "leduc.limit.2p", raises: Sequence[RaiseSize] = RAISES) -> None:
        """`raises` are those of a no-limit game: ``min``, ``max`` or pot fractions."""
        super().__init__()
        self.hands = learning_hands(game, raises)
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
