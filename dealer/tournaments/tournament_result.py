"""What a tournament came to, as data: ``results.json``."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from limpet.dealer.matches.faults import Fault
from limpet.dealer.matches.matchconfig import External
from limpet.dealer.matches.seatings import Design
from limpet.dealer.table.files import replace_text
from limpet.dealer.tournaments.tournament import TableRecord
from limpet.dealer.tournaments.tournament_config import Tournament
from limpet.dealer.tournaments.tournament_standings import (
    Played,
    bankrolls,
    places,
    run_off,
    run_off_places,
    series,
    total,
)
from limpet.strategies.statistics.estimate import Estimate

Interval = tuple[float | None, float | None]


class Rate(msgspec.Struct, frozen=True):
    """A win rate in mbb/g, and what it is made of."""

    mbb_per_game: float
    half_width: float | None
    """Half the 95 % interval; null where one set leaves it open."""
    chips: float
    """Won over all hands."""
    hands: int


class Standing(msgspec.Struct, frozen=True):
    """One bot. Places are null for one that is disqualified."""

    name: str
    bot: str
    result: Rate | None
    """Over all its tables that count."""
    bankroll_place: int | None
    run_off_place: int | None
    series_points: float | None
    """+1 for each opponent beaten, -1 for each lost to; null at tables of more than two."""
    series_place: int | None
    """Of the instant run-off by points."""
    disqualified: bool
    """A match failed by its fault: its tables do not count."""


class RunOffRound(msgspec.Struct, frozen=True):
    """A round of the bankroll instant run-off."""

    mbb_per_game: dict[str, float]
    """Of those still in, at tables of their own."""
    dropped: tuple[str, ...]


class TableResult(msgspec.Struct, frozen=True):
    """One table."""

    players: tuple[str, ...]
    results: tuple[Rate, ...]
    """By player; empty if nothing has been played to its end."""
    matches: int
    """That count."""
    sets: int
    verdict: str | None
    """Of the sequential test, for the first player: win, loss or even."""
    verdict_sets: int | None
    """After how many sets it was certain."""
    folder: str
    failure: str | None
    fault: Fault | None


class TournamentResult(msgspec.Struct, frozen=True):
    """``results.json``. The same for the same seeds, however it was played and how often it was resumed."""

    tournament: str
    game: str
    big_blind: int
    table_size: int
    how: str
    seed: int
    hands: int
    """Duplicate sets of a match."""
    matches: int
    """Of a table, at most."""
    seatings: int
    stop: dict[str, float] | None
    complete: bool
    """Every table was played to its end, or decided."""
    standings: tuple[Standing, ...]
    """Best total bankroll first, then those that are disqualified."""
    run_off: tuple[RunOffRound, ...]
    crosstable: dict[str, dict[str, Rate]]
    """Of each bot against each other, over the tables where both sat."""
    tables: tuple[TableResult, ...]
    design: Design | None = None
    """Of the seatings; null where the cards were played once, and in results of versions that had one design."""

    def plain(self) -> dict[str, Any]:
        return dict(msgspec.to_builtins(self))

    def write(self, path: Path) -> None:
        """Write as indented JSON."""
        replace_text(path, json.dumps(self.plain(), indent=2) + "\n")


def result(tournament: Tournament, records: Sequence[TableRecord]) -> TournamentResult:
    """Sum up what `records` hold."""
    config, names = tournament.config, tournament.names
    mbb = 1000.0 / tournament.game.big_blind
    played = [
        Played(record.players, record.sets * mbb, tournament.deals(record.players, record.sets.shape[1]))
        for record in records
    ]
    blamed = {record.fault.player for record in records if record.fault is not None}
    fit = [player for player, name in enumerate(names) if name not in blamed]
    counting = [table for table in played if set(table.players) <= set(fit)]

    def rate(player: int, tables: Sequence[Played], against: int | None = None) -> Rate | None:
        found = total(tables, player, against)
        if found is None:
            return None
        inside = [table for table in tables if {player, player if against is None else against} <= set(table.players)]
        won = sum(float(table.mbb[table.players.index(player)].sum()) for table in inside) / mbb
        sets = sum(table.mbb.shape[1] for table in inside)
        return _rate(found, won * tournament.seatings, sets * tournament.seatings)

    size = tournament.game.num_players
    rates = bankrolls(counting, fit)
    rounds = run_off(counting, fit, size)
    points = series(counting, fit) if size == 2 else {}
    place, off_place = places(rates), run_off_places(rounds)
    series_place = run_off_places(run_off(counting, fit, size, series)) if size == 2 else {}
    order = sorted(fit, key=lambda player: (place[player], off_place[player], player))
    order += [player for player in range(len(names)) if player not in fit]
    standings = tuple(
        Standing(
            name=names[player],
            bot=_bot(tournament, player),
            result=rate(player, counting if player in fit else played),
            bankroll_place=place.get(player),
            run_off_place=off_place.get(player),
            series_points=points.get(player),
            series_place=series_place.get(player),
            disqualified=player not in fit,
        )
        for player in order
    )
    cross: dict[str, dict[str, Rate]] = {}
    for row in order:
        cells = {column: rate(row, played, column) for column in order if column != row}
        cross[names[row]] = {names[column]: cell for column, cell in cells.items() if cell is not None}
    return TournamentResult(
        tournament=config.name,
        game=str(tournament.game),
        big_blind=tournament.game.big_blind,
        table_size=size,
        how=config.how,
        seed=config.seed,
        hands=config.hands,
        matches=config.matches,
        seatings=tournament.seatings,
        design=tournament.design,
        stop=msgspec.to_builtins(config.stop) if config.stop is not None else None,
        complete=all(record.decision is not None or record.counted == config.matches for record in records),
        standings=standings,
        run_off=tuple(
            RunOffRound(
                {names[player]: value for player, value in sorted(round.rates.items(), key=lambda item: -item[1])},
                tuple(names[player] for player in round.dropped),
            )
            for round in rounds
        ),
        crosstable=cross,
        tables=tuple(
            TableResult(
                players=tuple(names[player] for player in record.players),
                results=tuple(found for player in record.players if (found := rate(player, [table])) is not None),
                matches=record.counted,
                sets=table.mbb.shape[1],
                verdict=record.decision.verdict if record.decision else None,
                verdict_sets=record.decision.sets if record.decision else None,
                folder=tournament.folder_name(record.players),
                failure=record.failure,
                fault=record.fault,
            )
            for record, table in zip(records, played, strict=True)
        ),
    )


def _rate(found: Estimate, chips: float, hands: int) -> Rate:
    half = found.half_width if np.isfinite(found.half_width) else None
    return Rate(found.mean, half, round(chips, 6), hands)


def _bot(tournament: Tournament, player: int) -> str:
    who = tournament.players[player]
    return f"exec:{' '.join(who.command)}" if isinstance(who, External) else str(who.path)
