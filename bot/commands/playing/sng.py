"""``limpet sng``: plays sit-and-go tournaments between bots on this machine."""

import sys
from functools import partial
from pathlib import Path

import click

from limpet.bot.commands.options import flag, jobs_option, json_option, option, quiet_option
from limpet.bot.commands.parameters import BOT, CARD_SEED, NEW_FOLDER, PORTS, STRUCTURE, Real, Whole
from limpet.bot.commands.progress import OFTEN, progress
from limpet.bot.commands.terminal import notice, print_json, print_table, stoppable


@click.command(
    epilog="""\b
Examples:
  limpet sng formula chart call --tournaments 1000 --in-process
  limpet sng formula chart call raise random fold --structure double-or-nothing --in-process --duplicate

\b
Each PLAYER is one of
  a bot's config     the name of one that ships, or a YAML file
  exec:COMMAND       a program started for every hand, as 'exec:./startme.sh {game} {host} {port}': the file of the
                     hand's definition, and where to connect; without placeholders HOST and PORT are added
  join:NAME          a program that you start, and that connects for every hand by itself

\b
The folder afterwards (default sng/STRUCTURE-PLAYERS-SEED):
  sng-result.json    places, mean prizes and returns, with intervals
  hands.jsonl        stacks, level and places after each hand, or after the last hand of each tournament
  hands.log          all hands, as an ACPC dealer logs them

\b
Exit status: 0 played to the end; 1 a player failed, or you stopped it; 2 wrong usage or config."""
)
@click.argument("players", nargs=-1, required=True, metavar="PLAYER...", type=BOT)
@option(
    "--structure",
    "Stacks, blind levels and prizes: a structure that ships, or a YAML file.  [default: turbo]",
    STRUCTURE,
    metavar="NAME|FILE",
)
@option("--tournaments", "Tournaments to play.", Whole(1, 10_000_000), default=1)
@option("--seed", "Seed of the cards.  [default: the structure's]", CARD_SEED)
@flag("--duplicate", "Play each tournament in all rotations of the seats, with the same cards.")
@flag("--in-process", "Play the same cards in this process, without dealer and TCP.")
@flag("--log logged", "With --in-process: keep every hand. Over TCP they are kept anyway.")
@flag("--luck", "Add returns with the luck of all-ins taken out. Keeps every hand; takes time.")
@jobs_option("With --in-process: processes that play.")
@option("-p --ports", "Port of each player over TCP, separated by commas; 0 or none: any that is free.", PORTS)
@option("--interface", "Address to listen on; 0.0.0.0 for all.", default="127.0.0.1")
@option("--hand-seconds", "Time of a player for a hand over TCP.", Real(min=0.001), default=7)
@option("--start-seconds", "Time to connect for a hand over TCP.", Real(min=0.001), default=600)
@option("--output", "Folder for everything. Tournaments in it are gone on with.", NEW_FOLDER, metavar="DIR")
@quiet_option
@json_option("Print sng-result.json instead of a table.")
def sng(
    players: tuple[str, ...], structure: str | None, tournaments: int, seed: int | None, duplicate: bool, in_process: bool,
    logged: bool, luck: bool, jobs: int, ports: tuple[int, ...] | None, interface: str, hand_seconds: float,
    start_seconds: float, output: Path | None, quiet: bool, as_json: bool,
) -> None:  # fmt: skip
    """Play sit-and-go tournaments: from equal stacks, under rising blinds, until one player has all chips.

    Each PLAYER, one for each seat, is a bot's config, exec:COMMAND or join:NAME.

    Each hand is an ordinary ACPC match of one hand, dealt on the same port for the same player. The folder's hand.game
    holds its definition while it is dealt. After Ctrl-C the same command goes on where it was.
    """
    from limpet.dealer.contests.sit_and_go import resolve, word_for
    from limpet.dealer.contests.sng_run import run
    from limpet.dealer.matches.faults import MatchFailed
    from limpet.dealer.matches.matchconfig import PlayerLimits
    from limpet.dealer.reports.report_tournament import placed, returns

    if not 2 <= len(players) <= 10:
        raise click.UsageError(f"{len(players)} players; name two to ten")
    if ports is not None and len(ports) != len(players):
        raise click.UsageError(f"{len(ports)} ports for {len(players)} players; name one for each")
    limits = PlayerLimits(start_seconds, hand_seconds, hand_seconds, hand_seconds)
    resolved = resolve(players, structure, tournaments, seed, duplicate, limits)
    named = "-".join([resolved.structure.name, *map(word_for, players)])
    folder = output or Path("sng") / f"{named}-{resolved.seed}"
    opened = None if in_process else ports or (0,) * len(players)
    try:
        with stoppable() as stop, progress(named, "tournaments", quiet, stays=True, every=OFTEN) as report:
            result = run(
                resolved, folder, partial(report, total=tournaments * len(resolved.seatings)),
                logged=logged or luck, adjusts=luck, jobs=jobs, ports=opened, interface=interface, notice=notice,
            )  # fmt: skip
    except MatchFailed as error:
        notice(str(error))
        sys.exit(1)
    stop.exit(f"the same command goes on ({folder})")
    if as_json:
        print_json(result, indent=2)
    else:
        rate = result.tournaments_per_second
        speed = f", {rate:,.{0 if rate >= 10 else 1}f} tournaments/s" if rate else ""
        click.echo(f"{result.structure}: {result.sampled}, seed {result.seed}, {result.how}{speed}")
        for sheet in (returns(result), placed(result)):
            print_table(sheet.headings, [[str(cell) for cell in row] for row in sheet.rows], boxed=False)
        click.echo(f"Hands and sng-result.json: {folder}")
