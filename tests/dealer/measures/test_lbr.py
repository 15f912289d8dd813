"""``limpet lbr --full-ranges``: a table that goes on where it stopped, and is compared deal by deal."""

from functools import partial
from pathlib import Path

import msgspec
import pytest

from limpet.configs.loading import ConfigError
from limpet.dealer.measures import line_measure
from limpet.dealer.measures.lbr import ranges_file, ranges_terms, won_by_ranges
from limpet.dealer.measures.line_measure import MeasuredLine, MeasureOrder, hours_to_narrow, measured, parts_won
from limpet.strategies.base.botconfig import load_bot
from tests import commands
from tests.commands import json_of
from tests.strategies.base.resolve_players import resolver

run = partial(commands.run, "lbr")


def ignore(done: int, total: int) -> None:
    pass


def test_the_table(tmp_path: Path) -> None:
    words = (
        "fold",
        "raise",
        "--full-ranges",
        "--start",
        "preflop",
        "--hands",
        "3",
        "--seed",
        "4",
        "--jobs",
        "1",  # processes have a test below
        "--output",
        tmp_path,
    )
    fold, other = json_of("lbr", *words)
    assert fold["mbb_per_game"] == pytest.approx(750) and fold["reached"] == 1
    assert fold["less_than_first"] is None and fold["duplicate_sets"] == 3
    assert sum(part["mbb_per_game"] for part in fold["parts"] if part["kind"] in ("limped", "raised")) == pytest.approx(
        750
    )
    assert other["less_than_first"] == pytest.approx(750 - other["mbb_per_game"]) and other["start"] == "preflop"
    text = (tmp_path / "results.md").read_text()
    assert "|fold|fcpa|preflop|3|+750.0|" in text and "--hands=3 --seed=4 --full-ranges --before=call" in text
    assert "|fold|fcpa|preflop|over|+750.0|" in text
    assert "LBR wins" in run(*words).output
    assert len((tmp_path / "fold-fcpa-preflop-ranges-4.jsonl").read_text().splitlines()) == 4


def test_it_goes_on_behind_a_torn_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bot = load_bot("fold")
    terms = ranges_terms(bot, "fc", "turn", 1)
    path = ranges_file(bot, tmp_path, terms)
    taken: list[int] = []
    real = line_measure.measure_one

    def watched(order: MeasureOrder, number: int) -> MeasuredLine:
        taken.append(number)
        return real(order, number)

    monkeypatch.setattr(line_measure, "measure_one", watched)
    told: list[tuple[int, int]] = []
    two = measured(bot, terms, 2, lambda *done: told.append(done), path)
    assert told == [(0, 2), (1, 2), (2, 2)]
    whole = path.read_bytes()
    path.write_bytes(whole[:-5])
    again = measured(bot, terms, 3, ignore, path)
    assert taken == [0, 1, 1, 2] and [each.won for each in again[:2]] == [each.won for each in two]
    assert len(path.read_bytes().splitlines()) == 4
    assert measured(bot, terms, 1, ignore, path) == again[:1] and len(taken) == 4


@pytest.mark.parametrize(
    "shared", [{"jobs": 2}, pytest.param({"cluster": "local:2", "jobs": 2}, marks=pytest.mark.slow)]
)
def test_processes_and_clusters_take_the_same_samples(shared: dict[str, int | str]) -> None:
    bot = load_bot("call")
    terms = ranges_terms(bot, "fcpa", "preflop", 1)
    alone, by_others = measured(bot, terms, 3, ignore), measured(bot, terms, 3, ignore, **shared)  # type: ignore[arg-type]
    for one, other in zip(alone, by_others, strict=True):  # other numbers of threads add up in another order
        assert other.won == pytest.approx(one.won, rel=1e-5)
    assert [each.number for each in by_others] == [0, 1, 2]


