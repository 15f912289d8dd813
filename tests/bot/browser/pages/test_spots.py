"""Whatever a spot's file says can be said in the page's form, and the other way round."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from limpet.bot.browser.views.spot_form import CHOICES, read_form, spot_of
from limpet.configs.loading import shipped_names
from limpet.strategies.abstraction.menu import ByStreet, Sizes
from limpet.strategies.holdem.solutions.spot import Spot, load_spot

PLAIN = "board: AhKd8h4c2s\npot: 10\nstack: 20\n"
LOCKED = """
board: 7h6h5c3c
pot: 12
stack: [20, 30]
ranges: ['AK,QQ:0.5', '22+']
menu:
  sizes: {flop: [[0.33]], turn: [[2e]], river: [[0.5, e], [3x], []]}
  in_position: [[[1.0], [min]]]
  donk: {turn: [[0.25, e]], river: [[]]}
  all_in_spr: 1.5
  all_in_share: 0.7
  stack_share: 0.9
  raise_cap: [4, 3, 2, 2]
  position: 0
  opponents: {sizes: [[[0.66], [2.5x]]], in_position: {flop: [[0.2]], turn: [[0.4]]}, all_in_spr: never, raise_cap: 2}
big_blind: 2
chip: 0.5
algorithm: cgh
parameters: {constant: 0.2, ties: largest}
iterations: 77
seconds: 9.5
target: 0.25
threads: 2
storage: int16
merge: none
note: 'weak: calls'
locks:
- {after: [check], play: {check: 0.25, bet: rest}}
- {play: {check: "22+", bet: rest}}
rake: {percent: 5, cap: 3}
"""
GROUPED = PLAIN + "merge: groups\ngroups: {distance: rank, identity: river, per_round: false}\n"
"""Locks and groups exclude each other."""
KEYS = [field.name for field in msgspec.structs.fields(Spot)]
"""The keys of a spot's file."""

SAID = """(key) => [...document.querySelectorAll(`[data-key=${key}]`)]
    .flatMap((part) => part.matches("input, select") ? [part] : [...part.querySelectorAll("input, textarea")])
    .map((part) => part.type === "checkbox" ? part.checked : part.value)"""

Fill = Callable[[str], None]


def spot(text: str) -> Spot:
    return spot_of(read_form(text))


@pytest.fixture
def filled(page: Any, url: str) -> Fill:
    """Fills the form with the text of a spot's file."""
    page.goto(url + "#/solve")
    page.wait_for_function("() => document.querySelector('input[data-testid=board]')?.value")
    page.get_by_test_id("as-file").click()
    page.wait_for_function("() => document.querySelector('[data-testid=spot-text]').value")

    def fill(text: str) -> None:
        page.get_by_test_id("spot-text").fill(text)
        page.get_by_test_id("read-spot").click()
        page.locator("[data-testid=spot-said]", has_text="say it now").wait_for()

    return fill


def written(page: Any) -> Spot:
    """The spot that the form says."""
    page.get_by_test_id("spot-text").fill("")
    page.get_by_test_id("write-spot").click()
    page.wait_for_function("() => document.querySelector('[data-testid=spot-text]').value")
    return spot(page.get_by_test_id("spot-text").input_value())


def test_every_key_of_a_file_has_a_field_that_says_it_and_keeps_it(page: Any, filled: Fill) -> None:
    filled(PLAIN)
    for name, words in CHOICES.items():
        offered = page.get_by_test_id(name).locator("option").all_text_contents()
        assert [word for word in offered if ":" not in word] == list(words)
    usual = {key: page.evaluate(SAID, key) for key in KEYS}
    shown: set[str] = set()
    for text in (LOCKED, GROUPED):
        filled(text)
        shown |= {key for key in KEYS if page.evaluate(SAID, key) != usual[key]}
        assert written(page) == spot(text)
    assert shown == set(KEYS)
    filled(LOCKED)
    another_menu_is_changed_left_and_taken(page)
    filled(LOCKED)
    locks_are_removed_changed_and_added(page)


def another_menu_is_changed_left_and_taken(page: Any) -> None:
    page.get_by_test_id("more-bets").click()
    page.get_by_test_id("other_bets").fill("80")
    menu = written(page).menu
    assert menu.position == 0
    assert menu.opponents is not None and menu.opponents.sizes == (((0.8,), ("2.5x",)),)
    assert menu.opponents.raise_cap == 2
    page.get_by_test_id("position").select_option("both players")
    alone = written(page).menu
    assert (alone.position, alone.opponents, alone.sizes) == (None, None, menu.sizes)
    page.get_by_test_id("position").select_option("the player in position")
    assert (taken := written(page).menu).position == 1 and taken.opponents == alone


