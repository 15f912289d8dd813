"""What the betting of a hand says, whoever played it and whatever the cards were: counted once for each betting sequence."""

from typing import NamedTuple

from limpet.protocol.handhistory import contested_pot
from limpet.protocol.state import State

FOLD, CHECK, CALL, RAISE = range(4)
"""Kinds of decisions; a bet is a raise."""


class BettingFacts(NamedTuple):
    """Of a finished hand. Chips are whole numbers."""

    round: int
    """The last street that was dealt."""
    pot: int
    """What was played for: all chips but those that nobody matched."""
    showdown: bool
    folded: int
    """Bit p is set when position p has folded."""
    decisions: tuple[tuple[int, int], ...]
    """Position and ``4 * round + kind`` of every decision, in order."""
    entered: tuple[int, ...]
    """Positions that put chips in of their own will in the first round (VPIP)."""
    raised: tuple[int, ...]
    """Positions that raised in the first round (PFR)."""
    saw_second: tuple[int, ...]
    """Positions that were still in the hand in the second round; all in the first, if there is only one."""


def betting_facts(end: State) -> BettingFacts:
    """The facts of a hand that ended in `end`."""
    decisions: list[tuple[int, int]] = []
    entered: set[int] = set()
    raised: set[int] = set()
    folded_first: set[int] = set()
    for state in end.path():
        before, action = state.parent, state.action
        if before is None or action is None:
            continue
        actor = before.actor
        if action.kind == "f":
            kind = FOLD
        elif action.kind == "r":
            kind = RAISE
        else:
            kind = CALL if before.to_call else CHECK
        decisions.append((actor, 4 * before.round + kind))
        if before.round == 0:
            if kind in (CALL, RAISE):
                entered.add(actor)
            if kind == RAISE:
                raised.add(actor)
            if kind == FOLD:
                folded_first.add(actor)
    players = range(end.game.num_players)
    goes_on = end.round > 0 or end.game.num_rounds == 1
    return BettingFacts(
        round=end.round,
        pot=contested_pot(end.spent),
        showdown=end.showdown,
        folded=end.folded,
        decisions=tuple(decisions),
        entered=tuple(sorted(entered)),
        raised=tuple(sorted(raised)),
        saw_second=tuple(p for p in players if goes_on and (p not in folded_first or end.game.num_rounds == 1)),
    )
