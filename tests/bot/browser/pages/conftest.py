"""A headless Chromium for all tests of this folder, and one `limpet table` for all tests of these folders.

Without a browser its tests are skipped, and fail where LIMPET_NEEDS_BROWSER is set, as ``.ci/run`` does.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NoReturn

import pytest

from tests.bot.browser.wire import Served, host_socket, serving

SWITCHES = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip


def chromium() -> str | None:
    """The browser's program. The shell has no window of its own to draw: it starts in half the time."""
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    return next(filter(None, map(shutil.which, names)), None)


def missing(what: str) -> NoReturn:
    if os.environ.get("LIMPET_NEEDS_BROWSER"):
        pytest.fail(what)
    pytest.skip(what)


def findings(page: Any) -> list[str]:
    """What axe-core finds in the page as it is now: its impact, its name, and the first of its elements."""
    try:
        from axe_playwright_python.sync_playwright import Axe
    except ImportError:
        missing("no axe-core: pip install axe-playwright-python")
    found = Axe().run(page).response["violations"]
    return [f"{each['impact']} {each['id']} at {each['nodes'][0]['target']}" for each in found]


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    """A Chromium; tests are skipped where there is none.

    Playwright's event loop runs while the driver lives, and tests of other folders run loops of their own.
    """
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("no playwright: pip install playwright")
    if chromium() is None:
        missing("no browser: apt-get install chromium-headless-shell")
    with sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=chromium(), args=list(SWITCHES))
        yield launched
        launched.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page of a new browser profile; whatever it writes to the console as an error fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    context.set_default_timeout(60_000)
    context.add_init_script("window.limpetGuard ??= 0")  # tests answer at once; the guard has a test of its own
    made = context.new_page()
    made.wait_for_function = partial(made.wait_for_function, polling=50)  # not with each frame, which is drawn for it
    faults: list[str] = []
    made.on("pageerror", lambda error: faults.append(str(error)))
    made.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    yield made
    context.close()
    assert not faults


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The command that all tests share, with the bots and the processes that work for its page."""
    with serving(tmp_path_factory.mktemp("table"), "call") as made:
        yield made


@pytest.fixture
def url(served: Served) -> Iterator[str]:
    """The address of the page. The test's tables are left at its end, and the bankroll is a new one then."""
    yield served.url
    tab = host_socket(served)
    for table in tab.ask(kind="play.hello", id=1)["value"]["tables"]:
        tab.ask(kind="play.leave", id=2, key=table["key"])
    assert tab.ask(kind="play.reset", id=3)["kind"] == "answer"
    tab.close()


@pytest.fixture
def sit(page: Any, served: Served, url: str) -> Callable[[str], None]:
    """Opens a table against a bot, and has a hand dealt in which the person has something to decide."""

    def sit_down(bot: str) -> None:
        tab = host_socket(served)
        tab.ask(kind="play.open", id=1, bots=[bot])
        tab.close()
        page.goto(url)
        ready, pot = "[data-testid=deal]:enabled, [data-testid=call]:enabled", page.get_by_test_id("pot")
        page.wait_for_selector(ready)
        while not page.locator("[data-testid=call]:enabled").count():  # the bot may fold before anybody is asked
            before = pot.get_attribute("data-betting")
            page.keyboard.press("d")
            page.wait_for_function(
                "(was) => document.querySelector('[data-testid=pot]').dataset.betting !== was", arg=before
            )
            page.wait_for_selector(ready)

    return sit_down
