"""A tournament's match by full ranges: from the turn on, all hands of one bot play all hands of the other."""

from collections.abc import Callable
from itertools import islice
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.configs.loading import mistakes
from limpet.dealer.matches.match import begin_folder
from limpet.dealer.matches.matchconfig import Match
from limpet.strategies.botconfig import Bot
from limpet.strategies.measures.duels.full_ranges import build_without_clock, range_sets
from limpet.strategies.storage.measure_file import MeasureFile

LINES_FILE = "ranges.jsonl"
TURN = 2
RIVERS = 4
"""Number of river cards dealt after each turn."""
HANDS = 2
"""Number of hands of a duplicate set."""


class RangeTerms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Terms that must be the same for a match to go on; the first line of its file."""

    game: str
    bots: tuple[str, ...]
    """Fingerprints of the bots."""
    seed: int
    rivers: int


class PlayedSet(msgspec.Struct, frozen=True):
    """One duplicate set; a line of the match's file."""

    won: tuple[float, float]
    """Big blinds that the first bot won, by its position."""


def play_ranges(match: Match, folder: Path, report: Callable[[int], None]) -> NDArray[np.float64]:
    """Play the duplicate sets of a match, or those that `folder` does not hold yet.

    Solves of bots that think end by iterations and target; their clocks are not looked at. `report` is called with the
    number of hands played.

    Returns chips a hand, float64 ``[player, set]``.

    Raises `ConfigError` for players that cannot play so, and for a folder that holds a match of other terms.
    """
    bots = [player for player in match.players if isinstance(player, Bot)]
    with mistakes():
        first, second = strategies = [build_without_clock(bot) for bot in bots]
    fingerprints = tuple(bot.fingerprint() for bot in bots)
    kept = MeasureFile(folder / LINES_FILE, RangeTerms(str(match.game), fingerprints, match.seed, RIVERS), PlayedSet)
    begin_folder(folder, match, {"in_process": "full-ranges", "bots": list(fingerprints)})
    if len(kept.found) < match.hands:
        for strategy in strategies:
            strategy.warm_up()
    sets = range_sets(first, second, TURN, match.seed, RIVERS, skip=len(kept.found))
    for played in islice(sets, match.hands - len(kept.found)):
        kept.add(PlayedSet(played.won))
        report(HANDS * len(kept.found))
    won = np.array([sum(played.won) / HANDS for played in kept.found[: match.hands]]) * match.game.big_blind
    return np.stack([won, -won])
