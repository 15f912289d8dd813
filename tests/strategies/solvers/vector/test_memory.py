"""What a solve is said to take is what it takes, and what does not fit is refused before it is taken."""

import tracemalloc
from typing import Any

import numpy as np
import pytest

from limpet.protocol.cards import parse_cards
from limpet.strategies.solvers.schedule import Algorithm
from limpet.strategies.solvers.vector import memory
from limpet.strategies.solvers.vector.memory import MemoryEstimate, free_memory, require_memory
from limpet.strategies.solvers.vector.vector_solver import VectorSolver
from tests.oracles.vector_twin import spot_tree

RIVER, TURN = "KsTh7s4d2c", "KsTh7s4d"


def arrays_of(solver: VectorSolver) -> dict[str, int]:
    """Bytes of every array a solver holds, each counted once."""
    seen: set[int] = set()

    def size(thing: Any) -> int:
        if isinstance(thing, np.ndarray):
            whole = thing if thing.base is None else thing.base
            if id(whole) in seen:
                return 0
            seen.add(id(whole))
            return int(thing.nbytes)
        return sum(map(size, thing)) if isinstance(thing, list | tuple) else 0

    return {
        "tables": size(solver.tables.arrays),
        "work": size([solver.passes.spaces, solver.passes.root]),
        "boards": size(solver.boards.arrays),
    }


@pytest.mark.parametrize(
    ("board", "options"),
    [
        (RIVER, {}),
        (RIVER, {"storage": "int16"}),
        (TURN, {}),
        (TURN, {"threads": 3}),
        (TURN, {"storage": "int16", "threads": 2}),
        (TURN, {"algorithm": Algorithm("pcfr+")}),
        (TURN, {"algorithm": Algorithm("cgh")}),
    ],
)
def test_the_estimate_is_what_is_allocated(board: str, options: dict[str, Any]) -> None:
    tree = spot_tree(board, 2000, 19000) if board == RIVER else spot_tree(board, 10000, 15000)
    solver = VectorSolver(tree, parse_cards(board), np.ones((2, 1326), np.float32), **options)
    taken, told = arrays_of(solver), solver.memory
    assert told.tables == pytest.approx(taken["tables"], rel=0.01)
    assert told.work == pytest.approx(taken["work"], rel=0.02)
    assert told.total == pytest.approx(sum(taken.values()), rel=0.01)
    assert told.rows == len(solver.tables.arrays.regret)


def test_what_does_not_fit_is_refused_with_the_numbers_and_never_allocated(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = spot_tree(TURN, 10000, 15000)
    ranges = np.ones((2, 1326), np.float32)
    tables = VectorSolver(tree, parse_cards(TURN), ranges).memory.tables
    monkeypatch.setattr(memory, "free_memory", lambda: 5 * 2**20)
    tracemalloc.start()
    with pytest.raises(MemoryError, match=r"needs [\d.]+ MiB \(tables [\d.]+ MiB, .*and 5\.0 MiB are free; use fewer"):
        VectorSolver(tree, parse_cards(TURN), ranges)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < tables / 4


def test_the_limit_is_what_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    free = free_memory()
    estimate = MemoryEstimate(tables=1000, work=20, boards=3, rows=250)
    assert free is None or free > 2**20
    assert estimate.total == 1023
    require_memory(estimate)
    if free is not None:
        with pytest.raises(MemoryError, match="GiB"):
            require_memory(MemoryEstimate(tables=100 * free, work=0, boards=0, rows=0))
    monkeypatch.setattr(memory, "free_memory", lambda: 1023)
    require_memory(estimate)
    monkeypatch.setattr(memory, "free_memory", lambda: 1022)
    with pytest.raises(MemoryError, match="needs 0.0 MiB"):
        require_memory(estimate)
    assert str(MemoryEstimate(tables=3 * 2**30, work=2**20, boards=2**20, rows=0)) == (
        "3.0 GiB (tables 3.0 GiB, working space 2.0 MiB)"
    )
