"""``limpet lbr --full-ranges``: a table that goes on where it stopped, and is compared deal by deal."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from limpet.bot.commands import lbr as lbr_cli
from limpet.configs.loading import ConfigError
from limpet.dealer.measures import lbr
from limpet.dealer.measures.lbr import Dealt, measure_ranges, ranges_terms, won_by_ranges
from limpet.strategies.botconfig import load_bot
from limpet.strategies.measures.duels.full_ranges import RangeSet, lbr_sets
from limpet.strategies.players.lbr import LocalBestResponse
from limpet.strategies.strategy import Strategy


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(lbr_cli.lbr, [str(word) for word in words])


def test_the_table(tmp_path: Path) -> None:
    words = ("fold", "raise", "--full-ranges", "--hands", "3", "--seed", "4", "--output", tmp_path)
    done = run(*words, "--json")
    assert done.exit_code == 0, done.output
    fold, other = json.loads(done.stdout)
    assert fold["mbb_per_game"] == pytest.approx(750) and fold["reached"] == 0.5
    assert fold["less_than_first"] is None and fold["duplicate_sets"] == 3
    assert other["less_than_first"] == pytest.approx(750 - other["mbb_per_game"]) and other["start"] == "turn"
    text = (tmp_path / "results.md").read_text()
    assert "|fold|fcpa|turn|3|+750.0|" in text and "--hands=3 --seed=4 --full-ranges --rivers=4" in text
    assert "LBR wins" in run(*words).output
    assert len((tmp_path / "fold-fcpa-turn-ranges-4.jsonl").read_text().splitlines()) == 4


def test_it_goes_on_behind_a_torn_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bot = load_bot("fold")
    terms = ranges_terms(bot, "fc", "turn", 1, 4, None)
    firsts: list[int] = []

    def watched(player: LocalBestResponse, bot: Strategy, seed: int, rivers: int, skip: int) -> Iterator[RangeSet]:
        firsts.append(skip)
        return lbr_sets(player, bot, seed, rivers, skip)

    monkeypatch.setattr(lbr, "lbr_sets", watched)
    told: list[tuple[int, int]] = []
    two = measure_ranges(bot, tmp_path, terms, 2, lambda *done: told.append(done))
    assert told == [(0, 2), (1, 2), (2, 2)]
    path = tmp_path / "fold-fc-turn-ranges-1.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])
    again = measure_ranges(bot, tmp_path, terms, 3, lambda *done: None)
    assert firsts == [0, 1] and [each.won for each in again[:2]] == [each.won for each in two]
    assert len(path.read_bytes().splitlines()) == 4
    assert measure_ranges(bot, tmp_path, terms, 1, lambda *done: None) == again[:1] and len(firsts) == 2


def test_other_terms_and_broken_files_are_named(tmp_path: Path) -> None:
    bot = load_bot("fold")
    terms = ranges_terms(bot, "fc", "turn", 1, 4, None)
    measure_ranges(bot, tmp_path, terms, 1, lambda *done: None)
    with pytest.raises(ConfigError, match=r"ranges-1.jsonl:1: measured with another rivers"):
        measure_ranges(bot, tmp_path, ranges_terms(bot, "fc", "turn", 1, 5, None), 1, lambda *done: None)
    path = tmp_path / "fold-fc-turn-ranges-1.jsonl"
    path.write_text(path.read_text() + "what\n")
    with pytest.raises(ConfigError, match=r"ranges-1.jsonl:3: cannot read it"):
        measure_ranges(bot, tmp_path, terms, 2, lambda *done: None)
    path.write_text("{}\n")
    with pytest.raises(ConfigError, match=r"ranges-1.jsonl:1: cannot read it"):
        measure_ranges(bot, tmp_path, terms, 2, lambda *done: None)


@pytest.mark.parametrize(("name", "start"), [("leduc", "turn"), ("fold", "flop")])
def test_what_takes_too_long_is_refused(name: str, start: str) -> None:
    with pytest.raises(ConfigError, match="leave out --full-ranges"):
        ranges_terms(load_bot(name), "fc", start, 1, 4, None)  # type: ignore[arg-type]


def test_differences_are_taken_deal_by_deal() -> None:
    bot = load_bot("fold")
    terms = ranges_terms(bot, "fc", "turn", 1, 4, None)
    first = [Dealt((float(n), float(n)), (True, False), 0.5) for n in range(4)]
    less = [Dealt((n - 0.5, n + 0.1), (True, False), 0.5) for n in range(4)]
    found = won_by_ranges(bot, terms, less, first)
    assert found.less_than_first == pytest.approx(200) and found.reached == 0.5 and found.seconds_a_set == 0.5
    assert found.less_interval_95 == pytest.approx((200, 200))
    low, high = found.interval_95
    assert low is not None and high is not None and low < 1300 < high
    one = won_by_ranges(bot, terms, less[:1], None)
    assert one.interval_95 == (None, None) and one.less_interval_95 == (None, None)
