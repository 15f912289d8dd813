"""Potential-aware flops: the quick earth mover's distance between bounds, its search, and the histories it reads."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import linprog

from limpet.strategies.abstraction import potential_kernels, street_fitting
from limpet.strategies.abstraction.cards import Clustered, EarthMover, PotentialAware, Strength
from limpet.strategies.abstraction.clustered_buckets import load_or_build, street_name
from limpet.strategies.abstraction.potential_kernels import ATOMS, UNIT, Centres
from limpet.strategies.abstraction.street_buckets import NO_BUCKET
from limpet.strategies.abstraction.street_fitting import (
    FlopHands,
    TurnDistances,
    assign,
    find_centres,
    from_weak_to_strong,
)
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import CanonicalBoards, canonical_boards, flop_numbers


def random_earth(rng: np.random.Generator, buckets: int = 40, size: int = 64) -> TurnDistances:
    """Turn buckets of random distributions, ascending in strength."""
    rows = -np.sort(-rng.integers(0, 256, (buckets, 8)), axis=1)
    return TurnDistances(rows[np.argsort(rows.sum(axis=1), kind="stable")].astype(np.uint8), size)


def random_hands(rng: np.random.Generator, n: int, buckets: int = 40) -> npt.NDArray[np.uint16]:
    middle = rng.integers(0, buckets, (n, 1))
    near = np.clip(middle + np.rint(rng.normal(0, 4, (n, ATOMS))), 0, buckets - 1)
    return np.sort(near, axis=1).astype(np.uint16)


def sums_of(earth: TurnDistances, atoms: npt.NDArray[np.uint16]) -> npt.NDArray[np.int16]:
    sums = np.empty((len(atoms), earth.centres.shape[1]), dtype=np.int16)
    potential_kernels.sum_atoms(atoms, earth.centres, 0, len(atoms), sums)
    return sums


def plain_earth_moved(atoms: list[int], support: list[int], weights: list[int], ground: npt.NDArray[Any]) -> int:
    """The greedy rule once more, an atom at a time."""
    room, left, cost = list(weights), [UNIT] * len(atoms), 0
    for turn in range(len(support)):
        for a, bucket in enumerate(atoms):
            place = sorted(range(len(support)), key=lambda p: (ground[bucket, support[p]], p))[turn]
            moved = min(left[a], room[place])
            room[place] -= moved
            left[a] -= moved
            cost += moved * int(ground[bucket, support[place]])
    assert not any(left)
    return cost


def optimal_cost(atoms: list[int], support: list[int], weights: list[int], ground: npt.NDArray[Any]) -> float:
    """The earth mover's distance by linear programming."""
    n, m = len(atoms), len(support)
    cost = ground[np.ix_(atoms, support)].astype(float).ravel()
    rows = np.kron(np.eye(n), np.ones(m))
    columns = np.kron(np.ones(n), np.eye(m))
    found = linprog(cost, A_eq=np.vstack([rows, columns]), b_eq=np.concatenate([[UNIT] * n, weights]))
    return float(found.fun)


def moved(earth: TurnDistances, atoms: npt.NDArray[np.uint16], centre: tuple[Any, ...], enough: int = 1 << 50) -> int:
    support, weights, nearest, _ = centre
    room, left = np.empty(len(support), np.int32), np.empty((2, ATOMS), np.int32)
    return int(potential_kernels.earth_moved(atoms, support, weights, nearest, earth.ground, enough, room, left))


def test_ground_distances() -> None:
    earth = random_earth(np.random.default_rng(1))
    wide = earth.centres.astype(int)
    assert earth.ground[3, 17] == np.abs(wide[3] - wide[17]).sum() and not earth.ground.diagonal().any()


def test_earth_moved_lies_between_bounds() -> None:
    rng = np.random.default_rng(2)
    earth = random_earth(rng)
    hands = random_hands(rng, 8)
    centre = earth.centre(np.bincount(hands[:6].ravel(), minlength=40))
    support, weights, _, mean = centre
    assert weights.sum() == ATOMS * UNIT
    for hand in hands:
        cost = moved(earth, hand, centre)
        atoms = hand.tolist()
        assert cost == plain_earth_moved(atoms, support.tolist(), weights.tolist(), earth.ground)
        best = optimal_cost(atoms, support.tolist(), weights.tolist(), earth.ground)
        assert best - 1e-6 <= cost < 2 * best
        means_apart = np.abs(sums_of(earth, hand[None])[0].astype(int) - mean).sum()
        assert UNIT * (means_apart - 4) <= best  # half a unit of rounding in each of eight entries
        assert moved(earth, hand, centre, cost) >= cost  # given up, but not below
    assert moved(earth, hands[0], earth.centre(np.bincount(hands[0], minlength=40))) == 0


