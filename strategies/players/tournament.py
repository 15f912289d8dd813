"""The player of tournaments: it hands each decision to the player for the stacks at hand. Hold'em."""

from dataclasses import replace
from functools import lru_cache
from math import ceil, inf
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import structs

from limpet.configs.fitting import under
from limpet.protocol.gamedef import GameDef
from limpet.protocol.situation import Situation, is_tournament
from limpet.protocol.state import Action, State
from limpet.strategies.blueprint.seat import named_for
from limpet.strategies.blueprint.strategy_file import StrategyFile
from limpet.strategies.cards.handspace import is_holdem
from limpet.strategies.expert.style import Style
from limpet.strategies.players.blueprint import Blueprint
from limpet.strategies.players.expert import Expert
from limpet.strategies.players.pushfold import PushFold
from limpet.strategies.raises import at_risk
from limpet.strategies.storage.folders import find_strategy
from limpet.strategies.strategy import HandKey, HandStrategy, Rows, Strategy


class Tournament(Strategy):
    """Plays short stacks by player `pushfold`, and deep ones by a strategy file where there is one, else by `expert`.

    A stack is short if the actor can lose few big blinds against the players still in. Antes make stacks count as shorter.
    """

    class Options(Strategy.Options, frozen=True, forbid_unknown_fields=True):
        """Options of a tournament player.

        short: most effective big blinds that `pushfold` plays: chips that the actor can lose, in units of 2/3 of all blinds
            and antes, which is a big blind where nobody pays an ante.
        pushfold: options of player `pushfold`.
        style: parameters of player `expert`.
        blueprint: options of player `blueprint`, which plays deep heads-up hands; its `depths` say which. Blinds may be
            other chips than those of its game, in the same ratio.
        """

        short: Annotated[float, msgspec.Meta(ge=0)] = 10.0
        pushfold: PushFold.Options = PushFold.Options()
        style: Style = Style()
        blueprint: Blueprint.Options | None = None

    def __init__(self, game: GameDef, options: Options, folder: Path) -> None:
        super().__init__(game, options, folder)
        self.short = options.short
        is_pushfold = is_holdem(game, whole=True) and game.no_limit
        with under("pushfold"):
            self.pushfold = PushFold(game, options.pushfold, folder) if is_pushfold else None
        self.deep: Strategy = Expert(game, Expert.Options(style=options.style), folder)
        is_deep = is_pushfold and game.num_players == 2 and not self.is_short(State.start(game))
        if is_deep and options.blueprint is not None:
            make = shared_blueprint if is_tournament(game) else blueprint_for
            self.deep = make(game, options.blueprint, folder) or self.deep

    def is_short(self, state: State) -> bool:
        """Return whether the actor's stack is short before the flop, where `pushfold` plays."""
        situation = Situation.of(self.game)
        posted = situation.small_blind + situation.big_blind + self.game.num_players * situation.ante
        depth = at_risk(state, state.actor) / (posted * 2 / 3) if posted else inf
        return self.pushfold is not None and depth <= self.short

    def start_hand(self, key: HandKey) -> "TournamentHand":
        return TournamentHand(self, key)

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


class TournamentHand(HandStrategy):
    """The answers in one hand, each by the player for the decision's stacks."""

    def __init__(self, player: Tournament, key: HandKey) -> None:
        self.player = player
        self.short = None if player.pushfold is None else player.pushfold.start_hand(key)
        self.deep = player.deep.start_hand(key)

    def slow(self, state: State) -> bool:
        return self.answers(state).slow(state)

    def rows(self, state: State) -> Rows:
        return self.answers(state).rows(state)

    def took(self, state: State, action: Action) -> None:
        self.answers(state).took(state, action)

    def answers(self, state: State) -> HandStrategy:
        """Return the hand of the player that decides in a state. After the flop, short stacks too are played by rules."""
        if self.short is not None and state.round == 0 and self.player.is_short(state):
            return self.short
        return self.deep


def blueprint_for(game: GameDef, options: Blueprint.Options, folder: Path) -> Blueprint | None:
    """Return the player of strategy files, None where they are for blinds in another ratio, or for other depths.

    Raises `Misfit` for a file that cannot be opened.
    """
    names = (options.strategy,) if isinstance(options.strategy, str) else options.strategy
    with under("blueprint", "strategy"):
        files = [StrategyFile.open(find_strategy(name, folder)) for name in names]
    if not all(file.has_rules(game, bool(options.depths)) for file in files):
        return None
    if any((file.game.stack, file.game.blind) != (game.stack, game.blind) for file in files):
        try:
            named_for(game, options.depths)
        except ValueError:
            return None
    with under("blueprint"):
        return Blueprint(game, options, folder)


def shared_blueprint(game: GameDef, options: Blueprint.Options, folder: Path) -> Blueprint | None:
    """Return `blueprint_for` hands of tournaments, whose strategy objects are made anew for each hand.

    Hands of equal blinds whose stacks are in the same range of `depths` share one player: opening a file takes a tenth of a
    second, and the player reads the stacks from the states.
    """
    shorter = min(game.stack) / game.big_blind
    depth = next((depth for depth in options.depths if depth.least <= shorter <= depth.most), None)
    if depth is not None:
        stack = max(game.big_blind, ceil(depth.least * game.big_blind))
        game = replace(game, stack=(stack,) * game.num_players, comments=())
        options = structs.replace(options, depths=(depth,))
    return _kept_blueprint(game, options, folder)


_kept_blueprint = lru_cache(maxsize=16)(blueprint_for)
