"""All boards of a subgame with the hands on each; with the betting forest they make a vector solver's public tree.

A board's hands are those that a player may hold, ascending on early streets and in order of strength on the river.
Where next cards are merged, one board stands for several, and each of its hands for a hand on every one of them.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.cards import cards_text
from limpet.strategies.abstraction.betting import starts
from limpet.strategies.cards.boards import CardGroup, Merge, next_cards
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.ranking_kernels import hand_strengths
from limpet.strategies.solvers.lanes_kernels import WIDTH, in_lanes

BOARD_CARDS = 5
NO_CARD = (52, 53)
"""Cards of the hands that pad a row; no real hand holds them."""


class Boards(NamedTuple):
    """B boards in depth-first preorder (board 0 is the root), over L streets.

    Hand arrays are laid end to end: those of board b start at ``hand_start[b]`` and are padded to whole lanes.

    Attributes:
        street: int64 ``[B]``: street of each board, 0 at the root.
        parent: int64 ``[B]``: board that each board follows, -1 at the root.
        hands: int64 ``[B]``: number of hands on each board.
        hand_start: int64 ``[B]``: index at which each board's hands start.
        card_a: uint8 ``[H]``: lower card of each hand.
        card_b: uint8 ``[H]``: higher card of each hand.
        run_start: int64 ``[B + 1]``: start of each board's runs in `run_end`; a single one before the river.
        run_end: end of each run of hands of equal strength, weakest first, among the board's hands.
        run: uint16 ``[H]``: eight times the number of each hand's run; for padding the number of runs.
        entry_start: int64 ``[B]``: index at which each board's hands by card start in `entry`.
        entry: eight times the hands of card 0, of card 1, … in order; padding fills parts to fours.
        part_start: int64 ``[B + 1]``: start of each board's parts in `part_end`.
        part_end: end of each part among the board's entries: a card's hands in one run, card by card.
        card_part: uint16 ``[B, 53]``: number of parts before the first of each card.
        part_a: uint16 ``[H]``: eight times the number of each hand's part among those of its lower card.
        part_b: uint16 ``[H]``: the same of its higher card; for padding the number of parts.
        above_start: int64 ``[B + 1]``: start of each board's rows in `above`, one row for each merged board.
        above: column of each hand on the parent board; behind the last where the parent lacks it.
        stride: int64 ``[street]``: length of a row: the hands of the street's fullest board, in whole lanes.
        weight: float32 ``[street]``: chance of each next card that neither player holds.
        averaged: whether merged boards may differ in reach, so that their mean is taken.
    """

    street: NDArray[np.int64]
    parent: NDArray[np.int64]
    hands: NDArray[np.int64]
    hand_start: NDArray[np.int64]
    card_a: NDArray[np.uint8]
    card_b: NDArray[np.uint8]
    run_start: NDArray[np.int64]
    run_end: NDArray[np.int32]
    run: NDArray[np.uint16]
    entry_start: NDArray[np.int64]
    entry: NDArray[np.uint16]
    part_start: NDArray[np.int64]
    part_end: NDArray[np.uint16]
    card_part: NDArray[np.uint16]
    part_a: NDArray[np.uint16]
    part_b: NDArray[np.uint16]
    above_start: NDArray[np.int64]
    above: NDArray[np.uint16]
    stride: NDArray[np.int64]
    weight: NDArray[np.float32]
    averaged: bool


@dataclass(frozen=True, eq=False)
class BoardTree:
    """The arrays with their meaning in cards.

    Attributes:
        cards: the cards of each board in dealing order.
        members: the last cards of the boards that each board stands for, its own first.
        hands: indices of each board's hands, in the board's order.
        chunk_start: int64 ``[C + 1]``: first board of each of C chunks of whole subtrees below the root.
    """

    arrays: Boards
    cards: tuple[tuple[int, ...], ...]
    members: tuple[tuple[int, ...], ...]
    hands: tuple[NDArray[np.int16], ...]
    chunk_start: NDArray[np.int64]
    _children: dict[tuple[int, int], tuple[int, NDArray[np.int16]]]

    @property
    def streets(self) -> int:
        return len(self.arrays.stride)

    @cached_property
    def _kind(self) -> NDArray[np.int64]:
        """int64 ``[B]``: a number for how many boards each board stands for, and for the rank of its last card."""
        return np.array([13 * len(of) + cards[-1] // 4 for cards, of in zip(self.cards, self.members, strict=True)])

    def on_street(self, street: int) -> NDArray[np.intp]:
        """Return the numbers of a street's boards; the root's street is 0."""
        return np.flatnonzero(self.arrays.street == street)

    def rounds(self, count: int, seed: int) -> NDArray[np.int8]:
        """Return, as int8 ``[B]``, a round of `count` for every river at random; 0 for the boards before.

        A turn's rivers are spread evenly over the rounds, those of each rank that stand for equally many too.
        """
        rng, rivers = np.random.default_rng(seed), self.on_street(self.streets - 1)
        turn = self.arrays.parent[rivers]
        order = np.lexsort((rng.random(len(rivers)), self._kind[rivers], turn))
        first = rng.integers(count, size=len(self.cards))[turn]
        rounds = np.zeros(len(self.cards), np.int8)
        # The rivers of a turn are neighbours in `order` as they are in `rivers`: their numbers run through the rounds.
        rounds[rivers[order]] = (np.arange(len(rivers)) + first) % count
        return rounds

    def find(self, board: tuple[int, ...]) -> tuple[int, NDArray[np.int16]]:
        """Return the number of the board that stands for `board`, and every hand's column there.

        The columns are int16 ``[1326]``, -1 for hands that nobody holds. Raises `ValueError` if `board` does not
        continue the root's.
        """
        root = self.cards[0]
        if (
            set(board[: len(root)]) != set(root)
            or len(set(board)) != len(board)
            or len(board) - len(root) >= len(self.arrays.stride)
        ):
            raise ValueError(f"the board {cards_text(board)} does not continue {cards_text(root)}")
        at, hand_map = 0, np.arange(1326, dtype=np.int16)
        card_map, step = list(range(52)), None
        for card in board[len(root) :]:
            if step is not None:
                moved = _moved_cards(step)
                card_map = [moved[card] for card in card_map]
            at, step = self._children[at, card_map[card]]
            hand_map = np.where(hand_map >= 0, step[hand_map], np.int16(-1))
        column = np.full(1327, -1, np.int16)
        column[self.hands[at]] = np.arange(len(self.hands[at]), dtype=np.int16)
        return at, column[hand_map]


def board_tree(
    board: tuple[int, ...], ranges: NDArray[np.float32], merge: Merge = "isomorphic", chunks: int = 16
) -> BoardTree:
    """Return the boards from `board` (3 to 5 cards) to the river, for two ranges ``[2, 1326]``.

    merge: see `cards.boards.next_cards`. chunks: bounds how many threads can share the work. The last digits of results
    depend on it, so that it must not depend on the number of threads.

    The last two trees are kept: the memory of a solve is estimated on the boards on which the solve begins, perhaps after
    kernels were compiled on others.
    """
    live = np.where(hand_space().blocked(board), np.float32(0), ranges)
    return _board_tree(tuple(board), live.astype(np.float32, copy=False).tobytes(), merge, chunks)


@lru_cache(maxsize=2)
def _board_tree(board: tuple[int, ...], weights: bytes, merge: Merge, chunks: int) -> BoardTree:
    ranges = np.frombuffer(weights, np.float32).reshape(2, 1326)
    held = np.flatnonzero((ranges > 0).any(axis=0)).astype(np.int16)
    if len(held) == 0:
        raise ValueError(f"no hand of either range is possible on {cards_text(board)}")
    if merge == "groups":  # a merge may exchange a held hand for one that nobody holds
        held = _of_equal_ranks(held, board)
    build = _Build(merge, ranges)
    build.add(board, -1, held, ())
    cards, parent, members, orders, above = zip(*build.boards, strict=True)
    all_hands, runs, of_cards = zip(*orders, strict=True)
    children = np.flatnonzero(np.array(parent) == 0)
    parts = np.array_split(children, min(chunks, len(children))) if len(children) else []
    street = np.array([len(path) - len(board) for path in cards], np.int64)
    hands = np.array([len(here) for here in all_hands], np.int64)
    streets = range(BOARD_CARDS - len(board) + 1)
    arrays = Boards(
        street=street,
        parent=np.array(parent, np.int64),
        hands=hands,
        hand_start=starts(map(padded, hands.tolist()))[:-1],
        card_a=np.concatenate([_column(here, 0) for here in all_hands]),
        card_b=np.concatenate([_column(here, 1) for here in all_hands]),
        run_start=starts(map(len, runs)),
        run_end=np.concatenate(runs).astype(np.int32),
        run=np.concatenate([parts.run for parts in of_cards]),
        entry_start=starts(len(parts.entry) for parts in of_cards)[:-1],
        entry=np.concatenate([parts.entry for parts in of_cards]),
        part_start=starts(len(parts.end) for parts in of_cards),
        part_end=np.concatenate([parts.end for parts in of_cards]),
        card_part=np.array([parts.before for parts in of_cards]),
        part_a=np.concatenate([parts.of_hand[0] for parts in of_cards]),
        part_b=np.concatenate([parts.of_hand[1] for parts in of_cards]),
        above_start=starts([rows.size for rows in above]),
        above=np.concatenate([rows.ravel() for rows in above]).astype(np.uint16),
        stride=np.array([padded(int(hands[street == s].max())) for s in streets], np.int64),
        weight=np.array([1 / (52 - len(board) - s - 4) for s in streets], np.float32),
        averaged=merge == "groups",
    )
    return BoardTree(
        arrays=arrays,
        cards=cards,
        members=members,
        hands=all_hands,
        chunk_start=np.array([*(int(part[0]) for part in parts), len(cards)], np.int64),
        _children=build.children,
    )


class _Board(NamedTuple):
    cards: tuple[int, ...]
    parent: int
    members: tuple[int, ...]
    order: "_Order"
    above: NDArray[np.int16]


class _CardParts(NamedTuple):
    """A board's runs and parts as `Boards` has them, all uint16, those of its hands as ``[2, H]``."""

    run: NDArray[np.uint16]
    entry: NDArray[np.uint16]
    end: NDArray[np.uint16]
    before: NDArray[np.uint16]
    of_hand: NDArray[np.uint16]


