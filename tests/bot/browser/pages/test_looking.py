"""A person walks a strategy, solves a spot, draws charts, and looks inside a hand."""

import re
import shutil
from typing import Any

import pytest

from limpet.strategies.holdem.solutions.solve import TABLES
from tests.bot.browser.pages.test_playing import Sit, play_hand
from tests.bot.browser.wire import Served


def test_a_strategy_is_walked_to_the_flop(page: Any, url: str) -> None:
    page.goto(url + "#/strategy/hunl-200bb")
    page.get_by_test_id("grid").wait_for()
    assert page.locator("[data-testid=grid] button").count() == 169
    page.locator("[data-testid=grid] [data-name=AKs]").hover()
    page.locator(".detail th", has_text="AsKs").wait_for()
    assert page.locator(".detail tbody tr").count() == 1 + 4
    page.get_by_test_id("edge").filter(has_text="raise 3 bb").click()
    page.locator("[data-testid=decision]", has_text="Big blind").wait_for()
    page.get_by_test_id("edge").filter(has_text="call").click()
    for card in ("Ks", "7h", "2d"):
        page.get_by_test_id(f"card-{card}").click()
    page.locator("[data-testid=decision]", has_text="flop").wait_for()
    page.get_by_test_id("grid").wait_for()
    assert "hunl-200bb/r300c%2F/Ks7h2d" in page.url
    edges = page.get_by_test_id("edge")
    looks = [edges.filter(has_text=name).first.locator(".swatch").get_attribute("style") for name in ("check", "bet")]
    assert looks[0].count("rgb") > 3 > looks[1].count("rgb"), "a check is told from a bet by colour alone"
    assert [button.inner_text() for button in page.locator(".views button").all()] == [
        "Strategy",
        "Reach",
        "Both reaches",
    ]
    assert page.locator("[data-testid=kinds-draw] [data-name='no draw']").is_visible()
    page.get_by_test_id("value-5").click()
    page.locator("[data-testid=grid] [data-name=AA][aria-label^='AA: Big blind ']").wait_for()
    assert page.get_by_test_id("range-0").is_visible() and page.get_by_test_id("range-1").is_visible()
    page.get_by_test_id("way").get_by_role("button").first.click()
    page.locator("[data-testid=decision]", has_text="preflop").wait_for()


def test_two_decisions_of_strategies_are_compared(page: Any, url: str) -> None:
    page.goto(url + "#/strategy/hunl-200bb/r300c%2F/Ks7h2d")
    page.get_by_test_id("compare").click()  # with itself, and then with the decision after one more bet
    page.get_by_test_id("totals").wait_for()
    assert "/strategy%3Ahunl-200bb/raise%203%2C%20call%2C%20Ks%2C%207h%2C%202d/" in page.url
    page.get_by_test_id("together").uncheck()
    page.get_by_test_id("side-1").get_by_test_id("edge").filter(has_text="check").click()
    page.locator("[data-testid=side-1] [data-testid=decision]", has_text="In position").wait_for()
    page.get_by_test_id("together").check()
    page.get_by_test_id("side-0").get_by_test_id("way").get_by_role("button").nth(2).click()  # back over one action
    page.wait_for_function("() => location.hash.endsWith('/raise%203/strategy%3Ahunl-200bb/raise%203%2C%20call/both')")


@pytest.mark.slow
def test_a_grid_is_walked_with_the_arrow_keys(page: Any, url: str) -> None:
    page.goto(url + "#/strategy/hunl-200bb")
    page.get_by_test_id("grid").wait_for()
    page.locator("[data-testid=grid] [data-name=AA]").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("() => document.activeElement.dataset.name") == "KK"
    assert page.locator(".detail h2").inner_text() == "KK"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("() => document.activeElement.dataset.name") == "AKo"


@pytest.mark.slow
def test_a_small_game_lists_its_hands(page: Any, url: str) -> None:
    page.goto(url + "#/strategy/leduc")
    page.get_by_test_id("grid").wait_for()
    assert page.locator("[data-testid=grid] tbody tr").count() == 6


