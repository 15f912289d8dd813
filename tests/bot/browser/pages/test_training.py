"""A person drills on the page: answers by click and key, and sees what they lost, the strategy and the session."""

from typing import Any

from tests.bot.browser.pages.conftest import findings


def test_a_person_drills_by_click_and_key(page: Any, url: str) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(url + "#/train")
    page.get_by_test_id("drill").select_option("pushfold")
    page.get_by_test_id("stacks").fill("10")
    page.get_by_test_id("begin").click()
    page.get_by_test_id("answer-1").click()
    page.locator("[data-testid=lost]", has_text="% of the pot").wait_for()
    page.locator("[data-testid=score]", has_text="1 answer,").wait_for()
    page.keyboard.press("Enter")  # the button for the next question has the focus
    page.wait_for_selector("[data-testid=answer-0]:enabled")
    page.keyboard.press("1")
    page.locator("[data-testid=score]", has_text="2 answers,").wait_for()
    page.get_by_test_id("drill").select_option("3-bet-flop")
    page.locator("[data-testid=about]", has_text="after a raise and a re-raise").wait_for()
    page.get_by_test_id("drill").select_option("rivers")
    page.locator("[data-testid=about]", has_text="Ready in a second.").wait_for()
    page.get_by_test_id("begin").click()
    page.wait_for_selector("[data-testid=board] .card")
    page.get_by_test_id("answer-0").click()
    page.locator("[data-testid=ranges]", has_text="Range against range: yours has equity").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert not findings(page)
    page.get_by_test_id("drill").select_option("own")
    page.get_by_test_id("path").fill("nowhere")
    page.get_by_test_id("begin").click()
    page.locator("[role=alert]", has_text="no such file").wait_for()
