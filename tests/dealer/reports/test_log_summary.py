"""Summaries of logs: counted again by hand, compared with the match's own result, and duplicate deals recognised."""

import json
import random
from array import array
from pathlib import Path

import msgspec
import numpy as np
import pytest

from limpet.common.statistics import estimate
from limpet.dealer.matches.match import run_match
from limpet.dealer.matches.matchconfig import MatchConfig, resolve
from limpet.dealer.reports.log_summary import Collector, LogSummary, PlayerSummary
from limpet.dealer.reports.log_sums import (
    ALL,
    CALL,
    CHECK,
    FOLD,
    POT_EDGES,
    RAISE,
    Columns,
    LogSums,
    betting_facts,
    decisions,
)
from limpet.protocol.archives import blocks
from limpet.protocol.archives.acpc import LogStream
from limpet.protocol.archives.hands import PokerStarsFile
from limpet.protocol.archives.write_pokerstars import PokerStarsTable
from limpet.protocol.errors import ProtocolError
from limpet.protocol.matchlog import Transaction
from tests.dealer.helpers import VECTORS, game_of, load, recordings
from tests.oracles.match_log import read_log
from tests.protocol.walks import after

LOGS = recordings(".seed0.log")


def summed(
    *paths: Path, transactions: dict[Path, Path] | None = None, largest: int = 5, game: str | None = None
) -> LogSummary:
    collector = Collector(largest)
    for path in paths:
        collector.add(LogStream(path, load(game) if game else None), (transactions or {}).get(path))
    return collector.summary()


def player(summary: LogSummary, name: str) -> PlayerSummary:
    return next(player for player in summary.players if player.name == name)


# --- what a betting sequence says


def test_facts_of_a_no_limit_hand() -> None:
    end = after(load("holdem.nolimit.2p.reverse_blinds"), "cr300c/cr600c/cc/r2000f")
    assert tuple(decisions(end)) == (
        (1, CALL), (0, RAISE), (1, CALL),
        (0, 4 + CHECK), (1, 4 + RAISE), (0, 4 + CALL),
        (0, 8 + CHECK), (1, 8 + CHECK),
        (0, 12 + RAISE), (1, 12 + FOLD),
    )  # fmt: skip
    facts = betting_facts(end)
    assert (facts.round, facts.pot, facts.showdown, len(facts.counters)) == (3, 1200, False, 2 * 4 * 4)
    assert facts.counters[CALL] == 0 and facts.counters[4 + CALL] == 1


def test_facts_of_hands_that_end_early() -> None:
    walk = betting_facts(after(load("holdem.nolimit.3p"), "ff"))
    assert (walk.round, walk.pot) == (0, 100)
    assert betting_facts(after(load("holdem.nolimit.3p"), "fcc/cc/cc/cc")).showdown
    all_in = betting_facts(after(load("holdem.nolimit.2p.reverse_blinds"), "r20000c///"))
    assert (all_in.round, all_in.pot, all_in.showdown) == (3, 40000, True)


# --- recorded logs, counted again


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parent.parent.name}-{path.name}")
def test_recorded_logs(path: Path) -> None:
    game, log = game_of(path), read_log(path.read_text(), game_of(path))
    summary = summed(path)
    assert log.score is not None
    assert (summary.hands, summary.deals, summary.sample, summary.matches) == (40, 40, "hand", ("gv",))
    assert {p.name: p.result.chips for p in summary.players} == pytest.approx(
        dict(zip(log.score.names, log.score.values, strict=True))
    )
    assert summary.showdown == sum(hand.state.showdown for hand in log.hands) / 40
    assert sum(summary.streets.values()) == pytest.approx(1)
    for found in summary.players:
        chips = [hand.values[hand.names.index(found.name)] for hand in log.hands]
        alone = estimate(np.array(chips) * 1000 / game.big_blind)
        assert found.result.mbb_per_game == pytest.approx(alone.mean)
        assert found.result.interval_95 == pytest.approx(alone.interval)
        for parts in (found.streets, found.pots):
            assert sum(part.hands for part in parts) == 40
            assert sum(part.mbb_per_game for part in parts) == pytest.approx(alone.mean)
        assert sum(place.chips for place in found.positions.values()) == pytest.approx(sum(chips))
        assert sum(place.hands for place in found.positions.values()) == 40
        assert sum(street.decisions for street in found.actions) == sum(
            step.parent is not None and hand.names[step.parent.actor] == found.name
            for hand in log.hands
            for step in hand.state.path()
        )
        for street in found.actions:
            assert street.decisions == 0 or street.fold + street.check + street.call + street.raise_ == pytest.approx(1)


