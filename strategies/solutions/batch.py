"""Many boards of one spot: independent jobs, each with a result file, and a table over all of them.

A job is a pure function of a spot and a board, so that jobs may run in any order, process or machine.
"""

import csv
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np

from limpet.configs.loading import ConfigError
from limpet.protocol.cards import cards_text, parse_cards
from limpet.protocol.errors import ProtocolError
from limpet.strategies.cards.isomorphism import canonical_boards, hand_permutation
from limpet.strategies.cards.ranges import parse_range
from limpet.strategies.processes import by_processes
from limpet.strategies.sampling import mix
from limpet.strategies.solutions.answer import answer
from limpet.strategies.solutions.lines import find_place
from limpet.strategies.solutions.run import prepare, size_of
from limpet.strategies.trees.spot import Spot

TABLE = "table.csv"
SUMMARY = "summary.json"
JOBS = "boards"


class Job(msgspec.Struct, frozen=True):
    """One board, and how many boards it stands for."""

    spot: Spot
    board: str
    weight: float = 1.0
    line: tuple[str, ...] = ()

    @property
    def mark(self) -> str:
        """Of everything that the result depends on."""
        spot = msgspec.structs.replace(self.spot, board=self.board, threads=None, note="")
        spot = msgspec.convert(msgspec.to_builtins(spot), Spot)  # 10 and 10.0 are the same pot
        text = msgspec.json.encode((spot, self.line), order="deterministic")
        return hashlib.sha256(text).hexdigest()


class JobResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one board came to. EVs in big blinds, (out of position, in position); frequencies of the decision asked for.

    Attributes:
        mark: see `Job.mark`.
        weight: how many boards it stands for.
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


def solve_job(job: Job) -> JobResult:
    """Solve a board. A pure function, but for how long it took. Raises ValueError and `MemoryError` as `prepare` does."""
    spot = msgspec.structs.replace(job.spot, board=job.board)
    size_of(spot).require()
    place = find_place(spot.tree, job.line, spot.chip_size)
    solve = prepare(spot)
    solve.run()
    found = answer(solve, [place])
    decision = found.decisions[0]
    return JobResult(
        mark=job.mark,
        board=job.board,
        weight=job.weight,
        line=job.line,
        iterations=found.iterations,
        seconds=round(found.seconds, 3),
        exploitability_percent=found.exploitability.percent,
        exploitability_mbb=found.exploitability.mbb,
        ev_net_bb=found.net,
        ev_share_of_pot=(found.share[0] / found.pot, found.share[1] / found.pot),
        actions=decision.actions,
        frequencies=tuple(decision.frequencies.tolist()),
    )


# --- which boards


