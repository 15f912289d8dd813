"""How tests start processes of their own, and see them end."""

import os
import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path

LIMPET = (sys.executable, "-c", "from limpet.bot.cli import main; main()")
"""The beginning of a command line that starts ``limpet``."""
CALLS = """
import socket, sys
dealer = socket.create_connection((sys.argv[-2], int(sys.argv[-1])))
dealer.sendall(b"VERSION:2.0.0\\n")
for line in dealer.makefile():
    dealer.sendall(f"{line.rstrip()}:c\\n".encode())
"""
"""A program that calls. It starts in a tenth of the time that a bot takes."""


def program(path: Path, text: str) -> str:
    """Write an executable Python script, and return it as the name of a player."""
    path.write_text(f"#!{sys.executable}\n{text}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return f"exec:{path.name}"


def running_in(folder: Path) -> list[str]:
    """Return the command lines of processes that have anything to do with a folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes().decode(errors="replace")
            home = os.readlink(process / "cwd")
        except OSError:
            continue
        if int(process.name) != os.getpid() and (str(folder) in command or home.startswith(str(folder))):
            found.append(command)
    return found


def until(condition: Callable[[], bool], seconds: float = 100) -> None:
    """Processes outside this one have no clock to turn: look again until it is so."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)
