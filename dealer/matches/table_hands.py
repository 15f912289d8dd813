"""Hands between bots that are strategy tables: the match engine plays many at once, each as the agents would play it."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.common.folders import data_folder
from limpet.dealer.matches.inprocess import play_hands
from limpet.dealer.matches.matchconfig import Match
from limpet.dealer.table.deals import Deal, Deals
from limpet.dealer.table.score import by_position
from limpet.protocol.matchlog import HandRecord
from limpet.strategies.base.agent import Agent
from limpet.strategies.holdem.measures.joint_betting import engine_seats
from limpet.strategies.holdem.measures.match_engine import DealsTable, DealtBatch, MatchEngine, Played

AT_ONCE = 1_000
"""Number of hands that are played at once where each is wanted as a record. Results do not depend on it."""
KEPT = 1_000
"""Number of such batches whose deals are kept for the next seating, some 70 MB for two players; further ones are dealt again."""


class Group(NamedTuple):
    """Hands of some deals in which the same players, whose numbers are given by position, hold the same positions.

    Attributes:
        rows: `[hand]`: number of the deal among these deals.
        numbers: `[hand]`: number of the hand in the match.
    """

    players: tuple[int, ...]
    rows: NDArray[np.int64]
    numbers: NDArray[np.int64]


def groups(match: Match, seating: Sequence[int], start: int, count: int) -> Iterator[Group]:
    """Yield the hands `start` to `start + count` of a seating in groups; hand i is in group i modulo their number."""
    fixed_button = match.config.fixed_button
    step = 1 if fixed_button else match.game.num_players
    for first in range(min(step, count)):
        rows = np.arange(first, count, step)
        yield Group(by_position(seating, start + first, fixed_button), rows, start + rows)


def hand_record(
    match: Match,
    seating: Sequence[int],
    agents: Sequence[Agent],
    table: DealsTable,
    group: Group,
    played: Played,
    at: int,
) -> HandRecord:
    """Return hand `at` of a group. The agents, which are per player, play it here if no table answers it."""
    row, number = int(group.rows[at]), int(group.numbers[at])
    deal = Deal(tuple(map(tuple, table.dealt.holes[row].tolist())), tuple(table.dealt.board[row].tolist()))
    if played.outside[at]:
        seated = [agents[player] for player in seating]
        return next(play_hands(match.game, seated, [deal], number, match.config.fixed_button))
    state = played.tree.states[int(played.node[at])].with_board(deal.board)
    return HandRecord(number, state, deal.holes, tuple(played.net[at].tolist()), ())


class TableHands:
    """The engine of a match in which every player is a table; others and damaged card tables raise `ValueError`."""

    def __init__(self, match: Match, agents: Sequence[Agent]) -> None:
        """`agents` are per player. Card tables that are missing are not built."""
        seats = [engine_seats(agent.strategy) for agent in agents]
        seeds = [agent.seed for agent in agents]
        self._engine = MatchEngine(match.game, seats, seeds, 0, data_folder() / "tables")
        self._dealt: dict[tuple[int, int], DealsTable] = {}
        """Deals with the buckets known of them, by first hand and number: the seatings of a duplicate match share them."""

    def play_rest(
        self, match: Match, seating: Sequence[int], agents: Sequence[Agent], first: int
    ) -> Iterator[HandRecord]:
        """Play as `inprocess.play_rest` does, `AT_ONCE` hands at once. The agents count the decisions made for them."""
        deals = Deals(match.game, match.config.seed)
        deals.skip(first)
        for start in range(first, match.config.hands, AT_ONCE):
            count = min(AT_ONCE, match.config.hands - start)
            if (table := self._dealt.get((start, count))) is not None:
                deals.skip(count)
            else:
                table = self._engine.table(DealtBatch(*deals.take(count)))
                if len(self._dealt) < KEPT:
                    self._dealt[start, count] = table
            parts = [
                (group, self._engine.play(group.players, table, group.rows, group.numbers))
                for group in groups(match, seating, start, count)
            ]
            for row in range(count):
                at, part = divmod(row, len(parts))
                group, played = parts[part]
                for player, (decisions, misses) in zip(group.players, played.tally[at].tolist(), strict=True):
                    agents[player].decisions += decisions
                    agents[player].misses += misses
                yield hand_record(match, seating, agents, table, group, played, at)
