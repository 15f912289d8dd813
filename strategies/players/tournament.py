"""Players of short stacks: all-in or fold, by fixed hands or an equilibrium, and `tournament`, which chooses by the stacks."""

import time
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil, inf
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from limpet.common.folders import find_strategy
from limpet.configs.fitting import Misfit, under
from limpet.protocol.gamedef import GameDef
from limpet.protocol.handhistory import at_risk
from limpet.protocol.situation import Situation, is_tournament
from limpet.protocol.state import CALL, FOLD, Action, State
from limpet.strategies.base.strategy import HandKey, HandStrategy, Rows, Stateless, Strategy, sized_raise
from limpet.strategies.cards.handspace import is_holdem, read_only
from limpet.strategies.cards.isomorphism import preflop_classes
from limpet.strategies.cards.ranges import class_weights, parse_range
from limpet.strategies.holdem.blueprint.blueprint_hand import named_for
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from limpet.strategies.opponents.expert import Style
from limpet.strategies.players.blueprint import listed
from limpet.strategies.players.expert import Expert
from limpet.strategies.players.resolve import Resolve
from limpet.strategies.shortstacks import decisions
from limpet.strategies.shortstacks.evaluation import Clock, StopCheck
from limpet.strategies.shortstacks.game import tables_for
from limpet.strategies.shortstacks.solve import SOLVERS, SPOTS, Decide, SolvingOptions
from limpet.strategies.shortstacks.spot import PushFoldProfile

# --- All in or out before the flop, by two fixed ranges: a yardstick for short stacks. Hold'em only.


class Jam(Stateless):
    """Moves all in with a fixed range while nobody has raised, and calls raises with another; checks or folds the rest."""

    class Options(Strategy.Options, frozen=True, forbid_unknown_fields=True):
        """Ranges: `jam` is played all in unless somebody has raised, and `call` is called with after a raise."""

        jam: str = "random"
        call: str = "22+ A2s+ A7o+ KTs+ KQo"

    def __init__(self, game: GameDef, options: Options, folder: Path) -> None:
        super().__init__(game, options, folder)
        if not is_holdem(game, whole=True):
            raise ValueError("the ranges hold hold'em starting hands; player 'raise' with size max plays any game")
        self.options = options
        for text in (options.jam, options.call):
            in_range(text)  # refuses a text that is none

    def rows(self, state: State) -> Rows:
        text, active = self.options.call, CALL
        if "r" not in state.betting:
            text, active = self.options.jam, sized_raise(state, "max") or CALL
        return _rows(text, FOLD if state.can_fold else CALL, active)


@lru_cache(maxsize=64)
def in_range(text: str) -> NDArray[np.bool_]:
    """Return bool ``[169]``: the classes of which a range holds any hand; read-only. Raises `ValueError` for no range."""
    return read_only(class_weights(parse_range(text)) > 0)


def either_rows(passive: Action, active: Action, frequencies: NDArray[np.float64] | NDArray[np.bool_]) -> Rows:
    """Return the rows of one action with the given frequency ``[169]``, and of another else."""
    act = frequencies.astype(np.float32)
    if passive == active:
        return Rows((active,), np.ones((1, len(act)), np.float32), preflop_classes())
    return Rows((passive, active), np.array([1 - act, act]), preflop_classes())


@lru_cache(maxsize=1024)
def _rows(text: str, passive: Action, active: Action) -> Rows:
    return either_rows(passive, active, in_range(text))


# --- All-in or fold before the flop, by an equilibrium of the stacks, blinds and prizes at hand. No-limit hold'em.

SOLVING = 0.75
"""Share of a decision's time for solving its spot where hands are dealt besides."""


