"""A person paints ranges, sets suits, keeps them by name, picks a board, and is asked what weights are."""

from typing import Any

import pytest

from limpet.common.folders import data_folder


@pytest.fixture
def editor(page: Any, url: str) -> Any:
    """The open editor of the first range, which is empty, of a spot on the river."""
    (data_folder() / "ranges.json").unlink(missing_ok=True)
    page.goto(url + "#/solve")
    page.wait_for_function("() => document.querySelector('input[data-testid=board]')?.value")
    page.get_by_test_id("first").fill("")
    page.get_by_test_id("edit-first").click()
    comes_to(page, "0 of 1,081 combos that miss the board, 0.0 %")
    return page.get_by_test_id("editor-first")


def comes_to(page: Any, words: str) -> None:
    page.locator("[data-testid=first-sum]", has_text=words).wait_for()


def text_is(page: Any, text: str) -> None:
    page.wait_for_function("(text) => document.querySelector('[data-testid=first]').value === text", arg=text)


def drag(page: Any, editor: Any, *cells: str) -> None:
    """Press on a cell, and move to others in one step each."""
    editor.get_by_test_id("cells-first").scroll_into_view_if_needed()
    for number, name in enumerate(cells):
        box = editor.locator(f"[data-name='{name}']").bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        if number == 0:
            page.mouse.down()
    page.mouse.up()


def test_a_range_is_painted_kept_and_solved_on_a_picked_board(page: Any, editor: Any) -> None:
    drag(page, editor, "QQ", "Q9s")  # in one jump over the cells between
    text_is(page, "QQ,Q9s+")
    comes_to(page, "18 of")
    editor.get_by_test_id("weight-50").click()
    drag(page, editor, "AKs", "AJs", "QJs")
    text_is(page, "QQ,QTs-Q9s,AJs+:0.5,KJs:0.5,QJs:0.5")
    drag(page, editor, "QJs", "KJs")  # the first cell has this weight already: it is taken away
    text_is(page, "QQ,QTs-Q9s,AJs+:0.5")
    editor.locator("[data-name=AKs]").click(modifiers=["Shift"])
    editor.get_by_test_id("weight-100").click()
    editor.get_by_test_id("suits-first").locator("[data-hand=AcKc]").click()
    text_is(page, "QQ,QTs-Q9s,AcKc,AQs-AJs:0.5,AsKs:0.5,AhKh:0.5,AdKd:0.5")
    assert editor.locator("[data-name=AKs]").get_attribute("aria-label") == "AKs: by suits, 75 %"

    editor.get_by_test_id("range-name").fill("3-bet")
    editor.get_by_test_id("range-name").press("Enter")
    editor.locator("[data-testid=saved] option", has_text="3-bet").wait_for(state="attached")
    editor.get_by_test_id("none").click()
    text_is(page, "random:0")
    editor.get_by_test_id("open-range").click()
    text_is(page, "QQ,QTs-Q9s,AcKc,AQs-AJs:0.5,AsKs:0.5,AhKh:0.5,AdKd:0.5")

    page.get_by_test_id("pick-board").click()
    for card in ("8h", "8s"):  # another eight
        page.get_by_test_id(f"board-{card}").click()
    assert page.get_by_test_id("board").input_value() == "AhKd4c2s8s"
    page.get_by_test_id("solve").click()
    page.get_by_test_id("exploitability").wait_for()
    assert page.get_by_test_id("range-0").locator("[data-name=QQ]").get_attribute("aria-label") == "QQ: held 100 %"
    painted, solved = (
        grid.evaluate_all("cells => cells.map((cell) => cell.dataset.name)")
        for grid in (editor.locator("[data-name]"), page.get_by_test_id("range-0").locator("[data-name]"))
    )
    assert painted == solved and len(painted) == 169


def test_weights_that_may_be_either_are_asked_about(page: Any, editor: Any) -> None:
    text = page.get_by_test_id("first")
    text.fill("QQ:1, AKs:1")
    page.get_by_test_id("first-percent").wait_for()
    page.get_by_test_id("solve").click()
    page.locator("[role=alert]", has_text="say first whether").wait_for()
    page.get_by_test_id("first-percent").click()
    text_is(page, "QQ:0.01,AKs:0.01")
    assert not page.get_by_test_id("first-percent").count()
    text.fill("QQ:100, AKs:50")
    text.blur()
    text_is(page, "QQ,AKs:0.5")
    for notation, written in (("gto+", "QQ,[50]AKs[/50]"), ("pio", "QQ,AKs:0.5")):
        editor.get_by_test_id(f"to-{notation}").click()
        text_is(page, written)
    editor.get_by_test_id("to-equilab").click()
    page.locator("[data-testid=first-wrong]", has_text="Equilab's ranges have no weights").wait_for()
    text.fill("QQ, AKx")
    page.locator("[data-testid=first-wrong]", has_text="at character 5, item 'AKx'").wait_for()


@pytest.mark.slow
def test_a_range_is_painted_with_keys_and_touch(page: Any, editor: Any) -> None:
    editor.locator("[data-name=AA]").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    text_is(page, "AKs")
    page.keyboard.press("Shift+ArrowRight")
    text_is(page, "AQs+")
    page.keyboard.press("s")
    page.keyboard.press("Enter")
    text_is(page, "AKs,AhQh,AdQd,AcQc")
    editor.get_by_test_id("undo").click()
    text_is(page, "AQs+")
    editor.get_by_test_id("take-best").click()
    comes_to(page, "%")
    editor.get_by_test_id("all").click()
    text_is(page, "random")


@pytest.mark.slow
def test_a_decision_of_short_stacks_is_given_a_painted_range(page: Any, url: str) -> None:
    page.goto(url + "#/pushfold")
    page.get_by_test_id("slot-SB").wait_for()
    page.get_by_test_id("give-this").click()
    editor = page.get_by_test_id("editor-given-0")
    page.locator("[data-testid=given-0-sum]", has_text="58.3 %").wait_for()
    editor.get_by_test_id("none").click()
    editor.locator("[data-name=AA]").click()
    page.wait_for_function("() => document.querySelector('[data-testid=given-0]').value === 'AA'")
    page.get_by_test_id("work-out").click()
    page.locator("[data-testid=slot-SB]", has_text="0.5 % (given)").wait_for()
    page.get_by_role("button", name="Take it back").click()
    page.get_by_test_id("work-out").click()
    page.locator("[data-testid=slot-SB]", has_text="58.3 %").wait_for()
