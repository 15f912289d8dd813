"""The arithmetic of Kebrle's preflop tables (2016, sections 6.3 and 6.4, appendix A)."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.strategies.cards.isomorphism import class_number, preflop_classes
from limpet.strategies.opponents.hand_cells import CellGrid, action_probabilities

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "kebrle_preflop.json").read_text())
PRINTED = CellGrid(merged=True)
"""The printed tables as arithmetic: a row's number is the rank's, whatever rank it stands for."""
ROUNDING = 5e-4


def printed(name: str) -> NDArray[np.float64]:
    return np.array(VECTORS["tables"][name], np.float64)


def relabelled(*names: str) -> NDArray[np.float64]:
    return np.array([VECTORS["relabelled"][name] for name in names], np.float64)


def cell(grid: CellGrid, name: str) -> int:
    return int(grid.cell_of_class[class_number(name)])


@pytest.mark.parametrize("iterations, after", [(1, "A.5"), (2, "A.6"), (3, "A.7")])
def test_6_4_3_smoothing_of_third_raises(iterations: int, after: str) -> None:
    assert PRINTED.smooth(printed("A.4"), iterations) == pytest.approx(printed(after), abs=ROUNDING)


@pytest.mark.parametrize("before, after", [("A.1", "A.8"), ("A.2", "A.9"), ("A.3", "A.10")])
def test_6_4_3_seven_rounds(before: str, after: str) -> None:
    assert PRINTED.smooth(printed(before)) == pytest.approx(printed(after), abs=ROUNDING)


def test_6_4_4_probabilities() -> None:
    counts = np.array([printed("A.1"), printed("A.2"), printed("A.3")])
    expected = np.array([printed("A.11"), printed("A.12"), printed("A.13")])
    assert action_probabilities(counts, PRINTED) == pytest.approx(expected, abs=ROUNDING)


def test_6_4_4_mean_probabilities_over_all_combos() -> None:
    combos = np.bincount(PRINTED.cell_of_class[preflop_classes()], minlength=PRINTED.size)
    counts = np.array([printed("A.1"), printed("A.2"), printed("A.3")])
    means = action_probabilities(counts, PRINTED) @ combos / 1326
    assert set(combos.tolist()) == {6, 16} and means == pytest.approx([0.293, 0.128, 0.579], abs=ROUNDING)


def test_6_4_4_the_worked_example_of_ace_and_deuce() -> None:
    ace_deuce = 12 * 13 // 2  # the printed row of the ace, column of the deuce
    smoothed = [PRINTED.smooth(printed(name))[ace_deuce] for name in ("A.1", "A.2", "A.3")]
    assert smoothed == pytest.approx([4.833, 3.409, 12.964], abs=ROUNDING)
    assert np.array(smoothed) / sum(smoothed) == pytest.approx([0.228, 0.161, 0.611], abs=ROUNDING)


def test_6_4_3_empty_cells_after_each_round() -> None:
    empty = [int((PRINTED.smooth(printed("A.4"), rounds) == 0).sum()) for rounds in range(11)]
    assert empty == [81, 66, 53, 37, 22, 15, 10, 6, 3, 1, 0]


def test_table_6_1_shares_of_the_hands() -> None:
    """1,717 hands of appendix A: 26.3 % fold, 12.5 % call, 61.2 % raise."""
    sums = [printed(name).sum() for name in ("A.1", "A.2", "A.3", "A.4")]
    assert sums == [451, 215, 1051, 17]
    assert 100 * np.array(sums[:3]) / 1717 == pytest.approx([26.3, 12.5, 61.2], abs=0.05)


def test_table_6_2_mean_over_all_combos() -> None:
    """The mean of the printed probabilities of a first raise, and the hand that table 6.1 repeats, Q6."""
    raises = printed("6.2")
    combos = np.bincount(PRINTED.cell_of_class[preflop_classes()], minlength=PRINTED.size)
    assert raises @ combos / 1326 == pytest.approx(0.436, abs=ROUNDING)
    assert raises[cell(PRINTED, "Q6o")] == pytest.approx(0.45, abs=0.005)


@pytest.mark.parametrize(
    "hand, neighbours",
    [
        ("22", {"33", "44"}),
        ("AA", {"KK", "QQ"}),
        ("AKo", {"AQo", "KQo"}),
        ("A2o", {"A3o", "K3o", "K2o"}),
        ("87o", {"98o", "97o", "96o", "86o", "76o"}),
        ("J5o", {"Q6o", "Q5o", "Q4o", "J6o", "J4o", "T6o", "T5o", "T4o"}),
    ],
)
@pytest.mark.parametrize("grid", [CellGrid(merged=True), CellGrid()])
def test_table_6_3_neighbours(grid: CellGrid, hand: str, neighbours: set[str]) -> None:
    averaged = set(np.flatnonzero(grid.averaging[cell(grid, hand)]).tolist())
    assert averaged == {cell(grid, name) for name in (hand, *neighbours)}


def test_the_ace_stands_beside_the_king_or_the_deuce() -> None:
    """The counts as the labels say, and in the order that the thesis's program seems to have counted them."""
    usual, shifted = CellGrid(merged=True), CellGrid(merged=True, ace_low=True)
    names = ("counts_fold", "counts_call", "counts_raise")
    counts = relabelled(*names)
    assert action_probabilities(counts, usual) == pytest.approx(relabelled("p_fold", "p_call", "p_raise"), abs=1e-4)
    moved = np.zeros_like(counts)
    moved[:, shifted.cell_of_class] = counts[:, usual.cell_of_class]
    assert moved == pytest.approx(np.array([printed("A.1"), printed("A.2"), printed("A.3")]))
    assert usual.averaging[cell(usual, "AKs"), cell(usual, "KQs")] > 0
    assert shifted.averaging[cell(shifted, "AKs"), cell(shifted, "KQs")] == 0
    assert shifted.averaging[cell(shifted, "32s"), cell(shifted, "A2s")] > 0


