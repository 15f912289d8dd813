"""Percentile buckets: thresholds, live vectors equal to table rows, files."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.common import verified
from limpet.common.verified import MANIFEST, file_digest
from limpet.strategies.abstraction import card_tables
from limpet.strategies.abstraction.card_table_kernels import BucketTables, fill_round
from limpet.strategies.abstraction.card_tables import compare_tables, load_or_build_strengths, table_name
from limpet.strategies.abstraction.cards import StrengthPercentile
from limpet.strategies.abstraction.holdem_buckets import NO_BUCKET, StrengthBuckets
from limpet.strategies.abstraction.street_fitting import percentile_cuts
from limpet.strategies.cards.equity import FULL_COUNT, strength_counts
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import (
    CanonicalBoards,
    canonical_boards,
    hand_permutation,
    preflop_classes,
)

FLOP_ROW = 700


def even_thresholds(buckets: int, n: int) -> npt.NDArray[np.int32]:
    return (np.arange(1, buckets) * FULL_COUNT[n] // buckets).astype(np.int32)


def plain_buckets(cuts: npt.NDArray[np.int32], counts: npt.NDArray[np.int32]) -> list[int]:
    return [NO_BUCKET if count < 0 else sum(cut <= count for cut in cuts.tolist()) for count in counts.tolist()]


@pytest.fixture(scope="module")
def buckets() -> StrengthBuckets:
    """Buckets of equal width; of the flop table only one row is true."""
    cuts = [even_thresholds(count, n) for count, n in zip((7, 50, 255), (3, 4, 5), strict=True)]
    flop = np.zeros((1755, 1326), dtype=np.uint8)
    flop[FLOP_ROW] = plain_buckets(cuts[0], strength_counts(canonical_boards(3).boards[FLOP_ROW].tolist()))
    return StrengthBuckets(cuts, flop)


def test_numbers(buckets: StrengthBuckets) -> None:
    assert [buckets.num_buckets(round) for round in range(4)] == [169, 7, 50, 255]
    assert buckets.kind == "strength-percentile"


def test_before_the_flop(buckets: StrengthBuckets) -> None:
    assert (buckets.bucket_vector(0, ()) == preflop_classes()).all()


@pytest.mark.parametrize("suits", [(0, 1, 2, 3), (3, 1, 0, 2), (2, 3, 1, 0)])
def test_flop_comes_from_the_canonical_row(buckets: StrengthBuckets, suits: tuple[int, ...]) -> None:
    board = [(int(card) & ~3) | suits[card & 3] for card in canonical_boards(3).boards[FLOP_ROW]]
    assert buckets.board_buckets(board).tolist() == plain_buckets(buckets.thresholds[0], strength_counts(board))


@pytest.mark.parametrize("board", [[4, 50, 13, 30], [4, 50, 13, 30, 29]])
def test_later_streets_are_live(buckets: StrengthBuckets, board: list[int]) -> None:
    vector = buckets.board_buckets(board)
    assert vector.dtype == np.uint8
    assert vector.tolist() == plain_buckets(buckets.thresholds[len(board) - 3], strength_counts(board))
    assert buckets.board_buckets(board[::-1]) is vector
    with pytest.raises(ValueError):
        vector[0] = 0


@pytest.mark.parametrize("board", [[1], [1, 2], [1, 1, 2], [0, 1, 52], [1, 2, 3, 3], [1, 2, 3, 4, 5, 6]])
def test_bad_boards(buckets: StrengthBuckets, board: list[int]) -> None:
    with pytest.raises(ValueError):
        buckets.board_buckets(board)


def test_tensors(buckets: StrengthBuckets) -> None:
    tensors = buckets.to_tensors()
    again = StrengthBuckets.from_tensors(tensors)
    assert again.hash() == buckets.hash()
    assert all((a == b).all() for a, b in zip(again.thresholds, buckets.thresholds, strict=True))
    assert (again.flop == buckets.flop).all()
    with pytest.raises(ValueError, match="flop"):
        StrengthBuckets.from_tensors({name: array for name, array in tensors.items() if name != "flop"})


def test_hash_tells_thresholds_apart(buckets: StrengthBuckets) -> None:
    cuts = [array.copy() for array in buckets.thresholds]
    cuts[1][3] += 1
    assert StrengthBuckets(cuts, buckets.flop).hash() != buckets.hash()


def test_bad_arrays(buckets: StrengthBuckets) -> None:
    good = list(buckets.thresholds)
    flop = buckets.flop
    bad_cuts: list[list[Any]] = [
        good[:2],
        [good[0].astype(np.int64), *good[1:]],
        [good[0][::-1], *good[1:]],
        [good[0] + FULL_COUNT[3], *good[1:]],
        [good[0] - FULL_COUNT[3], *good[1:]],
        [good[0], good[1], np.arange(255, dtype=np.int32)],
    ]
    for cuts in bad_cuts:
        with pytest.raises(ValueError):
            StrengthBuckets(cuts, flop)
    for table in (flop[:5], flop.astype(np.int16), np.full_like(flop, 7)):
        with pytest.raises(ValueError):
            StrengthBuckets(good, table)  # type: ignore[arg-type]


@given(st.lists(st.integers(0, 50), min_size=1, max_size=40).filter(any), st.integers(1, 20))
def test_percentiles(weights: list[int], number: int) -> None:
    cuts = percentile_cuts(np.arange(len(weights)), np.array(weights, dtype=np.int64), number).tolist()
    assert len(cuts) == number - 1
    for i, cut in enumerate(cuts, start=1):
        below = [number * sum(weights[:count]) >= i * sum(weights) for count in range(len(weights))]
        assert cut == (below.index(True) if any(below) else len(weights) - 1)


def test_training_lookup_equals_live_vectors(buckets: StrengthBuckets) -> None:
    rng = np.random.default_rng(4)
    board = canonical_boards(3).boards[FLOP_ROW].tolist()
    board = [int(card) ^ 1 for card in board]  # the same class in other suits
    board += [int(card) for card in rng.permutation([card for card in range(52) if card not in board])[:2]]
    tables = []
    for n in (3, 4, 5):
        table = np.zeros((canonical_boards(n).count, 1326), dtype=np.uint8)
        row, permutation = canonical_boards(n).find(board[:n])
        table[row, hand_permutation(permutation)] = buckets.board_buckets(board[:n])
        tables.append(table)
    keys = [canonical_boards(n).keys for n in (3, 4, 5)]
    held = BucketTables(preflop_classes(), tables[0], tables[1], tables[2], keys[0], keys[1], keys[2])
    dealt = np.array(board, dtype=np.int8)
    live = np.flatnonzero(~hand_space().blocked(board))[::7]
    filled = np.empty((1, len(live), 4), dtype=np.int32)
    for street, n in enumerate((0, 3, 4, 5)):
        fill_round(street, np.zeros(1, np.int64), hand_space().holes[live][None, :, ::-1], dealt[None], held, filled)
        assert (filled[0, :, street] == buckets.bucket_vector(street, tuple(board[:n]))[live]).all()


def few_boards(n: int) -> CanonicalBoards:
    """All flops, but only the first 40 turns and 300 rivers."""
    every = canonical_boards(n)
    if n == 3:
        return every
    some = 40 if n == 4 else 300
    return CanonicalBoards(n, every.boards[:some], every.orbit[:some], every.keys)


def quick_flops(
    boards: CanonicalBoards, pool: ThreadPoolExecutor, advance: Callable[[float], None]
) -> npt.NDArray[np.int32]:
    """Real counts, but for a sham on the flops, which would take most of a minute."""
    if boards.n > 3:
        return REAL_COUNT_ALL(boards, pool, advance)
    row = np.arange(1326, dtype=np.int32) * 1600
    return np.array([np.where(hand_space().blocked(board), -1, row) for board in boards.boards.tolist()], np.int32)


REAL_COUNT_ALL = card_tables.count_all


def test_build_and_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(card_tables, "canonical_boards", few_boards)
    monkeypatch.setattr(card_tables, "count_all", quick_flops)
    seen: list[tuple[int, int]] = []
    numbers = (13, 40, 60)
    built = load_or_build_strengths(tmp_path / "new", numbers, 2, lambda done, total: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1] == 1755 * 1176 + 40 * 48 + 300 and seen == sorted(seen)
    assert [built.buckets.num_buckets(round) for round in range(4)] == [169, *numbers]
    for n, table in ((4, built.tables.turn), (5, built.tables.river)):
        assert table.dtype == np.uint8 and not table.flags.writeable
        for row in (0, 7, 39):
            board = canonical_boards(n).boards[row].tolist()
            assert table[row].tolist() == built.buckets.board_buckets(board).tolist()
        # Equal parts of all deals, as far as ties allow: no bucket holds much more than its share.
        orbit = few_boards(n).orbit[:, None]
        number = numbers[n - 3]
        share = np.bincount(table.ravel(), np.broadcast_to(orbit, table.shape).ravel(), 256)[:number]
        assert share.max() < 4 * share.sum() / number

    monkeypatch.setattr(card_tables, "count_all", None)  # the second time nothing is computed
    again = load_or_build_strengths(tmp_path / "new", numbers)
    assert again.buckets.hash() == built.buckets.hash()
    assert len(list((tmp_path / "new").iterdir())) == 1


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("flop", "flop: row 1754 has buckets"),
        ("turn", "turn: row 39 has buckets"),
        ("river", "river: row 299 has buckets"),
        ("blocked", "turn: row 39 has buckets"),
        ("short", r"river: uint8\[300, 1326\] is needed, not uint8\[299, 1326\]"),
        ("wide", "turn: uint8.* not uint16"),
        ("thresholds", "turn: thresholds of 39 buckets, not 40"),
        ("cut", "not a whole card table"),
        ("lost", "not a whole card table"),
    ],
)
def test_a_damaged_folder_is_refused(name: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if its checksums were fitted to it: kernels would write wherever its buckets say."""
    monkeypatch.setattr(card_tables, "canonical_boards", few_boards)
    monkeypatch.setattr(card_tables, "count_all", quick_flops)
    numbers = (13, 40, 60)
    load_or_build_strengths(tmp_path, numbers)
    (folder,) = tmp_path.iterdir()
    table = {path.stem: np.load(path) for path in folder.glob("*.npy")}
    for street, count in zip(("flop", "turn", "river"), numbers, strict=True):
        if name == street:
            live = np.flatnonzero(table[street][-1] != NO_BUCKET)
            table[street][-1, live[-1]] = NO_BUCKET if street == "flop" else count
            np.save(folder / f"{street}.npy", table[street])
    if name == "blocked":
        table["turn"][-1, np.flatnonzero(table["turn"][-1] == NO_BUCKET)[0]] = 0
        np.save(folder / "turn.npy", table["turn"])
    elif name == "short":
        np.save(folder / "river.npy", table["river"][:-1])
    elif name == "wide":
        np.save(folder / "turn.npy", table["turn"].astype(np.uint16))
    elif name == "thresholds":
        np.save(folder / "turn.thresholds.npy", table["turn.thresholds"][1:])
    elif name == "cut":
        (folder / "river.npy").write_bytes((folder / "river.npy").read_bytes()[:-100])
    elif name == "lost":
        (folder / "flop.thresholds.npy").unlink()
    if name != "lost":
        fit_checksums(folder)
    with pytest.raises(ValueError, match=f"{told}.*delete the folder; it is built anew"):
        load_or_build_strengths(tmp_path, numbers)


