"""Solver `growth`: ranges that only grow, class by class (chapter 11 of the 2011 thesis).

For each pusher, from the small blind to the first seat, the pusher adds the next class of the order while that does not
lose. After each class added, the callers from the big blind down add classes in the same way, and after each of theirs the
overcallers. The pusher is not asked again after the answers: that is slower and ends in local maxima (11.1).
"""

from limpet.strategies.pushfold.answer import Answer, Stop, never
from limpet.strategies.pushfold.game import Game
from limpet.strategies.pushfold.profile import Locks, Order
from limpet.strategies.pushfold.subtree import OrderedRanges
from limpet.strategies.pushfold.tree import Slot


def growth(game: Game, order: Order, locks: Locks, stop: Stop = never) -> Answer:
    """Return the profile at which no range grows any more."""
    ranges = OrderedRanges(game, order, locks, stop=stop)
    for pusher in range(game.players - 2, -1, -1):
        unopened = float(ranges.unopened(pusher)[pusher])
        _grow(ranges, (pusher,), unopened)
    return Answer(ranges.profile(), ranges.evaluations)


def _grow(ranges: OrderedRanges, slot: Slot, unopened: float = 0.0) -> None:
    """Grow a slot's range while that does not lose, and let the seats behind answer each class that is added.

    A locked range is as it is, and only those behind it answer.
    """
    if slot in ranges.locks:
        _grow_answers(ranges, slot)
        return
    while (size := ranges.sizes[slot]) < ranges.game.tables.classes and not ranges.stop():
        gains = ranges.gains(slot, unopened)
        if gains[size + 1] < gains[size]:
            return
        ranges.resize(slot, size + 1)
        _grow_answers(ranges, slot)


def _grow_answers(ranges: OrderedRanges, slot: Slot) -> None:
    """Let the seats behind the owner of a slot grow their ranges, the big blind first."""
    if len(slot) < 3:
        for seat in range(ranges.game.players - 1, slot[-1], -1):
            _grow(ranges, (*slot, seat))