def test_a_spot_is_solved_and_walked_and_another_bet_tried(page: Any, url: str) -> None:
    page.goto(url + "#/solve")
    page.wait_for_function("() => document.querySelector('input[data-testid=board]')?.value")
    page.get_by_test_id("preset").select_option("single-raised-flop")
    page.locator("[data-testid=about]", has_text="the button raised to 2.5").wait_for()
    page.locator(
        "[data-testid=cost]", has_text=re.compile(r"tree: 127,896 .* MiB.*on \d+ threads?: some \d+ s")
    ).wait_for()
    page.get_by_test_id("pot").fill("ten")
    page.locator("[data-testid=cost]", has_text="pot: 'ten' does not fit").wait_for()
    page.get_by_test_id("preset").select_option("river-bluffcatch")
    page.locator("[data-testid=cost]", has_text="tree: 16 decisions").wait_for()
    page.get_by_test_id("solve").click()
    page.get_by_test_id("exploitability").wait_for()
    assert "reached its target" in page.get_by_test_id("progress").inner_text()
    made = page.get_by_test_id("kinds-made")
    assert made.locator("[data-name=set]").is_visible() and not page.get_by_test_id("kinds-draw").count()
    shares = made.locator("tbody td:nth-of-type(1)").all_inner_texts()
    assert sum(float(share.split()[0]) for share in shares) == pytest.approx(100, abs=0.5)
    evs = page.locator("[data-testid=grid] .ev:not(:empty)")
    known = evs.all_inner_texts()  # of the classes, which the server works out
    page.get_by_test_id("value-1").click()
    page.get_by_text("EV of the pot in big blinds; the highest fills its cell.").wait_for()
    assert evs.all_inner_texts() == known
    page.get_by_test_id("value-2").click()
    page.locator("[data-name=AKs][aria-label='AKs: 100']").wait_for()
    assert all(0 <= int(text) <= 100 for text in evs.all_inner_texts())
    page.get_by_test_id("edge").filter(has_text="check").click()
    page.locator("[data-testid=decision]", has_text="In position").wait_for()
    page.get_by_text("Equity in %; the highest fills its cell.").wait_for()
    page.get_by_test_id("value-4").click()
    page.get_by_text("How often in position comes here with each hand").wait_for()
    assert page.locator("[data-testid=grid] [data-name=AQs]").get_attribute("aria-label") == "AQs: 100"
    assert page.locator("[data-testid=grid] [data-name=T9s]").get_attribute("aria-label") == "T9s: unknown"
    page.get_by_test_id("value-5").click()
    own, other = (page.locator(f"[data-testid=grid] [data-name={name}]") for name in ("AQs", "T9s"))
    assert own.get_attribute("aria-label") == "AQs: Out of position –, In position 100"
    said = re.fullmatch(r"T9s: Out of position ([\d.]+), In position –", other.get_attribute("aria-label") or "")
    assert said is not None and 0 < float(said[1]) < 100 and "nobody" not in str(other.get_attribute("class"))
    page.get_by_test_id("value-0").click()
    page.locator("[data-name=AQs][aria-label*=check]").first.wait_for()
    assert "nobody" in str(other.get_attribute("class"))
    page.get_by_test_id("lock-this").click()
    page.locator("[data-testid=lock-after]").wait_for()
    assert page.get_by_test_id("lock-after").input_value() == "check"
    page.get_by_test_id("what-if-size").fill("60")
    page.get_by_test_id("what-if").click()
    page.locator("[data-testid=way]", has_text="bet 6").wait_for()
    page.get_by_test_id("compare").click()  # the decision after the bet, beside itself
    page.get_by_test_id("totals").wait_for()
    page.get_by_test_id("together").uncheck()
    page.get_by_test_id("side-1").get_by_role("button", name="Start").click()
    page.locator("[data-testid=side-1] [data-testid=decision]", has_text="Out of position").wait_for()
    assert "/check%2C%20bet%206//" in page.url
    page.get_by_test_id("view-difference").click()
    page.get_by_test_id("difference").locator(".cell:not(.nobody)").first.hover()
    page.get_by_test_id("class-difference").wait_for()


