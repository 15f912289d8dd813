"""Time of exact equities, on one thread.

    python benchmarks/equity.py

Each line is the median of seven runs, fastest and slowest beside it.
"""

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from statistics import median
from time import perf_counter

from limpet.protocol.cards import parse_cards
from limpet.strategies.cards.equity import EquityResult, versus_range
from limpet.strategies.cards.ranges import Weights, parse_range, range_text


def report(name: str, work: Callable[[], object], times: int = 1) -> None:
    """Print milliseconds of one piece of work, of which `times` are done in a run."""
    work()  # compiled and in cache
    figures = []
    for _ in range(7):
        start = perf_counter()
        for _ in range(times):
            work()
        figures.append(1e3 * (perf_counter() - start) / times)
    print(f"{name:56} {median(figures):9.3f} ms ({min(figures):.3f} .. {max(figures):.3f})")


def range_vs_range(first: Weights, second: Weights, board: Sequence[int] = ()) -> EquityResult:
    return versus_range(second, board).sum(first)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args()
    ours, theirs = parse_range("77+,A9s+,KTs+,AJo+:0.5"), parse_range("22+,A2+,K9+,QT+,JT,98s:0.25")
    report("range-range, no board, looked up", lambda: range_vs_range(ours, theirs))
    for board in ("Qh7h2c", "Qh7h2c4d", "Qh7h2c4d9h"):
        cards = parse_cards(board)
        report(f"range-range, {board}", partial(range_vs_range, ours, theirs, cards), 5)
    report("range text read", lambda: parse_range("77+,A9s+,KTs+,AJo+:0.5"), 100)
    report("range text written", lambda: range_text(theirs), 100)


if __name__ == "__main__":
    main()
