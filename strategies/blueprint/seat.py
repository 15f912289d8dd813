"""What sits at a table in one position: a strategy file with its translation, or a way to play that needs no file."""

from pathlib import Path
from typing import Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from limpet.configs.fitting import under
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import CALL, FOLD, Action, State, action_order
from limpet.strategies.abstraction.cards import CardAbstraction, Lossless
from limpet.strategies.abstraction.translation import Translation
from limpet.strategies.blueprint.depths import Depths, named_for
from limpet.strategies.blueprint.played import PlayedRows
from limpet.strategies.blueprint.strategy_file import StrategyFile
from limpet.strategies.blueprint.walk import START, Branch, Places, SmallBets, Walk
from limpet.strategies.storage.folders import find_strategy


class Choice(NamedTuple):
    """How likely a real action is: a constant, plus weighted entries of rows that depend on the hand."""

    constant: float = 0.0
    entries: tuple[tuple[int, int, float], ...] = ()
    """(abstract node, place of the action in its row, weight)."""


class Seated(Protocol):
    """What a duel asks of a seat; never about hands."""

    def choices(self, places: Places, state: State) -> dict[Action, Choice]:
        """The real actions in fixed order; for every hand their probabilities sum to 1."""

    def follow(self, places: Places, state: State, after: State) -> list[Branch]:
        """See `walk.Walk.follow`."""

    @property
    def cards(self) -> CardAbstraction | None:
        """What tells hands apart; None where nothing does."""

    def table(self) -> NDArray[np.float32]:
        """The rows that `entries` are from."""

    def row(self, node: int) -> tuple[int, int]:
        """Where a node's rows start in `table`, and how many actions they have."""


class Seat:
    """A file, its rows as played, and how its tree is followed. Off its tree it checks and calls.

    Args:
        threshold, purify: see `played.PlayedRows`; translation, small_bets: see `walk.Walk`.
    """

    def __init__(
        self,
        file: StrategyFile,
        translation: Translation = "pseudo-harmonic",
        small_bets: SmallBets = "up",
        threshold: float = 0.0,
        purify: bool = False,
    ) -> None:
        self.file = file
        self.rows = PlayedRows(file, threshold, purify)
        self.walk = Walk(file.tree, translation, small_bets)
        self.turns_are_slow = not isinstance(file.manifest.cards, Lossless)

    @property
    def cards(self) -> CardAbstraction:
        return self.file.cards

    def choices(self, places: Places, state: State) -> dict[Action, Choice]:
        if not places:
            return {CALL: Choice(1.0)}
        found: dict[Action, Choice] = {}
        for place in places:
            for index, action in enumerate(self.walk.real_actions(place, state)):
                constant, entries = found.get(action, Choice())
                if place.waiting:
                    found[action] = Choice(constant + place.weight, entries)
                else:
                    found[action] = Choice(constant, (*entries, (place.node, index, place.weight)))
        return dict(sorted(found.items(), key=lambda item: action_order(item[0])))

    def follow(self, places: Places, state: State, after: State) -> list[Branch]:
        return self.walk.follow(places, state, after)

    def table(self) -> NDArray[np.float32]:
        return self.rows.table()

    def row(self, node: int) -> tuple[int, int]:
        edges = self.file.tree.first_edge
        return int(self.file.offset[node]), int(edges[node + 1] - edges[node])


class Passive:
    """Folds to every bet, or checks and calls; the yardsticks whose results are known."""

    cards = None

    def __init__(self, kind: Literal["fold", "call"]) -> None:
        self.kind = kind

    def choices(self, places: Places, state: State) -> dict[Action, Choice]:
        return {FOLD if self.kind == "fold" and state.can_fold else CALL: Choice(1.0)}

    def follow(self, places: Places, state: State, after: State) -> list[Branch]:
        return [Branch(1.0, START)]

    def table(self) -> NDArray[np.float32]:
        return np.zeros(1, np.float32)

    def row(self, node: int) -> tuple[int, int]:
        raise IndexError("it has no rows")


def open_seats(
    game: GameDef,
    names: tuple[str, ...],
    folder: Path,
    translation: Translation = "pseudo-harmonic",
    small_bets: SmallBets = "up",
    threshold: float = 0.0,
    purify: bool = False,
    depths: Depths = (),
) -> tuple[Seat, ...]:
    """The seats of every position of `game`: from one strategy for all, or one for each.

    depths: who plays stacks other than those that `names` are for, see `Depth`.

    Raises `Misfit`, under the option that names it, for a strategy of another game or position, for one that cannot be
    opened, and for stacks that nobody plays.
    """
    with under("strategy"):
        files = _opened(game, names, folder)
        if not depths:
            for file in files:
                file.check_game(game)
    if any(file.game.stack != game.stack for file in files):
        with under("depths"):
            files = _opened(game, named_for(game, depths), folder)
    opened = [Seat(file, translation, small_bets, threshold, purify) for file in files]
    seats = tuple(opened * (game.num_players // len(opened)))
    with under("strategy"):
        for position, seat in enumerate(seats):
            seat.file.check_position(position)
    return seats


def _opened(game: GameDef, names: tuple[str, ...], folder: Path) -> list[StrategyFile]:
    if len(names) not in (1, game.num_players):
        raise ValueError(f"{len(names)} strategies for {game.num_players} positions; name one for each, or one for all")
    files = [StrategyFile.open(find_strategy(name, folder)) for name in names]
    for file in files:
        file.check_rules(game)
    return files
