"""Boards: the hands that miss them, for sums over all hands at once, and their textures.

A texture is a board's suits, ranks that repeat, the highest card, and how many ranks fit into a straight.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from math import comb
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from limpet.protocol.cards import RANKS
from limpet.protocol.gamedef import GameDef
from limpet.strategies.cards.handspace import board_cards, game_hands, hand_space, read_only
from limpet.strategies.cards.isomorphism import hand_permutation, moved_hands, permute_cards
from limpet.strategies.cards.ranking_kernels import hand_strengths

Board = tuple[int, ...]


class BoardHands(NamedTuple):
    """The H hands that miss a whole board, weakest first.

    Attributes:
        hands: intp ``[H]``: index of each hand in the hand space.
        run_end: int32 ``[H]``: exclusive end of the run of hands that are as strong as each hand.
    """

    hands: NDArray[np.intp]
    cards: NDArray[np.int16]
    """int16 ``[H, 2]``: positions of each hand's cards in the deck. With one hole card each hand gets a second of its own."""
    run_end: NDArray[np.int32]


def count_boards(game: GameDef) -> int:
    """Return the number of boards, the order of cards within a round left aside."""
    total, left = 1, len(game.deck)
    for cards in game.num_board_cards:
        total *= comb(left, cards)
        left -= cards
    return total


def all_boards(game: GameDef) -> Iterator[Board]:
    """Yield every board once, each round's cards ascending."""
    yield from _from(tuple(sorted(game.deck)), game.num_board_cards)


def sampled_boards(game: GameDef, number: int, seed: int) -> list[Board]:
    """Return boards drawn at random with replacement, fixed by the seed. A larger number begins with the same boards."""
    deck = np.array(sorted(game.deck))
    random = np.random.Generator(np.random.Philox(key=seed))
    size = sum(game.num_board_cards)
    return [tuple(int(card) for card in random.permutation(deck)[:size]) for _ in range(number)]


def num_cards(game: GameDef) -> int:
    """Return the number of values that `BoardHands.cards` may take."""
    return len(game.deck) * (2 if game.num_hole_cards == 1 else 1)


def board_hands(game: GameDef, board: Board) -> BoardHands:
    """Return the hands that miss a whole board, weakest first. Raises `ValueError` for over two hole cards."""
    if game.num_hole_cards > 2:
        raise ValueError(f"hands of {game.num_hole_cards} cards cannot be summed over; this works for one and two")
    space = game_hands(game)
    live = np.flatnonzero(~space.blocked(board))
    # Below 2**14: numbers of 16 bits are sorted by counting.
    strengths = hand_strengths(np.array(board, np.int8), space.holes)[live].astype(np.int16)
    order = np.argsort(strengths, kind="stable")
    hands, strengths = live[order], strengths[order]
    card_indices = space.places[hands]
    if game.num_hole_cards == 1:
        card_indices = np.column_stack([card_indices, len(space.deck) + hands]).astype(np.int16)
    ends = np.append(np.flatnonzero(np.diff(strengths)) + 1, len(strengths)).astype(np.int32)
    return BoardHands(hands, card_indices, np.repeat(ends, np.diff(ends, prepend=0)))


def _from(deck: Board, sizes: tuple[int, ...]) -> Iterator[Board]:
    """Yield the boards of rounds with these numbers of cards out of a deck."""
    if not sizes:
        yield ()
        return
    for dealt in combinations(deck, sizes[0]):
        left = tuple(card for card in deck if card not in dealt)
        for later in _from(left, sizes[1:]):
            yield dealt + later


# --- Groups of next board cards that may share one subtree.

Merge = Literal["none", "suits", "isomorphic", "groups"]
SuitPermutation = tuple[int, ...]
CardMap = tuple[int, ...]
"""The image of each of the 52 cards."""

HANDS = 1326
BLOCKED = -1
_SUIT_PERMUTATIONS: tuple[SuitPermutation, ...] = tuple(permutations(range(4)))


@dataclass(frozen=True, eq=False)
class CardGroup:
    """Next cards that share the subtree of `cards[0]`, the lowest id.

    cards: card ids, ascending. maps: int16[len(cards), 1326], read-only: with `cards[i]` dealt, hand h stands where
    hand `maps[i, h]` stands with `cards[0]` dealt; -1 where h holds the card or a board card. Each row is a bijection
    between the hands live under `cards[i]` and those live under `cards[0]`; row 0 is the identity.
    """

    cards: tuple[int, ...]
    maps: npt.NDArray[np.int16]


