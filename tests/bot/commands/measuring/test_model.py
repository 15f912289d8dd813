"""limpet model: learns from logs, scores, and writes a folder that plays."""

import json
from pathlib import Path

import numpy as np
import pytest

from limpet.dealer.measures.learn_model import split
from limpet.protocol.state import State
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.strategy import HandKey, Strategy
from limpet.strategies.opponents.imitation_file import read_card
from limpet.strategies.players.formula import Chart
from limpet.strategies.players.simple import Call
from tests.commands import json_of, printed, refused, run
from tests.strategies.opponents.made_hands import HERE, HUNL, hand, hands_of

HEADER = "# name/game/hands/seed made holdem.nolimit.2p.reverse_blinds.game 10 1\n"


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
    return folder, json_of("model", log, "--player", "ann", "--output", folder)


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
    printed("check", bot)
    printed("match", bot, "call", "--hands", 10, "--in-process", "--output", tmp_path / "match")


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
    printed("match", bot, "call", "--hands", 3, "--in-process", "--output", tmp_path / "match")


def test_a_best_response_is_measured(log: Path, tmp_path: Path) -> None:
    won = json_of("model", log, "--player", "ann", "--output", tmp_path / "ann", "--response", 2)["response"]
    assert won["duplicate_sets"] == 2 and won["start"] == "turn" and won["interval_95"][0] < won["mbb_per_game"]


def test_one_over_a_prior_with_grids_and_a_bot_beside(
    learnt: tuple[Path, dict[str, object]], log: Path, tmp_path: Path
) -> None:
    options = ("--prior", learnt[0], "--against", "formula", "--grids", "--preflop-only")
    done = printed("model", log, "--player", "bob", "--output", tmp_path / "bob", *options)
    assert "of the bot" in done and "first in: folds" in done
    assert (tmp_path / "bob" / "prior" / "model.json").is_file()
    printed("check", tmp_path / "bob" / "bot.yaml")


def test_what_was_learnt_before_the_flop_alone_plays_by_a_profile_after_it(log: Path, tmp_path: Path) -> None:
    printed("model", log, "--player", "bob", "--output", tmp_path / "bob", "--preflop-only")
    state = "MATCHSTATE:1:3:r300c/r20000:|AsAc/AhAd7s"  # four aces facing all-in
    assert json_of("move", tmp_path / "bob" / "bot.yaml", state)["probabilities"]["f"] == 0
    model = load_bot(str(tmp_path / "bob" / "preflop.yaml")).build()
    whole = load_bot(str(tmp_path / "bob" / "bot.yaml")).build()
    first = [bot.start_hand(HandKey(0, 0, 1)).rows(State.start(bot.game)) for bot in (model, whole)]
    assert np.array_equal(first[0].probabilities, first[1].probabilities)


def test_hands_that_the_prior_learnt_from_are_not_scored(log: Path, tmp_path: Path) -> None:
    header, *lines = log.read_text().splitlines()
    older, newer = tmp_path / "older.log", tmp_path / "newer.log"
    older.write_text("\n".join([header, *lines[:-20]]) + "\n")
    newer.write_text("\n".join([header, *lines[100:]]).replace("ann", "eve") + "\n")
    for name, share in (("all", 0), ("some", 0.2)):
        printed("model", older, "--player", "*", "--output", tmp_path / name, "--test-share", share)
    held_out = round(0.2 * (len(lines) - 100))

    over = ("model", newer, "--player", "eve", "--output", tmp_path / "eve", "--prior")
    for prior, known in (("all", held_out - 20), ("some", 0)):
        found = json_of(*over, tmp_path / prior)
        assert found["known_to_prior"] == known
        assert found["streets"]["preflop"]["decisions"] <= held_out - known
    shown = run(*over, tmp_path / "all")
    assert f"not scored: {held_out - 20} held-out hands that the prior learnt from" in shown.output
    # Its own prior counts too, and most of these hands were held out before.
    printed(*over, tmp_path / "eve", "--test-share", 0.1)

    said = refused("model", older, "--player", "ann", "--output", tmp_path / "m", "--prior", tmp_path / "all")
    assert f"{tmp_path / 'all'}: the prior learnt from all" in said
    assert "--test-share 0" in said


def test_patterns_learn_all_who_fit(log: Path, tmp_path: Path) -> None:
    data = []
    for number, names in enumerate((["ann", "bob"], ["?*n*", "b?b"], ["*"])):
        players = [word for name in names for word in ("--player", name)]
        data.append(json_of("model", log, *players, "--output", tmp_path / str(number)))
    assert data[0]["streets"] == data[1]["streets"] == data[2]["streets"]


def test_hands_not_shown_are_told(log: Path, tmp_path: Path) -> None:
    hidden = tmp_path / "hidden.log"
    hidden.write_text(HEADER + f"{hand('r300f', '', '')}\n{hand('cc/cc/cc/cc', '7h2d', 'AsAh')}\n" * 10)
    done = printed("model", hidden, "--player", "bob", "--output", tmp_path / "m", "--test-share", 0)
    assert "not known: left out" in done and "held-out" not in done
    assert "not known: estimated" in printed(
        "model", hidden, "--player", "bob", "--output", tmp_path / "m", "--unseen", "bayes", "--thesis", "--ace-low"
    )
    options = read_card(tmp_path / "m").options
    assert options.ace_low and options.merge_suited and options.iterations == 7


def test_mistakes_are_one_line(log: Path, tmp_path: Path) -> None:
    assert "zoe plays no hand of these files; in them play" in refused(
        "model", log, "--player", "zoe", "--output", tmp_path / "m"
    )
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    assert "holds other things than a model" in refused("model", log, "--player", "ann", "--output", tmp_path / "full")
    assert "no model here" in refused(
        "model", log, "--player", "ann", "--output", tmp_path / "m", "--prior", tmp_path / "full"
    )


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
    found = json_of("model", path, "--player", "*", "--output", tmp_path / "m")
    assert found["streets"]["all"]["log_likelihood"] > -0.2


def test_matches_of_learnt_models_are_named_by_their_folders(
    learnt: tuple[Path, dict[str, object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(learnt[0].parent.parent)
    printed("match", "models/ann/bot.yaml", "call", "--hands", 2, "--in-process", "--seed", 3)
    assert Path("matches/ann-call-3/result.json").is_file()


def test_trees_are_learnt_scored_and_played(log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sklearn")
    monkeypatch.setattr("limpet.strategies.opponents.boosted.ROUNDS", 4)
    monkeypatch.setattr("limpet.strategies.opponents.boosted.SIZE_ROUNDS", 2)
    trees = ("model", log, "--player", "ann", "--learner", "trees")
    done = printed(*trees, "--output", tmp_path / "ann", "--grids")
    assert "raise sizes" in done and "first in: folds" in done
    streets = read_card(tmp_path / "ann").scores
    assert streets["all"]["log_likelihood"] > streets["all"]["baseline_log_likelihood"]
    assert streets["all"]["size_log_likelihood"] < 0
    printed(
        "match", tmp_path / "ann" / "bot.yaml", "call", "--hands", 5, "--in-process", "--output", tmp_path / "match"
    )
    assert "leave out --prior" in refused(*trees, "--output", tmp_path / "bob", "--prior", tmp_path / "ann")
    assert "is no prior" in refused(
        "model", log, "--player", "ann", "--output", tmp_path / "bob", "--prior", tmp_path / "ann"
    )
    printed("model", log, "--player", "ann", "--output", tmp_path / "ann", "--preflop-only")
