"""A person plays in the browser."""

from collections.abc import Callable
from typing import Any

READY = """() => ["call", "deal"].some((id) => { const b = document.querySelector(`[data-testid=${id}]`);
    return b && !b.disabled && !b.hidden; })"""


def play_hand(page: Any, answer: str = "call") -> None:
    """Answer every decision of the hand on the table with a click, until it is over."""
    for _ in range(40):
        page.wait_for_function(READY)
        if page.get_by_test_id("deal").is_visible():
            return
        page.get_by_test_id(answer).click()
        page.wait_for_function("(id) => document.querySelector(`[data-testid=${id}]`)", arg=answer)
    raise AssertionError("the hand does not end")


def test_a_heads_up_hand_by_clicks(page: Any, table: Callable[..., str]) -> None:
    page.goto(table("call"))
    page.wait_for_selector("[data-testid=hero-cards] svg")
    assert page.get_by_test_id("villain-cards").get_attribute("data-cards") == "????"
    play_hand(page)
    assert len(page.get_by_test_id("board").get_attribute("data-cards")) == 10
    assert "?" not in page.get_by_test_id("villain-cards").get_attribute("data-cards")
    assert page.get_by_test_id("history").locator("li").count() == 1
    page.get_by_test_id("deal").click()
    page.wait_for_function("() => document.querySelector('[data-testid=board]').dataset.cards === ''")
