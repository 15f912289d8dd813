"""``limpet log``: look into match logs, pick hands out of them, convert them, and watch hands again."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from limpet.bot.commands.parameters import Real, Whole

if TYPE_CHECKING:
    from limpet.dealer.logs.log_stream import LogStream
    from limpet.protocol.gamedef import GameDef
    from limpet.protocol.matchlog import HandRecord

Write = Callable[[str], None]

LONG_BYTES = 5_000_000
"""Of logs: reading as many takes long enough for a progress bar."""
GAME_HELP = "A game that ships, or a .game file.  [default: the one that the log names]"

log_file = click.Path(path_type=Path, exists=True, dir_okay=False)
file_argument = click.argument("file", type=log_file)
game_option = click.option("--game", metavar="GAME", help=GAME_HELP)
skip_option = click.option("--skip-bad", is_flag=True, help="Leave out what cannot be read, and count it.")
output_option = click.option(
    "--output", "-o", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="[default: standard output]"
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group(
    epilog="""\b
Examples:
  limpet log summary matches/a-b-1/seating-*.log
  limpet log filter match.log --player Alice --min-pot 100 -o large.log
  limpet log convert match.log --to pokerstars -o match.txt
  limpet log replay match.log --hand 17

A log is what a dealer writes (NAME.log), ours or another of the ACPC's, also packed as .gz, .bz2 or .xz. Its first line
names the game, which is looked for beside the log and among those that ship; --game names another."""
)
def log() -> None:
    """Read the logs of matches: sum up, filter, convert and replay."""


@log.command(
    epilog="""\b
Examples:
  limpet log summary match.log
  limpet log summary matches/a-b-1/seating-*.*log     both seatings, with the transaction logs (.tlog)
  limpet log summary match.log --json

\b
Exit status: 0 summed up; 2 a log cannot be read, and one line says why."""
)
@click.argument("files", type=log_file, nargs=-1, required=True, metavar="FILE...")
@game_option
@skip_option
@click.option(
    "--largest",
    type=Whole(0, 1000),
    default=5,
    show_default=True,
    help="How many of the largest pots to list.",
)
@json_option
def summary(files: tuple[Path, ...], game: str | None, skip_bad: bool, largest: int, as_json: bool) -> None:
    """Who won how much, where, and how the players play.

    Logs with the same deals (a duplicate match) are recognised, in several FILEs or in one; intervals then count deals,
    not hands. A FILE that ends in .tlog is the transaction log of the .log beside it, and gives the decision times.
    """
    import json

    from limpet.bot.commands.terminal import standard_output
    from limpet.dealer.logs.log_stream import LogStream
    from limpet.dealer.logs.log_summary import Collector
    from limpet.dealer.logs.log_tables import print_summary

    logs, transactions = _pairs(files)
    definition = _game(game)
    with log_progress("reading", logs) as look:
        collector = Collector(largest, look)
        for path in logs:
            stream = LogStream(path, definition, skip_bad)
            collector.add(stream, transactions.get(path))
    found = collector.summary()
    for note in found.notes:
        _tell(note)
    if as_json:
        click.echo(json.dumps(found.plain(), indent=2))
    else:
        print_summary(found, standard_output())


@log.command(
    "filter",
    epilog="""\b
Examples:
  limpet log filter match.log --player Alice --position button --reached river
  limpet log filter match.log --hands 10-200 --min-pot 50 -o some.log
  limpet log filter match.log --player Alice --cards 'QQ+,AKs' --lost
  limpet log filter match.log --board Ah --action 'r.c/*r'       raised, called, and raised again on a later street

\b
In --action:
  f c r300 /   as the log writes them; the pattern is the beginning of the hand
  r            a raise of any size
  .            any action
  *            anything, or nothing
  $            the end of the hand

