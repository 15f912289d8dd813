"""Guess which game a dealer plays, from a state that does not fit the bot's own game."""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from limpet.configs.loading import load_game, shipped_names
from limpet.protocol.chip_sums import MAX_CHIPS
from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import parse_match_state

OWN = "the bot's game"


def look_alikes(line: str, game: GameDef) -> tuple[str, ...]:
    """Return the games that `line` may be a state of: games that ship, or else these and the bot's own with other stacks.

    The result is empty where the line fits none of them.
    """
    ships = _shipped()
    if names := tuple(name for name, shipped in ships.items() if _reads(line, shipped)):
        return names
    sizes = [int(size) for size in re.findall(r"r([1-9][0-9]{0,9})", line)]
    if not sizes:
        return ()
    largest = max(sizes)
    with_stacks = []
    for name, other in {OWN: game, **ships}.items():
        if other.no_limit and (name == OWN or other != game):
            if _reads(line, _with_stacks(other, MAX_CHIPS)):
                with_stacks.append(f"{name} with stacks of {largest} or more")
            elif largest > other.big_blind and _reads(line, _with_stacks(other, largest)):
                with_stacks.append(f"{name} with stacks of {largest}")
    return tuple(with_stacks)


def _with_stacks(game: GameDef, chips: int) -> GameDef:
    return replace(game, stack=(chips,) * game.num_players)


@cache
def _shipped() -> Mapping[str, GameDef]:
    return {name: load_game(name) for name in shipped_names("games")}


def _reads(line: str, game: GameDef) -> bool:
    try:
        parse_match_state(line, game)
    except ProtocolError:
        return False
    return True