def test_largest_pots_can_be_found_again() -> None:
    path = VECTORS / "holdem.limit.2p.reverse_blinds.seed0.log"
    lines = path.read_text().splitlines()
    found = summed(path, largest=3).largest_pots
    assert [pot.pot for pot in found] == sorted((pot.pot for pot in found), reverse=True) and len(found) == 3
    assert all(lines[pot.line - 1] == pot.text and pot.text.startswith(f"STATE:{pot.hand}:") for pot in found)
    assert found[0].pot == summed(path).pots.largest
    assert summed(path, largest=0).largest_pots == ()


def test_logs_of_different_games_are_not_mixed() -> None:
    with pytest.raises(ProtocolError, match="its game is not that of"):
        summed(VECTORS / "kuhn.limit.2p.seed0.log", VECTORS / "leduc.limit.2p.seed0.log")


def test_a_log_without_hands(tmp_path: Path) -> None:
    path = tmp_path / "empty.log"
    path.write_text("# name/game/hands/seed x kuhn.limit.2p.game 10 0\n")
    with pytest.raises(ProtocolError, match="no hands"):
        summed(path)


# --- duplicate


def played(folder: Path, game: str, players: list[str], duplicate: bool = True, hands: int = 60) -> Path:
    config = MatchConfig("m", players, hands, 3, duplicate, game=game)
    run_match(resolve(config, folder), folder / "m", "in-process", False, lambda logs: None)
    return folder / "m"


@pytest.mark.parametrize(
    ("game", "players"),
    [("kuhn.limit.2p", ["random", "call"]), ("leduc.nolimit.2p", ["raise", "random"])],
)
def test_the_seatings_of_a_duplicate_match_give_its_own_result(tmp_path: Path, game: str, players: list[str]) -> None:
    folder = played(tmp_path, game, players)
    result = json.loads((folder / "result.json").read_text())
    logs = sorted(folder.glob("*.log"))
    summary = summed(*logs)
    assert (summary.sample, summary.deals, summary.hands) == ("duplicate set", 60, 60 * len(logs))
    for expected in result["players"]:
        found = player(summary, expected["name"]).result
        assert found.chips == pytest.approx(expected["chips"])
        assert found.mbb_per_game == pytest.approx(expected["mbb_per_game"])
        assert found.interval_95 == pytest.approx(expected["interval_95"])
    # The order of the files does not matter, nor whether they are one.
    whole = folder / "whole.log"
    whole.write_text("".join(log.read_text() for log in logs))
    for same in (summed(*reversed(logs)), summed(whole)):
        assert {p.name: p.result for p in same.players} == {p.name: p.result for p in summary.players}


def test_six_seatings_of_three_players(tmp_path: Path) -> None:
    folder = played(tmp_path, "kuhn.limit.3p", ["random", "call", "raise"], hands=20)
    summary = summed(*sorted(folder.glob("*.log")))
    assert (summary.deals, summary.hands) == (20, 120)
    result = json.loads((folder / "result.json").read_text())
    for expected in result["players"]:
        assert player(summary, expected["name"]).result.interval_95 == pytest.approx(expected["interval_95"])


def test_halves_that_are_numbered_on(tmp_path: Path) -> None:
    folder = played(tmp_path, "leduc.limit.2p", ["random", "call"])
    first, second = (path.read_text().splitlines() for path in sorted(folder.glob("*.log")))
    on = [line.replace(f"STATE:{at}:", f"STATE:{60 + at}:", 1) for at, line in enumerate(second[4:-1])]
    whole = folder / "whole.log"
    whole.write_text("\n".join([*first[:-1], *on, ""]))
    summary = summed(whole)
    assert (summary.hands, summary.deals, summary.sample) == (120, 60, "duplicate set")
    assert player(summary, "random").result == player(summed(*sorted(folder.glob("seating-*.log"))), "random").result


