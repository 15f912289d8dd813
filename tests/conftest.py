"""The reactor the project runs on, where the recorded facts lie, and that no test is timed."""

import ctypes
import gc
import os
import re
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path

# Products of matrices take one thread, as in the command: others wait for work at full speed, beside tests that have some.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from _pytest import unittest as trial
from hypothesis import HealthCheck, settings
from twisted.internet import asyncioreactor

asyncioreactor.install()

# A shell's background job has Ctrl-C ignored and hands that on: programs that tests start could not be stopped by it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A busy machine is no mistake. Tests that suppress other checks must name this one too: a list replaces the profile's.
# The suite draws the same examples each time, so that a change fails by what it changed; ``--hypothesis-profile=explore``
# draws new ones, to look for mistakes that nobody has met.
settings.register_profile("explore", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("repeatable", settings.get_profile("explore"), derandomize=True)
settings.load_profile("repeatable")

# pytest reads the version of Twisted anew from its metadata for each of some thousand tests.
with suppress(AttributeError):
    trial._get_twisted_version = cache(trial._get_twisted_version)

# Large arrays come and go by the thousand. Their memory is kept for the next: the system would hand out each page anew, zeroed.
with suppress(AttributeError, OSError, TypeError):  # of glibc alone
    for parameter, size in (
        (-1, 1 << 29),
        (-2, 1 << 26),
        (-3, 1 << 28),
    ):  # M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_THRESHOLD
        ctypes.CDLL(None).mallopt(parameter, size)

# Thousands of tests and all that they import and compile would be looked through for garbage again and again.
gc.set_threshold(400_000, 10, 100)


def pytest_collection(session: pytest.Session) -> None:
    """Let each process of several rewrite the assertions of its share of the test files first, and find the others' done.

    All go through the files in one order otherwise, and each rewrites them all in a fresh checkout, a tenth of the suite's time.
    """
    ours = getattr(session.config, "workerinput", None)
    if ours is None or session.config.args != session.config.getini("testpaths"):
        return
    root = Path(__file__).parent
    files = sorted(root.rglob("test_*.py"))
    for file in files[int(ours["workerid"].removeprefix("gw")) :: ours["workercount"]]:
        with suppress(Exception, pytest.skip.Exception):  # told when the file is collected
            import_module(".".join(file.relative_to(root.parent).with_suffix("").parts))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest tests: where they come last, one process plays them while the others have ended.

    And with those of the wheel: from the end idle processes take tests over, and each builds a wheel of its own.
    """
    items.sort(key=lambda item: not re.search("over_tcp|test_wheel", item.path.name))


def pytest_collection_finish() -> None:
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say in one line which tests were skipped for what this machine lacks."""
    reasons = Counter(str(report.longrepr[2]) for report in terminalreporter.stats.get("skipped", []))
    if reasons:
        lacks = "; ".join(f"{reason.removeprefix('Skipped: ')} ({count})" for reason, count in reasons.items())
        terminalreporter.write_line(f"not tested on this machine: {lacks}")


VECTORS = Path(__file__).parent / "vectors"
SHARED_VECTORS = Path(__file__).parents[2] / "shared" / "vectors"


def vector_folders() -> list[Path]:
    """The committed recordings, and a developer's larger set beside the checkout where there is one."""
    return [folder for folder in (VECTORS, SHARED_VECTORS) if folder.is_dir()]


@pytest.fixture
def own_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the test train and keep tables in a folder of its own."""
    monkeypatch.setenv("LIMPET_DATA", str(tmp_path / "data"))


@pytest.fixture(scope="session", autouse=True)
def data_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder of the tests' own: nothing of the user's is read or written."""
    folder = tmp_path_factory.mktemp("data")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LIMPET_DATA", str(folder))
        # Programs that tests start find no TLS, as without the extra for slumbot.com: none speaks it, and Twisted loads it
        # in a quarter of the time in which a bot starts.
        patch.setenv("PYTHONPATH", str(Path(__file__).parent / "without_tls"), prepend=os.pathsep)
        yield folder


@pytest.fixture(scope="session")
def vectors() -> Path:
    """The folder of recorded facts of the reference dealer."""
    return VECTORS