def _card_parts(hands: NDArray[np.int16], run_end: NDArray[np.intp]) -> _CardParts:
    """Cut the hands of each card into parts of equal strength."""
    count = len(hands)
    run = np.full(padded(count), WIDTH * len(run_end), np.uint16)
    run[:count] = np.repeat(np.arange(0, WIDTH * len(run_end), WIDTH), np.diff(run_end, prepend=0))
    held = hand_space().holes[hands].ravel()
    order = np.argsort(held, kind="stable")  # by card, and within a card by strength
    hand, card = order >> 1, held[order]
    keys = 65536 * card.astype(np.int32) + run[hand]
    begins = np.empty(2 * count, np.bool_)
    begins[0] = True
    np.not_equal(keys[1:], keys[:-1], out=begins[1:])
    first = np.flatnonzero(begins)
    size = np.diff(first, append=2 * count)
    filled = (size + 3) & ~3
    end = np.cumsum(filled)
    entry = np.full(end[-1], WIDTH * count, np.uint16)
    shift = end - filled - first
    entry[np.arange(2 * count) + np.repeat(shift, size)] = WIDTH * hand
    of_hand = np.full((padded(count), 2), WIDTH * len(first), np.uint16)
    of_hand[:count].ravel()[order] = np.repeat(np.arange(0, WIDTH * len(first), WIDTH), size)
    before = np.searchsorted(card[first], np.arange(53, dtype=np.int8))
    return _CardParts(run, entry, end.astype(np.uint16), before.astype(np.uint16), of_hand.T)