def test_a_centre_keeps_its_heaviest_buckets() -> None:
    earth = random_earth(np.random.default_rng(3), size=3)
    counts = np.zeros(40, dtype=np.int64)
    counts[[4, 9, 20, 31]] = [50, 10, 30, 20]
    support, weights, nearest, mean = earth.centre(counts)
    assert support.tolist() == [4, 20, 31] and weights.sum() == ATOMS * UNIT
    assert np.abs(weights - ATOMS * UNIT * np.array([0.5, 0.3, 0.2])).max() < 1
    assert np.abs(mean - ATOMS * np.array([0.5, 0.3, 0.2]) @ earth.centres[support]).max() < 40
    order = earth.ground[7, support][nearest[7]]
    assert (np.diff(order.astype(int)) >= 0).all()


def test_nearest_centre_is_found() -> None:
    rng = np.random.default_rng(4)
    earth = random_earth(rng)
    hands = random_hands(rng, 200)
    histograms = [np.bincount(of.ravel(), minlength=40) for of in np.split(random_hands(rng, 60), 20)]
    with ThreadPoolExecutor(2) as pool:
        centres = from_weak_to_strong([earth.centre(counts) for counts in histograms])
        labels, costs = assign(earth, centres, FlopHands(hands, sums_of(earth, hands), np.ones(200, np.int64)), pool)
    assert (np.diff(centres.totals) >= 0).all()
    for hand, label, cost in zip(hands, labels, costs, strict=True):
        every = [moved(earth, hand, centres.centre(c)) for c in range(20)]
        # The bound by the means is off by what rounding them took, UNIT / 2 for each of eight entries.
        assert cost == every[label] and cost <= min(every) + 4 * UNIT


def test_planted_clusters_and_threads() -> None:
    rng = np.random.default_rng(5)
    earth = random_earth(rng, 40)
    kinds = random_hands(rng, 6)
    which = rng.integers(0, 6, 900)
    hands = FlopHands(kinds[which], sums_of(earth, kinds[which]), rng.integers(1, 24, 900))
    found: list[Centres] = []
    for threads in (1, 3):
        with ThreadPoolExecutor(threads) as pool:
            centres = find_centres(earth, hands, 6, np.random.default_rng(8), pool)
            labels, costs = assign(earth, centres, hands, pool)
        found.append(centres)
        assert not costs.any() and len(centres.totals) == len(set(which.tolist()))
        assert len(set(zip(which.tolist(), labels.tolist(), strict=True))) == len(centres.totals)
    assert (found[0].supports == found[1].supports).all()


def test_atoms_are_the_turn_buckets(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the first 20 flops, with a turn table of random buckets that depend on the canonical board alone."""
    every = canonical_boards(3)
    few = CanonicalBoards(3, every.boards[:20], every.orbit[:20], every.keys)
    monkeypatch.setattr(street_fitting, "canonical_boards", lambda n: few if n == 3 else canonical_boards(n))
    turns = canonical_boards(4)
    numbers = np.random.default_rng(6).integers(0, 500, turns.count).astype(np.uint16)
    table = np.repeat(numbers[:, None], 1326, axis=1)
    for row, board in enumerate(turns.boards.tolist()):
        table[row, hand_space().blocked(board)] = NO_BUCKET
    atoms, deals = street_fitting.flop_atoms(table)
    assert deals.sum() == few.orbit.sum() * 1176
    flop = few.boards[13].tolist()
    live, rows = flop_numbers(tuple(flop))
    for at in range(0, len(live), 97):
        dead = {*flop, *hand_space().cards(int(live[at]))}
        expected = sorted(int(numbers[turns.find((*flop, card))[0]]) for card in range(52) if card not in dead)
        assert atoms[rows[at]].tolist() == expected


def test_needs_turn_buckets_with_distances(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="give the turn method: emd"):
        load_or_build(tmp_path, Clustered(PotentialAware(10), Strength(10)))


def test_its_table_depends_on_the_turn() -> None:
    names = {street_name(Clustered(PotentialAware(10), EarthMover(buckets)), "flop") for buckets in (10, 20)}
    assert len(names) == 2
    plain = {street_name(Clustered(EarthMover(10), EarthMover(buckets)), "flop") for buckets in (10, 20)}
    assert len(plain) == 1
