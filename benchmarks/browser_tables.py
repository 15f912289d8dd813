"""Many tables of one page at once: the time from a click to the bot's answer, and whether the page waits while a bot thinks.

    python benchmarks/browser_tables.py [--tables 50] [--seconds 60] [--bot blueprint] [--thinker limpet]

A tab is a WebSocket that says what the page says. Each person clicks at random moments, one to three seconds after being
asked. A click is answered when the page is told of the next decision or of the end of the hand. Then one person plays a bot
that thinks, while another tab asks a question every 20 ms: the answer's time is how late the page is. So it does while nothing works
in the background, while a review does, and while flops are solved by all cores.
"""

import json
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import click
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # the raw WebSocket is that of the tests
from limpet.bot.browser.views.spot_form import shipped_form
from tests.bot.browser.wire import RawSocket, Served, cookie_of

ASK_SECONDS = 0.02
BEGIN_SECONDS = 10  # a job loads for a while
HAND = "STATE:{}:r250c/cr600r1800c/r3600f:AhJd|AsQs/Js6s8c/3c:1800|-1800:Bot|Hero"
RawSocket.PATIENCE = 600.0  # bots load for a while


class Person:
    """One tab at a table of its own, which folds, calls and raises at random."""

    def __init__(self, served: Served, bot: str, seed: int) -> None:
        self.answer_ms: list[float] = []
        self.socket = RawSocket(served.address, Origin=f"http://{served.address}", Cookie=cookie_of(served.url))
        self._id = 0
        self._draw = Random(seed)
        self.key = self.ask(kind="play.open", bots=[bot])["value"]["key"]
        self.view = self.ask(kind="play.sit", key=self.key)["value"]["view"]
        while self.view["loading"]:
            self.view = self.event()

    def ask(self, **message: Any) -> Any:
        """Ask, and keep the newest view that comes before the answer."""
        self._id += 1
        return self.socket.ask(id=self._id, **message)

    def event(self) -> Any:
        while (message := self.socket.next())["kind"] != "play.table":
            pass
        return message

    def play(self, until: float, pause: Callable[[Random], float]) -> None:
        """Play hand after hand until a time of the clock."""
        while time.perf_counter() < until:
            if self.view["between"]:
                self._send(kind="play.deal", key=self.key)
                self._wait()
                continue
            time.sleep(pause(self._draw))
            hand = self.view["hand"]
            choice = hand["choice"]
            raises = choice["raises"] and self._draw.random() < 0.25
            size = self._draw.randint(choice["low"], min(choice["high"], 3 * choice["low"])) + choice["base"]
            began = time.perf_counter()
            self._send(
                kind="play.act", key=self.key, hand=hand["hand"], betting=hand["betting"],
                action="r" if raises else "c", size=size if raises else 0,
            )  # fmt: skip
            self._wait()
            self.answer_ms.append(1000 * (time.perf_counter() - began))

    def _send(self, **message: Any) -> None:
        self._id += 1
        self.socket.send(json.dumps({"id": self._id, **message}))

    def _wait(self) -> None:
        """Take messages until the person is asked, or the hand is over."""
        while True:
            self.view = self.event()
            hand = self.view["hand"]
            if hand and (hand["over"] or hand["choice"]):
                return


def shown(name: str, ms: list[float]) -> None:
    times = np.array(ms)
    print(
        f"{name:<44}{len(ms):7d}   p50 {np.median(times):7.1f}   p95 {np.percentile(times, 95):7.1f}   "
        f"p99 {np.percentile(times, 99):7.1f}   max {times.max():7.1f} ms",
        flush=True,
    )


def many_tables(served: Served, bot: str, tables: int, seconds: float) -> None:
    people = [Person(served, bot, seed) for seed in range(tables)]
    until = time.perf_counter() + seconds
    threads = [
        threading.Thread(target=person.play, args=(until, lambda draw: draw.uniform(1, 3)), daemon=True)
        for person in people
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    shown(f"{tables} tables against {bot}: click to answer", [ms for person in people for ms in person.answer_ms])


def while_it_thinks(served: Served, bot: str, seconds: float) -> None:
    person, other = Person(served, bot, 1), Person(served, "call", 2)
    until = time.perf_counter() + 1.25 * seconds
    thread = threading.Thread(target=person.play, args=(until, lambda draw: 0.05), daemon=True)
    shown(f"a question while {bot} waits", questions(other, seconds / 4))
    thread.start()
    shown(f"a question while {bot} thinks", questions(other, seconds))
    thread.join()
    shown(f"one table against {bot}: click to answer", person.answer_ms)


def questions(tab: Person, seconds: float) -> list[float]:
    """Ask every 20 ms. Returns the milliseconds until each answer."""
    late = []
    ends = time.perf_counter() + seconds
    while time.perf_counter() < ends:
        began = time.perf_counter()
        tab.ask(kind="play.sit", key=tab.key)
        late.append(1000 * (time.perf_counter() - began))
        time.sleep(ASK_SECONDS)
    return late


def while_jobs_work(served: Served, seconds: float) -> None:
    tab = Person(served, "call", 1)
    shown("a question while there is no job", questions(tab, seconds / 4))
    hands = (HAND.format(number) for number in range(5000))
    (served.folder / "many.log").write_text(
        "\n".join(["# name/game/hands/seed m holdem.nolimit.2p.reverse_blinds 1 1", *hands, ""])
    )
    flops = {
        "spot": shipped_form("f1") | {"threads": 2, "seconds": 5},
        "boards": 25,
        "seed": 1,
        "name": "flops",
        "processes": 1,
        "line": "",
        "listed": "",
    }
    for name, order in (
        ("a review works", {"kind": "review.begin", "files": ["many.log"], "hero": "Hero", "bot": "limpet-fast"}),
        ("flops are solved", {"kind": "boards.begin", **flops}),
    ):
        tab.ask(**order)
        while not (job := tab.ask(kind="jobs.list")["value"][0])["active"]:
            time.sleep(ASK_SECONDS)
        time.sleep(BEGIN_SECONDS)
        shown(f"a question while {name}", questions(tab, seconds))
        tab.ask(kind="jobs.pause", folder=job["folder"])
        while tab.ask(kind="jobs.list")["value"][0]["active"]:
            time.sleep(ASK_SECONDS)
        tab.ask(kind="jobs.forget", folder=job["folder"])


@click.command(help=__doc__.replace("\n\n    python", "\n\n\b\n    python"))
@click.option("--tables", default=50, show_default=True, help="0 leaves the first part out.")
@click.option("--seconds", default=60.0, show_default=True)
@click.option("--bot", default="blueprint", show_default=True)
@click.option("--thinker", default="limpet", show_default=True)
def main(tables: int, seconds: float, bot: str, thinker: str) -> None:
    """Time the browser table."""
    with TemporaryDirectory() as folder:
        if tables:
            served = Served(Path(folder), bot)
            many_tables(served, bot, tables, seconds)
            served.end()
        served = Served(Path(folder), thinker, "--folder", "other")
        while_it_thinks(served, thinker, seconds)
        while_jobs_work(served, seconds)
        served.end()


if __name__ == "__main__":
    main()
