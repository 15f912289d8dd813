"""A program of a match: a process group of its own with limits, output in files, and an end that includes its children."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from uuid import uuid4

from limpet.dealer.matches.matchconfig import PlayerLimits

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

    def __init__(self, command: Sequence[str], home: Path, output: Path, limits: PlayerLimits | None = None) -> None:
        """Start `command` in the folder `home`. Processor time and memory are limited where `limits` are given.

        Raises `OSError`.
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
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,  # so that Ctrl-C reaches the parent only
            )

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
