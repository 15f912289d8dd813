"""The scripted person of the benchmark plays on, and the page does not grow with the hands."""

from typing import Any

import pytest
from browser_person import PLAY, sit

from tests.bot.browser.wire import Served

LISTED = 100
"""Number of hands that the history lists."""


@pytest.mark.slow
def test_a_page_lists_only_so_many_hands(page: Any, served: Served) -> None:
    page.goto(f"{served.url}#/jobs")
    sit(page, served, {"kind": "play.open", "bots": ["leduc"]})
    page.get_by_test_id("pot").wait_for()
    while int(page.get_by_test_id("result").get_attribute("data-hands") or 0) <= LISTED + 5:
        page.evaluate(PLAY, 50)
    assert page.get_by_test_id("history").locator("li").count() == LISTED