@pytest.mark.slow
def test_a_solve_is_kept_compared_with_another_one_and_opened_again(page: Any, url: str) -> None:
    page.goto(url + "#/solve")
    page.wait_for_function("() => document.querySelector('input[data-testid=board]')?.value")
    for bets, name in (("33", "small"), ("75", "large")):
        page.get_by_test_id("bets").fill(bets)
        page.get_by_test_id("raises").fill("100")
        page.get_by_test_id("solve").click()
        page.get_by_test_id("keep-name").fill(name)
        page.get_by_test_id("keep").click()
        page.locator("[data-testid=kept]", has_text=f"solves/{name}").wait_for()
        page.wait_for_function(
            "(name) => document.querySelector('[data-testid=open-kept]')?.value.endsWith(name)", arg=f"solves/{name}"
        )
    page.goto(url + "#/compare/tables%2Fsolves%2Fsmall//tables%2Fsolves%2Flarge/check/difference")
    page.reload()  # what is kept needs nothing of the page before
    page.get_by_test_id("difference").wait_for()
    page.get_by_test_id("side-1").get_by_role("button", name="Start").click()
    rows = page.locator("[data-testid=totals] tbody tr")
    page.locator("[data-testid=totals] th", has_text="bet 7.5").wait_for()
    assert [row.split()[0] for row in rows.all_inner_texts()[:3]] == ["check", "bet", "all-in"]
    page.get_by_test_id("solve-1").select_option("tables/solves/small")
    page.wait_for_function(
        "() => [...document.querySelectorAll('[data-testid=totals] td:last-child')].every((cell) => /^0\\.0*$/.test(cell.innerText))"
    )
    page.goto(url + "#/solve/tables%2Fsolves%2Flarge//check")
    page.locator("[data-testid=way]", has_text="check").wait_for()
    page.locator("[data-testid=edge]", has_text="bet 7.5").wait_for()
    assert page.get_by_test_id("bets").input_value() == "75"


def test_what_every_next_card_does_is_seen_and_one_of_them_chosen(page: Any, url: str) -> None:
    page.goto(url + "#/solve")
    page.wait_for_function("() => document.querySelector('input[data-testid=board]')?.value")
    page.get_by_test_id("board").fill("AhKd8h4c")
    page.get_by_test_id("solve").click()
    page.get_by_test_id("equity-graph").locator("summary").click()
    page.get_by_test_id("equity-graph").locator("svg.chart").nth(1).wait_for()
    for position in ("In position", "Out of position"):
        page.get_by_test_id("edge").filter(has_text="check").click()
        page.locator("[data-testid=decision]", has_text=position).wait_for()
    cards = page.get_by_test_id("next-cards")
    cards.wait_for()
    assert cards.locator("button").count() == 52 and cards.locator("[aria-disabled=true]").count() == 4
    cards.locator("[data-name='As']").focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight"):  # over the ace of hearts, which is on the board
        page.keyboard.press(key)
    assert page.locator(".card-detail").inner_text().replace("\n", "").startswith("Qh falls")
    page.get_by_test_id("cards-view-1").click()
    value = float(cards.locator("[data-name='2c'] .ev").inner_text())
    cards.locator("[data-name='2c']").hover()
    said = re.search(r"Out of position ([\d.]+) bb, equity", page.locator(".card-detail").inner_text())
    assert said is not None and float(said[1]) == pytest.approx(value, abs=0.06)
    cards.locator("[data-name='2c']").click()
    page.locator("[data-testid=decision]", has_text="2c").wait_for()


@pytest.mark.slow
def test_many_boards_are_solved_behind_the_page_and_one_is_opened(page: Any, url: str) -> None:
    page.goto(url + "#/solve")
    page.wait_for_function("() => document.querySelector('input[data-testid=board]')?.value")
    page.get_by_test_id("many-boards").click()
    page.get_by_test_id("batch-boards").fill("3")
    page.get_by_test_id("batch-name").fill("three rivers")
    page.get_by_test_id("batch-line").fill("check, all-in")
    page.get_by_test_id("batch-seed").fill("4")
    page.locator(
        "[data-testid=batch-cost]", has_text="100 iterations of 3 boards by 1 process: a second or less."
    ).wait_for()
    page.get_by_test_id("begin-batch").click()
    page.locator("[data-testid=batch-state]", has_text="3 of 3").wait_for()
    page.locator("[data-testid=batch-size]", has_text="3 boards, after check, all-in").wait_for()
    page.get_by_test_id("sort-share_oop").click()
    assert page.locator("th[aria-sort=descending]").count() == 1
    page.get_by_test_id("group-ranks").click()
    page.get_by_test_id("sort-of_all").wait_for()
    page.get_by_test_id("group-ranks").click()
    page.locator("[data-testid^=open-]").first.click()
    page.get_by_test_id("exploitability").wait_for()


