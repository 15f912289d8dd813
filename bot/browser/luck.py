"""A session without its luck: ``limpet aivat`` reads the table's log in a process of its own."""

import os
import sys
from typing import Any

import msgspec
from twisted.internet.utils import getProcessOutputAndValue

from limpet.bot.browser.messages import Refused
from limpet.bot.browser.setup import GAME_FILE, BotPlayer
from limpet.bot.browser.tables import LOG, CashTable


async def luck_of(table: CashTable, seat: int) -> dict[str, Any]:
    """Return the person's result by each estimator of ``limpet aivat``, in mbb/g. Raises `Refused`.

    The value function is that of equity, which needs no model: it takes seconds where the blueprint's would take minutes.

    The bot's rows are what takes the luck out, so that the game must be heads-up against a bot.
    """
    others = [player for player in table.setup.players if isinstance(player, BotPlayer)]
    if len(others) != 1 or len(table.setup.players) != 2:
        raise Refused("AIVAT takes the luck out of two players' hands, one of them a bot; sit down heads-up")
    if not table.seen[seat]:
        raise Refused("no hand is over yet; play one first")
    bot = others[0]
    words = ["aivat", str(table.folder / LOG), "--bot", bot.config, "--player", bot.name, "--json"]
    words += ["--game", str(table.folder / GAME_FILE), "--jobs", "1", "--guess", "equity"]
    command = ["-c", "from limpet.bot.cli import main; main()", *words]
    run: Any = getProcessOutputAndValue
    out, said, status = await run(sys.executable, command, env=dict(os.environ), reactor=table.room.reactor)
    if status:
        raise Refused(said.decode(errors="replace").strip().split("\n")[-1][:500] or "limpet aivat failed")
    return {"estimators": _of_the_person(msgspec.json.decode(out))}


def _of_the_person(summary: Any) -> list[dict[str, Any]]:
    """Return the estimators with signs turned: what the bot wins, the person loses."""
    rows = []
    for values in summary["estimators"]:
        low, high = [-end for end in reversed(values["interval_95"] or ())] or (None, None)
        rows.append({"name": values["estimator"], "rate": -values["mbb_per_game"], "low": low, "high": high})
    return rows