class PushFold(Strategy):
    """Solves the hand as a game of all-in or fold, and plays the answer for every starting hand at once.

    What the solved game does not have is read as something that it has, or left to the player `expert`: smaller raises,
    the big blind's option, and all play after the flop. docs/play-tournaments.md says how.
    """

    class Options(Strategy.Options, frozen=True, forbid_unknown_fields=True):
        """Options of a push-or-fold player.

        solver: by number of players, the solver's name; others have the best: ``linear-program`` for two, else ``classes``.
        decide: ``best`` goes all-in with a hand if that wins more than folding, where the solver does not mix; ``solved``
            plays the solver's frequencies.
        round: stacks are solved as the nearest multiple of so many big blinds, so that answers can be used again; 0 not at
            all.
        round_share: large stacks are rounded to steps of this share of the stack instead, such as 0.1; 0 not at all.
        target: largest conditional loss, in % of all prizes or with chips of ten big blinds, at which solver ``classes``
            stops: what is lost at any decision once the hand has come to it.
        seconds: time for a decision, after which the best so far is played, whatever the solver does and however few hands
            are dealt. Without a limit (null) play depends on no clock.
        style: parameters of the player `expert`, who plays off the tree.
        """

        solver: dict[int, str] = msgspec.field(default_factory=dict)
        decide: Decide = "best"
        round: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.25
        round_share: Annotated[float, msgspec.Meta(ge=0, lt=1)] = 0.0
        target: Annotated[float, msgspec.Meta(gt=0)] = 0.05
        seconds: Annotated[float, msgspec.Meta(gt=0)] | None = 2.0
        style: Style = Style()

    def __init__(self, game: GameDef, options: Options, folder: Path, clock: Clock = time.monotonic) -> None:
        super().__init__(game, options, folder)
        for players, solver in options.solver.items():
            if solver not in SOLVERS:
                raise Misfit(f"no solver {solver!r}; there are {', '.join(SOLVERS)}", ("solver", players))
        if not (is_holdem(game, whole=True) and game.no_limit):
            raise ValueError(
                "all-in or fold is solved in no-limit hold'em; player 'formula' plays all that the highest hand wins"
            )
        self.options = options
        self.clock = clock
        self.table = decisions.table_spot(game)
        self.expert = Expert(game, Expert.Options(style=options.style), folder)

    def start_hand(self, key: HandKey) -> "PushFoldHand":
        return PushFoldHand(self, self.expert.start_hand(key))

    def warm_up(self) -> None:
        self.expert.warm_up()
        if self.table is not None:
            tables_for(self.game.num_players)
            SPOTS.profile(self.request(self.table), 1.0)
            next(decisions.sampled_deals([decisions.likely_range()]))  # loads compiled code

    def request(self, table: decisions.TableSpot) -> SolvingOptions:
        options = self.options
        spot = decisions.rounded(table.spot, options.round, options.round_share)
        return SolvingOptions(spot, options.solver.get(self.game.num_players, ""), options.decide, options.target)


@dataclass(eq=False)
class PushFoldHand(HandStrategy):
    """The answers in one hand. All come from one profile, which is solved at the first decision that needs it."""

    player: PushFold
    expert: HandStrategy
    _profile: PushFoldProfile | None = None

    def slow(self, state: State) -> bool:
        decision = self.decision(state)
        if decision is None:
            return self.expert.slow(state)
        solved = self._profile is not None or SPOTS.find(self.player.request(decision.table)) is not None
        return not solved or not decision.slots

    def rows(self, state: State) -> Rows:
        decision = self.decision(state)
        if decision is None:
            return self.expert.rows(state)
        player, seconds = self.player, self.player.options.seconds
        stop = StopCheck(seconds, player.clock)
        if self._profile is None:
            limit = seconds * SOLVING if seconds is not None and not decision.slots else seconds
            self._profile = SPOTS.profile(player.request(decision.table), limit, player.clock)
        # All-in is a call where nobody is left to raise.
        passive, active = FOLD if state.can_fold else CALL, sized_raise(state, "max") or CALL
        return either_rows(passive, active, decision.frequencies(self._profile, state, stop))

    def decision(self, state: State) -> decisions.PushFoldDecision | None:
        """Return the decision of the tree that a state is read as; None where the expert plays."""
        table = self.player.table
        return None if table is None or state.round > 0 else decisions.read_decision(table, state)


