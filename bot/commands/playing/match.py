"""``limpet match``: plays bots against each other on this machine."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click
import msgspec

from limpet.bot.commands.options import choice, flag, game_option, given, json_option, option
from limpet.bot.commands.parameters import BOT, CARD_SEED, HANDS, MATCH, NEW_FOLDER, PROCESSES, THREADS
from limpet.bot.commands.terminal import notice, print_json, stoppable
from limpet.configs.loading import find_config

if TYPE_CHECKING:
    from limpet.dealer.matches.match_result import MatchResult
    from limpet.dealer.matches.matchconfig import Match


@click.command(
    epilog="""\b
Examples:
  limpet match blueprint call --hands 3000 --duplicate
  limpet match formula call --hands 10000 --duplicate --jobs 2
  limpet match kuhn kuhn --hands 20000 --in-process --fixed-button
  limpet match blueprint call --hands 1000000 --duplicate --compiled
  limpet match my/bot.yaml exec:./startme.sh --game holdem.nolimit.2p.reverse_blinds
  limpet match --match-config three-players
  limpet match formula call call raise random random --game holdem.nolimit.6p --duplicate --seatings neighbours

\b
The folder afterwards (default matches/NAME-SEED):
  result.json        who won how much, with intervals
  seating-1.log      the hands of each seating, as the dealer logs them
  seating-1.*.err    what the dealer and each player said

\b
Exit status: 0 played to its end; 1 a player or the dealer failed, or you stopped it; 2 wrong usage or config."""
)
@click.argument("players", nargs=-1, metavar="PLAYER...", type=BOT)
@option("--hands", "Hands per seating.  [default: 3000]", HANDS)
@option("--seed", "Seed of the cards.  [default: 1]", CARD_SEED)
@option(
    "--duplicate/--no-duplicate",
    "Play the same cards in both seatings (all six orders of three players, each rotation of more).",
    default=None,
)
@choice(
    "--seatings",
    "With --duplicate, of N players: the N rotations; N*(N-1) seatings in which everybody also sits directly behind "
    "everybody else equally often; or all N! orders.",
    ("rotations", "neighbours", "all"),
)
@game_option("the first bot's")
@option("--fixed-button/--rotating-button", "Seats keep their positions.", default=None)
@option(
    "--restart/--no-restart",
    "Bots begin every seating anew, as the ACPC has it. Over TCP they do in any case.",
    default=None,
)
@option(
    "--jobs",
    "Seatings at a time, over TCP: with duplicate cards, N on N cores take an N-th of the time. Bots that solve at the table "
    "share the cores, and against a clock solve less far.",
    PROCESSES,
    default=1,
)
@flag("--in-process", "Play the same cards in this process, without dealer and TCP.")
@flag(
    "--compiled",
    "Play the same hands in compiled code; for strategy files, call, fold, raise. Hundreds of thousands a second with "
    "card tables, which --hands 100000 and more build first, once: a minute of one core; 400000 and two minutes for "
    "clustered buckets. Some 1,300 in hold'em without.",
)
@option("--log/--no-log logged", "With --compiled: write the logs.  [default: up to 100,000]", default=None)
@option("--threads", "With --compiled.  [default: all cores]", THREADS)
@option("--output", "Folder for the logs.", NEW_FOLDER, metavar="DIR")
@flag("--resume", "Continue the match that the folder holds.")
@option("--match-config", "Take the match from a config; options given here come first.", MATCH, metavar="FILE")
@json_option("Print result.json instead of a table.")
def match(
    players: tuple[str, ...], jobs: int, in_process: bool, compiled: bool, logged: bool | None, threads: int | None,
    output: Path | None, resume: bool, match_config: str | None, as_json: bool, **settings: Any,
) -> None:  # fmt: skip
    """Play bots against each other.

    Each PLAYER is a bot's config (the name of one that ships, or a YAML file) or exec:PROGRAM, a program that is started
    with HOST PORT. A dealer and a process for each player are started, and play over TCP on this machine.
    """
    if compiled and (in_process or resume):
        other = "--in-process" if in_process else "--resume: it takes seconds, so play it again in another folder"
        raise click.UsageError(f"--compiled does not go with {other}")
    if not compiled and (logged is not None or threads is not None):
        raise click.UsageError("--log and --threads are for --compiled")
    if jobs > 1 and (in_process or compiled):
        raise click.UsageError("--jobs is for matches over TCP")
    folder = None
    with stoppable() as stop:  # from here on: what a match is played with takes a while to load
        resolved = _resolve(players, match_config, given(settings))
        folder = output or Path("matches") / f"{resolved.config.name}-{resolved.config.seed}"
        if compiled:
            result = _compiled(resolved, folder, logged, threads)
        else:
            result = _played(resolved, folder, "in-process" if in_process else "tcp", resume, jobs)
    if folder is None or not folder.exists():
        stop.exit("nothing was played")
    again = "play it again in another folder" if compiled else "the same command with --resume goes on"
    stop.exit(f"{again} ({folder})")
    if as_json:
        print_json(result, indent=2)
    else:
        from limpet.bot.commands.playing.match_view import result_table

        result_table(result, folder)


def _played(match: "Match", folder: Path, way: Literal["tcp", "in-process"], resume: bool, jobs: int) -> "MatchResult":
    """Play by a dealer or in this process. A player or dealer that fails ends the command."""
    from limpet.bot.commands.playing.match_view import watching
    from limpet.dealer.matches.faults import MatchFailed
    from limpet.dealer.matches.match import run_match

    try:
        with watching(match) as watch:
            return run_match(match, folder, way, resume, watch, one_core=True, jobs=jobs)
    except MatchFailed as error:
        notice(str(error))
        sys.exit(1)


def _compiled(match: "Match", folder: Path, logged: bool | None, threads: int | None) -> "MatchResult":
    """Play in compiled code, with a bar while card tables are read or built and another while hands are played."""
    from limpet.bot.commands.playing.match_view import watching
    from limpet.bot.commands.progress import progress
    from limpet.dealer.matches.compiled_match import CompiledMatch

    with progress("card tables", "s of work") as building:
        prepared = CompiledMatch(match, folder, threads or os.cpu_count() or 1, building)
    if least := prepared.engine.builds_from:
        notice(
            "no card tables: buckets are worked out as they come, some 1,300 hands/s; "
            f"from {least:,} hands on they are built first"
        )
    with watching(match) as watch:
        return prepared.play(watch, logged)


def _resolve(players: Sequence[str], match_config: str | None, settings: Mapping[str, object]) -> "Match":
    from limpet.dealer.matches.matchconfig import MatchConfig, load_match, player_name, resolve

    if match_config is not None:
        if players:
            raise click.UsageError("the players stand in the --match-config; name them there or here, not both")
        return load_match(find_config("matches", match_config), settings)
    if len(players) < 2:
        raise click.UsageError("name two players or more, or a --match-config")
    name = "-".join(player_name(player) for player in players)
    return resolve(msgspec.structs.replace(MatchConfig(name, list(players)), **settings), Path("."))
