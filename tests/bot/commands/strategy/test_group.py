"""``limpet strategy``: what each command prints, its JSON, and its exit status."""

import json
import re
import shutil
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import msgspec
import numpy as np
import pytest

from limpet.bot.commands.strategy import grid as strategy_grid_cli
from limpet.bot.commands.strategy import solve_again
from limpet.bot.commands.strategy.group import strategy
from limpet.common.artifact import MANIFEST, write_manifest
from limpet.common.folders import shipped_strategies
from limpet.common.provenance import TRAINING, versions
from limpet.common.statistics import Estimate
from limpet.common.verified import store_table, stored_digests
from limpet.configs.loading import load_yaml
from limpet.strategies.abstraction.clustered_buckets import BOARDS, street_name
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.holdem.blueprint.flop_values import FlopValues, StackGains
from limpet.strategies.holdem.blueprint.strategy_file import Manifest, StrategyFile
from limpet.strategies.holdem.measures import real_response
from limpet.strategies.holdem.training import solve_flop_values, stack_gains
from limpet.strategies.holdem.training.solve_flop_values import Round
from limpet.strategies.holdem.training.stack_gains import StackRound
from tests import commands
from tests.commands import json_of, printed, refused
from tests.strategies.base.holdem_strategies import rule_strategy, uniform
from tests.strategies.base.strategy_files import MANY, random_strategy

TINY = BetMenu(sizes=(((1.0,), ()),), raise_cap=1)


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two strategies, `one` and `two`, among the user's own."""
    monkeypatch.setenv("LIMPET_DATA", str(tmp_path))
    for seed, name in enumerate(("one", "two")):
        random_strategy(tmp_path / "strategies" / name, "leduc.limit.2p", seed, trained=0.9)
    return tmp_path / "strategies"


run = partial(commands.run, "strategy")


told = partial(printed, "strategy")
data = partial(json_of, "strategy")
mistake = partial(refused, "strategy")


def test_every_command_explains_itself() -> None:
    for name in strategy.commands:
        text = told(name, "--help")
        assert "Examples:" in text
        assert "Exit status:" in text


def test_show() -> None:
    text = told("show", "one")
    assert "algorithm: random" in text
    assert "decisions (" in text
    shown = data("show", "one")
    assert shown["manifest"]["name"] == "one"
    assert sum(shown["decisions_by_round"]) == shown["decisions"]
    assert shown["buckets_by_round"] == [6, 36]
    assert sum(shown["first_decision"]["actions"].values()) == pytest.approx(1, abs=1e-5)
    assert shown["untrained_percent"] == pytest.approx(10, abs=3)


def test_verify_tells_the_damaged_from_the_sound(folders: Path) -> None:
    assert "one: sound" in told("verify", "one", "two")
    path = folders / "two" / "strategy.safetensors"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    result = run("verify", "one", "two", "--json")
    assert result.exit_code == 1
    one, two = json.loads(result.stdout)
    assert one["sound"] and one["repeats"] is None and "was not recorded" in one["provenance"]
    assert not two["sound"]
    assert "SHA-256" in two["error"]
    assert "SHA-256" in mistake("show", "two")
    assert "known: " in mistake("verify", "three")
    assert "a solved spot, not a trained strategy" in mistake("show", "limped-flop")
    assert "limped-flop: sound, 7,056 rows" in told("verify", "limped-flop")


def test_a_draw_strategy_is_shown_and_verified() -> None:
    assert "draw5: sound, 6,052,819 rows" in told("verify", "draw5")
    assert "first decision, position 1: f " in told("show", "draw5")
    shown = data("show", "draw5")
    assert shown["manifest"]["buckets"] == 100 and shown["decisions_by_round"] == [6, 30]
    assert sum(shown["first_decision"]["actions"].values()) == pytest.approx(1, abs=1e-5)
    assert "a strategy of five-card draw" in mistake("grid", "draw5")
    assert "AsAh  held" in told("grid", "holdem-limit-3p") and "AA  held" not in told("grid", "holdem-limit-3p")


