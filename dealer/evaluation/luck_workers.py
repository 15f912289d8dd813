"""Long logs evaluated by several processes: each learns what all would know by then, and evaluates its share of the deals."""

import multiprocessing
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed

from limpet.dealer.evaluation.luck_question import LuckQuestion
from limpet.dealer.evaluation.match_luck import Evaluated, LuckTaker, MatchLuck
from limpet.strategies.interrupts import left_to_parent

DEALS = 16
"""Given to a process at a time."""
TRIED_SECONDS = 4.0
"""After which this process tells how long it would take by itself."""
WORTH_SECONDS = 15.0
"""Others are started where more than this is left: they take some seconds to come as far."""

_taker: LuckTaker | None = None


def shared_out(
    question: LuckQuestion,
    taker: LuckTaker,
    jobs: int,
    report: Callable[[int, int], None] = lambda done, total: None,
    clock: Callable[[], float] = time.monotonic,
) -> MatchLuck:
    """What `take_luck_out` finds with `taker`, which `question` has opened; by as many processes as `jobs` says where it
    takes long.

    Raises as `LuckTaker.take`.
    """
    total, done, began = taker.num_deals, 0, clock()
    found: list[Evaluated] = []
    while done < total:
        report(done, total)
        seconds = clock() - began
        if jobs > 1 and done and seconds > TRIED_SECONDS and seconds * (total - done) / done > WORTH_SECONDS:
            break
        found.append(taker.take(done, done + 1))
        done += 1
    pieces = [(first, min(first + DEALS, total)) for first in range(done, total, DEALS)]
    if pieces:
        # A fork of a process with threads may hang: each worker starts fresh. They take what was submitted first, so
        # that each is given later deals than before.
        spawn = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(min(jobs, len(pieces)), spawn, _begin, (question,)) as pool:
            futures = {pool.submit(_take, *piece): piece for piece in pieces}
            try:
                for future in as_completed(futures):
                    found.append(future.result())
                    first, last = futures[future]
                    done += last - first
                    report(done, total)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    report(total, total)
    return taker.together(found)


def _begin(question: LuckQuestion) -> None:
    global _taker
    left_to_parent()
    _taker = question.open(lambda done, total: None)


def _take(first: int, last: int) -> Evaluated:
    assert _taker is not None
    return _taker.take(first, last)
