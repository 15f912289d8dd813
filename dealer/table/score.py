"""Who sits in which position, the running score of a match, and the log lines made from it."""

from collections.abc import Sequence
from typing import TypeVar

from limpet.protocol.matchlog import HandRecord, Score

# --- Who sits where: a seat is a chair and never moves, a position is relative to the button and moves every hand.

T = TypeVar("T")


def position_of(seat: int, hand: int, players: int, fixed_button: bool = False) -> int:
    """Return the position of a seat in hand `hand` (all counted from 0). With a fixed button a seat keeps its position.

    >>> [position_of(0, hand, 3) for hand in range(4)]
    [0, 2, 1, 0]
    """
    return seat if fixed_button else (seat - hand) % players


def seat_of(position: int, hand: int, players: int, fixed_button: bool = False) -> int:
    """Return the seat that holds a position in hand `hand`: the inverse of `position_of`."""
    return position if fixed_button else (position + hand) % players


def by_position(per_seat: Sequence[T], hand: int, fixed_button: bool = False) -> tuple[T, ...]:
    """Return values that are given per seat, such as names, in the order of the positions in hand `hand`."""
    first = seat_of(0, hand, len(per_seat), fixed_button)
    return (*per_seat[first:], *per_seat[:first])


def by_seat(per_position: Sequence[T], hand: int, fixed_button: bool = False) -> tuple[T, ...]:
    """Return values that are given per position of hand `hand`, such as chips won, in the order of the seats."""
    first = position_of(0, hand, len(per_position), fixed_button)
    return (*per_position[first:], *per_position[:first])


class MatchScore:
    """Net chips per seat, added up hand by hand in the order played (float sums print as the reference's do)."""

    def __init__(self, players: Sequence[str], fixed_button: bool = False) -> None:
        """`players` are names per seat."""
        self.players = tuple(players)
        self.fixed_button = fixed_button
        self.hands = 0
        self.totals = [0.0] * len(self.players)

    def add(self, hand: HandRecord) -> str:
        """Add a hand as the next one, and return its ``STATE`` line with its number and the players' names."""
        names = by_position(self.players, self.hands, self.fixed_button)
        line = str(HandRecord(self.hands, hand.state, hand.holes, hand.values, names, hand.draws))
        for seat, value in enumerate(by_seat(hand.values, self.hands, self.fixed_button)):
            self.totals[seat] += value
        self.hands += 1
        return line

    def __str__(self) -> str:
        """The log's ``SCORE`` line."""
        return str(Score(tuple(self.totals), self.players))
