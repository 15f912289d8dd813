"""Checks that the payoffs in a file agree with the betting and the cards."""

from collections.abc import Sequence

from limpet.protocol.handhistory import Unsupported, pots
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.messages import Hole
from limpet.protocol.settlement import settle, values_text
from limpet.protocol.state import State

ROUNDING = 1e-5
"""Chips by which payoffs may differ because they are written with six decimals."""


def right_values(state: State, holes: Sequence[Hole]) -> tuple[float, ...] | None:
    """Return the net chips that betting and cards pay, None where cards of a showdown are unknown.

    holes: private cards by position, after all draws; empty where they are unknown.
    """
    if state.showdown and not all(hole or state.has_folded(position) for position, hole in enumerate(holes)):
        return None
    return settle(state, holes)


def shown_positions(hand: HandRecord, reader: str) -> list[int]:
    """Return the positions that show their cards. Raises `Unsupported` where some are unknown, which `reader` needs."""
    live = [position for position in range(len(hand.holes)) if not hand.state.has_folded(position)]
    if not all(hand.holes[position] for position in live):
        raise Unsupported(
            f"hand {hand.hand}: the log does not say what was shown, and {reader} needs it; leave the hand out"
        )
    return live


def odd_chips(state: State) -> int:
    """Return the most chips that a payoff may differ by, because whole chips of a split pot go to one of its winners."""
    return len(pots(state.spent, state.folded)) if state.showdown else 0


def contradiction(hand: HandRecord) -> str | None:
    """Return a message if the payoffs contradict the betting and the cards, None if they agree as far as cards are known."""
    state, values = hand.state, hand.values
    right = right_values(state, hand.hands)
    if right == values:
        return None
    spare = odd_chips(state) + ROUNDING
    if right is not None and any(abs(value - other) > spare for value, other in zip(values, right, strict=True)):
        return f"the payoffs {values_text(values)} contradict the betting and cards, which pay {values_text(right)}"
    if abs(sum(values)) > ROUNDING * len(values):
        return f"the payoffs {values_text(values)} do not add up to 0"
    if any(value < -spent - ROUNDING for value, spent in zip(values, state.spent, strict=True)):
        return f"the payoffs {values_text(values)} take more than {'|'.join(map(str, state.spent))}, which were bet"
    return None