class _Order(NamedTuple):
    """Hands in a board's order, the ends of runs of equal strength (one run before the river), and the parts of cards."""

    hands: NDArray[np.int16]
    run_end: NDArray[np.int32]
    parts: _CardParts

    @staticmethod
    def of(hands: NDArray[np.int16], run_end: NDArray[np.intp]) -> "_Order":
        return _Order(hands, run_end.astype(np.int32), _card_parts(hands, run_end))


class _Build:
    def __init__(self, merge: Merge, ranges: NDArray[np.float32]) -> None:
        self.merge = merge
        self.ranges = ranges
        self.holes = hand_space().holes
        self.boards: list[_Board] = []
        self.children: dict[tuple[int, int], tuple[int, NDArray[np.int16]]] = {}
        self._order: dict[tuple[int, ...], _Order] = {}

    def add(self, board: tuple[int, ...], parent: int, held: NDArray[np.int16], group: tuple[CardGroup, ...]) -> None:
        """Add a board and those below it. held: the root's hands; group: the merge it stands for, empty at the root."""
        number = len(self.boards)
        order = self._ordered(board, held)
        members, above = board[-1:], np.zeros((0, len(order.hands)), np.int16)
        if group:
            members, above = group[0].cards, _columns_above(order.hands, self.boards[parent].order.hands, group[0])
            for card, step in zip(members, group[0].maps, strict=True):
                self.children[parent, card] = number, step
        self.boards.append(_Board(board, parent, members, order, above))
        if len(board) < BOARD_CARDS:
            for below in next_cards(board, self.merge, tuple(self.ranges)):
                self.add((*board, below.cards[0]), number, held, (below,))

    def _ordered(self, board: tuple[int, ...], held: NDArray[np.int16]) -> _Order:
        """Return the held hands on a board in its order."""
        if len(board) < BOARD_CARDS:
            live = held[~hand_space().blocked(board)[held]]
            return _Order.of(live, np.array([len(live)]))
        key = tuple(sorted(board))
        if key not in self._order:
            holes = self.holes[held]
            holes.setflags(write=False)  # as a whole space's are: read-only arrays are a type of their own to kernels
            strengths = hand_strengths(np.array(board, np.int8), holes)
            order = np.argsort(strengths, kind="stable")[np.count_nonzero(strengths < 0) :]
            ends = np.append(np.flatnonzero(np.diff(strengths[order])) + 1, len(order))
            self._order[key] = _Order.of(held[order], ends)
        return self._order[key]


