"""Reads decisions and locked ranges of a push-or-fold tree from text that users write."""

from collections.abc import Sequence

from limpet.strategies.cards.ranges import class_weights, parse_range
from limpet.strategies.pushfold.profile import Frequencies, Locks
from limpet.strategies.pushfold.tree import Slot, seat_names, slots


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


def named_locks(texts: Sequence[str], players: int) -> Locks:
    """Return the locked ranges of texts such as ``BTN=22+,A2+``; ``BB=…`` locks all of the big blind's calls.

    Raises `ValueError`.
    """
    locks: dict[Slot, Frequencies] = {}
    for text in texts:
        seats, sign, held = text.partition("=")
        if not sign:
            raise ValueError(f"{text!r}: write seats, =, and a range, such as BTN=22+,A2+")
        row = class_weights(parse_range(held))
        if seats.strip().upper() == "BB":
            locks |= {slot: row for slot in slots(players) if len(slot) == 2 and slot[1] == players - 1}
        else:
            locks[named_slot(seats, players)] = row
    return locks
