"""The push-or-fold tree: who may go all-in after whom, with at most three players all-in.

Seats act once, in order; the last one is the big blind. Before anybody is all-in a seat pushes or folds. After a push it
calls or folds, after a call it overcalls or folds, and after an overcall everybody folds. A slot is a decision, named by
the seats that are all-in if its owner goes all-in too: `(p,)` a push, `(p, c)` a call, `(p, c, o)` an overcall. A leaf is
named in the same way, and `()` is the leaf in which the big blind wins unopposed, so that there is one leaf more than slots.
"""

from functools import cache
from itertools import combinations

Slot = tuple[int, ...]
"""Seats all-in, in the order in which they act. The last one owns the decision."""

FEWEST, MOST = 2, 10
"""Numbers of players that the tree is built for."""
MOST_ALL_IN = 3


@cache
def slots(players: int) -> tuple[Slot, ...]:
    """Return all decisions: pushes, then calls, then overcalls, each group in lexicographic order.

    >>> slots(3)
    ((0,), (1,), (0, 1), (0, 2), (1, 2), (0, 1, 2))
    """
    pushes = tuple((seat,) for seat in range(players - 1))
    return pushes + pairs(players) + triples(players)


@cache
def pairs(players: int) -> tuple[Slot, ...]:
    """Return the calls (pusher, caller) in lexicographic order."""
    return tuple(combinations(range(players), 2))


@cache
def triples(players: int) -> tuple[Slot, ...]:
    """Return the overcalls (pusher, caller, overcaller) in lexicographic order."""
    return tuple(combinations(range(players), 3))


@cache
def slot_numbers(players: int) -> dict[Slot, int]:
    """Return the index of each slot in `slots`."""
    return {slot: number for number, slot in enumerate(slots(players))}


@cache
def seat_names(players: int) -> tuple[str, ...]:
    """Return short names of the seats in the order of play; heads-up the small blind is the button.

    >>> seat_names(6)
    ('UTG', 'HJ', 'CO', 'BTN', 'SB', 'BB')
    """
    late = ("LJ", "HJ", "CO", "BTN", "SB", "BB")[-max(players - 1, 2) :]
    early = ("UTG", "UTG1", "UTG2", "UTG3", "UTG4")[: players - len(late)]
    return (*early, *late) if players > 3 else ("BTN", "SB", "BB")[-players:]


def slot_name(slot: Slot, players: int) -> str:
    """Return the names of a slot's seats between commas, as in ``BTN,SB``: the small blind calls the button's push."""
    return ",".join(seat_names(players)[seat] for seat in slot)


def named_slot(name: str, players: int) -> Slot:
    """Return the slot that names of seats between commas stand for. Raises `ValueError`."""
    seats = seat_names(players)
    slot = tuple(seats.index(part) if part in seats else -1 for part in name.upper().replace(" ", "").split(","))
    if slot not in slots(players):
        raise ValueError(
            f"{name!r} names no decision; write one to three of {', '.join(seats)} in this order, such as "
            f"{seats[-2]} for a push and {seats[-2]},{seats[-1]} for a call"
        )
    return slot