def next_cards(
    board: Sequence[int], merge: Merge, ranges: Sequence[npt.NDArray[np.float32]] | None = None, first: int = 3
) -> tuple[CardGroup, ...]:
    """Return the groups of the card that follows a flop or a turn, in order of their representatives.

    ``groups`` are Kujath's, ``suits`` and ``isomorphic`` the orbits of cards under `symmetries`, which lose nothing.

    board: 3 or 4 card ids, the flop's in any order, then the turn; the `first` of them are the board at the root of the game.
    ranges: the two players' weights there, float32[1326] each, which ``none`` and ``groups`` do not look at; without them both
    are taken to be suit-symmetric. Pass the same ranges on both streets: the symmetries on the river are then among those of the
    turn. Raises ValueError for a board that is not 3 or 4 distinct card ids, and for ranges of another shape.
    """
    board = board_cards(board, 3, 4)
    left = [card for card in range(52) if card not in board]
    if merge in ("suits", "isomorphic"):
        return _orbits(board, left, symmetries(board, ranges, first, merge == "isomorphic"))
    groups = _board_groups(board, left) if merge == "groups" else [(card,) for card in left]
    blocked = hand_space().blocked(board)
    return tuple(_group(cards, [moved_hands(_exchange(card, cards[0])) for card in cards], blocked) for cards in groups)


def stabiliser(
    board: Sequence[int], ranges: Sequence[npt.NDArray[np.float32]] | None = None
) -> tuple[SuitPermutation, ...]:
    """Return the suit permutations that leave a board path and both ranges unchanged, in lexicographic order.

    The first three cards are a set, the later ones are fixed one by one. Ranges are compared bit for bit, on hands that
    miss the board. Raises ValueError if a range is not of shape (1326,).
    """
    ranges = [] if ranges is None else [np.asarray(weights) for weights in ranges]
    for weights in ranges:
        if weights.shape != (HANDS,):
            raise ValueError(f"a range is 1326 weights in hand index order, not an array of shape {weights.shape}")
    live = ~hand_space().blocked(board)
    flop, later = set(board[:3]), tuple(board[3:])
    return tuple(
        suits
        for suits in _SUIT_PERMUTATIONS
        if set(permute_cards(board[:3], suits)) == flop
        and permute_cards(later, suits) == later
        and all(np.array_equal(weights[hand_permutation(suits)][live], weights[live]) for weights in ranges)
    )


def symmetries(
    board: Sequence[int], ranges: Sequence[npt.NDArray[np.float32]] | None, first: int, exchanges: bool
) -> tuple[CardMap, ...]:
    """Return maps of the cards that leave a board path, both ranges and the outcome of every showdown unchanged.

    They are the suit permutations of `stabiliser` and, with `exchanges`, each exchange of two cards of one rank in suits of which no
    board that continues the root's, the `first` cards, can have three. The root's board counts and not the path: before a suit is out of
    the game, play may depend on it.
    """
    suits = tuple(permute_cards(range(52), permutation) for permutation in stabiliser(board, ranges))
    if not exchanges or ranges is None:
        return suits
    root = board[:first]
    without_flush = [suit for suit in range(4) if sum(card & 3 == suit for card in root) + 5 - first < 3]
    live = ~hand_space().blocked(root)
    pairs = [(4 * rank + low, 4 * rank + high) for rank in range(13) for low, high in combinations(without_flush, 2)]
    moves = [_exchange(*pair) for pair in pairs if not set(pair) & set(board)]
    return suits + tuple(
        move
        for move in moves
        if all(np.array_equal(of_range[moved_hands(move)][live], of_range[live]) for of_range in ranges)
    )


