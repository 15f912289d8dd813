"""A bot in a tournament: a strategy for every hand, and random numbers that no two hands share."""

from pathlib import Path

import pytest

from limpet.configs.loading import ConfigError
from limpet.dealer.contests.sng_rules import TournamentState, load_structure, next_hand, sample_games
from limpet.strategies.base.botconfig import Entrant, load_bot
from limpet.strategies.base.sampling import mix


def test_every_hand_has_a_seed_of_its_own() -> None:
    structure = load_structure("turbo", 3)
    entrant = Entrant(load_bot("random"), seed=5)
    games = [
        next_hand(structure, TournamentState(hand, (500,) * 3, 0, ()), number) for number in (0, 1) for hand in (0, 1)
    ]
    agents = [entrant.agent(hand.game) for hand in games]
    assert [agent.seed for agent in agents] == [mix(5, number, hand) for number in (0, 1) for hand in (0, 1)]
    assert [agent.strategy.game for agent in agents] == [hand.game for hand in games]
    assert entrant.agent(games[3].game, games[3].situation).seed == agents[3].seed
    assert entrant.agent(sample_games(2)[0]).seed == 5  # no tournament


def test_a_bot_that_cannot_play_a_hand_says_which(tmp_path: Path) -> None:
    entrant = Entrant(load_bot("kuhn"))
    with pytest.raises(
        ConfigError, match=r"kuhn.yaml: kuhn cannot play hold'em of 3 players with stacks of 600 900 1200"
    ):
        entrant.agent(sample_games(3)[1])
    path = tmp_path / "mine.yaml"
    path.write_text("name: mine\ngame: holdem.nolimit.3p\nplayer: jam\noptions: {jam: 3}\n")
    with pytest.raises(ConfigError, match=r"mine.yaml:4: options.jam"):
        Entrant(load_bot(path))
