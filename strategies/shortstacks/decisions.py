"""A hand at a table as a push-or-fold spot, and its betting as decisions of the spot's tree."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice, pairwise
from math import log, log1p
from operator import add
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.chip_sums import num_acting
from limpet.protocol.gamedef import GameDef
from limpet.protocol.handhistory import at_risk
from limpet.protocol.situation import Situation
from limpet.protocol.state import State
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import NUM_CLASSES, preflop_classes
from limpet.strategies.cards.ranking_kernels import hand_strengths
from limpet.strategies.shortstacks import spot as tree
from limpet.strategies.shortstacks.evaluation import StopCheck, never
from limpet.strategies.shortstacks.game import Ranks, chip_values, chips_after
from limpet.strategies.shortstacks.spot import MOST, MOST_ALL_IN, Frequencies, PushFoldProfile, ShortSpot, Slot

# --- Values of going all-in against any number of players who are all-in with known ranges, from sampled deals.

Array = NDArray[np.float64]

DEALS = 1000
"""Number of deals. A class is compared on 4 to 12 times as many, with a standard error near 1 % of the pot."""
BATCH = 50
"""Number of deals between two looks at the clock: some hundredths of a second, up to 0.4 s with eight players all-in."""
SEED = 1
"""Seed of the deals, always the same, so that equal decisions are equal."""
ANY = 1e-3
"""Weight in every range of hands that the range does not hold: opponents may play other ranges."""
UNKNOWN = 34
"""Number of classes, the best ones, that stand for a range that is empty."""


Strengths = NDArray[np.int32]
"""Strengths of hands, equal where hands tie; negative for a hand with a card that is taken."""


def all_in_gain(
    spot: ShortSpot, paid: Sequence[float], seat: int, opponents: Mapping[int, Array], stop: StopCheck = never
) -> Array:
    """Return float64 ``[class]``: what a seat wins by going all-in instead of folding, in the spot's unit.

    paid: chips of each seat in the pot so far. Seats that are not named stay out, with these chips lost.
    opponents: float64 ``[class]`` by the seat of each player all-in: how often the player goes all-in with each class.
    stop: is asked after each batch of deals. Once it says so, the deals so far are all there are.
    """
    seats = tuple(opponents)

    @cache
    def gain_of(ranks: Ranks) -> float:
        return _value(spot, paid, (*seats, seat), ranks, seat) - _value(spot, paid, seats, ranks[:-1], seat)

    total, counts = np.zeros((2, NUM_CLASSES))
    for dealt, own in sampled_deals(tuple(opponents.values())):
        total += np.bincount(preflop_classes(), _summed_gains(dealt, own, gain_of), NUM_CLASSES)
        counts += np.bincount(preflop_classes(), (own >= 0).sum(axis=0), NUM_CLASSES)
        if stop():
            break
    return np.asarray(total / np.maximum(counts, 1))


def _summed_gains(dealt: Strengths, own: Strengths, gain_of: Callable[[Ranks], float]) -> Array:
    """Return float64 ``[hand]``: what each hand wins by going all-in, summed over deals; gain_of: by `_ranks`."""
    opponents = dealt.shape[1]
    digits = 3 ** np.arange(opponents)
    patterns = (np.sign(dealt[:, :, None] - dealt[:, None, :]) + 1).reshape(len(dealt), -1)
    patterns, first, pattern = np.unique(patterns, axis=0, return_index=True, return_inverse=True)
    live = own >= 0
    against = np.zeros(own.shape, np.int64)
    for column, digit in enumerate(digits):
        against += digit * (np.sign(own - dealt[:, column : column + 1]) + 1)
    code = np.where(live, pattern.reshape(-1, 1) * 3**opponents + against, 0)
    values = np.zeros(len(patterns) * 3**opponents)
    for number in np.unique(code[live]):
        index, comparisons = divmod(int(number), 3**opponents)
        values[number] = gain_of(_ranks(dealt[first[index]], comparisons // digits % 3 - 1))
    return np.asarray(np.where(live, values[code], 0.0).sum(axis=0))


def _ranks(strengths: Strengths, comparisons: NDArray[np.int64]) -> Ranks:
    """Return the ranks of opponents' hands and, last, of the own hand; its comparisons ``[k]`` are 1 where it beats one."""
    ranks = [(strengths > strength).sum() + (sign > 0) for strength, sign in zip(strengths, comparisons, strict=True)]
    return (*map(int, ranks), int((comparisons < 0).sum()))


def _value(spot: ShortSpot, paid: Sequence[float], seats: tuple[int, ...], ranks: Ranks, seat: int) -> float:
    return float(chip_values(spot, chips_after(spot, np.array(paid), seats, ranks)[None])[0, seat])