def test_verify_and_show_say_whether_this_installation_repeats_a_strategy(folders: Path) -> None:
    manifest = load_yaml(folders / "one" / MANIFEST, Manifest)
    made = msgspec.structs.replace(manifest, code=TRAINING, versions=versions())
    write_manifest(folders / "one", made)
    assert "\n  this installation repeats it bit by bit" in told("verify", "one")
    assert "made again: this installation repeats it bit by bit" in told("show", "one")
    assert data("show", "one")["repeats"] is True
    write_manifest(folders / "one", msgspec.structs.replace(made, versions={**versions(), "numba": "0.1"}))
    assert "made with numba 0.1 (here " in told("verify", "one")
    assert data("show", "one")["repeats"] is False


def test_verify_compares_the_card_tables_with_those_of_the_training(folders: Path) -> None:
    folder = folders / "hulh"
    shutil.copytree(shipped_strategies() / "hulh", folder)
    manifest = load_yaml(folder / MANIFEST, Manifest)
    tables = folders.parent / "tables"
    digests = {}
    for street in ("flop", "turn", "river"):
        made = tables / street_name(manifest.cards, street)  # type: ignore[arg-type]
        store_table(made, {BOARDS: np.frombuffer(street.encode(), np.uint8)}, {})
        digests[street] = stored_digests(made)[BOARDS]
    write_manifest(folder, msgspec.structs.replace(manifest, tables=digests))
    assert "\n  trained with the card tables that are here" in told("verify", "hulh")
    write_manifest(folder, msgspec.structs.replace(manifest, tables={**digests, "turn": digests["flop"]}))
    text = told("verify", "hulh")
    assert "hulh: sound" in text and "other card tables than those here" in text and text.endswith("(turn)\n")
    write_manifest(folder, manifest)
    assert "which card tables it was trained with was not recorded" in told("verify", "hulh")
    (tables / street_name(manifest.cards, "river") / f"{BOARDS}.npy").write_bytes(b"")  # type: ignore[arg-type]
    result = run("verify", "hulh")
    assert result.exit_code == 1 and "river" in result.stdout and "delete the folder" in result.stdout


def test_diff() -> None:
    text = told("diff", "one", "two", "--lines", "3")
    assert "all there are" in text
    assert text.count("%") >= 5
    found = data("diff", "one", "two")
    assert len(found["streets"]) == 2
    assert 0 < found["streets"][0]["distance"] < 1
    assert "what adds most" not in told("diff", "one", "one")
    assert "another game" in mistake("diff", "one", "kuhn")


def test_grid_lists_the_hands_of_a_small_game() -> None:
    text = told("grid", "one", "rc/", "--board", "Ks")
    assert text.startswith("Ks, rc: position 0 acts")
    assert 3 <= text.count("held") <= 5  # the other king is on the board
    found = data("grid", "one", "r")
    assert sum(found["actions"].values()) == pytest.approx(1)
    assert len(found["hands"]) == 6
    assert "cards on the board there: 1, given: 0" in mistake("grid", "one", "rc")
    assert "169 classes" in mistake("grid", "one", "--svg", "x.svg")


def test_grid_draws_holdem(tmp_path: Path) -> None:
    text = told("grid", "hunl-200bb", "r300", "--png", str(tmp_path / "a.png"), "--svg", str(tmp_path / "a.svg"))
    assert "position 0 acts, pot 4 bb" in text
    assert "raise 900 (100 %)" in text
    assert "AKs" in text
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    svg = (tmp_path / "a.svg").read_text()
    assert "<svg" in svg
    assert "EV of the pot" not in svg
    found = data("grid", "hunl-200bb", "r300")
    assert len(found["classes"]) == 169
    assert found["classes"]["AA"]["f"] == 0
    assert sum(hand["held"] for hand in found["hands"].values()) == pytest.approx(1)


def test_duel() -> None:
    text = told("duel", "one", "call")
    assert "one wins " in text
    assert "all boards, exact" in text
    there, back = data("duel", "one", "two"), data("duel", "two", "one", "--threads", "1")
    assert there["exact"]
    assert there["mbb_per_game"]["mean"] == pytest.approx(-back["mbb_per_game"]["mean"])
    assert there["by_position"][0]["mean"] == pytest.approx(-back["by_position"][1]["mean"])
    assert data("duel", "one", "one", "--purify")["mbb_per_game"]["mean"] != 0
    assert "at least one strategy" in mistake("duel", "call", "fold")
    assert "no such method" in mistake("duel", "one", "two", "--translation", "guess")
    assert "another game" in mistake("duel", "one", "kuhn")


