"""All boards of a subgame with the hands on each; with the betting forest they make a vector solver's public tree.

A board's hands are those that a player may hold, ascending on early streets and in order of strength on the river. Where
the players' hands stand apart, those of position 0 alone come first, then those of both, and last those of position 1 alone:
each player's are neighbours, and its rows have no others. Where next cards are merged, one board stands for several, and each
of its hands for a hand on every one of them.
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
from limpet.strategies.solvers.lanes_kernels import WIDTH
from limpet.strategies.solvers.vector.board_order import BoardOrder, laid_out, padded

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
        held: int64 ``[2, B, 2]``: first and last column but one of each player's hands.
        runs: int64 ``[B]``: number of runs of hands of equal strength; one before the river.
        run: uint16 ``[H]``: eight times the number of each hand's run, weakest first; for padding the number of runs.
        rising_start: int64 ``[2, B]``: index at which each player's hands by strength start in `rising`.
        rising: uint16: eight times each of a player's hands, the weakest first.
        run_start: int64 ``[2, B]``: index at which each player's runs start in `run_end`.
        run_end: int32: end of each run among the player's hands by strength.
        entry_start: int64 ``[2, B]``: index at which each player's hands by card start in `entry`.
        entry: uint16: eight times a player's hands of card 0, of card 1, … in order; padding fills parts to fours.
        part_start: int64 ``[2, B]``: index at which each player's parts start in `part_end`.
        part_end: uint16: end of each part among the player's entries: a card's hands in one run, card by card.
        card_part: uint16 ``[B, 53]``: number of parts before the first of each card; all hands count, whoever holds them.
        part_a: uint16 ``[H]``: eight times the number of each hand's part among those of its lower card.
        part_b: uint16 ``[H]``: the same of its higher card; for padding the number of parts.
        above_start: int64 ``[B + 1]``: start of each board's rows in `above`, one row for each merged board.
        above: column of each hand on the parent board; behind the last where the parent lacks it.
        begin: int64 ``[2, B]``: first column of each player's rows: that of its first hand, rounded down to whole lanes.
        lanes: int64 ``[2, B]``: columns from there to one behind the player's last hand, in whole lanes.
        stride: int64 ``[2, street]``: length of each player's rows, the most lanes of the street's boards.
        weight: float32 ``[street]``: chance of each next card that neither player holds.
        apart: whether each player has the hands of its own range alone.
        averaged: whether merged boards may differ in reach, so that their mean is taken.
    """

    street: NDArray[np.int64]
    parent: NDArray[np.int64]
    hands: NDArray[np.int64]
    hand_start: NDArray[np.int64]
    card_a: NDArray[np.uint8]
    card_b: NDArray[np.uint8]
    held: NDArray[np.int64]
    runs: NDArray[np.int64]
    run: NDArray[np.uint16]
    rising_start: NDArray[np.int64]
    rising: NDArray[np.uint16]
    run_start: NDArray[np.int64]
    run_end: NDArray[np.int32]
    entry_start: NDArray[np.int64]
    entry: NDArray[np.uint16]
    part_start: NDArray[np.int64]
    part_end: NDArray[np.uint16]
    card_part: NDArray[np.uint16]
    part_a: NDArray[np.uint16]
    part_b: NDArray[np.uint16]
    above_start: NDArray[np.int64]
    above: NDArray[np.uint16]
    begin: NDArray[np.int64]
    lanes: NDArray[np.int64]
    stride: NDArray[np.int64]
    weight: NDArray[np.float32]
    apart: bool
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
        return len(self.arrays.weight)

    @cached_property
    def _kind(self) -> NDArray[np.int64]:
        """int64 ``[B]``: a number for how many boards each board stands for, and for the rank of its last card."""
        return np.array([13 * len(of) + cards[-1] // 4 for cards, of in zip(self.cards, self.members, strict=True)])

    def columns(self, board: int, p: int) -> slice:
        """Return the columns of a player's hands on a board."""
        return slice(*self.arrays.held[p, board].tolist())

    def in_rows(self, board: int, p: int) -> slice:
        """Return where a player's hands on a board stand in its rows."""
        own, begin = self.columns(board, p), int(self.arrays.begin[p, board])
        return slice(own.start - begin, own.stop - begin)

    def places(self, board: int, p: int, column: NDArray[np.int16]) -> NDArray[np.int16]:
        """Return where the hands of these columns stand in a player's rows, -1 for those that it does not hold."""
        own = self.columns(board, p)
        held = (own.start <= column) & (column < own.stop)
        return np.where(held, column - int(self.arrays.begin[p, board]), -1).astype(np.int16)

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
            or len(board) - len(root) >= self.streets
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
    board: tuple[int, ...],
    ranges: NDArray[np.float32],
    merge: Merge = "isomorphic",
    chunks: int = 16,
    apart: bool = False,
) -> BoardTree:
    """Return the boards from `board` (3 to 5 cards) to the river, for two ranges ``[2, 1326]``.

    apart: whether each player has the hands of its own range alone, and not those of both; with merge ``groups`` that cannot
    be, since a merge exchanges hands. merge: see `cards.boards.next_cards`. chunks: bounds how many threads can share the
    work. The last digits of results depend on it, so that it must not depend on the number of threads.

    The last two trees are kept: the memory of a solve is estimated on the boards on which the solve begins, perhaps after
    kernels were compiled on others.
    """
    live = np.where(hand_space().blocked(board), np.float32(0), ranges)
    apart = apart and merge != "groups" and bool(((live[0] > 0) != (live[1] > 0)).any())
    return _board_tree(tuple(board), live.astype(np.float32, copy=False).tobytes(), merge, chunks, apart)


@lru_cache(maxsize=2)
def _board_tree(board: tuple[int, ...], weights: bytes, merge: Merge, chunks: int, apart: bool) -> BoardTree:
    ranges = np.frombuffer(weights, np.float32).reshape(2, 1326)
    holds = ranges > 0
    held = np.flatnonzero(holds.any(axis=0)).astype(np.int16)
    if len(held) == 0:
        raise ValueError(f"no hand of either range is possible on {cards_text(board)}")
    if merge == "groups":  # a merge may exchange a held hand for one that nobody holds
        held = _of_equal_ranks(held, board)
    if apart:
        held = held[np.argsort(_side(holds, held), kind="stable")]
    build = _Build(merge, ranges, holds if apart else np.ones((1, 1326), np.bool_), len(board))
    build.add(board, -1, held, ())
    cards, parent, members, orders, above = zip(*build.boards, strict=True)
    all_hands = tuple(order.hands for order in orders)
    children = np.flatnonzero(np.array(parent) == 0)
    parts = np.array_split(children, min(chunks, len(children))) if len(children) else []
    street = np.array([len(path) - len(board) for path in cards], np.int64)
    hands = np.array([len(here) for here in all_hands], np.int64)
    streets = range(BOARD_CARDS - len(board) + 1)
    lists = {name: laid_out(orders, name) for name in ("rising", "run_end", "entry", "part_end")}
    columns = np.array([[order.lists[p].held for order in orders] for p in (0, -1)], np.int64)
    begin = columns[:, :, 0] & -WIDTH
    lanes = (columns[:, :, 1] + WIDTH & -WIDTH) - begin
    arrays = Boards(
        street=street,
        parent=np.array(parent, np.int64),
        hands=hands,
        hand_start=starts(map(padded, hands.tolist()))[:-1],
        card_a=np.concatenate([_column(here, 0) for here in all_hands]),
        card_b=np.concatenate([_column(here, 1) for here in all_hands]),
        held=columns,
        runs=np.array([len(order.lists[0].run_end) for order in orders], np.int64),
        run=np.concatenate([order.run for order in orders]),
        rising_start=lists["rising"][0],
        rising=lists["rising"][1],
        run_start=lists["run_end"][0],
        run_end=lists["run_end"][1],
        entry_start=lists["entry"][0],
        entry=lists["entry"][1],
        part_start=lists["part_end"][0],
        part_end=lists["part_end"][1],
        card_part=np.array([order.card_part for order in orders]),
        part_a=np.concatenate([order.part[0] for order in orders]),
        part_b=np.concatenate([order.part[1] for order in orders]),
        above_start=starts([rows.size for rows in above]),
        above=np.concatenate([rows.ravel() for rows in above]).astype(np.uint16),
        begin=begin,
        lanes=lanes,
        stride=np.stack([lanes[:, street == s].max(axis=1) for s in streets], axis=1),
        weight=np.array([1 / (52 - len(board) - s - 4) for s in streets], np.float32),
        apart=apart,
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
    order: BoardOrder
    above: NDArray[np.int16]


class _Build:
    def __init__(self, merge: Merge, ranges: NDArray[np.float32], holds: NDArray[np.bool_], first: int) -> None:
        self.merge, self.first = merge, first
        self.ranges = ranges
        self.holds = holds
        self.holes = hand_space().holes
        self.boards: list[_Board] = []
        self.children: dict[tuple[int, int], tuple[int, NDArray[np.int16]]] = {}
        self._order: dict[tuple[int, ...], BoardOrder] = {}

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
            for below in next_cards(board, self.merge, tuple(self.ranges), self.first):
                self.add((*board, below.cards[0]), number, held, (below,))

    def _ordered(self, board: tuple[int, ...], held: NDArray[np.int16]) -> BoardOrder:
        """Return the held hands on a board in its order. held: in the order of its players."""
        if len(board) < BOARD_CARDS:
            live = held[~hand_space().blocked(board)[held]]
            return BoardOrder.of(live, np.zeros(len(live), np.int16), self.holds[:, live])
        key = tuple(sorted(board))
        if key not in self._order:
            holes = self.holes[held]
            holes.setflags(write=False)  # as a whole space's are: read-only arrays are a type of their own to kernels
            strengths = hand_strengths(np.array(board, np.int8), holes)
            order = np.argsort(strengths, kind="stable")[np.count_nonzero(strengths < 0) :]
            if len(self.holds) > 1:
                order = order[np.argsort(_side(self.holds, held[order]), kind="stable")]
            self._order[key] = BoardOrder.of(held[order], strengths[order], self.holds[:, held[order]])
        return self._order[key]


def _side(holds: NDArray[np.bool_], hands: NDArray[np.int16]) -> NDArray[np.int8]:
    """Return -1, 0 and 1 for hands of position 0 alone, of both, and of position 1 alone."""
    side: NDArray[np.int8] = holds[1, hands].astype(np.int8) - holds[0, hands]
    return side


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


def _column(hands: NDArray[np.int16], side: int) -> NDArray[np.uint8]:
    column = np.full(padded(len(hands)), NO_CARD[side], np.uint8)
    column[: len(hands)] = hand_space().holes[hands, side]
    return column
