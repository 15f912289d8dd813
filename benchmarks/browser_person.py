"""A scripted person at each kind of table of the page, in a real browser: random actions, errors of the console, and memory.

    python benchmarks/browser_person.py [--actions 1000] [KIND...]
    python benchmarks/browser_person.py --minutes 60 [KIND...]

The person clicks whatever may be clicked, bets by the slider and marks cards to exchange, as fast as the page allows. With
`--minutes` it is one session at a person's pace, one to four seconds an action: some 15 actions at one kind of table, then a look
at the lobby, a solve, look-inside, a drill, a strategy or a replay, then a table of the next kind, all in one page. Memory is
what is left after garbage was collected. All hands of hold'em are then replayed step by step in PokerKit, and what the page said
was won is compared with what PokerKit pays. Ends with status 1 where the console shows an error, a click leads nowhere for 30 s,
or PokerKit differs.
"""

import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import cycle
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

import click
from playwright.sync_api import Browser, sync_playwright

sys.path.insert(
    0, str(Path(__file__).parents[1])
)  # the browser, the served page and PokerKit's walk are those of the tests
from limpet.protocol.archives.hands import read_hands
from limpet.protocol.handhistory import is_idle
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.state import State
from limpet.strategies.cards.handspace import is_holdem
from tests.bot.browser.pages.conftest import SWITCHES, chromium
from tests.bot.browser.wire import Served, host_socket, serving
from tests.protocol.test_state_crosscheck import assert_same_choices, deal, pokerkit_act, pokerkit_state

KINDS: dict[str, dict[str, Any]] = {
    "heads-up": {"kind": "play.open", "bots": ["blueprint"]},
    "six-handed": {"kind": "play.open", "bots": ["expert"] * 5},
    "stacks carried": {"kind": "play.open", "bots": ["expert", "call", "random"], "carry": True, "stack": 40},
    "limit, three": {"kind": "play.open", "bots": ["holdem-limit-3p"] * 2},
    "Leduc": {"kind": "play.open", "bots": ["leduc"]},
    "five-card draw": {"kind": "play.open", "bots": ["draw5-formula"]},
    "sit-and-gos": {"kind": "play.enter", "structure": "turbo", "bots": ["expert"] * 2},
}

VIEWS = ("inside", "play/new", "solve", "train", "strategy", "replay", "jobs", "strategy/leduc")
"""Where the person of a session goes between tables. Seven kinds of tables and eight views meet in every pairing."""

PLAY = """async (count) => {
    const by = (id) => document.querySelector(`[data-testid=${id}]`);
    const usable = (id) => { const found = by(id); return found && !found.disabled && found.checkVisibility() ? found : null; };
    const state = () => [by("pot")?.dataset.betting, by("pot")?.textContent, by("result")?.dataset.hands, Boolean(usable("deal"))].join("|");
    const over = () => /tournament is over/.test(by("standing")?.textContent ?? "");
    const pause = () => new Promise((resolve) => { setTimeout(resolve, 20); });
    const chance = (share) => Math.random() < share;
    let done = 0;
    for (let idle = performance.now(); done < count && !over();) {
        if (performance.now() - idle > 30_000) throw new Error(`nothing to do after ${state()}`);
        const names = ["fold", "call", "raise", "draw", "deal"].filter(usable).filter((name) => name !== "fold" || chance(0.2));
        if (!names.length) { await pause(); continue; }
        const name = names[Math.floor(Math.random() * names.length)];
        if (name === "raise" && usable("slider")) {
            by("slider").value = Math.floor(1000 * Math.random() ** 2);
            by("slider").dispatchEvent(new Event("input"));
        }
        if (name === "draw") for (const card of document.querySelectorAll("[data-testid=hero-cards] [tabindex]")) if (chance(0.4)) card.dispatchEvent(new MouseEvent("click"));
        const before = state();
        by(name).click();
        const clicked = performance.now();
        while (state() === before && !over()) {
            if (performance.now() - clicked > 30_000) throw new Error(`${name} leads nowhere: ${before}`);
            await pause();
        }
        if (name !== "deal") done += 1;
        idle = performance.now();
    }
    return done;
}"""


