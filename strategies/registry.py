"""Players by name, ours and those that other packages register under the entry point group ``limpet.players``."""

from functools import cache
from importlib.metadata import EntryPoints, entry_points

from limpet.strategies.strategy import Strategy

GROUP = "limpet.players"


@cache
def _registered() -> EntryPoints:
    """Return the registered players, read once, because it takes a look at every installed distribution."""
    return entry_points(group=GROUP)


def player_names() -> list[str]:
    """Return all registered names, sorted."""
    return sorted({entry.name for entry in _registered()})


def player_type(name: str) -> type[Strategy]:
    """Return the strategy class that a config's ``player`` names. Raises `ValueError` for an unknown or broken one."""
    for entry in _registered().select(name=name):
        loaded = entry.load()
        if isinstance(loaded, type) and issubclass(loaded, Strategy):
            return loaded
        raise ValueError(f"player {name!r}: the entry point {entry.value} is not a subclass of Strategy")
    raise ValueError(f"player {name!r} is not registered; known players: {', '.join(player_names())}")
