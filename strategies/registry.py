"""Players by name, ours and those that other packages register under the entry point group ``limpet.players``."""

from functools import cache
from importlib.metadata import EntryPoints, entry_points

from limpet.strategies.strategy import Strategy

GROUP = "limpet.players"


_OWN: dict[str, type[Strategy]] = {}
"""Players that this process has registered, by name."""


def register(name: str, player: type[Strategy]) -> None:
    """Let configs of this process name a player of your own, without an entry point: in a notebook or a test.

    Processes that a match over TCP starts do not know it. Raises `ValueError` for the name of another player.
    """
    if _OWN.get(name, player) is not player or name in {entry.name for entry in _registered()}:
        raise ValueError(f"player {name!r} is there already; give yours another name")
    _OWN[name] = player


@cache
def _registered() -> EntryPoints:
    """Return the registered players, read once, because it takes a look at every installed distribution."""
    return entry_points(group=GROUP)


def player_names() -> list[str]:
    """Return all registered names, sorted."""
    return sorted({entry.name for entry in _registered()} | set(_OWN))


def player_type(name: str) -> type[Strategy]:
    """Return the strategy class that a config's ``player`` names. Raises `ValueError` for an unknown or broken one."""
    if name in _OWN:
        return _OWN[name]
    for entry in _registered().select(name=name):
        loaded = entry.load()
        if isinstance(loaded, type) and issubclass(loaded, Strategy):
            return loaded
        raise ValueError(f"player {name!r}: the entry point {entry.value} is not a subclass of Strategy")
    raise ValueError(f"player {name!r} is not registered; known players: {', '.join(player_names())}")