\b
Exit status: 0 hands were found; 1 none was; 2 the log cannot be read or a wish makes no sense, and one line says why.""",
)
@file_argument
@click.option("--player", metavar="NAME", help="Hands of this player.")
@click.option("--position", metavar="P", help="That --player holds: a number from 0, or bb, sb, button.")
@click.option("--reached", metavar="STREET", help="Dealt at least to this street: flop, or a number from 1.")
@click.option("--min-pot", type=Real(min=0), metavar="BB", help="Smallest pot, in big blinds.")
@click.option("--max-pot", type=Real(min=0), metavar="BB", help="Largest pot, in big blinds.")
@click.option("--hands", metavar="N-M", help="Hand numbers: 7, 10-200, 3000-; several with commas.")
@click.option("--cards", metavar="CARDS", help="Hole cards (of --player, else anybody's): AsKs, As, or a range.")
@click.option("--board", metavar="CARDS", help="Cards on the board, in any order.")
@click.option("--action", metavar="PATTERN", help="How the betting begins; see below.")
@click.option("--showdown/--no-showdown", default=None, help="Hands that came to a showdown, or did not.")
@click.option("--won/--lost", "won", default=None, help="Hands in which --player won chips, or lost some.")
@game_option
@skip_option
@output_option
def filter_(file: Path, game: str | None, skip_bad: bool, output: Path | None, **wishes: Any) -> None:
    """Write a log of the hands that meet all wishes.

    Comments stay, and so does the header, which still tells the match's number of hands. A score is that of the hands
    written.
    """
    from limpet.dealer.logs.log_filter import Filtered, Wanted
    from limpet.dealer.logs.log_stream import LogStream

    wanted = Wanted(**wishes)
    stream = LogStream(file, _game(game), skip_bad)
    lines = Filtered(stream, wanted)
    with _writing(output, file) as write, log_progress("filtering", [file], hidden=output is None) as look:
        for number, line in enumerate(lines):
            write(f"{line}\n")
            if number % 1000 == 0:
                look(stream)
    _tell_skipped(stream)
    _tell(f"{lines.kept:,} of {lines.seen:,} hands")
    if wanted.player is not None and lines.seen and wanted.player not in lines.players:
        _tell(f"no player {wanted.player}; there are {', '.join(sorted(lines.players))}")
    sys.exit(0 if lines.kept else 1)


@log.command(
    epilog="""\b
Examples:
  limpet log convert match.log --to phh -o match.phhs
  limpet log convert match.log --to pokerstars -o match.txt
  limpet log convert match.log --to phh --hand 17 -o hand.phh

\b
Exit status: 0 converted; 2 the log cannot be read or the format cannot tell its hands, and one line says why."""
)
@file_argument
@click.option("--to", "target", type=click.Choice(("phh", "pokerstars")), required=True, help="The format.")
@click.option("--hand", type=Whole(min=0), metavar="N", help="Only this hand; in PHH it has no section then.")
@game_option
@skip_option
@output_option
def convert(file: Path, target: str, hand: int | None, game: str | None, skip_bad: bool, output: Path | None) -> None:
    """Write a log's hands in another format: PHH (poker hand history, a TOML) or text like PokerStars'.

    Both can tell Texas hold'em only, with two players or more, limit or no-limit. With --skip-bad, hands that the format
    has no words for are left out and counted too.
    """
    from limpet.dealer.logs.log_stream import LogStream, no_hands
    from limpet.protocol.errors import ProtocolError
    from limpet.protocol.handhistory import Unsupported

    stream = LogStream(file, _game(game), skip_bad)
    told: list[str] = []
    written = 0
    with _writing(output, file) as write, log_progress("converting", [file], hidden=output is None) as look:
        text_of = _converter(target, stream, numbered=hand is None)
        for line, record in stream.hands() if hand is None else _found(stream, hand):
            try:
                text = text_of(record, written + 1)
            except Unsupported as error:
                if not skip_bad or written + len(told) == 0:
                    raise Unsupported(f"{file}:{line.number}: {error}") from error
                told.append(f"{file}:{line.number}: {error}")
                continue
            write(text)
            written += 1
            if written % 1000 == 0:
                look(stream)
        if not written:
            raise ProtocolError(no_hands(file))
    for message in told[:5]:
        _tell(message)
    _tell_skipped(stream)
    _tell(f"{written:,} hands written" + (f", {len(told):,} left out" if told else ""))


@log.command(
    epilog="""\b
Examples:
  limpet log replay match.log --hand 17
  limpet log replay match.log --hand 17 --all

