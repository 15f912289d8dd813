"""axe-core finds nothing in any view of the page, light and dark, wide and narrow."""

import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from tests.bot.browser.pages.conftest import findings
from tests.bot.browser.pages.test_playing import Sit, play_hand
from tests.bot.browser.pages.test_replaying import NAME
from tests.bot.browser.pages.test_reviewing import HANDS
from tests.bot.browser.wire import Served, host_socket
from tests.dealer.helpers import VECTORS
from tests.processes import LIMPET

LOOKS = [("light", 1280), ("dark", 390)]
"""Colours and widths at which the views are looked at."""
RIVERS = "AhKd8h4c2s\nQhKd8h4c2s\n"


def limpet(served: Served, words: str) -> None:
    subprocess.run([*LIMPET, *words.split()], cwd=served.folder, check=True, capture_output=True)


@pytest.mark.slow
@pytest.mark.parametrize(("colours", "width"), LOOKS)
def test_nothing_is_found_in_any_view(page: Any, url: str, served: Served, sit: Sit, colours: Any, width: int) -> None:
    page.emulate_media(color_scheme=colours, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 900})
    for name in (NAME, "holdem.nolimit.3p.game"):
        shutil.copy(VECTORS / name, served.folder)
    (served.folder / "rivers.txt").write_text(RIVERS)
    (served.folder / "swept.log").write_text(HANDS)
    limpet(served, "solve river-bluffcatch --batch rivers.txt --output rivers --threads 1")
    limpet(served, f"match formula random --game leduc.limit.2p --hands 50 --in-process --output matches/{colours}")
    tab = host_socket(served)
    review = tab.ask(kind="review.begin", id=1, files=["swept.log"], hero="Bot", bot="blueprint")["value"]
    tab.close()
    found: dict[str, list[str]] = {}

    def look(view: str, *then: Callable[[], Any]) -> None:
        if view not in found and view != "inside":
            page.goto(f"{url}#/{view}")
        for do in then:
            do()
        page.wait_for_function("() => !document.querySelector('[aria-busy=true]')")
        found.setdefault(view, []).extend(findings(page))

    def click(testid: str) -> Callable[[], Any]:
        return lambda: page.get_by_test_id(testid).first.click()

    def shows(selector: str) -> Callable[[], Any]:
        return lambda: page.locator(selector).first.wait_for()

    summary = "[data-testid={}] summary"
    sit("blueprint")
    look("play", click("settings"))
    play_hand(page)
    look("play", click("look-inside"), shows("[data-testid=inside] [data-testid=grid]"))
    look("play/new", shows("[data-testid=sit]"))
    look(
        "watch",
        shows("[data-testid=folders] a"),
        lambda: page.get_by_role("link", name=f"matches/{colours}").click(),
        shows("[data-testid=last] a"),
    )
    look("replay", shows("[data-testid=files] a"))
    look("replay", lambda: page.get_by_role("link", name=NAME).click(), shows("[data-testid=hands] a"))
    look("replay", lambda: page.get_by_role("link", name="hand 0", exact=True).click(), shows("[data-testid=picture]"))
    look("strategy", shows("[data-testid=grid]"), lambda: page.locator("[data-name=AKs]").first.hover())
    look("strategy/leduc", shows("[data-testid=grid]"))
    look(
        "solve",
        lambda: page.wait_for_function("() => document.querySelector('input[data-testid=board]')?.value"),
        click("many-boards"), click("pick-board"), click("edit-first"), shows("[data-testid=editor-first] [data-name]"),
        click("more-bets"), click("more-of-spot"), click("locks"), click("add-lock"), click("as-file"), click("behind"),
    )  # fmt: skip
    look(
        "solve",
        click("remove-lock"),  # it says nothing yet
        lambda: page.get_by_test_id("board").fill("AhKd8h4c"), click("solve"), shows("[data-testid=edge]"),
    )  # fmt: skip
    look("solve", lambda: page.locator(summary.format("equity-graph")).click(), shows("svg.chart"))
    checked = click("edge"), lambda: page.locator("[data-testid=way]", has_text="check").wait_for()
    look("solve", *checked, click("edge"), shows("[data-testid=next-cards]"))
    page.get_by_test_id("way").get_by_role("button").first.click()
    look("solve", click("compare"), shows("[data-testid=totals]"))
    look(
        "solve",
        click("view-difference"),
        lambda: page.locator("[data-testid=difference] .cell:not(.nobody)").first.hover(),
    )
    look("boards", shows("[data-testid=batch-rows]"))
    look(
        "train",
        lambda: page.get_by_test_id("drill").select_option("pushfold"),
        click("begin"),
        shows("[data-testid=answer-1]"),
    )
    look("train", click("answer-1"), shows("[data-testid=lost]"))
    look("review", shows("main h1"))
    look(f"review/{review}", shows("[data-testid=decisions] td a"))
    look("inside", lambda: page.locator("[data-testid=decisions] td a").first.click(), shows("[data-testid=held]"))
    look("jobs", shows("main h1"))
    look("icm", shows("[data-testid=equities]"))
    look("pushfold", click("slot-SB"), click("give-this"), shows("[data-testid=given-0-sum]"))
    look("pushfold", click("by-depth"), click("draw-depths"), shows("img.depths"))
    assert not {view: wrong for view, wrong in found.items() if wrong}
