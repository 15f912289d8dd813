"""The feature ``strategy``, with ``icm`` and ``pushfold``: answers that take a moment, from processes for all tabs."""

from collections.abc import Awaitable
from typing import Annotated, Any

import msgspec

from limpet.bot.browser.base.messages import Line, Listener, Request, Word
from limpet.bot.browser.base.room import Feature, Room
from limpet.bot.browser.base.worker import Worker
from limpet.bot.browser.views.strategy_tree import strategy_choices

WARM_UP_SECONDS = 2.0
"""Seconds after the server's start at which the process begins, so that the first strategy opens at once."""

Amounts = Annotated[tuple[Annotated[float, msgspec.Meta(ge=0, le=1e12)], ...], msgspec.Meta(max_length=200)]


class ListStrategies(Request, frozen=True, tag="strategy.list"):
    """Asks for the strategies that may be browsed."""


class OpenStrategy(Request, frozen=True, tag="strategy.open"):
    """Asks for facts about a strategy, and its first decision."""

    name: Word


class StrategyNode(Request, frozen=True, tag="strategy.node"):
    """Asks for a decision of a strategy."""

    name: Word
    betting: Line
    board: Word = ""


class AskIcm(Request, frozen=True, tag="icm.ask"):
    """Asks for the ICM value of each stack in prize money."""

    stacks: Amounts
    payouts: Amounts


class AskPushFold(Request, frozen=True, tag="pushfold.ask"):
    """Asks for the solution of a push-or-fold spot; fields as in `pushfold.spot.Spot`.

    locks: texts such as ``BTN=22+``.
    """

    stacks: Amounts
    small_blind: float = 0.5
    big_blind: float = 1.0
    ante: float = 0.0
    payouts: Amounts = ()
    locks: Annotated[tuple[Line, ...], msgspec.Meta(max_length=20)] = ()


class PushFoldSlot(Request, frozen=True, tag="pushfold.slot"):
    """Asks for a decision of the push-or-fold spot that this tab had solved."""

    name: Word


class AskPushFoldHand(Request, frozen=True, tag="pushfold.hand"):
    """Asks what one hand does at a decision of that spot, in one line."""

    name: Word
    hand: Word


class Browsing(Feature):
    """One process keeps the strategies open. Another one draws charts, some of which take long."""

    requests = (ListStrategies, OpenStrategy, StrategyNode, AskIcm, AskPushFold, PushFoldSlot, AskPushFoldHand)

    def __init__(self, room: Room) -> None:
        super().__init__(room)
        self.worker = Worker(room.reactor)
        self.charts = Worker(room.reactor)
        self._warming: Any = room.reactor.callLater(WARM_UP_SECONDS, self._warm_up)

    def _warm_up(self) -> None:
        self.worker.call("warm_up").addErrback(lambda failure: None)  # whoever asks next is told

    def answer(self, request: Request, session: Listener) -> object | Awaitable[object]:
        call, chart, tab = self.worker.call, self.charts.call, id(session)
        match request:
            case OpenStrategy(name=name):
                return call("open_strategy", name)
            case StrategyNode(name=name, betting=betting, board=board):
                return call("strategy_node", name, betting, board)
            case AskIcm(stacks=stacks, payouts=payouts):
                return chart("icm", stacks, payouts)
            case AskPushFold():
                blinds = request.small_blind, request.big_blind
                return chart("pushfold", tab, request.stacks, blinds, request.ante, request.payouts, request.locks)
            case PushFoldSlot(name=name):
                return chart("pushfold_slot", tab, name)
            case AskPushFoldHand(name=name, hand=hand):
                return chart("pushfold_hand", tab, name, hand)
        return self.room.in_thread(strategy_choices)

    async def close(self) -> None:
        if self._warming.active():
            self._warming.cancel()
        self.worker.end()
        self.charts.end()