def memory(page: Any, served: Served) -> tuple[float, int, float]:
    """Return MB of the page's heap, its elements, and MB of the server's process."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    session.send("HeapProfiler.collectGarbage")
    found = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
    session.detach()
    status = Path(f"/proc/{served.process.pid}/status").read_text().split()
    return found["JSHeapUsedSize"] / 1e6, int(found["Nodes"]), int(status[status.index("VmRSS:") + 1]) / 1e3


def in_pokerkit(hand: HandRecord) -> list[float]:
    """Replay a hand in PokerKit, which splits pots exactly, and return what it pays.

    Raises `AssertionError` for a difference. Tables that carry stacks pay whole chips, which may be one more or less. Raises `ValueError` for a raise that casinos do not allow, after an all-in below the smallest raise.
    """
    game, board = hand.state.game, hand.state.board
    state, theirs = State.start(game), pokerkit_state(game)
    deal(theirs, hand.holes, board)
    for following in list(hand.state.path())[1:]:
        # With uneven stacks casinos' bounds differ after such an all-in; PokerKit does not count the big blind as a bet.
        capped = not game.no_limit and state.raise_bounds() is None
        if len(set(game.stack)) == 1 and not capped:
            assert_same_choices(theirs, state)
        action = following.action
        assert action is not None
        if not is_idle(state):  # a call of nothing that nobody could answer, as against a blind that is all-in
            assert theirs.actor_index == state.actor
            pokerkit_act(theirs, state, action)
            deal(theirs, hand.holes, board)
        state = state.apply(action).with_board(board)
    paid = [float(won) for won in theirs.payoffs]
    far = max(abs(ours - won) for ours, won in zip(hand.values, paid, strict=True))
    whole = any(won % 1 for won in paid) and not any(ours % 1 for ours in hand.values)
    assert not theirs.status and far < (1 if whole else 1e-9), f"PokerKit pays {paid}"
    return paid


def replayed(logs: list[Path], said: tuple[int, float] | None) -> bool:
    """Replay the hands of logs in PokerKit and print what came of it. Returns whether nothing is different.

    said: number of hands, and chips that the person won of them by the page; None where it does not say.
    """
    counts, differences, won = Counter[str](), [], 0.0
    for hand in read_hands(logs):
        if not is_holdem(hand.state.game):
            counts["of games that PokerKit does not have"] += 1
            continue
        counts["hands of hold'em"] += 1
        paid: Sequence[float] = hand.values
        try:
            paid = in_pokerkit(hand)
        except ValueError:
            counts["with a raise that casinos do not allow"] += 1
        except AssertionError as error:
            differences.append(f"{hand}: {error!r}")
        if "You" in hand.names:  # others play a tournament to its end
            won += paid[hand.names.index("You")]
    if said is not None and counts["hands of hold'em"] and said != (counts["hands of hold'em"], round(won, 2)):
        differences.append(f"the page says {said}, PokerKit {won} chips")
    print(f"{'':<16}{dict(counts)}, {len(differences)} differences {differences[:2] or ''}", flush=True)
    return not differences


def table_logs(served: Served) -> set[Path]:
    """Return the logs of all tables so far."""
    return {path for name in ("table.log", "hands.log") for path in (served.folder / "tables").glob(f"*/{name}")}


def result_shown(page: Any) -> tuple[int, float] | None:
    """Return the number of hands and the chips won that the page of a cash table says."""
    found = page.get_by_test_id("result")
    text = found.inner_text() if found.count() else ""
    match = re.search(r"in ([\d,]+) hands? \(([+−]?[\d,.]+) chips\)", text)
    if match is None:
        return None
    hands, chips = (each.replace(",", "").replace("−", "-") for each in match.groups())
    return int(hands), float(chips)


def sit(page: Any, served: Served, wanted: dict[str, Any]) -> None:
    """Open a table, leaving all others, and show it in the page as it is. `wanted` is the message that asks for it."""
    tab = host_socket(served)
    for table in tab.ask(kind="play.hello", id=1)["value"]["tables"]:
        tab.ask(kind="play.leave", id=2, key=table["key"])
    tab.ask(kind="play.reset", id=3)
    opened = tab.ask(id=4, **wanted)
    if "value" not in opened:
        raise SystemExit(opened["why"])
    tab.close()
    page.evaluate(
        "(key) => { location.hash = `#/jobs`; setTimeout(() => { location.hash = `#/play/${key}`; }, 200); }",
        opened["value"]["key"],
    )


def new_page(browser: Browser, served: Served) -> tuple[Any, list[str]]:
    """Return a page of a new browser profile, and the list into which errors of its console go."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce").new_page()
    page.add_init_script("window.limpetGuard = 0")  # the person is as quick as the page
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.set_default_timeout(120_000)  # a machine compiles the solver once
    page.goto(f"{served.url}#/jobs")
    return page, faults


