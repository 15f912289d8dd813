"""``limpet hands index`` and ``limpet hands find``: an index of many hands in SQLite, and the hands it finds."""

import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from limpet.bot.commands.options import alias_option, choice, flag, game_option, json_option, option, option_group
from limpet.bot.commands.parameters import NEW_FILE, OLD_FILE, SPAN, Real, Whole, read_game
from limpet.bot.commands.progress import reading_logs
from limpet.bot.commands.terminal import INTERRUPTED, notice, print_document, print_json, standard_output
from limpet.common.workers import interruptible
from limpet.dealer.reports.tracker_chances import POSITIONS
from limpet.protocol.archives.hand_file import HandFile
from limpet.protocol.archives.hands import open_hands
from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import MAX_PLAYERS
from limpet.protocol.handhistory import STREET_NAMES

if TYPE_CHECKING:
    from limpet.dealer.reports.hand_database import FoundHand

DAY = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S"])

file_argument = click.argument("file", type=OLD_FILE)
files_argument = click.argument("files", type=OLD_FILE, nargs=-1, required=True, metavar="FILE...")
reading_options = option_group(game_option("the one that the file tells"), alias_option)
player_options = option_group(
    option(
        "--player players",
        "A player; the NAME may hold * and ?. Several times.  [default: all]",
        multiple=True,
        metavar="NAME",
    ),
    choice("--position positions", "Hands in this position. Several times.", POSITIONS, multiple=True),
    option(
        "--seats", "Hands of this number of players. Several times.", Whole(2, MAX_PLAYERS), multiple=True, metavar="N"
    ),
    option("--depth", "Hands of this depth, in big blinds that can be lost.", SPAN, default="0-", metavar="BB-BB"),
)


def why_nobody(players: Sequence[str], positions: Sequence[str]) -> str:
    """Return what may be wrong with wishes that no hand meets; empty where they name neither players nor positions."""
    of_names = "capitals and small letters of names count" if players else ""
    of_seats = "with two players the button is SB" if "BTN" in positions else ""
    hints = "; ".join(filter(None, (of_names, of_seats)))
    return f"nobody fits: {hints}; limpet hands stats FILE lists who plays" if hints else ""


def opened_files(paths: Sequence[Path], game: str | None, aliases: dict[str, str]) -> list[HandFile]:
    """Return files of hands that skip what cannot be read and check payoffs. `game` is what the user named."""
    named = read_game(game) if game else None
    files = [open_hands(path, named, True, aliases=aliases) for path in paths]
    for file in files:
        file.check_payoffs = True
    return files


@click.command(
    epilog="""\b
Examples:
  limpet hands index archive/*.txt --to hands.sqlite
  limpet hands stats hands.sqlite --player Alice
  limpet hands find hands.sqlite --player Alice --min-pot 100

\b
Exit status: 0 every file is in the index; 130 stopped by Ctrl-C, and the same command goes on; 2 a file cannot be read."""
)
@files_argument
@option("--to target", "The index, an SQLite file; made if it is missing.", NEW_FILE, required=True, metavar="FILE")
@reading_options
@json_option()
def index(files: tuple[Path, ...], target: Path, game: str | None, aliases: dict[str, str], as_json: bool) -> None:
    """Keep an index of many hands, from which `stats` and `find` answer in seconds.

    The hands stay in their files. A FILE that is in the index and has the size and the time of then is left alone; one that has
    changed is read again. Ctrl-C keeps what is read.
    """
    from limpet.dealer.reports.hand_database import opened
    from limpet.dealer.reports.hand_index import Indexer

    if target in files:
        raise click.UsageError(f"{target} is a file that is read; write the index to another one")
    how = " ".join([f"game={game or ''}", *(f"{old}={new}" for old, new in sorted(aliases.items()))])
    hands = skipped = new = 0
    bad: list[str] = []
    with (
        opened(target, writing=True) as connection,
        interruptible() as stop,
        reading_logs("indexing", list(files)) as look,
    ):
        indexer = Indexer(connection, how)
        for path in files:
            try:
                (file,) = opened_files([path], game, aliases)

                def watch(file: Any = file) -> bool:
                    look(file)
                    return stop()

                done = indexer.add(file, watch)
            except ProtocolError as error:
                bad.append(str(error))
                continue
            if not done.is_new:
                file.bytes_read = path.stat().st_size
                look(file)
            notice(*(file.remarks() if done.is_new else ()))
            hands, skipped, new = hands + done.hands, skipped + done.skipped, new + done.is_new
            if stop():
                notice(f"{hands:,} hands are in {target}; the same command goes on")
                sys.exit(INTERRUPTED)
    if as_json:
        print_json({"files": len(files) - len(bad), "read": new, "hands": hands, "skipped": skipped, "unreadable": bad})
    else:
        old = len(files) - len(bad) - new
        left = f", {old:,} files as they were" if old else ""
        click.echo(f"{hands:,} hands of {len(files) - len(bad):,} files, {skipped:,} skipped{left}: {target}")
    if bad:
        notice(*bad[:-1])
        raise ProtocolError(bad[-1])


