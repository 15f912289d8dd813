"""All-in or fold before the flop, by an equilibrium of the stacks, blinds and prizes at hand. No-limit hold'em."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.configs.fitting import Misfit
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import CALL, FOLD, State
from limpet.strategies.cards.handspace import is_holdem
from limpet.strategies.expert.style import Style
from limpet.strategies.players.expert import Expert
from limpet.strategies.players.jam import either_rows
from limpet.strategies.pushfold.answer import Clock, Stop
from limpet.strategies.pushfold.deal_tables import tables_for
from limpet.strategies.pushfold.decisions import Decision, TableSpot, read_decision, rounded, table_spot
from limpet.strategies.pushfold.hand_values import likely_range, sampled_deals
from limpet.strategies.pushfold.profile import Profile
from limpet.strategies.pushfold.solve import SOLVERS
from limpet.strategies.pushfold.solved_spots import SPOTS, Decide, Request
from limpet.strategies.raises import sized_raise
from limpet.strategies.strategy import HandKey, HandStrategy, Rows, Strategy

Frequencies = NDArray[np.float64]

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
            raise ValueError("all-in or fold is solved in no-limit hold'em; player 'expert' plays this game")
        self.options = options
        self.clock = clock
        self.table = table_spot(game)
        self.expert = Expert(game, Expert.Options(style=options.style), folder)

    def start_hand(self, key: HandKey) -> "PushFoldHand":
        return PushFoldHand(self, self.expert.start_hand(key))

    def warm_up(self) -> None:
        self.expert.warm_up()
        if self.table is not None:
            tables_for(self.game.num_players)
            SPOTS.profile(self.request(self.table), 1.0)
            next(sampled_deals([likely_range()]))  # loads compiled code

    def request(self, table: TableSpot) -> Request:
        options = self.options
        spot = rounded(table.spot, options.round, options.round_share)
        return Request(spot, options.solver.get(self.game.num_players, ""), options.decide, options.target)


@dataclass(eq=False)
class PushFoldHand(HandStrategy):
    """The answers in one hand. All come from one profile, which is solved at the first decision that needs it."""

    player: PushFold
    expert: HandStrategy
    _profile: Profile | None = None

    def slow(self, state: State) -> bool:
        decision = self.decision(state)
        if decision is None:
            return self.expert.slow(state)
        solved = self._profile is not None or SPOTS.find(self.player.request(decision.table)) is not None
        return not solved or decision.is_outside

    def rows(self, state: State) -> Rows:
        decision = self.decision(state)
        if decision is None:
            return self.expert.rows(state)
        player, seconds = self.player, self.player.options.seconds
        stop = Stop(seconds, player.clock)
        if self._profile is None:
            limit = seconds * SOLVING if seconds is not None and decision.is_outside else seconds
            self._profile = SPOTS.profile(player.request(decision.table), limit, player.clock)
        return all_in_rows(state, decision.frequencies(self._profile, state, stop))

    def decision(self, state: State) -> Decision | None:
        """Return the decision of the tree that a state is read as; None where the expert plays."""
        table = self.player.table
        return None if table is None or state.round > 0 else read_decision(table, state)


def all_in_rows(state: State, frequencies: Frequencies) -> Rows:
    """Return the rows of going all-in with some frequency ``[class]``, and of folding or checking else.

    All-in is a call where nobody is left to raise.
    """
    return either_rows(FOLD if state.can_fold else CALL, sized_raise(state, "max") or CALL, frequencies)
