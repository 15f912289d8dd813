"""Long logs evaluated by several processes: each learns what all would know by then, and evaluates its share of the deals."""

import multiprocessing
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import islice
from typing import cast

from limpet.dealer.evaluation.luck_question import LuckQuestion
from limpet.dealer.evaluation.match_luck import DealLuck, LuckTaker
from limpet.strategies.interrupts import left_to_parent

DEALS = 8
"""Given to a process at a time."""
TRIED_SECONDS = 4.0
"""After which this process tells how long it would take by itself."""
WORTH_SECONDS = 15.0
"""Others are started where more than this is left: they take some seconds to come as far."""

_taker: LuckTaker | None = None


def shared_out(
    question: LuckQuestion,
    taker: LuckTaker,
    deals: Sequence[int],
    jobs: int,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[DealLuck]:
    """What `taker`, which `question` has opened, would find of these deals, which must rise; in no particular order.

    Found by as many processes as `jobs` says, where it takes long. Raises as `LuckTaker.take`.
    """
    began = clock()
    for done, deal in enumerate(deals):
        seconds = clock() - began
        if jobs > 1 and done and seconds > TRIED_SECONDS and seconds * (len(deals) - done) / done > WORTH_SECONDS:
            yield from _by_others(question, deals[done:], jobs)
            return
        yield taker.take(deal)


def _by_others(question: LuckQuestion, deals: Sequence[int], jobs: int) -> Iterator[DealLuck]:
    pieces = iter([deals[start : start + DEALS] for start in range(0, len(deals), DEALS)])
    # A fork of a process with threads may hang: each worker starts fresh. No more is submitted than they have hands for,
    # so that they end soon after a Ctrl-C; and pieces in rising order, so that each is given later deals than before.
    spawn = multiprocessing.get_context("spawn")
    running: set[Future[list[DealLuck]]] = set()
    with ProcessPoolExecutor(jobs, spawn, _begin, (question,)) as pool:
        while True:
            running |= {pool.submit(_take, piece) for piece in islice(pieces, jobs - len(running))}
            if not running:
                return
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                yield from future.result()


def _begin(question: LuckQuestion) -> None:
    global _taker
    left_to_parent()
    _taker = question.open(lambda done, total: None)


def _take(deals: Sequence[int]) -> list[DealLuck]:
    return [cast(LuckTaker, _taker).take(deal) for deal in deals]
