"""Grids of hands as a page draws them: the 169 classes of hold'em with their combos, or a list of hands elsewhere.

Numbers lie in columns, one for all cells or combos, so that a grid of 1,326 combos stays small and quick to write as JSON.

A decision's hands are also summed up by what they are on the board: made hands, and draws to flushes and straights. A made
hand is named by what the two hole cards add. So a pair keeps its name on a board that is paired itself, and who holds
nothing beside a board's straight plays the board.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from math import isnan
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.protocol.cards import cards_text
from limpet.protocol.ranking import CATEGORIES, FLUSH, STRAIGHT, category, rank_hands
from limpet.strategies.cards.boards import STRAIGHTS
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import class_name, preflop_classes
from limpet.strategies.cards.ranges import class_combos, class_grid, class_weights
from limpet.strategies.holdem.solutions.answer import Decision, hand_text
from limpet.strategies.holdem.solutions.pictures import action_colours, hex_colour
from limpet.strategies.solvers.vector.vector_solver import possible_reach

SIDE = 13
"""Number of rows and of columns of a grid of classes."""
HELD = 1e-7
"""Hands with a smaller reach probability are left out."""

RANGE_COLOUR = "#4f8a5b"
"""Colour of the hands of a range."""

_hand_text = cache(hand_text)

Numbers = tuple[float, ...]
Values = tuple[float | None, ...]
Kinds = NDArray[np.int8]
"""The number of each hand's kind in `MADE` or in `DRAWS`."""


class GridAction(msgspec.Struct, frozen=True):
    """An action of a decision.

    Attributes:
        label: name in words, with the pot fraction of a raise: ``bet 5 (50 %)``.
        colour: ``#rrggbb`` as in the pictures of `limpet solve`.
        frequency: probability of the action over all hands, 0 to 1.
        ev: mean share of the pot after the action in big blinds, over the hands that take it; None where unknown.
    """

    label: str
    colour: str
    frequency: float
    ev: float | None = None


class HandColumns(msgspec.Struct, frozen=True):
    """Hands or classes of hands in columns, each with a number for every one of them.

    Attributes:
        names: cards or classes.
        weight: reach probability, 0 to 1.
        frequencies: ``[action][hand]``: probability of each action.
        ev: share of the pot in big blinds, or equity; None where unknown. Empty if no values are known.
        evs: ``[action][hand]``: share of the pot after each action; empty if unknown.
    """

    names: tuple[str, ...]
    weight: Numbers
    frequencies: tuple[Numbers, ...]
    ev: Values = ()
    evs: tuple[Values, ...] = ()


class KindColumns(msgspec.Struct, frozen=True):
    """Kinds of hands in columns, each with a number for every one of them.

    Attributes:
        share: probability that the actor holds a hand of each kind when the decision comes up.
        other: the same of the opponent.
        frequencies: ``[action][kind]``: probability of each action.
        ev: mean share of the pot in big blinds, or equity; None where unknown. Empty if no values are known.
    """

    names: tuple[str, ...]
    share: Numbers
    other: Numbers
    frequencies: tuple[Numbers, ...]
    ev: Values = ()


class HandGrid(msgspec.Struct, frozen=True):
    """A decision, or a range, by hands.

    Attributes:
        columns: 13 for the classes of hold'em, which then lie row by row; 0 for a list.
        actions: actions of the decision, folds and calls first; a range has one, which is to hold the hand.
        cells: the classes, or the hands of a list.
        held: probability that the actor holds each cell's hands when the decision comes up.
        combos: the hands of all cells that get there; empty for a list.
        cell_of: index of the cell of each combo.
        measure: name of the values, if there are any: EV in big blinds, or equity from 0 to 1.
        made: the actor's made hands by kind, and `draws` what they draw to; None without a board, and draws on a river.
    """

    columns: int
    actions: tuple[GridAction, ...]
    cells: HandColumns
    held: Numbers
    combos: HandColumns = HandColumns((), (), ())
    cell_of: tuple[int, ...] = ()
    measure: Literal["", "EV", "equity"] = ""
    made: KindColumns | None = None
    draws: KindColumns | None = None


