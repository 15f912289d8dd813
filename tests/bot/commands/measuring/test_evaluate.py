"""Evaluations: the measures that suit a bot, going on after a stop, and what the report says."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from limpet.configs.loading import ConfigError
from limpet.dealer.matches.results import ResultRow
from limpet.dealer.measures import evaluate_run
from limpet.dealer.measures.evaluate_run import (
    EVALUATION_FILE,
    LBR_CONFIG,
    QUICK,
    Done,
    EvaluationPart,
    EvaluationRecord,
    Failed,
    ask,
    evaluation_document,
    numbers,
    open_evaluation,
    parts,
)
from limpet.dealer.measures.lbr import write_lbr
from limpet.dealer.reports.report_document import Sheet
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.players.lbr import LocalBestResponse
from tests import commands
from tests.commands import printed

KNOWN = {"mean": 0.25, "half_width": 0.0}
EXACT = {"exact": True, "exploitability_mbb_per_game": {"below": KNOWN, "above": KNOWN}}
SEAT = {"mean": 12.5, "half_width": 3.0}
DUEL = {"mbb_per_game": SEAT, "by_position": [SEAT, SEAT]}
PLAYER = {"name": "<i>", "mbb_per_game": 100.0, "interval_95": [90.0, 110.0], "report": {"decisions": 7, "misses": 1}}
ANSWERS: dict[str, Any] = {
    "exploit": EXACT,
    "duel": DUEL,
    "match": {"players": [PLAYER, PLAYER]},
    "lbr": {"players": [PLAYER, {**PLAYER, "mbb_per_game": -5.0, "interval_95": [None, None]}]},
    "aivat": {
        "player": "<i>",
        "estimators": [
            {
                "estimator": name,
                "mbb_per_game": mean,
                "interval_95": wide,
                "sd": sd,
                "sd_of_raw": sd / 8000,
                "deals_for_50_mbb": 100,
            }
            for name, mean, wide, sd in [("raw", 120.0, [20.0, 220.0], 8000.0), ("AIVAT", 90.0, [80.0, 100.0], 2000.0)]
        ],
    },
    "lbr-ranges": [{"mbb_per_game": 40.0, "interval_95": [30.0, 50.0]}],
    "preflop": {"button_wins_mbb_per_game": SEAT, "verdicts": []},
}


def named(name: str, folder: Path, **given: Any) -> dict[str, EvaluationPart]:
    return {part.name: part for part in parts(load_bot(name), folder, QUICK._replace(**given))}


run = partial(commands.run, "evaluate")


@pytest.mark.parametrize(("deals", "message"), [("zzz", "'zzz': write whole"), ("4,,4", "'4,,4': write whole")])
def test_deals_that_are_no_numbers_are_refused_before_anything_is_measured(
    deals: str, message: str, tmp_path: Path
) -> None:
    for bot in ("leduc", "hulh"):
        found = run(bot, "--exploit", deals, "--output", tmp_path / "new")
        assert (found.exit_code, found.stdout) == (2, "")
        assert message in found.stderr
    assert not (tmp_path / "new").exists()


def test_deals_that_a_game_has_no_use_for_are_refused_before_anything_is_measured(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"3 numbers of at least 4 say .* not \(4, 4\)"):
        named("hulh", tmp_path, deals=(4, 4))


def test_what_suits_a_bot(tmp_path: Path) -> None:
    leduc = named("leduc", tmp_path)
    assert list(leduc) == [
        "exploit", "duel-call", "duel-fold", "match-call", "match-fold", "match-raise", "luck-call", "lbr",
    ]  # fmt: skip
    assert leduc["exploit"].command_line == "limpet strategy exploit leduc"
    assert (
        leduc["match-call"].command_line == "limpet match leduc call --duplicate --compiled --log --hands 2000 --seed 1"
    )
    assert "--log" not in leduc["match-fold"].command
    match = tmp_path / leduc["match-call"].output
    assert leduc["luck-call"].command_line == f"limpet aivat {match} --bot leduc --hands 250"
    assert "--in-process" in leduc["lbr"].command and str(tmp_path / "lbr.yaml") in leduc["lbr"].command
    assert list(named("formula", tmp_path)) == ["match-call", "match-fold", "match-raise", "luck-call", "lbr"]
    assert "--in-process" in named("formula", tmp_path)["match-call"].command
    three = named("kuhn3p", tmp_path)
    assert list(three) == ["match-call", "match-fold", "match-raise", "luck-call"]
    assert three["match-call"].command[:4] == ("match", "kuhn3p", "call", "call")


def test_luck_stays_where_it_cannot_be_told(tmp_path: Path) -> None:
    """Against a clock, and where all-ins of three have too many boards; not for many hands."""
    many = named("kuhn3p", tmp_path, compiled_sets=60_000)
    assert "--log" in many["match-call"].command and "luck-call" in many
    assert "luck-call" not in named("limpet", tmp_path) and "luck-call" in named("limpet-fast", tmp_path)
    assert "luck-call" not in named("holdem-limit-3p", tmp_path)


def test_games_whose_hands_have_no_strength_here_have_neither_luck_nor_responses(tmp_path: Path) -> None:
    (path := tmp_path / "omaha.yaml").write_text("name: omaha\nplayer: call\ngame: omaha-pl-hu\n")
    found = named(str(path), tmp_path)
    assert "match-call" in found and not [name for name in found if name.startswith("luck") or name == "lbr"]


def test_holdem_is_not_exact(tmp_path: Path) -> None:
    assert "exploit" not in named("hulh", tmp_path) and "preflop" in named("hulh", tmp_path)
    assert named("hulh", tmp_path)["lbr"].command_line == "limpet lbr hulh --full-ranges --hands 50 --seed 1"
    assert numbers(named("hulh", tmp_path)["lbr"], ANSWERS["lbr-ranges"]) == [
        ResultRow("lbr wins", 40, (30, 50), shown="+40.0 ± 10.0")
    ]
    asked = named("hulh", tmp_path, deals=(4, 8, 5), seed=7)["exploit"]
    assert asked.command_line == "limpet strategy exploit hulh --deals 4,8,5 --seed 7"


def test_a_config_of_ones_own(tmp_path: Path) -> None:
    config = tmp_path / "mine.yaml"
    shipped = load_bot("leduc")
    text = shipped.path.read_text().replace("name: leduc", "name: mine").replace("seed: 1", "seed: 5")
    config.write_text(text + "  translation: nearest\n  purify: true\n  threshold: 0.1\n")
    bot, other = load_bot(config), load_bot("random", shipped.game)
    found = {part.name: part for part in parts(bot, tmp_path / "out", QUICK, other)}
    end = ("--translation", "nearest", "--purify", "--threshold", "0.1")
    assert found["duel-call"].command[-5:] == end
    assert found["match-against-random"].command[1:3] == (str(config), "random")
    assert "duel-against-random" not in found
    assert "luck-against-random" in found
    write_lbr(bot, tmp_path / "out" / LBR_CONFIG)
    made = load_bot(tmp_path / "out" / "lbr.yaml")
    player = made.build()
    assert isinstance(player, LocalBestResponse) and player.bot.name == "mine" and made.game == shipped.game
    assert yaml.safe_load((tmp_path / "out" / "lbr.yaml").read_text())["options"]["start"] == "preflop"


def test_a_bot_named_like_those_that_all_meet_is_measured_beside_them(tmp_path: Path) -> None:
    bot = load_bot("leduc")
    config = tmp_path / "mine.yaml"
    config.write_text(bot.path.read_text().replace("name: leduc", "name: call"))
    found = list(parts(bot, tmp_path, QUICK, load_bot(config)))
    names = [part.name for part in found]
    assert [name for name in names if "call" in name] == [
        "duel-call", "duel-against-call", "match-call", "match-against-call", "luck-call", "luck-against-call",
    ]  # fmt: skip
    assert len({part.title for part in found}) == len({part.output or part.name for part in found}) == len(found)
    assert {part.name: part for part in found}["match-against-call"].command[2] == str(config)


def test_a_bot_that_all_meet_is_not_met_twice(tmp_path: Path) -> None:
    alone, against = (
        [part.name for part in parts(load_bot("leduc"), tmp_path, QUICK, against)]
        for against in (None, load_bot("fold", load_bot("leduc").game))
    )
    assert [name for name in against if name not in alone] == ["luck-fold"] and len(against) == len(set(against))


def test_it_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    broken = {"match-fold"}

    def answer(part: EvaluationPart, folder: Path) -> Any:
        asked.append(part.name)
        if part.name in broken:
            raise Failed(f"{part.command_line}: exit status 2: no <such> thing")
        if part.name == "lbr" and broken:
            raise KeyboardInterrupt
        return ANSWERS[part.kind]

    monkeypatch.setattr(evaluate_run, "ask", answer)
    first = run("leduc", "--quick", "--output", tmp_path)
    assert first.exit_code == 1 and len(asked) == 8
    assert "stopped; the same command goes on" in first.output
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "no &lt;such&gt; thing" in page and "<i>" not in page and "&lt;i&gt;" in page
    assert "not measured" in page and "+12.5 ± 3.0" in page and "+0.25" in page
    asked.clear()
    broken.clear()
    printed("evaluate", "leduc", "--quick", "--output", tmp_path, "--json")
    assert asked == ["match-fold", "lbr"]
    written = json.loads((tmp_path / EVALUATION_FILE).read_text())
    assert len(written["parts"]) == 8 and written["parts"]["exploit"]["answer"] == EXACT
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "-5.0 ± ?" in text and "|AIVAT|2.00|25.0%|100|" in text and "wins, AIVAT|+90.0 ± 10.0|" in text
    asked.clear()
    printed("evaluate", "leduc", "--quick", "--output", tmp_path, "--hands", "77")
    assert asked == [
        "match-call",
        "match-fold",
        "match-raise",
        "luck-call",
    ]  # other commands than those that were answered


def test_an_opponent_that_has_changed_is_measured_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "other.yaml"
    other.write_text(load_bot("leduc").path.read_text().replace("name: leduc", "name: other"))
    asked: list[str] = []
    folders: set[str] = set()
    broken: list[str] = []

    def answer(part: EvaluationPart, folder: Path) -> Any:
        if part.name in broken:
            raise Failed("no")
        asked.append(part.name)
        folders.add(part.output)
        return ANSWERS[part.kind]

    monkeypatch.setattr(evaluate_run, "ask", answer)
    command = ("leduc", "--quick", "--against", other, "--output", tmp_path / "out")
    assert run(*command).exit_code == 0 and len(asked) == 11
    asked.clear()
    assert run(*command).exit_code == 0 and not asked
    other.write_text(other.read_text() + "  purify: true\n")
    before = set(folders)
    broken.append("match-against-other")
    failed = run(*command)
    assert failed.exit_code == 1 and asked == ["duel-against-other", "luck-against-other"]
    assert "Not measured: no" in (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    broken.clear()
    asked.clear()
    assert run(*command).exit_code == 0 and asked == ["match-against-other"]
    assert len(folders - before) == 1  # what an older match left is not gone on with


def test_bounds_and_verdicts_are_told() -> None:
    between = {"below": {"mean": 90.0, "half_width": 12.5}, "above": {"mean": 310.0, "half_width": 20.0}}
    bounds = {"exact": False, "exploitability_mbb_per_game": between}
    told = [(number.name, number.text) for number in numbers(EvaluationPart("exploit", "exploit", "", ()), bounds)]
    assert told == [("exploitability, at least", "+90.0 ± 12.5"), ("at most", "+310.0 ± 20.0")]
    older = {"exact": False, "exploitability_mbb_per_game": {"below": 90.0, "above": 310.0}}
    assert [number.interval for number in numbers(EvaluationPart("exploit", "exploit", "", ()), older)] == [
        (None, None)
    ] * 2
    verdict = {"what": "opens", "unit": "%", "value": None, "low": 75, "high": 95, "holds": False}
    open_one = {
        "what": "wins",
        "unit": "mbb/g",
        "value": 157.9,
        "half_width": 13.5,
        "low": 0,
        "high": 150,
        "holds": None,
    }
    part = EvaluationPart("preflop", "preflop", "Before the flop", ())
    done = Done(part.command_line, 1.0, {"button_wins_mbb_per_game": None, "verdicts": [verdict, open_one]})
    document = list(evaluation_document(EvaluationRecord("a", "a.yaml", "0", {"preflop": done}), [part], {}))
    rows = [row for block in document if isinstance(block, Sheet) for row in block.rows]
    assert ("opens", "-", "75 … 95", "%", "no") in rows
    assert ("wins", "157.9 ± 13.5", "0 … 150", "mbb/g", "open") in rows


def test_another_bot_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate_run, "ask", lambda part, folder: ANSWERS[part.kind])
    config = tmp_path / "mine.yaml"
    config.write_text(load_bot("kuhn").path.read_text())
    exact = EvaluationPart("exploit", "exploit", "", ())
    evaluation = evaluate_run.measure(open_evaluation(load_bot(config), tmp_path), exact, tmp_path)
    assert open_evaluation(load_bot(config), tmp_path) == evaluation
    ranges = EvaluationPart("lbr", "lbr-ranges", "", ())
    evaluation = evaluate_run.measure(evaluation, ranges, tmp_path)
    assert open_evaluation(load_bot(config), tmp_path) == evaluation
    config.write_text(config.read_text() + "# changed\n")
    with pytest.raises(ConfigError, match="was another bot when it was measured"):
        open_evaluation(load_bot(config), tmp_path)
    (tmp_path / EVALUATION_FILE).write_text("{")
    with pytest.raises(ConfigError, match="cannot read it"):
        open_evaluation(load_bot(config), tmp_path)


def test_commands_are_run(tmp_path: Path) -> None:
    kuhn = named("kuhn", tmp_path)["exploit"]
    [found] = numbers(kuhn, ask(kuhn, tmp_path))
    assert found.interval == (found.value, found.value) and 0 <= found.value < 1
    with pytest.raises(Failed, match=r"strategy exploit nowhere: exit status 2: .*nowhere"):
        ask(kuhn._replace(command=("strategy", "exploit", "nowhere")), tmp_path)


@pytest.mark.slow
def test_a_whole_evaluation(tmp_path: Path) -> None:
    printed("evaluate", "leduc", "--quick", "--against", "random", "--output", tmp_path)
    written = json.loads((tmp_path / EVALUATION_FILE).read_text())
    assert len(written["parts"]) == 10
    luck = written["parts"]["luck-against-random"]["answer"]["estimators"]
    assert luck[3]["sd"] < luck[0]["sd"] / 2
    # The exact duel lies within 4 standard errors of the match.
    truth = written["parts"]["duel-call"]["answer"]["mbb_per_game"]["mean"]
    player = written["parts"]["match-call"]["answer"]["players"][0]
    low, high = player["interval_95"]
    assert abs(player["mbb_per_game"] - truth) < (high - low)
