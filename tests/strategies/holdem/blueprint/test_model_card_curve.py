"""What a run shows and leaves behind on its way: points, snapshots, time spent, strategies from checkpoints."""

from csv import DictReader
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from msgspec import structs
from rich.console import Console

from limpet.bot.commands.progress import Display
from limpet.bot.commands.strategy.train import Follower
from limpet.common.artifact import MANIFEST, write_manifest
from limpet.common.folders import shipped_strategies
from limpet.configs.loading import ConfigError, load_yaml
from limpet.strategies.holdem.blueprint.model_card import (
    CURVE,
    MOST_POINTS,
    Point,
    append_point,
    curve_lines,
    read_curve,
    write_curve,
)
from limpet.strategies.holdem.blueprint.strategy_file import Manifest, PlayedRows, StrategyFile
from limpet.strategies.holdem.training.measuring import Meter, average_regret, average_table, rows_of
from limpet.strategies.holdem.training.run import Spent, StageProgress, save_checkpoint
from limpet.strategies.holdem.training.training import Training, snapshots_due
from limpet.strategies.holdem.training.training_config import Measure
from limpet.strategies.solvers.sampled.mccfr import BATCH, BatchSolver, ExternalSampling
from limpet.strategies.solvers.tabular import exploitability, values
from tests.commands import json_of, printed, refused, run

KUHN = "name: kuhn\ngame: kuhn.limit.2p\nalgorithm: {algorithm}\niterations: {iterations}\n"

pytestmark = pytest.mark.usefixtures("own_data_folder")


@dataclass
class Clock:
    """Goes on by a step with every look, so that each piece of training takes one."""

    step: float
    now: float = 0.0

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def config(tmp_path: Path, algorithm: str = "cfr", iterations: int = 300, extra: str = "") -> str:
    path = tmp_path / "run.yaml"
    path.write_text(KUHN.format(algorithm=algorithm, iterations=iterations) + extra)
    return str(path)


def prepared(text: str) -> Training:
    """A run whose pieces of one iteration take a second each, and half a second of processor time."""
    training = Training.load(text)
    training.clock, training.processor_clock = Clock(1.0), Clock(0.5)
    training.prepare()
    return training


def test_small_games_are_measured_as_iterations_double(tmp_path: Path) -> None:
    training = prepared(config(tmp_path))
    assert training.run()
    assert [point.iteration for point in training.curve] == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300]
    last = training.curve[-1]
    assert (last.seconds, last.processor_seconds, last.visits, last.how) == (300.0, 150.0, 0, "exact")
    solver = training.solver
    table = average_table(solver)
    exact = exploitability(training.tree, training.meter.deals, table) * 1000 / training.game.big_blind
    assert last.below == last.above == pytest.approx(exact, abs=1e-6)
    assert last.value == pytest.approx(-1000 / 18, abs=2)
    assert last.average_regret is None
    assert training.curve[0].below == pytest.approx(1000 * 0.458333, abs=0.01)  # published for CFR's first iteration
    state = training.checkpoint.with_name(CURVE)
    assert read_curve(state) == training.curve
    manifest = training.write()
    assert (manifest.training_seconds, manifest.processor_seconds) == (300.0, 150.0)
    assert read_curve(training.output / CURVE) == training.curve
    assert not state.exists()
    card = (training.output / "README.md").read_text()
    assert "300 s on 1 thread(s), 150 s of processor time" in card
    assert "| 256 | 256 | 128 |" in card
    assert "Exploitability here: exact." in card


def test_points_after_the_checkpoint_are_made_anew_and_come_once(tmp_path: Path) -> None:
    text = config(tmp_path)
    whole = prepared(text)
    whole.run()
    begun = prepared(text)
    begun.run(stop=lambda: begun.solver.iteration >= 100)
    lost = structs.replace(begun.curve[-1], iteration=128)
    append_point(begun.checkpoint.with_name(CURVE), lost)  # measured after the last checkpoint; then the power went
    rest = prepared(text)
    rest.resume()
    assert [point.iteration for point in rest.curve] == [1, 2, 4, 8, 16, 32, 64]
    assert rest.run()
    assert rest.curve == whole.curve
    assert read_curve(rest.checkpoint.with_name(CURVE)) == whole.curve


