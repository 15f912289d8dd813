"""Names of hands as hand histories write them: ``two pair, Aces and Kings``."""

from collections.abc import Sequence

from limpet.protocol.ranking import category, rank

_NAMES = ("Deuce", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Jack", "Queen", "King", "Ace")
_ACE = 12
CATEGORIES = (
    "high card", "pair", "two pair", "three of a kind", "straight", "flush", "full house", "four of a kind", "straight flush"
)  # fmt: skip
"""Names of `ranking.category`'s numbers."""


def describe(cards: Sequence[int]) -> str:
    """Return the best five of `cards` in words. Raises `ValueError` as `ranking.rank` does.

    >>> from limpet.protocol.cards import parse_cards
    >>> describe(parse_cards("AsAhKdKc7s6h2d"))
    'two pair, Aces and Kings'
    >>> describe(parse_cards("Ac2d3h4s5c"))
    'a straight, Ace to Five'
    """
    kind = category(rank(cards))
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
    return f"{_NAMES[_ACE]} to {_NAMES[3]}"


def _plural(rank: int) -> str:
    name = _NAMES[rank]
    return f"{name}es" if name == "Six" else f"{name}s"
