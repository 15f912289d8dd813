"""Running solves: limits, locks, estimates, and files from which they go on bit for bit."""

from pathlib import Path

import msgspec
import numpy as np
import pytest

from limpet.common.safetensors import map_tensors, write_tensors
from limpet.protocol.cards import parse_cards
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.solutions.lines import Lock
from limpet.strategies.holdem.solutions.solve import (
    FORMATS,
    TABLES,
    Check,
    Solve,
    load_solve,
    prepare,
    read_record,
    save_solve,
)
from limpet.strategies.holdem.solutions.spot import Spot, load_spot
from limpet.strategies.solvers.vector import memory
from limpet.strategies.solvers.vector.vector_solver import Exploitability
from tests.oracles.tree_sizes import street_counts

RIVER = Spot(
    board="AhKd8h4c2s",
    pot=10,
    stack=20,
    ranges=("AK,88,44,A8s,QhJh,JhTh,Th9h,9h7h,QTs", "AQ,AJ,ATs,KQ,KJs,QQ,JJ,TT"),
    target=0,
    iterations=40,
    threads=1,
)
TURN = Spot(
    board="JhTh4c2s",
    pot=12,
    stack=40,
    ranges=("JJ+,AJ,KJ,QJs", "AhKh,AhQh,KQ,98s,JT,44,ATs"),
    iterations=20,
    target=0,
    threads=1,
)


class Clock:
    """Seconds that pass by being asked."""

    def __init__(self, step: float) -> None:
        self.now, self.step = 0.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def test_it_stops_at_the_first_limit() -> None:
    seen: list[int] = []
    solve = prepare(RIVER)
    assert solve.run(lambda s: seen.append(s.solver.iteration)) == "iterations"
    assert seen == [10, 20, 30, 40] and solve.reason == "iterations"
    reached = prepare(msgspec.structs.replace(RIVER, target=1.0, iterations=10_000))
    assert reached.run() == "target"
    assert reached.checks[-1].exploitability.percent <= 1.0 < reached.checks[-2].exploitability.percent
    timed = prepare(msgspec.structs.replace(RIVER, seconds=5.0, iterations=10_000))
    assert timed.run(clock=Clock(0.5)) == "seconds"
    assert 0 < timed.solver.iteration < 20 and timed.seconds >= 5
    stopped = prepare(RIVER)
    assert stopped.run(stop=lambda: stopped.solver.iteration >= 7) == "interrupted"
    assert stopped.solver.iteration == 7 and len(stopped.checks) == 1


def test_looks_become_rarer() -> None:
    solve = prepare(msgspec.structs.replace(RIVER, iterations=400))
    solve.run()
    gaps = np.diff([check.iteration for check in solve.checks])
    assert gaps[0] == 10 and gaps.max() > 20
    assert all(gap <= max(10, c.iteration / 10 + 1) for gap, c in zip(gaps, solve.checks, strict=False))


def test_the_time_left_follows_the_trend() -> None:
    def check(seconds: float, percent: float) -> Check:
        return Check(int(10 * seconds), seconds, Exploitability((0, 0), percent, 20 * percent))

    # ε = 10 / t: from 2 % at 5 s to 1 % takes 5 s more.
    solve = Solve(msgspec.structs.replace(RIVER, target=1.0, iterations=10_000), prepare(RIVER).solver)
    solve.checks = [check(1.0, 10.0), check(2.0, 5.0), check(5.0, 2.0)]
    assert solve.seconds_left() == pytest.approx(5.0)
    solve.spot = msgspec.structs.replace(solve.spot, seconds=8.0)
    assert solve.seconds_left() == pytest.approx(3.0)
    solve.spot = msgspec.structs.replace(solve.spot, iterations=60)
    assert solve.seconds_left() == pytest.approx(1.0)


@pytest.mark.parametrize("algorithm", ["dcfr", "cgh", "pcfr+"])
@pytest.mark.parametrize(
    "spot", [TURN, RIVER, pytest.param(msgspec.structs.replace(TURN, board="JhTh4c", pot=30), marks=pytest.mark.slow)]
)
def test_the_estimate_is_the_solvers(spot: Spot, algorithm: str) -> None:
    spot = msgspec.structs.replace(spot, algorithm=algorithm)
    size, solver = spot.size(), prepare(spot).solver
    assert size.memory == solver.memory
    assert size.tree.whole and size.tree.streets == street_counts(solver.tree)


def test_too_little_memory_is_refused_with_the_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free_memory", lambda: 100_000)
    with pytest.raises(MemoryError, match=r"the solve needs .* MiB .*and 0\.1 MiB are free; use fewer bet sizes"):
        prepare(TURN)


# --- locks


def test_a_locked_river_is_exploited() -> None:
    """The shipped example: a player who folds too much to a bet of the pot is bet at with everything."""
    locked = load_spot("river-locked")
    free = msgspec.structs.replace(locked, locks=())
    solves = [prepare(msgspec.structs.replace(s, threads=1, iterations=1000, target=0)) for s in (locked, free)]
    for solve in solves:
        solve.run()
    node, wanted = locked.locked[0].node, locked.locked[0].rows
    live = (locked.weights[1] > 0) & ~hand_space().blocked(locked.cards)
    played = solves[0].solver.strategy(node, locked.cards)
    assert played[:, live] == pytest.approx(wanted[:, live], abs=1e-6)
    assert solves[0].solver.values()[0] > solves[1].solver.values()[0] + 0.01
    # The free player still answers exactly: a best response to the lock gains nothing more.
    gain = solves[0].solver.best_responses()[0] - solves[0].solver.values()[0]
    assert 0 <= gain < 0.01


