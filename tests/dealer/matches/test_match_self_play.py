"""Shipped equilibria in self-play are worth what the games are worth: the whole chain of deals, rows, samples, payoffs."""

import math
from itertools import islice

import numpy as np
import pytest

from limpet.dealer.matches.inprocess import play_hands
from limpet.dealer.table.deals import Deals
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.botconfig import load_bot

VALUES = {"kuhn": -1 / 18, "leduc": -0.0856064241}


def check(bot: str, hands: int, deviations: float) -> None:
    """The first position's mean over hands with a fixed button, against its exact value."""
    loaded = load_bot(bot)
    agents = [Agent(loaded.build(), seed) for seed in (1, 2)]
    deals = islice(Deals(loaded.game, 5), hands)
    won = [hand.values[0] for hand in play_hands(loaded.game, agents, deals, fixed_button=True)]
    error = float(np.std(won, ddof=1)) / math.sqrt(hands)
    assert abs(float(np.mean(won)) - VALUES[bot]) < deviations * error
    assert all(agent.misses == 0 for agent in agents)


@pytest.mark.parametrize("bot", ["kuhn", pytest.param("leduc", marks=pytest.mark.slow)])
def test_game_values(bot: str) -> None:
    check(bot, 20_000, deviations=3.5)


@pytest.mark.slow
@pytest.mark.parametrize("bot", ["kuhn", "leduc"])
def test_game_values_in_a_million_hands(bot: str) -> None:
    check(bot, 1_000_000, deviations=1.96)
