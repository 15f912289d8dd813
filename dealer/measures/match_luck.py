"""A known player's logs with the luck taken out, in four ways side by side."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.common.statistics import bootstrap_interval, bootstrap_sd_ratio, deals_for_width, estimate
from limpet.configs.loading import ConfigError, load_game, shipped_names
from limpet.dealer.matches.match_result import MatchResult, whole_logs
from limpet.dealer.reports.log_sums import ConsecutiveHands, deal_means, number_deals
from limpet.protocol.archives.acpc import LogStream
from limpet.protocol.archives.hands import open_hands
from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord
from limpet.strategies.base.botconfig import Bot
from limpet.strategies.base.records import Recomputed, RowsSource
from limpet.strategies.holdem.luck.aivat import Corrected, aivat_of_both, all_in_equity, check_holes, check_rows
from limpet.strategies.subjects import Values, luck_free, range_values

ESTIMATORS = ("raw", "all-in equity", "cards only", "AIVAT")
FIRST_LESSON = 32
"""Number of deals after which a value function first learns from those before."""
TARGET = 50.0
"""Half width in mbb/g of the interval for which the number of deals is reported."""
PARTS = ("outcome", "deal", "board", "own actions", "others' actions")


class LoggedHand(NamedTuple):
    """A hand of a log, with the log and line where it stood."""

    record: HandRecord
    where: str


class HandLuck(msgspec.Struct, frozen=True):
    """Results in mbb/g of the hand at a log's line, and the `PARTS` that add up to the last of the estimators."""

    where: str
    estimators: dict[str, float]
    """Result by each of `ESTIMATORS`; without AIVAT where only the cards' luck is taken out."""
    parts: dict[str, float]


class DealLuck(msgspec.Struct, frozen=True):
    """All hands of one deal, one for each seating that it was played in. `deal` counts from 0, in the logs' order."""

    deal: int
    hands: tuple[HandLuck, ...]


class MatchLuck(NamedTuple):
    """Results of all hands in mbb/g.

    Attributes:
        values: float64 ``[hand, estimator]``, columns as in `estimators`.
        parts: float64 ``[hand, part]``, columns as in `PARTS`, which add up to the last of the estimators.
        deals: int64 ``[hand]``: number of the hand's deal.
    """

    values: NDArray[np.float64]
    parts: NDArray[np.float64]
    deals: NDArray[np.int64]
    estimators: tuple[str, ...] = ESTIMATORS

    def samples(self, estimator: str) -> NDArray[np.float64]:
        """Return the independent samples: means over the seatings of each deal, in mbb/g."""
        return deal_means(self.deals, self.values[:, self.estimators.index(estimator)])


def read_hands(logs: Sequence[Path], game: GameDef, most: int | None) -> tuple[list[LoggedHand], NDArray[np.int64]]:
    """Return the first `most` hands of each log (all if None), and the number of each hand's deal.

    Raises `ProtocolError` for a file that cannot be read and for a hand that is none of `game`.
    """
    hands: list[LoggedHand] = []
    runs: list[ConsecutiveHands] = []
    for path in logs:
        file, run = open_hands(path, game), None
        for line, record in islice(file.hands(), most):
            where = f"{path}:{line.number}"
            if record.state.game != game:
                raise ProtocolError(
                    f"{where}: hand {record.hand} is of another game: {_difference(record.state.game, game)}; luck is "
                    "measured in hands of one game, so leave the others out"
                )
            if record.runs:
                raise ProtocolError(
                    f"{where}: hand {record.hand} was run {len(record.boards)} times; luck is measured in hands with "
                    "one board, so leave the others out"
                )
            if run is None or not run.follows(record.hand):
                run = ConsecutiveHands(file.header.seed if file.header else None)
                runs.append(run)
            run.add(record.hand, record.holes, record.names)
            hands.append(LoggedHand(record, where))
    return hands, number_deals(runs)


def _difference(other: GameDef, game: GameDef) -> str:
    """Return what differs between two games, as a clause."""
    for name, field in (("players", "num_players"), ("stacks", "stack"), ("blinds", "blind")):
        if getattr(other, field) != getattr(game, field):
            return f"{name} {getattr(other, field)}, not {getattr(game, field)}"
    return "other rules"


