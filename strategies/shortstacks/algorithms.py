"""The solvers of push-or-fold games: `classes`, the linear program, fictitious play, and those that go pusher by pusher.

Overcalls are rare and cost most of the time. So a round holds them still while pushes and calls take many cheap steps of
regret matching, and then moves them toward the best response to the average. It moves them all the way where that response
is the same as in the round before, and otherwise by a step that shrinks, as in fictitious play. Each round ends with the
exact conditional losses of the profile that would be returned: epsilon hardly sees decisions that are rarely reached.

A decision has two actions, so that there are two regrets for each class. Regrets are conditional, of hands that have come to
the decision. Otherwise a decision that hands come to less and less often would keep to what its first steps learnt.
"""

from collections.abc import Iterator
from itertools import accumulate, count, islice

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.errors import ProtocolError
from limpet.strategies.shortstacks import spot
from limpet.strategies.shortstacks.evaluation import Answers, ProfileEvaluation, SolvedProfile, StopCheck, never
from limpet.strategies.shortstacks.game import Game
from limpet.strategies.shortstacks.response import conditional_losses, ordered_gains
from limpet.strategies.shortstacks.spot import Frequencies, Locks, Order, PushFoldProfile, Slot, apply_locks, slots
from limpet.strategies.solvers.linear_program import equilibrium

STEPS = 15
"""Steps of regret matching in each round."""
MOST_ROUNDS = 60
"""Rounds after which the solver stops however far it is from its target."""
TARGET = 0.001
"""Largest conditional loss at which the solver ends, in % of all prizes, or with chips of ten big blinds."""
TREMBLE = 1e-6
"""How often the best class goes all-in where no class does, and the worst folds where all go all-in: answers are learnt."""
REMNANT = 0.1
"""Largest frequency that is taken for a remnant of the first steps if the other action is better."""
START = (0.4, 0.2, 0.12)
"""Parts of the classes that push, call and overcall at first."""


def first_frequencies(players: int, order: Order) -> Frequencies:
    """Return float64 ``[slot, class]``: 1 for the best classes of an order, as large a part of all as `START` says."""
    return np.array([spot.ordered_range(order, int(START[len(slot) - 1] * len(order))) for slot in slots(players)])


def trembling(frequencies: Frequencies, order: Order) -> Frequencies:
    """Return frequencies ``[slot, class]`` in which no decision is certain.

    An order's best class goes all-in now and then where no class does, and its worst folds now and then where all go all-in.
    """
    trembled = frequencies.copy()
    trembled[frequencies.max(axis=1) < TREMBLE, order[0]] = TREMBLE
    trembled[frequencies.min(axis=1) > 1 - TREMBLE, order[-1]] = 1 - TREMBLE
    return trembled


