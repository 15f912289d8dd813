"""A session without its luck, as the page asks for it."""

from pathlib import Path

import pytest

from tests.bot.browser.wire import Served, host_socket


def test_the_persons_result_is_the_bots_with_its_sign_turned(tmp_path: Path) -> None:
    served = Served(tmp_path, "call")
    tab = host_socket(served)
    key = tab.ask(kind="play.open", id=1, bots=["call"])["value"]["key"]
    tab.ask(kind="play.sit", id=2, key=key)
    assert "no hand is over yet" in tab.ask(kind="play.luck", id=3, key=key)["why"]
    for hand in range(3):
        tab.ask(kind="play.deal", id=4, key=key)
        while True:
            event = tab.next()
            view = event.get("hand")
            if view and view["over"] and event["result"]["hands"] == hand + 1:
                break
            if view and view["choice"] and view["hand"] == hand:
                tab.ask(kind="play.act", id=5, key=key, hand=hand, betting=view["betting"], action="c")
    rows = {row["name"]: row for row in tab.ask(kind="play.luck", id=6, key=key)["value"]["estimators"]}
    assert {"raw", "all-in equity", "AIVAT"} <= set(rows)
    assert rows["raw"]["rate"] == pytest.approx(event["result"]["rate"])
    assert rows["raw"]["low"] <= rows["raw"]["rate"] <= rows["raw"]["high"]
    tab.close()
    served.end()
