"""What a known player's logs say with the luck taken out, four ways side by side."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.configs.loading import ConfigError, load_game, shipped_names
from limpet.dealer.logs.log_deals import Run, deal_means, number_deals
from limpet.dealer.logs.log_stream import LogStream
from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord
from limpet.strategies.botconfig import Bot
from limpet.strategies.evaluation.aivat import CARDS_ONLY, aivat, all_in_equity
from limpet.strategies.evaluation.rows_source import RowsSource
from limpet.strategies.evaluation.value_function import ValueFunction

ESTIMATORS = ("raw", "all-in equity", "cards only", "AIVAT")
FIRST_LESSON = 32
"""Deals after which a guess first learns from those before."""
PARTS = ("outcome", "deal", "board", "own actions", "others' actions")


class LoggedHand(NamedTuple):
    """A hand of a log, with where it stood."""

    record: HandRecord
    where: str


class MatchLuck(NamedTuple):
    """What was found.

    values: float64 ``[hand, estimator]`` in mbb/g, columns as in `ESTIMATORS`. parts: float64 ``[hand, part]`` that add
    up to AIVAT, columns as in `PARTS`. deals: int64 ``[hand]``: hands of the same number are the same deal.
    """

    values: NDArray[np.float64]
    parts: NDArray[np.float64]
    deals: NDArray[np.int64]

    def samples(self, estimator: str) -> NDArray[np.float64]:
        """The independent samples: means over the seatings of each deal, in mbb/g."""
        return deal_means(self.deals, self.values[:, ESTIMATORS.index(estimator)])


def read_hands(logs: Sequence[Path], game: GameDef, most: int | None) -> tuple[list[LoggedHand], NDArray[np.int64]]:
    """The first `most` hands of each log (all if None), and the number of each hand's deal.

    Raises `ProtocolError` for a file that cannot be read or a line that is no hand of `game`.
    """
    hands: list[LoggedHand] = []
    runs: list[Run] = []
    known: dict[tuple[str, ...], int] = {}
    orders: list[int] = []
    for path in logs:
        stream = LogStream(path, game)
        run: Run | None = None
        for line, record in islice(stream.hands(), most):
            if run is None or not run.follows(record.hand):
                run = Run(stream.header.seed if stream.header else None, len(hands))
                runs.append(run)
            run.add(record.hand, record.holes)
            orders.append(known.setdefault(record.names, len(known)))
            hands.append(LoggedHand(record, f"{path}:{line.number}"))
    return hands, number_deals(runs, np.array(orders, np.int32))


def require_game(logs: Sequence[Path], bot: Bot) -> None:
    """Raises `ConfigError` for a log whose header names another game than the bot's config."""
    for path in logs:
        stream = LogStream(path)
        try:
            next(iter(stream), None)
            game = stream.game
        except ProtocolError:
            continue  # it does not say: the bot's game is all there is to read it by
        if game != bot.game:
            shipped = (name for name in shipped_names("games") if load_game(name) == game)
            name = next(shipped, None) or path.parent / (stream.header.game if stream.header else "")
            raise ConfigError(
                f"{path}: the log is of {name}, and {bot.name} plays {bot.config.game}; name the bot that played, or the "
                f"log's game with --game {name}"
            )


def take_luck_out(
    hands: Sequence[LoggedHand],
    deals: NDArray[np.int64],
    player: str,
    guess: ValueFunction,
    known: Mapping[str, RowsSource],
    report: Callable[[int, int], None] = lambda done, total: None,
    learning: bool = True,
) -> MatchLuck:
    """Evaluate all hands for `player`, whose rows are among the `known`, by name.

    Deal by deal, so that with `learning` the guess can learn from the deals before: after `FIRST_LESSON` of them, and then
    whenever there are twice as many. Deals of several seatings are learned from, and guessed about, with all their hands.

    Raises `ProtocolError` naming the line, for a hand without the player or its cards, or played by other rows.
    """
    scale = 1000 / guess.game.big_blind
    values, parts = np.empty((len(hands), len(ESTIMATORS))), np.empty((len(hands), len(PARTS)))
    seen: list[tuple[HandRecord, int]] = []
    lesson, learned, last, dealt = FIRST_LESSON, 0, -1, -1
    for done, number in enumerate(np.argsort(deals, kind="stable").tolist()):
        report(done, len(hands))
        record, where = hands[number]
        if deals[number] != last:
            last, dealt = int(deals[number]), dealt + 1
            if learning and dealt == lesson:
                lesson *= 2
                guess.learn(seen[learned:])
                learned = len(seen)
        try:
            if player not in record.names:
                raise ValueError(
                    f"{player} did not play; those who did: {', '.join(record.names)}; choose with --player"
                )
            position = record.names.index(player)
            rows = {p: known[name] for p, name in enumerate(record.names) if name in known}
            full = aivat(record, position, guess, rows)
            cards = aivat(record, position, guess, {}, CARDS_ONLY)
            values[number] = record.values[position], all_in_equity(record, position), cards.value, full.value
            parts[number] = full.outcome, full.deal, sum(full.cards), sum(full.own), sum(full.others)
            seen.append((record, position))
        except ValueError as error:
            raise ProtocolError(f"{where}: {error}") from error
    report(len(hands), len(hands))
    return MatchLuck(values * scale, parts * scale, deals)


def logs_of(paths: Iterable[Path]) -> list[Path]:
    """Log files, and those of each folder of a match. Raises `ProtocolError` for a folder without any."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(path.glob("seating-*.log"))
            if not inside:
                raise ProtocolError(f"{path}: no seating-*.log here; name the folder of a match, or a log file")
            found += inside
        else:
            found.append(path)
    return found