def boards_of_file(path: Path) -> list[tuple[str, float]]:
    """A board on each line, with a weight behind it if it has one; ``#`` begins a comment. Raises `ConfigError`."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}; name a file with a board on each line, or a number of boards") from error
    found: dict[str, float] = {}
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
        if len(words) > 2 or len(set(cards)) != len(cards) or len(cards) not in (3, 4, 5) or not weight > 0:
            raise ConfigError(f"{where}: {line.strip()!r} is no board of 3 to 5 different cards with a weight above 0")
        if words[0] in found:
            raise ConfigError(f"{where}: {words[0]} stands in the file already; keep one of them")
        found[words[0]] = weight
    if not found:
        raise ConfigError(f"{path}: no board in it; write one on each line, such as KsTh7s")
    return list(found.items())


def sampled_boards(spot: Spot, count: int, seed: int) -> list[tuple[str, float]]:
    """Boards of as many cards as the spot's, with the number of times that each was drawn.

    If both ranges look the same in all suits, boards stand for their suit permutations, in proportion to how many those
    are. The sample is systematic: equally spaced, from a random start, along a list in which similar boards are near
    each other. `count` from the number of classes on takes them all.
    """
    cards = len(spot.cards)
    if suit_symmetric(spot):
        classes = canonical_boards(cards)
        boards, sizes = classes.boards, classes.orbit.astype(np.float64)
        if count >= len(boards):
            return [(cards_text(b.tolist()[::-1]), float(size)) for b, size in zip(boards, sizes, strict=True)]
        ends = np.cumsum(sizes)
        start = (mix(seed, cards) >> 11) * 2.0**-53
        points = (start + np.arange(count)) * ends[-1] / count
        drawn, times = np.unique(np.searchsorted(ends, points, side="right"), return_counts=True)
        return [(cards_text(boards[i].tolist()[::-1]), float(n)) for i, n in zip(drawn, times, strict=True)]
    draw = np.random.Generator(np.random.Philox(key=[seed, cards]))
    found: dict[tuple[int, ...], None] = {}
    while len(found) < count:
        found[tuple(sorted(draw.choice(52, size=cards, replace=False).tolist(), reverse=True))] = None
    return [(cards_text(board), 1.0) for board in found]


def suit_symmetric(spot: Spot) -> bool:
    """Whether both ranges stay the same whatever suits change places."""
    swaps = ((1, 0, 2, 3), (0, 2, 1, 3), (0, 1, 3, 2))
    ranges = [parse_range(text) for text in spot.ranges]
    return all(np.array_equal(weights[hand_permutation(swap)], weights) for weights in ranges for swap in swaps)


# --- running


@dataclass(frozen=True)
class Batch:
    """Jobs and the folder of their results."""

    jobs: tuple[Job, ...]
    folder: Path

    def path(self, job: Job) -> Path:
        return self.folder / JOBS / f"{job.board}.json"

    def done(self) -> dict[str, JobResult]:
        """Results that are there already, by board. Raises `ConfigError` for one of another spot."""
        found = {}
        for job in self.jobs:
            path = self.path(job)
            if not path.is_file():
                continue
            try:
                result = msgspec.json.decode(path.read_bytes(), type=JobResult)
            except msgspec.DecodeError as error:
                raise ConfigError(f"{path}: not a result ({error}); delete it to solve the board again") from error
            if result.mark != job.mark:
                raise ConfigError(
                    f"{path}: the result of another spot, line or limits; name another folder, or delete this one"
                )
            found[job.board] = msgspec.structs.replace(result, weight=job.weight)
        return found

    def run(
        self,
        processes: int = 1,
        report: Callable[[JobResult, int], None] = lambda result, done: None,
        stop: Callable[[], bool] = lambda: False,
    ) -> list[JobResult]:
        """Solve what is missing, in this process or in several, and write the tables. Results in the order of the jobs.

        report: called with each new result and how many there are. stop: begin no more jobs.
        """
        (self.folder / JOBS).mkdir(parents=True, exist_ok=True)
        results = self.done()
        left = [job for job in self.jobs if job.board not in results]
        for result in _solved(left, processes, stop):
            path = self.folder / JOBS / f"{result.board}.json"
            unfinished = path.with_suffix(".tmp")
            unfinished.write_bytes(msgspec.json.format(msgspec.json.encode(result)) + b"\n")
            unfinished.replace(path)
            results[result.board] = result
            report(result, len(results))
        ordered = [results[job.board] for job in self.jobs if job.board in results]
        if ordered:
            write_tables(self.folder, ordered)
        return ordered


def _solved(jobs: Sequence[Job], processes: int, stop: Callable[[], bool]) -> Iterator[JobResult]:
    if processes <= 1:
        for job in jobs:
            if stop():
                return
            yield solve_job(job)
        return
    for solved in by_processes(_solve_encoded, map(msgspec.json.encode, jobs), processes, stop=stop):
        yield msgspec.json.decode(solved, type=JobResult)


def _solve_encoded(job: bytes) -> bytes:
    """The same between processes: a job and its result are text."""
    return msgspec.json.encode(solve_job(msgspec.json.decode(job, type=Job)))


# --- the tables


def summary(results: Sequence[JobResult]) -> dict[str, Any]:
    """Means over boards, each as often as it counts; the largest ε too."""
    weights = np.array([result.weight for result in results])
    weights /= weights.sum()

    def mean(values: Sequence[Sequence[float]] | Sequence[float]) -> Any:
        return np.round(weights @ np.array(values, np.float64), 6).tolist()

    same = all(result.actions == results[0].actions for result in results)
    return {
        "boards": len(results),
        "line": list(results[0].line),
        "frequencies": dict(zip(results[0].actions, mean([r.frequencies for r in results]), strict=True))
        if same
        else None,
        "ev_net_bb": mean([r.ev_net_bb for r in results]),
        "ev_share_of_pot": mean([r.ev_share_of_pot for r in results]),
        "exploitability_percent": mean([r.exploitability_percent for r in results]),
        "largest_exploitability_percent": round(max(r.exploitability_percent for r in results), 6),
        "seconds": round(sum(r.seconds for r in results), 3),
    }


def write_tables(folder: Path, results: Sequence[JobResult]) -> None:
    """``table.csv`` with a line for each board, ``summary.json`` with the means and the same lines."""
    with (folder / TABLE).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(
            ["board", "weight", *results[0].actions, "net_oop_bb", "net_ip_bb", "share_oop", "share_ip",
             "exploitability_percent", "exploitability_mbb", "iterations", "seconds"]
        )  # fmt: skip
        for r in results:
            writer.writerow(
                [r.board, f"{r.weight:g}", *(f"{f:.6f}" for f in r.frequencies), *(f"{ev:.6f}" for ev in r.ev_net_bb),
                 *(f"{share:.6f}" for share in r.ev_share_of_pot), f"{r.exploitability_percent:.6f}",
                 f"{r.exploitability_mbb:.6f}", r.iterations, r.seconds]
            )  # fmt: skip
    content = {**summary(results), "results": [msgspec.to_builtins(result) for result in results]}
    (folder / SUMMARY).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
