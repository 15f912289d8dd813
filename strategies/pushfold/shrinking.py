"""Solver `shrinking`: best responses within a neighbourhood that shrinks (chapter 10 of the 2011 thesis; its production solver).

For each pusher, from the small blind to the first seat, the radius J falls from a start to 1. At each J the pusher, then
the callers, then the overcallers take in turn the best range within J classes of their current one, against the current
ranges of the others. A J at which nothing changes ends the pusher's turn. With one move for each J a range moves by at most
J (J + 1) / 2 classes, so that not every size can be reached from an end. So the small blind's subtree starts with half of
all classes in each range, and every other one with the ranges that the next pusher's subtree ended with.
"""

from limpet.strategies.pushfold.answer import Answer, Stop, never
from limpet.strategies.pushfold.game import Game
from limpet.strategies.pushfold.profile import Locks, Order
from limpet.strategies.pushfold.subtree import OrderedRanges
from limpet.strategies.pushfold.tree import Slot, slots

RADIUS = (25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 16)
"""First radius by the number of players (10.2)."""


def shrinking(game: Game, order: Order, locks: Locks, stop: Stop = never) -> Answer:
    """Return the profile at which the best responses come to rest, or at which the radius is used up."""
    classes = game.tables.classes
    ranges = OrderedRanges(game, order, locks, classes // 2, stop)
    for pusher in range(game.players - 2, -1, -1):
        unopened = float(ranges.unopened(pusher)[pusher])
        subtree = [slot for slot in slots(game.players) if slot[0] == pusher]
        for slot in subtree:
            ranges.resize(slot, ranges.sizes[later_slot(slot, game.players)])
        behind = [slot for slot in subtree if slot not in locks]
        for radius in range(max(1, RADIUS[game.players] * classes // 169), 0, -1):
            changes = [_improve(ranges, slot, radius, unopened) for slot in behind]
            if not any(changes):
                break
    return Answer(ranges.profile(), ranges.evaluations)


def later_slot(slot: Slot, players: int) -> Slot:
    """Return the slot of the next pusher that is most like a slot: the same seats behind, where they come later.

    The slot itself if there is none.
    """
    later: list[int] = [slot[0] + 1]
    for seat in slot[1:]:
        later.append(max(seat, later[-1] + 1))
    found = tuple(later)
    return found if found in slots(players) else slot


def _improve(ranges: OrderedRanges, slot: Slot, radius: int, unopened: float) -> bool:
    """Move a slot to the best range within a radius and return whether it moved; of equal ones it keeps its own."""
    if ranges.stop():
        return False
    gains = ranges.gains(slot, unopened)
    size = ranges.sizes[slot]
    first = max(0, size - radius)
    best = first + int(gains[first : size + radius + 1].argmax())
    if gains[best] <= gains[size]:
        return False
    ranges.resize(slot, best)
    return True
