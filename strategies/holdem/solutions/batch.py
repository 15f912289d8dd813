"""Solves many boards of one spot: independent jobs, each with a result file, and a table over all of them.

A result depends on its spot and board alone, so that jobs may run in any order, process or machine.
"""

import csv
import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, islice, takewhile
from pathlib import Path
from time import monotonic
from typing import Annotated, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.common.folders import replace_file
from limpet.common.workers import by_processes
from limpet.configs.loading import ConfigError, text_of, yaml_text
from limpet.protocol.cards import cards_text, parse_cards
from limpet.protocol.errors import ProtocolError
from limpet.strategies.base.sampling import mix
from limpet.strategies.cards.boards import Texture, texture
from limpet.strategies.cards.equity import versus_range
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import canonical_boards, hand_permutation
from limpet.strategies.cards.ranges import parse_range
from limpet.strategies.holdem.solutions.answer import answer
from limpet.strategies.holdem.solutions.lines import find_node
from limpet.strategies.holdem.solutions.solve import SPOT, prepare
from limpet.strategies.holdem.solutions.spot import Spot

TABLE = "table.csv"
SUMMARY = "summary.json"
JOBS = "boards"
TABLES_EVERY = 10.0
"""Seconds between two writings of the tables while boards are solved, so that who looks sees what there is."""
LARGEST_WEIGHT = 1e12
"""Largest weight of a board in a file; the weights of all boards are added up."""


class BatchJob(msgspec.Struct, frozen=True):
    """One board to solve, which stands for `weight` boards, and the line to the decision to report."""

    spot: Spot
    board: str
    weight: float = 1.0
    line: tuple[str, ...] = ()

    @property
    def mark(self) -> str:
        """Digest of everything that the result depends on."""
        spot = msgspec.structs.replace(self.spot, board=self.board, threads=None, note="")
        spot = msgspec.convert(msgspec.to_builtins(spot), Spot)  # 10 and 10.0 are the same pot
        text = msgspec.json.encode((spot, self.line), order="deterministic")
        return hashlib.sha256(text).hexdigest()


class JobResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The result of one board. EVs are in big blinds, (out of position, in position).

    Attributes:
        mark, weight: see `BatchJob`.
        actions: names of the actions at the decision asked for.
        frequencies: probability of each action; all 0 where its player never reaches it.
        equity: equity of the range out of position at the start; None in results of older versions.
    """

    mark: str
    board: str
    weight: Annotated[float, msgspec.Meta(gt=0)]
    line: tuple[str, ...]
    iterations: int
    seconds: float
    exploitability_percent: float
    exploitability_mbb: float
    ev_net_bb: tuple[float, float]
    ev_share_of_pot: tuple[float, float]
    actions: tuple[str, ...]
    frequencies: tuple[float, ...]
    equity: float | None = None


def solve_job(job: BatchJob) -> JobResult:
    """Solve a board. Only the seconds differ from call to call. Raises ValueError and `MemoryError` as `prepare` does."""
    spot = msgspec.structs.replace(job.spot, board=job.board)
    spot.size().require()
    place = find_node(spot.tree, job.line, spot.chip_size)
    solve = prepare(spot)
    solve.run()
    solved = answer(solve, [place], in_real_game=False)
    decision = solved.decisions[0]
    return JobResult(
        mark=job.mark,
        board=job.board,
        weight=job.weight,
        line=job.line,
        iterations=solve.solver.iteration,
        seconds=round(solve.seconds, 3),
        exploitability_percent=solved.exploitability.percent,
        exploitability_mbb=solved.exploitability.mbb,
        ev_net_bb=solved.net,
        ev_share_of_pot=(solved.share[0] / solved.pot, solved.share[1] / solved.pot),
        actions=decision.actions,
        frequencies=tuple(decision.frequencies.tolist()),
        equity=versus_range(spot.weights[1], spot.cards).sum(spot.weights[0]).equity,
    )


# --- which boards


def boards_of_file(path: Path) -> list[tuple[str, float]]:
    """Read a board from each line, with a weight behind it or 1; ``#`` begins a comment. Raises `ConfigError`."""
    lines = text_of(path, "name a file with a board on each line, or a number of boards").splitlines()
    boards: dict[frozenset[int], tuple[int, str, float]] = {}
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        where = f"{path}:{number}"
        try:
            cards = parse_cards(words[0])
            weight = float(words[1]) if len(words) > 1 else 1.0
        except (ProtocolError, ValueError) as error:
            raise ConfigError(f"{where}: {error}; write a board such as KsTh7s, then a weight or nothing") from error
        fault = None
        if len(words) > 2 or len(set(cards)) != len(cards) or len(cards) not in (3, 4, 5):
            fault = f"{line.strip()!r} is no board of 3 to 5 different cards, with a weight or without"
        elif not 0 < weight <= LARGEST_WEIGHT:
            fault = f"{words[0]} has the weight {weight:g}; write a number above 0, up to {LARGEST_WEIGHT:g}"
        elif (before := boards.get(frozenset(cards))) is not None:
            fault = f"{words[0]} stands in the file already, as {before[1]} in line {before[0]}; keep one of them"
        if fault is not None:
            raise ConfigError(f"{where}: {fault}")
        boards[frozenset(cards)] = number, words[0], weight
    if not boards:
        raise ConfigError(f"{path}: no board in it; write one on each line, such as KsTh7s")
    return [(board, weight) for _, board, weight in boards.values()]


