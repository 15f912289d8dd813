"""How subgames are to be solved, street by street, as a bot's config says it."""

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec

from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import State
from limpet.strategies.resolving.depth_limited import LeafRules
from limpet.strategies.solutions.spot import spot_root
from limpet.strategies.solving.vector.memory import too_large, too_many_nodes
from limpet.strategies.trees.menu import STREETS, BetMenu
from limpet.strategies.trees.tree_size import count_tree

Street = Literal["flop", "turn", "river"]


class Fitted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A menu for subgames of some depth.

    Attributes:
        menu: its bets.
        spr: the largest stack-to-pot ratio at the subgame's root that it is for; without it any.
    """

    menu: BetMenu
    spr: Annotated[float, msgspec.Meta(gt=0)] | None = None


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How subgames that begin on a street are solved.

    Attributes:
        menus: from large to small; the first is taken that is for this depth, fits into memory and, with a bank, can
            be solved in the time there is.
        iterations: at most so many.
        target: exploitability in % of the pot at which a solve may stop; 0 goes on.
        seconds: at most so long for one solve, whatever the bank holds. Needs a bank.
        leaves: for the flop alone: it is solved up to the turn, where the opponent chooses how the blueprint is played
            on. Without it a subgame goes on to the end of the hand, for which flops are too large but with short stacks.
    """

    menus: tuple[Fitted, ...]
    iterations: Annotated[int, msgspec.Meta(ge=1)] = 200
    target: Annotated[float, msgspec.Meta(ge=0)] = 0.5
    seconds: Annotated[float, msgspec.Meta(gt=0)] | None = None
    leaves: LeafRules | None = None

    def fitting(self, root: State) -> list[int]:
        """The numbers of the menus that are for the depth at `root`; the last one's if none is."""
        left = min(root.game.stack) - root.max_spent
        spr = left / (root.pot + root.to_call)
        found = [number for number, fitted in enumerate(self.menus) if fitted.spr is None or spr <= fitted.spr]
        return found or [len(self.menus) - 1]


def check_menus(game: GameDef, plans: Mapping[Street, Plan]) -> None:
    """Raises `ValueError` naming street and number of a menu that subgames cannot have, or a street without one."""
    line = list(State.start(game).called_down())  # only first bets can go wrong where a menu could be read
    for street, plan in plans.items():
        if not plan.menus:
            raise ValueError(
                f"streets.{street}.menus: there is none; write for example [{{menu: {{sizes: [[[0.5, 1]]]}}}}]"
            )
        for number, fitted in enumerate(plan.menus):
            where = f"streets.{street}.menus.{number}"
            if fitted.menu.opponents is not None:
                raise ValueError(f"{where}: a subgame is solved for both positions; leave 'opponents' out")
            try:
                for state in line:
                    if state.round >= STREETS.index(street):
                        fitted.menu.raises(state)
            except ValueError as error:
                raise ValueError(f"{where}: {error}") from error
            root = _deepest(game, street, fitted, last=number + 1 == len(plan.menus))
            if plan.leaves is None and root is not None and too_large(count_tree(root, fitted.menu, too_large)):
                raise ValueError(f"{where}: in an unraised pot {too_many_nodes()}")


def _deepest(game: GameDef, street: Street, fitted: Fitted, last: bool) -> State | None:
    """The start of a street in an unraised pot, as deep as a menu is used for; None if nothing is left to bet.

    The last menu is used at any depth.
    """
    round_, pot = STREETS.index(street), 2 * game.big_blind
    behind = min(game.stack) - game.big_blind
    if fitted.spr is not None and not last:
        behind = int(min(behind, fitted.spr * pot))
    return spot_root(range(2 + round_), pot, behind, game.big_blind) if behind > 0 else None