def test_a_lock_holds_on_all_cards_or_on_one() -> None:
    line = ("check", "check")
    everywhere = msgspec.structs.replace(TURN, locks=(Lock({"check": 1.0}, line),))
    one = msgspec.structs.replace(TURN, merge="none", locks=(Lock({"check": 1.0}, (*line, "3d")),))
    for spot, boards in ((everywhere, ("3d", "Ah", "4d")), (one, ("3d",))):
        spot.check()
        solve = prepare(spot)
        solve.run()
        node = spot.locked[0].node
        live = spot.weights[0] > 0
        for card in boards:
            board = (*spot.cards, *parse_cards(card))
            rows = solve.solver.strategy(node, board)[:, live & ~hand_space().blocked(board)]
            assert rows[0] == pytest.approx(1, abs=1e-5)
    board = (*one.cards, *parse_cards("4d"))
    open_rows = solve.solver.strategy(node, board)[:, live & ~hand_space().blocked(board)]
    assert open_rows[0].min() < 0.9


# --- keeping


@pytest.mark.parametrize(
    ("algorithm", "format", "locks"),
    [
        *(("dcfr", format, ()) for format in FORMATS),
        *((name, FORMATS[-1], (Lock({"check": 1.0}),)) for name in ("dcfr", "pcfr+", "cgh")),
    ],
)
def test_a_kept_solve_goes_on_bit_for_bit(tmp_path: Path, algorithm: str, format: str, locks: tuple[Lock, ...]) -> None:
    """Also one of a version that laid its tables out in another way."""
    spot = msgspec.structs.replace(TURN, algorithm=algorithm, locks=locks)
    whole = prepare(spot, format)
    whole.run()
    first = prepare(spot, format)
    first.run(stop=lambda: first.solver.iteration >= 7)
    save_solve(tmp_path, first)
    again = load_solve(tmp_path, spot)
    assert again.solver.iteration == 7 and again.seconds == first.seconds
    boards = again.solver.boards
    assert boards.arrays.apart == (format != FORMATS[0]) and (len(boards.cards) < 49) == (
        format == FORMATS[-1] and not locks
    )
    assert again.checks[-1].exploitability == first.checks[-1].exploitability
    again.run()
    assert again.seconds > first.seconds
    for node in np.flatnonzero(spot.tree.player >= 0).tolist():
        board = spot.cards if spot.tree.round[node] == 2 else (*spot.cards, 50)
        assert np.array_equal(again.solver.strategy(node, board), whole.solver.strategy(node, board))
    assert again.solver.values() == whole.solver.values()
    assert again.checks[-1].exploitability == whole.checks[-1].exploitability


def test_a_kept_solve_can_be_looked_at_and_solved_again(tmp_path: Path) -> None:
    solve = prepare(RIVER)
    solve.run()
    save_solve(tmp_path, solve)
    loaded = load_solve(tmp_path)
    assert loaded.spot == RIVER and loaded.solver.values() == solve.solver.values()
    assert read_record(tmp_path).reason == "iterations"
    assert load_spot(tmp_path / "spot.yaml") == RIVER


def test_what_cannot_be_loaded_says_why(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="holds no solve .*--save"):
        load_solve(tmp_path)
    solve = prepare(RIVER)
    solve.run()
    save_solve(tmp_path, solve)
    other = msgspec.structs.replace(RIVER, pot=12)
    with pytest.raises(ValueError, match=r"another spot: pot is 10(\.0)? there and 12 now; restore it"):
        load_solve(tmp_path, other)
    load_solve(tmp_path, msgspec.structs.replace(RIVER, iterations=99, target=0.3, threads=2))
    tensors, metadata = map_tensors(tmp_path / TABLES)
    arrays = {name: array.copy() for name, array in tensors.items()}
    write_tensors(tmp_path / TABLES, {**arrays, "regret": arrays["regret"][:-1]}, metadata)
    with pytest.raises(ValueError, match="another tree, board, storage or algorithm; .*solve again"):
        load_solve(tmp_path)
    write_tensors(tmp_path / TABLES, arrays, {"format": "x/1"})
    with pytest.raises(
        ValueError, match=r"format 'x/1'; this version reads limpet-solve/1, limpet-solve/2, limpet-solve/3"
    ):
        load_solve(tmp_path)
    (tmp_path / TABLES).write_bytes(b"short")
    with pytest.raises(ValueError, match="not a safetensors file"):
        load_solve(tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("has_rake", "published"), [(True, (95.57, 66.98)), (False, (105.11, 74.89))])
def test_a_raked_flop_is_worth_what_was_published(has_rake: bool, published: tuple[float, float]) -> None:
    """postflop-solver's test `solve_pio_preset_raked` and its twin without rake, both checked there with PioSOLVER to 0.2."""
    spot = load_spot("raked-flop")
    running = prepare(spot if has_rake else msgspec.structs.replace(spot, rake=msgspec.UNSET))
    assert running.run() == "target"
    half = spot.pot / 2
    assert [half + 10 * net for net in running.solver.values()] == pytest.approx(published, abs=0.2)