def test_other_terms_and_broken_files_are_named(tmp_path: Path) -> None:
    bot = load_bot("fold")
    terms = ranges_terms(bot, "fc", "turn", 1)
    path = ranges_file(bot, tmp_path, terms)
    measured(bot, terms, 1, ignore, path)
    with pytest.raises(ConfigError, match=r"ranges-1.jsonl:1: measured with another iterations"):
        measured(bot, ranges_terms(bot, "fc", "turn", 1, iterations=5), 1, ignore, path)
    text = path.read_text()
    path.write_text(text.replace(',"dealing":2', "", 1))  # as in older files
    with pytest.raises(ConfigError, match=r"ranges-1.jsonl:1: measured with another dealing"):
        measured(bot, terms, 1, ignore, path)
    path.write_text(text)
    path.write_text(path.read_text() + "what\n")
    with pytest.raises(ConfigError, match=r"ranges-1.jsonl:3: cannot read it"):
        measured(bot, terms, 2, ignore, path)
    path.write_text("{}\n")
    with pytest.raises(ConfigError, match=r"ranges-1.jsonl:1: cannot read it"):
        measured(bot, terms, 2, ignore, path)
    assert (
        ranges_file(bot, tmp_path, ranges_terms(bot, "fc", "turn", 1, "bot")).name
        == "fold-fc-turn-as-bot-ranges-1.jsonl"
    )


def test_games_without_full_ranges_are_refused() -> None:
    with pytest.raises(ConfigError, match="leave out --full-ranges"):
        ranges_terms(load_bot("leduc"), "fc", "turn", 1)


def dealt(number: int, won: float, *kinds: tuple[str, str, float]) -> MeasuredLine:
    return MeasuredLine(number, (won, won), (0.5, 0.25, 0.125), kinds, 0.5)


def test_differences_are_taken_deal_by_deal() -> None:
    bot = load_bot("fold")
    terms = ranges_terms(bot, "fc", "turn", 1)
    first = [dealt(n, float(n)) for n in range(4)]
    less = [dealt(n, n - 0.2) for n in range(4)]
    found = won_by_ranges(bot, terms, less, first)
    assert found.less_than_first == pytest.approx(200) and found.reached == 0.25 and found.seconds_a_set == 0.5
    assert found.less_interval_95 == pytest.approx((200, 200))
    low, high = found.interval_95
    assert low is not None and high is not None and low < 1300 < high
    hours = (
        2 / 3600 * ((high - low) / 100) ** 2
    )  # two seconds for this interval, and the square of how much wider it is
    assert found.hours_to_50 == pytest.approx(hours) == hours_to_narrow(less, found.interval_95)
    one = won_by_ranges(bot, terms, less[:1], None)
    assert one.interval_95 == (None, None) and one.less_interval_95 == (None, None) and one.hours_to_50 is None


def test_each_table_of_kinds_adds_up_to_the_whole() -> None:
    sets = [dealt(0, 3, ("raised", "over", 1.0), ("raised", "1 to 4", 2.0)), dealt(1, 1, ("limped", "over 40", 1.0))]
    found = [(part.kind, part.mbb_per_game) for part in parts_won(sets)]
    assert found == [("limped", 500), ("raised", 1500), ("over", 500), ("over 40", 500), ("1 to 4", 1000)]
    by_street = [msgspec.structs.replace(each, streets=(0.5, 0.25, 0, each.won[0] - 0.75)) for each in sets]
    streets = [(part.kind, part.mbb_per_game) for part in parts_won(by_street)][len(found) :]
    assert streets == [("preflop", 500), ("flop", 250), ("turn", 0), ("river", 1250)]
    assert len(parts_won([sets[0], by_street[1]])) == len(found)  # an older file has none


def test_of_a_bot_that_solves_only_answers_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A set of 56 sizes asks about some hundred flops, each of which would hold tens of megabytes."""
    player, bot = resolver(tmp_path, monkeypatch), load_bot("call")
    monkeypatch.setattr(line_measure, "build_without_clock", lambda *_: player)
    line_measure._opened.cache_clear()
    line_measure._opened(MeasureOrder(str(bot.path.resolve()), bot.game, ranges_terms(bot, "fcpa", "river", 1)))
    line_measure._opened.cache_clear()
    assert not player.resolver.whole