def test_duel_of_a_strategy_for_each_position() -> None:
    both = data("duel", "one,two", "call")
    apart = [data("duel", name, "call")["by_position"][position] for position, name in enumerate(("one", "two"))]
    assert both["by_position"] == apart


def test_exploit_and_record(folders: Path) -> None:
    assert "exact" in told("exploit", "leduc")
    found = data("exploit", "one", "--record")
    assert found["exact"]
    bounds = found["exploitability_mbb_per_game"]
    assert bounds["below"] == bounds["above"] and bounds["below"]["mean"] > 100 and bounds["below"]["half_width"] == 0
    quality = StrategyFile.open(folders / "one").manifest.quality
    assert quality["real_response_below_mbb"] == pytest.approx(bounds["below"]["mean"], abs=1e-5)
    assert "one: sound" in told("verify", "one")
    assert "`limpet strategy exploit one`" in (folders / "one" / "README.md").read_text()
    assert "whole numbers" in refused("strategy", "exploit", "one", "--deals", "a,b")


def test_sampled_bounds_have_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(real_response, "MOST_EXACT", 0)
    found = data("exploit", "one", "--deals", "8")
    assert not found["exact"]
    for side in ("below", "above"):
        both, seats = found["exploitability_mbb_per_game"][side], [seat[side] for seat in found["by_position"]]
        assert both["mean"] == pytest.approx(sum(seat["mean"] for seat in seats) / 2)
        assert 0 < both["half_width"] <= max(seat["half_width"] for seat in seats)
        assert f" {both['mean']:+,.1f} ± {both['half_width']:,.1f} " in told("exploit", "one", "--deals", "8")


def test_exploit_by_buckets_and_record(folders: Path) -> None:
    """In Leduc the answer sees every card, and comes up to the exact one."""
    best = data("exploit", "one")["exploitability_mbb_per_game"]["below"]["mean"]
    found = data("exploit", "one", "--buckets", "400", "--record", "--threads", "1")
    below = found["exploitability_mbb_per_game"]["below"]
    assert found["exact"] and found["learned"] == 400
    assert 0.98 * best < below["mean"] < best + 1 and below["half_width"] == 0
    quality = StrategyFile.open(folders / "one").manifest.quality
    assert quality["bucket_response_mbb"] == pytest.approx(below["mean"], abs=1e-5)
    assert "`limpet strategy exploit one --buckets 400 --seed 1`" in (folders / "one" / "README.md").read_text()
    assert "learned on 400 boards" in told("exploit", "one", "--buckets", "400")


def test_duel_and_record(folders: Path) -> None:
    won = data("duel", "one", "two", "--record", "--purify")["mbb_per_game"]["mean"]
    manifest = StrategyFile.open(folders / "one").manifest
    assert manifest.quality == {"duel_two_purify_mbb": pytest.approx(won, abs=1e-5)}
    assert manifest.measured_by == {"duel_two_purify": "limpet strategy duel one two --purify"}
    assert "one: sound" in told("verify", "one")
    told("duel", "one", "call", "--record")
    assert len(StrategyFile.open(folders / "one").manifest.quality) == 2
    assert "no manifest to write into" in mistake("duel", "call", "one", "--record")
    assert "no manifest to write into" in mistake("duel", "one,two", "call", "--record")


def test_preflop(tmp_path: Path) -> None:
    name = "hunl-200bb"
    text = told("preflop", name, "--boards", "0", "--check")
    assert re.search(r"the button \(position 1\) plays [789]\d\.\d % of its hands", text)
    assert "to raise 3 " in text
    assert text.count("yes ") == 3
    assert text.count("3-bet") == 1  # 72o never faces one, so that there is no verdict on it
    found = data("preflop", name, "--boards", "0")
    assert sum(found["button"]["actions"].values()) == pytest.approx(1)
    assert found["answers"][0]["betting"] == "c"
    assert found["button_wins_mbb_per_game"] is None
    assert [verdict["holds"] for verdict in found["verdicts"]] == [True] * 3
    assert "hold'em of two players" in mistake("preflop", "leduc")
    assert "needs at least 2" in mistake("preflop", name, "--boards", "1", "--record")


