"""One seating over TCP: a dealer process, a process per player, and whose fault it is if one of them ends early."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from limpet.dealer.matchconfig import External, Match
from limpet.strategies.botconfig import Bot, load_bot

POLL_SECONDS = 0.05
START_MS = 600_000
"""For a player to load and connect: the competition's ten minutes."""
GRACE_SECONDS = 10.0
"""For the others to end after one has: the dealer or the players at the end of a match."""
FAILED_SECONDS = 3.0
"""For a dealer to notice that a player has failed. It never will if the player had not even connected."""
LAST_WORDS = 15  # lines

_DEALER = (sys.executable, "-c", "from limpet.dealer.cli import dealer; dealer()")
_PLAYER = (sys.executable, "-m", "limpet.bot")
# On Linux the kernel ends our processes even if we are killed without a chance to do it ourselves (PR_SET_PDEATHSIG is
# 1). The call has to come from the new process, which then becomes the program.
_GUARD = (
    (sys.executable, "-ES", "-c")
    + ("import ctypes, os, sys; ctypes.CDLL(None).prctl(1, 9); os.execv(sys.argv[1], sys.argv[1:])",)
    if sys.platform == "linux"
    else ()
)


class MatchFailed(RuntimeError):
    """A match that was not played to its end. The message says whose fault it is and how to go on."""


def play_seating(
    match: Match, seating: Sequence[int], name: str, folder: Path, game_file: str, watch: Callable[[], None]
) -> list[dict[str, int]]:
    """Play one seating, or the rest of it if its transaction log is in `folder` already.

    `seating` is the player number at each seat, `name` that of the logs, `game_file` lies in `folder`. `watch` is
    called several times a second. Returns what each player reports about itself, by player number.

    Raises `MatchFailed`. Whatever happens, no process is left behind.
    """
    names = [match.names[player] for player in seating]
    with contextlib.ExitStack() as stack:
        dealer = _start(
            stack, _dealer_command(match, names, name, folder, game_file), folder, folder / f"{name}.dealer"
        )
        ports = _ports(dealer, len(seating), folder / f"{name}.dealer.out", watch)
        if ports is None:
            raise MatchFailed(f"{name}: the dealer did not start; {_last_words(folder / f'{name}.dealer.err')}")
        players: dict[int, subprocess.Popen[bytes]] = {}
        for player, port in zip(seating, ports, strict=True):
            command, home = player_command(match, player, folder / game_file, port)
            players[player] = _start(stack, command, home, folder / f"{name}.{match.names[player]}")
        while dealer.poll() is None and all(process.poll() is None for process in players.values()):
            time.sleep(POLL_SECONDS)
            watch()
        # One process has ended; at the end of a match the others follow at once, and so they do if a player has failed.
        failed = any(process.poll() for process in players.values())
        status = _wait(dealer, FAILED_SECONDS if failed else GRACE_SECONDS)
        watch()
        if status != 0:
            raise MatchFailed(f"{name}: {_blame(match, seating, name, folder, dealer, players)}")
        for process in players.values():
            _wait(process, GRACE_SECONDS)
    return [_report(folder / f"{name}.{player}.out") for player in match.names]


def player_command(match: Match, player: int, game_file: Path, port: int) -> tuple[list[str], Path]:
    """How a player is started, and in which folder."""
    who = match.players[player]
    address = ["127.0.0.1", str(port)]
    if isinstance(who, External):
        return [*who.command, *address], who.folder
    game = [] if _plays_by_itself(who) else ["--game", str(game_file.resolve())]
    return [*_PLAYER, str(who.path.resolve()), *address, "--json", *game], Path.cwd()


def _plays_by_itself(bot: Bot) -> bool:
    """True if the config names the game that is played anyway."""
    return load_bot(bot.path).game == bot.game


def _dealer_command(match: Match, names: Sequence[str], name: str, folder: Path, game_file: str) -> list[str]:
    command = [*_DEALER, name, game_file, str(match.hands), str(match.seed), *names]
    command += ["-q", "-T", "-p", ",".join("0" * len(names)), "--start_timeout", str(START_MS)]
    if match.fixed_button:
        command.append("-f")
    if (folder / f"{name}.tlog").exists():
        command.append("-a")
    return command


