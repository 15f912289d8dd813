"""Matches of tabular strategies in compiled code: hands, results and optional logs are those of any other match."""

import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from limpet.common.folders import data_folder, naming, replace_file
from limpet.common.workers import Report, silent
from limpet.configs.loading import ConfigError
from limpet.dealer.matches.match import TERMS_FILE, begin_folder, counters, require_bots
from limpet.dealer.matches.match_result import MatchResult, SeatingLog, Watch, match_result, seating_logs
from limpet.dealer.matches.matchconfig import GAME_FILE, Match, Way
from limpet.dealer.matches.table_hands import groups, hand_record
from limpet.dealer.table.deals import Deals
from limpet.dealer.table.score import MatchScore
from limpet.protocol.matchlog import HandRecord, Header
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.botconfig import Bot
from limpet.strategies.holdem.measures.joint_betting import engine_seats
from limpet.strategies.holdem.measures.match_engine import DealtBatch, MatchEngine

WAY: Way = "compiled"
SMALLEST_CHUNK, LARGEST_CHUNK = 1 << 10, 1 << 14
"""Number of deals that are played at once, at least and at most. Results do not depend on it."""
CHUNKS = 8
"""Number of chunks of a match of middle length, so that its progress is seen."""
LOGGED = 100_000
"""Number of hands up to which logs are written by default: a few seconds' work."""
DECIMALS = 6
"""Decimals of chips in a log, from which other matches take their results."""


class CompiledMatch:
    """A match that is ready to be played in compiled code.

    `progress(done, total)` is called while card tables are built, which happens here. Results do not depend on the
    number of `threads`.

    Raises `ConfigError` for a folder that holds a match, and for a player that is no table.
    """

    def __init__(self, match: Match, folder: Path, threads: int = 1, progress: Report = silent) -> None:
        self.match = match
        self.folder = folder
        self.logs: list[SeatingLog] = []
        """The hands of each seating once they are played, whether or not log files were written."""
        require_bots(match, WAY)
        self._bots = [player for player in match.players if isinstance(player, Bot)]
        if (folder / TERMS_FILE).exists():
            raise ConfigError(f"{folder} holds a match; --output names another folder")
        self._agents = [Agent(bot.build(), bot.config.seed) for bot in self._bots]
        seats = []
        for bot, agent in zip(self._bots, self._agents, strict=True):
            try:
                seats.append(engine_seats(agent.strategy))
            except ValueError as error:
                raise ConfigError(f"{bot.path}: {bot.name}: {error}; --in-process plays any bot") from error
        seeds = [agent.seed for agent in self._agents]
        tables = data_folder() / "tables"
        self.engine = MatchEngine(match.game, seats, seeds, match.config.hands, tables, threads, progress)

    def play(self, watch: Watch, logged: bool | None = None) -> MatchResult:
        """Play all seatings, every hand as it would be played over TCP.

        Writes ``result.json`` into the folder, and the logs of the seatings if `logged` (None: up to 100,000 hands).
        `watch` is called with the logs, written or not, as hands are played.
        """
        match, config, folder = self.match, self.match.config, self.folder
        bots = [bot.fingerprint(agent.strategy) for bot, agent in zip(self._bots, self._agents, strict=True)]
        # Played in one go, the match cannot be resumed, only played again.
        begin_folder(folder, match, WAY, bots)
        self.logs = logs = seating_logs(folder, match)
        if logged is None:
            logged = config.hands * len(logs) <= LOGGED
        scores = [MatchScore([match.names[at] for at in seating], config.fixed_button) for seating in match.seatings]
        if logged:
            for log in logs:
                replace_file(log.path, f"{Header(log.path.stem, GAME_FILE, config.hands, config.seed)}\n")
        counted = np.zeros((len(self._bots), 2), np.int64)
        deals = Deals(match.game, config.seed)
        chunk = min(max(config.hands // CHUNKS, SMALLEST_CHUNK), LARGEST_CHUNK)
        began = time.perf_counter()
        for start in range(0, config.hands, chunk):
            count = min(chunk, config.hands - start)
            table = self.engine.table(DealtBatch(*deals.take(count)))
            for log, score, seating in zip(logs, scores, match.seatings, strict=True):
                hands: dict[int, HandRecord] = {}
                for group in groups(match, seating, start, count):
                    played = self.engine.play(group.players, table, group.rows, group.numbers)
                    # The agents play the hands that no table answers.
                    for at in np.flatnonzero(played.outside | logged).tolist():
                        hand = hand_record(match, seating, self._agents, table, group, played, at)
                        hands[hand.hand] = hand
                        played.net[at] = hand.values
                    for position, player in enumerate(group.players):
                        log.values[player, group.numbers] = np.round(played.net[:, position], DECIMALS)
                        counted[player] += played.tally[:, position].sum(axis=0)
                log.played = start + count
                if logged:
                    ordered = (hands[number] for number in range(start, start + count))
                    _append(log.path, (score.add(hand) for hand in ordered))
            watch(logs)
        seconds = time.perf_counter() - began
        if logged:
            for log, score in zip(logs, scores, strict=True):
                _append(log.path, [score])
        reports = [counters(agent, *engine) for agent, engine in zip(self._agents, counted.tolist(), strict=True)]
        result = match_result(match, logs, WAY, seconds, config.hands * len(logs), reports, logged)
        result.write(folder)
        return result


def _append(path: Path, lines: Iterable[object]) -> None:
    """Add lines to the log of a seating."""
    with naming(path), path.open("a", encoding="utf-8", errors="surrogateescape", newline="\n") as log:
        log.writelines(f"{line}\n" for line in lines)
