"""``limpet hands``: what it prints and writes, how hands are picked, and how mistakes end."""

import json
import re
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pokerkit
import pytest
from click.testing import Result
from hypothesis import given, settings
from hypothesis import strategies as st

from limpet.configs.loading import ConfigError
from limpet.dealer.reports.log_filter import (
    Criteria,
    betting_pattern,
    hand_ranges,
    hole_test,
    position_number,
    street_number,
)
from limpet.protocol.archives.acpc import definition_comment
from limpet.protocol.cards import parse_cards
from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord, Transaction
from tests.commands import json_of, printed, refused, run
from tests.dealer.helpers import VECTORS, load
from tests.oracles.match_log import read_log
from tests.protocol.archives.test_read_pokerstars import CASH, FIRST, RAKED

LOG = VECTORS / "holdem.nolimit.2p.reverse_blinds.seed0.log"
THREE = VECTORS / "holdem.nolimit.3p.seed0.log"
GAME = load("holdem.nolimit.2p.reverse_blinds")
HANDS = read_log(LOG.read_text(), GAME).hands


def ran(*arguments: object, text: str | None = None) -> Result:
    result = run("hands", *arguments, text=text)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def fails(told: str, *arguments: object) -> None:
    assert re.search(told, refused("hands", *arguments))


def test_chips_that_vanish_are_told_before_and_after_the_match(tmp_path: Path) -> None:
    game = tmp_path / "uneven.game"
    text = str(load("holdem.limit.3p")).replace("blind = 5 10 0", "stack = 15 300 300\nblind = 5 10 0")
    game.write_text(text)
    assert "chips may vanish" in json_of("check", game)["warning"]
    words = [
        "match",
        "random",
        "random",
        "random",
        "--game",
        str(game),
        "--hands",
        "300",
        "--seed",
        "1",
        "--in-process",
    ]
    played = printed(*words, "--output", tmp_path / "m", columns=200)
    log = tmp_path / "m" / "seating-1.log"
    values = [hand.values for hand in read_log(log.read_text(), GameDef.parse(text)).hands]
    lost = [-sum(value) for value in values if sum(value) < -0.01]
    assert len(lost) > 3
    assert f"WARNING: {sum(lost):g} chips vanish, as at the reference dealer" in played
    result = ran("check", log)
    assert result.exit_code == 0, "the payoffs are right by the rules"
    assert f"{log}: {sum(lost):g} chips vanish in {len(lost)} hands" in result.stdout
    assert f"0 with odd payoffs, {len(lost)} in which chips vanish" in result.stdout
    assert json_of("hands", "check", log)["vanishing"] == len(lost)
    assert "chips vanish in" in ran("summary", log).stderr


def test_check_lists_all_that_is_wrong(tmp_path: Path) -> None:
    log = tmp_path / "m.log"
    log.write_text(LOG.read_text().replace("STATE:1", "STATE:x"))
    for messages in (
        ran("check", log).stdout.splitlines()[:-1],
        json.loads(ran("check", log, "--json").stdout)["messages"],
    ):
        assert len(messages) == 11 and all(message.startswith(f"{log}:") for message in messages)
    assert len(re.findall(r"m\.log:\d+: ", ran("summary", log).stderr)) == 5


# --- summary


def test_summary_on_a_terminal() -> None:
    result = ran("summary", LOG)
    assert result.exit_code == 0
    assert result.stdout.startswith("gv: 40 hands, big blind 100\n")
    for words in ("-114,880", "big blind", "preflop", "over 200 bb", "Largest pots", "--line 5", "raises per call"):
        assert words in result.stdout
    assert result.stderr == ""


def test_summary_into_a_file_is_not_cut_to_a_terminals_width(tmp_path: Path) -> None:
    """Six players' numbers in whole; what runs here is no terminal."""
    path = tmp_path / "six.log"
    names = [f"player-with-a-long-name-{seat}" for seat in range(6)]
    path.write_text(
        "# name/game/hands/seed six holdem.nolimit.6p.game 1 1\n"
        f"STATE:0:fffff:2c3c|4c5c|6c7c|8c9c|TcJc|QcKc:-50|50|0|0|0|0:{'|'.join(names)}\n"
    )
    result = ran("summary", path)
    assert result.exit_code == 0, result.output
    assert "…" not in result.stdout and names[5] in result.stdout


