"""Solvers that go pusher by pusher, `growth` and `shrinking`: ordered ranges behind one pusher after another.

The seats before a pusher do not matter to the subtree behind it, because a seat that folds puts its cards back. So pushers
are solved from the small blind to the first seat.
"""

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.pushfold.answer import Answer, Stop, never
from limpet.strategies.pushfold.evaluation import Answers, Evaluation
from limpet.strategies.pushfold.game import Game
from limpet.strategies.pushfold.profile import Locks, Order, Profile, ordered_range
from limpet.strategies.pushfold.response import ordered_gains
from limpet.strategies.pushfold.tree import Slot, slots

Gains = NDArray[np.float64]
RADIUS = (25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 16)
"""First radius of `shrinking` by the number of players (10.2)."""


class OrderedRanges:
    """The sizes of ordered ranges of all slots of a game, and the gains of other sizes.

    Attributes:
        sizes: number of classes in the range of each slot.
        evaluations: number of slots evaluated so far.
    """

    def __init__(self, game: Game, order: Order, locks: Locks, size: int = 0, stop: Stop = never) -> None:
        """Start with ranges of one size, those of locked slots aside."""
        self.game, self.order, self.locks, self.stop = game, order, locks, stop
        self.evaluation = Evaluation(game, everywhere=True)
        self.sizes = {slot: -1 for slot in slots(game.players)}
        self.evaluations = 0
        self._answers: dict[int, Answers] = {}
        self._gains: dict[Slot, Gains] = {}
        for slot in self.sizes:
            self.resize(slot, size)

    def resize(self, slot: Slot, size: int) -> None:
        """Give a slot another range; a locked one keeps its own."""
        if self.sizes[slot] != size:
            self.sizes[slot] = size
            row = self.locks[slot] if slot in self.locks else ordered_range(self.order, size)
            self.evaluation.set_row(slot, row)
            self._answers.clear()
            self._gains = {other: gains for other, gains in self._gains.items() if not affects(slot, other)}

    def profile(self) -> Profile:
        return Profile(self.game.players, self.evaluation.frequencies)

    def answers(self, pusher: int) -> Answers:
        """Return the values behind a pusher, computed again only after a range has changed."""
        if pusher not in self._answers:
            self.evaluation.refresh()
            self._answers[pusher] = self.evaluation.answers(pusher)
        return self._answers[pusher]

    def unopened(self, pusher: int) -> Gains:
        """Return float64 ``[seat]``: what every seat wins if this pusher and all before it have folded."""
        self.evaluation.refresh()
        share = self.game.tables.share
        values = self.game.leaves.folded
        for seat in range(self.game.players - 2, pusher, -1):
            pushes = self.evaluation.frequencies[seat]
            values = self.evaluation.answers(seat).values @ (share * pushes) + (1 - share @ pushes) * values
        return values

    def gains(self, slot: Slot, unopened: float) -> Gains:
        """Return float64 ``[class + 1]``: what each size of a slot's range wins over folding everything.

        unopened: value to the pusher of folding, which only a push needs.
        """
        if slot not in self._gains:
            self.stop.offer(self.evaluation.frequencies)
            self.evaluations += 1
            answers, (pusher, *others) = self.answers(slot[0]), slot
            if not others:
                gain = self.game.tables.share * (answers.values[pusher] - unopened)
            elif len(others) == 1:
                row = others[0] - pusher - 1
                gain = answers.act[row] - answers.fold[row]
            else:
                gain = np.subtract(*self.evaluation.overcall(slot, answers))
            self._gains[slot] = ordered_gains(gain, self.order)
        return self._gains[slot]


def affects(changed: Slot, slot: Slot) -> bool:
    """Return whether the gains of a slot can change with the range of another one.

    A call's gains depend on the push, on the other calls, and on overcalls behind it and behind later calls; an overcall's
    on the push, the calls up to its caller's and the overcalls behind that call.
    """
    if changed == slot:
        return False
    if len(slot) == 1:
        return changed[0] >= slot[0]
    if changed[0] != slot[0] or len(changed) == 1:
        return changed[0] == slot[0]
    if len(slot) == 2:
        return len(changed) == 2 or changed[1] >= slot[1]
    return changed[1] <= slot[1] if len(changed) == 2 else changed[1] == slot[1]


def growth(game: Game, order: Order, locks: Locks, stop: Stop = never) -> Answer:
    """Return the profile at which no range grows any more: solver `growth` (chapter 11 of the 2011 thesis).

    Each pusher adds the next class of the order while that does not lose. After each class, the callers from the big blind
    down add classes likewise, and after each of theirs the overcallers. Asking the pusher again ends in local maxima (11.1).
    """
    ranges = OrderedRanges(game, order, locks, stop=stop)
    for pusher in range(game.players - 2, -1, -1):
        _widen_range(ranges, (pusher,), float(ranges.unopened(pusher)[pusher]))
    return Answer(ranges.profile(), ranges.evaluations)


def _widen_range(ranges: OrderedRanges, slot: Slot, unopened: float = 0.0) -> None:
    """Grow a slot's range while that does not lose, and let the seats behind answer each class that is added.

    The big blind answers first. A locked range is as it is, and only those behind it answer.
    """
    while True:
        if slot not in ranges.locks:
            size = ranges.sizes[slot]
            if size == ranges.game.tables.classes or ranges.stop():
                return
            gains = ranges.gains(slot, unopened)
            if gains[size + 1] < gains[size]:
                return
            ranges.resize(slot, size + 1)
        if len(slot) < 3:
            for seat in range(ranges.game.players - 1, slot[-1], -1):
                _widen_range(ranges, (*slot, seat))
        if slot in ranges.locks:
            return


def shrinking(game: Game, order: Order, locks: Locks, stop: Stop = never) -> Answer:
    """Return the profile at which best responses come to rest or the radius is used up: solver `shrinking` (chapter 10).

    For each pusher the radius J falls from a start to 1. At each J the pusher, then the callers, then the overcallers take
    in turn the best range within J classes of their current one, against the current ranges of the others. A J at which
    nothing changes ends the pusher's turn. With one move for each J a range moves by at most J (J + 1) / 2 classes, so that
    not every size can be reached from an end. So the small blind's subtree starts with half of all classes in each range,
    and every other one with the ranges that the next pusher's subtree ended with.
    """
    classes = game.tables.classes
    ranges = OrderedRanges(game, order, locks, classes // 2, stop)
    for pusher in range(game.players - 2, -1, -1):
        unopened = float(ranges.unopened(pusher)[pusher])
        subtree = [slot for slot in slots(game.players) if slot[0] == pusher]
        for slot in subtree:
            ranges.resize(slot, ranges.sizes[later_slot(slot, game.players)])
        behind = [slot for slot in subtree if slot not in locks]
        for radius in range(max(1, RADIUS[game.players] * classes // 169), 0, -1):
            changes = [_move_to_best(ranges, slot, radius, unopened) for slot in behind]
            if not any(changes):
                break
    return Answer(ranges.profile(), ranges.evaluations)


def later_slot(slot: Slot, players: int) -> Slot:
    """Return the next pusher's slot with the same seats behind, or later ones where they must be; itself if there is none."""
    later: Slot = (slot[0] + 1,)
    for seat in slot[1:]:
        later += (max(seat, later[-1] + 1),)
    return later if later in slots(players) else slot


def _move_to_best(ranges: OrderedRanges, slot: Slot, radius: int, unopened: float) -> bool:
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