def decision_grid(decision: Decision, valued: bool = True, equity: NDArray[np.floating] | None = None) -> HandGrid:
    """Return a decision of heads-up hold'em as a grid.

    Args:
        valued: whether the decision has expected values.
        equity: float ``[1326]``, 0 to 1: equity of each of the actor's hands, shown where there are no expected values.
    """
    classes, order, held = decision.classes, class_order(), _held(decision.own)
    valued = valued and decision.comes_up
    labels = zip(decision.labels, action_colours(decision.fractions), decision.frequencies.tolist(), strict=True)
    actions = tuple(
        GridAction(label, hex_colour(colour), round(taken, 5), json_number(decision.action_ev(i)) if valued else None)
        for i, (label, colour, taken) in enumerate(labels)
    )
    cells = HandColumns(class_names(), probabilities(classes.weights[order]), _rows(classes.frequencies[:, order]))
    names = tuple(map(_hand_text, held.tolist()))
    combos = HandColumns(names, probabilities(decision.own[held]), _rows(decision.values.strategy[:, held]))
    measure: Literal["", "EV", "equity"] = ""
    of_hands: NDArray[np.floating] | None = None
    if valued:
        measure, spent = "EV", decision.spent[decision.position]
        shares = tuple(map(json_numbers, classes.action_share[:, order]))
        cells = msgspec.structs.replace(cells, ev=json_numbers(classes.share[order]), evs=shares)
        shares = tuple(map(json_numbers, decision.action_net[:, held] + spent))
        of_hands = decision.hand_net + spent
        combos = msgspec.structs.replace(combos, ev=json_numbers(of_hands[held]), evs=shares)
    elif equity is not None:
        measure, of_hands = "equity", equity
        cells = msgspec.structs.replace(
            cells, ev=json_numbers(_means(preflop_classes(), decision.weights, equity, len(order))[order])
        )
        combos = msgspec.structs.replace(combos, ev=json_numbers(equity[held]))
    kinds = [_by_kind(decision, kind, names, of_hands) for kind, names in _kinds_on(decision.place.board)]
    return HandGrid(
        SIDE, actions, cells, probabilities(classes.happens[order]), combos, _cell_of(held), measure, *kinds
    )


def _kinds_on(board: tuple[int, ...]) -> Iterator[tuple[Kinds, tuple[str, ...]]]:
    """Yield the kind of each hand on a board, -1 for none, and the names of the kinds: made hands, then draws."""
    if len(board) >= 3:
        made, draws = hand_kinds(board)
        yield made, MADE
        if len(board) < 5:
            yield draws, DRAWS


def _by_kind(
    decision: Decision, kind: Kinds, names: tuple[str, ...], of_hands: NDArray[np.floating] | None
) -> KindColumns:
    """Return a decision by kinds of hands; of_hands: the value of each hand, NaN where unknown, if there are values."""
    others = decision.values.reach[1 - decision.position] * possible_reach(decision.own)
    live, count = kind >= 0, len(names)

    def sums(per_hand: NDArray[np.floating]) -> NDArray[np.float64]:
        return np.bincount(kind[live], per_hand[live], count).astype(np.float64)

    def means(of_hands: NDArray[np.floating]) -> NDArray[np.float64]:
        return _means(kind[live], decision.weights[live], of_hands[live], count)

    rows = tuple(probabilities(np.nan_to_num(means(row))) for row in decision.values.strategy)
    ev = () if of_hands is None else json_numbers(means(of_hands))
    shares = probabilities(sums(decision.weights)), probabilities(sums(others) / max(others[live].sum(), 1e-12))
    return KindColumns(names, *shares, rows, ev)


def range_grid(weights: NDArray[np.floating], board: tuple[int, ...]) -> HandGrid:
    """Return a range of hold'em, weights ``[1326]`` from 0 to 1, as a grid without the hands that the board blocks."""
    order = class_order()
    live = np.where(hand_space().blocked(board), 0.0, weights)
    held, combos = _held(live), class_combos(weights, board)[order]
    total = max(float(combos.sum()), 1e-12)
    cells = HandColumns(class_names(), probabilities(class_weights(weights, board)[order]), ())
    hands = HandColumns(tuple(map(_hand_text, held.tolist())), probabilities(live[held]), ())
    only = (GridAction("held", RANGE_COLOUR, 1.0),)
    return HandGrid(SIDE, only, cells, probabilities(combos / total), hands, _cell_of(held))


def list_grid(
    labels: Sequence[str], fractions: Sequence[float | None], hands: Sequence[tuple[tuple[int, ...], float]],
    rows: NDArray[np.floating],
) -> HandGrid:  # fmt: skip
    """Return hands of a game without the 169 classes as a list.

    Args:
        hands: cards of each hand, and the probability that the actor holds it at the decision.
        rows: ``[action, hand]`` probabilities.
    """
    weights = np.array([weight for _, weight in hands])
    taken = rows.astype(np.float64) @ weights
    actions = tuple(
        GridAction(label, hex_colour(colour), round(share, 5))
        for label, colour, share in zip(labels, action_colours(fractions), taken.tolist(), strict=True)
    )
    tallest = float(weights.max(initial=1e-12))
    names = tuple(cards_text(cards) for cards, _ in hands)
    return HandGrid(
        0, actions, HandColumns(names, probabilities(weights / tallest), _rows(rows)), probabilities(weights)
    )


def json_numbers(numbers: NDArray[np.floating]) -> Values:
    """Return numbers rounded to three decimals, None for NaN, which JSON lacks."""
    rounded = np.asarray(numbers, np.float64).round(3) + 0.0
    return tuple(None if isnan(value) else value for value in rounded.tolist())


def json_number(value: float) -> float | None:
    """Return a number as `json_numbers` does."""
    return json_numbers(np.array([value]))[0]