def test_summary_as_json() -> None:
    found = json_of("hands", "summary", LOG, "--largest", 2)
    assert {player["name"]: player["result"]["chips"] for player in found["players"]} == {"P0": -114880, "P1": 114880}
    assert len(found["largest_pots"]) == 2 and found["sample"] == "hand"
    assert set(found["players"][0]["actions"][0]) >= {"fold", "check", "call", "raise", "aggression"}


def test_summary_with_decision_times(tmp_path: Path) -> None:
    log = tmp_path / "m.log"
    log.write_bytes(LOG.read_bytes())
    lines = [
        str(Transaction(step.action, hand.hand, 1_000_000, 3_000_000))
        for hand in HANDS
        for step in hand.state.path()
        if step.action is not None
    ]
    times = tmp_path / "m.tlog"
    times.write_text("\n".join([*lines, ""]))
    found = json_of("hands", "summary", log, times)
    assert [player["times"]["mean_ms"] for player in found["players"]] == [2000, 2000]
    assert "median ms" in ran("summary", log, times).stdout
    fails(r"m\.tlog needs its match log; name .*m\.log too", "summary", times)


def test_bad_lines_are_skipped_counted_and_reported(tmp_path: Path) -> None:
    log = tmp_path / "m.log"
    log.write_text(LOG.read_text().replace("STATE:7:", "STATE:x:") + "STATE:40:cc")
    result = ran("summary", log, "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["skipped"] == 1 and json.loads(result.stdout)["hands"] == 39
    assert f"{log}:12: " in result.stderr and ":46: the last line was cut off" in result.stderr
    for command in (("filter",), ("convert", "--to", "phh")):
        assert f"{log}:12: " in ran(command[0], log, *command[1:]).stderr
    log.write_text(LOG.read_text().replace("STATE:1", "STATE:x"))
    assert f"{log}: 11 hands in all were skipped" in ran("filter", log).stderr


def test_more_players_than_sit_at_a_table_add_up(tmp_path: Path) -> None:
    """Hands of other players count in the rows of streets and pots too."""
    text = LOG.read_text()
    log = tmp_path / "two.log"
    log.write_text(text + text.replace("P0", "P2").replace("P1", "P3"))
    result = ran("summary", log)
    found = json_of("hands", "summary", log)
    assert sum(found["pot_groups"].values()) == found["hands"] == 80 and len(found["players"]) == 4
    row = next(line for line in result.stdout.splitlines() if re.match(r"\W*preflop", line))
    assert int(re.findall(r"\d+", row)[0]) == 2 * sum(hand.state.round == 0 for hand in HANDS)
    merged = json_of("hands", "summary", log, "--alias", "P[02]=A", "--alias", "P[13]=B")
    assert [player["name"] for player in merged["players"]] == ["A", "B"]
    assert merged["players"][0]["result"]["hands"] == 80
    fails("write OLD=NEW", "summary", log, "--alias", "P0")


def test_the_hint_can_be_run(tmp_path: Path) -> None:
    log = tmp_path / "headless.log"
    log.write_text("".join(f"{line}\n" for line in LOG.read_text().splitlines()[4:]))
    out = ran("summary", log, "--game", "holdem.nolimit.2p.reverse_blinds").stdout
    hint = re.search(r"limpet hands (replay \S+ --line \d+ --game \S+)", out)
    assert hint is not None and ran(*hint[1].split()).exit_code == 0


# --- check


def test_check_says_what_is_wrong_with_the_line(tmp_path: Path) -> None:
    assert ran("check", LOG, THREE).stdout == "80 hands, 0 skipped, 0 with odd payoffs\n"
    log = tmp_path / "m.log"
    lines = LOG.read_text().splitlines()
    first = lines[4].replace(":20000|-20000:", ":-20000|20000:").replace(":-20000|20000:", ":-20000|20000:", 1)
    log.write_text("\n".join([*lines[:4], first, lines[5].replace("STATE", "STOAT"), *lines[6:], ""]))
    result = ran("check", log)
    assert result.exit_code == 1
    assert f"{log}:5: the payoffs -20000|20000 contradict the betting and cards" in result.stdout
    assert f"{log}:6: " in result.stdout and "39 hands, 1 skipped, 1 with odd payoffs" in result.stdout
    found = json.loads(ran("check", log, "--json").stdout)
    assert (found["hands"], found["skipped"], found["contradictory"]) == (39, 1, 1)
    assert "payoffs -20000|20000" in ran("summary", log).stderr


def test_converted_cash_hands_are_right_but_for_the_rake(tmp_path: Path) -> None:
    (text := tmp_path / "cash.txt").write_text(f"{CASH}\n\n{RAKED}")
    for target in ("phh", "acpc"):
        ran("convert", text, "--to", target, "-o", to := tmp_path / f"cash.{target}")
        result = ran("check", to)
        assert result.exit_code == 0 and "2 hands, 0 skipped, 0 with odd payoffs" in result.stdout
        assert f"{to}: 2 hands pay less than was bet, which is taken for rake" in result.stdout


# --- filter

WISHES: list[tuple[tuple[str, ...], Callable[[HandRecord], bool]]] = [
    ((), lambda hand: True),
    (("--player", "P0", "--position", "bb"), lambda hand: hand.names[0] == "P0"),
    (("--player", "P0", "--position", "1"), lambda hand: hand.names[1] == "P0"),
    (("--player", "nobody"), lambda hand: False),
    (("--reached", "river"), lambda hand: hand.state.round == 3),
    (("--reached", "2"), lambda hand: hand.state.round >= 1),
    (("--min-pot", "300"), lambda hand: 2 * min(hand.state.spent) >= 30000),
    (("--max-pot", "2"), lambda hand: 2 * min(hand.state.spent) <= 200),
    (("--hands", "7,10-12,38-"), lambda hand: hand.hand in (7, 10, 11, 12, 38, 39)),
    (("--cards", "As"), lambda hand: any(51 in hole for hole in hand.holes)),
    (("--cards", "5c5d"), lambda hand: {12, 13} in map(set, hand.holes)),
    (("--player", "P1", "--cards", "22+"), lambda hand: len({c >> 2 for c in hand.holes[hand.names.index("P1")]}) == 1),
    (("--board", "Ah"), lambda hand: 50 in hand.state.board),
    (("--action", "cr"), lambda hand: hand.state.betting.startswith("cr")),
    (("--action", "*f$"), lambda hand: hand.state.betting.endswith("f")),
    (("--showdown",), lambda hand: hand.state.showdown),
    (("--no-showdown",), lambda hand: not hand.state.showdown),
    (("--player", "P0", "--won"), lambda hand: hand.values[hand.names.index("P0")] > 0),
    (("--player", "P0", "--lost", "--reached", "turn"),
     lambda hand: hand.values[hand.names.index("P0")] < 0 and hand.state.round >= 2),
]  # fmt: skip


@pytest.mark.parametrize(("options", "wanted"), WISHES, ids=[" ".join(wish) or "all" for wish, _ in WISHES])
def test_filter_writes_a_log_of_the_hands(
    tmp_path: Path, options: tuple[str, ...], wanted: Callable[[HandRecord], bool]
) -> None:
    output = tmp_path / "out.log"
    result = ran("filter", LOG, *options, "-o", output)
    expected = [hand for hand in HANDS if wanted(hand)]
    assert result.exit_code == (0 if expected else 1)
    assert f"{len(expected)} of 40 hands" in result.stderr
    log = read_log(output.read_text(), GAME)
    assert log.hands == tuple(expected)
    assert log.header == read_log(LOG.read_text(), GAME).header and log.score is not None
    sums = {name: sum(hand.values[hand.names.index(name)] for hand in expected) for name in ("P0", "P1")}
    assert dict(zip(log.score.names, log.score.values, strict=True)) == sums
    assert ran("filter", LOG, *options).stdout == output.read_text()
    assert list(tmp_path.iterdir()) == [output]


def test_hands_of_a_match_are_read_in_another_folder(tmp_path: Path) -> None:
    """The logs of a match name the file match.game beside them."""
    match, away = tmp_path / "match", tmp_path / "away"
    match.mkdir()
    away.mkdir()
    (match / "match.game").write_text(str(GAME))
    log = match / "seating-1.log"
    log.write_text(LOG.read_text().replace("holdem.nolimit.2p.reverse_blinds.game", "match.game"))
    assert ran("filter", log, "--hands", "0-9", "-o", away / "some.log").exit_code == 0
    assert ran("convert", log, "--to", "acpc", "-o", away / "all.log").exit_code == 0
    for file, count in (("some.log", 10), ("all.log", 40)):
        told = json_of("hands", "summary", away / file)
        assert (told["hands"], told["skipped"]) == (count, 0) and told["game"] == str(GAME)
    again = ran("filter", away / "some.log")
    assert again.stdout == (away / "some.log").read_text(), "one definition is enough"


def test_a_player_who_did_not_play_is_told_with_those_who_did(tmp_path: Path) -> None:
    assert "no player nobody; there are P0, P1" in ran("filter", LOG, "--player", "nobody").stderr
    assert "no player" not in ran("filter", LOG, "--player", "P0", "--hands", "1000-").stderr


def test_some_wishes_are_met_by_some_hands() -> None:
    """So that the test above tests something."""
    met = [sum(map(wanted, HANDS)) for _, wanted in WISHES]
    assert all(
        0 < count < 40 for (options, _), count in zip(WISHES, met, strict=True) if options and "nobody" not in options
    )


@pytest.mark.parametrize(
    ("told", "options"),
    [
        ("name one with --player", ("--position", "bb")),
        ("name one with --player", ("--won",)),
        (r"positions 0 \(big blind\), 1 \(button\)", ("--player", "P0", "--position", "sb")),
        ("streets preflop, flop, turn, river", ("--reached", "5")),
        ("'x-3' is not a hand or a range", ("--hands", "x-3")),
        ("ends before it begins", ("--hands", "9-3")),
        ("--action cx: 'x' does not belong there", ("--action", "cx")),
        (r"--action r\$c: '\$' does not belong there", ("--action", "r$c")),
        ("a player holds 2", ("--cards", "AsKsQs")),
        ("AKx", ("--cards", "AKx")),
        ("two different cards", ("--cards", "AsAs")),
        ("--board 'Axx': 'Ax' is not a card", ("--board", "Axx")),
        ("--board 'AhKsAh' names a card twice", ("--board", "AhKsAh")),
    ],
)
def test_wishes_that_make_no_sense(told: str, options: tuple[str, ...]) -> None:
    fails(told, "filter", LOG, *options)
    assert ran("filter", LOG, *options).stdout == ""


def test_wishes_of_other_games() -> None:
    leduc, kuhn, limit = load("leduc.limit.2p"), load("kuhn.limit.2p"), load("holdem.limit.3p")
    assert hole_test("Ks", kuhn)(parse_cards("Ks")) and not hole_test("Ks", kuhn)(parse_cards("Qs"))
    assert street_number("round 2", leduc) == 1 == street_number("2", leduc)
    assert [position_number(text, limit) for text in ("sb", "BB", "btn", "2")] == [0, 1, 2, 2]
    for wrong in (
        lambda: hole_test("KK", kuhn),
        lambda: betting_pattern("r300", limit),
        lambda: Criteria(board="2c").test(leduc),
        lambda: hand_ranges(""),
    ):
        with pytest.raises(ConfigError):
            wrong()


@given(st.sampled_from(HANDS), st.integers(0, 30), st.data())
@settings(max_examples=150)
def test_a_hands_own_beginning_matches_it(hand: HandRecord, length: int, data: st.DataObject) -> None:
    betting = hand.state.betting
    tokens = re.findall(r"r\d+|.", betting)[:length]
    for at, token in enumerate(tokens):
        choices = [token, "*", *(["."] if token != "/" else []), *(["r"] if token[0] == "r" else [])]
        tokens[at] = data.draw(st.sampled_from(choices))
    assert betting_pattern("".join(tokens), GAME).match(betting)


def test_a_size_is_the_whole_size() -> None:
    assert not betting_pattern("r30", GAME).match("r300c")
    assert betting_pattern("r", GAME).match("r300c") and betting_pattern("r300c", GAME).match("r300c/")


# --- convert


def test_convert_to_phh(tmp_path: Path) -> None:
    output = tmp_path / "m.phhs"
    assert ran("convert", LOG, "--to", "phh", "-o", output).exit_code == 0
    with output.open("rb") as file:
        histories = list(pokerkit.HandHistory.load_all(file))
    assert [history.hand for history in histories] == list(range(40))
    for history, hand in list(zip(histories, HANDS, strict=True))[:10]:
        *_, (last, _) = history.state_actions
        assert tuple(last.payoffs) == hand.values
    alone = pokerkit.HandHistory.loads(ran("convert", LOG, "--to", "phh", "--hand", 17).stdout)
    assert alone.hand == 17 and alone.actions == histories[17].actions and alone.event == "gv"


def test_convert_to_pokerstars() -> None:
    text = ran("convert", THREE, "--to", "pokerstars").stdout
    assert text.count("PokerStars Hand #") == 40 == len(set(re.findall(r"Hand #(\d+)", text)))
    assert text.count("*** SUMMARY ***") == 40 and "Table 'gv' 3-max" in text


@pytest.mark.parametrize(
    "path", [LOG, THREE, VECTORS / "holdem.limit.2p.reverse_blinds.seed0.log"], ids=lambda path: path.name
)
@pytest.mark.parametrize(
    "through", [("phh",), ("pokerstars",), ("pokerstars", "phh"), ("phh", "pokerstars")], ids="-".join
)
def test_logs_come_back_from_other_formats(tmp_path: Path, path: Path, through: tuple[str, ...]) -> None:
    at = path
    for number, target in enumerate((*through, "acpc")):
        new = tmp_path / f"{number}.{target}"
        assert ran("convert", at, "--to", target, "-o", new).exit_code == 0
        at = new
    assert states(at) == states(path)
    if "nolimit" in path.name:
        assert at.read_text().startswith("# name/game/hands/seed gv holdem")


def states(path: Path) -> list[str]:
    return states_of(path.read_text())


def test_repeated_numbers(tmp_path: Path) -> None:
    """A log of two sessions: ids differ, and the hands of one number are sections."""
    text = LOG.read_text()
    log = tmp_path / "two.log"
    log.write_text(text + text)
    ids = re.findall(r"Hand #(\d+)", ran("convert", log, "--to", "pokerstars").stdout)
    assert len(set(ids)) == 80
    both = tomllib.loads(ran("convert", log, "--to", "phh", "--hand", 17).stdout)
    assert [hand["hand"] for hand in both.values()] == [17, 17]
    line = text.splitlines().index(str(HANDS[17])) + 1
    assert tomllib.loads(ran("convert", log, "--to", "phh", "--hand", 17, "--line", line).stdout)["hand"] == 17
    back = tmp_path / "back.txt"
    ran("convert", log, "--to", "pokerstars", "-o", back)
    assert states_of(ran("convert", back, "--to", "acpc").stdout) == [*map(str, HANDS), *map(str, HANDS)]
    assert len(ran("replay", log, "--hand", 17, "--line", line, "--all").stdout.splitlines()) > 3


def states_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("STATE:")]