def fit_checksums(folder: Path) -> None:
    manifest = json.loads((folder / MANIFEST).read_text())
    manifest["sha256"] = {path.name: file_digest(path) for path in folder.glob("*.npy")}
    (folder / MANIFEST).write_text(json.dumps(manifest))


def test_flipped_buckets_are_refused_and_sound_tables_are_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bucket that could be one trains another strategy, and nothing but its checksum shows that it is not."""
    monkeypatch.setattr(card_tables, "canonical_boards", few_boards)
    monkeypatch.setattr(card_tables, "count_all", quick_flops)
    numbers = (13, 40, 60)
    built = load_or_build_strengths(tmp_path, numbers)
    folder = tmp_path / table_name(numbers)
    digests = {street: file_digest(folder / f"{street}.npy") for street in ("flop", "turn", "river")}
    assert built.digests == digests
    cards = StrengthPercentile(numbers)
    assert compare_tables(cards, digests, tmp_path) == (True, "trained with the card tables that are here")
    assert compare_tables(cards, {}, tmp_path) == (None, "which card tables it was trained with was not recorded")
    assert compare_tables(cards, digests, tmp_path / "none")[1].endswith("are not here")
    same, told = compare_tables(cards, {**digests, "turn": "0" * 64}, tmp_path)
    assert same is False and told.endswith(f"{folder} (turn)")
    with monkeypatch.context() as unread:
        unread.setattr(verified, "file_digest", None)
        load_or_build_strengths(tmp_path, numbers)
    for street in ("flop", "turn", "river"):
        path = folder / f"{street}.npy"
        whole = path.read_bytes()
        table = np.load(path)
        live = np.argwhere((table[-1] != NO_BUCKET) & (table[-1] > 0))[0]
        table[-1, live] -= 1
        np.save(path, table)
        for check in (
            lambda: load_or_build_strengths(tmp_path, numbers),
            lambda: compare_tables(cards, digests, tmp_path),
        ):
            with pytest.raises(ValueError, match=rf"{street}\.npy: SHA-256 is .*delete the folder; it is built anew"):
                check()
        path.write_bytes(whole)
    (folder / MANIFEST).unlink()
    with pytest.raises(ValueError, match=r"from before tables had checksums.*delete the folder; it is built anew"):
        load_or_build_strengths(tmp_path, numbers)


def test_a_failed_build_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("no")

    monkeypatch.setattr(card_tables, "count_all", fail)
    with pytest.raises(RuntimeError):
        load_or_build_strengths(tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_full_tables_agree_with_live_vectors(tmp_path: Path) -> None:
    built = load_or_build_strengths(tmp_path, (200, 200, 200), threads=2)
    rng = np.random.default_rng(5)
    for _ in range(300):
        board = rng.permutation(52)[:5].tolist()
        for n, table in zip((3, 4, 5), (built.tables.flop, built.tables.turn, built.tables.river), strict=True):
            row, permutation = canonical_boards(n).find(board[:n])
            assert (table[row][hand_permutation(permutation)] == built.buckets.board_buckets(board[:n])).all()
    for n, table in zip((3, 4, 5), (built.tables.flop, built.tables.turn, built.tables.river), strict=True):
        share = np.zeros(256)
        for row, orbit in enumerate(canonical_boards(n).orbit):
            share += orbit * np.bincount(table[row], minlength=256)
        assert share[:200].sum() == pytest.approx(
            canonical_boards(n).orbit.sum() * hand_space().size - share[NO_BUCKET]
        )
        assert share[:200].max() < 0.02 * share[:200].sum()
