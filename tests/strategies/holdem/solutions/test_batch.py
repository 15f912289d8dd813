"""Batches: which boards, one result each, jobs that may run anywhere and again, and means over all."""

import csv
import json
from math import comb
from pathlib import Path

import msgspec
import numpy as np
import pytest

from limpet.configs.loading import ConfigError
from limpet.protocol.cards import parse_cards
from limpet.strategies.cards.isomorphism import canonical_boards
from limpet.strategies.holdem.solutions.batch import (
    SUMMARY,
    TABLE,
    Batch,
    BatchJob,
    JobResult,
    boards_of_file,
    solve_job,
    suit_symmetric,
    summary,
    weighted_boards,
)
from limpet.strategies.holdem.solutions.spot import Spot
from limpet.strategies.solvers.vector.hand_groups import Grouping

RIVER = Spot(
    board="AhKd8h4c2s",
    pot=10,
    stack=20,
    ranges=("AK,88,44,A8s,QhJh,JhTh,Th9h,9h7h,QTs", "AQ,AJ,ATs,KQ,KJs,QQ,JJ,TT"),
    target=0.5,
    iterations=200,
    threads=1,
)
BOARDS = ("AhKd8h4c2s", "AhKd8h4c3s", "QsJs9d4h2c")


def jobs(spot: Spot = RIVER) -> tuple[BatchJob, ...]:
    return tuple(BatchJob(spot, board, weight) for board, weight in zip(BOARDS, (1.0, 2.0, 1.0), strict=True))


def without_time(result: JobResult) -> JobResult:
    return msgspec.structs.replace(result, seconds=0.0)


def test_a_job_is_a_function_of_spot_and_board() -> None:
    first, again = solve_job(jobs()[1]), solve_job(jobs()[1])
    assert without_time(first) == without_time(again)
    assert first.board == BOARDS[1] and first.exploitability_percent <= 0.5
    assert sum(first.frequencies) == pytest.approx(1, abs=1e-5) and sum(first.ev_share_of_pot) == pytest.approx(1)
    assert msgspec.json.decode(msgspec.json.encode(first), type=JobResult) == first
    assert msgspec.json.decode(msgspec.json.encode(jobs()[1]), type=BatchJob).mark == jobs()[1].mark
    assert jobs()[0].mark != jobs()[1].mark != msgspec.structs.replace(jobs()[1], line=("check",)).mark


def test_results_are_kept_and_means_are_weighed(tmp_path: Path) -> None:
    batch, seen = Batch(jobs(), tmp_path), []
    stopped = batch.run(report=lambda result, done: seen.append(result.board), stop=lambda: len(seen) == 2)
    assert [r.board for r in stopped] == list(BOARDS[:2])
    results = batch.run(report=lambda result, done: seen.append(result.board))
    assert seen == list(BOARDS), "what was done is not done again"
    assert [without_time(r) for r in results] == [without_time(solve_job(job)) for job in jobs()]
    means = summary(results)
    bets = np.array([r.frequencies for r in results])
    assert list(means["frequencies"].values()) == pytest.approx((np.array([1, 2, 1]) / 4) @ bets, abs=1e-6)
    assert means["ev_share_of_pot"][0] == pytest.approx(
        sum(w * r.ev_share_of_pot[0] for w, r in zip((1, 2, 1), results, strict=True)) / 4, abs=1e-6
    )
    written = json.loads((tmp_path / SUMMARY).read_text())
    assert written["boards"] == 3 and len(written["results"]) == 3 and written["line"] == []
    rows = list(csv.DictReader((tmp_path / TABLE).read_text().splitlines()))
    assert [row["board"] for row in rows] == list(BOARDS)
    assert float(rows[1]["check"]) == pytest.approx(results[1].frequencies[0], abs=1e-6)


def test_another_decision(tmp_path: Path) -> None:
    (result,) = Batch((BatchJob(RIVER, BOARDS[0], line=("check",)),), tmp_path).run()
    assert result.line == ("check",) and result.actions[0] == "check"
    with pytest.raises(ConfigError, match="the result of another spot, line or limits"):
        Batch((BatchJob(RIVER, BOARDS[0]),), tmp_path).run()


def test_results_of_another_spot_are_not_mixed_in(tmp_path: Path) -> None:
    Batch(jobs()[:1], tmp_path).run()
    other = msgspec.structs.replace(RIVER, stack=30)
    with pytest.raises(ConfigError, match=rf"{BOARDS[0]}\.json: the result of another spot"):
        Batch(jobs(other), tmp_path).run()
    (tmp_path / "boards" / f"{BOARDS[0]}.json").write_text("{")
    with pytest.raises(ConfigError, match="not a result .*delete it"):
        Batch(jobs(), tmp_path).run()


@pytest.mark.slow
def test_hand_groups_are_refused(tmp_path: Path) -> None:
    grouped = msgspec.structs.replace(RIVER, groups=Grouping("rank"))
    with pytest.raises(ConfigError, match="a spot with 'groups' has two exploitabilities"):
        Batch(jobs(grouped), tmp_path).run()
    assert b"groups" not in msgspec.json.encode(RIVER), "results of spots without groups keep their marks"


def test_processes_change_nothing(tmp_path: Path) -> None:
    """Each starts an interpreter of its own and loads the kernels."""
    several = Batch(jobs(), tmp_path / "two").run(processes=2)
    assert [without_time(r) for r in several] == [without_time(solve_job(job)) for job in jobs()]


