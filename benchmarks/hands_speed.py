"""Measure how fast `limpet hands summary` reads PokerStars' text, and how much memory it takes.

    python benchmarks/hands_speed.py --hands 1000000 [--uneven] [--alone] [--file FILE]

The hands are random: 20,000 different ones of six players with pot-sized bets of many sizes, whose numbers and players change
each time that they are written again. Processor time is measured, because other work may share the machine.
"""

import argparse
import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from limpet.dealer.reports.log_summary import Collector
from limpet.protocol.archives.hands import PokerStarsFile, open_hands
from limpet.protocol.archives.write_pokerstars import PokerStarsTable

sys.path.insert(0, str(Path(__file__).parents[1]))  # random hands are those of the tests
from tests.protocol.random_hands import random_hand

DIFFERENT = 20_000
"""Number of different hands."""


def texts(hands: int, uneven: bool) -> Iterator[str]:
    """Yield the texts of hands."""
    source, table = random.Random(1), PokerStarsTable()
    written = []
    for number in range(min(hands, DIFFERENT)):
        written.append(table.hand_text(random_hand(source, 10**9 + number, uneven), "table"))
        yield written[-1]
    for number in range(DIFFERENT, hands):
        text = written[number % DIFFERENT]
        yield text.replace(f"#{10**9 + number % DIFFERENT}:", f"#{10**9 + number}:", 1)


def main() -> None:
    """Write the hands unless `--file` is there, and read them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hands", type=int, default=1_000_000)
    parser.add_argument("--uneven", action="store_true", help="other stacks in every hand")
    parser.add_argument("--alone", action="store_true", help="read in one process")
    parser.add_argument("--file", type=Path, help="read this file; it is written first if it is not there")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = arguments.file or Path(folder) / "hands.txt"
        if not path.exists():
            with path.open("w") as file:
                file.writelines(texts(arguments.hands, arguments.uneven))
        began, before = time.monotonic(), processor_seconds()
        collector, aliases = Collector(), dict[str, str]()
        opened = open_hands(path, None, True)
        assert isinstance(opened, PokerStarsFile)
        if arguments.alone:
            collector.add(opened)
        else:
            collector.add_large(opened, aliases)
        summary = collector.summary()
        wall, seconds = time.monotonic() - began, processor_seconds() - before
        print(f"{summary.hands:,} hands, {path.stat().st_size / 1e6:,.0f} MB, {summary.skipped} skipped")
        print(f"{seconds:.1f} s of processor time, {1e6 * seconds / summary.hands:.1f} µs a hand; {wall:.1f} s in all")
        for who, process in (("this process", resource.RUSAGE_SELF), ("the largest other", resource.RUSAGE_CHILDREN)):
            print(f"{who}: {resource.getrusage(process).ru_maxrss / 1024:,.0f} MiB at most")


def processor_seconds() -> float:
    """Return the processor time of this process and those that it has waited for."""
    uses = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(use.ru_utime + use.ru_stime for use in uses)


if __name__ == "__main__":
    main()