@click.command(
    epilog="""\b
Examples:
  limpet hands find hands.sqlite --player Alice --position BTN --min-pot 100
  limpet hands find hands.sqlite --largest --most 5 --json
  limpet hands find hands.sqlite --player 'Al*' --street river --lost --since 2026-01-01

\b
Exit status: 0 hands were found; 1 none was; 2 the index cannot be read, and one line says why."""
)
@click.argument("index", type=OLD_FILE)
@player_options
@option("--min-pot least", "Smallest pot, in big blinds.", Real(min=0), metavar="BB")
@option("--max-pot most_pot", "Largest pot, in big blinds.", Real(min=0), metavar="BB")
@option("--street", "Dealt at least to this street: flop, or a number from 1.", metavar="STREET")
@option("--showdown/--no-showdown", "Hands that came to a showdown, or did not.", default=None)
@option("--won/--lost won", "Hands in which the player won chips, or lost some.", default=None)
@option("--since", "Played on this day or later.", DAY, metavar="DATE")
@option("--before", "Played before this day.", DAY, metavar="DATE")
@flag("--largest", "Those with the largest pots first.")
@option("--most", "How many hands are listed.", Whole(1, 1_000_000), default=20, metavar="N")
@json_option()
def find(
    index: Path, least: float | None, most_pot: float | None, street: str | None, showdown: bool | None, won: bool | None,
    since: datetime | None, before: datetime | None, largest: bool, most: int, as_json: bool, **wishes: Any,
) -> None:  # fmt: skip
    """List hands of an index that meet all wishes, with file and line.

    Wishes about a player are of the same player, who is listed. `limpet hands replay FILE --line LINE` shows a hand.
    """
    from limpet.dealer.reports.hand_database import HandSearch, found, opened
    from limpet.dealer.reports.tracker_statistics import Wanted

    wanted = Wanted(**wishes)
    search = HandSearch(wanted, least, most_pot, _street(street), showdown, won, _seconds(since), _seconds(before))
    with opened(index) as connection:
        hands = list(found(connection, search, most + 1, largest))
    shown = hands[:most]
    if as_json:
        players = ([player._asdict() for player in hand.players] for hand in shown)
        print_json([hand._asdict() | {"players": each} for hand, each in zip(shown, players, strict=True)], indent=2)
    elif shown:
        print_document(standard_output(), _listed(shown))
    notice(f"more than {most:,} hands; --most lists more" if len(hands) > most else f"{len(hands):,} hands")
    if not hands and (why := why_nobody(wanted.players, wanted.positions)):
        notice(why)
    sys.exit(0 if hands else 1)


def _listed(hands: "list[FoundHand]") -> Iterator[Any]:
    from limpet.dealer.reports.report_document import Sheet

    rows = []
    for hand in hands:
        one = next((player for player in hand.players if player.name == hand.player), None)
        who = f"{one.name} {one.position}" if one else ", ".join(player.name for player in hand.players)
        net = f"{one.net / hand.big_blind:+.1f}" if one else ""
        pot = f"{hand.pot / hand.big_blind:.1f}"
        rows.append((f"{hand.file}:{hand.line}", str(hand.number), hand.time or "", who, net, pot, hand.street))
    yield Sheet(("file and line", "hand", "time (UTC)", "player", "net bb", "pot bb", "street"), tuple(rows))


def _street(text: str | None) -> int | None:
    if text is None:
        return None
    if text.lower() in STREET_NAMES:
        return STREET_NAMES.index(text.lower())
    if text.isdecimal() and 1 <= int(text) <= len(STREET_NAMES):
        return int(text) - 1
    raise click.UsageError(f"--street {text}: write {', '.join(STREET_NAMES)} or a number from 1")


def _seconds(day: datetime | None) -> float | None:
    return None if day is None else day.replace(tzinfo=UTC).timestamp()