def test_times_are_those_of_the_log(tmp_path: Path) -> None:
    log = tmp_path / "m.log"
    log.write_text(re.sub(r"^(STATE.*)$", r"\1 # 1479132064.35509", LOG.read_text(), flags=re.MULTILINE))
    assert "- 2016/11/14 14:01:04 UTC\n" in ran("convert", log, "--to", "pokerstars", "--hand", 3).stdout
    assert "time = 14:01:04\n" in ran("convert", log, "--to", "phh", "--hand", 3).stdout
    assert "2000/01/01 00:00:03 ET\n" in ran("convert", LOG, "--to", "pokerstars", "--hand", 3).stdout


def test_convert_refuses_what_it_cannot_tell(tmp_path: Path) -> None:
    kuhn = VECTORS / "kuhn.limit.2p.seed0.log"
    fails(rf"{kuhn}:5: PokerStars' format can tell Texas hold'em only", "convert", kuhn, "--to", "pokerstars")
    fails("there is no hand 40", "convert", LOG, "--to", "phh", "--hand", 40)
    fails(": no hand begins at line 3; name a hand's first line, or its number", "replay", LOG, "--line", 3)
    fails(": no hand 2 begins at line 5; ", "convert", LOG, "--to", "phh", "--hand", 2, "--line", 5)
    hidden = tmp_path / "hidden.log"
    lines = LOG.read_text().splitlines()
    hidden.write_text("\n".join([*lines[:4], lines[6], lines[4].replace("9hQd", ""), ""]))
    result = ran("convert", hidden, "--to", "phh")
    assert f"{hidden}:6: hand 0: the log does not say what was shown" in result.stderr
    assert result.exit_code == 0 and "1 hands written, 1 left out" in result.stderr
    assert pokerkit.HandHistory.loads(result.stdout.partition("\n")[2]).hand == 2


