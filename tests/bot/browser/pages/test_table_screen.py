"""The table on screens of all sizes, and keys and clicks that were meant for something else."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.bot.browser.wire import Served, host_socket

SIZES = (
    (360, 640),
    (390, 844),
    (768, 1024),
    (1024, 768),
    (1280, 720),
    (1366, 768),
    (1440, 900),
    (1760, 990),
    (1920, 1080),
    (2560, 900),
)
READY = "[data-testid=call]:enabled"
FAULTS = """() => {
    const box = (node) => node.getBoundingClientRect(), faults = [];
    for (const id of ['fold', 'call', 'raise', 'board', 'hero-cards', 'pot']) {
        const at = box(document.querySelector(`[data-testid=${id}]`));
        if (at.left < -1 || at.top < -1 || at.right > innerWidth + 1 || at.bottom > innerHeight + 1) faults.push(`${id} is outside`);
    }
    const felt = box(document.querySelector('.felt'));
    if (innerWidth >= 1280 && box(document.querySelector('.looking')).top > innerHeight + 20) faults.push('look inside is far away');
    if (innerWidth >= 1366 && box(document.querySelector('.turn')).width < 380) faults.push('the sentence has no room');
    if (felt.width > 2.5 * felt.height && felt.width > 1400) faults.push('the felt is empty at its sides');
    const shown = [...document.querySelectorAll('.plate, .hole, .bet, .board, .pot')].filter(
        (node) => node.textContent.trim() || node.querySelector('svg'));
    const across = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
    shown.forEach((one, at) => shown.slice(at + 1).forEach((other) => {
        if (across(box(one), box(other))) faults.push(`${one.className} lies over ${other.className}`); }));
    const bets = document.querySelectorAll('.bet:not(:empty)');
    if ([...bets].some((bet) => !bet.checkVisibility() || !box(bet).width)) faults.push('a bet is hidden');
    return [faults, bets.length];
}"""
"""What lies outside of the window or over something else, and how many bets lie on the table."""


def deal_until_asked(page: Any) -> None:
    page.wait_for_selector(f"[data-testid=deal]:enabled, {READY}")
    while not page.locator(READY).count():
        page.keyboard.press("d")
        page.wait_for_selector(f"[data-testid=deal]:enabled, {READY}")


@pytest.mark.parametrize("bots", [1, 5, pytest.param(8, marks=pytest.mark.slow), 9])
def test_controls_board_cards_and_bets_are_in_view_on_every_screen(
    bots: int, page: Any, served: Served, url: str
) -> None:
    tab = host_socket(served)
    tab.ask(kind="play.open", id=1, bots=["call"] * bots)
    tab.close()
    page.goto(url)
    deal_until_asked(page)
    page.get_by_test_id("settings").locator("summary").click()
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function(
            "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"
        )
        faults, bets = page.evaluate(FAULTS)
        assert (faults, bets > 0) == ([], True), f"{width} x {height}"


def test_plates_of_bots_of_one_kind_show_what_tells_them_apart(page: Any, served: Served, url: str) -> None:
    tab = host_socket(served)
    tab.ask(kind="play.open", id=1, bots=["expert-loose"] * 5)
    tab.close()
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(url)
    deal_until_asked(page)
    cut, seen = page.evaluate("""() => {
        const names = [...document.querySelectorAll('.plate .name')].slice(1), ends = names.map((name) => {
            const text = name.firstChild.firstChild, range = document.createRange();
            range.setStart(text, text.length - 1); range.setEnd(text, text.length);
            const [end, box] = [range, name].map((each) => each.getBoundingClientRect());
            return end.left >= box.left && end.right <= box.right + 1 ? text.data.at(-1) : ''; });
        return [names.every((name) => name.scrollWidth > name.clientWidth), ends]; }""")
    assert cut and seen == list("12345")


def betting(page: Any) -> str:
    return str(page.get_by_test_id("pot").get_attribute("data-betting"))


def test_held_keys_letters_in_the_amount_and_hurried_clicks_do_nothing_else(
    page: Any, url: str, sit: Callable[[str], None]
) -> None:
    sit("call")
    amount, before = page.get_by_test_id("amount"), betting(page)
    page.evaluate("window.dispatchEvent(new KeyboardEvent('keydown', {key: 'c', repeat: true}))")
    page.evaluate("document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'c', repeat: true, bubbles: true}))")
    page.keyboard.press("Enter")  # deals, and never bets
    page.keyboard.press("7")
    page.keyboard.press("0")
    assert amount.input_value() == "70"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.dataset.testid") != "amount"
    assert betting(page) == before
    page.evaluate("window.limpetGuard = 60_000")  # the next decision takes no answer while it is new
    page.keyboard.press("5")
    page.keyboard.press("c")  # calls, and is not typed
    page.wait_for_function("(was) => document.querySelector('[data-testid=pot]').dataset.betting !== was", arg=before)
    page.wait_for_function("() => document.querySelector('[data-testid=board]').children.length === 3")
    asked = betting(page)
    assert page.get_by_test_id("call").is_disabled()
    for key in ("c", "f", "r"):
        page.keyboard.press(key)
    page.get_by_test_id("call").click(force=True)
    page.get_by_test_id("call").dblclick(force=True)
    page.wait_for_timeout(50)
    assert betting(page) == asked


def test_tables_and_the_lobby_have_addresses_and_back_stays_on_the_page(
    page: Any, url: str, sit: Callable[[str], None]
) -> None:
    sit("call")
    table = page.url
    assert "#/play/" in table and not table.endswith("/new")
    page.get_by_role("tab", name="New table").click()
    page.wait_for_url("**/#/play/new")
    page.get_by_test_id("sit").wait_for()
    page.go_back()
    page.wait_for_url(table)
    page.wait_for_selector(READY)
    page.get_by_role("button", name="Leave the table").click()
    page.get_by_test_id("sit").wait_for()
    page.goto(f"{url}#/play/left")  # the address of a table that was left opens no other one, and Back leads out of it
    page.wait_for_url("**/#/play/new")
    page.get_by_test_id("sit").wait_for()
    assert page.get_by_role("tab").count() == 1
    page.get_by_role("link", name="Solve").click()
    page.go_back()
    page.go_back()
    page.wait_for_function("() => location.hash === '#/play/new'")


def test_a_phone_shows_the_whole_name_of_its_table(page: Any, served: Served, url: str) -> None:
    tab = host_socket(served)
    for bots, carry in ((["call"], False), (["expert", "call", "random"], True)):
        key = tab.ask(kind="play.open", id=1, bots=bots, carry=carry, stack=40)["value"]["key"]
    tab.close()
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{url}#/play/{key}")
    page.get_by_role("tab", selected=True).filter(has_text="stacks carried").wait_for()
    assert page.evaluate("""() => { const box = (node) => node.getBoundingClientRect();
        const tabs = document.querySelector('[role=tablist]'), own = tabs.querySelector('[aria-selected=true]');
        return box(own).left >= box(tabs).left - 1 && box(own).right <= box(tabs).right + 1
            && own.scrollWidth <= own.clientWidth; }""")


def test_new_cards_alone_are_announced(page: Any, url: str, sit: Callable[[str], None]) -> None:
    sit("call")
    live = "(id) => document.querySelector(`[data-testid=${id}]`).getAttribute('aria-live')"
    assert [page.evaluate(live, name) for name in ("board", "hero-cards", "villain-cards")] == [
        "polite",
        "polite",
        "off",
    ]
    wait = "(count) => document.querySelector('[data-testid=board]').children.length === count"
    page.get_by_test_id("call").click()
    page.wait_for_function(wait, arg=3)
    page.evaluate("window.flop = [...document.querySelector('[data-testid=board]').children]")
    page.wait_for_selector(READY)
    page.get_by_test_id("call").click()
    page.wait_for_function(wait, arg=4)
    assert page.evaluate("window.flop.every((card) => card.isConnected)")


def test_an_open_page_comes_back_after_the_server_was_started_again(
    browser: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("again")
    first = Served(folder, "call")
    context = browser.new_context(reduced_motion="reduce")
    try:
        page = context.new_page()
        page.goto(first.url)
        deal_until_asked(page)
        first.end()
        page.wait_for_function("() => /No connection/.test(document.getElementById('line').textContent)")
        first = Served(folder, "call", port=first.address.rpartition(":")[2])
        page.wait_for_function("() => document.getElementById('line').textContent === ''")
        deal_until_asked(page)
    finally:
        context.close()
        first.end()