\b
Exit status: 0 shown; 2 there is no such hand or the log cannot be read, and one line says why."""
)
@file_argument
@click.option("--hand", type=Whole(min=0), metavar="N", help="Its number.  [default: the log's first hand]")
@click.option("--all", "whole", is_flag=True, help="Show the whole hand at once.")
@game_option
def replay(file: Path, hand: int | None, whole: bool, game: str | None) -> None:
    """Show a hand street by street, with pots, stacks and cards.

    On a terminal, Enter shows the next street and q ends it; elsewhere, or with --all, the whole hand is shown at once.
    """
    from rich.console import Console

    from limpet.dealer.logs.log_replay import replay as show
    from limpet.dealer.logs.log_stream import LogStream, no_hands
    from limpet.protocol.errors import ProtocolError

    stream = LogStream(file, _game(game))
    step = not whole and sys.stdin.isatty() and sys.stdout.isatty()
    console = Console(file=sys.stdout)
    if step:
        _tell("Enter: the next street; q and Enter: the end")
    hands = islice(stream.hands(), 1) if hand is None else _found(stream, hand)
    shown = False
    for line, record in hands:
        shown = True
        click.echo(f"{file}:{line.number}")
        if not show(record, console, _enter if step else lambda: True):
            break
    if not shown:
        raise ProtocolError(no_hands(file))


def _converter(target: str, stream: "LogStream", numbered: bool) -> "Callable[[HandRecord, int], str]":
    """A function that makes text of a hand and its place among those written."""
    from limpet.protocol import phh, pokerstars

    def name() -> str:
        return stream.header.name if stream.header else stream.path.stem

    if target == "phh":
        return lambda hand, place: (f"[{place}]\n" if numbered else "") + phh.hand_text(hand, name()) + "\n"
    table = pokerstars.Table()

    def at_table(hand: "HandRecord", place: int) -> str:
        table.name = name()
        return table.hand_text(hand)

    return at_table


def _found(stream: "LogStream", hand: int) -> "Iterator[tuple[Any, HandRecord]]":
    """The hands with this number. Raises `ProtocolError` if there is none."""
    from limpet.protocol.errors import ProtocolError

    nothing = True
    for found in stream.find(hand):
        nothing = False
        yield found
    if nothing:
        raise ProtocolError(f"{stream.path}: there is no hand {hand}; `limpet log summary` tells how many there are")


def _pairs(files: tuple[Path, ...]) -> tuple[list[Path], dict[Path, Path]]:
    """The logs, and the transaction log of each that has one."""
    logs = [path for path in files if path.suffix != ".tlog"]
    transactions = {path.with_suffix(".log"): path for path in files if path.suffix == ".tlog"}
    for path, times in transactions.items():
        if path not in logs:
            raise click.UsageError(f"{times} needs its match log; name {path} too")
    return logs, transactions


def _game(text: str | None) -> "GameDef | None":
    """The game that an option names. Raises `ConfigError` or `GameDefError`."""
    if text is None:
        return None
    from limpet.configs.loading import load_game
    from limpet.protocol.gamedef import GameDef

    return GameDef.load(text) if Path(text).is_file() else load_game(text)


@contextmanager
def _writing(output: Path | None, source: Path) -> Iterator[Write]:
    """Writes text to a file, which appears only when all of it is there, or to standard output."""
    if output is None:
        yield _writer(sys.stdout.buffer)
        return
    if output.exists() and output.samefile(source):
        raise click.UsageError(f"{output} is the log itself; write to another file")
    fresh = output.with_name(output.name + ".new")
    try:
        with fresh.open("wb") as file:
            yield _writer(file)
        os.replace(fresh, output)
    except BaseException as error:
        fresh.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise click.UsageError(f"{output}: cannot write it: {error.strerror}") from error
        raise


def _writer(file: BinaryIO) -> Write:
    def write(text: str) -> None:
        file.write(text.encode("utf-8", "surrogateescape"))

    return write


@contextmanager
def log_progress(doing: str, paths: list[Path], hidden: bool = False) -> "Iterator[Callable[[LogStream], None]]":
    """A bar on a terminal for logs that take a while, on standard error; `hidden` where the result is printed too."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    total = sum(path.stat().st_size for path in paths)
    if hidden or not console.is_terminal or total < LONG_BYTES:
        yield lambda stream: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(doing, total=total)
        read: dict[Path, int] = {}

        def look(stream: "LogStream") -> None:
            read[stream.path] = stream.bytes_read
            bar.update(task, completed=sum(read.values()))

        yield look


def _enter() -> bool:
    try:
        return input().strip().lower() not in ("q", "quit")
    except EOFError:
        return False


def _tell_skipped(stream: "LogStream") -> None:
    for message in stream.complaints:
        _tell(message)
    if stream.bad:
        _tell(f"{stream.path}: {stream.bad:,} bad lines were left out")
    if stream.torn:
        _tell(stream.torn)


def _tell(text: str) -> None:
    click.echo(f"limpet log: {text}", err=True)