def test_a_new_run_begins_a_new_curve(tmp_path: Path) -> None:
    text = config(tmp_path, iterations=4)
    for _ in range(2):
        training = prepared(text)
        training.run()
        assert [point.iteration for point in read_curve(training.checkpoint.with_name(CURVE))] == [1, 2, 4]


def test_a_line_that_a_kill_cut_off_is_left_out_and_others_are_refused(tmp_path: Path) -> None:
    path = tmp_path / CURVE
    points = [Point(1, 0.5, below=2.0, above=2.0, how="exact"), Point(2, 1.0, average_regret=3.0)]
    write_curve(path, points[:1])
    append_point(path, points[1])
    assert read_curve(path) == points
    with path.open("a") as file:
        file.write('{"iteration": 3, "sec')
    assert read_curve(path) == points
    with path.open("a") as file:
        file.write("\n")
    with pytest.raises(ValueError, match=r"curve\.jsonl:3: not a point"):
        read_curve(path)
    write_curve(path, [])
    assert read_curve(path) == []


class Dear(Meter):
    """As if not all deals could be answered: what hold'em is measured with."""

    exact = False


def dear(training: Training, measure: Measure | None) -> Dear:
    solver = training.solver
    assert isinstance(solver, BatchSolver)
    return Dear(structs.replace(training.config, measure=measure or training.config.measure), solver, training.cards)


def test_points_of_large_games_come_as_time_doubles_and_then_every_so_often(tmp_path: Path) -> None:
    training = prepared(config(tmp_path, "mccfr", BATCH))
    meter = dear(training, Measure(every_minutes=10))
    made: list[float] = []
    last = None
    for second in range(0, 60 * 45, 7):
        if meter.due(Spent(float(second)), last):
            made.append(second / 60)
            last = Point(1, float(second))
    assert made == pytest.approx([1, 2, 4, 8, 16, 26, 36], abs=1)
    assert meter.has_curve()
    assert not dear(training, None).has_curve()
    assert not dear(training, None).due(Spent(1e9), None)


def test_a_sampled_measure_of_a_game_with_few_boards_is_the_exact_one(tmp_path: Path) -> None:
    """Of the same code as hold'em's, on Leduc, where all boards are taken and buckets are hands."""
    path = tmp_path / "run.yaml"
    path.write_text(f"name: leduc\ngame: leduc.limit.2p\nalgorithm: mccfr\niterations: {BATCH * 5}\n")
    training = prepared(str(path))
    training.run()
    solver = training.solver
    assert isinstance(solver, ExternalSampling)
    steps: list[tuple[int, int]] = []
    meter = dear(training, Measure(hands=200_000))
    point = meter.point(training.spent, step=lambda done, total: steps.append((done, total)))
    unit = 1000 / training.game.big_blind
    exact = exploitability(training.tree, meter.deals, solver.average_sums()) * unit
    assert point.below == point.above == pytest.approx(exact, rel=1e-4)
    assert point.how == "an answer with real cards inside the tree, deals 8,4,4, seed 1"
    assert point.average_regret == pytest.approx(average_regret(solver) * unit)
    assert point.average_regret is not None and point.average_regret > exact
    assert (point.iteration, point.visits) == (BATCH * 5, solver.visits)
    worth = values(training.tree, meter.deals, solver.average_sums())[0] * unit
    assert point.value == pytest.approx(worth, abs=2 * point.half_width)
    assert 0 < point.half_width < 30
    assert steps[-1][0] == steps[-1][1]