def play(browser: Browser, served: Served, kind: str, actions: int) -> bool:
    """Play at a kind of table, and print what was seen. Returns whether nothing went wrong."""
    page, faults = new_page(browser, served)
    seen, done, games, before = [], 0, 0, table_logs(served)
    quarters = [actions * part // 4 for part in range(1, 5)]
    for goal in quarters:
        while done < goal:
            if not games or kind == "sit-and-gos":
                sit(page, served, KINDS[kind])
                games += 1
                page.get_by_test_id("pot").wait_for()  # a selector's handle would keep the table
            done += page.evaluate(PLAY, goal - done)
        seen.append(memory(page, served))
    page.wait_for_timeout(2000)  # the others may finish the hand
    said = result_shown(page) if games == 1 else None
    page.context.close()
    for goal, (heap, nodes, server) in zip(quarters, seen, strict=True):
        print(
            f"{kind:<16}{goal:7,} actions: heap {heap:6.1f} MB, {nodes:7,} elements; server {server:6.0f} MB",
            flush=True,
        )
    print(f"{kind:<16}{games:3d} tables, {len(faults)} errors of the console {faults[:3] or ''}", flush=True)
    return replayed(sorted(table_logs(served) - before), said) and not faults


def wander(page: Any, view: str, pause: Callable[[], None]) -> None:
    """Go to a view and do there what a person would, one step after the other."""
    if view == "inside":
        if page.locator("[data-testid=look-inside]:enabled").is_visible():  # heads-up, and a hand is over
            page.get_by_test_id("look-inside").click()
            page.get_by_test_id("inside").get_by_test_id("grid").first.wait_for()
        return
    page.evaluate("(view) => { location.hash = `#/${view}`; }", view)
    pause()
    if view == "solve":
        page.wait_for_function("() => document.querySelector('input[data-testid=board]')?.value")
        page.get_by_test_id("board").fill("AhKd8h4c2s")
        page.get_by_test_id("solve").click()
        for _ in range(2):
            page.locator("[data-testid=edge]:enabled").first.click()
            pause()
    elif view == "train":
        page.get_by_test_id("drill").select_option("pushfold")
        page.get_by_test_id("begin").click()
        for _ in range(4):
            page.locator("[data-testid=answer-1]:enabled").click()
            page.locator("[data-testid=lost]", has_text="% of the pot").wait_for()
            pause()
            page.keyboard.press("Enter")  # the button for the next question has the focus
    elif view.startswith("strategy"):
        page.get_by_test_id("grid").first.wait_for()
    elif view == "replay":
        page.get_by_test_id("files").get_by_role("link").first.click()
        pause()
        if page.get_by_test_id("hands").get_by_role("link").count():  # some hand is over
            page.get_by_test_id("hands").get_by_role("link").first.click()
            page.get_by_test_id("picture").wait_for()


def session(browser: Browser, served: Served, minutes: float, kinds: tuple[str, ...]) -> bool:
    """Play and look around at a person's pace in one page, and print what was seen. Returns whether nothing went wrong."""
    page, faults = new_page(browser, served)
    chance, done = Random(1), 0
    begun = sampled = monotonic()
    for looks, (kind, view) in enumerate(zip(cycle(kinds), cycle(VIEWS), strict=False), 1):
        sit(page, served, KINDS[kind])
        page.get_by_test_id("pot").wait_for()
        for _ in range(15):
            done += page.evaluate(PLAY, 1)
            page.wait_for_timeout(chance.uniform(1000, 4000))
        wander(page, view, lambda: page.wait_for_timeout(chance.uniform(1000, 4000)))
        over = monotonic() - begun >= 60 * minutes
        if over or monotonic() - sampled >= 180:
            sampled = monotonic()
            heap, nodes, server = memory(page, served)
            print(
                f"{(sampled - begun) / 60:5.1f} min: {done:5,} actions, {looks:3d} views; heap {heap:5.1f} MB, {nodes:6,} elements;"
                f" server {server:4.0f} MB; {len(faults)} errors",
                flush=True,
            )
        if over:
            break
    page.context.close()
    print(faults[:3] or "no error of the console")
    return not faults


@click.command(help=__doc__.replace("\n\n    python", "\n\n\b\n    python"))
@click.option("--actions", default=1000, show_default=True, help="At each kind of table.")
@click.option("--minutes", type=float, help="One session of so long at a person's pace instead.")
@click.argument("kinds", nargs=-1, type=click.Choice(list(KINDS)))
def main(actions: int, minutes: float | None, kinds: tuple[str, ...]) -> None:
    """Play at each kind of table, or at those named."""
    with TemporaryDirectory() as folder, serving(Path(folder), "call") as served, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=list(SWITCHES))
        kinds = kinds or tuple(KINDS)
        if minutes is None:
            well = [play(browser, served, kind, actions) for kind in kinds]
        else:
            well = [session(browser, served, minutes, kinds)]
        browser.close()
    sys.exit(0 if all(well) else 1)


if __name__ == "__main__":
    main()
