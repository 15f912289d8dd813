"""The players that the compiled match engine can seat."""

from limpet.strategies.blueprint.seat import Passive, Seated
from limpet.strategies.players.blueprint import Blueprint
from limpet.strategies.players.simple import Call, Fold, Raise
from limpet.strategies.strategy import Strategy


def engine_seats(strategy: Strategy) -> tuple[Seated, ...]:
    """Return a seat for each position. Raises `ValueError` for a strategy that is no table, and for rules that tables lack."""
    if strategy.game.num_draws or strategy.game.hole_cards_used:
        raise ValueError("compiled matches have no draws, and take all hole cards into account")
    if isinstance(strategy, Blueprint):
        return strategy.seats
    if isinstance(strategy, Call | Fold | Raise):
        kind = f"{type(strategy).__name__} {getattr(strategy, 'size', '')}"
        return (Passive(kind, lambda state: strategy.rows(state).actions[0]),) * strategy.game.num_players
    raise ValueError(
        f"player {type(strategy).__name__.lower()} works its answers out while it plays; "
        "the compiled engine seats tables: blueprint, call, fold and raise"
    )
