"""Limpet's tables as environments for learners: `TableEnv` of PettingZoo, `SeatEnv` of Gymnasium. Needs the extra ``gym``.

``gymnasium.make("limpet.environments:limpet/Seat-v0")`` makes a `SeatEnv` by its name.
"""

try:
    from limpet.dealer.matches.environments import SeatEnv, TableEnv
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"{error}; environments need more: pip install gymnasium pettingzoo", name=error.name
    ) from error

__all__ = ["SeatEnv", "TableEnv"]