def require_game(logs: Sequence[Path], bot: Bot) -> None:
    """Raise `ConfigError` for a log whose header names another game than the bot's config."""
    for path in logs:
        stream = LogStream(path)
        try:
            next(iter(stream), None)
            game = stream.game
        except ProtocolError:
            continue  # without a header that names one, the log is read by the bot's game
        if game != bot.game:
            shipped = (name for name in shipped_names("games") if load_game(name) == game)
            name = next(shipped, None) or path.parent / (stream.header.game if stream.header else "")
            raise ConfigError(
                f"{path}: the log is of {name}, and {bot.name} plays {bot.config.game}; name the bot that played, or have it play "
                f"the log's game by --game {name}"
            )


def position_in(hand: LoggedHand, player: str) -> int:
    """Return the player's position. Raises `ProtocolError` naming the line, for a hand without the player or the cards."""
    record, where = hand
    if player not in record.names:
        names = ", ".join(record.names)
        raise ProtocolError(f"{where}: {player} did not play; those who did: {names}; name one of them")
    try:
        check_holes(record)
    except ValueError as error:
        raise ProtocolError(f"{where}: {error}") from error
    return record.names.index(player)


def rows_by_position(record: HandRecord, sources: Mapping[str, RowsSource]) -> dict[int, RowsSource]:
    """Return the rows of the known players of a hand by their positions."""
    return {position: sources[name] for position, name in enumerate(record.names) if name in sources}


def check_played(hands: Iterable[LoggedHand], sources: Mapping[str, RowsSource]) -> None:
    """Raise `ProtocolError` naming the line of the first hand that a known player's rows do not go with."""
    for record, where in hands:
        try:
            check_rows(record, rows_by_position(record, sources))
        except ValueError as error:
            raise ProtocolError(f"{where}: {error}") from error


class DealEvaluator:
    """Evaluates the hands of one player deal by deal, with a value function that may learn on the way."""

    def __init__(
        self,
        hands: Sequence[LoggedHand],
        deals: NDArray[np.int64],
        player: str,
        values: Values,
        sources: Mapping[str, RowsSource],
        learning: bool = True,
    ) -> None:
        """Give the number of each hand's deal in `deals`, and the rows of known players by name in `sources`.

        The rows of `player` must be there for AIVAT. With those of both of two players all pairs of hands share in the
        result (`aivat_of_both`). Without any rows only the luck of the cards is taken out.

        With `learning` the value function learns from the deals before: after `FIRST_LESSON` of them, and then whenever
        there are twice as many. Deals of several seatings are learned from with all their hands.
        """
        self.player = player
        self.estimators = ESTIMATORS if sources else ESTIMATORS[:-1]
        self._hands = hands
        self._values = values
        self._sources = sources
        opponents = [rows.strategy for name, rows in sources.items() if name != player and isinstance(rows, Recomputed)]
        self._range_values = range_values(values, *opponents) if len(sources) == 2 else None
        self._lesson = FIRST_LESSON if learning else None
        self._learned = 0
        self._deals = deals
        self._by_deal: list[list[int]] = [[] for _ in range(deals.max(initial=-1) + 1)]
        for number, deal in enumerate(deals.tolist()):
            self._by_deal[deal].append(number)

    @property
    def num_deals(self) -> int:
        return len(self._by_deal)

    def evaluate(self, deal: int) -> DealLuck:
        """Evaluate a deal, counted from 0. Deals must come in rising order: a value function forgets nothing.

        Raises `ProtocolError` naming the line, for a hand without the player or its cards, or played by other rows.
        """
        while self._lesson is not None and deal >= self._lesson:
            self._values.learn([self._position(number) for number in self._numbers(self._learned, self._lesson)])
            self._learned, self._lesson = self._lesson, 2 * self._lesson
        return DealLuck(deal, tuple(self._hand(number) for number in self._numbers(deal, deal + 1)))

    def result(self, deals: Iterable[DealLuck]) -> MatchLuck:
        """Gather all evaluated deals, which may come in any order."""
        values, parts = np.empty((len(self._hands), len(self.estimators))), np.empty((len(self._hands), len(PARTS)))
        for deal in deals:
            for number, hand in zip(self._numbers(deal.deal, deal.deal + 1), deal.hands, strict=True):
                values[number] = [hand.estimators[name] for name in self.estimators]
                parts[number] = [hand.parts[name] for name in PARTS]
        return MatchLuck(values, parts, self._deals, self.estimators)

    def _numbers(self, first: int, end: int) -> list[int]:
        """Return the numbers of the hands of the deals from `first` up to `end`, exclusive."""
        return [number for deal in self._by_deal[first:end] for number in deal]

    def _position(self, number: int) -> tuple[HandRecord, int]:
        """Return a hand and the player's position in it."""
        hand = self._hands[number]
        return hand.record, position_in(hand, self.player)

    def _hand(self, number: int) -> HandLuck:
        record, position = self._position(number)
        where = self._hands[number].where
        try:
            cards = self._corrected(record, position, {})
            full = (
                self._corrected(record, position, rows_by_position(record, self._sources)) if self._sources else cards
            )
            results = record.values[position], all_in_equity(record, position), cards.value, full.value
        except ValueError as error:
            raise ProtocolError(f"{where}: {error}") from error
        parts = full.outcome, full.deal, sum(full.cards), sum(full.own), sum(full.others)
        scale = 1000 / self._values.game.big_blind
        return HandLuck(
            where,
            {name: scale * value for name, value in zip(self.estimators, results, strict=False)},
            {name: scale * value for name, value in zip(PARTS, parts, strict=True)},
        )

    def _corrected(self, record: HandRecord, position: int, rows: Mapping[int, RowsSource]) -> Corrected:
        """Return a hand's result by AIVAT with the rows of the known positions: over all pairs of hands where both are known.

        Without any rows only the luck of the cards is taken out.
        """
        if self._range_values is not None and len(rows) == len(record.names):
            return aivat_of_both(record, position, self._range_values, rows)
        return luck_free(record, position, self._values, rows)