def test_other_cards_are_no_duplicate(tmp_path: Path) -> None:
    folder = played(tmp_path, "leduc.limit.2p", ["random", "call"], duplicate=False)
    log = folder / "seating-1.log"
    lines = log.read_text().splitlines()
    other = folder / "other.log"
    # One card of one hand is another.
    at = next(n for n, line in enumerate(lines) if ":Kh|Qs" in line)
    other.write_text("\n".join([*lines[:at], lines[at].replace(":Kh|Qs", ":Ah|Qs"), *lines[at + 1 :], ""]))
    assert summed(log, log).deals == 60
    assert summed(log, other).deals == 120
    # Without seeds a few equal hands prove nothing, ten do.
    for kept, deals in ((9, 18), (10, 10)):
        short = folder / f"{kept}.log"
        short.write_text("\n".join([lines[0].rpartition(" ")[0], *lines[4 : 4 + kept], ""]))
        assert summed(short, short, game="leduc.limit.2p").deals == deals


def test_a_half_that_was_cut_short_still_counts_by_deals(tmp_path: Path) -> None:
    folder = played(tmp_path, "leduc.limit.2p", ["random", "call"])
    first, second = sorted(folder.glob("seating-*.log"))
    lines = second.read_text().splitlines()
    second.write_text("\n".join([*lines[:34], ""]))
    summary = summed(first, second)
    assert (summary.hands, summary.deals) == (90, 60)
    chips: dict[int, list[float]] = {}
    for path in (first, second):
        for hand in read_log(path.read_text(), load("leduc.limit.2p")).hands:
            chips.setdefault(hand.hand, []).append(hand.values[hand.names.index("call")])
    alone = estimate([1000 * float(np.mean(values)) for values in chips.values()])
    assert player(summary, "call").result.interval_95 == pytest.approx(alone.interval)


# --- decision times


def transactions_of(path: Path, seed: int) -> tuple[str, dict[str, list[int]]]:
    """A transaction log of random times for a recorded log, and the times of each player."""
    source = random.Random(seed)
    lines: list[str] = []
    times: dict[str, list[int]] = {}
    now = 1_795_236_160_000_000
    for hand in read_log(path.read_text(), game_of(path)).hands:
        for step in hand.state.path():
            if step.parent is not None and step.action is not None:
                micros = source.randrange(10_000_000)
                times.setdefault(hand.names[step.parent.actor], []).append(micros)
                lines.append(str(Transaction(step.action, hand.hand, now, now + micros)))
                now += micros
    return "".join(f"{line}\n" for line in lines), times


def test_what_is_missing_of_a_match_is_told(tmp_path: Path) -> None:
    """A cut seating or a lost one leaves deals that not everybody held."""
    config = MatchConfig(name="test", players=["call", "raise"], game="leduc.limit.2p", hands=30, duplicate=True)
    run_match(resolve(config, tmp_path), tmp_path, "in-process", False, lambda logs: None)
    first, second = (tmp_path / f"seating-{number}.log" for number in (1, 2))
    assert summed(first, second).notes == ()
    lines = second.read_text().splitlines(keepends=True)
    second.write_text("".join(lines[:-12]))  # the score and eleven hands
    assert summed(first, second).notes == (
        f"{second}: 19 of the 30 hands that its header tells",
        (
            "11 of 30 deals were not played in all 2 seatings: the cards of these are not evened out; see whether a log "
            "is missing or was cut off"
        ),
    )
    whole = first.read_text()
    first.write_text(whole + whole[: whole.index("STATE")])  # a header again, as some dealers write on going on
    assert summed(first).notes == ()