def test_a_long_solve_shows_progress_and_can_be_stopped(page: Any, url: str) -> None:
    page.goto(url + "#/solve")
    page.wait_for_function("() => document.querySelector('input[data-testid=board]')?.value")
    page.get_by_test_id("board").fill("KsTh7s4d")
    page.get_by_test_id("first").fill("random")
    page.get_by_test_id("second").fill("random")
    page.get_by_test_id("target").fill("0")
    page.get_by_test_id("solve").click()
    page.wait_for_function("() => /Iteration \\d/.test(document.querySelector('[data-testid=progress]').textContent)")
    page.get_by_test_id("stop").click()
    page.locator("[data-testid=progress]", has_text="was stopped").wait_for()
    page.get_by_test_id("grid").wait_for()


def test_kept_solves_with_long_names_stay_inside_the_window(page: Any, served: Served, url: str) -> None:
    kept = served.folder / "tables" / "solves" / ("wide-bets-" * 6)
    kept.mkdir(parents=True)
    (kept / TABLES).touch()
    for address, choice in (("#/solve", "open-kept"), ("#/compare", "solve-0"), ("#/play/new", "opponent")):
        page.goto("about:blank")
        page.goto(url + address)
        page.get_by_test_id(choice).locator("option").nth(1).wait_for(state="attached")
        for another in page.get_by_role("button", name="Another kind of opponent").all():
            another.click()
        for width in (390, 768, 1280, 1440):
            page.set_viewport_size({"width": width, "height": 844})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
    shutil.rmtree(kept)


def test_a_mistake_in_the_form_is_named(page: Any, url: str) -> None:
    page.goto(url + "#/solve")
    page.wait_for_function("() => document.querySelector('input[data-testid=board]')?.value")
    page.get_by_test_id("more-bets").click()
    page.get_by_test_id("position").select_option("the player in position")
    for name, typed, told in (
        (
            "raises",
            "foo",
            "Raises, % of the pot: foo does not fit; write % of the pot, up to 2000, or 2.5x, min, e, 2e,",
        ),
        ("bets", "-33", "Bets, % of the pot: -33 does not fit; write % of the pot, up to 2000, or min, e, 2e, all-in"),
        ("bets", "flop 50; turn 3x", "Bets, % of the pot: 3x does not fit"),
        ("bets", "0e", "Bets, % of the pot: 0e does not fit"),
        ("raises_in_position", "2001", "Raises in position: 2001 does not fit"),
        ("donk", "x", "Bets into the raiser: x does not fit"),
        ("all_in_spr", "x", "All-in where so many pots are left: x does not fit; write a number from 0 on, or never."),
        ("all_in_share", "-1", "All-in for a bet of this share of what is left: -1 does not fit; write a number from"),
        ("stack_share", "never", "Most of the whole stack in a bet: never does not fit; write a number from 0 on."),
        ("raise_cap", "1.5", "Most raises a street: 1.5 does not fit; write a whole number, or one for each street"),
        ("other_bets", "foo", "The other player's menu, Bets, % of the pot: foo does not fit"),
        ("first", "nonsense", "range out of position: range 'nonsense'"),
    ):
        field = page.get_by_test_id(name)
        right = field.input_value()
        field.fill(typed)
        page.get_by_test_id("solve").click()
        page.locator("[role=alert]", has_text=told).wait_for()
        if name == "raises":  # what a solve would cost is said once nothing has changed for a moment
            page.get_by_test_id("cost").filter(has_text=told).wait_for()
        field.fill(right)