def weighted_boards(spot: Spot, count: int, seed: int) -> tuple[list[tuple[str, float]], bool]:
    """Draw boards of as many cards as the spot's, on which the two ranges can meet; weights say how often each was drawn.

    Returns the boards with their weights, and whether these are all such boards.

    If both ranges are the same in all suits, a board stands for its suit permutations, in proportion to their number. The
    sample is then systematic: equally spaced, from a random start, along a list in which similar boards are neighbours.
    Otherwise boards are drawn without replacement. A large `count` takes all boards.
    """
    cards = len(spot.cards)
    if suit_symmetric(spot):
        boards, sizes = _possible_classes(cards, spot.ranges)
        if count >= len(boards):
            every = [(cards_text(b.tolist()[::-1]), float(size)) for b, size in zip(boards, sizes, strict=True)]
            return every, True
        ends = np.cumsum(sizes)
        start = (mix(seed, cards) >> 11) * 2.0**-53
        points = (start + np.arange(count)) * ends[-1] / count
        drawn, times = np.unique(np.searchsorted(ends, points, side="right"), return_counts=True)
        sample = [(cards_text(boards[i].tolist()[::-1]), float(n)) for i, n in zip(drawn, times, strict=True)]
        return sample, False
    draw = np.random.Generator(np.random.Philox(key=[seed, cards]))
    possible = _possible_boards(spot.ranges)
    deck = list(combinations(range(51, -1, -1), cards))
    drawn_boards: list[tuple[str, float]] = []
    for index in draw.permutation(len(deck)).tolist():
        if possible(deck[index]):
            if len(drawn_boards) == count:
                return drawn_boards, False
            drawn_boards.append((cards_text(deck[index]), 1.0))
    return drawn_boards, True


@lru_cache(maxsize=4)
def _possible_classes(cards: int, ranges: tuple[str, str]) -> tuple[NDArray[np.int8], NDArray[np.float64]]:
    """Return the boards that differ by more than suits and on which the ranges can meet, and the size of each class."""
    possible = _possible_boards(ranges)
    classes = canonical_boards(cards)
    live = np.array([possible(board) for board in classes.boards.tolist()])
    return classes.boards[live], classes.orbit[live].astype(np.float64)


def _possible_boards(ranges: tuple[str, str]) -> Callable[[Sequence[int]], bool]:
    """Return a predicate of boards: whether the ranges have a pair of hands without a common card."""
    bits = np.uint64(1) << hand_space().holes.astype(np.uint64)
    masks = [(bits[:, 0] | bits[:, 1])[parse_range(text) > 0] for text in ranges]
    # On nearly every board one of a few pairs of hands is possible, which is faster to see.
    apart = ((int(first) | int(second)) for first in masks[0] for second in masks[1] if not first & second)
    some = list(islice(apart, 0, 5000, 50))

    def possible(board: Sequence[int]) -> bool:
        dead = sum(1 << card for card in board)
        if any(not pair & dead for pair in some):
            return True
        first, second = (of_range[of_range & np.uint64(dead) == 0] for of_range in masks)
        return any((second & hand == 0).any() for hand in first)

    return possible


def suit_symmetric(spot: Spot) -> bool:
    """Return whether both ranges stay the same under every permutation of suits."""
    swaps = ((1, 0, 2, 3), (0, 2, 1, 3), (0, 1, 3, 2))
    ranges = [parse_range(text) for text in spot.ranges]
    return all(np.array_equal(weights[hand_permutation(swap)], weights) for weights in ranges for swap in swaps)


# --- running


@dataclass(frozen=True)
class Batch:
    """Jobs and the folder of their results."""

    jobs: tuple[BatchJob, ...]
    folder: Path

    def path(self, board: str) -> Path:
        """Return the path of a board's result."""
        return self.folder / JOBS / f"{board}.json"

    def done(self) -> dict[str, JobResult]:
        """Read the results that exist already, by board. Raises `ConfigError` for a result of another spot."""
        results = {}
        for job in self.jobs:
            path = self.path(job.board)
            if not path.is_file():
                continue
            try:
                result = msgspec.json.decode(path.read_bytes(), type=JobResult)
            except msgspec.DecodeError as error:
                raise ConfigError(f"{path}: not a result ({error}); delete it to solve the board again") from error
            if result.mark != job.mark:
                remedy = "name another folder, or delete this one"
                raise ConfigError(f"{path}: the result of another spot, line or limits; {remedy}")
            results[job.board] = msgspec.structs.replace(result, weight=job.weight)
        return results

    def run(
        self, processes: int = 1, report: Callable[[JobResult, int], None] = lambda result, done: None,
        stop: Callable[[], bool] = lambda: False,
    ) -> list[JobResult]:  # fmt: skip
        """Solve what is missing, in this process or in several, write the tables, and return results in order of the jobs.

        report: called with each new result and the number of results. stop: whether to begin no more jobs.
        """
        if any(job.spot.groups is not msgspec.UNSET for job in self.jobs):
            raise ConfigError(
                "a spot with 'groups' has two exploitabilities, and the tables of --batch room for one; solve its boards "
                "one by one, or leave 'groups' out"
            )
        (self.folder / JOBS).mkdir(parents=True, exist_ok=True)
        results = self.done()
        replace_file(self.folder / SPOT, yaml_text(msgspec.to_builtins(self.jobs[0].spot)))
        written = float("-inf")

        def ordered() -> list[JobResult]:
            return [results[job.board] for job in self.jobs if job.board in results]

        left = [job for job in self.jobs if job.board not in results]
        solved = (solve_job(job) for job in takewhile(lambda _: not stop(), left))
        for result in by_processes(solve_job, left, processes, stop=stop) if processes > 1 else solved:
            replace_file(self.path(result.board), msgspec.json.format(msgspec.json.encode(result)) + b"\n")
            results[result.board] = result
            if monotonic() - written > TABLES_EVERY:
                write_tables(self.folder, ordered())
                written = monotonic()
            report(result, len(results))
        if results:
            write_tables(self.folder, ordered())
        return ordered()


