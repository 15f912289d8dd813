"""The seatings that a duplicate match plays with the same cards: designs that even out positions, neighbours, or all."""

from itertools import permutations
from typing import Literal

from limpet.configs.loading import Document, located

Design = Literal["rotations", "neighbours", "all"]
"""Designs of N players. In each of them every player holds every position equally often.

- ``rotations``: N seatings. Everybody keeps their neighbours.
- ``neighbours``: N (N - 1) seatings. Any two neighbouring positions, the last and the first too, are held by each ordered
  pair of players exactly once, so that everybody acts directly behind everybody else equally often.
- ``all``: all N! orders.
"""
MOST_IN_ALL_ORDERS = 6
"""Largest number of players whose orders may all be played."""

# Rows of players in which the step from one position to the next is another one in each row, in every column. A step is
# a difference modulo N, and for 4 and 8 players, which have no such rows modulo N, an exclusive or. For 4 and 8 the rows
# are the multiples in the finite field; those of 6, 9 and 10 were found by search. Primes need no table.
_BASES = {
    4: "0123 0231 0312",
    6: "012453 025314 031245 043251 051432",
    8: "01234567 02463175 03657412 04376251 05142736 06715324 07521643",
    9: "014825673 027548631 032184756 045731628 053687214 068413257 072834615 085674132",
    10: "0169852473 0267891435 0395712648 0471693852 0564731289 0638549721 0765132894 0863195247 0913725486",
}


def usual_design(players: int) -> Design:
    """Return the design of a duplicate match whose config names none."""
    return "all" if players <= 3 else "rotations"


def design_text(seatings: int, design: Design | None) -> str:
    """Return the words for the seatings of a deal, with their design where there is a choice."""
    return f"{seatings} seatings" + (f" ({design})" if design and seatings > 2 else "")


def check_design(players: int, duplicate: bool, design: Design | None, document: Document | None) -> None:
    """Raise `ConfigError` for a design of a match that is not a duplicate one, and for far too many seatings.

    The message has the line of the key ``seatings`` where there is a `document`.
    """
    if design is not None and not duplicate:
        problem = f"'{design}' are seatings of the same cards; make the match a duplicate one, or leave this out"
        raise located(document, ("seatings",), problem)
    if design == "all" and players > MOST_IN_ALL_ORDERS:
        instead = f"'neighbours' are {players * (players - 1)} seatings"
        raise located(document, ("seatings",), f"all orders of {players} players are far too many; {instead}")


def seatings(players: int, design: Design | None) -> list[tuple[int, ...]]:
    """Return the player number at each seat, for each seating of a design; one seating for None.

    >>> seatings(3, "rotations")
    [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    >>> seatings(4, "neighbours")[:5]
    [(0, 1, 2, 3), (1, 0, 3, 2), (2, 3, 0, 1), (3, 2, 1, 0), (0, 2, 3, 1)]
    """
    if design == "all":
        return list(permutations(range(players)))
    if design == "neighbours":
        return _neighbours(players)
    natural = tuple(range(players))
    return [natural[turn:] + natural[:turn] for turn in range(1 if design is None else players)]


def _neighbours(players: int) -> list[tuple[int, ...]]:
    """Move each base row on by every player number: then each step is made by every ordered pair of players."""
    if players in _BASES:
        bases = [tuple(map(int, row)) for row in _BASES[players].split()]
    else:
        bases = [tuple(factor * seat % players for seat in range(players)) for factor in range(1, players)]
    if players in (4, 8):
        return [tuple(player ^ turn for player in base) for base in bases for turn in range(players)]
    return [tuple((player + turn) % players for player in base) for base in bases for turn in range(players)]