def _start(stack: contextlib.ExitStack, command: Sequence[str], home: Path, output: Path) -> "subprocess.Popen[bytes]":
    """Start a process in a group of its own (so that Ctrl-C is ours to handle), output into files, ended by `stack`."""
    with open(f"{output}.out", "wb") as out, open(f"{output}.err", "wb") as err:
        try:
            process = subprocess.Popen(
                [*_GUARD, *command],
                cwd=home,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        except OSError as error:
            raise MatchFailed(f"cannot start {command[0]}: {error.strerror}") from error
    stack.callback(_end, process)
    return process


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End a process and all it has started: asked first, then forced."""
    for name in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, name)
        if _wait(process, 3.0) is not None and name == signal.SIGTERM:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)  # children that outlived it
            return


def _wait(process: "subprocess.Popen[bytes]", seconds: float) -> int | None:
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None


def _ports(dealer: "subprocess.Popen[bytes]", seats: int, output: Path, watch: Callable[[], None]) -> list[int] | None:
    """The dealer's ports, one per seat, from the first line it prints; None if it ends without."""
    while True:
        ended = dealer.poll() is not None
        line, newline, _ = output.read_text(errors="replace").partition("\n")
        if newline:
            ports = line.split()
            if len(ports) == seats and all(port.isdigit() for port in ports):
                return [int(port) for port in ports]
            raise MatchFailed(f"the dealer printed {line!r}, not {seats} ports")
        if ended:
            return None
        time.sleep(POLL_SECONDS)
        watch()


def _blame(
    match: Match,
    seating: Sequence[int],
    name: str,
    folder: Path,
    dealer: "subprocess.Popen[bytes]",
    players: dict[int, "subprocess.Popen[bytes]"],
) -> str:
    """Why the seating did not end well, in words."""
    dealer_file = folder / f"{name}.dealer.err"
    if dealer.returncode is not None and dealer.returncode < 0:
        return f"the dealer was killed by {_signal(-dealer.returncode)}; go on with --resume"
    seat = _seat_at_fault(dealer_file, len(seating))
    ended = [player for player in seating if players[player].poll() is not None]
    failed = [player for player in ended if players[player].returncode != 0]
    if seat is not None:
        player = seating[seat]
    elif failed or ended:
        player = (failed or ended)[0]
    else:
        return f"the dealer ended with status {dealer.returncode}; {_last_words(dealer_file)}"
    who = match.names[player]
    process = players[player]
    if process.poll() is None:
        what = "did not answer"
    elif process.returncode < 0:
        what = f"was killed by {_signal(-process.returncode)}"
    else:
        what = f"ended with status {process.returncode} before the match did"
    words = [_last_words(folder / f"{name}.{who}.err")]
    if dealer.returncode is not None:
        words.append("dealer: " + _last_words(dealer_file))
    return f"player '{who}' {what}; {'; '.join(words)}"


def _seat_at_fault(errors: Path, seats: int) -> int | None:
    """The seat, from 0, that the dealer's errors name (counted from 1 there); None if they name none."""
    for line in reversed(errors.read_text(errors="replace").splitlines()):
        if line.startswith("ERROR"):
            for before, word in zip(line.split(), line.split()[1:], strict=False):
                if before == "seat" and word.strip(".,:;").isdigit() and 1 <= int(word.strip(".,:;")) <= seats:
                    return int(word.strip(".,:;")) - 1
    return None


def _last_words(path: Path) -> str:
    lines = [line for line in _tail(path) if line.strip()]
    if not lines:
        return f"it left no message in {path}"
    return f"its last words in {path}:\n" + "\n".join(f"  {line}" for line in lines[-LAST_WORDS:])


def _tail(path: Path) -> Iterator[str]:
    with contextlib.suppress(OSError), path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 20_000))
        yield from file.read().decode(errors="replace").splitlines()


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _report(output: Path) -> dict[str, int]:
    """The counters of the summary that ``limpet play --json`` prints last; other programs report nothing."""
    for line in reversed(list(_tail(output))):
        with contextlib.suppress(ValueError, TypeError, AttributeError):
            summary = json.loads(line)
            counters = {**summary, **summary.pop("strategy", {})}
            return {
                name: value
                for name, value in counters.items()
                if isinstance(value, int) and name not in ("hands", "lost")
            }
    return {}
