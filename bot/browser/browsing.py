"""The feature ``strategy``, with ``icm`` and ``pushfold``: answers that take a moment, from processes for all tabs."""

from typing import Annotated, Any

import msgspec

from limpet.bot.browser.views.messages import Line, Listener, Refused, Word, question
from limpet.bot.browser.views.room import Feature, Room
from limpet.bot.browser.views.strategy_tree import strategy_choices
from limpet.bot.browser.views.worker import Worker

MOST_DEPTHS = 40
"""Number of depths of one chart, each of which is a spot to solve."""
WARM_UP_SECONDS = 2.0
"""Seconds after the server's start at which the process begins, so that the first strategy opens at once."""

Amounts = Annotated[tuple[Annotated[float, msgspec.Meta(ge=0, le=1e12)], ...], msgspec.Meta(max_length=200)]
Depth = Annotated[int, msgspec.Meta(ge=1, le=200)]
Locks = Annotated[tuple[Line, ...], msgspec.Meta(max_length=20)]


class Browsing(Feature):
    """One process keeps the strategies open. Another one draws charts, some of which take long."""

    def __init__(self, room: Room) -> None:
        super().__init__(room)
        self.worker = Worker(room.reactor)
        self.charts = Worker(room.reactor)

        def warm_up() -> None:
            self.worker.call("warm_up").addErrback(lambda failure: None)  # whoever asks next is told

        self._warming: Any = room.reactor.callLater(WARM_UP_SECONDS, warm_up)

    @question("strategy.list")
    def strategies(self, tab: Listener) -> object:
        return self.room.in_thread(strategy_choices)

    @question("strategy.open")
    def open(self, tab: Listener, name: Word) -> object:
        return self.worker.call("open_strategy", name)

    @question("strategy.node")
    def node(self, tab: Listener, name: Word, betting: Line, board: Word = "") -> object:
        return self.worker.call("strategy_node", name, betting, board)

    @question("icm.ask")
    def icm(self, tab: Listener, stacks: Amounts, payouts: Amounts) -> object:
        """Return the ICM value of each stack in prize money."""
        return self.charts.call("icm", stacks, payouts)

    @question("pushfold.ask")
    def push_fold(
        self,
        tab: Listener,
        stacks: Amounts,
        small_blind: float = 0.5,
        big_blind: float = 1.0,
        ante: float = 0.0,
        payouts: Amounts = (),
        locks: Locks = (),
    ) -> object:
        """Return the solution of a push-or-fold spot, see `solve.pushfold`; locks: texts such as ``BTN=22+``."""
        return self.charts.call("pushfold", id(tab), stacks, (small_blind, big_blind), ante, payouts, locks)

    @question("pushfold.slot")
    def slot(self, tab: Listener, name: Word) -> object:
        """Return a decision of the push-or-fold spot that this tab had solved."""
        return self.charts.call("pushfold_slot", id(tab), name)

    @question("pushfold.hand")
    def hand(self, tab: Listener, name: Word, hand: Word) -> object:
        """Return what one hand does at a decision of that spot, in one line."""
        return self.charts.call("pushfold_hand", id(tab), name, hand)

    @question("pushfold.depths")
    def by_depth(
        self,
        tab: Listener,
        name: Word,
        first: Depth,
        last: Depth,
        stacks: Amounts,
        small_blind: float = 0.5,
        big_blind: float = 1.0,
        ante: float = 0.0,
        payouts: Amounts = (),
        locks: Locks = (),
    ) -> object:
        """Return how deep each hand goes all-in at a decision, see `depth_charts`, with depths from `first` to `last` big blinds.

        The other fields are those of `push_fold`.
        """
        if not first <= last < first + MOST_DEPTHS:
            raise Refused(
                f"{first} to {last}: write depths of which the second is the larger, at most {MOST_DEPTHS} of them"
            )
        depths = tuple(range(first, last + 1))
        return self.charts.call("pushfold_depths", name, depths, stacks, (small_blind, big_blind), ante, payouts, locks)

    async def close(self) -> None:
        if self._warming.active():
            self._warming.cancel()
        self.worker.end()
        self.charts.end()
