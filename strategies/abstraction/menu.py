"""Bet menus: which raises an abstract game keeps."""

from typing import Literal

import msgspec

from limpet.protocol.state import CALL, FOLD, RAISE, Action, State, raise_to

Size = float | Literal["min"]


class BetMenu(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Raise sizes per round and per number of raises already made in the round.

    A size x is a pot fraction: call, then raise by x times the pot after calling; ``min`` is the smallest legal raise.
    Rounds or raises beyond the lists use the last entry, so a final empty list means "from here on only all-in".
    """

    sizes: tuple[tuple[tuple[Size, ...], ...], ...]
    all_in_spr: float | None = None
    """All-in is offered when the stack behind after calling is at most this many pots; None offers it always."""
    all_in_share: float = 0.6
    """A sized raise that takes more than this share of what is left after calling is dropped (all-in stands for it)."""

    def raises(self, state: State) -> tuple[int, ...]:
        """Raise-to amounts kept for the actor, ascending. Empty when raising is illegal, never otherwise."""
        bounds = state.raise_bounds()
        if bounds is None:
            return ()
        low, high = bounds
        by_round = self.sizes[min(state.round, len(self.sizes) - 1)]
        fractions = by_round[min(state.raises, len(by_round) - 1)]
        pot = state.pot + state.to_call
        left = state.game.stack[state.actor] - state.max_spent
        kept = set()
        for size in fractions:
            target = low if size == "min" else max(low, int(state.max_spent + size * pot))
            if target < high and target - state.max_spent <= self.all_in_share * left:
                kept.add(target)
        if not kept or self.all_in_spr is None or left <= self.all_in_spr * pot:
            kept.add(high)
        return tuple(sorted(kept))


def abstract_actions(state: State, menu: BetMenu | None) -> tuple[Action, ...]:
    """The actor's actions in fixed order: fold, call, raises ascending. Without a menu: all of a limit game's."""
    actions = [FOLD] if state.can_fold else []
    actions.append(CALL)
    if not state.game.no_limit:
        if state.raise_bounds() is not None:
            actions.append(RAISE)
    elif menu is not None:
        actions += [raise_to(chips) for chips in menu.raises(state)]
    else:
        raise ValueError("a no-limit game needs a bet menu")
    return tuple(actions)