def test_nothing_is_written_when_something_fails(tmp_path: Path) -> None:
    log = tmp_path / "m.log"
    log.write_text("STATE:7:\n")
    fails("m.log:1", "convert", log, "--to", "phh", "-o", tmp_path / "m.phhs")
    fails("is a file that is read", "filter", log, "-o", log)
    fails("cannot write it", "filter", LOG, "-o", log / "such")
    assert list(tmp_path.iterdir()) == [log]


# --- replay


def test_replay_shows_every_street() -> None:
    result = ran("replay", THREE, "--hand", 3, "--all")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[:3] == [f"{THREE}:8", "Hand 3", "  P0  6c 4h  small blind  stack 20000  posts 50"]
    assert [line.split("  ")[0] for line in lines if line.startswith(("Preflop", "Flop", "Turn", "River"))] == [
        "Preflop", "Flop", "Turn", "River",
    ]  # fmt: skip
    for words in (
        "  P0 raises to 16166  (pot 16366, 3834 left)",
        "Flop  Th Ah 6s  pot 48498",
        "  P1 raises to 1524  (pot 55638, all in)",
        "  nobody is left to bet against",
        "  P0: +36166  6c 4h  a pair of Sixes",
        "  P2: -16166",
    ):
        assert words in lines


def test_a_streets_pot_is_without_what_nobody_called(tmp_path: Path) -> None:
    game = replace(load("holdem.nolimit.3p"), stack=(20000, 400, 20000))
    log = tmp_path / "m.log"
    log.write_text(f"{definition_comment(game)}\nSTATE:3:r3000fc///:AsAh|KsKh|QsQh/2c3c4d/5h/7s:-50|450|-400:a|b|c\n")
    lines = ran("replay", log, "--all").stdout.splitlines()
    assert "Preflop  pot 150" in lines and "  c raises to 3000  (pot 3150, 17000 left)" in lines
    assert "Flop  2c 3c 4d  pot 850" in lines and "Turn  2c 3c 4d 5h  pot 850" in lines
    streets = json_of("hands", "replay", log)["streets"]
    assert [street["pot"] for street in streets] == [150, 850, 850, 850]


