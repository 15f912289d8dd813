"""limpet model: learns from logs, scores, and writes a folder that plays."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from limpet.bot.cli import main
from limpet.dealer.measures.learn_model import split
from limpet.strategies.base.strategy import Strategy
from limpet.strategies.opponents.imitation.model_file import read_card
from limpet.strategies.players.chart import Chart
from limpet.strategies.players.simple import Call
from tests.strategies.opponents.imitation.made_hands import HERE, HUNL, hand, hands_of

HEADER = "# name/game/hands/seed made holdem.nolimit.2p.reverse_blinds.game 10 1\n"


def run(*args: object) -> Result:
    return CliRunner().invoke(main, [str(arg) for arg in args])


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Chart plays call; payoffs are not true, which learning does not look at."""
    path = tmp_path_factory.mktemp("logs") / "made.log"
    lines = [str(each) for each in hands_of(Chart(HUNL, Chart.Options(), HERE), 250, "bob ann")]
    path.write_text(HEADER + "\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def learnt(log: Path) -> tuple[Path, dict[str, object]]:
    folder = log.parent / "models" / "ann"
    done = run("model", log, "--player", "ann", "--output", folder, "--json")
    assert done.exit_code == 0, done.output
    return folder, json.loads(done.stdout)


def test_the_held_out_decisions_are_scored_beside_frequencies(learnt: tuple[Path, dict[str, object]]) -> None:
    folder, data = learnt
    streets = data["streets"]
    assert isinstance(streets, dict) and list(streets) == ["preflop", "flop", "turn", "river", "all"]
    every = streets["all"]
    assert every["decisions"] == sum(streets[street]["decisions"] for street in ("preflop", "flop", "turn", "river"))
    assert 0 > every["log_likelihood"] > every["baseline_log_likelihood"], "a chart depends on its cards"
    assert 0 <= every["calibration_error"] < 0.3
    assert data["seen_share"] == 1 and data["players"] == ["ann"]
    assert read_card(folder).scores["all"]["decisions"] == every["decisions"]


def test_the_folder_plays_a_match(learnt: tuple[Path, dict[str, object]], tmp_path: Path) -> None:
    bot = learnt[0] / "bot.yaml"
    assert run("check", bot).exit_code == 0
    done = run("match", bot, "call", "--hands", 10, "--in-process", "--output", tmp_path / "match")
    assert done.exit_code == 0, done.output


SIMULATION = {"player": "simulation", "options": {"model": "ann/bot.yaml", "boards": 1}}
EXPLOITER = {
    "player": "exploiter",
    "options": {"models": ["ann/bot.yaml"], "blueprint": {"strategy": "hunl-200bb"}, "stake": 1000},
}


@pytest.mark.parametrize("config", [SIMULATION, EXPLOITER], ids=lambda config: str(config["player"]))
def test_bots_take_the_model_for_their_opponent(
    learnt: tuple[Path, dict[str, object]], tmp_path: Path, config: dict[str, object]
) -> None:
    bot = learnt[0].parent / f"{config['player']}.yaml"
    bot.write_text(json.dumps({"name": "mine", "game": "holdem.nolimit.2p.reverse_blinds", **config}))
    done = run("match", bot, "call", "--hands", 3, "--in-process", "--output", tmp_path / "match")
    assert done.exit_code == 0, done.output


def test_a_best_response_is_measured(log: Path, tmp_path: Path) -> None:
    done = run("model", log, "--player", "ann", "--output", tmp_path / "ann", "--response", 2, "--json")
    assert done.exit_code == 0, done.output
    won = json.loads(done.stdout)["response"]
    assert won["duplicate_sets"] == 2 and won["start"] == "turn" and won["interval_95"][0] < won["mbb_per_game"]


def test_one_over_a_prior_with_grids_and_a_bot_beside(
    learnt: tuple[Path, dict[str, object]], log: Path, tmp_path: Path
) -> None:
    options = ("--prior", learnt[0], "--against", "formula", "--grids", "--preflop-only")
    done = run("model", log, "--player", "bob", "--output", tmp_path / "bob", *options)
    assert done.exit_code == 0, done.output
    assert "of the bot" in done.output and "first in: folds" in done.output
    assert (tmp_path / "bob" / "prior" / "model.json").is_file()
    assert run("check", tmp_path / "bob" / "bot.yaml").exit_code == 0


def test_hands_that_the_prior_learnt_from_are_not_scored(log: Path, tmp_path: Path) -> None:
    header, *lines = log.read_text().splitlines()
    older, newer = tmp_path / "older.log", tmp_path / "newer.log"
    older.write_text("\n".join([header, *lines[:-20]]) + "\n")
    newer.write_text("\n".join([header, *lines[100:]]).replace("ann", "eve") + "\n")
    for name, share in (("all", 0), ("some", 0.2)):
        done = run("model", older, "--player", "*", "--output", tmp_path / name, "--test-share", share)
        assert done.exit_code == 0, done.output
    held_out = round(0.2 * (len(lines) - 100))

    over = ("model", newer, "--player", "eve", "--output", tmp_path / "eve", "--json", "--prior")
    for prior, known in (("all", held_out - 20), ("some", 0)):
        done = run(*over, tmp_path / prior)
        assert done.exit_code == 0 and json.loads(done.stdout)["known_to_prior"] == known, done.output
        assert json.loads(done.stdout)["streets"]["preflop"]["decisions"] <= held_out - known
    shown = run(*over[:-2], "--prior", tmp_path / "all")
    assert f"not scored: {held_out - 20} held-out hands that the prior learnt from" in shown.output
    again = run(*over[:-2], "--prior", tmp_path / "eve", "--test-share", 0.1)
    assert again.exit_code == 0, "its own prior counts too, and most of these hands were held out before"

    done = run("model", older, "--player", "ann", "--output", tmp_path / "m", "--prior", tmp_path / "all")
    assert done.exit_code == 2 and f"{tmp_path / 'all'}: the prior learnt from all" in done.output
    assert "--test-share 0" in done.output


def test_patterns_learn_all_who_fit(log: Path, tmp_path: Path) -> None:
    data = []
    for number, names in enumerate((["ann", "bob"], ["?*n*", "b?b"], ["*"])):
        players = [word for name in names for word in ("--player", name)]
        done = run("model", log, *players, "--output", tmp_path / str(number), "--json")
        assert done.exit_code == 0, done.output
        data.append(json.loads(done.stdout))
    assert data[0]["streets"] == data[1]["streets"] == data[2]["streets"]


def test_hands_not_shown_are_told(log: Path, tmp_path: Path) -> None:
    hidden = tmp_path / "hidden.log"
    hidden.write_text(HEADER + f"{hand('r300f', '', '')}\n{hand('cc/cc/cc/cc', '7h2d', 'AsAh')}\n" * 10)
    done = run("model", hidden, "--player", "bob", "--output", tmp_path / "m", "--test-share", 0)
    assert done.exit_code == 0, done.output
    assert "not known: left out" in done.output and "held-out" not in done.output
    done = run(
        "model", hidden, "--player", "bob", "--output", tmp_path / "m", "--unseen", "bayes", "--thesis", "--ace-low"
    )
    assert done.exit_code == 0 and "not known: estimated" in done.output
    options = read_card(tmp_path / "m").options
    assert options.ace_low and options.merge_suited and options.iterations == 7


def test_mistakes_are_one_line(log: Path, tmp_path: Path) -> None:
    done = run("model", log, "--player", "zoe", "--output", tmp_path / "m")
    assert done.exit_code == 2 and "zoe plays no hand of these files; in them play" in done.output
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    done = run("model", log, "--player", "ann", "--output", tmp_path / "full")
    assert done.exit_code == 2 and "holds other things than a model" in done.output
    done = run("model", log, "--player", "ann", "--output", tmp_path / "m", "--prior", tmp_path / "full")
    assert done.exit_code == 2 and "no model here" in done.output


def test_sessions_are_held_out_whole() -> None:
    files = [Path(f"{number}.txt") for number in range(5)]
    hands = [(f"{number}.txt:{line}", hand("f")) for number in range(5) for line in range(3)]
    first, last = split(hands, files, 0.2)
    assert [where for where, _ in last] == ["4.txt:0", "4.txt:1", "4.txt:2"] and len(first) == 12
    first, last = split(hands, files[:2], 0.2)
    assert len(last) == 3 and len(split(hands, files, 0)[1]) == 0


def test_a_player_who_only_calls_is_predicted(tmp_path: Path) -> None:
    caller: Strategy = Call(HUNL, Call.Options(), HERE)
    path = tmp_path / "calls.log"
    path.write_text(HEADER + "\n".join(str(each) for each in hands_of(caller, 40)) + "\n")
    done = run("model", path, "--player", "*", "--output", tmp_path / "m", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["streets"]["all"]["log_likelihood"] > -0.2


def test_matches_of_learnt_models_are_named_by_their_folders(
    learnt: tuple[Path, dict[str, object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(learnt[0].parent.parent)
    done = run("match", "models/ann/bot.yaml", "call", "--hands", 2, "--in-process", "--seed", 3)
    assert done.exit_code == 0, done.output
    assert Path("matches/ann-call-3/result.json").is_file()


def test_trees_are_learnt_scored_and_played(log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sklearn")
    monkeypatch.setattr("limpet.strategies.opponents.imitation.boosted.ROUNDS", 4)
    monkeypatch.setattr("limpet.strategies.opponents.imitation.boosted.SIZE_ROUNDS", 2)
    trees = ("model", log, "--player", "ann", "--learner", "trees")
    done = run(*trees, "--output", tmp_path / "ann", "--grids")
    assert done.exit_code == 0, done.output
    assert "raise sizes" in done.output and "first in: folds" in done.output
    streets = read_card(tmp_path / "ann").scores
    assert streets["all"]["log_likelihood"] > streets["all"]["baseline_log_likelihood"]
    assert streets["all"]["size_log_likelihood"] < 0
    done = run(
        "match", tmp_path / "ann" / "bot.yaml", "call", "--hands", 5, "--in-process", "--output", tmp_path / "match"
    )
    assert done.exit_code == 0, done.output
    done = run(*trees, "--output", tmp_path / "bob", "--prior", tmp_path / "ann")
    assert done.exit_code == 2 and "leave out --prior" in done.output
    done = run("model", log, "--player", "ann", "--output", tmp_path / "bob", "--prior", tmp_path / "ann")
    assert done.exit_code == 2 and "is no prior" in done.output
    assert run("model", log, "--player", "ann", "--output", tmp_path / "ann", "--preflop-only").exit_code == 0
