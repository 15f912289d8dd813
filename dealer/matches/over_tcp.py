"""Seatings over TCP: a dealer and every player in a process of its own, and several seatings at a time where asked for."""

import json
import sys
import time
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path

from limpet.dealer.matches.faults import FAULT_FILE, Fault, FaultFinder, GuardedProcess, MatchFailed, tail
from limpet.dealer.matches.match_result import SeatingLog, Watch
from limpet.dealer.matches.matchconfig import DEALER, GAME_FILE, External, Match, PlayerLimits
from limpet.dealer.table.files import write_json
from limpet.strategies.base.botconfig import Bot, load_bot

POLL_SECONDS = 0.05
GRACE_SECONDS = 10.0
"""Seconds that the dealer and the players have to end, once one of them has ended."""
FAILED_SECONDS = 3.0
"""Seconds that the dealer has to notice a player's failure. It never will if the player had not even connected."""

_DEALER = (sys.executable, "-c", "from limpet.bot.commands.playing.dealer import dealer; dealer()")
_PLAYER = (sys.executable, "-m", "limpet.bot")
HOST = "127.0.0.1"
ASKED = "-"
"""What `limpet play` takes for an address that it reads from standard input, once its strategy is loaded and compiled."""

Counted = list[dict[str, int]]
"""The counters that each player reports, by player number."""


def play_seatings(
    match: Match, folder: Path, logs: Sequence[SeatingLog], jobs: int, one_core: bool, watch: Watch
) -> Generator[tuple[SeatingLog, Counted], None, None]:
    """Play the seatings whose `logs` are not finished, or the rest of them, `jobs` at a time and in their order.

    Yields the log of each that has ended. With `one_core` the dealer and the bots' quick decisions of a seating share a
    core: only one of them works at a time, and to wake another core takes as long as to decide.

    Where one fails the others are ended, but for those whose log is whole: their players are waited for, because no later run
    plays them again and would count for them.

    Raises `MatchFailed`, with the fault in ``fault.json`` too. No process is left behind in any case.
    """
    (folder / FAULT_FILE).unlink(missing_ok=True)
    waiting = [number for number, log in enumerate(logs) if not log.finished]
    begun = max((number + 1 for number, log in enumerate(logs) if log.played), default=0)
    failed: MatchFailed | None = None
    playing: dict[int, Generator[None, None, Counted]] = {}
    taken = Counter[int]() if one_core else None
    with ExitStack() as stack:
        while waiting or playing:
            while waiting and len(playing) < jobs:
                number = waiting.pop(0)
                begun = max(begun, number + 1)
                seating = play_seating(match, match.seatings[number], logs[number].path.stem, folder, taken)
                playing[number] = stack.enter_context(closing(seating))
            for number, seating in list(playing.items()):
                counted = None
                try:
                    next(seating)
                except StopIteration as stop:
                    counted = stop.value
                    del playing[number]
                except MatchFailed as error:
                    failed = failed or error
                    del playing[number]
                logs[number].update()
                watch(logs[:begun])
                if counted is not None:
                    yield logs[number], counted
            if failed is not None:
                waiting.clear()
                for number in [number for number in playing if not logs[number].finished]:
                    playing.pop(number).close()
            if playing:
                time.sleep(POLL_SECONDS)
    if failed is not None:
        raise failed