@pytest.mark.slow
def test_preflop_records_what_the_button_wins(tmp_path: Path) -> None:
    """As a duel of two openings of the file says."""
    shutil.copytree(shipped_strategies() / "hunl-200bb", tmp_path / "copy")
    found = data("preflop", f"{tmp_path}/copy", "--boards", "2", "--record")
    won = found["button_wins_mbb_per_game"]
    assert won["boards"] == 2
    manifest = StrategyFile.open(tmp_path / "copy").manifest
    assert manifest.quality["button_wins_mbb"] == pytest.approx(won["mean"], abs=1e-5)
    assert manifest.measured_by["button_wins"] == "limpet strategy preflop hunl-200bb --boards 2 --seed 1"
    assert won["mean"] == pytest.approx(
        -data("duel", f"{tmp_path}/copy", f"{tmp_path}/copy/.", "--boards", "2")["by_position"][0]["mean"]
    )


def test_preflop_check_looks_at_the_whole_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    """150 mbb/g is the bound: 157.9 ± 13.5 may lie on either side of it, 163.4 ± 4.8 does not."""
    for chips, half_width, mark, status in ((15.79, 1.35, "open", 0), (16.34, 0.48, "NO", 1)):
        value = Estimate(chips, half_width, 200)
        monkeypatch.setattr(strategy_grid_cli, "_button_wins", lambda *_, value=value: value)
        result = run("preflop", "hunl-200bb", "--check")
        assert result.exit_code == status
        assert f"{mark:<5}the button wins: {10 * chips:.2f} ± {10 * half_width:.2f} mbb/g" in result.stdout
        assert data("preflop", "hunl-200bb")["verdicts"][-1]["holds"] is {"open": None, "NO": False}[mark]


def test_preflop_check_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strategy_grid_cli, "open_named", lambda name: rule_strategy(TINY, uniform))
    result = run("preflop", "uniform", "--boards", "0", "--check")
    assert result.exit_code == 1
    assert "NO   AA folds: 3" in result.stdout
    printed("strategy", "preflop", "uniform", "--boards", "0")
    limit = rule_strategy(None, uniform, "holdem.limit.2p.reverse_blinds")
    monkeypatch.setattr(strategy_grid_cli, "open_named", lambda name: limit)
    assert "yes" not in told("preflop", "limit", "--boards", "0")
    assert "no-limit alone" in mistake("preflop", "limit", "--boards", "0", "--check")


def test_paths_name_strategies_too(tmp_path: Path) -> None:
    random_strategy(tmp_path / "elsewhere", "leduc.nolimit.2p", 1, MANY)
    assert data("show", f"{tmp_path}/elsewhere")["manifest"]["name"] == "elsewhere"
    assert data("show", f"{tmp_path}/elsewhere/")["manifest"]["name"] == "elsewhere"


# --- flop values


