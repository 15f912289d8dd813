"""A headless Chromium for all tests of a module, and `limpet table` processes to look at.

Without a browser its tests are skipped, and fail where LIMPET_NEEDS_BROWSER is set, as ``.ci/run`` does.
"""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

LIMPET = (sys.executable, "-c", "from limpet.bot.cli import main; main()")
SWITCHES = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip


def missing(what: str) -> NoReturn:
    if os.environ.get("LIMPET_NEEDS_BROWSER"):
        pytest.fail(what)
    pytest.skip(what)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A Chromium; tests are skipped where there is none.

    Playwright's event loop runs while the driver lives, and tests of other modules run loops of their own.
    """
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("no playwright: pip install 'limpet[dev]'")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        missing("no browser: apt-get install chromium")
    with sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=chromium, args=list(SWITCHES))
        yield launched
        launched.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page of a new browser profile; whatever it writes to the console as an error fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(60_000)
    made = context.new_page()
    faults: list[str] = []
    made.on("pageerror", lambda error: faults.append(str(error)))
    made.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    yield made
    context.close()
    assert not [fault for fault in faults if "ERR_CONNECTION" not in fault]  # the server may end first


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Starts `limpet table` with the given words in a folder of its own, and returns the address that it prints."""
    running: list[subprocess.Popen[str]] = []

    def start(*words: str) -> str:
        command = [*LIMPET, "table", *words, "--port", "0", "--log-level", "warn"]
        process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        running.append(process)
        assert process.stdout is not None
        return process.stdout.readline().strip()

    yield start
    for process in running:
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=30)
        assert process.returncode == 0, errors
