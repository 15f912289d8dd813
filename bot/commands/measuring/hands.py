"""``limpet hands``: sums played hands up, checks, converts and replays them, and picks some out."""

import sys
from codecs import getwriter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from limpet.bot.commands.measuring import hand_index
from limpet.bot.commands.measuring.hand_index import (
    file_argument,
    files_argument,
    opened_files,
    reading_options,
    why_nobody,
)
from limpet.bot.commands.options import choice, flag, json_option, option
from limpet.bot.commands.parameters import NEW_FILE, NEW_FOLDER, Real, Whole
from limpet.bot.commands.progress import reading_logs
from limpet.bot.commands.terminal import notice, print_document, print_json, standard_output, writing
from limpet.common.folders import whole_file
from limpet.dealer.reports.log_filter import Criteria, Filtered
from limpet.dealer.reports.tracker_chances import GROUPS
from limpet.protocol.archives.convert import FORMATS, Converted, Format
from limpet.protocol.archives.hand_file import no_hands
from limpet.protocol.archives.hands import PokerStarsFile
from limpet.protocol.errors import ProtocolError

if TYPE_CHECKING:
    from limpet.dealer.reports.tracker_statistics import Tracker, Wanted

LOOKS = {"c": "green", "d": "blue", "h": "red", "s": "bold"}
"""Styles of suits, as four-colour decks print them."""


output_option = option("--output -o", "[default: standard output]", NEW_FILE, metavar="FILE")
hand_option = option("--hand", "The hands of this number.", Whole(min=0), metavar="N")
line_option = option("--line", "The hand that begins at this line.", Whole(min=1), metavar="L")


@click.group(
    epilog="""\b
Examples:
  limpet hands summary matches/a-b-1/seating-*.log
  limpet hands stats archive/*.txt --player Alice --by position
  limpet hands check archive/*.txt
  limpet hands filter match.log --player Alice --min-pot 100 -o large.log
  limpet hands convert match.log --to pokerstars -o match.txt
  limpet hands replay match.log --hand 17
  limpet hands index archive/*.txt --to hands.sqlite
  limpet hands find hands.sqlite --player Alice --min-pot 100

A FILE is a log of an ACPC dealer, ours or another's, text of PokerStars, GGPoker or Winamax, PHH, or a file hdb of the IRC
poker database, also packed as .gz, .bz2 or .xz. A log's first line names its game, which is looked for beside the log and
among those that ship; without that line the game is recognised by its hands, or --game names it. Hands that cannot be read
are skipped, counted and reported."""
)
def hands() -> None:
    """Read played hands: sum up, count as trackers do, check, filter, convert, replay, and index many of them."""


hands.add_command(hand_index.index)
hands.add_command(hand_index.find)


@hands.command(
    epilog="""\b
Examples:
  limpet hands summary match.log
  limpet hands summary matches/a-b-1/seating-*.*log     both seatings, with the transaction logs (.tlog)
  limpet hands summary archive/*.txt --alias 'Alice_*=Alice' --json

\b
Exit status: 0 summed up; 2 a file cannot be read or holds no hand, and one line says why."""
)
@files_argument
@reading_options
@option("--largest", "How many of the largest pots to list.", Whole(0, 1000), default=5)
@json_option()
def summary(files: tuple[Path, ...], game: str | None, aliases: dict[str, str], largest: int, as_json: bool) -> None:
    """Show who won how much, where, and how the players play.

    Logs with the same deals (a duplicate match) are recognised, in several FILEs or in one; intervals then count deals,
    not hands. A FILE that ends in .tlog is the transaction log of the .log beside it, and gives the decision times.
    """
    from limpet.dealer.reports.log_summary import LARGE, Collector

    logs = [path for path in files if path.suffix != ".tlog"]
    transactions = {path.with_suffix(".log"): path for path in files if path.suffix == ".tlog"}
    for path, times in transactions.items():
        if path not in logs:
            raise click.UsageError(f"{times} needs its match log; name {path} too")
    with reading_logs("reading", logs) as look:
        collector = Collector(largest, look)
        for file in opened_files(logs, game, aliases):
            if isinstance(file, PokerStarsFile) and file.path.stat().st_size >= LARGE:
                collector.add_large(file, aliases)
            else:
                collector.add(file, transactions.get(file.path))
    outcome = collector.summary()
    notice(*outcome.notes)
    if as_json:
        print_json(outcome, indent=2)
    else:
        from limpet.dealer.reports.report_match import summary_document

        options = f" --game {game}" if game else ""
        print_document(standard_output(), summary_document(outcome, options))


