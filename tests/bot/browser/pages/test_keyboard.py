"""The keyboard alone suffices: to play a hand, to paint a range, to solve a spot and to walk its answer."""

from typing import Any

from tests.bot.browser.pages.test_playing import Sit

HERE = "() => document.activeElement.dataset.testid ?? document.activeElement.classList[0]"


def reach(page: Any, name: str, key: str = "Tab") -> None:
    """Press Tab until what has the focus has a `data-testid`, or the first class, of this name."""
    for _ in range(60):
        page.keyboard.press(key)
        if page.evaluate(HERE) == name:
            return
    raise AssertionError(f"{name} cannot be reached")


def test_a_hand_is_played_with_tab_and_enter(page: Any, url: str, sit: Sit) -> None:
    sit("call")
    before = page.get_by_test_id("pot").get_attribute("data-betting")
    page.evaluate("document.activeElement.blur()")
    reach(page, "amount")
    page.keyboard.press("ArrowUp")
    assert page.get_by_test_id("amount").input_value() == "300"  # one big blind more than the smallest raise
    reach(page, "raise")
    page.keyboard.press("Enter")
    page.wait_for_function("(was) => document.querySelector('[data-testid=pot]').dataset.betting !== was", arg=before)
    assert page.get_by_test_id("pot").get_attribute("data-betting").endswith("r300c/")


def test_a_range_is_painted_a_spot_solved_and_walked_without_a_mouse(page: Any, url: str) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(url + "#/solve")
    page.wait_for_function("() => document.querySelector('input[data-testid=board]')?.value")
    reach(page, "skip")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main" and page.url.endswith("#/solve")
    reach(page, "edit-first")
    page.keyboard.press("Enter")
    page.locator("[data-testid=editor-first] [data-name=AA]").wait_for()
    reach(page, "cell")
    page.keyboard.press("Space")
    page.wait_for_function("() => document.querySelector('[data-testid=first]').value.includes('AA')")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.dataset.name") == "KK"
    reach(page, "solve")
    page.keyboard.press("Enter")
    page.get_by_test_id("exploitability").wait_for()
    top, bottom = page.get_by_test_id("answer").evaluate("(e) => [e.getBoundingClientRect().top, innerHeight]")
    assert 0 < top < bottom / 2, "the answer lies below the form, out of view"
    reach(page, "edge")
    page.keyboard.press("Enter")
    page.locator("[data-testid=decision]", has_text="In position").wait_for()
    reach(page, "cell")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.dataset.name") == "AKo"
    assert page.locator(".detail h2").inner_text() == "AKo"
