"""Plays a strategy file: the real betting is walked through the abstract tree, and the row found there is played."""

from pathlib import Path
from typing import Annotated, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import CALL, Action, State, action_order
from limpet.strategies.abstraction.translation import Translation
from limpet.strategies.blueprint.depths import Depth
from limpet.strategies.blueprint.seat import open_seats
from limpet.strategies.blueprint.strategy_file import StrategyFile
from limpet.strategies.blueprint.walk import START, Places, SmallBets
from limpet.strategies.players.formula import Formula
from limpet.strategies.sampling import uniform
from limpet.strategies.strategy import HandKey, HandStrategy, Rows, Strategy

TRANSLATION = 1  # first counter of the coins that translate bets


class Blueprint(Strategy):
    """Looks up a precomputed strategy through an action translation."""

    class Options(Strategy.Options, frozen=True, forbid_unknown_fields=True):
        """Options of a blueprint player.

        strategy: a strategy's name, or the path of its folder (with a slash). A list names one for each position.
        off_tree: who plays on when the real betting has left the abstract tree: ``formula``, or ``call`` (check and
            call). Each such decision counts as a look-up miss.
        translation: how a bet between two sizes of the tree is read: ``pseudo-harmonic``, ``arithmetic``, ``nearest``,
            ``geometric``, ``randomised-geometric-1``, ``randomised-geometric-2``, or ``mixed``, which plays the mean of
            what it would do after either size.
        small_bets: how a bet below the smallest size is read: ``up``, as that size, or ``check``, as between no bet and
            that size. One read as no bet is called where that ended the round.
        threshold: actions less likely than this are never taken.
        purify: only the likeliest action is taken.
        depths: who plays games whose stacks are others than the strategy's: a list of ``{from: 2, to: 400, strategy:
            NAME}``, in big blinds of the shorter stack; the first that fits plays. Other stacks are refused.
        """

        strategy: str | tuple[str, ...]
        off_tree: Literal["formula", "call"] = "formula"
        translation: Translation = "pseudo-harmonic"
        small_bets: SmallBets = "up"
        threshold: Annotated[float, msgspec.Meta(ge=0, lt=1)] = 0.0
        purify: bool = False
        depths: tuple[Depth, ...] = ()

    def __init__(self, game: GameDef, options: Strategy.Options, folder: Path) -> None:
        super().__init__(game, options, folder)
        assert isinstance(options, Blueprint.Options)
        names = (options.strategy,) if isinstance(options.strategy, str) else options.strategy
        self.seats = open_seats(
            game, names, folder, options.translation, options.small_bets, options.threshold, options.purify,
            options.depths,
        )  # fmt: skip
        self._call_down = options.off_tree == "call"
        self._formula = Formula(game, Formula.Options(), folder)
        self._off_tree = 0

    @property
    def file(self) -> StrategyFile:
        """The strategy file, that of position 0 where there are several."""
        return self.seats[0].file

    def start_hand(self, key: HandKey) -> "BlueprintHand":
        return BlueprintHand(self, key)

    def report(self) -> dict[str, int]:
        """`off_tree`: decisions after the real betting had left the tree. Other misses are rows never trained."""
        return {"off_tree": self._off_tree}

    def checksums(self) -> tuple[str, ...]:
        return tuple(seat.file.manifest.sha256 for seat in self.seats)

    def describe(self) -> dict[str, str]:
        files = list(dict.fromkeys(seat.file for seat in self.seats))
        return {
            "folder": ", ".join(str(file.folder) for file in files),
            "trained": ", ".join(
                f"{file.manifest.algorithm}, {file.manifest.iterations:,} iterations" for file in files
            ),
        }

    def warm_up(self) -> None:
        self._formula.warm_up()
        for state in State.start(self.game).called_down(self.game.deck):
            for position in range(self.game.num_players):
                self.start_hand(HandKey(0, 0, position)).rows(state)

    def stand_in_slow(self, state: State, key: HandKey) -> bool:
        """Whether `stand_in` may take more than a millisecond."""
        return not self._call_down and self._formula.start_hand(key).slow(state)

    def stand_in(self, state: State, key: HandKey) -> Rows:
        """Rows for a state outside the tree, all marked as missed."""
        self._off_tree += 1
        if self._call_down:
            hands = len(self.file.cards.bucket_vector(state.round, state.board))
            rows = Rows((CALL,), np.ones((1, 1), np.float32), np.zeros(hands, np.int16))
        else:
            rows = self._formula.start_hand(key).rows(state)
        return Rows(rows.actions, rows.probabilities, rows.classes, np.ones(rows.probabilities.shape[1], np.bool_))