def test_replay_as_json_has_what_the_text_says() -> None:
    data = json_of("hands", "replay", THREE, "--hand", 3)
    assert (data["file"], data["line"], data["hand"], data["showdown"]) == (str(THREE), 8, 3, True)
    first = {"name": "P0", "position": "small blind", "stack": 20000, "blind": 50, "ante": 0, "folded": False}
    assert data["players"][0] == first | {"cards": ["6c", "4h"], "final_cards": ["6c", "4h"], "won": 36166}
    assert [street["street"] for street in data["streets"]] == ["preflop", "flop", "turn", "river"]
    assert data["streets"][1]["board"] == ["Th", "Ah", "6s"] and data["streets"][1]["pot"] == 48498
    assert {"player": "P0", "action": "r16166", "chips": 16116, "pot": 16366} in data["streets"][0]["actions"]
    assert data["streets"][3]["actions"] == []


@pytest.mark.parametrize("path", sorted(VECTORS.glob("*.log")), ids=lambda path: path.name)
def test_replay_of_any_game(path: Path) -> None:
    result = ran("replay", path)
    assert result.exit_code == 0 and result.stdout.splitlines()[1] == "Hand 0"
    assert all(f"P{seat}: " in result.stdout for seat in (0, 1))
    fails("there is no hand 99", "replay", path, "--hand", 99)


