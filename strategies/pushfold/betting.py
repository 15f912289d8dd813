"""Real betting before the flop, read as betting of a push-or-fold tree."""

from dataclasses import dataclass, field
from itertools import pairwise

from limpet.protocol.state import State
from limpet.strategies.raises import at_risk

COMMITTED = 1 / 3
"""Part of the chips at risk from which a raise or a call counts as all-in (the 2011 thesis's notes leave this open)."""


@dataclass
class Betting:
    """The betting before a decision, as a push-or-fold tree reads it.

    Attributes:
        all_in: positions that count as all-in by their own actions, in the order in which they went in.
        limpers: positions that have called or raised less and are still in.
        is_raised: whether somebody raised by less than what counts as all-in, before anybody went all-in.
    """

    all_in: list[int] = field(default_factory=list)
    limpers: set[int] = field(default_factory=set)
    is_raised: bool = False


def read_betting(state: State) -> Betting:
    """Return the betting that led to a state before the flop.

    A raise or call that puts in `COMMITTED` of what the player can lose counts as all-in, and so does every raise or call
    after somebody is all-in. A smaller call is a limp.
    """
    betting = Betting()
    for before, after in pairwise(state.path()):
        actor, action = before.actor, after.action
        assert action is not None
        if action.kind == "f":
            betting.limpers.discard(actor)
        elif betting.all_in or after.spent[actor] >= COMMITTED * at_risk(before, actor):
            betting.limpers.discard(actor)
            if actor not in betting.all_in:
                betting.all_in.append(actor)
        else:
            betting.limpers.add(actor)
            betting.is_raised |= action.kind == "r"
    betting.all_in = [position for position in betting.all_in if not state.has_folded(position)]
    return betting


def posted_all_in(state: State) -> list[int]:
    """Return the positions whose blind and ante took all their chips."""
    return [position for position, chips in enumerate(state.game.stack) if state.game.blind[position] >= chips]