def open_batch(spot: Spot, boards: str, seed: int, line: tuple[str, ...], folder: Path) -> tuple[Batch, bool]:
    """Return a batch of the boards of a file, or of a number of boards that stand for all; and whether those are all.

    boards: the file's path, or the number. spot: has been checked.

    Raises `ConfigError` for a number below 1, and for boards that the spot cannot be solved on.
    """
    drawn = re.fullmatch(r"[+-]?\d{1,9}", boards) is not None
    if drawn and int(boards) < 1:
        raise ConfigError(f"--batch {boards}: solve at least 1 board, or name a file of boards")
    sample, whole = weighted_boards(spot, int(boards), seed) if drawn else (boards_of_file(Path(boards)), False)
    batch = Batch(tuple(BatchJob(spot, board, weight, line) for board, weight in sample), folder)
    for job in batch.jobs if spot.locks or not drawn else ():  # boards that were drawn matter to locks alone
        try:
            msgspec.structs.replace(spot, board=job.board).check()
        except ValueError as error:
            raise ConfigError(f"board {job.board}: {error}") from error
    return batch, whole and len(sample) < int(boards)


# --- the tables


def summary(results: Sequence[JobResult]) -> dict[str, Any]:
    """Return means over boards by their weights, and the largest exploitability.

    `frequencies` are means over the boards on which the player reaches the decision; None where there is no such board,
    or where boards differ in their actions.
    """
    weights = np.array([result.weight for result in results])
    weights /= weights.sum()

    def mean(values: Sequence[Sequence[float]] | Sequence[float]) -> Any:
        return np.round(weights @ np.array(values, np.float64), 6).tolist()

    measured = all(result.equity is not None for result in results)
    same = all(result.actions == results[0].actions for result in results)
    taken = np.array([result.frequencies for result in results]) if same else np.zeros((1, 1))
    reached = taken.sum(axis=1) > 0
    frequencies = None
    if reached.any():
        means = weights[reached] @ taken[reached] / weights[reached].sum()
        frequencies = dict(zip(results[0].actions, np.round(means, 6).tolist(), strict=True))
    return {
        "boards": len(results),
        "line": list(results[0].line),
        "frequencies": frequencies,
        "ev_net_bb": mean([r.ev_net_bb for r in results]),
        "ev_share_of_pot": mean([r.ev_share_of_pot for r in results]),
        "equity": mean([r.equity for r in results if r.equity is not None]) if measured else None,
        "exploitability_percent": mean([r.exploitability_percent for r in results]),
        "largest_exploitability_percent": round(max(r.exploitability_percent for r in results), 6),
        "seconds": round(sum(r.seconds for r in results), 3),
    }


def write_tables(folder: Path, results: Sequence[JobResult]) -> None:
    """Write ``table.csv`` with a line for each board, and ``summary.json`` with the means and all results."""
    with (folder / TABLE).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(
            ["board", "weight", *results[0].actions, "net_oop_bb", "net_ip_bb", "share_oop", "share_ip",
             "exploitability_percent", "exploitability_mbb", "iterations", "seconds", "equity_oop", *Texture._fields]
        )  # fmt: skip
        for r in results:
            writer.writerow(
                [r.board, f"{r.weight:g}", *(f"{f:.6f}" for f in r.frequencies), *(f"{ev:.6f}" for ev in r.ev_net_bb),
                 *(f"{share:.6f}" for share in r.ev_share_of_pot), f"{r.exploitability_percent:.6f}",
                 f"{r.exploitability_mbb:.6f}", r.iterations, r.seconds, "" if r.equity is None else f"{r.equity:.6f}",
                 *texture(parse_cards(r.board))]
            )  # fmt: skip
    content = {**summary(results), "results": [msgspec.to_builtins(result) for result in results]}
    replace_file(folder / SUMMARY, (json.dumps(content, indent=1) + "\n").encode())
