"""The facts of a hand that follow from its betting alone, so that they are computed once for each betting sequence."""

from collections.abc import Sequence
from typing import NamedTuple

from limpet.protocol.handhistory import contested_pot
from limpet.protocol.phases import BET
from limpet.protocol.state import State

FOLD, CHECK, CALL, RAISE = range(4)
"""Kinds of decisions. A bet is a raise."""


class BettingFacts(NamedTuple):
    """The facts of a finished hand."""

    round: int
    """Last street that was dealt."""
    pot: int
    """All chips but those that nobody matched."""
    showdown: bool
    folded: int
    """Bit p is set when position p has folded."""
    decisions: tuple[tuple[int, int], ...]
    """Position and ``4 * round + kind`` of every decision but draws, in order."""
    entered: tuple[int, ...]
    """Positions that put chips in voluntarily in the first round (VPIP)."""
    raised: tuple[int, ...]
    """Positions that raised in the first round (PFR)."""
    saw_second: tuple[int, ...]
    """Positions that were still in the hand in the second round; all of them in a game of one round."""


def betting_facts(end: State) -> BettingFacts:
    """Return the facts of a hand that ended in `end`."""
    decisions: list[tuple[int, int]] = []
    for state in end.path():
        before, action = state.parent, state.action
        if before is None or action is None or before.phase is not BET:
            continue
        call = CALL if before.to_call else CHECK
        kind = {"f": FOLD, "r": RAISE}.get(action.kind, call)
        decisions.append((before.actor, 4 * before.round + kind))

    entered = {position for position, decision in decisions if decision in (CALL, RAISE)}
    raised = {position for position, decision in decisions if decision == RAISE}
    saw_second: Sequence[int] = range(end.game.num_players)
    if end.game.num_rounds > 1:
        folded = {position for position, decision in decisions if decision == FOLD}
        saw_second = [position for position in saw_second if position not in folded] if end.round > 0 else []
    return BettingFacts(
        round=end.round,
        pot=contested_pot(end.spent),
        showdown=end.showdown,
        folded=end.folded,
        decisions=tuple(decisions),
        entered=tuple(sorted(entered)),
        raised=tuple(sorted(raised)),
        saw_second=tuple(saw_second),
    )
