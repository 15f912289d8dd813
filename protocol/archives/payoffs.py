"""The check that the payoffs in a file are those of the betting and the cards."""

from collections.abc import Sequence

from limpet.protocol.handhistory import pots
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.messages import Hole
from limpet.protocol.settlement import chips_text, settle_ranks
from limpet.protocol.state import State

ROUNDING = 1e-5
"""Chips by which payoffs may differ because they are written with six decimals."""


def right_values(state: State, holes: Sequence[Hole]) -> tuple[float, ...] | None:
    """Return the net chips that betting and cards pay, None where cards of a showdown are unknown.

    holes: private cards by position, after all draws; empty where they are unknown.
    """
    live = [position for position in range(len(holes)) if not state.has_folded(position)]
    if len(live) == 1:
        return settle_ranks(state.spent, state.folded, ())
    if not all(holes[position] for position in live):
        return None
    # Ranking loads the compiler, which hands without a showdown do not need.
    from limpet.protocol.ranking import rank_hands

    ranks = [0] * len(holes)
    shown = rank_hands([holes[position] for position in live], state.board, state.game.hole_cards_used)
    for position, rank in zip(live, shown, strict=True):
        ranks[position] = rank
    best = max(live, key=ranks.__getitem__)
    spent = state.spent
    if ranks.count(ranks[best]) == 1 and spent[best] == max(spent):  # the usual end, which pays all to one player
        return tuple(
            [float(sum(spent) - chips if position == best else -chips) for position, chips in enumerate(spent)]
        )
    return settle_ranks(spent, state.folded, ranks)


def odd_chips(state: State) -> int:
    """Return the most chips that a payoff may differ by, because whole chips of a split pot go to one of its winners."""
    return len(pots(state.spent, state.folded)) if state.showdown else 0


def contradiction(hand: HandRecord) -> str | None:
    """Return a message if the payoffs are not those of the betting and the cards, or cannot be; None if they may be."""
    state, values = hand.state, hand.values
    right = right_values(state, hand.hands)
    if right == values:
        return None
    spare = odd_chips(state) + ROUNDING
    if right is not None and any(abs(value - other) > spare for value, other in zip(values, right, strict=True)):
        return f"the payoffs {_texts(values)} contradict the betting and cards, which pay {_texts(right)}"
    if abs(sum(values)) > ROUNDING * len(values):
        return f"the payoffs {_texts(values)} do not add up to 0"
    if any(value < -spent - ROUNDING for value, spent in zip(values, state.spent, strict=True)):
        return f"the payoffs {_texts(values)} take more than {'|'.join(map(str, state.spent))}, which were bet"
    return None


def _texts(values: Sequence[float]) -> str:
    return "|".join(map(chips_text, values))
