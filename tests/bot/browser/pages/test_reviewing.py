"""A person drops files of hands on the page, has them reviewed, and clicks from a loss to look inside."""

import re
import signal
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.bot.browser.wire import Served, host_socket

HANDS = """\
# name/game/hands/seed m holdem.nolimit.2p.reverse_blinds 3 1
STATE:0:r250c/cr600r1800c/r3600f:AhJd|AsQs/Js6s8c/3c:1800|-1800:Bot|Hero
STATE:1:r300f:AhAs|QsJs:-100|100:Hero|Bot
STATE:2:what
"""


@pytest.mark.slow
def test_a_review_from_dropped_files_to_look_inside(page: Any, url: str, served: Served, tmp_path: Path) -> None:
    (tmp_path / "mine.log").write_text(HANDS)
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(url + "#/review")
    page.get_by_test_id("files").set_input_files(tmp_path / "mine.log")
    page.locator("[data-testid=players]", has_text="2 hands; 1 cannot be read, the first at mine.log:4").wait_for()
    page.get_by_test_id("hero").select_option("Hero")
    page.get_by_test_id("judge").select_option("blueprint")
    page.get_by_test_id("begin-review").click()
    page.wait_for_url("**/#/review/Hero-*")  # other tests' reviews are done, and listed on the page before
    page.locator("[data-testid=job-state]", has_text="done").wait_for()
    page.locator("[data-testid=left-out]", has_text="1 hands that cannot be read").wait_for()
    assert page.locator("[data-testid=decisions] tbody tr").count() == 5
    told = "raise to 250, call; flop: check, bet to 600, raise to 1800, call; turn: bet to 3600"
    assert page.locator("[data-testid=decisions] td", has_text=told).count() == 1
    assert page.evaluate("""() => [...document.querySelectorAll('td .hand')].every((hand) =>
        hand.getBoundingClientRect().right <= hand.closest('td').getBoundingClientRect().right + 1)"""), (
        "cards lie over words"
    )
    page.get_by_test_id("only-turn").click()
    page.wait_for_function("document.querySelectorAll('[data-testid=decisions] tbody tr').length === 1")
    lost = page.locator("[data-testid=decisions] tbody tr a").first
    assert float(lost.inner_text()) > 5
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    lost.click()
    held = page.locator("[data-testid=held]", has_text="AsQs")
    held.wait_for()
    assert re.search(r"fold \d+ % \(EV -?0\.00 bb\)", held.inner_text())
    assert page.locator("[aria-current=step]").inner_text().endswith("You: fold")
    page.clock.install()  # the page looks again when the test says so
    page.goto(url + "#/jobs")
    job = page.locator("[data-testid=jobs] li", has_text="Hero-1")
    job.wait_for()
    tab = host_socket(served)
    assert tab.ask(kind="jobs.forget", id=1, folder="tables/reviews/Hero-1")["kind"] == "answer"
    tab.close()
    job.get_by_test_id("forget").click()
    refused = page.locator("[role=alert]", has_text="not among the jobs any more")
    refused.wait_for()
    page.clock.run_for(4000)
    job.wait_for(state="detached")
    assert refused.is_visible()


@pytest.mark.slow
def test_a_review_goes_on_after_the_server_was_killed(tmp_path: Path) -> None:
    (tmp_path / "mine.log").write_text(HANDS.replace("STATE:2:what\n", "".join(
        f"STATE:{number}:r300f:AhAs|QsJs:-100|100:Hero|Bot\n" for number in range(2, 40))))  # fmt: skip
    judged = tmp_path / "tables" / "reviews" / "Hero-1" / "judged.jsonl"
    first = Served(tmp_path, "call")
    tab = host_socket(first)
    assert tab.ask(kind="review.begin", id=1, files=["mine.log"], hero="Hero", bot="blueprint")["value"] == "Hero-1"
    while not judged.exists():
        time.sleep(0.3)
    tab.close()
    first.process.send_signal(signal.SIGKILL)
    first.process.communicate()
    second = Served(tmp_path, "call")
    with second.process:
        tab, state = host_socket(second), ""
        while state != "done":
            time.sleep(0.3)
            state = tab.ask(kind="review.read", id=1, review="Hero-1")["value"]["job"]["state"]
            assert state in ("running", "done")
        tab.close()
        second.end()
    numbers = [msgspec.json.decode(line)["number"] for line in judged.read_bytes().splitlines()[1:]]
    assert sorted(numbers) == list(range(40))
