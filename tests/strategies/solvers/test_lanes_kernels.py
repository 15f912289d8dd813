"""Eight numbers at a time against numpy, one operation after the other."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.common.jit import njit
from limpet.strategies.solvers.lanes_kernels import (
    WIDTH,
    at,
    interleave,
    largest,
    load,
    maximum,
    new_entries,
    old_entries,
    part,
    select,
    settle_entries,
    spread,
    store,
    take,
    total,
    write_rows,
)

F4 = np.float32


@njit
def _operations(x: Any, y: Any, u: Any, v: Any, number: Any, out: Any, sums: Any) -> None:
    for i in range(0, len(x), 8):
        a, b = load(x, i), load(y, i)
        store(out[0], i, a + b)
        store(out[1], i, a - b)
        store(out[2], i, a * b)
        store(out[3], i, a / b)
        store(out[4], i, maximum(a, b))
        store(out[5], i, select(a, b, load(u, i), load(v, i)))
        store(out[6], i, spread(number))
        sums[0, i // 8] = total(a)
        sums[1, i // 8] = largest(a)


@njit(nogil=True)
def _take_all(counter: Any, taken: Any, mark: int) -> None:
    number = take(counter)
    while number < len(taken):
        taken[number] += mark
        number = take(counter)


@njit
def _copy(source: Any, at: int, target: Any, to: int, count: int) -> None:
    for i in range(0, count, 8):
        store(target, to + i, load(source, at + i))


@njit
def _interleave(x: Any, rows: Any, target: Any, t: int) -> None:
    interleave(x, rows[0], rows[1], rows[2], rows[3], rows[4], rows[5], rows[6], rows[7], target, t)


@njit
def _part(x: Any, a: int, target: Any, r: int, step: int) -> None:
    part(x, a, target, r, step)


@njit
def _write_rows(x: Any, target: Any, rows: Any, r: int, h: int) -> None:
    # Not by a list: numba lays lists at addresses that eight lanes may not stand at.
    y0, y1, y2, y3 = load(x, 0), load(x, 8), load(x, 16), load(x, 24)
    y4, y5, y6, y7 = load(x, 32), load(x, 40), load(x, 48), load(x, 56)
    write_rows(target, rows, r, h, y0, y1, y2, y3, y4, y5, y6, y7)


@njit
def _numbers(array: Any, indices: Any) -> Any:
    return np.array([at(array, i) for i in indices])


@njit
def _through_table(table: Any, given: Any, scales: Any, fresh: Any, actions: int, row: int, stride: int) -> Any:
    """Write rows as a decision's new entries, and read them back."""
    for a in range(actions):
        for h in range(0, stride, 8):
            new_entries(table, row + a * stride + h, load(given, a * stride + h), fresh, a * stride + h)
    settle_entries(table, row, actions, stride, stride, scales, 1, fresh)
    back = np.empty_like(given)
    for i in range(0, actions * stride, 8):
        store(back, i, old_entries(table, row + i, scales[1]))
    return back


def test_arithmetic_is_numpys() -> None:
    rng = np.random.default_rng(0)
    x, y, u, v = rng.normal(size=(4, 64)).astype(F4)
    y[:8] = x[:8]  # neither above the other
    x[8], y[9], x[10], y[11] = 0, 0, np.inf, -np.inf
    out, sums = np.zeros((7, 64), F4), np.zeros((2, 8), F4)
    _operations(x, y, u, v, F4(2.5), out, sums)
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = [x + y, x - y, x * y, x / y, np.maximum(x, y), np.where(x > y, u, v), np.full(64, F4(2.5))]
    np.testing.assert_array_equal(out, np.array(expected))
    np.testing.assert_allclose(sums[0], x.reshape(8, 8).sum(axis=1), rtol=1e-6)
    np.testing.assert_array_equal(sums[1], x.reshape(8, 8).max(axis=1))


@pytest.mark.parametrize("offset", range(4))
def test_places_need_not_be_aligned(offset: int) -> None:
    x = np.arange(40, dtype=F4)
    y = np.full(40, F4(-1))
    _copy(x, offset, y, 3 * offset, 16)
    np.testing.assert_array_equal(y[3 * offset : 3 * offset + 16], x[offset : offset + 16])
    assert (y == -1).sum() == 24


def test_int16_is_rounded_to_the_nearest_and_clipped() -> None:
    given = np.array(
        [0.4, 0.5, 0.6, 1.5, 2.5, -0.5, -1.5, -2.6, 32766.6, 32767, 32768, 1e9, -32767.4, -32768, -1e9, -0.4], F4
    )
    stored = np.zeros(16, np.int16)
    _copy(given, 0, stored, 0, 16)
    np.testing.assert_array_equal(stored, np.clip(np.rint(given), -32767, 32767).astype(np.int16))
    back = np.zeros(16, F4)
    _copy(stored, 0, back, 0, 16)
    np.testing.assert_array_equal(back, stored.astype(F4))