def test_the_rows_measured_are_those_that_are_played(tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    menu = "menu: {sizes: [[[1.0]]]}\n"
    path.write_text(f"name: leduc\ngame: leduc.nolimit.2p\nalgorithm: mccfr\niterations: {BATCH}\n{menu}")
    training = prepared(str(path))
    training.run()
    solver = training.solver
    assert isinstance(solver, ExternalSampling)
    solver.average_sums()
    offset = training.tree.row_offset(solver.num_buckets)
    late = training.tree.decisions[-1]
    solver.average[offset[late] : offset[late + 1]] = 0  # never trained
    solver.settled[np.isin(solver.early, np.arange(offset[late], offset[late + 1]))] = 0
    training.write()
    played = PlayedRows(StrategyFile.open(training.output)).table()
    assert rows_of(solver.average_sums(), training.tree, offset) == pytest.approx(played, abs=1e-4)


def test_a_run_stopped_while_it_is_measured_leaves_the_point_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    training = prepared(config(tmp_path, "mccfr", BATCH * 300, "measure: {every_minutes: 1, hands: 1000}\n"))
    training.clock = Clock(10.0)
    monkeypatch.setattr(Training, "meter", property(lambda self: dear(self, None)))
    stages = []
    training.report = lambda progress: stages.append(progress.stage)
    assert not training.run(stop=lambda: "measuring" in stages or training.spent.seconds >= 60)
    assert training.curve == []
    assert training.checkpoint.exists()


def test_snapshots_are_what_the_run_had_learnt_by_then(tmp_path: Path) -> None:
    text = config(tmp_path, extra="snapshots: [1, 2.5, 100]\n")
    training = prepared(text)
    training.run()
    folders = sorted(path.name for path in training.output.parent.iterdir())
    assert folders == ["kuhn.1m", "kuhn.2.5m"]
    file = StrategyFile.open(training.output.with_name("kuhn.2.5m"))
    assert (file.manifest.iterations, file.manifest.training_seconds) == (150, 150.0)
    assert [point.iteration for point in read_curve(file.folder / CURVE)] == [1, 2, 4, 8, 16, 32, 64, 128]
    stopped = prepared(config(tmp_path, iterations=150))
    stopped.run()
    assert stopped.write().sha256 == file.manifest.sha256


def test_when_snapshots_are_due() -> None:
    assert list(snapshots_due("doubling", 0.0, 250.0)) == [1, 2, 4]
    assert list(snapshots_due("doubling", 60.0, 239.9)) == [2]
    assert list(snapshots_due((3, 1), 0.0, 180.0)) == [1, 3]
    assert list(snapshots_due((3, 1), 60.0, 179.0)) == []


def test_a_strategy_from_a_copy_of_a_checkpoint_leaves_the_run_alone(tmp_path: Path) -> None:
    text = config(tmp_path, "mccfr", BATCH * 100, f"period: {BATCH * 2}\nperiods: 100\nsnapshots: doubling\n")
    begun = prepared(text)
    solver = begun.solver
    assert isinstance(solver, ExternalSampling)
    begun.run(stop=lambda: solver.iteration >= BATCH * 5)
    early = begun.write(keep_checkpoint=True)
    copy = tmp_path / "copy.npz"
    copy.write_bytes(begun.checkpoint.read_bytes())
    begun.run(stop=lambda: solver.iteration >= BATCH * 11)
    before = begun.checkpoint.read_bytes(), begun.checkpoint.with_name(CURVE).read_bytes()
    for extra, iterations in (["--checkpoint", str(copy)], BATCH * 5), ([], BATCH * 11):
        output = tmp_path / f"written-{iterations}"
        manifest = json_of("train", text, "--write-only", *extra, "--output", output)
        assert manifest["iterations"] == iterations
        assert max(point.iteration for point in read_curve(output / CURVE)) <= iterations
        if extra:
            assert manifest["sha256"] == early.sha256
    assert before == (begun.checkpoint.read_bytes(), begun.checkpoint.with_name(CURVE).read_bytes())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--checkpoint", "x.npz"], "--checkpoint FILE is for --write-only"),
        (["--write-only", "--resume"], "leave --resume out"),
        (["--write-only"], "there is no checkpoint"),
        (["--write-only", "--checkpoint", "nowhere.npz"], "nowhere.npz: there is no checkpoint"),
    ],
)
def test_what_cannot_be_written_says_why(tmp_path: Path, options: list[str], message: str) -> None:
    result = run("train", config(tmp_path), *options)
    assert result.exit_code in (1, 2) and message in result.stderr


