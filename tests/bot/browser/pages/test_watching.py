"""A match is watched in the browser while it is played."""

import json
import signal
import subprocess
import time
from typing import Any

from tests.bot.browser.wire import Served
from tests.processes import LIMPET

HANDS = "Number(document.querySelector('[data-testid=facts] li')?.dataset.value ?? 0)"


def test_a_match_is_watched_live(page: Any, served: Served) -> None:
    words = ("match", "formula", "random", "--game", "leduc.limit.2p", "--duplicate", "--in-process")
    command = [*LIMPET, *words, "--hands", "2000", "--output", "matches/live"]
    page.goto(f"{served.url}#/watch")
    with subprocess.Popen(
        command, cwd=served.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as match:
        folder = served.folder / "matches" / "live"
        log = folder / "seating-1.log"
        while not (log.exists() and log.read_text().count("STATE:") > 50) and match.poll() is None:
            time.sleep(0.01)
        match.send_signal(signal.SIGSTOP)  # or all of it might be played before the page has looked
        page.reload()
        page.get_by_role("link", name="matches/live").click()
        page.wait_for_function(f"() => {HANDS} > 0")
        first = page.evaluate(HANDS)
        match.send_signal(signal.SIGCONT)
        page.wait_for_function(f"() => {HANDS} > {first}")
        page.wait_for_selector("[data-testid=chart] polyline")
        page.wait_for_selector("[data-testid=last] a")
        assert match.stderr is not None
        match.stderr.read()
    page.wait_for_function("() => document.querySelector('[data-testid=facts]').textContent.includes('over')")
    assert page.evaluate(HANDS) == 4000
    result = json.loads((folder / "result.json").read_text())
    shown = page.get_by_test_id("rates").locator("tbody tr").first.inner_text()
    low, high = result["players"][0]["interval_95"]
    assert f"{result['players'][0]['mbb_per_game']:+,.1f} ± {(high - low) / 2:,.1f}" in shown

    # A last hand leads to its replay.
    page.get_by_test_id("last").get_by_role("link").first.click()
    page.wait_for_selector("[data-testid=picture]")
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
