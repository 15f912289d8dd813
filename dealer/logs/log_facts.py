"""The facts of a hand that follow from its betting alone, so that they are computed once for each betting sequence."""

from collections.abc import Sequence
from typing import NamedTuple

from limpet.protocol.handhistory import contested_pot
from limpet.protocol.phases import BET
from limpet.protocol.state import State

FOLD, CHECK, CALL, RAISE = range(4)
"""Kinds of decisions. A bet is a raise."""
KNOWN_FACTS = 1 << 15
"""Number of betting sequences whose facts are remembered."""
_KINDS = {"f": FOLD, "r": RAISE}


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


_known: dict[tuple[object, ...], BettingFacts] = {}
"""Facts by the betting, the chips put in and the blinds, of all files that this process reads."""


def betting_facts(end: State) -> BettingFacts:
    """Return the facts of a hand that ended in `end`, which are computed once for each betting sequence."""
    key = (end.betting, end.spent, end.game.blind)
    facts = _known.get(key)
    if facts is None:
        if len(_known) >= KNOWN_FACTS:
            _known.clear()
        facts = _known[key] = _facts(end)
    return facts


def _facts(end: State) -> BettingFacts:
    decisions: list[tuple[int, int]] = []
    for state in end.path():
        before, action = state.parent, state.action
        if before is None or action is None or before.phase is not BET:
            continue
        actor = before.actor
        call = CALL if before.max_spent != before.spent[actor] else CHECK
        decisions.append((actor, 4 * before.round + _KINDS.get(action.kind, call)))

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