def test_charts_of_short_stacks_and_prize_money(page: Any, url: str) -> None:
    page.goto(url + "#/pushfold")
    page.get_by_test_id("slot-SB").wait_for()
    assert "58.3" in page.get_by_test_id("slot-SB").inner_text()
    page.get_by_test_id("slot-SB,BB").click()
    page.get_by_role("heading", name="BB calls after SB went all-in").wait_for()
    page.get_by_test_id("my-hand").fill("7h2c")
    page.get_by_test_id("my-hand").press("Enter")
    page.locator("[data-testid=my-line]", has_text="SB,BB with 72o: all-in 0.0 %").wait_for()
    assert "marked" in str(page.locator("[data-testid=grid] [data-name='72o']").get_attribute("class"))
    page.get_by_test_id("slot-SB").click()
    page.get_by_test_id("by-depth").click()
    page.get_by_test_id("last-depth").fill("6")
    page.get_by_test_id("draw-depths").click()
    chart = page.get_by_test_id("depths")
    chart.locator("img").wait_for()
    assert page.evaluate("() => document.querySelector('img.depths').decode().then(() => true)")
    chart.get_by_text("As text", exact=True).click()
    assert "94s 5" in chart.locator("pre").inner_text()
    with page.expect_download() as download:
        page.get_by_test_id("save-picture").click()
    assert download.value.suggested_filename == "SB.svg"
    for blinds in ("100", "50, 100, 200"):
        page.get_by_test_id("blinds").fill(blinds)
        page.get_by_test_id("work-out").click()
        page.locator("[role=alert]", has_text="Blinds: write two numbers").wait_for()
        page.get_by_test_id("my-hand").fill("AA")
        page.get_by_test_id("my-hand").press("Enter")  # no answer of the spot before
        assert page.locator("[data-testid=slot-SB], [data-testid=grid]").count() == 0
        assert not any(page.get_by_test_id(name).inner_text() for name in ("my-line", "solved"))
        page.get_by_test_id("blinds").fill("0.5, 1")
        page.get_by_test_id("work-out").click()
        page.locator("[data-testid=my-line]", has_text="SB with AA: all-in 100.0 %").wait_for()
    page.goto(url + "#/icm")
    page.get_by_test_id("equities").wait_for()
    assert "38.39" in page.get_by_test_id("equities").inner_text()
    page.get_by_test_id("payouts").fill("0")
    page.get_by_test_id("work-out").click()
    page.locator("[role=alert]", has_text="give finite prizes of 0 or more, with one above 0").wait_for()
    assert page.get_by_test_id("equities").count() == 0


def test_an_answer_that_comes_after_its_page_was_left_changes_no_address(page: Any, url: str) -> None:
    frames: list[str] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: frames.append(str(frame))))
    page.goto(url + "#/jobs")
    page.get_by_test_id("jobs").wait_for()
    page.evaluate("""() => {
        const leave = (changes, watcher) => {
            if (document.querySelector("[data-testid=payouts]")) { watcher.disconnect(); location.hash = "#/jobs"; }
        };
        new MutationObserver(leave).observe(document.getElementById("main"), { childList: true });
        location.hash = "#/icm";
    }""")
    while not any("bubble_factor" in frame for frame in frames):
        page.wait_for_timeout(20)
    assert page.evaluate("location.hash") == "#/jobs"


def test_the_hand_just_played_is_looked_into(page: Any, sit: Sit) -> None:
    sit("blueprint")
    assert page.get_by_test_id("look-inside").is_disabled()
    play_hand(page)
    page.get_by_test_id("look-inside").click()
    inside = page.get_by_test_id("inside")
    inside.get_by_test_id("grid").first.wait_for()
    assert "Study mode" not in inside.inner_text()
    inside.get_by_test_id("step-0").click()
    source = inside.locator(".inside-decision:not([aria-busy]) [data-testid=source]")
    source.filter(
        has_text=re.compile("^The bot (decided|expects its opponent to decide) by the strategy that the bot")
    ).wait_for()
    assert inside.get_by_test_id("range-0").count() == 1
    inside.get_by_test_id("what-if").click()
    inside.locator("[data-testid=what-if-answer] [data-testid=grid]").wait_for()


@pytest.mark.slow
def test_an_earlier_hand_is_looked_into_from_the_history(page: Any, sit: Sit) -> None:
    sit("blueprint")
    play_hand(page)
    page.get_by_test_id("history").locator("summary").first.click()
    page.get_by_test_id("history").get_by_role("link", name="Look inside").click()
    page.get_by_role("heading", name="Look inside a hand").wait_for()
    page.get_by_test_id("inside").get_by_test_id("grid").first.wait_for()


def test_a_hand_is_looked_into_while_it_is_played_in_study_mode_alone(page: Any, sit: Sit) -> None:
    sit("blueprint")
    page.get_by_test_id("study").check()
    page.get_by_test_id("study-cards").wait_for()
    page.locator("[data-testid=inside] [data-testid=grid]").first.wait_for()
    assert page.get_by_test_id("villain-cards").get_attribute("data-cards") == "????"
    cards = page.get_by_test_id("study-cards").inner_text()
    page.get_by_test_id("study").uncheck()
    play_hand(page)
    page.get_by_test_id("aivat").wait_for()
    shown = page.get_by_test_id("villain-cards").get_attribute("data-cards")
    assert [letter for letter in cards if letter in "23456789TJQKA"] == [shown[0], shown[2]]
