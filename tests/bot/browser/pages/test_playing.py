"""A person plays in the browser."""

import json
import time
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from browser_person import PLAY, sit

from tests.bot.browser.pages.conftest import findings
from tests.bot.browser.wire import Served, host_socket

READY = """() => ["call", "deal"].some((id) => { const b = document.querySelector(`[data-testid=${id}]`);
    return b && !b.disabled && !b.hidden; })"""
CONTRASTS = """() => {
    const light = (text) => { const [r, g, b] = text.match(/[0-9.]+/g).map(Number).map((c) => {
        c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
    const behind = (node) => { while (node) { const color = getComputedStyle(node).backgroundColor;
        if (!/rgba\\(.*, 0\\)|transparent/.test(color)) return color; node = node.parentElement; } return 'rgb(255, 255, 255)'; };
    return [...document.querySelectorAll('main *, header *')].filter((node) => !node.closest('svg, :disabled')
        && node.checkVisibility() && [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim())).map((node) => {
        const [a, b] = [light(getComputedStyle(node).color), light(behind(node))].sort((x, y) => y - x);
        return [node.textContent.slice(0, 40), (a + 0.05) / (b + 0.05)]; }).filter(([, ratio]) => ratio < 4.5); }"""
"""Texts that stand out too little from what is behind them: less than 4.5 to 1, the AA limit."""
STANDING = """() => [...document.querySelectorAll('[data-testid=standing] tbody tr')].map((row) =>
    [...row.cells].map((cell) => cell.textContent))"""
"""The cells of the standing, read in one go: the page may draw the table anew between two looks."""
DEALT = "() => document.querySelectorAll('[data-testid=hero-cards] svg').length"
Sit = Callable[[str], None]


def play_hand(page: Any, answer: str = "call") -> None:
    """Answer every decision of the hand on the table with a click, until it is over."""
    for _ in range(40):
        page.wait_for_function(READY)
        if page.get_by_test_id("deal").is_visible():
            return
        betting = page.get_by_test_id("pot").get_attribute("data-betting")
        page.get_by_test_id(answer).click()
        page.wait_for_function(
            "(before) => document.querySelector('[data-testid=pot]').dataset.betting !== before", arg=betting
        )
    raise AssertionError("the hand does not end")


def test_a_heads_up_hand_by_clicks_an_illegal_amount_and_an_all_in(page: Any, url: str) -> None:
    page.emulate_media(reduced_motion="no-preference")
    page.goto(url)
    page.wait_for_function(DEALT)  # the first hand, by itself
    assert page.get_by_test_id("villain-cards").get_attribute("data-cards") == "????"
    play_hand(page)
    assert len(page.get_by_test_id("board").get_attribute("data-cards")) == 10
    assert "?" not in page.get_by_test_id("villain-cards").get_attribute("data-cards")
    assert page.locator(".felt .card.best").count() in (5, 6, 7)  # those of the winner, or of both who share the pot
    assert page.get_by_test_id("made").inner_text()
    assert page.get_by_test_id("history").locator("li").count() == 1
    assert page.get_by_test_id("result").get_attribute("data-hands") == "1"

    page.keyboard.press("d")  # the next hand, by key
    page.wait_for_function("() => document.querySelector('[data-testid=board]').dataset.cards === ''")
    page.wait_for_function(READY)
    amount, raise_ = page.get_by_test_id("amount"), page.get_by_test_id("raise")
    for typed, clamped in (("1", "200"), ("777777", "20000"), ("abc", "200"), ("450", "450")):
        amount.fill(typed)
        amount.blur()
        said = page.get_by_test_id("slider").get_attribute("aria-valuetext")
        assert amount.input_value() == clamped and said.endswith(f"% pot, {clamped}")
    page.get_by_role("button", name="All-in", exact=True).click()
    assert raise_.inner_text() == "All-in 20000"
    before = page.get_by_test_id("pot").get_attribute("data-betting")
    raise_.click()
    page.wait_for_function("(was) => document.querySelector('[data-testid=pot]').dataset.betting !== was", arg=before)
    # The board is dealt street by street, and only then the result is shown.
    page.wait_for_function("() => document.querySelector('[data-testid=board]').dataset.cards.length === 10")
    page.wait_for_function("() => document.querySelector('[data-testid=result]').dataset.hands === '2'")
    assert page.get_by_test_id("pot").get_attribute("data-chips") == "40000"
    page.locator("[data-testid=session-graph] summary").click()
    won = page.locator("[data-testid=session-graph] polyline").first
    won.wait_for(state="attached")
    assert len(won.get_attribute("points").split()) == 3  # before the first hand, and after both


