"""The equity of every hand at a solved decision, beside its EV: what each hand makes of its share of the pot."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.cards.equity import holdem_equity
from limpet.strategies.holdem.solutions.answer import DIGITS, POSITIONS, Decision, hand_text
from limpet.strategies.solvers.vector.vector_solver import possible_reach


class RankedHands(NamedTuple):
    """A position's hands at a decision that can meet a hand of the other's, by rising equity."""

    hands: NDArray[np.intp]  # [H]: index of each hand in the hand space
    weight: NDArray[np.float64]  # [H]: probability that the position holds each hand when the decision comes up
    equity: NDArray[np.float64]  # [H]: P(win) + P(tie) / 2 if all cards were dealt and nobody bet any more
    share: NDArray[np.float64]  # [H]: expected share of the pot in big blinds


def ranked_hands(decision: Decision, position: int) -> RankedHands:
    """Return a position's hands by rising equity against the other's range. A flop takes some 25 ms."""
    own, others = (decision.values.reach[p].astype(np.float64) for p in (position, 1 - position))
    joint = own * possible_reach(others)
    equity = holdem_equity(others, decision.place.board)
    held = np.flatnonzero(joint > 0)
    order = held[np.argsort(equity[held], kind="stable")]
    share = decision.values.values[position, order] + decision.spent[position]
    return RankedHands(order, joint[order] / joint.sum(), equity[order], share.astype(np.float64))


def mean_equity(decision: Decision) -> tuple[float, float]:
    """Return the equity of each position's whole range; NaN if the decision never comes up."""
    if not decision.comes_up:
        return np.nan, np.nan
    ranked = ranked_hands(decision, 0)
    first = float(ranked.weight @ ranked.equity)
    return first, 1 - first


def equity_data(decision: Decision) -> list[dict[str, Any]]:
    """Return the hands of both positions, out of position first, as plain data in columns by rising equity."""
    return [
        {
            "position": POSITIONS[position],
            "hands": [hand_text(hand) for hand in ranked.hands.tolist()],
            **{
                name: column.round(DIGITS).tolist()
                for name, column in (
                    ("weight", ranked.weight),
                    ("equity", ranked.equity),
                    ("share_bb", ranked.share),
                )
            },
        }
        for position in (0, 1)
        for ranked in (ranked_hands(decision, position),)
    ]