def _columns_above(hands: NDArray[np.int16], parents: NDArray[np.int16], group: CardGroup) -> NDArray[np.int16]:
    """Return ``[member, hand]``: column among the parent's hands of each hand under each card of a group."""
    column = np.full(1327, len(parents), np.int16)
    column[parents] = np.arange(len(parents), dtype=np.int16)
    rows = []
    for step in group.maps:
        back = np.full(1326, 1326, np.int16)
        live = np.flatnonzero(step >= 0)
        back[step[live]] = live
        rows.append(column[back[hands]])
    return np.stack(rows)


def _of_equal_ranks(held: NDArray[np.int16], board: tuple[int, ...]) -> NDArray[np.int16]:
    """Return the hands whose two ranks are those of a held one: swaps of cards of one rank may exchange them."""
    ranks = hand_space().holes.astype(np.int64) // 4
    pair = 13 * ranks.max(axis=1) + ranks.min(axis=1)
    return np.flatnonzero(np.isin(pair, pair[held]) & ~hand_space().blocked(board)).astype(np.int16)


def _moved_cards(step: NDArray[np.int16]) -> list[int]:
    """Return each card's image under a map of hands, the card that their images share; -1 without one, and for -1."""
    holes = hand_space().holes.astype(np.int64)
    live = np.flatnonzero(step >= 0)
    pairs = 52 * holes[live][:, :, None] + holes[step[live]][:, None, :]
    counts = np.bincount(pairs.ravel(), minlength=52 * 52).reshape(52, 52)
    return [*np.where(counts.any(axis=1), counts.argmax(axis=1), -1).tolist(), -1]


def padded(count: int) -> int:
    """Return `count` + 1 rounded up to whole lanes; the extra column is for hands that the parent lacks."""
    return in_lanes(count + 1)


def _column(hands: NDArray[np.int16], side: int) -> NDArray[np.uint8]:
    column = np.full(padded(len(hands)), NO_CARD[side], np.uint8)
    column[: len(hands)] = hand_space().holes[hands, side]
    return column
