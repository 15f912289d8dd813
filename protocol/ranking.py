"""The showdown order of hands of any size in any deck of a game, in plain Python, and their names, by each kind of `Ranking`.

Loading `ranking_kernels`, which rank hands by the million, takes half a second; a dealer has a few thousand hands a second.

Cards are ids `rank * 4 + suit`, rank 0..12 for 2..A, suit 0..3 for c d h s. Hands of one to ten cards are ranked by
their best five; with fewer than five cards, by pairs and kickers alone. Only hands of equal size may be compared.

>>> rank([51, 50]) > rank([51, 47])  # a pair of aces beats ace king
True
>>> category(rank([0, 4, 8, 12, 48]))  # 2c 3c 4c 5c Ac
8
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from enum import Enum
from functools import cache, partial
from itertools import combinations
from math import comb

from limpet.protocol.cards import RANKS

PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH = _CATEGORY_STARTS = (
    1287, 5005, 7202, 8216, 8226, 9513, 9682, 9851,
)  # fmt: skip
"""First rank of each category but the lowest; `ranking_kernels` says how ranks are numbered."""


class Ranking(Enum):
    """Which hand wins a showdown. The ranks of `rank` rise with it, whatever it is."""

    HIGH = "high"
    SHORT_DECK = "short-deck"
    """A flush beats a full house, and an ace also stands below the six in a straight."""
    DEUCE_TO_SEVEN = "deuce-to-seven"
    """The lowest hand wins. An ace is high, and straights and flushes count against a hand."""
    BADUGI = "badugi"
    """Only cards of different ranks and suits count: the more the better, then the lower. An ace is low."""
    HIGH_LOW = "high-low-8"
    """Half of each pot goes to the lowest five different ranks up to eight, an ace low, if there are any, the rest to the highest."""


# A mapping, not a tuple: a negative id must be an error, not a card from the other end.
_CARD_BITS = {card: 1 << (16 * (card & 3) + (card >> 2)) for card in range(52)}


def _mask(cards: Sequence[int], mask: int = 0) -> int:
    """Add distinct cards to a mask, bit 16 * suit + rank each. Raises `ValueError` for a bad or repeated id."""
    for card in cards:
        try:
            bit = _CARD_BITS[card]
        except KeyError:
            raise ValueError(f"card id {card} is not in 0..51") from None
        if mask & bit:
            raise ValueError(f"card id {card} appears twice")
        mask |= bit
    return mask


def rank_mask(mask: int) -> int:
    """Return the rank of a mask, which the kernel of the same name returns for whole arrays of hands."""
    clubs, diamonds, hearts, spades = mask & 0x1FFF, mask >> 16 & 0x1FFF, mask >> 32 & 0x1FFF, mask >> 48
    minor, major = clubs | diamonds, hearts | spades
    minors, majors = clubs & diamonds, hearts & spades
    best = _rank_of_repeats(
        minor | major, minors | majors | minor & major, minors & major | majors & minor, minors & majors
    )
    for ranks in (clubs, diamonds, hearts, spades):
        if ranks.bit_count() >= 5:
            height = _straight(ranks)
            best = max(best, STRAIGHT_FLUSH - 1 + height if height else FLUSH + _top(ranks, 5))
    return best


def _rank_of_repeats(s1: int, s2: int, s3: int, s4: int) -> int:
    """Return the best rank, flushes aside, of the sets of ranks held at least once, twice, three and four times."""
    if s4:
        high = _top(s4, 1)
        return QUADS + 13 * high + _top(s1 ^ 1 << high, 1)
    if s3:
        high = _top(s3, 1)
        if pairs := s2 ^ 1 << high:
            return FULL_HOUSE + 13 * high + _top(pairs, 1)
    if height := _straight(s1):
        return STRAIGHT - 1 + height
    if s3:
        return TRIPS + 78 * high + _top(s1 ^ 1 << high, 2)
    if not s2:
        return _top(s1, 5)
    high = _top(s2, 1)
    if not (lower := s2 ^ 1 << high):
        return PAIR + 286 * high + _top(s1 ^ s2, 3)
    low = _top(lower, 1)
    return TWO_PAIR + 169 * high + 13 * low + _top(s1 ^ 1 << high ^ 1 << low, 1)


@cache
def _top(ranks: int, most: int) -> int:
    """Return the colex number of the highest `most` ranks of a set, or of all if there are fewer."""
    number = 0
    for remaining in range(min(most, ranks.bit_count()), 0, -1):
        high = ranks.bit_length() - 1
        number += comb(high, remaining)
        ranks ^= 1 << high
    return number


@cache
def _straight(ranks: int) -> int:
    """Return 0, or the height of the best straight in a set of ranks: 1 for the wheel, 10 with an ace on top."""
    runs = ranks << 1 | ranks >> 12  # the ace also below the deuce
    return (runs & runs >> 1 & runs >> 2 & runs >> 3 & runs >> 4).bit_length()


def rank(cards: Sequence[int], ranking: Ranking = Ranking.HIGH) -> int:
    """Return the rank of 1 to 10 distinct card ids: higher wins, equal ties. Raises ValueError for other hands."""
    if not 1 <= len(cards) <= 10:
        raise ValueError(f"a hand has 1 to 10 cards, not {len(cards)}")
    mask = _mask(cards)
    if ranking not in _FIVES:
        return rank_mask(mask)
    return max(map(_FIVES[ranking], combinations(cards, min(5, len(cards)))))


def _short_deck(five: Sequence[int]) -> int:
    best = rank_mask(_mask(five))
    if {card >> 2 for card in five} == {4, 5, 6, 7, 12}:  # from the ace to the nine; no other straight is of height 5
        return (STRAIGHT_FLUSH if best >= FLUSH else STRAIGHT) + 4
    if FLUSH <= best < FULL_HOUSE:
        return best + QUADS - FULL_HOUSE
    return best + FLUSH - FULL_HOUSE if FULL_HOUSE <= best < QUADS else best


def _deuce_to_seven(five: Sequence[int]) -> int:
    best = rank_mask(_mask(five))
    if {card >> 2 for card in five} == {0, 1, 2, 3, 12}:  # with an ace no straight but the highest
        best = (FLUSH if best >= FLUSH else 0) + _top(0b1_0000_0000_1111, 5)
    return _HIGHEST - best


_HIGHEST = STRAIGHT_FLUSH + 9
"""Rank of a royal flush."""


def _badugi(cards: Sequence[int]) -> int:
    return max(1024 * len(kept) - _top(_low_ranks(kept), 4) for kept in _rainbows(cards))


def _rainbows(cards: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yield the sets of cards whose ranks and suits all differ."""
    for count in range(1, 5):
        for kept in combinations(cards, count):
            if len({card & 3 for card in kept}) == len({card >> 2 for card in kept}) == count:
                yield kept


