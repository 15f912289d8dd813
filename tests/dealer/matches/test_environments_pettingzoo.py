"""The PettingZoo environment: its own tests, and seeds that deal the dealer's hands."""

import random

import pytest

pytest.importorskip("pettingzoo", reason="needs the extra gym")

from pettingzoo.test import api_test, seed_test

from limpet.dealer.table.deals import Deals
from limpet.environments import TableEnv


# Its tests warn of every observation that is not a lone array, and of environments that draw no pictures.
@pytest.mark.filterwarnings("ignore:Observation:UserWarning", "ignore:Environment has not defined a render:UserWarning")
@pytest.mark.parametrize(
    "game", ["kuhn.limit.3p", "leduc.limit.2p", "holdem.nolimit.2p.reverse_blinds", "holdem.nolimit.6p", "draw-triple"]
)
def test_pettingzoo_finds_nothing_wrong(game: str) -> None:
    api_test(TableEnv(game), num_cycles=500)
    seed_test(lambda: TableEnv(game), num_cycles=200)


def test_seats_move_on_and_are_paid_by_position() -> None:
    env, rng = TableEnv("kuhn.limit.3p"), random.Random(1)
    deals = Deals(env.hands.game, 9)
    for hand in range(40):
        env.reset(seed=9 if hand == 0 else None)
        assert env.hands.deal_of_hand == next(deals)
        assert env.agent_selection == f"player_{hand % 3}"
        while not env.terminations[env.agent_selection]:
            mask = env.observe(env.agent_selection)["action_mask"]
            env.step(rng.choice([number for number, bit in enumerate(mask) if bit]))
        for seat, agent in enumerate(env.possible_agents):
            assert env.rewards[agent] == env.hands.winnings[env.hands.position(seat)]
        assert sum(env.rewards.values()) == pytest.approx(0)