def classes(game: Game, order: Order, locks: Locks, stop: StopCheck = never, target: float = TARGET) -> SolvedProfile:
    """Return a profile near an equilibrium, over all classes; the order only gives the start.

    target: conditional loss at which the solver stops, see `ConditionalLosses.percent`.
    """
    players = game.players
    current = apply_locks(first_frequencies(players, order), players, locks)
    average, regrets = current.copy(), np.zeros((2, *current.shape))
    evaluation = ProfileEvaluation(game)
    stop.offer(average)
    frequencies, gain = average.copy(), np.zeros(average.shape)
    pushes, calls = slice(0, players - 1), slice(players - 1, players - 1 + players * (players - 1) // 2)
    overcalls = slice(calls.stop, None)
    steps = 0
    for round_ in range(1, MOST_ROUNDS + 1):
        evaluation.set_all(trembling(frequencies, order))
        evaluation.refresh()
        for _ in range(STEPS):
            for rows in (pushes, calls):
                evaluation.set_all(trembling(apply_locks(current, players, locks), order), upto=2)
                values = evaluation.values(overcalls=False)
                gain[rows] = values.gain[rows] / values.chances[rows, None]
                act, fold = regrets[:, rows]
                np.maximum(act + (1 - current[rows]) * gain[rows], 0, out=act)
                np.maximum(fold - current[rows] * gain[rows], 0, out=fold)
                total = act + fold
                np.divide(act, total, out=current[rows], where=total > 0)
            steps += 1
            average += 3 / (steps + 2) * (current - average)  # later steps weigh more
            frequencies[: overcalls.start] = average[: overcalls.start]
            stop.offer(frequencies)
            if stop():
                break
        # What the first steps left of actions that lose goes; classes that mix are left as they are.
        frequencies[(frequencies > 1 - REMNANT) & (gain > 0)] = 1
        frequencies[(frequencies < REMNANT) & (gain < 0)] = 0
        frequencies = apply_locks(frequencies, players, locks)
        evaluation.set_all(trembling(frequencies, order))
        values = evaluation.values()
        loss = conditional_losses(game, frequencies, values, locks).percent
        if (round_ > 1 and (loss <= target or round_ == MOST_ROUNDS)) or stop():
            break
        was_better, gain = gain[overcalls] > 0, values.gain
        better = gain[overcalls] > 0
        step = np.where(better == was_better, 1.0, 2 / (round_ + 1))
        frequencies[overcalls] += step * (better - frequencies[overcalls])
        frequencies = apply_locks(frequencies, players, locks)
    return SolvedProfile(PushFoldProfile(players, frequencies), round_ * STEPS, values=values)


# --- The exact heads-up equilibrium by a linear program.


def linear_program(game: Game, order: Order, locks: Locks, stop: StopCheck = never) -> SolvedProfile:
    """Return an equilibrium of a heads-up game, exact up to rounding; it may mix. `order` and `stop` are not used.

    Raises `ProtocolError` for other than two players and with locks.
    """
    if game.players != 2 or locks:
        raise ProtocolError("the linear program solves two players without locks; solver 'classes' takes both")
    tables, leaves = game.tables, game.leaves
    joint = tables.share[:, None] * tables.conditional
    held = np.indices(joint.shape).reshape(2, -1)
    called = np.tensordot(leaves.called[0, :, 0], tables.pairs, 1).ravel()
    _, call, folded, pushed, both = range(5)
    ends = {folded: leaves.folded[0], pushed: leaves.pushed[0, 0], both: called}
    _, rows = equilibrium(
        player=[0, 1, -1, -1, -1],
        children=[[folded, call], [pushed, both], [], [], []],
        classes=lambda node, player: held[player],
        payoff=lambda node: np.broadcast_to(ends[node], called.shape),
        weight=joint.ravel(),
    )
    return SolvedProfile(PushFoldProfile(2, np.array([row[:, 1] for _, row in rows])), 1)


# --- Solver `fictitious-play`: ordered ranges against the history of all other seats (chapter 9 of the 2011 thesis).

ITERATIONS = 500
"""Number of iterations, as in section 9.3.1."""


def fictitious_play(game: Game, order: Order, locks: Locks, stop: StopCheck = never) -> SolvedProfile:
    """Return the mean of the first `ITERATIONS` of `fictitious_profiles`."""
    total = np.zeros((len(slots(game.players)), game.tables.classes))
    for step, frequencies in enumerate(islice(fictitious_profiles(game, order, locks), ITERATIONS), 1):
        total += frequencies
        stop.offer(total / step)
        if stop():
            break
    return SolvedProfile(PushFoldProfile(game.players, total / step), step)


def fictitious_profiles(game: Game, order: Order, locks: Locks) -> Iterator[Frequencies]:
    """Yield float64 ``[slot, class]``: ordered ranges that are each best against the history so far, without end."""
    players = game.players
    evaluation = ProfileEvaluation(game)
    sizes = np.full(len(slots(players)), game.tables.classes // 4)
    means = np.zeros((len(sizes), game.tables.classes + 1))
    for step in count(1):
        frequencies = apply_locks(spot.ordered_profile(players, sizes, order).frequencies, players, locks)
        yield frequencies
        evaluation.set_all(frequencies)
        wins = np.array([ordered_gains(row, order) for row in evaluation.values().gain])
        means += (wins - means) / step
        sizes = means.argmax(axis=1)


# --- Solvers that go pusher by pusher, `growth` and `shrinking`: ordered ranges behind one pusher after another.

Gains = NDArray[np.float64]
RADIUS = (25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 16)
"""First radius of `shrinking` by the number of players (10.2)."""


class OrderedRanges:
    """The sizes of ordered ranges of all slots of a game, the gains of other sizes, and how many slots were evaluated.

    `orders` has the order of the classes for pushes, and that for calls and overcalls.
    """

    def __init__(
        self, game: Game, orders: tuple[Order, Order], locks: Locks, size: int = 0, stop: StopCheck = never
    ) -> None:
        """Start with ranges of one size, those of locked slots aside."""
        self.game, self.orders, self.locks, self.stop = game, orders, locks, stop
        self.evaluation = ProfileEvaluation(game, everywhere=True)
        self.sizes = dict.fromkeys(slots(game.players), -1)
        self.evaluations = 0
        self._answers: dict[int, Answers] = {}
        self._gains: dict[Slot, Gains] = {}
        for slot in self.sizes:
            self.resize(slot, size)

    def resize(self, slot: Slot, size: int) -> None:
        if self.sizes[slot] != size:
            self.sizes[slot] = size
            row = self.locks[slot] if slot in self.locks else spot.ordered_range(self.orders[len(slot) > 1], size)
            self.evaluation.set_row(slot, row)
            self._answers.clear()
            self._gains = {other: gains for other, gains in self._gains.items() if not affects(slot, other)}

    def profile(self) -> PushFoldProfile:
        return PushFoldProfile(self.game.players, self.evaluation.frequencies)

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
            self._gains[slot] = ordered_gains(gain, self.orders[len(slot) > 1])
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


def growth(
    game: Game, order: Order, locks: Locks, stop: StopCheck = never, call_order: Order | None = None
) -> SolvedProfile:
    """Return the profile at which no range grows any more: solver `growth` (chapter 11 of the 2011 thesis).

    call_order: order of the classes for calls and overcalls; by default that for pushes (14.2 hints at two orders).

    Each pusher adds the next class of the order while that does not lose. After each class, the callers from the big blind
    down add classes likewise, and after each of theirs the overcallers. Asking the pusher again ends in local maxima (11.1).
    """
    ranges = OrderedRanges(game, (order, order if call_order is None else call_order), locks, stop=stop)
    for pusher in range(game.players - 2, -1, -1):
        _widen_range(ranges, (pusher,), float(ranges.unopened(pusher)[pusher]))
    return SolvedProfile(ranges.profile(), ranges.evaluations)


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


def shrinking(game: Game, order: Order, locks: Locks, stop: StopCheck = never) -> SolvedProfile:
    """Return the profile at which best responses come to rest or the radius is used up: solver `shrinking` (chapter 10).

    For each pusher the radius J falls from a start to 1. At each J the pusher, then the callers, then the overcallers take
    in turn the best range within J classes of their current one, against the current ranges of the others. A J at which
    nothing changes ends the pusher's turn. With one move for each J a range moves by at most J (J + 1) / 2 classes, so that
    not every size can be reached from an end. So the small blind's subtree starts with half of all classes in each range,
    and every other one with the ranges that the next pusher's subtree ended with.
    """
    classes = game.tables.classes
    ranges = OrderedRanges(game, (order, order), locks, classes // 2, stop)
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
    return SolvedProfile(ranges.profile(), ranges.evaluations)


def later_slot(slot: Slot, players: int) -> Slot:
    """Return the next pusher's slot with the same seats behind, or later ones where they must be; itself if there is none."""
    later = tuple(accumulate((slot[0] + 1, *slot[1:]), lambda before, seat: max(seat, before + 1)))
    return later if later in slots(players) else slot


def _move_to_best(ranges: OrderedRanges, slot: Slot, radius: int, unopened: float) -> bool:
    """Move a slot to the best range within a radius and return whether it moved; of equal ones it keeps its own."""
    if ranges.stop():
        return False
    gains, size = ranges.gains(slot, unopened), ranges.sizes[slot]
    first = max(0, size - radius)
    best = first + int(gains[first : size + radius + 1].argmax())
    if gains[best] <= gains[size]:
        return False
    ranges.resize(slot, best)
    return True
