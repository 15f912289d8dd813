"""Ordered ranges behind one pusher and their gains, shared by the two solvers that go pusher by pusher.

The seats before a pusher do not matter to the subtree behind it, because a seat that folds puts its cards back. So pushers
are solved from the small blind to the first seat.
"""

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.pushfold.answer import Stop, never
from limpet.strategies.pushfold.evaluation import Answers, Evaluation
from limpet.strategies.pushfold.game import Game
from limpet.strategies.pushfold.profile import Locks, Order, Profile, ordered_range
from limpet.strategies.pushfold.response import ordered_gains
from limpet.strategies.pushfold.tree import Slot, slots

Gains = NDArray[np.float64]


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
        """Return the profile of all ranges."""
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
            self._gains[slot] = ordered_gains(self._gain(slot, unopened), self.order)
        return self._gains[slot]

    def _gain(self, slot: Slot, unopened: float) -> Gains:
        """Return float64 ``[class]``: what each class wins by going all-in over folding."""
        act: Gains
        fold: Gains
        answers, (pusher, *others) = self.answers(slot[0]), slot
        if not others:
            gain: Gains = self.game.tables.share * (answers.values[pusher] - unopened)
            return gain
        if len(others) == 1:
            row = others[0] - pusher - 1
            act, fold = answers.act[row], answers.fold[row]
        else:
            act, fold = self.evaluation.overcall(slot, answers)
        return act - fold


def affects(changed: Slot, slot: Slot) -> bool:
    """Return whether the gains of a slot can change with the range of another one.

    A slot's own range is not among its gains' inputs. A call's are the push, the calls before and behind it, and the
    overcalls behind it and behind later calls; an overcall's are the push, the calls up to its caller's and the overcalls
    behind that call.
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
