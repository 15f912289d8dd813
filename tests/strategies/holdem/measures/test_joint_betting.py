"""Which strategies the compiled engine seats, and at which games."""

import pytest

from limpet.configs.loading import load_game
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.holdem.measures.joint_betting import engine_seats


@pytest.mark.parametrize("game", ["draw5-pl-hu", "omaha-pl-hu"])
def test_rules_that_compiled_matches_lack_are_refused_for_every_player(game: str) -> None:
    strategy = load_bot("call", load_game(game)).build()
    with pytest.raises(ValueError, match="compiled matches have no draws"):
        engine_seats(strategy)


def test_a_player_that_is_no_table_is_refused() -> None:
    assert len(engine_seats(load_bot("call").build())) == 2
    with pytest.raises(ValueError, match="works its answers out"):
        engine_seats(load_bot("random").build())
