"""Measure how fast `limpet hands index` takes hands up, and how fast and in how much memory the index answers.

    python benchmarks/hand_index.py --hands 1000000 [--players 200] [--different 20000] [--copies 1]
        [--folder FOLDER]

The hands are random ones of six players in PokerStars' text, of which `--different` are dealt and then written again with other
numbers and names. With `--copies` each hand's rows are copied in the database, as many times in all, to ask larger ones. Each step
runs in a process of its own, so that its memory is its own. Processor time is measured, because other work may share the machine.

With `--folder` a run that was stopped goes on: files that are whole stay, the index takes up the others, and the times of the
files that it took up before are added from ``times.jsonl``.
"""

import argparse
import json
import random
import re
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path

from limpet.dealer.reports.hand_database import PLACES, HandSearch, found, opened, tracked
from limpet.dealer.reports.hand_index import Indexer
from limpet.dealer.reports.tracker_statistics import Wanted
from limpet.protocol.archives.hands import open_hands
from limpet.protocol.archives.write_pokerstars import PokerStarsTable

sys.path.insert(0, str(Path(__file__).parents[1]))  # random hands are those of the tests
from tests.protocol.random_hands import random_hand

FILE_HANDS = 100_000
"""Number of hands of a file."""
NUMBER = 10**9
"""Number of the first hand."""
TIMES = "times.jsonl"
"""Name of the file that has the seconds for which the index took up each file."""


