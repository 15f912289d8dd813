"""Turns an answer into plain data for JSON: settings, ε, EVs, and each decision by class and by combo."""

from math import isnan
from typing import Any

import msgspec
import numpy as np

from limpet.strategies.cards.isomorphism import class_name
from limpet.strategies.solutions.answer import POSITIONS, Answer, Decision, hand_text
from limpet.strategies.solving.vector.node_values import Exploitability

DIGITS = 6


def answer_data(answer: Answer) -> dict[str, Any]:
    """Return an answer as data: money in big blinds, weights from 0 to 1, pairs as ``[out of position, in position]``."""
    solve, real = answer.solve, answer.real_game
    data = {
        "format": "limpet-answer/1",
        "spot": msgspec.to_builtins(solve.spot),
        "stopped_by": solve.reason,
        "iterations": solve.solver.iteration,
        "seconds": round(solve.seconds, 3),
        "memory_bytes": solve.solver.memory.total,
        "exploitability": {
            **_exploitability_data(answer.exploitability),
            "gains_bb": [_number(gain) for gain in answer.gains],
        },
        "pot_bb": answer.pot,
        "ev_net_bb": [_number(ev) for ev in answer.net],
        "ev_share_bb": [_number(ev) for ev in answer.share],
        "ev_share_of_pot": [_number(ev / answer.pot) for ev in answer.share],
        "decisions": [decision_data(decision) for decision in answer.decisions],
    }
    if real is not None:
        measured = {"real_exploitability": real.real, "exploitability_on_all_boards": real.all_boards}
        data |= {name: _exploitability_data(value) for name, value in measured.items() if value is not None}
    return data


def _exploitability_data(exploitability: Exploitability) -> dict[str, Any]:
    return {
        "percent_of_pot": _number(exploitability.percent),
        "mbb_per_game": _number(exploitability.mbb),
        "best_responses_bb": [_number(best) for best in exploitability.best],
    }


def decision_data(decision: Decision) -> dict[str, Any]:
    """Return a decision as data. `net_bb` of a combo is what it wins beyond what its player has put in.

    Values are None where the opponent can hold nothing. All combos of the actor that reach the decision are listed with their
    strategy all the same, so that best responses to it can be worked out from all decisions.
    """
    values, classes = decision.values, decision.classes
    position = decision.position
    return {
        "line": list(decision.place.words),
        "betting": decision.place.betting,
        "position": POSITIONS[position],
        "pot_bb": decision.pot,
        "spent_bb": list(decision.spent),
        "actions": list(decision.actions),
        "largest_reach": [float(f"{reach.max():.6g}") for reach in values.reach],
        "pot_fractions": [None if f is None else _number(f) for f in decision.fractions],
        "frequencies": _numbers(decision.frequencies),
        "ev_net_bb": [_number(ev) for ev in decision.net],
        "ev_share_bb": [_number(ev) for ev in decision.share],
        "classes": {
            class_name(number): {
                "happens": _number(classes.happens[number]),
                "weight": _number(classes.weights[number]),
                "frequencies": _numbers(classes.frequencies[:, number]),
                "share_bb": _number(classes.share[number]),
                "action_share_bb": _numbers(classes.action_share[:, number]),
            }
            for number in np.flatnonzero(classes.weights > 0).tolist()
        },
        "combos": {
            hand_text(hand): {
                "reach": _number(values.reach[position, hand]),
                "frequencies": _numbers(values.strategy[:, hand]),
                "net_bb": _number(decision.hand_net[hand]),
                "action_net_bb": _numbers(decision.action_net[:, hand]),
            }
            for hand in decision.hands().tolist()
        },
    }


def _number(value: Any) -> float | None:
    return None if isnan(value) else round(float(value), DIGITS)


def _numbers(values: Any) -> list[float | None]:
    return [_number(value) for value in values]
