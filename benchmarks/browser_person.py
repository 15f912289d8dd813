"""A scripted person at each kind of table of the page, in a real browser: random actions, errors of the console, and memory.

    python benchmarks/browser_person.py [--actions 1000] [KIND...]

The person clicks whatever may be clicked, bets by the slider and marks cards to exchange, as fast as the page allows; who plays
on for an hour, five seconds an action, acts 720 times. Memory is what is left after garbage was collected. Ends with status 1
where the console shows an error, or a click leads nowhere for 30 s.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))  # the browser and the served page are those of the tests
from tests.bot.browser.pages.conftest import SWITCHES, chromium
from tests.bot.browser.wire import Served, host_socket, serving

KINDS: dict[str, dict[str, Any]] = {
    "heads-up": {"kind": "play.open", "bots": ["blueprint"]},
    "six-handed": {"kind": "play.open", "bots": ["expert"] * 5},
    "stacks carried": {"kind": "play.open", "bots": ["expert", "call", "random"], "carry": True, "stack": 40},
    "limit, three": {"kind": "play.open", "bots": ["holdem-limit-3p"] * 2},
    "Leduc": {"kind": "play.open", "bots": ["leduc"]},
    "five-card draw": {"kind": "play.open", "bots": ["draw5-formula"]},
    "sit-and-gos": {"kind": "play.enter", "structure": "turbo", "bots": ["expert"] * 2},
}

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


def play(browser: Browser, served: Served, kind: str, actions: int) -> bool:
    """Play at a kind of table, and print what was seen. Returns whether nothing went wrong."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce").new_page()
    page.add_init_script("window.limpetGuard = 0")  # the person is as quick as the page
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.goto(f"{served.url}#/jobs")
    seen, done, games = [], 0, 0
    quarters = [actions * part // 4 for part in range(1, 5)]
    for goal in quarters:
        while done < goal:
            if not games or kind == "sit-and-gos":
                sit(page, served, KINDS[kind])
                games += 1
                page.get_by_test_id("pot").wait_for()  # a selector's handle would keep the table
            done += page.evaluate(PLAY, goal - done)
        seen.append(memory(page, served))
    page.context.close()
    for goal, (heap, nodes, server) in zip(quarters, seen, strict=True):
        print(
            f"{kind:<16}{goal:7,} actions: heap {heap:6.1f} MB, {nodes:7,} elements; server {server:6.0f} MB",
            flush=True,
        )
    print(f"{kind:<16}{games:3d} tables, {len(faults)} errors of the console {faults[:3] or ''}", flush=True)
    return not faults


@click.command()
@click.option("--actions", default=1000, show_default=True, help="At each kind of table.")
@click.argument("kinds", nargs=-1, type=click.Choice(list(KINDS)))
def main(actions: int, kinds: tuple[str, ...]) -> None:
    """Play at each kind of table, or at those named."""
    with TemporaryDirectory() as folder, serving(Path(folder), "call") as served, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=list(SWITCHES))
        well = [play(browser, served, kind, actions) for kind in kinds or KINDS]
        browser.close()
    sys.exit(0 if all(well) else 1)


if __name__ == "__main__":
    main()
