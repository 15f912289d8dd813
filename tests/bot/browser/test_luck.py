"""A session without its luck: the running total of the page, and that of ``limpet aivat`` on the same hands."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from limpet.bot.browser.views.bot_luck import BotLuck
from limpet.bot.cli import main
from limpet.configs.loading import ConfigError, load_game
from limpet.dealer.matches.match import play_match
from limpet.dealer.matches.matchconfig import MatchConfig, resolve

GAME = load_game("holdem.nolimit.2p.reverse_blinds")


def test_hands_one_by_one_are_the_log_at_once(tmp_path: Path) -> None:
    asked = MatchConfig(name="luck", players=["call", "random"], game="holdem.nolimit.2p.reverse_blinds", hands=6)
    play_match(resolve(asked, tmp_path), tmp_path, True, False, lambda logs: None)
    log = tmp_path / "seating-1.log"
    words = ["aivat", str(log), "--bot", "call", "--guess", "equity", "--json", "--quiet", "--jobs", "1"]
    told = CliRunner().invoke(main, words)
    assert told.exit_code == 0, told.output
    wanted = {row["estimator"]: row["mbb_per_game"] for row in json.loads(told.stdout)["estimators"]}
    luck = BotLuck("call", GAME)
    won = [luck.won(line, "call") for line in log.read_text().splitlines() if line.startswith("STATE:")]
    assert len(won) == 6
    assert 1000 * sum(won) / len(won) / GAME.big_blind == pytest.approx(wanted["AIVAT"], abs=0.01)
    assert wanted["AIVAT"] != pytest.approx(wanted["raw"])


def test_bots_that_think_against_the_clock_are_refused() -> None:
    with pytest.raises(ConfigError, match="against the clock"):
        BotLuck("limpet", GAME)
