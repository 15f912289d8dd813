"""How subgames are to be solved, street by street, as a bot's config says it."""

from collections.abc import Mapping, Sequence
from math import inf
from typing import Annotated, Literal

import msgspec

from limpet.configs.fitting import Threads, under
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import State
from limpet.strategies.abstraction.menu import STREETS, BetMenu, stack_to_pot
from limpet.strategies.base.strategy import Strategy
from limpet.strategies.holdem.resolving.gadgets import Alternatives, Gadget
from limpet.strategies.holdem.solutions.spot import spot_root
from limpet.strategies.solvers.streets import count_tree
from limpet.strategies.solvers.vector.memory import TOO_MANY_NODES, too_large

Street = Literal["flop", "turn", "river"]

Nested = Literal["after", "before"]
"""Where a subgame begins that answers a bet off the tree: after the bet, or before it with the bet added."""


class DepthMenu(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bet menu for subgames whose root has a stack-to-pot ratio of at most `spr`; of any depth without.

    merge: which next cards share a board, see `boards.next_cards`; ``groups`` halves the time of turns, and costs the more the narrower
    the ranges are.
    """

    menu: BetMenu
    spr: Annotated[float, msgspec.Meta(gt=0)] | None = None
    merge: Literal["suits", "groups"] = "suits"


class ResolvingPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How subgames that begin on a street are solved.

    Attributes:
        menus: from large to small; the first is taken that is for this depth, fits into memory and, with a bank, can
            be solved in the time there is.
        iterations: most iterations of a solve.
        target: exploitability in % of the pot at which a solve may stop; 0 never stops early.
        seconds: seconds after which a solve ends, whatever the bank holds; only the ten iterations that are the fewest worth
            playing may take more of the bank. Needs a bank.
        runouts: ``all`` turns and rivers with exact cards, for which flops are too large but with short stacks; or
            ``sampled``, one in each iteration, with hands in the blueprint's buckets on turn and river, for flops alone.
        most_spr: largest stack-to-pot ratio at the beginning of the street with which it is solved; deeper it is played as
            without the plan. None solves it at every depth.
        most_bb: largest effective stack at the beginning of the hand, in big blinds, with which the street is solved, likewise.
    """

    menus: tuple[DepthMenu, ...]
    iterations: Annotated[int, msgspec.Meta(ge=1)] = 200
    target: Annotated[float, msgspec.Meta(ge=0)] = 0.5
    seconds: Annotated[float, msgspec.Meta(gt=0)] | None = None
    runouts: Literal["all", "sampled"] = "all"
    most_spr: Annotated[float, msgspec.Meta(gt=0)] | None = None
    most_bb: Annotated[float, msgspec.Meta(gt=0)] | None = None

    def solves(self, beginning: State) -> bool:
        """Return whether the street that begins at a state is solved, which it is if neither pot nor stacks are too deep.

        The stack-to-pot ratio never rises in a hand: what is solved at one state's depth is at those of all states after it.
        """
        is_shallow = self.most_spr is None or stack_to_pot(beginning) <= self.most_spr
        return is_shallow and self.fits(beginning.game)

    def fits(self, game: GameDef) -> bool:
        """Return whether the street is solved with the stacks of a game, if only in some of its hands."""
        return self.most_bb is None or min(game.stack) / game.big_blind <= self.most_bb

    def fitting(self, root: State) -> list[int]:
        """Return the indices of the menus that are for the depth at `root`; that of the last menu if none is."""
        spr = stack_to_pot(root)
        fitting = [index for index, menu in enumerate(self.menus) if menu.spr is None or spr <= menu.spr]
        return fitting or [len(self.menus) - 1]


class PreflopPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the betting before the flop is solved after a raise that the blueprint's tree lacks, and with other stacks.

    Attributes:
        menu: the raises beside the real one.
        iterations: iterations of a solve.
    """

    menu: BetMenu
    iterations: Annotated[int, msgspec.Meta(ge=1)] = 800


class SubgameRules(Strategy.Options, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How one player solves subgames: a part of `players.resolve.Resolve.Options`, which explains the fields."""

    streets: dict[Street, ResolvingPlan]
    preflop: PreflopPlan | None = None
    mix: Annotated[float, msgspec.Meta(ge=0, lt=1)] = 0.02
    gadget: Gadget = "unsafe"
    first_gadget: Gadget = "unsafe"
    first_promise: Alternatives = "own"
    nested: Nested = "before"
    threads: Threads = 2
    ponder: bool = False

    @property
    def plans(self) -> dict[int, ResolvingPlan]:
        """The plan of each street that has one, by round."""
        return {STREETS.index(street): plan for street, plan in self.streets.items()}

    def plan(self, state: State) -> ResolvingPlan | None:
        """Return the plan for a subgame that begins at a state of the flop or later.

        It is that of the state's street, or of the last one before it that this hand has solved; None if there is none, so that the
        blueprint plays.
        """
        for round_, plan in sorted(self.plans.items(), reverse=True):
            if round_ <= state.round and plan.solves(_beginning(state, round_)):
                return plan
        return None


def _beginning(state: State, round_: int) -> State:
    """Return the state of the hand before `state`, or itself, at which a round begins."""
    while state.parent is not None and state.parent.round >= round_:
        state = state.parent
    return state


def check_plans(game: GameDef, plans: Mapping[Street, ResolvingPlan], has_bank: bool) -> None:
    """Raise `ValueError` for plans that contradict each other or the bank, and for menus that subgames cannot have."""
    timed = [street for street, plan in plans.items() if plan.seconds is not None]
    if timed and not has_bank:
        raise ValueError(
            f"the {timed[0]} has 'seconds', and there is no 'bank': without one no clock is looked at; add 'bank: {{}}' "
            "for the competition's time, or bound the solves by 'iterations'"
        )
    sampled = [street for street, plan in plans.items() if plan.runouts == "sampled"]
    if sampled and (sampled != ["flop"] or "turn" not in plans):
        raise ValueError(
            "'runouts: sampled' is for the flop, in a bot that solves the turn as well; leave it out on other streets, or "
            "say under 'turn' how that is solved"
        )
    for bound in ("most_spr", "most_bb") if sampled else ():
        flop, turn = (getattr(plans[street], bound) or inf for street in ("flop", "turn"))
        if turn < flop:
            with under("streets", "turn", bound):
                raise ValueError(
                    "it is below the flop's, and with 'runouts: sampled' the turn after a flop that was solved has to be "
                    "solved as well; write no less here than at the flop, or leave it out"
                )
    for street, plan in plans.items():
        with under("streets", street, "menus"):
            _check_menus(game, STREETS.index(street), plan)


def _check_menus(game: GameDef, round_: int, plan: ResolvingPlan) -> None:
    """Raise `Misfit` with the index of a menu that subgames cannot have, or for a street without menus."""
    if not plan.menus:
        raise ValueError("there is none; write for example [{menu: {sizes: [[[0.5, 1]]]}}]")
    # Of a menu that could be read only first bets can go wrong, so that one line of checks and calls finds them all.
    line = [state for state in State.start(game).called_down() if state.round >= round_]
    for index, depth_menu in enumerate(plan.menus):
        with under(index):
            if depth_menu.merge == "groups" and (round_ == 3 or plan.runouts == "sampled"):
                raise ValueError("no next cards are merged here; leave 'merge' out")
            if depth_menu.menu.opponents is not None:
                raise ValueError("a subgame is solved for both positions; leave 'opponents' out")
            for state in line:
                depth_menu.menu.raises(state)
            pot, behind = 2 * game.big_blind, min(game.stack) - game.big_blind  # the deepest spot: in an unraised pot
            last = index + 1 == len(plan.menus)
            if plan.most_bb is not None:
                behind = int(min(behind, (plan.most_bb - 1) * game.big_blind))
            for most_spr in (plan.most_spr, None if last else depth_menu.spr):
                if most_spr is not None:
                    behind = int(min(behind, most_spr * pot))
            if behind > 0:
                root = spot_root(range(2 + round_), pot, behind, game.big_blind)
                if too_large(count_tree(root, depth_menu.menu, too_large)):
                    raise ValueError(f"in an unraised pot {TOO_MANY_NODES}")


# --- A bet menu that also has bets that were really made.


class RealBets(BetMenu, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A menu with one raise added at some states: `made` has raise-to amounts in chips, by the betting before them."""

    made: dict[str, int]

    def raises(self, state: State) -> tuple[int, ...]:
        kept = super().raises(state)
        real = self.made.get(state.betting)
        return kept if real is None or real in kept else tuple(sorted((*kept, real)))


def with_bets(menu: BetMenu, real_bets: dict[str, int]) -> BetMenu:
    """Return `menu` with the raises of `real_bets`: raise-to amounts in chips, by the betting before them."""
    if not real_bets:
        return menu
    return RealBets(**{name: getattr(menu, name) for name in menu.__struct_fields__}, made=real_bets)


def raises_made(root: State, state: State, menus: Sequence[BetMenu] = ()) -> dict[str, int]:
    """Return the raises that lead from `root` to `state`, by the betting before them, without those in all of `menus`."""
    real_bets = {}
    while state.betting != root.betting and state.parent is not None and state.action is not None:
        before, size = state.parent, state.action.size
        if state.action.kind == "r" and not (menus and all(size in menu.raises(before) for menu in menus)):
            real_bets[before.betting] = size
        state = before
    return real_bets
