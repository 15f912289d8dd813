"""What a person chooses for all tables: units, bets, keys, sounds; and what is decided before one's turn."""

from typing import Any

from tests.bot.browser.pages.test_playing import Sit
from tests.bot.browser.wire import RawSocket, Served, host_socket


def test_big_blinds_ones_own_bets_keys_and_a_turned_table_are_kept(page: Any, sit: Sit) -> None:
    sit("call")
    options, stack = page.get_by_test_id("settings"), page.locator(".seat.near .stack")
    raise_, says = page.get_by_test_id("raise"), page.get_by_test_id("says")
    assert int(stack.inner_text()) > 100
    options.locator("summary").click()
    assert not page.get_by_test_id("sound").is_checked()
    page.get_by_test_id("blinds").check()
    page.get_by_test_id("sizes").fill("40, nonsense 6bb")
    page.get_by_test_id("sizes").blur()
    page.get_by_test_id("key-fold").fill("c")  # another action's
    page.get_by_test_id("key-call").fill("k")
    page.get_by_test_id("turn").click()
    page.reload()
    page.wait_for_selector("[data-testid=call]:enabled")
    assert page.locator(".seat.far [data-testid=hero-cards]").count() == 1
    assert stack.inner_text().endswith(" bb") and float(stack.inner_text()[:-3]) < 200
    assert page.locator(".shares button").all_inner_texts() == ["40%", "6 bb", "All-in"]
    page.get_by_role("button", name="40 percent of the pot").click()
    assert says.inner_text() == "50% pot"  # 40 % would be less than the smallest raise
    page.get_by_role("button", name="6 bb").click()
    assert raise_.inner_text() == "Raise to 6 bb"
    page.get_by_test_id("amount").fill("2.5")
    assert raise_.inner_text() == "Raise to 2.5 bb"
    page.get_by_test_id("amount").blur()
    page.get_by_test_id("slider").fill("600")
    percent, amount = says.inner_text().removesuffix("% pot"), float(page.get_by_test_id("amount").input_value())
    assert int(percent) % 5 == 0 and amount == 1 + 2 * int(percent) / 100
    keys = [page.get_by_test_id(name).get_attribute("aria-keyshortcuts") for name in ("fold", "call", "raise")]
    assert keys == ["f", "k", "r"]
    page.get_by_test_id("slider").focus()  # letters mean nothing to a slider, and are keys there too
    page.keyboard.press("c")  # no key any more
    page.keyboard.press("k")
    page.wait_for_function("() => document.querySelector('[data-testid=board]').children.length === 3")


def test_what_one_tab_changes_is_kept_by_another(page: Any, sit: Sit) -> None:
    sit("call")
    other = page.context.new_page()
    other.goto(page.url)
    other.wait_for_selector("[data-testid=call]:enabled")
    for each in (page, other):
        each.get_by_test_id("settings").locator("summary").click()
    page.get_by_test_id("blinds").check()
    other.locator(".seat.near .stack", has_text=" bb").wait_for()
    assert other.get_by_test_id("blinds").is_checked()
    other.get_by_test_id("sound").check()
    page.reload()
    page.wait_for_selector("[data-testid=call]:enabled")
    assert page.get_by_test_id("blinds").is_checked() and page.get_by_test_id("sound").is_checked()


def test_a_fold_decided_ahead_is_played_when_the_turn_comes(page: Any, served: Served, url: str) -> None:
    tab = host_socket(served)
    key = tab.ask(kind="play.open", id=1, bots=[], people=1)["value"]["key"]
    view = tab.ask(kind="play.sit", id=2, key=key)["value"]["view"]
    tab.ask(kind="play.deal", id=3, key=key)
    tab.close()
    seat = view["invited"]["Guest-1"]
    guest = RawSocket(served.address, target=f"/socket?token={seat}", Origin=f"http://{served.address}")
    guest.ask(kind="play.sit", id=1, key=seat)
    guest.ask(kind="play.deal", id=2, key=seat)
    page.goto(url)
    page.get_by_test_id("give").wait_for()  # the guest thinks
    assert view["title"] == "1 guest, 200 bb"
    page.keyboard.press("z")
    page.keyboard.press("X")  # with Shift or Caps Lock
    pressed = [page.get_by_test_id(name).get_attribute("aria-pressed") for name in ("give", "any")]
    assert pressed == ["true", "false"]
    hand = guest.ask(kind="play.sit", id=3, key=seat)["value"]["view"]["hand"]
    act = {"key": seat, "hand": hand["hand"], "betting": hand["betting"]}
    assert guest.ask(kind="play.act", id=4, action="r", size=300, **act)["kind"] == "answer"
    page.wait_for_selector("[data-testid=deal]:enabled")
    assert page.get_by_test_id("result").get_attribute("data-chips") == "-100"
    assert page.get_by_test_id("give").get_attribute("aria-pressed") == "false"
    page.keyboard.press("D")
    page.get_by_test_id("deal").wait_for(state="hidden")
    guest.close()


def test_stacks_are_carried_to_the_next_hand_and_topped_up(page: Any, served: Served, url: str) -> None:
    tab = host_socket(served)
    tab.ask(kind="play.open", id=1, bots=["call"], carry=True, stack=50)
    tab.close()
    page.goto(url)
    assert page.get_by_role("tab").first.inner_text() == "call, 50 bb, stacks carried"
    asked, over = "[data-testid=call]:enabled", "[data-testid=deal]:enabled"

    def play() -> tuple[int, int]:
        """Have a hand dealt, fold or check until it is over, and return the person's chips before it and after it."""
        page.locator(over).click()
        page.wait_for_selector(asked)
        before = sum(int(page.locator(f".seat.near .{name}").inner_text()) for name in ("stack", "bet"))
        while page.locator(asked).count():
            was = page.get_by_test_id("pot").get_attribute("data-betting")
            page.locator("[data-testid=fold]:enabled").or_(page.locator(asked)).first.click()
            page.wait_for_function(
                "(was) => document.querySelector('[data-testid=pot]').dataset.betting !== was", arg=was
            )
            page.wait_for_selector(f"{asked}, {over}")
        return before, int(page.locator(".seat.near .stack").inner_text())

    before, chips = play()
    assert before == 5_000
    while chips >= 5_000:
        had = chips
        before, chips = play()
        assert before == had
    page.get_by_test_id("top-up").click()
    page.locator(".note", has_text="You have 5000 now.").wait_for()
    assert page.get_by_test_id("top-up").is_hidden()
    assert play()[0] == 5_000


def test_a_bot_of_heads_up_hands_alone_sits_down_where_stacks_are_carried(served: Served, url: str) -> None:
    tab = host_socket(served)
    key = tab.ask(kind="play.open", id=1, bots=["blueprint"], carry=True, stack=50)["value"]["key"]
    view = tab.ask(kind="play.sit", id=2, key=key)["value"]["view"]
    tab.ask(kind="play.deal", id=3, key=key)
    while not view.get("hand"):
        assert not view.get("fault")
        view = tab.next()
    assert view["purse"] == {"stack": 5_000, "buy_in": 5_000}
    tab.close()
