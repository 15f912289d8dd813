"""Groups of next board cards that may share one subtree.

Cards are merged in one of three ways:

- `none`: every card is a group of its own.
- `isomorphic`: cards that a suit permutation turns into each other, if it leaves the board dealt so far (the flop as a
  set, then the turn) and both starting ranges unchanged. The subgames are one game with suits renamed: nothing is lost.
- `groups`: Kujath's board groups ("Effiziente Berechnung des ε-Nash-Equilibriums einer Poker-Variante", 2014, §5.5,
  §6.1). A suit stays distinct only while it can still make a flush: with the new card dealt, its board cards plus the
  cards to come are three or more. Cards of the other suits merge by rank. No strength is lost, as swapping two such
  cards of one rank changes no showdown. But hands swapped here may have been different hands before (with other draws
  on the flop), so the merged game's ranges are exact only where a suit permutation would merge the cards as well.

The map of a merged card says which hand under the representative card stands for each hand under that card.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import Literal

import numpy as np
import numpy.typing as npt

from limpet.strategies.cards.handspace import board_cards, hand_space, read_only
from limpet.strategies.cards.isomorphism import hand_permutation, moved_hands, permute_cards

Merge = Literal["none", "isomorphic", "groups"]
SuitPermutation = tuple[int, ...]

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
    board: Sequence[int], merge: Merge, ranges: Sequence[npt.NDArray[np.float32]] | None = None
) -> tuple[CardGroup, ...]:
    """Return the groups of the card that follows a flop or a turn, in order of their representatives.

    board: 3 or 4 card ids, the flop's in any order, then the turn. ranges: the two players' weights at the root of the
    game, float32[1326] each, looked at for `isomorphic` only; without them both are taken to be suit-symmetric. Pass
    the same ranges on both streets: the permutations that may be used on the river are then among those of the turn.

    Raises ValueError for a board that is not 3 or 4 distinct card ids, and for ranges of another shape.
    """
    board = board_cards(board, 3, 4)
    left = [card for card in range(52) if card not in board]
    if merge == "isomorphic":
        return _orbits(board, left, stabiliser(board, ranges))
    groups = _board_groups(board, left) if merge == "groups" else [(card,) for card in left]
    return tuple(_group(cards, [_swap(card, cards[0]) for card in cards], board) for cards in groups)


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


def can_flush(board: Sequence[int], suit: int) -> bool:
    """Return whether a board of 3 to 5 cards still allows a flush of the suit: its cards + the cards to come >= 3."""
    return sum(card & 3 == suit for card in board) + 5 - len(board) >= 3


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


def _label(board: tuple[int, ...]) -> tuple[int, int]:
    """Return what Kujath's groups see of a board's last card: its rank, and its suit if that can still flush, else -1."""
    rank, suit = divmod(board[-1], 4)
    return rank, suit if can_flush(board, suit) else -1


def _board_groups(board: tuple[int, ...], left: list[int]) -> list[tuple[int, ...]]:
    """Return Kujath's groups, each ascending: single cards of suits that can flush once dealt, other cards by rank."""
    groups: dict[tuple[int, int], list[int]] = {}
    for card in left:
        groups.setdefault(_label((*board, card)), []).append(card)
    return sorted(tuple(cards) for cards in groups.values())


def _orbits(board: tuple[int, ...], left: list[int], suits: tuple[SuitPermutation, ...]) -> tuple[CardGroup, ...]:
    """Return the orbits of cards under suit permutations, each card with the first permutation to its representative."""
    to_lowest: dict[int, list[tuple[int, SuitPermutation]]] = {}
    for card in left:
        lowest, by = min((permute_cards((card,), permutation)[0], permutation) for permutation in suits)
        to_lowest.setdefault(lowest, []).append((card, by))
    return tuple(
        _group(tuple(card for card, _ in members), [hand_permutation(by) for _, by in members], board)
        for _, members in sorted(to_lowest.items())
    )


def _group(cards: tuple[int, ...], moves: Sequence[npt.NDArray[np.int32]], board: tuple[int, ...]) -> CardGroup:
    maps = np.array(moves, dtype=np.int16)
    maps[:, hand_space().blocked(board)] = BLOCKED
    for row, card in zip(maps, cards, strict=True):
        row[hand_space().card_hands[card]] = BLOCKED
    return CardGroup(cards, read_only(maps))


@cache
def _swap(card: int, other: int) -> npt.NDArray[np.int32]:
    """Return, as int32[1326], every hand with two cards exchanged where it holds them."""
    cards = list(range(52))
    cards[card], cards[other] = other, card
    return moved_hands(cards)