def test_every_int16_but_the_lowest_survives() -> None:
    every = np.arange(-32768, 32768).astype(np.int16)
    wide = np.zeros(len(every), F4)
    _copy(every, 0, wide, 0, len(every))
    np.testing.assert_array_equal(wide, every.astype(F4))
    back = np.zeros_like(every)
    _copy(wide, 0, back, 0, len(every))
    np.testing.assert_array_equal(back, np.maximum(every, -32767))


def test_interleave_takes_eight_rows_number_by_number() -> None:
    x = np.random.default_rng(1).normal(size=200).astype(F4)
    rows = np.array([0, 150, 8, 8, 71, 33, 190, 100])
    target = np.zeros(80, F4)
    _interleave(x, rows, target, 5)
    expected = np.array([x[row : row + WIDTH] for row in rows]).T.ravel()
    np.testing.assert_array_equal(target[5:69], expected)
    assert not target[:5].any() and not target[69:].any()


@pytest.mark.parametrize("step", [8, 11])
def test_part_is_the_way_back(step: int) -> None:
    x = np.random.default_rng(2).normal(size=120).astype(F4)
    mixed, apart = np.zeros(64, F4), np.zeros(100, F4)
    rows = 3 + step * np.arange(8)
    _interleave(x, rows, mixed, 0)
    _part(mixed, 0, apart, 2, step)
    for k in range(WIDTH):
        np.testing.assert_array_equal(apart[2 + k * step : 10 + k * step], x[rows[k] : rows[k] + 8])


def test_eight_values_are_written_to_rows_that_start_anywhere() -> None:
    x = np.random.default_rng(2).normal(size=200).astype(F4)
    mixed, apart = np.zeros(64, F4), np.zeros(150, F4)
    sources, rows = np.array([0, 150, 8, 8, 71, 33, 190, 100]), np.array([7, 7, 90, 2, 11, 40, 60, 20, 30, 130])
    _interleave(x, sources, mixed, 0)
    _write_rows(mixed, apart, rows, 2, 3)
    for source, row in zip(sources, rows[2:], strict=True):
        np.testing.assert_array_equal(apart[row + 3 : row + 11], x[source : source + 8])
    assert np.count_nonzero(apart) == 64


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.int32, np.int64])
def test_whole_numbers_are_read_as_they_are(kind: Any) -> None:
    limits = np.iinfo(kind)
    numbers = np.array([limits.max, 0, 1, limits.min, limits.max // 2 + 1], kind)
    np.testing.assert_array_equal(_numbers(numbers, np.array([3, 0, 4])), numbers[[3, 0, 4]].astype(np.int64))


@pytest.mark.parametrize("size", [1e-20, 1.0, 1e20])
def test_tables_keep_float32_as_it_is_and_int16_by_the_decisions_largest(size: float) -> None:
    actions, stride, row = 3, 16, 8
    given = (size * np.random.default_rng(3).normal(size=actions * stride)).astype(F4)
    scales, fresh = np.zeros(3, F4), np.zeros(actions * stride, F4)
    exact, narrow = np.zeros(80, F4), np.zeros(80, np.int16)
    np.testing.assert_array_equal(_through_table(exact, given, scales, fresh, actions, row, stride), given)
    back = _through_table(narrow, given, scales, fresh, actions, row, stride)
    assert scales[1] == pytest.approx(np.abs(given).max() / 32767, rel=1e-6) and scales[0] == scales[2] == 0
    assert np.abs(narrow).max() == 32767
    np.testing.assert_allclose(back, given, atol=0.501 * scales[1])
    assert not narrow[:row].any() and not narrow[row + actions * stride :].any()


def test_rows_of_nothing_stay_nothing_in_int16() -> None:
    scales, fresh, table = np.ones(2, F4), np.zeros(16, F4), np.ones(16, np.int16)
    given: NDArray[np.float32] = np.zeros(16, F4)
    np.testing.assert_array_equal(_through_table(table, given, scales, fresh, 1, 0, 16), given)
    assert scales[1] == 0 and not table.any()


def test_threads_take_each_number_once() -> None:
    counter, taken = np.zeros(1, np.int64), np.zeros(200_000, np.int64)
    _take_all(np.full(1, 1, np.int64), np.zeros(1, np.int64), 1)  # compiled before both begin
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(partial(_take_all, counter, taken), (1, 2)))
    assert set(taken.tolist()) <= {1, 2} and counter[0] == len(taken) + 2
