"""A database of hands holds what its files hold: whatever was stopped, changed or read again in between."""

import gzip
import itertools
import os
import random
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from limpet.configs.loading import ConfigError
from limpet.dealer.reports import hand_index
from limpet.dealer.reports.hand_database import HandSearch, found, opened, remarks, tracked
from limpet.dealer.reports.hand_index import HandIndex, Indexed, Indexer
from limpet.dealer.reports.tracker_statistics import Tracker, Wanted
from limpet.protocol.archives.acpc import LogWriter
from limpet.protocol.archives.blocks import unpacked
from limpet.protocol.archives.convert import Converted, Format
from limpet.protocol.archives.hand_file import renamed
from limpet.protocol.archives.hands import open_hands
from limpet.protocol.handhistory import big_blind, contested_pot
from limpet.protocol.matchlog import HandRecord
from tests.dealer.helpers import VECTORS
from tests.protocol.archives import (
    test_read_irc,
    test_read_phh,
    test_read_pokerstars_ggpoker,
    test_read_pokerstars_winamax,
)
from tests.protocol.random_hands import random_hand

LOGS = [VECTORS / f"holdem.nolimit.{players}.seed0.log" for players in ("2p.reverse_blinds", "3p")]
EVERYBODY = Wanted()
ALIASES = {"player *": "Somebody", "P1": "Somebody"}


def stop_at(calls: int) -> Callable[[], bool]:
    count = itertools.count(1)
    return lambda: next(count) >= calls


def go_on() -> bool:
    return False


def put(database: Path, *files: Path, look: Callable[[], bool] = go_on) -> list[Indexed]:
    with opened(database, writing=True) as connection:
        indexer = Indexer(connection)
        return [indexer.add(open_hands(path, None, True), look) for path in files]


def hands_of(files: list[Path]) -> Iterator[HandRecord]:
    for path in files:
        for _, hand in open_hands(path, None, True).hands():
            yield hand


def compare(
    database: Path, files: list[Path], wanted: Wanted = EVERYBODY, aliases: dict[str, str] | None = None
) -> None:
    """Assert that the database's statistics are those of the files."""
    expected = Tracker(wanted)
    for hand in hands_of(files):
        expected.add(hand._replace(names=tuple(renamed(name, aliases or {}) for name in hand.names)))
    with opened(database) as connection:
        tracker, names = tracked(connection, wanted, aliases or {}, 1000)
    assert (tracker.hands, names, tracker.players()) == (expected.hands, expected.players(), expected.players())
    for name, by in zip(names, itertools.cycle(("position", "players", "depth"))):
        table, other = tracker.table(name, by), expected.table(name, by)
        assert (table.hands, list(table.counts)) == (other.hands, list(other.counts))
        assert all(np.array_equal(table.counts[group], other.counts[group]) for group in other.counts)


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two logs, PokerStars' text and PHH of random hands with uneven stacks, one of them packed."""
    folder = tmp_path_factory.mktemp("archive")
    source = random.Random(5)
    text = folder / "random.log"
    hands = [random_hand(source, number, True) for number in range(24)]
    writer = LogWriter()
    text.write_text("".join(writer.hand_text(hand) for hand in hands))
    paths = [*LOGS, text]
    targets: tuple[tuple[Format, str], ...] = (("pokerstars", "random.txt"), ("phh", "random.phhs"))
    for target, name in targets:
        path = folder / name
        path.write_text("".join(written for _, written in Converted([open_hands(text)], target, None, None)))
        paths.append(path)
    packed = folder / "packed.txt.gz"
    packed.write_bytes(gzip.compress(paths[3].read_bytes()))
    return [*paths, packed]