def test_processor_time_of_an_older_checkpoint_is_unknown(tmp_path: Path) -> None:
    text = config(tmp_path)
    begun = prepared(text)
    begun.run(stop=lambda: begun.solver.iteration >= 10)
    mark = begun.fingerprint
    save_checkpoint(begun.checkpoint, mark, begun.spent, begun.solver.state_arrays())
    with np.load(begun.checkpoint) as stored:
        old = {name: stored[name] for name in stored.files if name != "processor_seconds"}
    with begun.checkpoint.open("wb") as file:
        np.savez(file, **old)
    rest = prepared(text)
    rest.resume()
    assert rest.spent.seconds == 10
    rest.run()
    assert rest.curve[-1].processor_seconds is None
    manifest = rest.write()
    assert manifest.processor_seconds is None
    assert manifest.training_seconds == 300.0
    assert StrategyFile.open(rest.output).manifest == manifest


def test_what_is_measured_does_not_change_a_run(tmp_path: Path) -> None:
    plain = Training.load(config(tmp_path, "mccfr", BATCH))
    more = Training.load(config(tmp_path, "mccfr", BATCH, "measure: {deals: [16, 8, 8]}\nsnapshots: [5, 60]\n"))
    assert plain.fingerprint == more.fingerprint
    for wrong in ("measure: {deals: [2, 8, 8]}\n", "snapshots: [0]\n", "snapshots: hourly\n"):
        with pytest.raises(ConfigError, match=r"run\.yaml:5"):
            Training.load(config(tmp_path, extra=wrong))


