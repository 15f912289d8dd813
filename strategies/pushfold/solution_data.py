"""Turns the solution of a push-or-fold spot into plain data for JSON."""

from collections.abc import Sequence
from math import isnan
from typing import Any

from limpet.strategies.cards.isomorphism import class_name
from limpet.strategies.pushfold.response import hand_values, slot_gains
from limpet.strategies.pushfold.solve import Solution
from limpet.strategies.pushfold.tree import Slot, seat_names, slot_name, slots

KINDS = ("push", "call", "overcall")
"""Names of a decision by the number of players all-in, its owner included."""


def slot_hands(solution: Solution, slot: Slot) -> dict[str, dict[str, float | None]]:
    """Return frequency and values of each class at a decision; None for the values of a decision that is never reached."""
    act, fold = hand_values(solution.game, solution.profile, slot)
    columns = {"frequency": solution.profile[slot], "all_in": act, "fold": fold, "gain": act - fold}
    return {
        class_name(number): {
            name: None if isnan(column[number]) else float(column[number]) for name, column in columns.items()
        }
        for number in range(168, -1, -1)
    }


def gains_by_slot(solution: Solution) -> dict[Slot, float]:
    """Return what the owner of each slot would win more by a best response there."""
    gains = slot_gains(solution.profile.frequencies, solution.values)
    return dict(zip(slots(solution.game.players), gains, strict=True))


def solution_data(solution: Solution, shown: Sequence[Slot] = ()) -> dict[str, Any]:
    """Return the answer as JSON has it. shown: decisions whose hands are listed with their values."""
    spot, profile = solution.game.spot, solution.profile
    data: dict[str, Any] = {
        "stacks": spot.stacks,
        "blinds": [spot.small_blind, spot.big_blind],
        "ante": spot.ante,
        "payouts": spot.payouts,
        "seats": seat_names(spot.players),
        "solver": solution.solver,
        "epsilon": solution.epsilon.value,
        "epsilon_unit": spot.unit,
        "epsilon_percent": solution.epsilon.percent,
        "epsilon_ordered": solution.ordered.value,
        "epsilon_played": solution.played.value,
        "seconds": solution.seconds,
        "iterations": solution.answer.iterations,
        "ev": solution.values.totals.tolist(),
        "locked": [slot_name(slot, spot.players) for slot in solution.locks],
    }
    for size, kind in enumerate(KINDS, 1):
        names = {slot_name(slot, spot.players): slot for slot in slots(spot.players) if len(slot) == size}
        data[kind] = {
            name: {class_name(number): float(profile[slot][number]) for number in range(168, -1, -1)}
            for name, slot in names.items()
        }
        data[f"{kind}_text"] = {name: profile.text(slot) for name, slot in names.items()}
    if shown:
        data["hands"] = {slot_name(slot, spot.players): slot_hands(solution, slot) for slot in shown}
    return data
