"""Turns the prize money that stacks are worth, and the all-ins between them, into plain data for JSON."""

from math import isfinite
from typing import Any

from limpet.strategies.icm.all_ins import AllIns, all_ins
from limpet.strategies.icm.equities import equities

MOST_IN_PAIRS = 30
"""Most players for whom every pair's all-in is worked out: 870 stack vectors then take seconds to integrate."""


def worked_out(stacks: tuple[float, ...], payouts: tuple[float, ...]) -> tuple[list[float], AllIns | None]:
    """Return each player's equity, and the all-ins unless there are more than `MOST_IN_PAIRS` players. Raises `ValueError`."""
    result = all_ins(stacks, payouts) if len(stacks) <= MOST_IN_PAIRS else None
    return (equities(stacks, payouts) if result is None else result.equity).tolist(), result


def icm_data(
    stacks: tuple[float, ...], payouts: tuple[float, ...], worth: list[float], result: AllIns | None
) -> dict[str, Any]:
    """Return the answer as JSON has it: lists ``[player]`` and ``[player][opponent]``, null where there is no number."""
    pairs = {}
    if result:
        pairs = {
            "equity_if_won": result.wins,
            "equity_if_lost": result.loses,
            "bubble_factor": result.bubble_factors,
            "break_even": result.break_even,
        }
    return {
        "stacks": list(stacks),
        "payouts": list(payouts),
        "share": [stack / sum(stacks) for stack in stacks],
        "equity": worth,
        **{
            name: [[number if isfinite(number) else None for number in row] for row in values.tolist()]
            for name, values in pairs.items()
        },
    }
