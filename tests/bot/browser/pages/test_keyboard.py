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
    page.evaluate("document.activeElement.blur()")
    reach(page, "amount")
    smallest = page.get_by_test_id("amount").input_value()
    page.keyboard.press("ArrowUp")
    raised = page.get_by_test_id("amount").input_value()
    assert 0 < int(raised) - int(smallest) <= 100  # a big blind more, or to the next one
    reach(page, "raise")
    page.keyboard.press("Enter")
    called = "(text) => document.querySelector('[data-testid=pot]').dataset.betting.includes(text)"
    page.wait_for_function(called, arg=f"r{raised}c/")


def test_cards_are_marked_and_exchanged_with_space_and_enter(page: Any, url: str, sit: Sit) -> None:
    sit("draw5-formula")
    ready = "[data-testid=call]:enabled, [data-testid=draw]:visible, [data-testid=deal]:enabled:visible"
    while not page.get_by_test_id("draw").is_visible():  # the bot may fold or raise first
        before = page.get_by_test_id("pot").get_attribute("data-betting")
        page.keyboard.press("d" if page.get_by_test_id("deal").is_visible() else "c")
        page.wait_for_function(
            "(was) => document.querySelector('[data-testid=pot]').dataset.betting !== was", arg=before
        )
        page.wait_for_selector(ready)
    page.get_by_test_id("hero-cards").get_by_role("button").first.focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert page.get_by_test_id("hero-cards").get_by_role("button", pressed=True).count() == 2
    assert page.get_by_test_id("draw").inner_text() == "Draw 2"
    reach(page, "draw")
    page.keyboard.press("Enter")
    page.get_by_test_id("draw").wait_for(state="hidden")
    assert not page.get_by_test_id("hero-cards").get_by_role("button").count()


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
    assert page.evaluate(HERE) == "edge", "who walks by keyboard begins at the top of the page again"
    reach(page, "cell")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.dataset.name") == "AKo"
    assert page.locator(".detail h2").inner_text() == "AKo"


def test_what_is_drawn_anew_keeps_the_focus(page: Any, url: str) -> None:
    """A table of a running match is drawn each second, and a list is sorted by the heading that has the focus."""
    page.goto(url)
    script = """async () => {
      const { el, fill } = await import("/dom.js");
      const place = document.body.appendChild(el("div", {}));
      const draw = () => fill(place, el("a", { href: "#/one", text: "one" }), el("button", { "data-testid": "sort" }, "sort"), el("button", {}, "other"));
      const held = [];
      for (const child of [0, 1, 2]) { draw(); place.children[child].focus(); draw(); held.push([...place.children].indexOf(document.activeElement)); }
      return held;
    }"""
    assert page.evaluate(script) == [0, 1, -1]
