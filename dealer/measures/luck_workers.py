"""Long logs evaluated by several processes: each learns what all would know by then, and evaluates its share of the deals."""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import cast

from limpet.dealer.measures.luck_question import LuckQuestion
from limpet.dealer.measures.match_luck import DealLuck, LuckTaker
from limpet.strategies.workers.processes import by_processes

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
    # They are begun in this order, so that each process is given later deals than before.
    pieces = [deals[start : start + DEALS] for start in range(0, len(deals), DEALS)]
    for found in by_processes(_take, pieces, jobs, partial(_begin, question)):
        yield from found


def _begin(question: LuckQuestion) -> None:
    global _taker
    _taker = question.open(lambda done, total: None)


def _take(deals: Sequence[int]) -> list[DealLuck]:
    return [cast(LuckTaker, _taker).take(deal) for deal in deals]