@hands.command(
    epilog="""\b
Examples:
  limpet hands stats match.log
  limpet hands stats archive/*.txt --player Alice --by position
  limpet hands stats archive/*.txt --seats 6 --depth 80-120 --most 1000 --csv > players.csv
  limpet hands stats archive/*.txt --player 'Al*' --output page
  limpet hands stats hands.sqlite --player Alice              from an index, see `limpet hands index`

\b
Exit status: 0 counted; 1 no hand meets the wishes; 2 a file cannot be read or holds no hand, and one line says why."""
)
@files_argument
@hand_index.player_options
@choice("--by", "Count apart by this as well.", GROUPS)
@option("--most", "How many players are shown, those with most hands first.", Whole(1, 1000), default=5)
@reading_options
@option("--output -o", "Write report.html and report.md into this folder too.", NEW_FOLDER, metavar="DIR")
@flag("--csv as_csv", "Print CSV.")
@json_option()
def stats(
    files: tuple[Path, ...], game: str | None, aliases: dict[str, str], most: int, by: str | None, output: Path | None,
    as_csv: bool, as_json: bool, **wishes: Any,
) -> None:  # fmt: skip
    """Count how players play, as trackers of poker hands do: VPIP, PFR, 3-bets, c-bets, WTSD and others.

    Each is the share of chances that were taken, with its 95 % interval. The page of --output says what each means.
    """
    from csv import writer

    from limpet.dealer.reports.report_document import Heading
    from limpet.dealer.reports.report_pages import PAGE, write_pages
    from limpet.dealer.reports.tracker_statistics import CSV_HEADINGS, Wanted, csv_rows, tracker_document

    tracker, names, unread = _tracked(files, game, aliases, Wanted(**wishes), most)
    notice(*unread)
    if not tracker.hands:
        raise ProtocolError(no_hands(*files, skipped=unread))
    tables = [tracker.table(name, by) for name in names[:most]]
    if output is not None:
        with writing(output, "cannot write the page; name a folder that can be written"):
            write_pages(output, [Heading(1, "How players play"), *tracker_document(tables, meanings=True)])
    if as_json:
        print_json({"hands": tracker.hands, "players": [table.data() for table in tables]}, indent=2)
    elif as_csv:
        writer(sys.stdout, lineterminator="\n").writerows([CSV_HEADINGS, *csv_rows(tables)])
    else:
        print_document(standard_output(), tracker_document(tables, meanings=False))
    more = f", the {most} with most hands are shown" if len(names) > most else ""
    notice(f"{tracker.hands:,} hands read; {len(names):,} of their players counted{more}")
    if output is not None:
        notice(f"Page: {output / PAGE}")
    if not names and (why := why_nobody(wishes["players"], wishes["positions"])):
        notice(why)
    sys.exit(0 if names else 1)


@hands.command(
    epilog="""\b
Examples:
  limpet hands check match.log
  limpet hands check archive/*.txt --json

\b
Exit status: 0 every hand is right; 1 some are not; 2 a file cannot be read or holds no hand."""
)
@files_argument
@reading_options
@json_option()
def check(files: tuple[Path, ...], game: str | None, aliases: dict[str, str], as_json: bool) -> None:
    """Read every hand, and list all that cannot be read or whose payoffs contradict the betting and the cards."""
    count = skipped = contradictory = vanishing = 0
    messages: list[str] = []
    with reading_logs("reading", list(files)) as look:
        for file in opened_files(files, game, aliases):
            file.most_shown = sys.maxsize
            for _ in file.hands():
                count += 1
                if count % 1000 == 0:
                    look(file)
            skipped += file.bad + bool(file.torn)
            contradictory += file.contradictory
            vanishing += file.vanishing
            messages += file.remarks()
    if as_json:
        counts = {"hands": count, "skipped": skipped, "contradictory": contradictory, "vanishing": vanishing}
        print_json(counts | {"messages": messages}, indent=2)
    else:
        lost = f", {vanishing:,} in which chips vanish" if vanishing else ""
        counted = f"{count:,} hands, {skipped:,} skipped, {contradictory:,} with odd payoffs{lost}"
        click.echo("\n".join([*messages, counted]))
    if not count:
        raise ProtocolError(no_hands(*files, skipped=messages))
    sys.exit(1 if skipped or contradictory else 0)


