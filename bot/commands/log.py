"""``limpet log``: sums match logs up, picks hands out of them, converts them, and replays hands."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from limpet.bot.commands.options import game_option, json_option
from limpet.bot.commands.parameters import GAME, NEW_FILE, OLD_FILE, Real, Whole
from limpet.bot.commands.progress import reading_logs
from limpet.bot.commands.terminal import notice, print_document, print_json, standard_output
from limpet.dealer.logs.log_filter import Filtered, Wanted
from limpet.protocol.archives.hand_file import no_hands
from limpet.protocol.archives.read_acpc import LogStream
from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import GameDef
from limpet.strategies.storage.folders import whole_file

if TYPE_CHECKING:
    from limpet.dealer.logs.log_convert import Format

Write = Callable[[str], object]

SHOWN_LEFT_OUT = 5
"""Number of hands left out that are told one by one."""
LOOKS = {"c": "green", "d": "blue", "h": "red", "s": "bold"}
"""Styles of suits, as four-colour decks print them."""

file_argument = click.argument("file", type=OLD_FILE)
log_game_option = game_option("the one that the log names", GAME)
skip_option = click.option("--skip-bad", is_flag=True, help="Leave out what cannot be read, and count it.")
output_option = click.option("--output", "-o", type=NEW_FILE, metavar="FILE", help="[default: standard output]")


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
@click.argument("files", type=OLD_FILE, nargs=-1, required=True, metavar="FILE...")
@log_game_option
@skip_option
@click.option(
    "--largest", type=Whole(0, 1000), default=5, show_default=True, help="How many of the largest pots to list."
)
@json_option()
def summary(files: tuple[Path, ...], game: GameDef | None, skip_bad: bool, largest: int, as_json: bool) -> None:
    """Show who won how much, where, and how the players play.

    Logs with the same deals (a duplicate match) are recognised, in several FILEs or in one; intervals then count deals,
    not hands. A FILE that ends in .tlog is the transaction log of the .log beside it, and gives the decision times.
    """
    from limpet.dealer.logs.log_summary import Collector

    logs = [path for path in files if path.suffix != ".tlog"]
    transactions = {path.with_suffix(".log"): path for path in files if path.suffix == ".tlog"}
    for path, times in transactions.items():
        if path not in logs:
            raise click.UsageError(f"{times} needs its match log; name {path} too")
    with reading_logs("reading", logs) as look:
        collector = Collector(largest, look)
        for path in logs:
            collector.add(LogStream(path, game, skip_bad), transactions.get(path))
    outcome = collector.summary()
    for note in outcome.notes:
        notice(note)
    if as_json:
        print_json(outcome, indent=2)
    else:
        from limpet.dealer.reports.report_match import summary_document

        print_document(standard_output(), summary_document(outcome))


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
@click.option("--position", metavar="P", help="Position that --player holds: a number from 0, or bb, sb, button.")
@click.option("--reached", metavar="STREET", help="Dealt at least to this street: flop, or a number from 1.")
@click.option("--min-pot", type=Real(min=0), metavar="BB", help="Smallest pot, in big blinds.")
@click.option("--max-pot", type=Real(min=0), metavar="BB", help="Largest pot, in big blinds.")
@click.option("--hands", metavar="N-M", help="Hand numbers: 7, 10-200, 3000-; several with commas.")
@click.option("--cards", metavar="CARDS", help="Hole cards (of --player, else anybody's): AsKs, As, or a range.")
@click.option("--board", metavar="CARDS", help="Cards on the board, in any order.")
@click.option("--action", metavar="PATTERN", help="How the betting begins; see below.")
@click.option("--showdown/--no-showdown", default=None, help="Hands that came to a showdown, or did not.")
@click.option("--won/--lost", "won", default=None, help="Hands in which --player won chips, or lost some.")
@log_game_option
@skip_option
@output_option
def filter_(file: Path, game: GameDef | None, skip_bad: bool, output: Path | None, **wishes: Any) -> None:
    """Write a log of the hands that meet all wishes.

    Comments stay, and so does the header, which still tells the match's number of hands. A score is that of the hands
    written.
    """
    wanted = Wanted(**wishes)
    stream = LogStream(file, game, skip_bad)
    lines = Filtered(stream, wanted)
    with _writing(output, file) as write, reading_logs("filtering", [file], hidden=output is None) as look:
        for line in lines:
            write(f"{line}\n")
            look(stream)
    _tell_skipped(stream)
    notice(f"{lines.kept:,} of {lines.seen:,} hands")
    if wanted.player is not None and lines.seen and wanted.player not in lines.players:
        notice(f"no player {wanted.player}; there are {', '.join(sorted(lines.players))}")
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
@log_game_option
@skip_option
@output_option
def convert(
    file: Path, target: "Format", hand: int | None, game: GameDef | None, skip_bad: bool, output: Path | None
) -> None:
    """Write a log's hands in another format: PHH (poker hand history, a TOML) or text like PokerStars'.

    Both can tell Texas hold'em only, with two players or more, limit or no-limit. With --skip-bad, hands that the format
    has no words for are left out and counted too.
    """
    from limpet.dealer.logs.log_convert import Converted

    stream = LogStream(file, game, skip_bad)
    texts = Converted(stream, target, hand)
    with _writing(output, file) as write, reading_logs("converting", [file], hidden=output is None) as look:
        for text in texts:
            write(text)
            look(stream)
    for message in texts.left_out[:SHOWN_LEFT_OUT]:
        notice(message)
    _tell_skipped(stream)
    notice(f"{texts.written:,} hands written" + (f", {len(texts.left_out):,} left out" if texts.left_out else ""))


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
@log_game_option
def replay(file: Path, hand: int | None, whole: bool, game: GameDef | None) -> None:
    """Show a hand street by street, with pots, stacks and cards.

    On a terminal, Enter shows the next street and q ends it; elsewhere, or with --all, the whole hand is shown at once.
    """
    from rich.console import Console
    from rich.text import Text

    from limpet.dealer.logs.log_replay import parts

    step = not whole and _on_terminal()
    console = Console(file=sys.stdout)
    if step:
        notice("Enter: the next street; q and Enter: the end")
    line = None
    for line, record in LogStream(file, game).chosen(hand):
        click.echo(f"{file}:{line.number}")
        for number, part in enumerate(parts(record)):
            if step and number and not _wants_more():
                return
            for runs in part:
                text = Text.assemble(*((run.text, LOOKS.get(run.look, run.look)) for run in runs))
                console.print(text, soft_wrap=True, highlight=False)
        if hand is None:
            return
    if line is None:
        raise ProtocolError(no_hands(file))


def _on_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _wants_more() -> bool:
    """Wait for Enter, and return whether the user wants to see the next street."""
    try:
        return input().strip().lower() not in ("q", "quit")
    except EOFError:
        return False


@contextmanager
def _writing(output: Path | None, source: Path) -> Iterator[Write]:
    """Yield a function that writes text to standard output, or to a file that appears only when all of it is there."""
    if output is None:
        yield _writer(sys.stdout.buffer)
        return
    if output.exists() and output.samefile(source):
        raise click.UsageError(f"{output} is the log itself; write to another file")
    try:
        with whole_file(output) as file:
            yield _writer(file)
    except OSError as error:
        raise click.UsageError(f"{output}: cannot write it: {error.strerror}") from error


def _writer(file: BinaryIO) -> Write:
    return lambda text: file.write(text.encode("utf-8", "surrogateescape"))


def _tell_skipped(stream: LogStream) -> None:
    """Print notes on the lines of a log that were left out."""
    for message in stream.complaints:
        notice(message)
    if stream.bad:
        notice(f"{stream.path}: {stream.bad:,} bad lines were left out")
    if stream.torn:
        notice(stream.torn)