def _means(
    kind: NDArray[np.integer], weights: NDArray[np.floating], of_hands: NDArray[np.floating], count: int
) -> NDArray[np.float64]:
    """Return float64 ``[count]``: mean over the hands of each kind by their weights; NaN for a kind without weight."""
    total = np.bincount(kind, weights, count)
    sums = np.bincount(kind, np.where(weights > 0, weights * of_hands, 0), count)
    means: NDArray[np.float64] = np.divide(sums, total, out=np.full(count, np.nan), where=total > 0)
    return means


def _held(reach: NDArray[np.floating]) -> NDArray[np.intp]:
    """Return the hands with some reach, the highest cards first."""
    return np.flatnonzero(reach > HELD)[::-1]


def probabilities(numbers: NDArray[np.floating]) -> Numbers:
    """Return probabilities rounded to four digits."""
    return tuple(np.asarray(numbers, np.float64).round(4).tolist())


def _rows(numbers: NDArray[np.floating]) -> tuple[Numbers, ...]:
    return tuple(map(probabilities, numbers))


@cache
def class_order() -> NDArray[np.intp]:
    """Return the numbers of the classes, row by row: aces top left, suited hands above the diagonal."""
    return class_grid().ravel()


@cache
def class_names() -> tuple[str, ...]:
    """Return the names of the classes in the grid's order."""
    return tuple(class_name(number) for number in class_order().tolist())


def _cell_of(hands: NDArray[np.intp]) -> tuple[int, ...]:
    """Return the cell of the grid in which each hand is."""
    cells = np.argsort(class_order())
    return tuple(cells[preflop_classes()[hands]].tolist())


# --- Kinds of hands on a board.

MADE = (
    *CATEGORIES[:3:-1],
    "set",
    "trips",
    "two pair",
    "overpair",
    "top pair",
    "lower pocket pair",
    "second pair",
    "lower pair",
    "ace high",
    "nothing",
    "the board plays",
)
"""What a hand is made of, from the strongest; quads down to straights by their usual names."""
DRAWS = ("flush and straight draw", "flush draw", "open-ended straight draw", "gutshot", "no draw")
"""What a hand draws to; of straights that it has no more than one card to, by one rank or by two or more ("open-ended")."""


@lru_cache(maxsize=64)
def hand_kinds(board: tuple[int, ...]) -> tuple[Kinds, Kinds]:
    """Return int8 ``[1326]`` twice: the number in `MADE` and in `DRAWS` of each hand on a board of 3 to 5 cards.

    Hands that share a card with the board have -1, and so have all draws on a river.
    """
    space = hand_space()
    made, draws = np.full((2, space.size), -1, np.int8)
    live = np.flatnonzero(~space.blocked(board))
    holes = [space.cards(hand) for hand in live.tolist()]
    alone = rank_hands(((),), board)[0] if len(board) == 5 else -1
    common, suits = Counter(card // 4 for card in board), Counter(card % 4 for card in board)
    for hand, hole, rank in zip(live.tolist(), holes, rank_hands(holes, board), strict=True):
        made[hand] = MADE.index(_made(hole, common, category(rank), rank == alone))
        if len(board) < 5:
            draws[hand] = DRAWS.index(_draw(hole, frozenset(common), suits, rank))
    return made, draws


def _made(hole: tuple[int, ...], common: Counter[int], kind: int, plays_board: bool) -> str:
    """Return what a hand of a category, `kind`, is made of. common: number of the board's cards by rank."""
    low, high = hole[0] // 4, hole[1] // 4  # the higher card is the second one
    name = CATEGORIES[kind]
    if kind >= category(STRAIGHT):
        if plays_board:
            return "the board plays"
        if name != "four of a kind" or max(common.values()) < 4:
            return name
    if low == high:
        return "set" if common[low] else "overpair" if low > max(common) else "lower pocket pair"
    paired = [rank for rank in (high, low) if common[rank]]
    if not paired:
        return "ace high" if high == 12 else "nothing"
    if any(common[rank] == 2 for rank in paired):
        return "trips"
    if len(paired) == 2:
        return "two pair"
    above = sum(rank > paired[0] for rank in common)
    return ("top pair", "second pair", "lower pair")[min(above, 2)]


def _draw(hole: tuple[int, ...], common: frozenset[int], suits: Counter[int], rank: int) -> str:
    """Return what a hand with a rank draws to with at least one of its own cards.

    common: the board's ranks. suits: number of the board's cards by suit.
    """
    first, second = hole[0] % 4, hole[1] % 4
    own = 1 + (first == second)
    flush = rank < FLUSH and 4 in (suits[first] + own, suits[second] + own)
    outs = _straight_outs(frozenset(card // 4 for card in hole) - common, common) if rank < STRAIGHT else 0
    if flush:
        return "flush and straight draw" if outs else "flush draw"
    return ("no draw", "gutshot", "open-ended straight draw")[min(outs, 2)]


@lru_cache(maxsize=4096)
def _straight_outs(own: frozenset[int], common: frozenset[int]) -> int:
    """Return the number of ranks with each of which one's own ranks make a straight, above any that the board then has."""
    held = own | common
    best = [[straight for straight in STRAIGHTS if held | {out} >= set(straight)][-1:] for out in set(range(13)) - held]
    return sum(bool(own & set(straight)) for straights in best for straight in straights)
