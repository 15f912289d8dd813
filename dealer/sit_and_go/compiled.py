"""Tournaments in compiled code, for players who only fold, call and move all in: the same hands as in `inprocess`."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from limpet.dealer.sit_and_go.journal import HandLine
from limpet.dealer.sit_and_go.rules import Standing
from limpet.dealer.sit_and_go.sit_and_go import SitAndGo
from limpet.dealer.sit_and_go.sng_kernels import CALL, FOLD, JAM, play_tournament
from limpet.dealer.sit_and_go.structure import Structure
from limpet.protocol.cards import deck
from limpet.strategies.cards.isomorphism import NUM_CLASSES, preflop_class
from limpet.strategies.entrant import Entrant
from limpet.strategies.players.jam import Jam, in_range
from limpet.strategies.players.simple import Call, Fold, Raise
from limpet.strategies.strategy import Strategy

DECK = np.array(deck(4, 13), np.int8)
"""``int8 [52]``: the whole deck, in the order in which a dealer takes it up."""
_CLASSES = np.array([[preflop_class(a, b) if a != b else 0 for b in range(52)] for a in range(52)], np.uint8)


def action_table(player: type[Strategy], options: Strategy.Options) -> NDArray[np.int8] | None:
    """Return ``int8 [2, 169]``: a player's action by starting hand class before and after a raise; None if it has others."""
    table = np.empty((2, NUM_CLASSES), np.int8)
    if player is Jam and isinstance(options, Jam.Options):
        table[0] = np.where(in_range(options.jam), JAM, FOLD)
        table[1] = np.where(in_range(options.call), CALL, FOLD)
        return table
    if player is Raise and isinstance(options, Raise.Options) and options.size == "max":
        return np.full_like(table, JAM)
    if player in (Call, Fold):
        return np.full_like(table, CALL if player is Call else FOLD)
    return None


def level_table(structure: Structure, chips: int) -> NDArray[np.int64]:
    """Return ``int64 [level, 4]``: hands, small blind, big blind and ante of each level, with those that double at the end."""
    rows = [(level.hands, level.small_blind, level.big_blind, level.ante) for level in structure.levels]
    hand, last = sum(row[0] for row in rows), rows[-1][0]
    while True:
        blinds = structure.blinds(hand, chips)
        if blinds[1:] == rows[-1][1:]:
            return np.array(rows, np.int64)
        rows.append((last, *blinds[1:]))
        hand += last


class CompiledTournaments:
    """Plays whole tournaments of players with action tables, given by player ``int8 [player, 2, 169]``."""

    def __init__(self, sng: SitAndGo, tables: NDArray[np.int8]) -> None:
        self._sng = sng
        self._tables = tables
        self._levels = level_table(sng.structure, sng.structure.start_stack * len(sng.players))
        self._orders = [np.array(order, np.int64) for order in sng.seatings]

    @staticmethod
    def of(sng: SitAndGo, bots: Sequence[Entrant]) -> "CompiledTournaments | None":
        """Return tournaments of these bots, None where one of them has other actions than fold, call and all-in."""
        tables = [action_table(bot.player, bot.options) for bot in bots]
        compiled = [table for table in tables if table is not None]
        return CompiledTournaments(sng, np.array(compiled)) if len(compiled) == len(bots) else None

    def play(self, number: int, seating: int) -> HandLine:
        """Play a tournament, and return the line of its last hand."""
        structure, players = self._sng.structure, len(self._sng.players)
        after = self.finish(number, self._orders[seating], (structure.start_stack,) * players)
        return HandLine.of(number, seating, structure.blinds(after.hand - 1, sum(after.stacks)).level, after)

    def finish(self, number: int, order: NDArray[np.int64], start: Sequence[int]) -> Standing:
        """Play a tournament to its end from `start`, the chips per seat. `order` is ``int64 [seat]``: player at each seat."""
        stacks, gone = np.array(start, np.int64), np.empty((len(start), 2), np.int64)
        hands, big = play_tournament(
            self._sng.seed, number, self._tables, order, stacks, self._levels, _CLASSES, DECK, gone
        )
        groups: dict[tuple[int, int], list[int]] = {}
        for seat, (hand, chips) in enumerate(gone.tolist()):
            if hand >= 0:
                groups.setdefault((hand, chips), []).append(seat)
        return Standing(hands, tuple(stacks.tolist()), big, tuple(tuple(groups[key]) for key in sorted(groups)))
