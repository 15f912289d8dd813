"""What is made ready before a bot connects."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from limpet.bot.client.prepare import prepare
from limpet.configs.loading import ConfigError
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.records import MAGIC, Journal


def test_a_bot_that_solves_keeps_its_rows_in_the_file_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    strategy = load_bot("kuhn").build()
    journal = Journal(strategy.game, None, None)
    monkeypatch.setattr(strategy, "journal", journal, raising=False)
    monkeypatch.setattr(strategy, "warm_up_seat", journal.begin)
    bot = SimpleNamespace(build=lambda: strategy, config=SimpleNamespace(seed=3, name="solver"))
    monkeypatch.setattr("limpet.bot.client.prepare.load_bot", lambda *words: bot)
    assert prepare("solver", rows=tmp_path / "rows").strategy is strategy
    assert (tmp_path / "rows").read_bytes() == MAGIC


def test_other_bots_have_no_rows_to_keep(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="this bot keeps no rows"):
        prepare("kuhn", rows=tmp_path / "rows")