def sampled_deals(ranges: Sequence[Array]) -> Iterator[tuple[Strengths, Strengths]]:
    """Yield `DEALS` deals in batches of `BATCH`: hands of the ranges ``[class]`` without a common card, and boards.

    A batch has the strengths of the k players' hands, ``[deal, k]``, and those of all hands, ``[deal, hand]``.
    """
    deals = islice(_deals(ranges), DEALS)
    while batch := list(islice(deals, BATCH)):
        dealt, own = zip(*batch, strict=True)
        yield np.array(dealt), np.array(own)


def _deals(ranges: Sequence[Array]) -> Iterator[tuple[Strengths, Strengths]]:
    """Yield the two rows of one deal after another, without end."""
    holes = hand_space().holes
    # A range has a little of all other hands, and stands for the best hands where it is empty.
    completed = [(frequencies if frequencies.any() else likely_range()) + ANY for frequencies in ranges]
    chances = [(weights / weights.sum())[preflop_classes()] for weights in completed]
    chances = [chance / chance.sum() for chance in chances]
    random = np.random.default_rng(SEED)
    while True:
        proposed = np.stack([random.choice(len(holes), DEALS, p=chance) for chance in chances], axis=1)
        cards = np.sort(holes[proposed].reshape(DEALS, -1), axis=1)
        for hands in proposed[(np.diff(cards, axis=1) > 0).all(axis=1)]:
            taken = holes[hands].ravel()
            board = random.choice(np.setdiff1d(np.arange(52), taken), 5, replace=False).astype(np.int8)
            strengths = hand_strengths(board, holes)
            is_taken = np.isin(holes, taken).any(axis=1)
            yield strengths[hands], np.where(is_taken, np.int32(-1), strengths)


@cache
def likely_range() -> Array:
    """Return float64 ``[class]``: the best classes, which stand for a range of which nothing is known."""
    return tree.ordered_range(tree.strength_order(), UNKNOWN)


DIGITS = 9
"""Decimal places to which amounts in big blinds are kept, so that equal spots are equal to the last bit."""
COMMITTED = 1 / 3
"""Part of the chips at risk from which a raise or a call counts as all-in (the 2011 thesis leaves this open)."""


class TableSpot(NamedTuple):
    """A spot in big blinds of `unit` chips, scaled so that spots of equal strategies are equal, and where its seats sit.

    `positions` has the game's position at each seat of the tree, the first to act first and the big blind last.
    """

    spot: ShortSpot
    positions: tuple[int, ...]
    unit: int

    def seat(self, position: int) -> int:
        return self.positions.index(position)


def table_spot(game: GameDef) -> TableSpot | None:
    """Return the spot of a game's hand; None where no push-or-fold tree fits, such as without blinds.

    Prizes that make no difference are left out: where the winner takes all, and where two play, chips are what counts.
    """
    situation = Situation.of(game)
    players, unit = game.num_players, situation.big_blind
    if unit <= 0 or not 2 <= players <= MOST:
        return None
    positions = tuple((game.first_player[0] + turn) % players for turn in range(players))
    spot = ShortSpot(
        stacks=tuple(round(game.starting_stack[position] / unit, DIGITS) for position in positions),
        small_blind=round(situation.small_blind / unit, DIGITS),
        ante=round(situation.ante / unit, DIGITS),
        payouts=_scaled(situation.live_payouts),
    )
    chips = tuple(map(add, game.blind, game.dead)) if game.dead else game.blind
    posted = tuple(chips[position] / unit for position in positions)
    fits = not game.whole_antes and np.allclose(spot.posted(), posted, rtol=0, atol=1e-6)
    return TableSpot(spot, positions, unit) if fits else None


def rounded(spot: ShortSpot, step: float, share: float = 0.0) -> ShortSpot:
    """Return a spot whose stacks are rounded, so that its answer serves for many spots; with step 0 the spot itself.

    Stacks are multiples of `step` big blinds, above 0; those above step / share go in steps of this share of a stack.
    Where chips are what counts, the largest stack is cut to the second largest: it cannot lose more.
    """
    if not step:
        return spot
    most = sorted(spot.stacks)[-2] if spot.payouts is None else float("inf")
    return replace(spot, stacks=tuple(_rounded(min(chips, most), step, share) for chips in spot.stacks))


def _rounded(chips: float, step: float, share: float) -> float:
    """Return the nearest multiple of a step above 0, or for a large stack the nearest of steps that grow with the stack."""
    if share * chips <= step:
        return round(max(round(chips / step), 1) * step, DIGITS)
    steps = round(log(chips * share / step) / log1p(share))
    return round(step / share * (1 + share) ** steps, DIGITS)


