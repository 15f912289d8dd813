"""The running score of a match, and the log lines made from it."""

from collections.abc import Sequence

from limpet.dealer.table.seating import by_position, by_seat
from limpet.protocol.draws import Draws
from limpet.protocol.matchlog import HandRecord, Score
from limpet.protocol.messages import Hole
from limpet.protocol.state import State


class MatchScore:
    """Net chips per seat, added up hand by hand in the order played (float sums print as the reference's do)."""

    def __init__(self, players: Sequence[str], fixed_button: bool = False) -> None:
        """`players` are names per seat."""
        self.players = tuple(players)
        self.fixed_button = fixed_button
        self.hands = 0
        self.totals = [0.0] * len(self.players)

    def add(self, state: State, holes: tuple[Hole, ...], values: tuple[float, ...], draws: Draws = ()) -> str:
        """Add the next hand and return its ``STATE`` line. `holes` as dealt and `values` (net chips) are per position."""
        names = by_position(self.players, self.hands, self.fixed_button)
        line = str(HandRecord(self.hands, state, holes, values, names, draws))
        for seat, value in enumerate(by_seat(values, self.hands, self.fixed_button)):
            self.totals[seat] += value
        self.hands += 1
        return line

    def __str__(self) -> str:
        """The log's ``SCORE`` line."""
        return str(Score(tuple(self.totals), self.players))