def locks_are_removed_changed_and_added(page: Any) -> None:
    page.get_by_test_id("remove-lock").first.click()
    page.get_by_test_id("lock-how").first.fill("AA")
    page.get_by_test_id("add-lock").click()
    lock = page.get_by_test_id("lock").nth(1)
    lock.get_by_test_id("lock-after").fill("check , bet")
    lock.get_by_test_id("lock-action").fill("call")
    lock.get_by_test_id("lock-how").fill("1")
    first, second = written(page).locks
    assert (first.after, first.play) == ((), {"check": "AA", "bet": "rest"})
    hands_of_a_lock_are_painted(page)
    assert (second.after, second.play) == (("check", "bet"), {"call": 1.0})
    page.get_by_test_id("add-action").nth(1).click()
    lock.get_by_test_id("lock-action").nth(1).fill("call")
    page.get_by_test_id("write-spot").click()
    page.locator("[role=alert]", has_text="Lock 2 names call twice").wait_for()


def hands_of_a_lock_are_painted(page: Any) -> None:
    first = page.get_by_test_id("lock").first
    first.get_by_test_id("lock-paint").nth(1).click()  # of the rest, which is only looked at
    first.get_by_test_id("lock-range-sum").filter(has_text="0 of").wait_for()
    first.get_by_test_id("lock-paint").nth(1).click()
    first.get_by_test_id("lock-paint").first.click()
    first.get_by_test_id("lock-range-sum").filter(has_text="6 of").first.wait_for()
    first.locator("[data-testid=cells-lock-range]:visible [data-name=AKs]").focus()
    page.keyboard.press("Space")
    first.get_by_test_id("lock-range-sum").filter(has_text="10 of").wait_for()
    assert written(page).locks[0].play == {"check": "AA,AKs", "bet": "rest"}


@pytest.mark.slow
def test_a_decision_is_locked_as_it_is_played_and_changed(page: Any, filled: Fill) -> None:
    filled(PLAIN + "ranges: ['AK,QJs', 'AQ,JJ']\nmenu: {sizes: [[[1.0]]]}\nthreads: 1\n")
    page.get_by_test_id("solve").click()
    page.get_by_test_id("edge").filter(has_text="bet 10").click()
    page.locator("[data-testid=way]", has_text="bet 10").wait_for()
    page.get_by_test_id("lock-this").click()
    page.get_by_test_id("lock").wait_for()
    (lock,) = written(page).locks
    assert lock.after == ("bet 10",) and list(lock.play) == ["fold", "call", "all-in"] and lock.play["all-in"] == "rest"
    for row, how in enumerate(("0.25", "rest", "0")):
        page.get_by_test_id("lock-how").nth(row).fill(how)
    page.get_by_test_id("solve").click()
    page.locator("[data-testid=way]", has_text="bet 10").wait_for(state="detached")
    page.get_by_test_id("edge").filter(has_text="bet 10").click()
    page.locator("[data-testid=way]", has_text="bet 10").wait_for()
    shares = [edge.split()[-2] for edge in page.get_by_test_id("edge").all_inner_texts()]
    assert shares == ["25.0", "75.0", "0.0"]


def test_bets_are_the_same_as_text(page: Any, url: str) -> None:
    menus = [load_spot(name).menu for name in shipped_names("spots")]
    all_sizes = [
        sizes for menu in [*menus, spot(LOCKED).menu] for sizes in (menu.sizes, menu.in_position, menu.donk) if sizes
    ]
    all_sizes.append(ByStreet(preflop=((2.0,),), turn=((0.5,), ("3x",))))
    page.goto(url)
    back = page.evaluate(
        """async (all) => {
            const { textsOf, menuSizes } = await import("./sizes.js");
            return all.map((sizes) => { const { bets, raises } = textsOf(sizes); return menuSizes(bets, raises); });
        }""",
        msgspec.to_builtins(all_sizes),
    )
    for sizes, again in zip(all_sizes, back, strict=True):
        assert by_round(msgspec.convert(again, Sizes)) == by_round(sizes)
    question = """import("./socket.js").then(({ ask }) => ask({ kind: "spot.read", text: "ä".repeat(33_000) }))"""
    with pytest.raises(Exception, match="more than 64 KB"):
        page.evaluate(question)


def by_round(sizes: Sizes) -> list[Any]:
    """The sizes of flop, turn and river after no raise to four of them."""
    rounds = [sizes.of_round(at) if isinstance(sizes, ByStreet) else sizes[min(at, len(sizes) - 1)] for at in (1, 2, 3)]
    return [[depths[min(raises, len(depths) - 1)] for raises in range(5)] for depths in rounds]