def _scaled(prizes: tuple[float, ...]) -> tuple[float, ...] | None:
    """Return the parts of prizes that are still to be won, scaled to a sum of 1; None where chips are what counts."""
    won = [prize - prizes[-1] for prize in prizes]
    if len(prizes) == 2 or sum(won) <= 0 or not any(won[1:]):
        return None
    return tuple(round(prize / sum(won), DIGITS) for prize in won)


def read_betting(state: State) -> tuple[list[int], set[int], bool]:
    """Return the betting that led to a state before the flop, as a push-or-fold tree reads it.

    First come the positions that count as all-in by their own actions, in the order in which they went in, then those that
    have called or raised less and are still in, then whether somebody so raised before anybody went all-in. A raise or
    call that puts in `COMMITTED` of what the player can lose counts as all-in, and so does every one after it.
    """
    all_in: list[int] = []
    limpers: set[int] = set()
    is_raised = False
    for before, after in pairwise(state.path()):
        actor, action = before.actor, after.action
        assert action is not None
        if action.kind == "f":
            limpers.discard(actor)
        elif all_in or after.spent[actor] >= COMMITTED * at_risk(before, actor):
            limpers.discard(actor)
            if actor not in all_in:
                all_in.append(actor)
        else:
            limpers.add(actor)
            is_raised |= action.kind == "r"
    return [position for position in all_in if not state.has_folded(position)], limpers, is_raised


def posted_all_in(state: State) -> list[int]:
    """Return the positions whose blind and ante took all their chips."""
    return [position for position, chips in enumerate(state.game.stack) if state.game.blind[position] >= chips]


@dataclass(frozen=True)
class PushFoldDecision:
    """All-in or fold, at a table, after the seats that went all-in, in their order.

    It is read as `slots` of the tree: a hand goes all-in as often as in the one where it does so least. There are none for
    a decision that the tree does not have, so that hands are dealt to find their values.
    """

    table: TableSpot
    slots: tuple[Slot, ...]
    all_in: Slot

    def frequencies(self, profile: PushFoldProfile, state: State, stop: StopCheck = never) -> Frequencies:
        """Return float64 ``[class]``: how often each class goes all-in. `stop` ends deals for what the tree lacks."""
        if self.slots:
            return np.asarray(np.min([profile[slot] for slot in self.slots], axis=0))
        table = self.table
        paid = [state.paid[position] / table.unit for position in table.positions]
        opponents = {seat: _range_of(profile, self.all_in, turn) for turn, seat in enumerate(self.all_in)}
        return (all_in_gain(table.spot, paid, table.seat(state.actor), opponents, stop) > 0).astype(np.float64)


def read_decision(table: TableSpot, state: State) -> PushFoldDecision | None:
    """Return the decision that a state before the flop is read as.

    None if that is neither all-in nor fold: after a small raise, and for the big blind who may check.
    """
    all_in, limpers, is_raised = read_betting(state)
    seat, last = table.seat(state.actor), len(table.positions) - 1
    all_in_seats = [table.seat(position) for position in all_in if position != state.actor]
    if all_in_seats:
        return _answer(table, state, all_in_seats)
    if is_raised or seat == last:
        return None
    before = tuple(other for other in sorted(map(table.seat, posted_all_in(state))) if other < seat)
    if len(before) >= MOST_ALL_IN:
        return PushFoldDecision(table, (), before)
    own = (*before, seat)
    if not limpers:
        return PushFoldDecision(table, (own,), before)
    responders = num_acting(state.game.stack, state.spent, state.folded) - 1
    return PushFoldDecision(table, (own, (max(last - responders, 0),)), before)


def _answer(table: TableSpot, state: State, all_in_seats: list[int]) -> PushFoldDecision:
    """Return the decision of a player who faces seats that went in by their own actions."""
    seat = table.seat(state.actor)
    is_again = state.spent[state.actor] > state.game.blind[state.actor]
    blinds = [table.seat(position) for position in posted_all_in(state)]
    all_in = [*all_in_seats, *(other for other in blinds if is_again or other < seat)]
    if is_again or all_in_seats != sorted(all_in_seats) or max(all_in_seats) > seat or len(all_in) >= MOST_ALL_IN:
        return PushFoldDecision(table, (), tuple(all_in))
    return PushFoldDecision(table, ((*sorted(all_in), seat),), tuple(all_in))


def _range_of(profile: PushFoldProfile, all_in: Slot, turn: int) -> Frequencies:
    """Return the range of one of the seats that are all-in: that of the tree's decision most like it.

    A fourth player has the range of an overcall behind the first two. Where the tree has no such decision, as for the big
    blind's raise after limps, the best hands stand for the range.
    """
    slot = (*sorted(all_in[: min(turn, MOST_ALL_IN - 1)]), all_in[turn])
    return profile[slot] if slot in tree.slot_numbers(profile.players) else likely_range()
