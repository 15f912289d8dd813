"""``limpet doctor``: says what an installation is like, and what to do about what is wrong with it."""

import os
import platform
import sys
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import click

from limpet.bot.commands.options import json_option
from limpet.bot.commands.terminal import print_json
from limpet.common.folders import data_folder, require_writable, shipped_strategies
from limpet.common.workers import usable_cores

OK, WARN, FAIL = "ok", "warn", "fail"
PACKAGES = ("limpet", "numba", "llvmlite", "numpy", "scipy", "twisted")
COARSEST = 1e-3
"""Seconds of the largest step of a clock that times decisions well enough."""
AGAIN = "install limpet anew: python3 -m venv FOLDER, then FOLDER/bin/pip install limpet"
STEP = 0.01
"""Seconds by which the wall clock may leave the monotonic one while the checks run."""
UNSYNCHRONISED = 5
"""What Linux's `adjtimex` answers where nothing keeps the wall clock right (TIME_ERROR)."""


class Finding(NamedTuple):
    """The finding of a check. `remedy` is a sentence for users, empty where nothing need be done."""

    check: str
    level: str
    text: str
    remedy: str = ""


def packages() -> Finding:
    """Tell the versions of Python and of what decides results and speed. Raises where numba cannot be loaded."""
    found = {"python": platform.python_version(), **{name: version(name) for name in PACKAGES}}
    import_module("numba")
    return Finding("versions", OK, ", ".join(f"{name} {number}" for name, number in found.items()))


def cores() -> Finding:
    """Tell how many cores there are, and whether this process may use all that commands would take by default."""
    there = os.cpu_count() or 1
    usable = float(len(usable_cores()) or there)
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text(encoding="ascii").split()
        usable = usable if quota == "max" else min(usable, int(quota) / int(period))
    except (OSError, ValueError):
        pass  # no control groups, or older ones
    if usable >= there:
        return Finding("cores", OK, f"{there}")
    most, text = max(1, int(usable)), f"{there}, of which {usable:g} may be used"
    return Finding("cores", WARN, text, f"give --threads {most} and --jobs {most}")


def kernels() -> Iterator[Finding]:
    """Tell where compiled kernels are kept, and how many fit this processor."""
    from limpet.common import kernel_cache

    kept, wanted = kernel_cache.kept_cache_folder(), kernel_cache.wanted_cache_folder()
    if kept == wanted:
        yield Finding("cache", OK, f"{kept}")
    else:
        remedy = "let NUMBA_CACHE_DIR name a folder that can be written; until then every start compiles"
        yield Finding("cache", WARN, f"{wanted} cannot be written", remedy)
    processor, here, elsewhere, total = kernel_cache.compiled_kernels()
    other = f", {elsewhere} for other processors alone" if elsewhere else ""
    text = f"{here} of {total} compiled for this processor ({processor}){other}"
    remedy = "limpet warmup BOT compiles what a bot needs, ahead of its first match"
    yield Finding("kernels", OK, text) if here else Finding("kernels", WARN, text, remedy)


def data() -> Finding:
    """Tell where the user's strategies and card tables lie, and whether more of them fit."""
    folder = data_folder()
    require_writable(folder)
    own = len(list(folder.glob("strategies/*/manifest.yaml")))
    return Finding("data", OK, f"{folder}, {own} strategies of your own")


def strategies() -> Iterator[Finding]:
    """Read every strategy that ships, and check each byte against its manifest."""
    from limpet.strategies.subjects import verified

    folders = sorted(path.parent for path in shipped_strategies().glob("*/manifest.yaml"))
    sound = 0
    for folder in folders:
        try:
            verified(folder)
            sound += 1
        except (ValueError, OSError) as error:
            yield Finding("strategies", FAIL, str(error), "install limpet again: pip install --force-reinstall limpet")
    yield Finding("strategies", OK if sound else FAIL, f"{sound} of {len(folders)} that ship are whole")


def clocks(offset: float) -> Iterator[Finding]:
    """Tell how finely time is measured, and whether the wall clock, by which a dealer charges players, is kept right.

    offset: wall clock less monotonic clock when the checks began, in seconds.
    """
    step = min(_step() for _ in range(10))
    level, remedy = (OK, "") if step <= COARSEST else (WARN, "decision times are rough here")
    yield Finding("timer", level, f"steps of {step * 1e9:,.0f} ns", remedy)
    jump = time.time() - time.monotonic() - offset
    if abs(jump) > STEP:
        remedy = "play no matches by this clock before it is set: a dealer charges players by it"
        yield Finding("clock", WARN, f"jumped by {jump:+.3f} s while this ran", remedy)
    elif _unsynchronised():
        remedy = "timedatectl set-ntp true; or else times in logs of two machines cannot be compared"
        yield Finding("clock", WARN, "steady, but nothing keeps it right", remedy)
    else:
        yield Finding("clock", OK, "steady")


def _step() -> float:
    """Return the seconds between two different readings of the clock that times decisions."""
    began = now = time.perf_counter()
    while now == began:
        now = time.perf_counter()
    return now - began


def _unsynchronised() -> bool:
    """Return whether the kernel says that the wall clock is not synchronised; False where it does not tell."""
    if sys.platform != "linux":
        return False
    import ctypes

    state = ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(512))  # which reads, at modes 0
    return bool(state == UNSYNCHRONISED)


def findings() -> Iterator[Finding]:
    """Yield what each check finds; one that cannot even be made has failed."""
    offset = time.time() - time.monotonic()
    checks: dict[str, Callable[[], Finding | Iterator[Finding]]] = {
        "versions": packages,
        "cores": cores,
        "kernels": kernels,
        "data": data,
        "strategies": strategies,
        "clock": lambda: clocks(offset),
    }
    for name, check in checks.items():
        try:
            found = check()
            yield from [found] if isinstance(found, Finding) else found
        except Exception as error:  # noqa: BLE001 - whatever a broken installation raises is what is to be told
            remedy = "let LIMPET_DATA name a folder that can be written" if name == "data" else AGAIN
            yield Finding(name, FAIL, f"{type(error).__name__}: {error}", remedy)


@click.command(
    epilog="""\b
Examples:
  limpet doctor
  limpet doctor --json

\b
Exit status: 0 nothing failed, though there may be warnings; 1 a check failed."""
)
@json_option()
def doctor(as_json: bool) -> None:
    """Check this installation: versions, cores, folders, compiled kernels, the strategies that ship, clocks.

    Each line is ok, warn or fail, with what to do about it. Nothing is changed; the few kernels that checking takes are
    compiled and kept.
    """
    found = []
    for finding in findings():
        found.append(finding)
        if not as_json:
            click.echo(f"{finding.level:5} {finding.check:11} {finding.text}")
            if finding.remedy:
                click.echo(f"{'':17} {finding.remedy}")
    failed = any(finding.level == FAIL for finding in found)
    if as_json:
        print_json({"sound": not failed, "checks": [finding._asdict() for finding in found]}, indent=2)
    sys.exit(1 if failed else 0)
