"""Plays a strategy file: the real betting is walked through the abstract tree, and the row found there is played."""

from pathlib import Path
from typing import Annotated, Literal

import msgspec
import numpy as np

from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import State
from limpet.strategies.abstraction.menu import Translation
from limpet.strategies.base.strategy import HandKey, HandStrategy, Rows, Stateless, Strategy
from limpet.strategies.cards.handspace import game_hands
from limpet.strategies.holdem.blueprint.blueprint_hand import BlueprintHand, Depth, open_seats
from limpet.strategies.holdem.blueprint.flop_values import FlopValues
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from limpet.strategies.players.formula import Formula
from limpet.strategies.players.simple import Call

StandInName = Literal["formula", "call"]


class StandIn(HandStrategy):
    """Plays any hand where a strategy has no answer: by the formula, or by checks and calls. All its rows count as missed."""

    def __init__(self, name: StandInName, game: GameDef, folder: Path) -> None:
        self.answers = 0  # number of times that rows were asked for
        kind: type[Stateless] = Formula if name == "formula" else Call
        self._player = kind(game, kind.Options(), folder)

    def warm_up(self) -> None:
        self._player.warm_up()

    def slow(self, state: State) -> bool:
        return self._player.slow(state)

    def rows(self, state: State) -> Rows:
        self.answers += 1
        rows = self._player.rows(state)
        return Rows(rows.actions, rows.probabilities, rows.classes, np.ones(rows.probabilities.shape[1], np.bool_))


def listed(names: str | tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of an option that takes one or several."""
    return (names,) if isinstance(names, str) else names


class Blueprint(Strategy):
    """Looks up a precomputed strategy through an action translation."""

    class Options(Strategy.Options, frozen=True, forbid_unknown_fields=True):
        """Options of a blueprint player.

        strategy: a strategy's name, or the path of its folder (with a slash). A list names one for each position.
        off_tree: who plays on when the real betting has left the abstract tree: ``formula``, or ``call`` (check and
            call). Each such decision counts as a look-up miss.
        translation: how a bet between two sizes of the tree is read: ``pseudo-harmonic``, ``arithmetic``, ``nearest``,
            ``geometric``, ``randomised-geometric-1``, ``randomised-geometric-2``, or ``mixed``, which plays the mean of
            its answers to either size. A bet below the smallest size is read as that size.
        threshold: actions less likely than this are never taken.
        purify: only the likeliest action is taken.
        depths: who plays games whose stacks are others than the strategy's: a list of ``{from: 2, to: 400, strategy:
            NAME}``, in big blinds of the shorter stack; the first that fits plays. Other stacks are refused.
        """

        strategy: str | tuple[str, ...]
        off_tree: StandInName = "formula"
        translation: Translation = "pseudo-harmonic"
        threshold: Annotated[float, msgspec.Meta(ge=0, lt=1)] = 0.0
        purify: bool = False
        depths: tuple[Depth, ...] = ()

    def __init__(self, game: GameDef, options: Options, folder: Path) -> None:
        super().__init__(game, options, folder)
        how = options.translation, options.threshold, options.purify, options.depths
        self.seats = open_seats(game, listed(options.strategy), folder, *how)
        self._off_tree = StandIn(options.off_tree, game, folder)

    @property
    def file(self) -> StrategyFile:
        """The strategy file, that of position 0 where there are several."""
        return self.seats[0].file

    def start_hand(self, key: HandKey, flops: FlopValues | None = None) -> BlueprintHand:
        return BlueprintHand(self.seats[key.position], key, self._off_tree, flops)

    def report(self) -> dict[str, int]:
        """Return ``off_tree``, the decisions after the real betting had left the tree; other misses are untrained rows."""
        return {"off_tree": self._off_tree.answers}

    def checksums(self) -> tuple[str, ...]:
        return tuple(seat.file.manifest.sha256 for seat in self.seats)

    def describe(self) -> dict[str, str]:
        files = list(dict.fromkeys(seat.file for seat in self.seats))
        trained = (f"{file.manifest.algorithm}, {file.manifest.iterations:,} iterations" for file in files)
        return {"folder": ", ".join(str(file.folder) for file in files), "trained": ", ".join(trained)}

    def warm_up(self) -> None:
        self._off_tree.warm_up()
        for state in State.start(self.game).called_down(self.game.deck):
            for position in range(self.game.num_players):
                self.start_hand(HandKey(0, 0, position)).rows(state)
        self._look_up_one_hand()

    def warm_up_seat(self) -> None:
        self._off_tree.warm_up()
        self._look_up_one_hand()

    def _look_up_one_hand(self) -> None:
        """Look a hand up on every street, for each position."""
        own = game_hands(self.game).index(self.game.deck[-self.game.num_hole_cards :])  # on no board of the first cards
        for state in State.start(self.game).called_down(self.game.deck):
            for position in range(self.game.num_players):
                self.start_hand(HandKey(0, 0, position)).rows_for(state, own)
