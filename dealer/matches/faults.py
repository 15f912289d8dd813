"""A program of a match as a guarded process, and the fault for which a seating ended: whose it is, and its last words."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from uuid import uuid4

import msgspec

from limpet.common.workers import stay_on, usable_cores
from limpet.dealer.matches.matchconfig import Match, PlayerLimits
from limpet.dealer.table.score import seat_of
from limpet.dealer.table.table import BAD_LINES, END_COMMENT
from limpet.protocol.errors import ProtocolError
from limpet.protocol.matchlog import read_transactions
from limpet.protocol.state import State

# --- A program of a match: a process group with limits, output in files, and an end that includes its children.

ASKED_SECONDS = 3.0
"""Seconds between asking a process to end and killing it."""
TAIL_BYTES = 20_000
"""Number of bytes that `tail` reads at most."""

_MARK = "LIMPET_PROCESS"
"""Environment variable that children inherit, by which those are found that have left the group."""

# The new process sets its limits, and asks the kernel to kill it when its parent dies (PR_SET_PDEATHSIG is 1; only Linux
# has it), before it becomes the program. A parent that has died before that is noticed by its number.
_GUARD = """
import os, sys
def limit(name, soft, more):
    import resource
    most = resource.getrlimit(getattr(resource, name))[1]
    allowed = [n if most == resource.RLIM_INFINITY else min(n, most) for n in (soft, soft + more)]
    resource.setrlimit(getattr(resource, name), tuple(allowed))
parent, cpu, memory = map(int, sys.argv[1:4])
program = sys.argv[4]
if sys.platform == "linux":
    import ctypes
    ctypes.CDLL(None).prctl(1, 9)
    if os.getppid() != parent:
        sys.exit("the match was killed")
if cpu:
    limit("RLIMIT_CPU", cpu, 5)
if memory:
    limit("RLIMIT_AS", memory, 0)
try:
    os.execv(program, sys.argv[4:])
except OSError as error:
    sys.exit(f"cannot start {program}: {error.strerror}")
"""


class GuardedProcess:
    """A running program. Standard output and error go to ``OUTPUT.out`` and ``OUTPUT.err``; older files are kept."""

    def __init__(
        self, command: Sequence[str], home: Path, output: Path, limits: PlayerLimits | None = None, asks: bool = False
    ) -> None:
        """Start `command` in the folder `home`, with limits of processor time and memory where given. Raises `OSError`.

        asks: the program reads a line of standard input, which `tell` writes; otherwise it finds nothing there.
        """
        self.out, self.err = output.with_name(f"{output.name}.out"), output.with_name(f"{output.name}.err")
        self._mark = f"{_MARK}={uuid4().hex}"
        cpu = limits.cpu_seconds or 0 if limits else 0
        memory = (limits.memory_mb or 0) * 10**6 if limits else 0
        guard = (sys.executable, "-ES", "-c", _GUARD, str(os.getpid()), str(cpu), str(memory))
        for path in (self.out, self.err):
            _keep(path)
        with self.out.open("wb") as out, self.err.open("wb") as err:
            self._process = subprocess.Popen(
                [*guard, *command],
                cwd=home,
                env={**os.environ, _MARK: self._mark.partition("=")[2]},
                stdin=subprocess.PIPE if asks else subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,  # so that Ctrl-C reaches the parent only
            )

    def keep_on_a_core(self, taken: Counter[int]) -> int | None:
        """Keep the program's first thread on one core, and return the core; None where none can be kept.

        taken: how many keep to each core already. One with the fewest is chosen, if possible the one that the thread was last on.
        """
        with contextlib.suppress(OSError):  # another system than Linux
            behind_name = Path(f"/proc/{self._process.pid}/stat").read_bytes().rpartition(b")")[2].split()
            last = int(behind_name[36])  # field 39 of proc_pid_stat(5)
            core = min(usable_cores() or {last}, key=lambda each: (taken[each], each != last))
            stay_on({core}, self._process.pid)
            return core
        return None

    def tell(self, line: str) -> None:
        """Write the line that the program asks for, unless the program has ended."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError), self._process.stdin as asking:
            asking.write(f"{line}\n".encode())

    @property
    def returncode(self) -> int | None:
        """Exit status of the program itself, negative for a signal; None while it runs."""
        return self._process.poll()

    @property
    def failed(self) -> bool:
        return self.returncode not in (None, 0)

    @property
    def gone(self) -> bool:
        """True once its group is empty: a start script may end while a program that it has started plays on."""
        if self.returncode is None:
            return False
        try:
            os.killpg(self._process.pid, 0)
        except OSError as error:
            return isinstance(error, ProcessLookupError)
        return False

    def written(self) -> int:
        """Return the bytes of the longer of its two outputs."""
        return max(self.out.stat().st_size, self.err.stat().st_size)

    def wait(self, seconds: float) -> int | None:
        """Return the exit status, None if the program still runs after so many seconds."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def end(self) -> None:
        """End the program and all that it has started: ask first, then kill."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._signal(signal.SIGTERM)
        self.wait(ASKED_SECONDS)
        self._signal(signal.SIGKILL)  # the program, or children that outlived it
        self.wait(ASKED_SECONDS)
        for _ in range(5):  # a process that was being forked is found in the next round
            strays = list(_marked(self._mark))
            if not strays:
                break
            for stray in strays:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(stray, signal.SIGKILL)
            time.sleep(0.01)

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)


