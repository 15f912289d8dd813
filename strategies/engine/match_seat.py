"""What the match engine asks of a seat: for a public state, rows of a table and the real actions that they stand for."""

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import Action, State, action_order
from limpet.strategies.blueprint.seat import Seat
from limpet.strategies.blueprint.strategy_file import StrategyFile
from limpet.strategies.blueprint.walk import START, Branch, Places
from limpet.strategies.strategy import HandStrategy

NO_ROW = -1


class Part(NamedTuple):
    """One of the rows that an answer is made of."""

    row: int
    """Entry of bucket b in the seat's table: ``row + b * len(to)``; NO_ROW for a constant."""
    to: tuple[int, ...]
    """For each entry of the row the real action it counts for."""
    share: float = 1.0
    """Weight of the row; of a constant its probability."""


class Plan(NamedTuple):
    """An answer: the real actions in fixed order, and how likely they are, as a sum of parts."""

    actions: tuple[Action, ...]
    parts: tuple[Part, ...]
    mean: bool = False
    """The sums are divided by their total."""


class EngineSeat(Protocol):
    """A way to play one position. Equal keys play equally, and walk their trees equally."""

    @property
    def key(self) -> tuple[object, ...]: ...

    @property
    def file(self) -> StrategyFile | None:
        """What tells hands apart; None where nothing does."""

    def plan(self, places: Places, state: State) -> Plan | None:
        """None where no table has the answer."""

    def follow(self, places: Places, state: State, after: State) -> list[Branch]:
        """See `walk.Walk.follow`."""

    def table(self) -> NDArray[np.float32]:
        """The rows. The first entry of a row that stands in for one never trained has its sign bit set."""


class FileSeat:
    """A strategy file, read as `players.blueprint` reads it."""

    def __init__(self, seat: Seat) -> None:
        self._seat = seat
        self._calls = seat.walk.translation, seat.walk.small_bets

    @property
    def key(self) -> tuple[object, ...]:
        rows = self._seat.rows
        return (self._seat.file.manifest.sha256, rows.threshold, rows.purify, *self._calls)

    @property
    def file(self) -> StrategyFile:
        return self._seat.file

    def plan(self, places: Places, state: State) -> Plan | None:
        if not places:
            return None
        real = [self._seat.walk.real_actions(place, state) for place in places]
        actions = {action for of_place in real for action in of_place}
        ordered = sorted(actions, key=action_order)
        parts = []
        for place, of_place in zip(places, real, strict=True):
            to = tuple(ordered.index(action) for action in of_place)
            row = NO_ROW if place.waiting else self._seat.row(place.node)[0]
            parts.append(Part(row, to, place.weight))
        mean = len(places) > 1 or places[0].waiting
        return Plan(tuple(ordered), tuple(parts), mean)

    def follow(self, places: Places, state: State, after: State) -> list[Branch]:
        return self._seat.follow(places, state, after)

    def table(self) -> NDArray[np.float32]:
        file = self._seat.file
        table = np.empty(int(file.offset[-1]), np.float32)
        for node in file.tree.decisions.tolist():
            probabilities, missed = self._seat.rows.node(node)
            rows = table[file.offset[node] : file.offset[node + 1]].reshape(-1, len(probabilities))
            rows[:] = probabilities.T
            rows[missed, 0] = -rows[missed, 0]
        return table


class BlindSeat:
    """A player who looks at the betting alone: neither at cards nor at coins."""

    file = None

    def __init__(self, key: tuple[object, ...], player: HandStrategy) -> None:
        """key: two players with equal ones answer equally."""
        self._key = key
        self._player = player

    @property
    def key(self) -> tuple[object, ...]:
        return self._key

    def plan(self, places: Places, state: State) -> Plan:
        rows = self._player.rows(state)
        shares = rows.probabilities[:, 0].tolist()
        return Plan(rows.actions, tuple(Part(NO_ROW, (at,), share) for at, share in enumerate(shares)))

    def follow(self, places: Places, state: State, after: State) -> list[Branch]:
        return [Branch(1.0, START)]

    def table(self) -> NDArray[np.float32]:
        return np.empty(0, np.float32)