def logs_of(paths: Iterable[Path]) -> list[Path]:
    """Return log files, and those in each folder of a match.

    Raises `ProtocolError` for a folder without any, and as `whole_logs` does for one that lacks hands of its result.
    """
    logs: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(path.glob("seating-*.log"))
            if not inside:
                raise ProtocolError(f"{path}: no seating-*.log here; name the folder of a match, or a log file")
            if (result := MatchResult.held(path)) is not None:
                whole_logs(path, result)
            logs += inside
        else:
            logs.append(path)
    return logs


def luck_summary(luck: MatchLuck, seed: int) -> dict[str, Any]:
    """Return means, intervals and spreads of all estimators, in mbb/g, as plain data. `seed`: of the bootstrap."""
    chips = luck.samples("raw")
    raw = estimate(chips)
    rows: list[dict[str, Any]] = []
    for name in luck.estimators:
        samples = luck.samples(name)
        corrected = estimate(samples)
        open_ended = corrected.samples < 2
        rows.append(
            {
                "estimator": name,
                "mbb_per_game": corrected.mean,
                "interval_95": None if open_ended else list(corrected.interval),
                "bootstrap_95": None if open_ended else list(bootstrap_interval(samples, seed)),
                "sd": None if open_ended else corrected.sd,
                "sd_of_raw": corrected.sd / raw.sd if raw.sd else None,
                "sd_of_raw_95": None if open_ended or not raw.sd else bootstrap_sd_ratio(samples, chips, seed),
                "deals_for_50_mbb": None if open_ended else deals_for_width(corrected.sd, TARGET),
            }
        )
    spread = {name: float(column.std()) for name, column in zip(PARTS, luck.parts.T, strict=True)}
    parted = luck.estimators[-1].lower().replace(" ", "_")
    return {"deals": raw.samples, "estimators": rows, f"sd_of_parts_of_{parted}": spread}


def spread_texts(row: dict[str, Any]) -> tuple[str, str, str]:
    """Return as tables show them an estimator's standard deviation in big blinds, its share of the raw one, and the deals for ±50 mbb/g."""
    of_raw = "-" if row["sd_of_raw"] is None else f"{row['sd_of_raw']:.1%}"
    return (
        ("-", of_raw, "-")
        if row["sd"] is None
        else (f"{row['sd'] / 1000:,.2f}", of_raw, f"{row['deals_for_50_mbb']:,}")
    )
