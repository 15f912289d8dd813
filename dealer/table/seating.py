"""Who sits where: seats are chairs and never move, positions are places relative to the button and move every hand."""

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def position_of(seat: int, hand: int, players: int, fixed_button: bool = False) -> int:
    """The position of a seat in hand `hand` (all counted from 0). With a fixed button a seat keeps its position.

    >>> [position_of(0, hand, 3) for hand in range(4)]
    [0, 2, 1, 0]
    """
    return seat if fixed_button else (seat - hand) % players


def seat_of(position: int, hand: int, players: int, fixed_button: bool = False) -> int:
    """The seat that holds a position in hand `hand`: the inverse of `position_of`."""
    return position if fixed_button else (position + hand) % players


def by_position(per_seat: Sequence[T], hand: int, fixed_button: bool = False) -> tuple[T, ...]:
    """What is given per seat, such as names, per position of hand `hand`."""
    players = len(per_seat)
    return tuple(per_seat[seat_of(position, hand, players, fixed_button)] for position in range(players))


def by_seat(per_position: Sequence[T], hand: int, fixed_button: bool = False) -> tuple[T, ...]:
    """What is given per position of hand `hand`, such as values, per seat."""
    players = len(per_position)
    return tuple(per_position[position_of(seat, hand, players, fixed_button)] for seat in range(players))
