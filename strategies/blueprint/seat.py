"""Seats, which play one position: by a strategy file with its translation, or by a fixed habit that needs no file."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.configs.fitting import under
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import CALL, FOLD, Action, State, action_order
from limpet.strategies.abstraction.cards import Lossless
from limpet.strategies.abstraction.translation import Translation
from limpet.strategies.blueprint.played import PlayedRows
from limpet.strategies.blueprint.strategy_file import StrategyFile
from limpet.strategies.blueprint.walk import START, Branch, Walk, WeightedNodes
from limpet.strategies.storage.folders import find_strategy

NO_ROW = -1
"""The row of a part that is a constant."""


class Part(NamedTuple):
    """One of the rows that an answer is made of."""

    row: int  # the first entry of bucket b in the seat's table is ``row + b * len(to)``; `NO_ROW` for a constant
    to: tuple[int, ...]  # for each entry of the row, the index of the real action that it counts for
    share: float = 1.0  # weight of the row; a constant's probability


class Plan(NamedTuple):
    """A seat's answer to a public state, for all hands at once."""

    actions: tuple[Action, ...]  # the real actions in fixed order
    parts: tuple[Part, ...]  # the parts whose sum is how likely the actions are
    mean: bool = False  # whether the sums are still to be divided by their total


class Seat:
    """A strategy file, its rows as played (`played.PlayedRows`), and the walk through its tree (`walk.Walk`)."""

    def __init__(
        self,
        file: StrategyFile,
        translation: Translation = "pseudo-harmonic",
        threshold: float = 0.0,
        purify: bool = False,
    ) -> None:
        self.file = file
        self.rows = PlayedRows(file, threshold, purify)
        self.walk = Walk(file.tree, translation)
        self.turns_are_slow = not isinstance(file.manifest.cards, Lossless)

    @property
    def key(self) -> tuple[object, ...]:
        """Seats of equal keys play equally and walk their trees equally."""
        rows, walk = self.rows, self.walk
        return self.file.manifest.sha256, rows.threshold, rows.purify, walk.translation

    def plan(self, nodes: WeightedNodes, state: State) -> Plan | None:
        """Return the answer to a state; None where the betting has left the tree."""
        if not nodes:
            return None
        real = [self.walk.real_actions(weighted, state) for weighted in nodes]
        ordered = sorted({action for of_place in real for action in of_place}, key=action_order)
        parts = tuple(
            Part(
                int(self.file.offset[weighted.node]),
                tuple(ordered.index(action) for action in of_place),
                weighted.weight,
            )
            for weighted, of_place in zip(nodes, real, strict=True)
        )
        return Plan(tuple(ordered), parts, mean=len(nodes) > 1)

    def follow(self, nodes: WeightedNodes, state: State, after: State) -> list[Branch]:
        """See `walk.Walk.follow`."""
        return self.walk.follow(nodes, state, after)

    def table(self, marked: bool = False) -> NDArray[np.float32]:
        """Return the rows of all plans, see `played.PlayedRows.table`."""
        return self.rows.table(marked)


class Passive:
    """A seat that needs no file: it folds to every bet, checks and calls, or acts otherwise by the betting alone."""

    file = None

    def __init__(self, kind: str, act: Callable[[State], Action] | None = None) -> None:
        """kind: ``fold`` or ``call``, or the name of what `act` does. Seats of one kind play equally."""
        self.kind = self.key = kind
        self._act = act or (lambda state: FOLD if kind == "fold" and state.can_fold else CALL)

    def plan(self, nodes: WeightedNodes, state: State) -> Plan:
        return Plan((self._act(state),), (Part(NO_ROW, (0,)),))

    def follow(self, nodes: WeightedNodes, state: State, after: State) -> list[Branch]:
        return [Branch(1.0, START)]

    def table(self, marked: bool = False) -> NDArray[np.float32]:
        return np.zeros(1, np.float32)


Seated = Seat | Passive
"""A seat of a duel or of the match engine; it knows nothing of hands. Seats of equal keys play equally."""


class Depth(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"least": "from", "most": "to"}):
    """A range of stacks in big blinds, the shorter of uneven ones, with the strategy that plays it.

    Its bets are read and made as fractions of the pot, and all-in is all-in. The nearer the stacks are to those of its
    training, the better it plays. A list names one strategy for each position.
    """

    least: Annotated[float, msgspec.Meta(gt=0)]
    most: Annotated[float, msgspec.Meta(gt=0)]
    strategy: str | tuple[str, ...]


def open_seats(
    game: GameDef, names: tuple[str, ...], folder: Path, translation: Translation = "pseudo-harmonic",
    threshold: float = 0.0, purify: bool = False, depths: Sequence[Depth] = (),
) -> tuple[Seat, ...]:  # fmt: skip
    """Return the seats of every position of `game`, from one strategy for all or one for each.

    depths: strategies for stacks other than those that `names` are for, see `Depth`. With them, no-limit blinds may be
        other numbers in the same ratio.

    Raises `Misfit`, under the option that names it, for a strategy of another game or position, for one that cannot be
    opened, and for stacks that nobody plays.
    """
    with under("strategy"):
        files = _opened(game, names, folder, bool(depths))
        if not depths:
            for file in files:
                file.check_game(game)
    if any((file.game.stack, file.game.blind) != (game.stack, game.blind) for file in files):
        with under("depths"):
            files = _opened(game, named_for(game, depths), folder, any_unit=True)
    opened = [Seat(file, translation, threshold, purify) for file in files]
    seats = tuple(opened * (game.num_players // len(opened)))
    with under("strategy"):
        for position, seat in enumerate(seats):
            seat.file.check_position(position)
    return seats


def named_for(game: GameDef, depths: Sequence[Depth]) -> tuple[str, ...]:
    """Return the strategies of the first range with a game's stacks. Raises `ValueError` if there is none."""
    shorter = min(game.stack) / game.big_blind
    for depth in depths:
        if depth.least <= shorter <= depth.most:
            return (depth.strategy,) if isinstance(depth.strategy, str) else depth.strategy
    ranges = ", ".join(f"{depth.least:g} to {depth.most:g}" for depth in depths)
    raise ValueError(
        f"stacks of {shorter:g} big blinds are in none of the 'depths' ({ranges}); add a range with the strategy that is to "
        "play them"
    )


def _opened(game: GameDef, names: tuple[str, ...], folder: Path, any_unit: bool) -> list[StrategyFile]:
    """Open the named strategies. Raises `ValueError` for a wrong number of names and for other rules."""
    if len(names) not in (1, game.num_players):
        raise ValueError(f"{len(names)} strategies for {game.num_players} positions; name one for each, or one for all")
    files = [StrategyFile.open(find_strategy(name, folder)) for name in names]
    for file in files:
        file.check_rules(game, any_unit)
    return files