def test_deals_of_another_number_of_rounds_name_the_line(tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_text(
        "name: x\ngame: holdem.limit.2p.reverse_blinds\nalgorithm: mccfr\niterations: 8\n"
        "cards: {kind: strength-percentile, buckets: [10, 10, 10]}\nmeasure:\n  deals: [8, 4]\n"
    )
    with pytest.raises(ConfigError, match=r"run\.yaml:7: measure\.deals: 3 numbers of at least 4 "):
        Training.load(str(path))


def test_the_display_shows_speed_regret_exploitability_and_time_left() -> None:
    text = StringIO()
    point = Point(500, 60.0, 30.0, 5_000_000, 900.0, 1500.0, 2500.0, "an answer with real cards", 100.0, 20.0)
    with Display(console=Console(file=text, width=200), clock=Clock(4.0), every=4.0) as bars:
        display = Follower(bars)
        display(StageProgress("training", 0, 10_000, 0.0, 0))
        display(StageProgress("training", 500, 10_000, 50.0, 5_000_000))
        display(StageProgress("measuring", 1, 4, 1.0))
        display(StageProgress("measuring", 2, 4, 2.0))
        display(StageProgress("training", 1_000, 10_000, 100.0, 10_000_000, 900.0, point))
        display(StageProgress("training", 2_000, 10_000, 200.0, 20_000_000, 800.0, point))
    lines = text.getvalue().splitlines()
    assert "training: 500 of 10,000, 0:01:16 left, 10/s, 0.1 M visits/s, 0:00:50 so far" in lines
    assert "measuring: 2 of 4, 0:00:08 left, 0:00:02 so far" in lines
    told = "after 1.0 min, 500 iterations: average regret 900 mbb/g, exploitability 1,500–2,500 mbb/g"
    assert lines.count(f"{told}, position 0 wins +100.0 ± 20.0 mbb/g") == 1
    assert lines[-1] == (
        "training: 2,000 of 10,000, 0:01:20 left, 10/s, 0.1 M visits/s, average regret 800 mbb/g, "
        "exploitability 1,500–2,500 mbb/g, 0:03:20 so far"
    )


def test_a_model_card_thins_a_long_curve() -> None:
    points = [Point(n, float(n), below=1000.0 / n, above=2000.0 / n, how="so") for n in range(1, 101)]
    rows = [line for line in curve_lines(points) if line.startswith("| ")][1:]
    assert 10 <= len(rows) <= MOST_POINTS
    assert rows[-1].startswith("| 100 | 100 |  |  | 10 to 20 |")


def trained(tmp_path: Path) -> Training:
    training = prepared(config(tmp_path, extra="snapshots: [0.1, 1]\n"))
    training.run()
    training.write()
    return training


def test_curve_gathers_points_and_plays_snapshots(tmp_path: Path) -> None:
    trained(tmp_path)
    (run,) = json_of("strategy", "curve", "kuhn", "--against", "call")
    assert run["run"] == "kuhn"
    assert [point["iteration"] for point in run["points"]] == [1, 2, 4, 6, 8, 16, 32, 60, 64, 128, 256, 300]
    wins = run["strength_mbb_per_game"]
    assert [each["iterations"] for each in wins] == [6, 60, 300]
    assert wins[-1]["mean"] == pytest.approx(json_of("strategy", "duel", "kuhn", "call")["mbb_per_game"]["mean"])
    spoken = printed("strategy", "curve", "kuhn.1m", "kuhn", "--against", "kuhn")
    assert "300 iterations  wins +0.0 mbb/g from kuhn" in spoken
    assert spoken.count("exploitability") == 12


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_the_curve_ends_with_what_the_stored_file_loses_as_exploit_measures_it(name: str) -> None:
    """Training measures before probabilities are rounded: 0.003969 mbb/g of leduc, whose file loses 0.0190."""
    shown = printed("strategy", "curve", name).splitlines()
    stored = json_of("strategy", "exploit", name)["exploitability_mbb_per_game"]["below"]["mean"]
    assert shown[-1].endswith(f"as the file stores it, rounded: {stored:.4f} mbb/g")


def test_points_measured_in_another_way_are_marked(tmp_path: Path) -> None:
    """The last point was measured on more deals than those of hunl-200bb's training."""
    folder, shipped = tmp_path / "measured", shipped_strategies() / "hunl-200bb"
    folder.mkdir()
    for file in shipped.iterdir():
        (folder / file.name).symlink_to(file)
    (folder / MANIFEST).unlink()
    command = "limpet strategy exploit hunl-200bb --deals 16,8,8 --seed 1"
    quality = {"real_response_below_mbb": 3314.0, "real_response_above_mbb": 4054.0}
    made = load_yaml(shipped / MANIFEST, Manifest)
    write_manifest(folder, structs.replace(made, quality=quality, measured_by={"real_response": command}))
    shown = printed("strategy", "curve", f"{folder}/").splitlines()
    assert shown[1] == "  measured: an answer with real cards inside the tree, deals 8,4,4, seed 1"
    assert shown[-2] == f"  measured: by '{command}'"
    assert "272,656 iterations" in shown[-1]


def test_the_table(tmp_path: Path) -> None:
    trained(tmp_path)
    file = tmp_path / "curve.csv"
    printed("strategy", "curve", "kuhn", "--against", "fold", "--csv", file)
    rows = list(DictReader(file.read_text().splitlines()))
    assert [int(row["iterations"]) for row in rows] == [1, 2, 4, 6, 8, 16, 32, 60, 64, 128, 256, 300, 6, 60, 300]
    assert float(rows[3]["below_mbb"]) == json_of("strategy", "curve", "kuhn")[0]["points"][3]["below"]
    assert rows[3]["wins_mbb"] == "" and float(rows[-1]["wins_mbb"]) > 0 and rows[-1]["how"] == ""
    assert "can be written" in refused("strategy", "curve", "kuhn", "--csv", tmp_path / "nowhere" / "curve.csv")
    assert "nobody" in refused("strategy", "curve", "nobody")
