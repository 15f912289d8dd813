"""A plain twin of push-or-fold values: walks every deal of classes and every decision, one number at a time.

It settles pots chip layer by chip layer and pays prizes by the direct recursion, and shares no code with the product but
the types.
"""

from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.cards.preflop_tables import ORDERINGS, ShowdownTables
from limpet.strategies.shortstacks.game import DealTables, Game, three_player_tables
from limpet.strategies.shortstacks.spot import PushFoldProfile
from tests.oracles.direct_icm import direct_equities
from tests.oracles.showdown_twin import of_order, triple


def random_showdowns(classes: int, seed: int) -> ShowdownTables:
    """Return made-up tables with the symmetries of real ones."""
    random = np.random.default_rng(seed)
    shape = (classes,) * 3
    weights, every = np.zeros(shape), random.random(shape)
    for axes in permutations(range(3)):
        weights += every.transpose(axes)
    strict, top, low, tie = (random.random(shape) for _ in range(4))
    top, low = top + top.transpose(1, 0, 2), low + low.transpose(0, 2, 1)
    tie = np.sum([tie.transpose(axes) for axes in permutations(range(3))], axis=0)
    plain = ShowdownTables(weights, strict, top, low, tie, 0)  # type: ignore[arg-type]
    total = np.sum([of_order(plain, number) for number in range(len(ORDERINGS))], axis=0)
    shares = ((each / total).astype(np.float32) for each in (strict, top, low, tie))
    return ShowdownTables(weights.astype(np.float32), *shares, boards=0)  # type: ignore[misc]


def random_tables(showdowns: ShowdownTables, seed: int) -> DealTables:
    """Return made-up chances of classes for one and two players, with the given ones for three."""
    random = np.random.default_rng(seed)
    classes = len(showdowns.triple_weights)
    joint = random.random((classes, classes))
    joint += joint.T
    win, tie = random.random((classes, classes)), random.random((classes, classes))
    tie = tie + tie.T
    total = win + tie + win.T
    two = DealTables(
        share=joint.sum(1) / joint.sum(),
        conditional=joint / joint.sum(1, keepdims=True),
        pairs=np.stack([win, tie, win.T]) / total,
        triples=np.zeros((0, 0, 9, 0), np.float32),
        scale=np.zeros((classes, classes)),
    )
    return three_player_tables(showdowns, two)


Values = NDArray[np.float64]


class Twin:
    """The values of a game under a profile, by brute force."""

    def __init__(self, game: Game, showdowns: ShowdownTables, profile: PushFoldProfile) -> None:
        self.game, self.showdowns, self.profile = game, showdowns, profile
        self.spot, self.tables = game.spot, game.tables
        self._results: dict[tuple[int, ...], Values] = {}

    def values(self) -> Values:
        """Return float64 ``[seat]``: what every seat wins."""
        return self._from(0, ())

    def _from(self, seat: int, held: tuple[tuple[int, int], ...]) -> Values:
        last = seat == self.spot.players - 1
        if seat == self.spot.players or len(held) == 3 or (last and not held):
            return self._leaf(held)
        slot = (*(player for player, _ in held), seat)
        chances = self._chances([number for _, number in held])
        value = np.zeros(self.spot.players)
        for number, (chance, frequency) in enumerate(zip(chances, self.profile[slot], strict=True)):
            value += chance * frequency * self._from(seat + 1, (*held, (seat, number)))
            value += chance * (1 - frequency) * self._from(seat + 1, held)
        return value

    def _chances(self, held: list[int]) -> Values:
        if not held:
            return self.tables.share
        weights = self.tables.conditional if len(held) == 1 else self.showdowns.triple_weights[held[0]].astype(float)
        row: Values = weights[held[-1]]
        chances: Values = row / row.sum()
        return chances

    def _leaf(self, held: tuple[tuple[int, int], ...]) -> Values:
        seats, numbers = [player for player, _ in held], [number for _, number in held]
        if len(held) < 2:
            return self._won(seats or [self.spot.players - 1], [0], not seats)
        if len(held) == 2:
            ranks = [[0, 1], [0, 0], [1, 0]]
            chances = [float(self.tables.pairs[number][*numbers]) for number in range(3)]
        else:
            ranks = [list(ordering.places) for ordering in ORDERINGS]
            chances = triple(self.showdowns, *numbers).tolist()
        total: Values = np.sum(
            [chance * self._won(seats, rank) for chance, rank in zip(chances, ranks, strict=True)], axis=0
        )
        return total

    def _won(self, seats: list[int], ranks: list[int], is_walk: bool = False) -> Values:
        """Return what every seat wins once hands of these ranks are shown; remembered, because there are few results."""
        key = (*seats, -1, *ranks, is_walk)
        if key not in self._results:
            self._results[key] = self._result(seats, ranks, is_walk)
        return self._results[key]

    def _result(self, seats: list[int], ranks: list[int], is_walk: bool) -> Values:
        spot = self.spot
        chips = settle(spot.stacks, list(spot.posted()), [] if is_walk else seats, dict(zip(seats, ranks, strict=True)))
        after, before = np.array(chips), np.array(spot.stacks)
        if spot.payouts is not None:
            after, before = (np.array(prizes(each, spot.stacks, spot.prizes)) for each in (chips, spot.stacks))
        won: Values = (after - before) / (spot.big_blind if spot.payouts is None else 1)
        return won


def settle(stacks, posted, all_in, ranks) -> list[float]:  # type: ignore[no-untyped-def]
    """Return chips after a hand: the smallest contribution is taken from everybody, won, and so on until none is left."""
    paid = [stack if seat in all_in else put for seat, (stack, put) in enumerate(zip(stacks, posted, strict=True))]
    chips = [stack - put for stack, put in zip(stacks, paid, strict=True)]
    while any(put > 0 for put in paid):
        contenders = [seat for seat in ranks if paid[seat] > 0]
        if not contenders:  # what is above every contender's stack goes back
            chips = [have + put for have, put in zip(chips, paid, strict=True)]
            break
        level = min(paid[seat] for seat in contenders)
        pot = sum(min(put, level) for put in paid)
        paid = [max(put - level, 0.0) for put in paid]
        best = min(ranks[seat] for seat in contenders)
        winners = [seat for seat in contenders if ranks[seat] == best]
        for seat in winners:
            chips[seat] += pot / len(winners)
    return chips


def prizes(chips, before, payouts) -> list[float]:  # type: ignore[no-untyped-def]
    """Return every player's prize money: busted ones by their stacks before, the others by the chip model."""
    live = [seat for seat, have in enumerate(chips) if have > 0]
    places = [*payouts, *[0.0] * (len(chips) - len(payouts))]
    won = [0.0] * len(chips)
    for seat, prize in zip(live, direct_equities([chips[seat] for seat in live], places[: len(live)]), strict=True):
        won[seat] = prize
    for seat in set(range(len(chips))) - set(live):
        better = len(live) + sum(before[other] > before[seat] for other in range(len(chips)) if other not in live)
        equal = [other for other in range(len(chips)) if other not in live and before[other] == before[seat]]
        won[seat] = sum(places[better : better + len(equal)]) / len(equal)
    return won
