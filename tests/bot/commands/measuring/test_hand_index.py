"""``limpet hands index`` and ``find``: what they print, and how mistakes end."""

from pathlib import Path

import pytest

from limpet.protocol.archives.hands import open_hands
from tests.bot.commands.measuring.test_hands import LOG, THREE, fails, ran
from tests.commands import json_of


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("index") / "hands.sqlite"
    result = ran("index", LOG, THREE, "--to", path)
    assert (result.exit_code, result.stdout) == (0, f"80 hands of 2 files, 0 skipped: {path}\n")
    return path


def test_statistics_of_an_index_are_printed_as_those_of_files(made: Path) -> None:
    for options in (["--by", "position", "--json"], ["--csv", "--player", "P*"], ["--most", "1"]):
        asked, expected = ran("stats", made, *options), ran("stats", LOG, THREE, *options)
        assert (asked.exit_code, asked.stdout, asked.stderr) == (0, expected.stdout, expected.stderr)
    nobody = ran("stats", made, "--player", "P0", "--seats", 6)
    # The name is there: the number of players is not.
    assert nobody.exit_code == 1 and "nobody fits: capitals and small letters of names count; " in nobody.stderr
    assert "such as 80-120" in ran("stats", made, "--depth", "5").stderr


def test_unchanged_files_are_left_alone(made: Path) -> None:
    told = json_of("hands", "index", LOG, THREE, "--to", made)
    assert told == {"files": 2, "read": 0, "hands": 80, "skipped": 0, "unreadable": []}


def test_found_hands_can_be_replayed(made: Path) -> None:
    (hand,) = json_of(
        "hands", "find", made, "--player", "P0", "--position", "SB", "--seats", 3, "--largest", "--most", 1
    )
    ((place, record),) = open_hands(THREE).chosen(hand["number"])
    assert (hand["file"], hand["line"], hand["player"]) == (str(THREE), place.number, "P0")
    assert [player["net"] for player in hand["players"]] == list(record.values)
    assert record.names[0] == "P0"
    result = ran("find", made, "--street", "river", "--showdown", "--most", 2)
    assert result.stdout.count("seed0.log:") == 2
    assert "more than 2 hands" in result.stderr
    assert ran("find", made, "--since", "2020-01-01").exit_code == 1


def test_mistakes_are_one_line(made: Path, tmp_path: Path) -> None:
    fails("counted alone", "stats", made, LOG)
    fails("counted alone", "stats", made, "--game", "leduc")
    fails("write preflop, flop", "find", made, "--street", "fifth")
    fails("no index of hands", "find", LOG)
    fails("write the index to another", "index", LOG, "--to", LOG)
    empty = tmp_path / "empty.txt"
    empty.write_text("STATE:1:cc:|:1|1:a|b\n")
    fails("which game this is", "index", LOG, empty, "--to", tmp_path / "other.sqlite")
    assert json_of("hands", "index", LOG, "--to", tmp_path / "other.sqlite")["read"] == 0