def _marked(mark: str) -> Iterator[int]:
    """Yield the processes with `mark` in their environment; none where there is no /proc."""
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark.encode() in (process / "environ").read_bytes().split(b"\0"):
                state = (process / "stat").read_bytes().rpartition(b")")[2].split()[:1]
                if state != [b"Z"]:  # a zombie has ended
                    yield int(process.name)


def _keep(path: Path) -> None:
    """Give the output of an earlier run a number: ``NAME.err`` becomes ``NAME.err.1``."""
    if path.exists() and path.stat().st_size:
        number = 1
        while (older := path.with_name(f"{path.name}.{number}")).exists():
            number += 1
        path.rename(older)


def tail(path: Path) -> list[str]:
    """Return the lines in the last `TAIL_BYTES` of a file, none if it cannot be read."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - TAIL_BYTES))
            return file.read().decode(errors="replace").splitlines()
    except OSError:
        return []


def signal_name(number: int) -> str:
    """Return the name of a signal, as ``SIGTERM``."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def how_ended(status: int) -> str:
    """Return how a process of an exit status ended, which is negative for a signal."""
    return f"was killed by {signal_name(-status)}" if status < 0 else f"ended with status {status}"


LAST_WORDS = 15
"""Number of lines shown of a process's standard error."""
LEAVE_SECONDS = 3.0
"""Seconds that a player that has hung up has to end, so that its exit status is known."""
FLOOD_LINES = 200
"""Number of lines without an answer, from one player in the match's last hand, that count as a flood."""
FAULT_FILE = "fault.json"

What = Literal["died", "stalled", "flooded", "protocol", "dealer"]


class Fault(msgspec.Struct, frozen=True):
    """``fault.json``: why a seating ended early.

    Attributes:
        player, seat: name of the player at fault and its seat, counted from 1 as the dealer does; None if none is.
        status, signal: exit status of the process at fault, or the name of the signal that killed it.
        hands: number of hands of this seating that were finished.
        last_words, output: last lines of standard error of the process at fault, and the file that holds them.
        dealer_words: last lines of the dealer's standard error, where a player is at fault.
    """

    seating: str
    player: str | None
    seat: int | None
    what: What
    """``died``: its process ended; ``stalled``: it runs, but did not answer, read or connect in time; ``flooded``: it
    wrote more than it may; ``protocol``: it hung up, or its version line was none; ``dealer``: no player's fault."""
    reason: str
    status: int | None
    signal: str | None
    hands: int
    last_words: tuple[str, ...]
    dealer_words: tuple[str, ...]
    output: str

    def __str__(self) -> str:
        who = "the dealer" if self.player is None else f"seat {self.seat}, player '{self.player}'"
        words = f"its last words in {self.output}:" if self.last_words else f"it left no message in {self.output}"
        words += "".join(f"\n  {line}" for line in self.last_words)
        if self.player is not None and self.dealer_words:
            words += "\ndealer:" + "".join(f"\n  {line}" for line in self.dealer_words)
        return f"{self.seating}: {who} {self.reason}; {words}"


class MatchFailed(RuntimeError):
    """A match was not played to its end. The message says whose fault it is and how to go on.

    `fault` says the same as data, where a process of the match ended early; it is also in ``fault.json``.
    """

    def __init__(self, message: str, fault: Fault | None = None) -> None:
        super().__init__(message)
        self.fault = fault


