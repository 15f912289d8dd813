"""The players that the compiled match engine can seat."""

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import State
from limpet.strategies.blueprint.seat import NO_ROW, Part, Plan, Seat
from limpet.strategies.blueprint.walk import START, Branch, Places
from limpet.strategies.players.blueprint import Blueprint
from limpet.strategies.players.simple import Call, CardBlind, Fold, Raise
from limpet.strategies.strategy import Strategy


class BlindSeat:
    """A player whose answers depend on the betting alone, neither on cards nor on coins."""

    file = None

    def __init__(self, player: CardBlind) -> None:
        self._player = player

    @property
    def key(self) -> tuple[object, ...]:
        return type(self._player).__name__, getattr(self._player, "size", None)

    def plan(self, places: Places, state: State) -> Plan:
        rows = self._player.rows(state)
        shares = rows.probabilities[:, 0].tolist()
        return Plan(rows.actions, tuple(Part(NO_ROW, (at,), share) for at, share in enumerate(shares)))

    def follow(self, places: Places, state: State, after: State) -> list[Branch]:
        return [Branch(1.0, START)]

    def marked_table(self) -> NDArray[np.float32]:
        return np.empty(0, np.float32)


EngineSeat = Seat | BlindSeat
"""A seat of the match engine. Seats of equal keys play equally and walk their trees equally."""


def engine_seats(strategy: Strategy) -> tuple[EngineSeat, ...]:
    """Return a seat for each position. Raises `ValueError` for a strategy that is no table."""
    if isinstance(strategy, Blueprint):
        return strategy.seats
    if isinstance(strategy, Call | Fold | Raise):
        return (BlindSeat(strategy),) * strategy.game.num_players
    raise ValueError(
        f"player {type(strategy).__name__.lower()} works its answers out while it plays; "
        "the compiled engine seats tables: blueprint, call, fold and raise"
    )
