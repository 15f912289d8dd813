"""Kernels within kernels: what is a part of another has no machine code until Python calls it, and answers as ever."""

from typing import Any, cast

import numpy as np
import pytest

from limpet.common.jit import njit
from limpet.common.kernel import Kernel


def kernels() -> tuple[Any, Any, Any]:
    """Return new kernels of three levels."""

    @njit
    def lowest(values: Any, at: int) -> Any:
        if at >= len(values):
            raise IndexError("no value is there")
        return values[at] * 2

    @njit
    def doubled(values: Any) -> Any:
        found = np.empty_like(values)
        for at in range(len(values)):
            found[at] = lowest(values, at)
        return found

    @njit(error_model="numpy")
    def total(values: Any, at: int) -> Any:
        return doubled(values).sum() + lowest(values, at)

    return lowest, doubled, total


def test_a_part_has_no_machine_code_until_it_is_called_from_python() -> None:
    lowest, doubled, total = kernels()
    values = np.arange(5.0)
    assert total(values, 1) == 22 and len(total.overloads) == 1
    assert not lowest.overloads and not doubled.overloads
    assert len(lowest.parts) == 1, "one for both callers"
    assert doubled(values).tolist() == [0, 2, 4, 6, 8] and lowest(values, 3) == 6
    assert total(values, 2) == 24


def test_types_are_compiled_apart() -> None:
    lowest, _, total = kernels()
    assert total(np.arange(3), 1) == 8 and total(np.arange(3.0), 1) == 8.0
    assert len(lowest.parts) == len(total.overloads) == 2


def test_a_part_raises_what_it_would_alone() -> None:
    _, _, total = kernels()
    for _ in range(2):
        with pytest.raises(IndexError, match="no value is there"):
            total(np.arange(3.0), 3)


def test_no_entry_for_foreign_code_is_made() -> None:
    lowest, _, _ = kernels()
    assert lowest(np.arange(3.0), 1) == 2.0
    (text,) = lowest.inspect_llvm().values()
    assert "cpython" in text and "@cfunc." not in text


def test_a_kernel_may_call_itself_within_another() -> None:
    @njit
    def halvings(number: int) -> int:
        return 0 if number <= 1 else 1 + halvings(number // 2)

    @njit
    def both(number: int) -> int:
        return halvings(number) + halvings(number + 1)

    assert both(15) == 7 and halvings(1024) == 10


def test_options_are_numbas() -> None:
    @njit(error_model="numpy")
    def infinite(number: float) -> float:
        return 1.0 / number

    @njit
    def careful(number: float) -> float:
        return infinite(number) + 1.0 / number

    assert infinite(0.0) == np.inf
    with pytest.raises(ZeroDivisionError):
        careful(0.0)


@njit(cache=True)
def squared(values: Any, at: int) -> Any:
    if at < 0:
        raise ValueError(f"below zero: {at}")
    return values[at] ** 2


@njit(cache=True)
def squares(values: Any, at: int) -> Any:
    return squared(values, at) + squared(values, 0)


def test_what_is_kept_has_its_parts_within_it() -> None:
    assert squares(np.array([1.0, 3.0]), 1) == 10
    whole, part = cast(Any, squares), cast(Any, squared)
    again, parts = Kernel(whole.py_func, nopython=True, boundscheck=None), dict(part.parts)
    again.enable_caching()
    assert again(np.array([2.0, 5.0]), 1) == 29 and sum(again.stats.cache_hits.values()) == 1
    with pytest.raises(ValueError, match="below zero: -1"):
        again(np.array([2.0, 5.0]), -1)
    assert part.parts == parts