@dataclass(frozen=True)
class FaultFinder:
    """Finds the fault of one seating. `seating` is the player number at each seat, `players` their processes."""

    match: Match
    seating: Sequence[int]
    name: str
    folder: Path
    dealer: GuardedProcess
    players: Mapping[int, GuardedProcess]

    def flood(self) -> Fault | None:
        """Return the fault of a player that has written too much, itself or by the dealer's warnings about its lines."""
        most = self.match.config.limits.output_mb
        much = f"wrote more than {most} MB of output"
        for player, process in self.players.items():
            if process.written() > most * 10**6:
                return self._fault(player, "flooded", much)
        if self.dealer.written() <= most * 10**6:
            return None
        seat = awaited_seat(self.match, self.folder / f"{self.name}.tlog")
        if seat is None:
            return self._fault(None, "dealer", much)
        bad_lines = f"sent so many bad lines that the dealer wrote {most} MB about them"
        return self._fault(self.seating[seat], "flooded", bad_lines)

    def verdict(self) -> Fault:
        """Return the fault, once the dealer has ended without a result or a player has ended before the dealer."""
        dealer_status = self.dealer.returncode
        if dealer_status is not None and dealer_status < 0:
            return self._fault(None, "dealer", f"{how_ended(dealer_status)}; go on with --resume")
        seat, reason = self._dealer_says() if self.players else (None, "")
        if seat is not None:
            player = self.seating[seat]
            if not reason.startswith("disconnected"):  # its process may have ended since, for want of a dealer
                return self._out_of_order(player, reason)
            self.players[player].wait(LEAVE_SECONDS)
            return self._charge(player, reason)
        ended = [player for player, process in self.players.items() if process.returncode is not None]
        if ended:
            return self._charge(next((player for player in ended if self.players[player].failed), ended[0]), reason)
        return self._fault(None, "dealer", "does not end" if dealer_status is None else how_ended(dealer_status))

    def _charge(self, player: int, reason: str) -> Fault:
        """Return the fault of a player that may have died, by its exit status and the dealer's `reason`."""
        process, limit = self.players[player], self.match.config.limits.cpu_seconds
        status = process.returncode
        if status is None or (status == 0 and not process.gone):
            return self._out_of_order(player, reason)
        why = "" if status < 0 else " before the match did"
        if status == -signal.SIGXCPU and limit:
            why = f" after its {limit} seconds of processor time"
        return self._fault(player, "died", f"{how_ended(status)}{why}")

    def _out_of_order(self, player: int, reason: str) -> Fault:
        """Return the fault of a player whose process still runs, by the dealer's `reason`."""
        seat = self.seating.index(player) + 1
        if any(line.startswith(f"ERROR: seat {seat} does not read") for line in tail(self.dealer.err)):
            return self._fault(player, "stalled", "did not read what it was sent")
        if (bad := re.search(rf"{BAD_LINES} (\d+)", reason)) and int(bad[1]) >= FLOOD_LINES:
            return self._fault(player, "flooded", f"sent line after line that was no answer ({reason})")
        if reason.startswith("disconnected"):
            return self._fault(player, "protocol", f"hung up ({reason}), though its process still runs")
        if reason.startswith("sent no"):
            return self._fault(player, "protocol", reason)
        return self._fault(player, "stalled", f"did not answer ({reason})" if reason else "did not answer")

    def _dealer_says(self) -> tuple[int | None, str]:
        """Return the seat (from 0) and the reason that the dealer gives in the log's last line or in its errors."""
        for line in tail(self.folder / f"{self.name}.log")[-1:]:
            if match := re.match(rf"{END_COMMENT} in hand \d+: seat (\d+) \(.*?\) (.*)", line):
                return int(match[1]) - 1, match[2]
        for line in reversed(tail(self.dealer.err)):
            if line.startswith("ERROR") and (match := re.search(r"\bseat (\d+)\b", line)):
                seat = int(match[1])
                if 1 <= seat <= len(self.seating):
                    return seat - 1, line.removeprefix("ERROR: ")
        return None, ""

    def _fault(self, player: int | None, what: What, reason: str) -> Fault:
        process = self.dealer if player is None else self.players[player]
        status, hands = process.returncode, 0
        with contextlib.suppress(OSError), (self.folder / f"{self.name}.log").open("rb") as log:
            hands = sum(line.startswith(b"STATE:") for line in log)
        # Without the header of the log, which the dealer writes first.
        dealer_words = tuple(line for line in _last_words(self.dealer.err) if not line.startswith("#"))
        return Fault(
            seating=self.name,
            player=None if player is None else self.match.names[player],
            seat=None if player is None else self.seating.index(player) + 1,
            what=what,
            reason=reason,
            status=status if status is not None and status >= 0 else None,
            signal=signal_name(-status) if status is not None and status < 0 else None,
            hands=hands,
            last_words=_last_words(process.err),
            dealer_words=() if player is None else dealer_words,
            output=str(process.err),
        )


def awaited_seat(match: Match, transactions: Path) -> int | None:
    """Return the seat (from 0) whose turn it is after a transaction log; None if the log cannot be read."""
    try:
        text = transactions.read_text(encoding="utf-8", errors="replace")
        played = read_transactions(text, match.game)
        hand = played[-1].hand if played else 0
        state = State.start(match.game)
        for transaction in played:
            if transaction.hand == hand:
                state = state.apply(transaction.action)
    except (OSError, ProtocolError, ValueError):
        return None
    if state.finished:
        hand, state = hand + 1, State.start(match.game)
    return seat_of(state.actor, hand, match.game.num_players, match.config.fixed_button)


def _last_words(path: Path) -> tuple[str, ...]:
    return tuple(line for line in tail(path) if line.strip())[-LAST_WORDS:]