class TournamentPlayer(Strategy):
    """Plays short stacks by player `pushfold`, and deep ones by player `resolve` where its strategy fits, else by `expert`.

    A stack is short if the actor can lose few big blinds against the players still in. Antes make stacks count as shorter.
    """

    class Options(Strategy.Options, frozen=True, forbid_unknown_fields=True):
        """Options of a tournament player.

        short: most effective big blinds that `pushfold` plays: chips that the actor can lose, in units of 2/3 of all blinds
            and antes, which is a big blind where nobody pays an ante.
        pushfold: options of player `pushfold`.
        style: parameters of player `expert`.
        resolve: options of player `resolve`, which plays deep heads-up hands; the `depths` of its blueprint say which. Blinds
            may be other chips than those of its game, in the same ratio. What counts is chips: the prize that one of two
            players can expect grows evenly with its chips.
        """

        short: Annotated[float, msgspec.Meta(ge=0)] = 10.0
        pushfold: PushFold.Options = PushFold.Options()
        style: Style = Style()
        resolve: Resolve.Options | None = None

    def __init__(self, game: GameDef, options: Options, folder: Path) -> None:
        super().__init__(game, options, folder)
        self.short = options.short
        is_pushfold = is_holdem(game, whole=True) and game.no_limit
        with under("pushfold"):
            self.pushfold = PushFold(game, options.pushfold, folder) if is_pushfold else None
        self.deep: Strategy = Expert(game, Expert.Options(style=options.style), folder)
        is_deep = is_pushfold and game.num_players == 2 and not self.is_short(State.start(game))
        if is_deep and options.resolve is not None:
            make = shared_solver if is_tournament(game) else solver_for
            self.deep = make(game, options.resolve, folder) or self.deep

    def is_short(self, state: State) -> bool:
        """Return whether the actor's stack is short before the flop, where `pushfold` plays."""
        situation = Situation.of(self.game)
        posted = situation.small_blind + situation.big_blind + self.game.num_players * situation.ante
        depth = at_risk(state, state.actor) / (posted * 2 / 3) if posted else inf
        return self.pushfold is not None and depth <= self.short

    def start_hand(self, key: HandKey) -> "TournamentHand":
        short = None if self.pushfold is None else self.pushfold.start_hand(key)
        return TournamentHand(self, self.deep.start_hand(key), short)

    def warm_up(self) -> None:
        self.deep.warm_up()
        if self.pushfold is not None:
            self.pushfold.warm_up()

    def report(self) -> dict[str, int]:
        return self.deep.report()

    def checksums(self) -> tuple[str, ...]:
        return self.deep.checksums()

    def describe(self) -> dict[str, str]:
        return {"deep stacks": type(self.deep).__name__.lower(), **self.deep.describe()}


@dataclass(eq=False)
class TournamentHand(HandStrategy):
    """The answers in one hand, each by the player for the decision's stacks."""

    player: TournamentPlayer
    deep: HandStrategy
    short: HandStrategy | None

    def slow(self, state: State) -> bool:
        return self.answers(state).slow(state)

    def built_on(self, state: State) -> list[State]:
        return self.answers(state).built_on(state)

    def rows(self, state: State) -> Rows:
        return self.answers(state).rows(state)

    def took(self, state: State, action: Action) -> None:
        self.answers(state).took(state, action)

    def fork(self) -> "TournamentHand":
        return TournamentHand(self.player, self.deep.fork(), self.short)

    def answers(self, state: State) -> HandStrategy:
        """Return the hand of the player that decides in a state. After the flop, short stacks too are played by rules."""
        is_short = state.round == 0 and self.player.is_short(state)
        return self.short if self.short is not None and is_short else self.deep


def solver_for(game: GameDef, options: Resolve.Options, folder: Path) -> Resolve | None:
    """Return the player that solves, None where its strategies are for blinds in another ratio, or for other depths.

    Raises `Misfit` for a file that cannot be opened.
    """
    blueprint = options.blueprint
    with under("resolve", "blueprint", "strategy"):
        files = [StrategyFile.open(find_strategy(name, folder)) for name in listed(blueprint.strategy)]
    if not all(file.has_rules(game, bool(blueprint.depths)) for file in files):
        return None
    if any((file.game.stack, file.game.blind) != (game.stack, game.blind) for file in files):
        try:
            named_for(game, blueprint.depths)
        except ValueError:
            return None
    with under("resolve"):
        return Resolve(game, options, folder)


def shared_solver(game: GameDef, options: Resolve.Options, folder: Path) -> Resolve | None:
    """Return `solver_for` hands of tournaments, whose strategy objects are made anew for each hand.

    Hands of equal blinds whose stacks are in the same range of `depths` share one player: opening a file takes a tenth of a
    second, and the player reads the stacks from the states.
    """
    shorter, blueprint = min(game.stack) / game.big_blind, options.blueprint
    depth = next((depth for depth in blueprint.depths if depth.least <= shorter <= depth.most), None)
    if depth is not None:
        stack = max(game.big_blind, ceil(depth.least * game.big_blind))
        game = replace(game, stack=(stack,) * game.num_players, comments=())
        options = structs.replace(options, blueprint=structs.replace(blueprint, depths=(depth,)))
    return _kept_solver(game, options, folder)


_kept_solver = lru_cache(maxsize=16)(solver_for)