class BlueprintHand(HandStrategy):
    """Answers for one hand. Keeps the abstract places of every betting sequence met, so a coin is thrown once a bet."""

    def __init__(self, blueprint: Blueprint, key: HandKey) -> None:
        self._blueprint = blueprint
        self._seat = blueprint.seats[key.position]
        self._key = key
        self._places: dict[str, Places] = {"": START}

    def slow(self, state: State) -> bool:
        """A new turn board takes about a millisecond to bucket, and the stand-in may think; the rest is looked up."""
        if not self.places(state):
            return self._blueprint.stand_in_slow(state, self._key)
        return self._seat.turns_are_slow and state.round == 2

    def rows(self, state: State) -> Rows:
        places, seat = self.places(state), self._seat
        if not places:
            return self._blueprint.stand_in(state, self._key)
        buckets = seat.file.cards.bucket_vector(state.round, state.board)
        if len(places) == 1 and not places[0].waiting:
            probabilities, missed = seat.rows.node(places[0].node)
            actions, probabilities = _merge(seat.walk.real_actions(places[0], state), probabilities)
            return Rows(actions, probabilities, buckets, missed)
        actions, probabilities, missed = self._mixed(places, state)
        return Rows(actions, probabilities, buckets, missed)

    def places(self, state: State) -> Places:
        """The abstract decision nodes that stand for `state`; none when it has left the tree."""
        places = self._places.get(state.betting)
        if places is None:
            assert state.parent is not None
            branches = self._seat.walk.follow(self.places(state.parent), state.parent, state)
            places = branches[-1].places
            if len(branches) > 1:
                coin = uniform(self._key, TRANSLATION, state.parent.actions_in_hand)
                if coin < branches[0].probability:
                    places = branches[0].places
            self._places[state.betting] = places
        return places

    def _mixed(self, places: Places, state: State) -> tuple[tuple[Action, ...], NDArray[np.float32], NDArray[np.bool_]]:
        """The weighted mean of the rows of all places. A bucket is missed where no place had rows of its own."""
        seat = self._seat
        buckets = seat.file.cards.num_buckets(state.round)
        total: dict[Action, NDArray[np.float32]] = {}
        missed = np.ones(buckets, np.bool_)
        for place in places:
            if place.waiting:
                rows, own = np.ones((1, buckets), np.float32), np.ones(buckets, np.bool_)
            else:
                rows, without = seat.rows.node(place.node)
                own = ~without
            missed &= ~own
            for action, row in zip(seat.walk.real_actions(place, state), rows, strict=True):
                share = np.float32(place.weight) * row
                total[action] = total[action] + share if action in total else share
        actions = tuple(sorted(total, key=action_order))
        probabilities = np.stack([total[action] for action in actions])
        return actions, probabilities / probabilities.sum(axis=0), missed


def _merge(actions: list[Action], probabilities: NDArray[np.float32]) -> tuple[tuple[Action, ...], NDArray[np.float32]]:
    """Rows whose abstract actions became the same real one are added up."""
    distinct = tuple(dict.fromkeys(actions))
    if len(distinct) == len(actions):
        return distinct, probabilities
    merged = np.zeros((len(distinct), probabilities.shape[1]), np.float32)
    for index, action in enumerate(actions):
        merged[distinct.index(action)] += probabilities[index]
    return distinct, merged