def test_keys_play_a_hand_and_a_reload_or_a_second_tab_sees_it(page: Any, url: str, sit: Sit) -> None:
    sit("call")
    page.wait_for_function(READY)
    page.keyboard.press("6")
    page.keyboard.type("00")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('[data-testid=board]').children.length === 3")
    cards = page.get_by_test_id("hero-cards").get_attribute("data-cards")
    page.reload()  # in mid-hand
    page.wait_for_function(DEALT)
    assert page.get_by_test_id("hero-cards").get_attribute("data-cards") == cards
    other = page.context.new_page()
    other.goto(url)
    other.wait_for_function(DEALT)
    assert other.get_by_test_id("hero-cards").get_attribute("data-cards") == cards
    other.wait_for_function(READY)
    other.keyboard.press("c")
    page.wait_for_function("() => document.querySelector('[data-testid=board]').children.length === 4")
    page.get_by_test_id("fold").is_disabled()  # nothing to call: folding is not legal
    page.keyboard.press("r")
    other.wait_for_function("() => document.querySelector('[data-testid=board]').children.length === 5")


def test_a_sit_and_go_to_the_last_chip(page: Any, url: str) -> None:
    page.goto(url + "#/play/new")
    assert page.get_by_test_id("bankroll").inner_text() == "1000.00"
    page.get_by_test_id("tournament-opponent").select_option("call")
    page.get_by_test_id("structure").select_option("turbo")
    page.get_by_test_id("tournament-bots").fill("2")
    page.get_by_test_id("enter").click()
    page.wait_for_selector("[data-testid=standing]")
    over = "() => /tournament is over/.test(document.querySelector('[data-testid=standing]')?.textContent)"
    for _ in range(200):
        page.wait_for_function(f"() => ({READY})() || ({over})()")
        if page.evaluate(over):
            break
        if page.get_by_test_id("deal").is_visible():
            page.evaluate("document.querySelector('[data-testid=deal]:enabled')?.click()")
        elif page.get_by_test_id("raise").is_enabled():
            page.get_by_role("button", name="All-in", exact=True).click()
            page.get_by_test_id("raise").click()
        elif page.get_by_test_id("call").is_enabled():
            page.get_by_test_id("call").click()
    rows = page.evaluate(STANDING)
    assert [place for _, _, place, _ in rows].count("1") == 1  # who left together share "2–3"
    assert sum(int(chips) for _, chips, _, _ in rows) == 1500
    page.get_by_role("tab", name="New table").click()
    money = float(page.get_by_test_id("bankroll").inner_text())
    assert money == pytest.approx(990 + (28.5 if rows[0][2] == "1" else 0))


def test_the_table_fits_the_screen_and_has_names_for_everything(page: Any, url: str, sit: Sit) -> None:
    sit("call")
    for width, scheme in ((390, "light"), (1024, "dark"), (1920, "light")):
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.goto(url)
        page.wait_for_function(DEALT)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        for name in ("fold", "call", "raise", "amount", "slider", "deal", "board", "pot", "result", "history"):
            assert page.get_by_test_id(name).count() == 1
        faint = page.evaluate(CONTRASTS)
        assert not faint, faint
    assert not findings(page)


