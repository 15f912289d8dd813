"""A seating over TCP: a process for the dealer and for each player, and the fault if one of them ends early."""

import contextlib
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from limpet.common.folders import replace_file
from limpet.dealer.matches.faults import FAULT_FILE, Fault, FaultFinder, GuardedProcess, MatchFailed, tail
from limpet.dealer.matches.matchconfig import DEALER, GAME_FILE, External, Match, PlayerLimits
from limpet.dealer.table.files import json_text
from limpet.strategies.base.botconfig import load_bot

POLL_SECONDS = 0.05
GRACE_SECONDS = 10.0
"""Seconds that the dealer and the players have to end, once one of them has ended."""
FAILED_SECONDS = 3.0
"""Seconds that the dealer has to notice a player's failure. It never will if the player had not even connected."""

_DEALER = (sys.executable, "-c", "from limpet.bot.commands.playing.dealer import dealer; dealer()")
_PLAYER = (sys.executable, "-m", "limpet.bot")


def play_seating(
    match: Match, seating: Sequence[int], name: str, folder: Path, watch: Callable[[], None]
) -> list[dict[str, int]]:
    """Play one seating, or the rest of it if its transaction log is in `folder` already.

    `seating` is the player number at each seat, and `name` the name of its files. `watch` is called several times a
    second. Returns the counters that each player reports, by player number.

    Raises `MatchFailed`, with the fault in ``fault.json`` too. No process is left behind in any case.
    """
    (folder / FAULT_FILE).unlink(missing_ok=True)
    names = [match.names[player] for player in seating]
    with contextlib.ExitStack() as stack:
        dealer = _start(stack, _dealer_command(match, names, name, folder), folder, folder / f"{name}.{DEALER}")
        players: dict[int, GuardedProcess] = {}
        faults = FaultFinder(match, seating, name, folder, dealer, players)
        ports = _ports(dealer, len(seating), watch)
        if ports is None:
            raise _failed(faults.verdict(), folder)
        for player, port in zip(seating, ports, strict=True):
            command, home = player_command(match, player, folder / GAME_FILE, port)
            output = folder / f"{name}.{match.names[player]}"
            players[player] = _start(stack, command, home, output, match.config.limits)
        while dealer.returncode is None and not any(process.failed or process.gone for process in players.values()):
            time.sleep(POLL_SECONDS)
            watch()
            if (flood := faults.flood()) is not None:
                raise _failed(flood, folder)
        # One process has ended; at the end of a match the others follow at once, and so they do if a player has failed.
        failed = any(process.failed for process in players.values())
        status = dealer.wait(FAILED_SECONDS if failed else GRACE_SECONDS)
        watch()
        if status != 0:
            raise _failed(faults.verdict(), folder)
        for process in players.values():
            process.wait(GRACE_SECONDS)
        return [_report(players[player].out) for player in range(len(match.players))]


def _failed(fault: Fault, folder: Path) -> MatchFailed:
    note = ""
    try:
        replace_file(folder / FAULT_FILE, json_text(fault))
    except OSError as error:  # a full disk, which may be why the seating ended
        note = f"\n{folder / FAULT_FILE} could not be written: {error.strerror}"
    return MatchFailed(f"{fault}{note}", fault)


def player_command(match: Match, player: int, game_file: Path, port: int) -> tuple[list[str], Path]:
    """Return the command that starts a player, and the folder to start it in."""
    who = match.players[player]
    address = ["127.0.0.1", str(port)]
    if isinstance(who, External):
        return [*who.command, *address], who.folder
    on_file = load_bot(who.path)
    options = [] if on_file.game == who.game else ["--game", str(game_file.resolve())]
    if on_file.config.seed != who.config.seed:
        options += ["--seed", str(who.config.seed)]
    return [*_PLAYER, str(who.path.resolve()), *address, "--json", *options], Path.cwd()


def _dealer_command(match: Match, names: Sequence[str], name: str, folder: Path) -> list[str]:
    config = match.config
    command = [*_DEALER, name, GAME_FILE, str(config.hands), str(config.seed), *names]
    command += ["-q", "-T", "-p", ",".join("0" * len(names)), *config.limits.dealer_options()]
    if config.fixed_button:
        command.append("-f")
    if (folder / f"{name}.tlog").exists():
        command.append("-a")
    return command


def _start(
    stack: contextlib.ExitStack, command: Sequence[str], home: Path, output: Path, limits: PlayerLimits | None = None
) -> GuardedProcess:
    try:
        process = GuardedProcess(command, home, output, limits)
    except OSError as error:
        raise MatchFailed(f"cannot start {command[0]}: {error.strerror}") from error
    stack.callback(process.end)
    return process


def _ports(dealer: GuardedProcess, seats: int, watch: Callable[[], None]) -> list[int] | None:
    """Return the dealer's ports, one per seat, from the first line that it prints; None if it ends without one."""
    while True:
        ended = dealer.returncode is not None
        line, newline, _ = dealer.out.read_text(errors="replace").partition("\n")
        if newline:
            ports = line.split()
            if len(ports) == seats and all(port.isdigit() for port in ports):
                return [int(port) for port in ports]
            raise MatchFailed(f"the dealer printed {line!r}, not {seats} ports")
        if ended:
            return None
        time.sleep(POLL_SECONDS)
        watch()


def _report(output: Path) -> dict[str, int]:
    """Return the counters of the summary that ``limpet play --json`` prints last, none for other programs."""
    for line in reversed(tail(output)):
        with contextlib.suppress(ValueError, TypeError, AttributeError):
            summary = json.loads(line)
            counters = {**summary, **summary.pop("strategy", {})}
            return {
                name: value
                for name, value in counters.items()
                if isinstance(value, int) and name not in ("hands", "lost")
            }
    return {}