@pytest.mark.parametrize("grid", [CellGrid(), CellGrid(True), CellGrid(False, True), CellGrid(True, True)])
def test_grids_cover_all_classes_and_averaging_takes_means(grid: CellGrid) -> None:
    assert set(grid.cell_of_class.tolist()) == set(range(grid.size))
    assert grid.averaging.sum(axis=1) == pytest.approx(1)
    suited, offsuit = cell(grid, "T9s"), cell(grid, "T9o")
    assert (suited == offsuit) == grid.merged


class TestEmptyCells:
    """All counts of a hand are 0 after seven rounds: more rounds, then the prior, then the first action."""

    grid = CellGrid(merged=True)

    def counts(self, hand: str) -> NDArray[np.float64]:
        counts = np.zeros((3, self.grid.size))
        counts[2, cell(self.grid, hand)] = 1
        return counts

    def test_more_rounds(self) -> None:
        found = action_probabilities(self.counts("32o"), self.grid)
        assert self.grid.smooth(self.counts("32o"))[:, cell(self.grid, "AKo")].sum() == 0
        assert found[:, cell(self.grid, "AKo")].tolist() == [0, 0, 1]

    def test_the_prior_where_no_round_helps(self) -> None:
        prior = np.tile([[0.5], [0.3], [0.2]], self.grid.size)
        found = action_probabilities(self.counts("32o"), self.grid, prior=prior)
        assert found[:, cell(self.grid, "77")].tolist() == [0.5, 0.3, 0.2], "pairs never mix with other hands"
        assert found[:, cell(self.grid, "AKo")].tolist() == [0, 0, 1]

    def test_the_first_action_without_a_prior(self) -> None:
        found = action_probabilities(self.counts("32o"), self.grid)
        assert found[:, cell(self.grid, "77")].tolist() == [1, 0, 0]

    def test_a_prior_of_some_weight_is_mixed_in(self) -> None:
        prior = np.tile([[1.0], [0.0], [0.0]], self.grid.size)
        found = action_probabilities(self.counts("77"), self.grid, 0, prior, 3.0)
        assert found[:, cell(self.grid, "77")].tolist() == [0.75, 0, 0.25]
