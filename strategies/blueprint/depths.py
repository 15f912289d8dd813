"""Strategies for stacks other than those they were trained for."""

from collections.abc import Sequence
from typing import Annotated

import msgspec

from limpet.protocol.gamedef import GameDef


class Depth(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"least": "from", "most": "to"}):
    """A range of stacks in big blinds, the shorter of uneven ones, with the strategy that plays it.

    Its bets are read and made as fractions of the pot, and all-in is all-in. The nearer the stacks are to those of its
    training, the better it plays. A list names one strategy for each position.
    """

    least: Annotated[float, msgspec.Meta(gt=0)]
    most: Annotated[float, msgspec.Meta(gt=0)]
    strategy: str | tuple[str, ...]


Depths = Sequence[Depth]


def named_for(game: GameDef, depths: Depths) -> tuple[str, ...]:
    """Return the strategies of the first range with a game's stacks. Raises `ValueError` if there is none."""
    shorter = min(game.stack) / game.big_blind
    for depth in depths:
        if depth.least <= shorter <= depth.most:
            return (depth.strategy,) if isinstance(depth.strategy, str) else depth.strategy
    known = ", ".join(f"{depth.least:g} to {depth.most:g}" for depth in depths)
    raise ValueError(
        f"stacks of {shorter:g} big blinds are in none of the 'depths' ({known}); add a range with the strategy that is to "
        "play them"
    )
