"""Which players the compiled match engine can seat."""

from limpet.strategies.engine.match_seat import BlindSeat, EngineSeat, FileSeat
from limpet.strategies.players.blueprint import Blueprint
from limpet.strategies.players.simple import Call, Fold, Raise
from limpet.strategies.strategy import Strategy


def engine_seats(strategy: Strategy) -> tuple[EngineSeat, ...]:
    """A seat for each position. Raises `ValueError` for a strategy that is no table."""
    players = strategy.game.num_players
    if isinstance(strategy, Blueprint):
        return tuple(FileSeat(seat) for seat in strategy.seats)
    if isinstance(strategy, Call | Fold | Raise):
        size = strategy.size if isinstance(strategy, Raise) else None
        return (BlindSeat((type(strategy).__name__, size), strategy),) * players
    raise ValueError(
        f"player {type(strategy).__name__.lower()} works its answers out while it plays; "
        "the compiled engine seats tables: blueprint, call, fold and raise"
    )