def _low_ranks(cards: Sequence[int]) -> int:
    """Return the ranks of cards as a set, bit 0 for an ace and bit 12 for a king."""
    return sum({1 << (card // 4 + 1) % 13 for card in cards})


_FIVES = {Ranking.SHORT_DECK: _short_deck, Ranking.DEUCE_TO_SEVEN: _deuce_to_seven, Ranking.BADUGI: _badugi}
"""The rank of at most five cards in rankings other than the usual."""


def _fives(hole: Sequence[int], board: Sequence[int], used: int) -> Iterator[tuple[int, ...]]:
    """Yield all fives of a private hand and the board, with exactly `used` hole cards unless it is 0."""
    _mask(hole, _mask(board))
    if not used:
        yield from combinations((*hole, *board), 5)
    for own in combinations(hole, used) if used else ():
        for common in combinations(board, 5 - used):
            yield own + common


def shown_cards(
    hole: Sequence[int], board: Sequence[int], used: int = 0, ranking: Ranking = Ranking.HIGH
) -> tuple[int, ...]:
    """Return the cards that a showdown ranks: all, or the best five with exactly `used` hole cards. Raises as `rank`."""
    if not used:
        return (*hole, *board)
    return max(_fives(hole, board, used), key=partial(rank, ranking=ranking))


def _low_five(hole: Sequence[int], board: Sequence[int], used: int) -> tuple[int, ...]:
    """Return the lowest five different ranks up to an eight, empty where a hand has none."""
    lows = (five for five in _fives(hole, board, used) if 0 < _low_number(five) <= 56)
    return min(lows, key=_low_number, default=())


def _low_number(five: Sequence[int]) -> int:
    """Return the number of five different ranks among all from the lowest up, from 1; 0 where some are equal."""
    ranks = _low_ranks(five)
    return 1 + _top(ranks, 5) if ranks.bit_count() == 5 else 0


def rank_hands(
    holes: Sequence[Sequence[int]], board: Sequence[int], used: int = 0, ranking: Ranking = Ranking.HIGH
) -> tuple[int, ...]:
    """Return the rank of each private hand together with the board. Raises `ValueError` as `rank` does.

    Cards repeated between two private hands are not noticed; a card shared with the board is.

    used: number of hole cards that count, as `GameDef.hole_cards_used`; 0: as many as are best.
    """
    if ranking in _FIVES:
        return tuple(rank(shown_cards(hole, board, used, ranking), ranking) for hole in holes)
    common = _mask(board)
    ranks = []
    for hole in holes:
        if not 1 <= len(hole) + len(board) <= 10:
            raise ValueError(f"a hand has 1 to 10 cards, not {len(hole) + len(board)}")
        mask = _mask(hole, common)
        ranks.append(_rank_using(hole, board, used) if used else rank_mask(mask))
    return tuple(ranks)


def _rank_using(hole: Sequence[int], board: Sequence[int], used: int) -> int:
    """Return the best rank of five cards of which exactly `used` are hole cards."""
    own = {sum([_RANK_COUNTS[card] for card in cards]) for cards in combinations(hole, used)}
    common = {sum([_RANK_COUNTS[card] for card in cards]) for cards in combinations(board, 5 - used)}
    best = max([_rank_of_counts(some + others) for some in own for others in common])
    for suit in range(4):
        suited = [card for card in hole if card & 3 == suit]
        on_board = [card for card in board if card & 3 == suit]
        if len(suited) >= used and len(on_board) >= 5 - used:
            best = max(best, *map(rank, _fives(suited, on_board, used)))
    return best


_RANK_COUNTS = [1 << 3 * (card >> 2) for card in range(52)]
"""By card id, a number whose sums count the cards of each rank in three bits."""


@cache
def _rank_of_counts(counts: int) -> int:
    """Return the rank, flushes aside, of five cards by a sum of `_RANK_COUNTS`."""
    held = [counts >> 3 * rank & 7 for rank in range(13)]
    s1, s2, s3, s4 = (sum([1 << rank for rank, count in enumerate(held) if count >= times]) for times in range(1, 5))
    return _rank_of_repeats(s1, s2, s3, s4)


def low_order(holes: Sequence[Sequence[int]], board: Sequence[int], used: int = 0) -> tuple[int, ...]:
    """Return ranks by which half of a pot of `Ranking.HIGH_LOW` is won: by a low hand, the highest where nobody has one."""
    ranks = rank_hands(holes, board, used)
    lows = [_low_five(hole, board, used) for hole in holes]
    return tuple(_HIGHEST + 57 - _low_number(low) if low else high for low, high in zip(lows, ranks, strict=True))


def category(rank: int, ranking: Ranking = Ranking.HIGH) -> int:
    """Return the category of a rank, 0 (high card) .. 8 (straight flush), in any ranking but badugi."""
    if ranking is Ranking.SHORT_DECK and FLUSH <= rank < QUADS:
        return 5 + (rank < FLUSH + QUADS - FULL_HOUSE)
    return bisect_right(_CATEGORY_STARTS, _HIGHEST - rank if ranking is Ranking.DEUCE_TO_SEVEN else rank)


# --- Names of hands as hand histories write them: ``two pair, Aces and Kings``.

_NAMES = ("Deuce", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Jack", "Queen", "King", "Ace")
CATEGORIES = (
    "high card", "pair", "two pair", "three of a kind", "straight", "flush", "full house", "four of a kind", "straight flush"
)  # fmt: skip
"""Names of `ranking.category`'s numbers."""


def made_hand(hole: Sequence[int], board: Sequence[int], used: int = 0, ranking: Ranking = Ranking.HIGH) -> str:
    """Return in words what a player shows down, the low hand too where half of a pot goes to it.

    >>> from limpet.protocol.cards import parse_cards
    >>> made_hand(parse_cards("As2d9c9h"), parse_cards("Kd5c3hQc7d"), 2, Ranking.HIGH_LOW)
    'a pair of Nines, and low 7-5-3-2-A'
    """
    made = describe(shown_cards(hole, board, used, ranking), ranking)
    low = _low_five(hole, board, used) if ranking is Ranking.HIGH_LOW else ()
    return f"{made}, and low {_listed(low)}" if low else made


def _listed(cards: Sequence[int], low: bool = True) -> str:
    """Return ranks from the highest down, with dashes; in `low` hands an ace comes last."""
    return "-".join(RANKS[card >> 2] for card in sorted(cards, key=lambda card: (card + 4 * low) % 52, reverse=True))


def describe(cards: Sequence[int], ranking: Ranking = Ranking.HIGH) -> str:
    """Return the best five of `cards` in words. Raises `ValueError` as `ranking.rank` does.

    >>> from limpet.protocol.cards import parse_cards
    >>> describe(parse_cards("AsAhKdKc7s6h2d"))
    'two pair, Aces and Kings'
    >>> describe(parse_cards("Ac2d3h4s5c"))
    'a straight, Ace to Five'
    """
    if ranking is Ranking.BADUGI:
        kept = max(_rainbows(cards), key=_badugi)
        return f"{'badugi' if len(kept) == 4 else f'{len(kept)} cards,'} {_listed(kept)}"
    kind = category(rank(cards, ranking), ranking)
    if ranking in _FIVES:
        cards = max(combinations(cards, min(5, len(cards))), key=_FIVES[ranking])
    if ranking is Ranking.DEUCE_TO_SEVEN and kind == 0:
        return _listed(cards, low=False)
    ranks = [card >> 2 for card in cards]
    # Ranks by how often they are held, then by height: the first ones give the hand its name.
    held = sorted(set(ranks), key=lambda r: (ranks.count(r), r), reverse=True)
    first = _plural(held[0])
    second = _plural(max((r for r in held[1:] if ranks.count(r) >= 2), default=held[0]))
    of_ranks = {
        0: f"high card {_NAMES[held[0]]}",
        1: f"a pair of {first}",
        2: f"two pair, {first} and {second}",
        3: f"three of a kind, {first}",
        6: f"a full house, {first} full of {second}",
        7: f"four of a kind, {first}",
    }
    if kind in of_ranks:
        return of_ranks[kind]
    if kind == 4:
        return f"a straight, {_run(ranks)}"
    flush = next(suited for suited in ([c >> 2 for c in cards if c & 3 == s] for s in range(4)) if len(suited) >= 5)
    if kind == 5:
        return f"a flush, {_NAMES[max(flush)]} high"
    run = _run(flush)
    return "a Royal Flush" if run == "Ten to Ace" else f"a straight flush, {run}"


def _run(ranks: Sequence[int]) -> str:
    """Return the highest five ranks in a row in words; an ace may also be below the deuce."""
    present = set(ranks)
    for low in range(8, -1, -1):
        if present.issuperset(range(low, low + 5)):
            return f"{_NAMES[low]} to {_NAMES[low + 4]}"
    return "Ace to Nine" if 0 not in present else "Ace to Five"


def _plural(rank: int) -> str:
    name = _NAMES[rank]
    return f"{name}es" if name == "Six" else f"{name}s"