def test_decision_times(tmp_path: Path) -> None:
    log = VECTORS / "holdem.nolimit.3p.seed0.log"
    text, times = transactions_of(log, 5)
    path = tmp_path / "x.tlog"
    path.write_text(text + "c 40 1.000001 2.000001\nf 40 1.0000")  # a hand that was not finished, and a torn line
    summary = summed(log, transactions={log: path})
    assert set(times) == {"P0", "P1", "P2"}
    for name, micros in times.items():
        found = player(summary, name).times
        assert found is not None
        assert found.decisions == len(micros)
        assert found.mean_ms == pytest.approx(np.mean(micros) / 1000)
        assert found.longest_ms == max(micros) / 1000
        assert found.median_ms == pytest.approx(np.median(micros) / 1000)
        assert found.total_s == pytest.approx(sum(micros) / 1e6)
    assert all(p.times is None for p in summed(log).players)


def test_a_transaction_log_of_another_match_is_refused(tmp_path: Path) -> None:
    log = VECTORS / "holdem.nolimit.2p.reverse_blinds.seed0.log"
    path = tmp_path / "x.tlog"
    text, _ = transactions_of(log, 5)
    first, _, rest = text.partition("\n")
    path.write_text(f"c{first[first.index(' ') :]}\n{rest}")
    with pytest.raises(ProtocolError, match=r"x\.tlog: hand 0 has the actions .* name the transaction log"):
        summed(log, transactions={log: path})


def test_hands_without_transactions_are_left_out(tmp_path: Path) -> None:
    log = VECTORS / "holdem.nolimit.2p.reverse_blinds.seed0.log"
    text, times = transactions_of(log, 5)
    lines = [line for line in text.splitlines() if line.split()[1] not in ("3", "17")]
    path = tmp_path / "x.tlog"
    path.write_text("\n".join([*lines, ""]))
    summary = summed(log, transactions={log: path})
    found = [p.times.decisions for p in summary.players if p.times]
    assert sum(found) == len(lines) < sum(len(micros) for micros in times.values())


def test_rates_count_each_hands_own_big_blind_and_a_pot_on_a_bound_is_in_the_group_below() -> None:
    """The same chips at blinds of 100 and of 50: pots of 2 and 4 big blinds, of which 2 is a bound."""
    facts, columns, sums = (
        betting_facts(after(load("holdem.nolimit.2p.reverse_blinds"), "cc/cc/cc/cc")),
        Columns(),
        LogSums(),
    )
    assert facts.pot == 200 and POT_EDGES[:2] == (2, 5)
    for big_blind in (100, 50):
        columns.add(facts, (100.0, -100.0), big_blind, array("i", [0, 1]), array("B", [0, 1]))
    sums.add(columns, np.arange(2))
    assert [sums.groups[player, ALL, 0].rate for player in (0, 1)] == [1000.0 + 2000.0, -3000.0]
    assert sums.pot_groups == {0: 1, 1: 1}


# --- Large archives are summed up by several processes, with the same result as by one


def archive(folder: Path) -> Path:
    log = read_log((VECTORS / "holdem.nolimit.3p.seed0.log").read_text(), load("holdem.nolimit.3p"))
    table = PokerStarsTable()
    texts = [table.hand_text(hand, f"table {number // 7}") for number, hand in enumerate(log.hands)]
    texts[5] = texts[5].replace("Total pot", "Total pit")
    path = folder / "hands.txt"
    path.write_text("".join(texts))
    return path


def rounded(summary: LogSummary) -> object:
    def numbers(value: object) -> object:
        if isinstance(value, dict):
            return {key: numbers(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [numbers(inner) for inner in value]
        return round(value, 6) if isinstance(value, float) else value

    return numbers(msgspec.to_builtins(summary))


def test_parts_add_up_to_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "PIECE_CHARACTERS", 5000)
    path, aliases = archive(tmp_path), {"P2": "third"}
    whole, parts = Collector(3), Collector(3)
    whole.add(PokerStarsFile(path, None, True, aliases=aliases))
    parts.add_large(PokerStarsFile(path, None, True, aliases=aliases), aliases)
    found = whole.summary()
    assert found.skipped == 1 and found.hands == 39 and "third" in {player.name for player in found.players}
    assert rounded(parts.summary()) == rounded(found)