def test_a_person_is_invited_to_a_seat(page: Any, url: str, browser: Any) -> None:
    page.goto(url + "#/play/new")
    page.get_by_test_id("bots").fill("0")
    page.get_by_test_id("people").fill("1")
    page.get_by_test_id("sit").click()
    link = page.get_by_test_id("invitation").get_attribute("href")
    elsewhere = browser.new_context()
    friend = elsewhere.new_page()
    friend.goto(f"{url.rstrip('/')}{link}#/play/new")  # a guest has no other table, and no lobby
    friend.wait_for_function(DEALT)
    page.wait_for_function(DEALT)
    assert friend.get_by_role("tab").count() == 1  # no way to other tables
    hands = {p.get_by_test_id("hero-cards").get_attribute("data-cards") for p in (page, friend)}
    assert len(hands) == 2
    assert [p.locator(".plate .name").all_inner_texts() for p in (page, friend)] == [
        ["You", "Guest-1"],
        ["You", "Host"],
    ]
    assert [p.locator(".seat:has(.dealer:visible) .name").all_inner_texts() for p in (page, friend)] == [
        ["Guest-1"],
        ["You"],
    ]
    friend.wait_for_function(READY)  # the small blind acts first
    assert page.get_by_test_id("call").is_disabled()
    friend.get_by_test_id("fold").click()
    page.wait_for_function("() => document.querySelector('[data-testid=result]').dataset.chips === '50'")
    assert page.get_by_test_id("villain-cards").get_attribute("data-cards") == ""
    page.get_by_role("button", name="Leave the table").click()
    friend.locator(".note", has_text="The host has left: this table is over.").wait_for()
    assert friend.locator(".turn button:visible").count() == 0
    for address in ("#/icm", "#/play"):
        friend.evaluate("(to) => { location.hash = to; }", address)
        friend.get_by_role("link", name="Play" if address == "#/play" else "ICM").and_(
            friend.locator("[aria-current]")
        ).wait_for()
    friend.get_by_role("status").filter(has_text="this table is over").wait_for()
    elsewhere.close()


# --- The scripted person of the benchmark plays on, and the page does not grow with the hands


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


# --- Nothing that the page may ask shows what a running hand hides


def test_no_view_of_a_running_hand_knows_the_opponents_cards(served: Served, url: str) -> None:
    tab, numbers = host_socket(served), count(1)
    before = set((served.folder / "tables").glob("table-*"))

    def ask(kind: str, **words: Any) -> Any:
        return tab.ask(id=next(numbers), kind=kind, **words)

    key = ask("play.open", bots=["call"])["value"]["key"]
    ask("play.deal", key=key)
    (folder,) = set((served.folder / "tables").glob("table-*")) - before
    files = [str(path.relative_to(served.folder)) for path in (folder / "table.log", folder / "table.tlog")]
    asked: list[tuple[int, str]] = []
    for hand in range(3):
        while (view := ask("play.sit", key=key)["value"]["view"]["hand"]) is None or not (
            view["hand"] == hand and view["over"]
        ):
            if view is None or view["hand"] < hand or not view["choice"]:
                time.sleep(0.01)  # the dealer or the bot has not spoken yet
                continue
            looks = [ask("play.sit", key=key)["value"]["view"], ask("play.graph", key=key)]
            looks.append(ask("inside.hand", key=key, hand=hand, study=False))
            for path in files:
                looks += [ask("replay.open", path=path), ask("replay.rows", path=path, first=hand, count=9)]
                looks += [ask("replay.hand", path=path, line=line) for line in range(4 + hand, 8 + hand)]
            if not ask("play.sit", key=key)["value"]["view"]["hand"]["over"]:  # it runs still
                asked.append((hand, json.dumps(looks)))
            ask("play.act", key=key, hand=hand, betting=view["betting"], action="c")
        ask("play.deal", key=key)
    tab.close()
    held = {}
    for line in (folder / "table.log").read_text().splitlines():
        if line.startswith("STATE:"):
            _, number, _, cards, _, names = line.split(":")
            held[int(number)] = cards.partition("/")[0].split("|")[names.split("|").index("call")]
    assert len(asked) > 9
    for hand, text in asked:
        assert held[hand] not in text and f'"{held[hand][:2]}", "{held[hand][2:]}"' not in text