def test_a_replay_on_a_terminal_can_be_ended_between_two_streets(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = ran("replay", LOG, "--hand", 1).stdout
    monkeypatch.setattr("limpet.bot.commands.measuring.hands._on_terminal", lambda: True)
    some = ran("replay", LOG, "--hand", 1, text="\n\nq\n")
    assert some.exit_code == 0 and "Enter: the next street" in some.stderr
    assert whole.startswith(some.stdout)
    assert "Flop" in some.stdout and "Turn" not in some.stdout and "Turn" in whole
    assert ran("replay", LOG, "--hand", 1, text="").stdout in whole
    assert ran("replay", LOG, "--hand", 1, "--all").stdout == whole


def test_errors_are_one_line(tmp_path: Path) -> None:
    empty = tmp_path / "empty.log"
    empty.write_text("")
    fails(r"empty\.log: no hands", "summary", empty)
    fails(r"empty\.log: no hands", "replay", empty)
    for target in ("phh", "pokerstars"):
        fails(r"empty\.log: no hands", "convert", empty, "--to", target)
        fails(r"empty\.log: no hands", "convert", empty, "--to", target, "-o", tmp_path / "new")
    assert [path.name for path in tmp_path.iterdir()] == ["empty.log"]
    (odd := tmp_path / "odd.log").write_text("STATE:0:r300000f:AsAh|KsKh:-300000|300000:a|b\n")
    fails(
        "no line '# name/game/hands/seed.*no game that ships fits; if it holds hands, name it with --game",
        "replay",
        odd,
    )
    assert ran("replay", _headless(tmp_path)).exit_code == 0
    (unread := tmp_path / "unread.txt").write_text(FIRST.replace("collected 320", "collected 300"))
    for command in (("summary",), ("replay",), ("check",), ("convert", "--to", "acpc")):
        fails(r"unread\.txt:1: 300 and a rake of 0 were collected from a pot of 320", *command, unread)
    fails("none of the games that ship has this name", "summary", LOG, "--game", "nosuch")
    assert ran("replay", _headless(tmp_path), "--game", "holdem.nolimit.2p.reverse_blinds").exit_code == 0


def test_names_of_any_bytes_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "any.log"
    path.write_bytes(LOG.read_bytes().replace(b"P1", b"P\xff"))
    for command in ("summary", "replay"):
        result = ran(command, path)
        assert result.exit_code == 0 and "P\\udcff" in result.stdout


def _headless(tmp_path: Path) -> Path:
    path = tmp_path / "headless.log"
    path.write_text("".join(f"{line}\n" for line in LOG.read_text().splitlines()[4:]))
    return path


def test_help_shows_examples() -> None:
    for command in ("summary", "check", "filter", "convert", "replay"):
        text = ran(command, "--help").stdout
        assert f"limpet hands {command} " in text and "Exit status" in text