def play_seating(
    match: Match, seating: Sequence[int], name: str, folder: Path, taken: Counter[int] | None = None
) -> Generator[None, None, Counted]:
    """Play one seating, or the rest of it if its transaction log is in `folder` already, and stop wherever it has to wait.

    `seating` is the player number at each seat, and `name` the name of its files. With `taken`, how many of the
    seatings that are being played keep to each core, the seating keeps to one with the fewest.

    Raises `MatchFailed`, with the fault in ``fault.json`` too. No process is left behind in any case.
    """

    def start(player: int, port: int | None) -> GuardedProcess:
        command, home = player_command(match, player, folder / GAME_FILE, port)
        output = folder / f"{name}.{match.names[player]}"
        return _start(stack, command, home, output, match.config.limits, asks=port is None)

    with ExitStack() as stack:
        dealer = _start(stack, _dealer_command(match, seating, name, folder), folder, folder / f"{name}.{DEALER}")
        # Bots load and compile while the dealer starts; programs of others take the port as an argument.
        early = {player: start(player, None) for player in seating if isinstance(match.players[player], Bot)}
        players: dict[int, GuardedProcess] = {}
        faults = FaultFinder(match, seating, name, folder, dealer, players)
        ports = yield from _ports(dealer, len(seating))
        if ports is None:
            raise _failed(faults.verdict(), folder)
        core = None
        if taken is not None and (core := dealer.keep_on_a_core(taken)) is not None:
            taken[core] += 1
            stack.callback(taken.subtract, [core])
        for player, port in zip(seating, ports, strict=True):
            players[player] = early.get(player) or start(player, port)
            if player in early:
                players[player].tell(f"{HOST} {port}" if core is None else f"{HOST} {port} {core}")
        while dealer.returncode is None and not any(process.failed or process.gone for process in players.values()):
            yield
            if (flood := faults.flood()) is not None:
                raise _failed(flood, folder)
        # One process has ended; at the end of a match the others follow at once, and so they do if a player has failed.
        failed = any(process.failed for process in players.values())
        yield from _ends(dealer, FAILED_SECONDS if failed else GRACE_SECONDS)
        if dealer.returncode != 0:
            raise _failed(faults.verdict(), folder)
        for process in players.values():
            yield from _ends(process, GRACE_SECONDS)
        return [_report(players[player].out) for player in range(len(match.players))]


def _ends(process: GuardedProcess, seconds: float) -> Generator[None, None, None]:
    """Wait until a process has ended, for so many seconds at most."""
    latest = time.monotonic() + seconds
    while process.returncode is None and time.monotonic() < latest:
        yield


def _failed(fault: Fault, folder: Path) -> MatchFailed:
    note = ""
    try:
        write_json(folder / FAULT_FILE, fault)
    except OSError as error:  # a full disk, which may be why the seating ended
        note = f"\n{folder / FAULT_FILE} could not be written: {error.strerror}"
    return MatchFailed(f"{fault}{note}", fault)


def player_command(match: Match, player: int, game_file: Path, port: int | None) -> tuple[list[str], Path]:
    """Return the command that starts a player, and the folder to start it in. Without a port a bot asks for its address."""
    who = match.players[player]
    address = [ASKED] if port is None else [HOST, str(port)]
    if isinstance(who, External):
        return [*who.command, *address], who.folder
    on_file = load_bot(who.path)
    options = [] if on_file.game == who.game else ["--game", str(game_file.resolve())]
    if on_file.config.seed != who.config.seed:
        options += ["--seed", str(who.config.seed)]
    return [*_PLAYER, str(who.path.resolve()), *address, "--json", *options], Path.cwd()


def _dealer_command(match: Match, seating: Sequence[int], name: str, folder: Path) -> list[str]:
    config, names = match.config, [match.names[player] for player in seating]
    command = [*_DEALER, name, GAME_FILE, str(config.hands), str(config.seed), *names]
    command += ["-q", "-T", "-p", ",".join("0" * len(names)), *config.limits.dealer_options()]
    command += ["-f"] if config.fixed_button else []
    return command + (["-a"] if (folder / f"{name}.tlog").exists() else [])


def _start(
    stack: ExitStack,
    command: Sequence[str],
    home: Path,
    output: Path,
    limits: PlayerLimits | None = None,
    asks: bool = False,
) -> GuardedProcess:
    try:
        process = GuardedProcess(command, home, output, limits, asks)
    except OSError as error:
        raise MatchFailed(f"cannot start {command[0]}: {error.strerror}") from error
    stack.callback(process.end)
    return process


def _ports(dealer: GuardedProcess, seats: int) -> Generator[None, None, list[int] | None]:
    """Wait for the dealer's ports, one per seat, in the first line that it prints; None if it ends without one."""
    ended = False
    while not ended:
        ended = dealer.returncode is not None
        line, newline, _ = dealer.out.read_text(errors="replace").partition("\n")
        if newline:
            ports = line.split()
            if len(ports) == seats and all(port.isdigit() for port in ports):
                return [int(port) for port in ports]
            raise MatchFailed(f"the dealer printed {line!r}, not {seats} ports")
        yield
    return None


def _report(output: Path) -> dict[str, int]:
    """Return the counters of the summary that ``limpet play --json`` prints last, none for other programs."""
    for line in reversed(tail(output)):
        with suppress(ValueError, TypeError, AttributeError):
            summary = json.loads(line)
            counters = {**summary, **summary.pop("strategy", {})}.items()
            return {name: n for name, n in counters if isinstance(n, int) and name not in ("hands", "lost")}
    return {}
