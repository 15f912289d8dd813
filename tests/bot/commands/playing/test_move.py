"""``limpet move``: the action of one state, as the bot would take it at a table."""

from pathlib import Path
from typing import Any

import pytest

from limpet.configs.loading import load_game
from limpet.protocol.messages import parse_match_state
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.players import simple
from tests.commands import json_of, printed, refused, run

DEFENCE = "MATCHSTATE:0:12:r300:AsAd|"


def test_the_action_is_the_one_of_the_table() -> None:
    bot = load_bot("formula")
    expected = Agent(bot.build(), bot.config.seed).decide(parse_match_state(DEFENCE, bot.game))
    assert printed("move", "formula", DEFENCE) == f"{expected}\n"


def test_probabilities_of_the_hand_held() -> None:
    found = [json_of("move", "kuhn", f"MATCHSTATE:0:{hand}:cr:Ks|") for hand in range(40)]
    assert {facts["action"] for facts in found} == {"f", "c"}  # a king calls one bet in three
    for facts in found:
        assert facts["hand"] == "Ks"
        assert sum(facts["probabilities"].values()) == pytest.approx(1)
        assert facts["probabilities"][facts["action"]] > 0
        assert not facts["missed"]
    assert found[3] == {
        **json_of("move", "kuhn", "MATCHSTATE:0:3:cr:Ks|"),
        "milliseconds": found[3]["milliseconds"],
    }


def test_a_seed_draws_anew() -> None:
    assert {printed("move", "kuhn", "MATCHSTATE:0:3:cr:Ks|", "--seed", seed) for seed in range(20)} == {"f\n", "c\n"}


def test_another_game(tmp_path: Path) -> None:
    path = tmp_path / "deep.game"
    path.write_text(str(load_game("holdem.nolimit.2p.reverse_blinds")).replace("20000 20000", "40000 40000"))
    assert printed("move", "raise", "MATCHSTATE:0:0:r39000:AsAd|", "--game", path) == "r40000\n"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("MATCHSTATE:0:0::AsAd|", "it is position 1's turn, not position 0's"),
        ("MATCHSTATE:0:0:f:AsAd|", "the hand is over"),
        ("MATCHSTATE:0:0:r300:|", "not shown its own cards"),
        ("MATCHSTATE:0:0:r300:AsAs|", "a card appears twice"),
        ("MATCHSTATE:0:0:x:AsAd|", "is not an action"),
        ("r300", "not MATCHSTATE:position:hand:betting:cards"),
    ],
)
def test_a_state_that_nobody_can_act_in_is_refused(line: str, message: str) -> None:
    assert message in refused("move", "call", line)


def test_an_unknown_bot_is_refused() -> None:
    assert "nobody" in refused("move", "nobody", DEFENCE)


def test_a_strategy_that_fails_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise ZeroDivisionError("odd")

    monkeypatch.setattr(simple.Call, "start_hand", fail)
    result = run("move", "call", DEFENCE)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "call has no answer: ZeroDivisionError: odd" in result.stderr
