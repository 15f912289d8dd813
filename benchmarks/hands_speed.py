"""Measure how fast `limpet hands summary` reads PokerStars' text, and how much memory it takes.

    python -m benchmarks.hands_speed --hands 1000000 [--uneven] [--alone] [--file FILE]

The hands are random: 20,000 different ones of six players with pot-sized bets of many sizes, whose numbers and players change
each time that they are written again. Processor time is measured, because other work may share the machine.
"""

import argparse
import random
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from limpet.dealer.logs.log_parts import add_large
from limpet.dealer.logs.log_summary import Collector
from limpet.protocol.archives.hands import PokerStarsFile, open_hands
from limpet.protocol.archives.write_pokerstars import Table
from limpet.protocol.holdem import holdem
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.settlement import settle
from limpet.protocol.state import CALL, FOLD, State, raise_to

DIFFERENT = 20_000
"""Number of different hands."""
PLAYERS = 200
BLINDS = (50, 100, 0, 0, 0, 0)


def random_hand(source: random.Random, number: int, uneven: bool) -> HandRecord:
    """Return a hand of six players who fold, call and bet about as often as people do."""
    stack = tuple(source.randrange(2_000, 25_000) if uneven else 10_000 for _ in BLINDS)
    cards = source.sample(range(52), 17)
    state = State.start(holdem(stack, BLINDS))
    while not state.finished:
        luck, bounds = source.random(), state.raise_bounds()
        if state.can_fold and luck < (0.65 if state.round == 0 else 0.4):
            state = state.apply(FOLD)
        elif luck > 0.85 and bounds is not None:
            size = state.max_spent + int((state.pot + state.to_call) * source.choice((0.33, 0.5, 0.66, 0.75, 1, 1.2)))
            state = state.apply(raise_to(min(max(size, bounds[0]), bounds[1])))
        else:
            state = state.apply(CALL)
    state = state.with_board(tuple(cards[12:]))
    holes = tuple((cards[2 * position], cards[2 * position + 1]) for position in range(6))
    names = tuple(f"player {name}" for name in source.sample(range(PLAYERS), 6))
    return HandRecord(number, state, holes, settle(state, holes), names)


def texts(hands: int, uneven: bool) -> Iterator[str]:
    """Yield the texts of hands."""
    source, table = random.Random(1), Table()
    written = []
    for number in range(min(hands, DIFFERENT)):
        written.append(table.hand_text(random_hand(source, 10**9 + number, uneven), "table"))
        yield written[-1]
    for number in range(DIFFERENT, hands):
        text = written[number % DIFFERENT]
        yield text.replace(f"#{10**9 + number % DIFFERENT}:", f"#{10**9 + number}:", 1)


def main() -> None:
    """Write the hands unless `--file` is there, and read them."""
    parser = argparse.ArgumentParser(description=__doc__)
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
            add_large(collector, opened, aliases, 5)
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
