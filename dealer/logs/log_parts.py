"""Sum large archives up on all cores: each process reads some thousand hands at a time."""

import gc
import os
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import count
from pathlib import Path

from limpet.dealer.logs.log_summary import Collector
from limpet.protocol.archives.hand_file import SHOWN_BAD
from limpet.protocol.archives.hands import PokerStarsFile
from limpet.strategies.workers.processes import by_processes

PIECE_CHARACTERS = 1 << 23
"""Characters that a process reads at a time: some 6,000 hands of six players."""
COLLECTED_EVERY = 16
"""Number of pieces that a process reads between two searches for unused objects."""
LARGE = 40_000_000
"""Size in bytes from which a file is summed up by several processes."""


_pieces_read = count(1)
"""Numbers of the pieces that this process reads."""


Part = tuple[int, Collector, PokerStarsFile]
"""The number of a piece, its sums, and the file without its texts, whose counters count the hands that were skipped."""


def add_large(collector: Collector, file: PokerStarsFile, aliases: Mapping[str, str], largest: int) -> None:
    """Add a file to a collector that keeps `largest` pots. The sums do not depend on the number of processes."""
    collector.add_parts(file, _parts(file, aliases, largest))


def _parts(file: PokerStarsFile, aliases: Mapping[str, str], largest: int) -> Iterator[Collector]:
    """Yield the sums of the pieces of a file in their order. Hands that were skipped are counted in `file`."""
    waiting: dict[int, Part] = {}
    following = 0
    pieces = enumerate(_pieces(file.texts()))
    for part in by_processes(partial(read_piece, file.path, aliases, largest), pieces, os.cpu_count() or 1, gc.disable):
        waiting[part[0]] = part
        while following in waiting:
            _, collector, read = waiting.pop(following)
            following += 1
            file.bad += read.bad
            file.small_raises += read.small_raises
            file.complaints += read.complaints[: SHOWN_BAD - len(file.complaints)]
            yield collector


def _pieces(texts: Iterable[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    """Yield the texts of hands, each with its first line, in lists of about `PIECE_CHARACTERS`."""
    piece, characters = [], 0
    for line, text in texts:
        piece.append((line, text))
        characters += len(text)
        if characters >= PIECE_CHARACTERS:
            yield piece
            piece, characters = [], 0
    yield piece


def read_piece(
    path: Path, aliases: Mapping[str, str], largest: int, numbered: tuple[int, list[tuple[int, str]]]
) -> Part:
    """Return the sums of a piece of a file, which comes with its number."""
    number, texts = numbered
    file = PokerStarsFile(path, None, True, aliases=aliases).with_texts(texts)
    collector = Collector(largest)
    collector.add(file)
    collector.close_part()
    # Looking for cycles among all that the reader remembers costs a fifth of the time; only forgotten betting has any.
    if next(_pieces_read) % COLLECTED_EVERY == 0:
        gc.collect()
    return number, collector, file.with_texts(())