def write(folder: Path, hands: int, players: int, different: int) -> list[Path]:
    """Write files of hands whose players are drawn from `players` names, unless the files are there."""
    paths = [folder / f"hands-{number}.txt" for number in range(-(-hands // FILE_HANDS))]
    if all(path.exists() for path in paths):
        return paths
    source, table = random.Random(1), PokerStarsTable()
    dealt = [random_hand(source, NUMBER + number, False) for number in range(min(hands, different))]
    texts = [table.hand_text(hand, "table") for hand in dealt]
    for number, path in enumerate(paths):
        if not path.exists():
            part = path.with_suffix(".part")
            names = random.Random(number)
            first = number * FILE_HANDS
            with part.open("w") as file:
                for at in range(first, min(first + FILE_HANDS, hands)):
                    like = at % len(texts)
                    drawn = names.sample(range(players), len(dealt[like].names))
                    file.write(renamed(texts[like], dealt[like].names, drawn, like, at))
            part.rename(path)
    return paths


def renamed(text: str, names: tuple[str, ...], drawn: list[int], like: int, number: int) -> str:
    """Return the text of hand `like` as that of hand `number`, with other players."""
    # Names such as `player 7` never stand before another figure that would make them another's.
    for name, other in zip(names, drawn, strict=True):
        text = re.sub(rf"{name}(?!\d)", f"player{other}", text)
    return text.replace(f"#{NUMBER + like}:", f"#{NUMBER + number}:", 1)


def make(paths: list[Path], database: Path) -> int:
    """Put files into the index, and return the number of hands in it."""
    hands = 0
    with opened(database, writing=True) as connection, database.with_name(TIMES).open("a") as times:
        indexer = Indexer(connection)
        for path in paths:
            began, before = time.monotonic(), time.process_time()
            outcome = indexer.add(open_hands(path, None, True), lambda: False)
            hands += outcome.hands
            if outcome.is_new:
                taken = {"wall": time.monotonic() - began, "processor": time.process_time() - before}
                times.write(json.dumps({"file": path.name, "hands": outcome.hands, **taken}) + "\n")
                times.flush()
    return hands


def copy(database: Path, copies: int) -> int:
    """Have every hand `copies` times in the index, and return the number of hands."""
    with opened(database, writing=True) as connection:
        (hands,) = connection.execute("SELECT count(*) FROM hands").fetchone()
        for number in range(1, copies):
            with connection:
                connection.execute(
                    "INSERT INTO hands SELECT id + ?, file, line, offset, length, number, time, played, game, pot, street, showdown "
                    "FROM hands WHERE id <= ?",
                    (number * hands, hands),
                )
                connection.execute(
                    "INSERT INTO seats SELECT id + ?, player, place, players, stack, depth, value, counts FROM seats WHERE id < ?",
                    (PLACES * number * hands, PLACES * (hands + 1)),
                )
                connection.execute(
                    "INSERT INTO batches SELECT first + ?, seats FROM batches WHERE first <= ?", (number * hands, hands)
                )
        with connection:
            for table in ("totals", "games", "files"):
                connection.execute(f"UPDATE {table} SET hands = hands * ?", (copies,))
        return int(connection.execute("SELECT count(*) FROM hands").fetchone()[0])


def count(database: Path, wanted: Wanted) -> int:
    """Count a tracker's statistics, and return the number of players."""
    with opened(database) as connection:
        tracker, names = tracked(connection, wanted, {}, 5)
        for name in names[:5]:
            tracker.table(name, "position")
        return len(names)


def search(database: Path, wanted: HandSearch, largest: bool) -> int:
    """Find hands, and return their number."""
    with opened(database) as connection:
        return len(list(found(connection, wanted, 20, largest)))


def measured(name: str, work: Callable[..., int], *arguments: object) -> None:
    """Run work in a process of its own, and print what it took."""
    context = get_context("spawn")
    answers = context.SimpleQueue()
    process = context.Process(target=_timed, args=(answers, work, arguments))
    process.start()
    answer, wall, seconds, memory = answers.get()
    process.join()
    print(f"{name}: {answer:,}; {wall:.2f} s, {seconds:.2f} s of processor time, {memory:,.0f} MiB at most", flush=True)


def _timed(answers: "object", work: Callable[..., int], arguments: tuple[object, ...]) -> None:
    began, before = time.monotonic(), time.process_time()
    answer = work(*arguments)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    answers.put((answer, time.monotonic() - began, time.process_time() - before, memory))  # type: ignore[attr-defined]


def main() -> None:
    """Write the hands, put them into an index, and ask it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hands", type=int, default=1_000_000)
    parser.add_argument("--players", type=int, default=200, help="number of names")
    parser.add_argument("--different", type=int, default=20_000, help="number of different hands")
    parser.add_argument("--copies", type=int, default=1, help="how often each hand is in the index")
    parser.add_argument("--folder", type=Path, help="keep the files and the index there")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        paths = write(folder, arguments.hands, arguments.players, arguments.different)
        database = folder / "hands.sqlite"
        print(
            f"{arguments.hands:,} hands, {sum(path.stat().st_size for path in paths) / 1e6:,.0f} MB of text", flush=True
        )
        measured("index made, hands", make, paths, database)
        taken = [json.loads(line) for line in (folder / TIMES).read_text().splitlines()]
        wall, seconds = (sum(file[kind] for file in taken) for kind in ("wall", "processor"))
        size = database.stat().st_size
        print(
            f"all files: {wall:.0f} s, {seconds:.0f} s of processor time, {1e6 * seconds / arguments.hands:.0f} µs a hand, "
            f"{size / arguments.hands:.0f} bytes a hand"
        )
        measured("index made again from unchanged files, hands", make, paths, database)
        if arguments.copies > 1:
            measured("copies of all hands, hands", copy, database, arguments.copies)
            print(f"{database.stat().st_size / arguments.hands / arguments.copies:.0f} bytes a hand")
        measured("statistics of everybody, players", count, database, Wanted())
        measured("statistics of one player, players", count, database, Wanted(["player7"]))
        measured("the same at 80 to 120 bb, players", count, database, Wanted(["player7"], depth=(80, 120)))
        measured("statistics of everybody at 80 to 120 bb, players", count, database, Wanted(depth=(80, 120)))
        measured("largest pots, hands", search, database, HandSearch(Wanted()), True)
        one = HandSearch(Wanted(["player7"], ["BTN"]), least=50.0, street=3)
        measured("a player's pots on the button, hands", search, database, one, False)
        measured("the largest of them, hands", search, database, one, True)


if __name__ == "__main__":
    main()