def merged_boards(board: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Return the boards that `groups` merges with a flop, turn or river, itself included, as dealt.

    Such boards share one node of the merged game: each turn of the turn's group, with each river of the river's group
    under it. Every hand live on several of them has the same strength on each. Raises ValueError unless the board is 3
    to 5 distinct card ids.
    """
    board = board_cards(board, 3, 4, 5)
    if len(board) == 3:
        return (board,)
    rank, _ = label = _label(board)
    return tuple(
        (*path, card)
        for path in merged_boards(board[:-1])
        for card in range(4 * rank, 4 * rank + 4)
        if card not in path and _label((*path, card)) == label
    )


def merged_counts(board: Board) -> tuple[int, ...]:
    """Return the number of boards of each street, from a board of 3 to 5 cards on, where `groups` merges them.

    >>> merged_counts((0, 5, 10, 15))  # 2c3d4h5s: no river makes a flush possible
    (1, 13)
    """
    level, counts = [board], [1]
    for _ in range(len(board), 5):
        after = [(path, [card for card in range(52) if card not in path]) for path in level]
        level = [(*path, cards[0]) for path, left in after for cards in _board_groups(path, left)]
        counts.append(len(level))
    return tuple(counts)


def _label(board: tuple[int, ...]) -> tuple[int, int]:
    """Return what Kujath's groups see of a board's last card: its rank, and its suit if that can still flush, else -1."""
    rank, suit = divmod(board[-1], 4)
    can_flush = sum(card & 3 == suit for card in board) + 5 - len(board) >= 3
    return rank, suit if can_flush else -1


def _board_groups(board: tuple[int, ...], left: list[int]) -> list[tuple[int, ...]]:
    """Return Kujath's groups, each ascending: single cards of suits that can flush once dealt, other cards by rank."""
    groups: dict[tuple[int, int], list[int]] = {}
    for card in left:
        groups.setdefault(_label((*board, card)), []).append(card)
    return sorted(tuple(cards) for cards in groups.values())


def _orbits(board: tuple[int, ...], left: list[int], moves: Sequence[CardMap]) -> tuple[CardGroup, ...]:
    """Return the orbits of cards under maps that form a group or generate one, each card with a map to the lowest of its orbit."""
    groups: list[CardGroup] = []
    seen: set[int] = set()
    blocked = hand_space().blocked(board)
    for lowest in left:
        if lowest in seen:
            continue
        to_lowest, found = {lowest: tuple(range(52))}, [lowest]
        for card in found:
            for move in moves:
                other = move.index(card)
                if other not in to_lowest:
                    to_lowest[other] = tuple([to_lowest[card][image] for image in move])
                    found.append(other)
        seen.update(found)
        cards = tuple(sorted(found))
        groups.append(_group(cards, [moved_hands(to_lowest[card]) for card in cards], blocked))
    return tuple(groups)


def _group(cards: tuple[int, ...], moves: Sequence[npt.NDArray[np.int32]], blocked: npt.NDArray[np.bool_]) -> CardGroup:
    maps = np.array(moves, dtype=np.int16)
    np.copyto(maps, np.int16(BLOCKED), where=blocked)
    for row, card in zip(maps, cards, strict=True):
        row[hand_space().card_hands[card]] = BLOCKED
    return CardGroup(cards, read_only(maps))


def _exchange(card: int, other: int) -> CardMap:
    """Return the map that exchanges two cards."""
    cards = list(range(52))
    cards[card], cards[other] = other, card
    return tuple(cards)


SUITED = ("rainbow", "two-tone", "monotone", "three of a suit", "four of a suit")
REPEATED = ("unpaired", "paired", "two pairs", "trips", "full house", "quads")
CONNECTED = ("apart", "two to a straight", "three to a straight", "four to a straight", "straight")

ACE_LOW = (12, 0, 1, 2, 3)
STRAIGHTS = (ACE_LOW, *(tuple(range(low, low + 5)) for low in range(9)))
"""The ranks of each straight."""


class Texture(NamedTuple):
    """A board's texture in words; `ORDERS` has the words of each field in their order.

    Attributes:
        suits: monotone where all cards are of one suit, else by the number of cards of the most common suit.
        ranks: which ranks repeat.
        high: rank of the highest card.
        connected: the largest number of ranks that one straight takes.
    """

    suits: str
    ranks: str
    high: str
    connected: str


ORDERS: dict[str, tuple[str, ...]] = {
    "suits": SUITED,
    "ranks": REPEATED,
    "high": tuple(reversed(RANKS)),
    "connected": CONNECTED,
}


def texture(board: Sequence[int]) -> Texture:
    """Return the texture of a board of 3 to 5 card ids."""
    ranks = Counter(card // 4 for card in board)
    of_suit = max(Counter(card % 4 for card in board).values())
    repeats = sorted(ranks.values(), reverse=True)
    suited = {1: "rainbow", 2: "two-tone", 3: "three of a suit", 4: "four of a suit"}
    repeated = {(1, 1): "unpaired", (2, 1): "paired", (2, 2): "two pairs", (3, 1): "trips", (3, 2): "full house"}
    first_two = (repeats[0], repeats[1] if len(repeats) > 1 else 1)
    return Texture(
        suits="monotone" if of_suit == len(board) else suited[of_suit],
        ranks=repeated.get(first_two, "quads"),
        high=RANKS[max(ranks)],
        connected=CONNECTED[max(sum(rank in ranks for rank in straight) for straight in STRAIGHTS) - 1],
    )
