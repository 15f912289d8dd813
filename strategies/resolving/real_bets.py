"""A bet menu that also has bets that were really made."""

from collections.abc import Sequence

from limpet.protocol.state import State
from limpet.strategies.trees.menu import BetMenu


class RealBets(BetMenu, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A menu with one raise added at some states."""

    made: dict[str, int]  # raise-to amounts in chips, by the betting before them

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