def test_flop_values_are_made_anew_from_solved_flops(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values of the strategy's own play are taken from the folder, if they were counted on as many deals."""
    shipped = FlopValues.open(
        shipped_strategies() / "hunl-200bb", StrategyFile.open(shipped_strategies() / "hunl-200bb").tree
    )
    saved, counted = list[FlopValues](), list[int]()

    def made(deals: int, solves: int) -> FlopValues:
        return FlopValues(shipped.tree, shipped.nodes, shipped.shares, deals, solves)

    def count(_file: object, deals: int, *_: object) -> FlopValues:
        counted.append(deals)
        return made(deals, 0)

    def solve(_file: object, values: FlopValues, solves: int, *_: object) -> tuple[FlopValues, list[Round]]:
        return made(values.deals, solves), [
            Round(0, 0.1664, 0.0, Estimate(0, 0, 0)),
            Round(solves, 0.165, 0.002, Estimate(5, 2, solves)),
        ]

    monkeypatch.setattr(FlopValues, "open", lambda *_, **__: made(7, 0))
    monkeypatch.setattr(FlopValues, "save", lambda values, _folder: saved.append(values))
    monkeypatch.setattr(solve_flop_values, "count_flop_values", count)
    monkeypatch.setattr(solve_flop_values, "solve_flop_values", solve)
    shown = told("flop-values", "hunl-200bb", "--deals", "7", "--solves", "64")
    assert (
        "64 flops solved: the button wins +165.0 ± 2.0 mbb\non flops held out, squared errors fall by +5.0 ± 2.0"
        in shown
        and "7 deals, 64 solves" in shown
    )
    assert not counted
    assert data("flop-values", "hunl-200bb", "--deals", "8", "--solves", "64")["rounds"][0]["button"] == 0.1664
    monkeypatch.setattr(FlopValues, "open", lambda *_, **__: made(7, 64))
    told("flop-values", "hunl-200bb", "--deals", "7", "--solves", "64")
    told("flop-values", "hunl-200bb", "--deals", "9")
    assert counted == [8, 7, 9] and [values.solves for values in saved] == [64, 64, 64, 0]


def test_gains_of_short_stacks_are_written_beside_the_values(monkeypatch: pytest.MonkeyPatch) -> None:
    saved = list[StackGains]()
    asked = list[tuple[object, ...]]()

    def solve(_file: object, _values: object, *rest: object) -> tuple[StackGains, list[StackRound]]:
        asked.append(rest[:3])
        rounds = [StackRound(20, 0, 0.07, Estimate(0, 0, 0), 0.0), StackRound(20, 80, 0.05, Estimate(31, 9, 80), 0.006)]
        return StackGains(np.array([20.0]), np.ones((1, 3)), np.ones((1, 4))), rounds

    monkeypatch.setattr(stack_gains, "solve_stack_gains", solve)
    monkeypatch.setattr(StackGains, "save", lambda gains, *_: saved.append(gains))
    shown = told("stack-gains", "hunl-200bb", "--stacks", "20", "--solves", "80", "--seed", "3")
    assert asked == [((20.0,), 80, 3)] and len(saved) == 1
    assert "20 bb, 0 flops solved: the button wins +70.0 mbb\n" in shown
    told_last = "the button wins +50.0 mbb, play without gains loses 6.0 mbb/g; squared errors fall by +31.0 ± 9.0 (% of the pot)²"
    assert f"20 bb, 80 flops solved: {told_last}\n" in shown and "1 lines of 1 stacks" in shown
    made = data("stack-gains", "hunl-200bb", "--stacks", "20")
    assert made["lines"] == 1 and [one["button"] for one in made["rounds"]] == [0.07, 0.05]


# --- rivers


def test_rivers_are_solved_again_and_written(folders: Path, tmp_path: Path) -> None:
    new = tmp_path / "stronger"
    assert "5 rivers" in told("rivers", "one", "--output", str(new), "--boards", "30")
    made = data("rivers", "one", "--output", str(new), "--boards", "30", "--reach", "0.01")
    assert made["name"] == "stronger"
    assert "at least 0.01 of all hands" in made["rivers"]
    assert "stronger" in told("verify", f"{new}/")
    assert "ask for less" in mistake("rivers", "one", "--output", str(new), "--boards", "30", "--reach", "0.9")


def test_rivers_of_three_players_are_refused(folders: Path, tmp_path: Path) -> None:
    random_strategy(folders / "three", "kuhn.limit.3p", 1)
    assert "two players" in mistake("rivers", "three", "--output", str(tmp_path / "new"))


def test_rivers_go_on_after_ctrl_c(folders: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new = str(tmp_path / "new")
    with monkeypatch.context() as patch:
        patch.setattr(solve_again, "interruptible", lambda: nullcontext(lambda: True))
        stopped = run("rivers", "one", "--output", new, "--boards", "30")
    assert stopped.exit_code == 130
    assert "the same command goes on" in stopped.output
    assert "5 rivers" in told("rivers", "one", "--output", new, "--boards", "30")


def test_gains_of_other_games_are_refused_before_values_are_asked_for() -> None:
    assert "leduc: gains of flop values are for heads-up no-limit hold'em" in mistake("stack-gains", "leduc")


def test_the_gains_that_ship_are_of_the_stacks_that_the_command_takes_by_itself() -> None:
    folder = shipped_strategies() / "hunl-200bb"
    gains = FlopValues.open(folder, StrategyFile.open(folder).tree).gains
    usual = next(option for option in solve_again.stack_gains.params if option.name == "stacks")
    assert usual.default == ",".join(f"{stack:g}" for stack in np.unique(gains.stacks))