# --- boards


def test_boards_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "boards.txt"
    path.write_text("KsTh7s\nQs8d3c 4  # a dry one\n\n# all\n2c2d2h 0.5\n")
    assert boards_of_file(path) == [("KsTh7s", 1.0), ("Qs8d3c", 4.0), ("2c2d2h", 0.5)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("KsTh7s\nKsT\n", r":2: "),
        ("KsTh7s x\n", r":1: .*write a board such as KsTh7s, then a weight or nothing"),
        ("KsKs7s\n", r":1: 'KsKs7s' is no board of 3 to 5 different cards"),
        ("KsTh7s 0\n", r":1: KsTh7s has the weight 0; write a number above 0, up to 1e\+12"),
        ("KsTh7s\nQsTh7s -1\n", r":2: QsTh7s has the weight -1"),
        ("KsTh7s inf\n", r":1: KsTh7s has the weight inf"),
        ("KsTh7s nan\n", r":1: KsTh7s has the weight nan"),
        ("KsTh7s 1e300\n", r":1: KsTh7s has the weight 1e\+300"),
        ("KsTh7s 1 2\n", r":1: 'KsTh7s 1 2' is no board"),
        ("KsTh7s\nKsTh7s\n", r":2: KsTh7s stands in the file already, as KsTh7s in line 1; keep one"),
        ("KsTh7s\n\n7sKsTh 2\n", r":3: 7sKsTh stands in the file already, as KsTh7s in line 1; keep one"),
        ("# none\n", r": no board in it"),
    ],
)
def test_wrong_board_files(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "boards.txt"
    path.write_text(text)
    with pytest.raises(ConfigError, match=rf"boards\.txt{message}"):
        boards_of_file(path)


FLOP = msgspec.structs.replace(RIVER, board="KsTh7s", ranges=("QQ+,AK", "random"))


def test_sampled_flops_stand_for_all() -> None:
    assert suit_symmetric(FLOP)
    every, whole = weighted_boards(FLOP, 5000, 1)
    assert whole and len(every) == 1755 and sum(weight for _, weight in every) == 22100
    some, whole = weighted_boards(FLOP, 200, 1)
    assert not whole and sum(weight for _, weight in some) == 200
    assert (some, False) == weighted_boards(FLOP, 200, 1) != weighted_boards(FLOP, 200, 2)
    # 5.18 % of flops are of one suit and 16.94 % are paired: the sample has them in nearly this proportion.
    one_suit = sum(weight for board, weight in some if len({board[1], board[3], board[5]}) == 1)
    paired = sum(weight for board, weight in some if len({board[0], board[2], board[4]}) == 2)
    assert one_suit / 200 == pytest.approx(0.0518, abs=0.025) and paired / 200 == pytest.approx(0.1694, abs=0.04)


def test_every_class_is_drawn_as_often_as_it_counts() -> None:
    drawn: dict[str, float] = {}
    for seed in range(400):
        for board, weight in weighted_boards(FLOP, 3, seed)[0]:
            drawn[board] = drawn.get(board, 0) + weight
    ace_high = sum(weight for board, weight in drawn.items() if board[0] == "A")
    classes = canonical_boards(3)
    share = classes.orbit[classes.boards.max(axis=1) >= 48].sum() / 22100
    assert sum(drawn.values()) == 1200 and ace_high / 1200 == pytest.approx(share, abs=0.03)


def test_ranges_with_suits_get_boards_with_suits() -> None:
    spot = msgspec.structs.replace(FLOP, ranges=("AhKh,QQ", "random"))
    assert not suit_symmetric(spot)
    boards, _ = weighted_boards(spot, 50, 1)
    assert len({board for board, _ in boards}) == 50 and all(len(board) == 6 for board, _ in boards)


@pytest.mark.parametrize("count", [19_596, 22_100, 22_101, 10**9])
def test_there_are_no_more_boards_than_the_ranges_leave(count: int) -> None:
    spot = msgspec.structs.replace(FLOP, ranges=("KhJd", "AA"))
    boards, whole = weighted_boards(spot, count, 1)
    # Neither card of KhJd lies there, and no more than two aces do.
    assert whole and len({frozenset(parse_cards(board)) for board, _ in boards}) == len(boards) == comb(50, 3) - 4
    assert not any({"Kh", "Jd"} & {board[:2], board[2:4], board[4:]} for board, _ in boards)
    assert weighted_boards(spot, 19_595, 1) == (boards[:-1], False)


def test_classes_of_boards_on_which_nobody_can_play_are_left_out() -> None:
    aces = msgspec.structs.replace(FLOP, ranges=("AA", "AA,22"))
    assert suit_symmetric(aces)
    boards, whole = weighted_boards(aces, 5000, 1)
    without = sum(len({"A", "2"} & set(board[::2])) == 0 for board, _ in boards)
    assert whole and 0 < without < len(boards) and not any(board[::2].count("A") > 2 for board, _ in boards)
    for board, _ in boards[::40]:
        msgspec.structs.replace(aces, board=board).check()


def test_means_leave_out_boards_on_which_the_player_never_gets_there() -> None:
    first, second = (solve_job(job) for job in jobs()[:2])
    absent = msgspec.structs.replace(first, frequencies=(0.0,) * len(first.actions))
    means = summary([absent, second])
    assert list(means["frequencies"].values()) == pytest.approx(second.frequencies, abs=1e-6)
    assert summary([absent])["frequencies"] is None