@hands.command(
    "filter",
    epilog="""\b
Examples:
  limpet hands filter match.log --player Alice --position button --reached river
  limpet hands filter match.log --hands 10-200 --min-pot 50 -o some.log
  limpet hands filter match.log --player Alice --cards 'QQ+,AKs' --lost
  limpet hands filter match.log --board Ah --action 'rc/*r'        raised, called, and raised again on a later street

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
@option("--player", "Hands of this player.", metavar="NAME")
@option("--position", "Position that --player holds: a number from 0, or bb, sb, button.", metavar="P")
@option("--reached", "Dealt at least to this street: flop, or a number from 1.", metavar="STREET")
@option("--min-pot", "Smallest pot, in big blinds.", Real(min=0), metavar="BB")
@option("--max-pot", "Largest pot, in big blinds.", Real(min=0), metavar="BB")
@option("--hands numbers", "Hand numbers: 7, 10-200, 3000-; several with commas.", metavar="N-M")
@option("--cards", "Hole cards (of --player, else anybody's): AsKs, As, or a range.", metavar="CARDS")
@option("--board", "Cards on the board, in any order.", metavar="CARDS")
@option("--action", "How the betting begins; see below.", metavar="PATTERN")
@option("--showdown/--no-showdown", "Hands that came to a showdown, or did not.", default=None)
@option("--won/--lost won", "Hands in which --player won chips, or lost some.", default=None)
@reading_options
@output_option
def filter_(file: Path, game: str | None, aliases: dict[str, str], output: Path | None, **options: Any) -> None:
    """Write the hands that meet all wishes, as they stand in the file.

    In a log, comments stay, and so does the header, which still tells the match's number of hands. A score is that of the
    hands written. An alias is another name for --player only.
    """
    criteria = Criteria(hands=options.pop("numbers"), **options)
    (stream,) = opened_files([file], game, aliases)
    lines = Filtered(stream, criteria)
    with _writing(output, file) as write, reading_logs("filtering", [file], hidden=output is None) as look:
        for line in lines:
            write(f"{line}\n")
            look(stream)
    notice(*stream.remarks(), f"{lines.kept:,} of {lines.seen:,} hands")
    if criteria.player is not None and lines.seen and criteria.player not in lines.players:
        notice(f"no player {criteria.player}; there are {', '.join(sorted(lines.players))}")
    sys.exit(0 if lines.kept else 1)


@hands.command(
    epilog="""\b
Examples:
  limpet hands convert match.log --to phh -o match.phhs
  limpet hands convert match.log --to pokerstars -o match.txt
  limpet hands convert archive/*.txt --to acpc -o archive.log
  limpet hands convert match.log --to phh --hand 17 -o hand.phh

\b
Exit status: 0 converted; 2 a file cannot be read or the format cannot tell its hands, and one line says why."""
)
@files_argument
@choice("--to target", "The format.", FORMATS, required=True)
@hand_option
@line_option
@reading_options
@output_option
def convert(
    files: tuple[Path, ...], target: Format, hand: int | None, line: int | None, game: str | None,
    aliases: dict[str, str], output: Path | None,
) -> None:  # fmt: skip
    """Write hands in another format: a log, PHH (poker hand history, a TOML) or text like PokerStars'.

    PokerStars' text can tell Texas hold'em only. Hands that the format has no words for are left out, counted and
    reported. In PHH, a single hand chosen by number or line has no section.
    """
    streams = opened_files(files, game, aliases)
    texts = Converted(streams, target, hand, line)
    with _writing(output, *files) as write, reading_logs("converting", list(files), hidden=output is None) as look:
        for stream, text in texts:
            write(text)
            look(stream)
    notice(*texts.messages, *(remark for stream in streams for remark in stream.remarks()))
    notice(f"{texts.written:,} hands written" + (f", {texts.left_out:,} left out" if texts.left_out else ""))


@hands.command(
    epilog="""\b
Examples:
  limpet hands replay match.log --hand 17
  limpet hands replay archive.txt --line 3001 --all
  limpet hands replay match.log --hand 17 --json        for a program: a line of JSON for each hand

\b
Exit status: 0 shown; 2 there is no such hand or the file cannot be read, and one line says why."""
)
@file_argument
@hand_option
@line_option
@flag("--all whole", "Show the whole hand at once.")
@json_option()
@reading_options
def replay(
    file: Path, hand: int | None, line: int | None, whole: bool, as_json: bool, game: str | None,
    aliases: dict[str, str],
) -> None:  # fmt: skip
    """Show a hand street by street, with pots, stacks and cards. Without --hand and --line it is the file's first.

    On a terminal, Enter shows the next street and q ends it; elsewhere, or with --all, the whole hand is shown at once.
    """
    from rich.console import Console
    from rich.text import Text

    from limpet.dealer.reports.log_replay import hand_data, parts

    step = not whole and not as_json and _on_terminal()
    console = Console(file=sys.stdout)
    if step:
        notice("Enter: the next street; q and Enter: the end")
    shown = None
    (stream,) = opened_files([file], game, aliases)
    stream.skip_bad = None
    for shown, record in stream.chosen(hand, line):
        if as_json:
            print_json({"file": str(file), "line": shown.number, **hand_data(record)})
        else:
            click.echo(f"{file}:{shown.number}")
        for number, part in enumerate(() if as_json else parts(record)):
            if step and number and not _wants_more():
                return
            for runs in part:
                text = Text.assemble(*((run.text, LOOKS.get(run.look, run.look)) for run in runs))
                console.print(text, soft_wrap=True, highlight=False)
        notice(*stream.contradictions)
        if hand is None or line is not None:
            return
    if shown is None:
        raise ProtocolError(no_hands(file))


def _tracked(
    files: tuple[Path, ...], game: str | None, aliases: dict[str, str], wanted: "Wanted", most: int
) -> "tuple[Tracker, list[str], list[str]]":
    """Return what `stats` counts, the names of all players in it, and messages about hands that were not read."""
    from limpet.dealer.reports.hand_database import is_database, opened, remarks, tracked
    from limpet.dealer.reports.tracker_statistics import Tracker

    if any(map(is_database, files)):
        if len(files) > 1 or game:
            raise click.UsageError("an index of hands is counted alone, in the games that it was made with")
        with opened(files[0]) as connection:
            return *tracked(connection, wanted, aliases, most), list(remarks(connection))
    tracker, unread = Tracker(wanted), list[str]()
    with reading_logs("reading", list(files)) as look:
        for file in opened_files(files, game, aliases):
            for _, hand in file.hands():
                tracker.add(hand)
                if tracker.hands % 1000 == 0:
                    look(file)
            unread += file.remarks()
    return tracker, tracker.players(), unread


def _on_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _wants_more() -> bool:
    try:
        return input().strip().lower() not in ("q", "quit")
    except EOFError:
        return False


@contextmanager
def _writing(output: Path | None, *sources: Path) -> Iterator[Callable[[str], object]]:
    """Yield a function that writes text to standard output, or to a file that appears only when all of it is there."""
    encoded = getwriter("utf-8")
    if output is None:
        yield encoded(sys.stdout.buffer, "surrogateescape").write
        return
    if output.exists() and any(output.samefile(source) for source in sources):
        raise click.UsageError(f"{output} is a file that is read; write to another one")
    with writing(output, "cannot write it; name a file in a folder that can be written"), whole_file(output) as file:
        yield encoded(file, "surrogateescape").write
