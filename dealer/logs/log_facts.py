"""The facts of a hand that follow from its betting alone, so that they are computed once for each betting sequence."""

from array import array
from collections.abc import Iterator
from typing import NamedTuple

from limpet.protocol.handhistory import contested_pot, uncalled
from limpet.protocol.phases import BET
from limpet.protocol.state import State

FOLD, CHECK, CALL, RAISE = range(4)
"""Kinds of decisions. A bet is a raise."""
HANDS, ENTERED, RAISED, SAW_SECOND, SHOWDOWNS, WON = range(6)
"""A player's counters of hands: all, voluntary chips in the first round, a raise in the first round, the second round seen,
a showdown, a share of a pot won at a showdown. Counters of decisions by ``4 * round + kind`` follow."""
COUNTERS = 6
"""Number of counters of hands, which precede the counters of decisions."""
KNOWN_FACTS = 1 << 15
"""Number of betting sequences whose facts are remembered."""
_KINDS = {"f": FOLD, "r": RAISE}


class BettingFacts(NamedTuple):
    """The facts of a finished hand."""

    round: int  # last street that was dealt
    pot: int  # chips in the pot without the uncalled ones
    showdown: bool
    counters: bytes  # [position, counter]: what the hand adds to the counters of its players, if all who show win
    lost: bytes  # float64 [position]: net chips of a player who gets back no more than what nobody called


_facts_by_key: dict[tuple[object, ...], BettingFacts] = {}
"""Facts by the betting, the chips put in and the blinds, of all files that this process reads."""


def betting_facts(end: State) -> BettingFacts:
    """Return the facts of a hand that ended in `end`, which are computed once for each betting sequence."""
    key = (end.betting, end.spent, end.game.blind)
    facts = _facts_by_key.get(key)
    if facts is None:
        if len(_facts_by_key) >= KNOWN_FACTS:
            _facts_by_key.clear()
        facts = _facts_by_key[key] = _facts(end)
    return facts


def _facts(end: State) -> BettingFacts:
    players, rounds = end.game.num_players, end.game.num_rounds
    width = COUNTERS + 4 * rounds
    counters = bytearray(players * width)
    for position, decision in decisions(end):
        counters[position * width + COUNTERS + decision] += 1
    for position in range(players):
        at = position * width
        folds, _, calls, raises = counters[at + COUNTERS : at + COUNTERS + 4]
        saw_second = rounds == 1 or (end.round > 0 and not folds)
        shows = end.showdown and not end.has_folded(position)
        counters[at : at + COUNTERS] = bytes((1, calls + raises > 0, raises > 0, saw_second, shows, shows))
    most, back = uncalled(end.spent)
    lost = array("d", (back * (position == most) - chips for position, chips in enumerate(end.spent)))
    return BettingFacts(end.round, contested_pot(end.spent), end.showdown, bytes(counters), lost.tobytes())


def decisions(end: State) -> Iterator[tuple[int, int]]:
    """Yield the position and ``4 * round + kind`` of every decision but draws, in order."""
    for state in end.path():
        before, action = state.parent, state.action
        if before is None or action is None or before.phase is not BET:
            continue
        actor = before.actor
        call = CALL if before.max_spent != before.spent[actor] else CHECK
        yield actor, 4 * before.round + _KINDS.get(action.kind, call)
