"""Trees that do not fit into memory are refused before they are built."""

from pathlib import Path
from typing import Any

import pytest

from limpet.configs.loading import load_game
from limpet.strategies.abstraction.betting import build_tree
from limpet.strategies.abstraction.cards import Clustered, LosslessBuckets, StrengthPercentile
from limpet.strategies.holdem.training import solvers
from limpet.strategies.holdem.training.solvers import bucket_counts, estimated, tree_with_room
from limpet.strategies.holdem.training.training import Training

SIX = """\
name: six
game: holdem.nolimit.6p
algorithm: mccfr
iterations: 1000
cards: {kind: strength-percentile, buckets: [50, 50, 50]}
menu: {sizes: [[[0.25, 0.33, 0.5, 0.75, 1.0, 1.5, 2.0]]]}
"""


def told(*_: Any) -> None:
    pass


def test_a_huge_menu_is_refused_without_a_walk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solvers, "count_tree", None)
    monkeypatch.setattr(solvers, "free_memory", lambda: 32 * 2**30)
    path = tmp_path / "six.yaml"
    path.write_text(SIX)
    with pytest.raises(ValueError, match=r"six: its menu makes far more .* GiB of memory, and 32\.0 GiB are free; use"):
        Training.load(str(path)).prepare()


@pytest.mark.parametrize("name", ["kuhn3p", "leduc", "leduc-nolimit", "holdem-limit-3p", "holdem-nolimit-6p"])
def test_estimates_come_near(name: str) -> None:
    run = Training.load(name)
    tree = build_tree(run.game, run.config.menu)
    truth = int(tree.num_actions.sum())
    assert estimated(run.game, run.config, lambda state, actions: actions) == pytest.approx(truth, rel=0.3)


def test_what_does_not_quite_fit_is_counted_and_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Training.load("holdem-limit-3p")
    tree = build_tree(run.game, run.config.menu)
    offset = tree.row_offset(bucket_counts(run.config.cards, run.game))
    need = 320 * tree.num_nodes + 8 * int(offset[-1])
    monkeypatch.setattr(solvers, "free_memory", lambda: need)
    assert tree_with_room(run.config, run.game, told).hash() == tree.hash()
    monkeypatch.setattr(solvers, "free_memory", lambda: need - 1)
    with pytest.raises(
        ValueError, match=r"^holdem-limit-3p: its menu makes .*[\d,]+ table entries: .* are free; use fewer"
    ):
        tree_with_room(run.config, run.game, told)
    monkeypatch.setattr(solvers, "free_memory", lambda: need // 20)
    with pytest.raises(ValueError, match=r"makes at least [\d,]+ betting sequences"):
        tree_with_room(run.config, run.game, told)


def test_counting_and_building_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("limpet.strategies.abstraction.betting.REPORT_EVERY", 5_000)
    monkeypatch.setattr(solvers, "free_memory", lambda: 2**40)
    run = Training.load("holdem-limit-3p")
    stages: list[tuple[str, int, int]] = []
    nodes = tree_with_room(run.config, run.game, lambda *stage: stages.append(stage)).num_nodes
    assert [stage for stage in stages if stage[0] == "building the betting tree"] == [
        ("building the betting tree", done, nodes) for done in range(5_000, nodes, 5_000)
    ]
    assert all(0 < done < total == 2**40 for stage, done, total in stages if stage == "counting bets")
    assert stages[0][0] == "counting bets"


def test_bucket_counts_are_those_of_the_cards() -> None:
    leduc, holdem = load_game("leduc.limit.2p"), load_game("holdem.limit.2p.reverse_blinds")
    lossless = Training.load("leduc").config.cards
    assert bucket_counts(lossless, leduc) == tuple(LosslessBuckets(leduc).num_buckets(round_) for round_ in range(2))
    assert bucket_counts(StrengthPercentile((9, 8, 7)), holdem) == (169, 9, 8, 7)
    assert bucket_counts(Clustered(), holdem) == (169, 2000, 1000, 500)
    assert bucket_counts(Clustered(recall="perfect"), holdem)[1] == 169 * 2000
