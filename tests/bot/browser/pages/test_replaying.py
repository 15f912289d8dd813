"""A log is replayed in the browser, and saved."""

import shutil
from pathlib import Path
from typing import Any

from tests.bot.browser.wire import Served
from tests.dealer.helpers import VECTORS

NAME = "holdem.nolimit.3p.seed0.log"


def step(page: Any) -> int:
    return int(page.get_by_test_id("step").get_attribute("data-step"))


def test_a_log_is_replayed_to_its_end(page: Any, served: Served) -> None:
    for name in (NAME, "holdem.nolimit.3p.game"):
        shutil.copy(VECTORS / name, served.folder)
    page.goto(f"{served.url}#/replay")
    page.get_by_test_id("files").get_by_role("link", name=NAME).click()
    page.get_by_test_id("hands").get_by_role("link", name="hand 0", exact=True).click()
    steps = page.get_by_test_id("steps").locator("li")
    page.wait_for_selector("[data-testid=picture]")
    last = steps.count() - 1
    assert last > 5 and step(page) == 0
    for number in range(1, last + 1):
        page.keyboard.press("ArrowRight")
        assert step(page) == number
        assert page.get_by_test_id("step").inner_text() == steps.nth(number).inner_text()
    assert "Result" in page.get_by_test_id("step").inner_text()
    assert page.get_by_test_id("picture").locator("[data-card]").count() == 5 + 3 * 2
    assert page.url.endswith(f"/{last}")

    # A link leads to its decision, in this tab and in another one.
    steps.nth(2).get_by_role("link").click()
    assert step(page) == 2 and page.url.endswith("/2")
    page.reload()
    page.wait_for_selector("[data-testid=picture]")
    assert step(page) == 2

    with page.expect_download() as saved:
        page.get_by_test_id("save-text").click()
    assert "Result" in Path(saved.value.path()).read_text()
    with page.expect_download() as saved:
        page.get_by_test_id("save-picture").click()
    picture = Path(saved.value.path()).read_bytes()
    assert saved.value.suggested_filename.endswith("-0-2.png")
    assert picture.startswith(b"\x89PNG") and int.from_bytes(picture[16:20], "big") == 2000

    # All hands, one behind the other.
    for hand in range(1, 4):
        page.get_by_role("button", name="Hand after").click()
        page.wait_for_function(f"() => document.querySelector('.replay p').textContent.includes('hand {hand},')")
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_what_is_not_there(page: Any, served: Served) -> None:
    page.goto(f"{served.url}#/replay/..%2F..%2Fetc%2Fhands.log")
    assert "no such file below the folders" in page.get_by_role("alert").inner_text()
    page.goto(f"{served.url}#/nowhere/1")
    page.get_by_role("alert").filter(has_text="There is no page nowhere").wait_for()
    page.goto(f"{served.url}#/strategy/nothing")
    page.get_by_role("alert").filter(has_text="There is no strategy nothing").wait_for()