@pytest.fixture(scope="module")
def database(archive: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("index") / "hands.sqlite"
    assert all(done.is_new and done.is_whole for done in put(path, *archive))
    return path


@pytest.mark.parametrize(
    "wanted",
    [
        Wanted(),
        Wanted(["P*", "player 1?"]),
        Wanted(positions=["SB", "CO"], seats=[6, 2]),
        Wanted(depth=(40, 120)),
        Wanted(["player *"], ["BTN"], [6], (0, 150.5)),
        Wanted(["nobody"]),
    ],
)
def test_statistics_are_those_of_the_files(archive: list[Path], database: Path, wanted: Wanted) -> None:
    compare(database, archive, wanted)


def test_players_under_other_names(archive: list[Path], database: Path) -> None:
    compare(database, archive, aliases=ALIASES)
    compare(database, archive, Wanted(["Some*"]), ALIASES)


def test_places_of_hands_lead_to_their_texts(archive: list[Path], database: Path) -> None:
    with opened(database) as connection:
        hands = list(found(connection, HandSearch(Wanted()), 10_000))
    assert [hand.number for hand in hands] == [hand.hand for hand in hands_of(archive)]
    for path in archive:
        located = {place.number: place.text for place, _ in open_hands(path).hands()}
        with unpacked(path) as (file, _):
            for hand in hands:
                if hand.file == str(path):
                    assert hand.offset is not None and hand.length is not None
                    file.seek(hand.offset)
                    assert file.read(hand.length).decode().startswith(located[hand.line])


@pytest.mark.parametrize("largest", [False, True])
def test_found_hands_meet_the_wishes(archive: list[Path], database: Path, largest: bool) -> None:
    search = HandSearch(Wanted(positions=["BTN"], seats=[6]), least=1.5, most=80, showdown=False, won=True)
    expected = []
    for hand in hands_of(archive):
        state, pot = hand.state, contested_pot(hand.state) / big_blind(hand.state.game)
        if len(hand.names) == 6 and 1.5 <= pot <= 80 and not state.showdown and hand.values[5] > 0:
            expected.append((hand.names[5], pot, hand.names))
    with opened(database) as connection:
        hands = list(found(connection, search, 10_000, largest))
        assert (
            list(found(connection, HandSearch(search.wanted, won=True), 3))
            == list(found(connection, HandSearch(search.wanted, won=True), 5))[:3]
        )
    told = [(hand.player, hand.pot / hand.big_blind, tuple(player.name for player in hand.players)) for hand in hands]
    assert told == (sorted(expected, key=lambda one: -one[1]) if largest else expected)
    assert len(told) > 3


def test_what_was_stopped_goes_on_where_it_was(
    archive: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hand_index, "BATCH", 5)
    database = tmp_path / "hands.sqlite"
    calls = {path: 0 for path in archive}
    for _ in range(100):
        done = []
        for path in archive:
            done += put(database, path, look=stop_at(3))
            calls[path] += done[-1].is_new
            if not done[-1].is_whole:
                break
        if done[-1].is_whole:
            break
    assert all(count > 1 for count in calls.values())
    for wanted in (Wanted(), Wanted(depth=(40, 120))):
        compare(database, archive, wanted)
    assert [one.is_new for one in put(database, *archive)] == [False] * len(archive)


def test_changed_files_are_read_again(archive: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hand_index, "BATCH", 5)
    database, changing, other = tmp_path / "hands.sqlite", tmp_path / "a.txt", tmp_path / "b.log"
    texts = archive[3].read_text().split("\n\n\n")
    other.write_text(LOGS[1].read_text())
    changing.write_text("\n\n\n".join(texts[:20]))
    put(database, changing, other)
    for count in (25, 10):  # stopped within, or read again in one go
        changing.write_text("\n\n\n".join(texts[:count]))
        os.utime(changing, ns=(count, count))
        put(database, changing, other, look=stop_at(3 if count == 25 else 1000))
        with opened(database) as connection:
            assert [*remarks(connection)] == (
                [f"{changing}: not read to its end; the same `limpet hands index` goes on"] * (count == 25)
            )
    assert [one.is_new for one in put(database, changing, other)] == [False, False]
    for wanted in (Wanted(["player*"]), Wanted(["player*"], depth=(40, 120))):
        compare(database, [other, changing], wanted)


def test_hands_of_every_format_are_found_again(tmp_path: Path) -> None:
    (tmp_path / "gg.txt").write_text(
        f"{test_read_pokerstars_ggpoker.CASH}\n\n{test_read_pokerstars_ggpoker.TOURNAMENT}"
    )
    (tmp_path / "winamax.txt").write_text(
        f"{test_read_pokerstars_winamax.CASH}\n\n{test_read_pokerstars_winamax.TOURNAMENT}"
    )
    (tmp_path / "one.phh").write_text(test_read_phh.SIX)
    paths = [
        tmp_path / "gg.txt",
        tmp_path / "winamax.txt",
        tmp_path / "one.phh",
        test_read_irc.written(tmp_path / "holdem"),
    ]
    database = tmp_path / "hands.sqlite"
    assert [done.hands for done in put(database, *paths)] == [2, 2, 1, 1]
    compare(database, paths)
    with opened(database) as connection:
        hands = list(found(connection, HandSearch(EVERYBODY), 100))
    assert [hand.format for hand in hands] == ["GGPoker"] * 2 + ["Winamax"] * 2 + ["PHH", "IRC"]
    for hand in hands:
        index = HandIndex(Path(hand.file))
        *_, count = index.extend()
        assert count == sum(one.file == hand.file for one in hands)
        ((place, record),) = index.hands(index.number_at(hand.line), 1)
        assert (record.hand, place.number) == (hand.number, hand.line)


def test_hands_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    log = tmp_path / "bad.log"
    lines = LOGS[0].read_text().splitlines(keepends=True)
    log.write_text("".join([*lines[:8], "STATE:4:r:AsKs|2c2d:1|-1:a|b\n", *lines[8:]]))
    database = tmp_path / "hands.sqlite"
    (done,) = put(database, log)
    assert done.skipped == 1
    with opened(database) as connection:
        (said,) = remarks(connection)
    assert said.startswith(f"{log}:9: ")


def test_other_files_and_mixed_games_are_refused(tmp_path: Path) -> None:
    database = tmp_path / "hands.sqlite"
    put(database, LOGS[0], VECTORS / "leduc.limit.2p.seed0.log")
    with opened(database) as connection, pytest.raises(ConfigError, match="other streets"):
        tracked(connection, Wanted(), {}, 5)
    other = tmp_path / "other.sqlite"
    sqlite3.connect(other).execute("CREATE TABLE x(y)").connection.commit()
    with pytest.raises(ConfigError, match="no index of hands"), opened(other, writing=True):
        pass
    (tmp_path / "text").write_text("no database, " * 200)
    with pytest.raises(ConfigError, match="no index of hands"), opened(tmp_path / "text"):
        pass
