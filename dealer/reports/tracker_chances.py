"""The statistics that trackers of poker hands show, and the chances that one hand gives each of its players for them.

The definitions are those of trackers such as PokerTracker 4: a player has a chance for a statistic when the situation
comes up, and the statistic is the share of chances that were taken.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from limpet.protocol.gamedef import BET, GameDef
from limpet.protocol.handhistory import antes, has_new_posts, is_idle, signed_posts
from limpet.protocol.state import State

GROUPS = ("position", "players", "depth")
"""What hands can be counted apart by."""
POSITIONS = ("EP", "HJ", "CO", "BTN", "SB", "BB")
"""Names of positions in order of play before the flop, with more than two players."""


class Statistic(NamedTuple):
    """A statistic's short name, and the sentence that says what a chance is and when it is taken."""

    name: str
    meaning: str


_BEFORE_FLOP = (
    Statistic(
        "VPIP", "puts chips in of one's own will in the first round: a call or a raise, in hands with a decision"
    ),
    Statistic("PFR", "raises in the first round, in hands with a decision"),
    Statistic("3-bet", "raises where there is one raise"),
    Statistic("fold to 3-bet", "folds to a second raise after having made the first"),
    Statistic("4-bet", "raises where there are two raises, the second another player's"),
    Statistic("fold to 4-bet", "folds to a third raise after having made the second"),
    Statistic("squeeze", "raises where there is one raise, and somebody has called it"),
    Statistic("steal", "raises first in, with nobody in before, from the cutoff, the button or the small blind"),
    Statistic("fold to steal", "folds a blind to a steal that nobody else has called"),
    Statistic("3-bet steal", "raises from a blind against a steal that nobody else has called"),
)
_AFTER_FLOP = (
    Statistic("c-bet", "bets first after the last raise of the street before was one's own; each c-bet follows one"),
    Statistic("fold to c-bet", "folds to a c-bet that nobody has raised"),
    Statistic("check-raise", "raises a bet after having checked"),
    Statistic("aggression", "bets or raises, of all that one does but checks"),
)
_IN_THE_END = (
    Statistic("WWSF", "wins a share of a pot, in hands that went past the first round with the player in"),
    Statistic("WTSD", "shows down, in the same hands"),
    Statistic("W$SD", "wins a share of a pot at a showdown"),
)
VPIP, PFR, THREE_BET, FOLD_TO_THREE_BET, FOUR_BET, FOLD_TO_FOUR_BET, SQUEEZE = range(7)
STEAL, FOLD_TO_STEAL, THREE_BET_STEAL = range(7, len(_BEFORE_FLOP))
C_BET, FOLD_TO_C_BET, CHECK_RAISE, AGGRESSION = range(len(_AFTER_FLOP))
WON_AFTER_FLOP, WENT_TO_SHOWDOWN, WON_AT_SHOWDOWN = range(-len(_IN_THE_END), 0)


def statistics(streets: tuple[str, ...]) -> tuple[Statistic, ...]:
    """Return the statistics of a game whose rounds have these names, in the order in which chances number them."""
    later = (Statistic(f"{name} {street}", meaning) for street in streets[1:] for name, meaning in _AFTER_FLOP)
    return (*_BEFORE_FLOP, *later, *_IN_THE_END)


def number_of_statistics(game: GameDef) -> int:
    """Return the length of `statistics` for a game."""
    return len(_BEFORE_FLOP) + len(_AFTER_FLOP) * (game.num_rounds - 1) + len(_IN_THE_END)


class Chance(NamedTuple):
    """A position's chance for the statistic of a number, and whether it was taken.

    Whether a pot was won follows from cards: the chances of `WON_AFTER_FLOP` and `WON_AT_SHOWDOWN` are told as taken by all
    who have not folded.
    """

    position: int
    statistic: int
    taken: bool


def chances(end: State) -> Iterator[Chance]:
    """Yield the chances that a finished hand gave, by its betting alone."""
    path = list(end.path())
    decisions = [
        (before, after.action.kind)
        for before, after in pairwise(path)
        if after.action is not None and before.phase is BET and not is_idle(before)
    ]
    rounds = [[(state, kind) for state, kind in decisions if state.round == r] for r in range(end.game.num_rounds)]
    yield from _first_round(rounds[0])
    initiative = _last_raiser(rounds[0])
    for round_ in range(1, end.game.num_rounds):
        base = len(_BEFORE_FLOP) + len(_AFTER_FLOP) * (round_ - 1)
        has_continued = False
        for chance in _later_round(rounds[round_], initiative):
            has_continued |= chance.statistic == C_BET and chance.taken
            yield chance._replace(statistic=base + chance.statistic)
        if not has_continued or _last_raiser(rounds[round_]) != initiative:
            initiative = -1
    yield from _in_the_end(end, [state.actor for state, kind in rounds[0] if kind == "f"])


Decisions = list[tuple[State, str]]
"""Decisions of a round in order: the state in which a player acted, and the kind of action."""


def _last_raiser(decisions: Decisions) -> int:
    return next((state.actor for state, kind in reversed(decisions) if kind == "r"), -1)


def _first_round(decisions: Decisions) -> Iterator[Chance]:
    raisers: list[int] = []
    callers = 0  # since the last raise, or of the big blind
    is_steal = False
    entered: dict[int, tuple[bool, bool]] = {}
    for state, kind in decisions:
        actor, may_raise = state.actor, state.raise_bounds() is not None
        is_raise = kind == "r"
        put_in, raised = entered.get(actor, (False, False))
        entered[actor] = (put_in or is_raise or (kind == "c" and state.to_call > 0), raised or is_raise)
        against = raisers[-1:] != [actor]
        if not raisers and not callers and may_raise and actor in _stealers(state.game):
            yield Chance(actor, STEAL, is_raise)
            is_steal = is_raise
        elif len(raisers) == 1 and against:
            if may_raise:
                yield Chance(actor, THREE_BET, is_raise)
                if callers:
                    yield Chance(actor, SQUEEZE, is_raise)
            if is_steal and not callers and actor in _blinds(state.game):
                yield Chance(actor, FOLD_TO_STEAL, kind == "f")
                if may_raise:
                    yield Chance(actor, THREE_BET_STEAL, is_raise)
        elif len(raisers) == 2 and against:
            if actor == raisers[0]:
                yield Chance(actor, FOLD_TO_THREE_BET, kind == "f")
            if may_raise:
                yield Chance(actor, FOUR_BET, is_raise)
        elif len(raisers) == 3 and actor == raisers[1]:
            yield Chance(actor, FOLD_TO_FOUR_BET, kind == "f")
        if is_raise:
            raisers.append(actor)
            callers = 0
        callers += kind == "c" and state.to_call > 0
    for actor, (put_in, raised) in entered.items():
        yield Chance(actor, VPIP, put_in)
        yield Chance(actor, PFR, raised)


def _blinds(game: GameDef) -> list[int]:
    """Return the positions that post a blind or a straddle."""
    if has_new_posts(game):
        return [position for position, post in enumerate(signed_posts(game) or game.blind) if post > 0]
    posts = zip(game.blind, antes(game), strict=True)
    return [position for position, (post, ante) in enumerate(posts) if post > ante]


def _stealers(game: GameDef) -> list[int]:
    """Return the small blind, the button and the seat before it, without the big blind.

    Heads-up the button posts the small blind.
    """
    players = game.num_players
    blinds = _blinds(game)
    big = max(blinds, key=game.blind.__getitem__, default=-1)
    button = (game.first_player[-1] - 1) % players
    late = {button, (button - 1) % players, *blinds}
    return sorted(late - {big})


def _later_round(decisions: Decisions, initiative: int) -> Iterator[Chance]:
    """Yield the chances of a round after the first; their statistics are numbered from 0.

    initiative: who may make a c-bet, -1 if nobody.
    """
    bets = 0
    is_c_bet = False
    checked: set[int] = set()
    for state, kind in decisions:
        actor, may_raise = state.actor, state.raise_bounds() is not None
        is_raise = kind == "r"
        is_check = kind == "c" and not state.to_call
        if not is_check:
            yield Chance(actor, AGGRESSION, is_raise)
        if not bets and actor == initiative and may_raise:
            yield Chance(actor, C_BET, is_raise)
            is_c_bet = is_raise
        elif bets == 1 and is_c_bet:
            yield Chance(actor, FOLD_TO_C_BET, kind == "f")
        if bets and actor in checked and may_raise:
            yield Chance(actor, CHECK_RAISE, is_raise)
            checked.discard(actor)
        if is_check:
            checked.add(actor)
        bets += is_raise


def _in_the_end(end: State, folded_first: list[int]) -> Iterator[Chance]:
    if not end.round and end.game.num_rounds > 1:
        return
    for position in range(end.game.num_players):
        if position in folded_first:
            continue
        stays = not end.has_folded(position)
        yield Chance(position, WON_AFTER_FLOP, stays)
        yield Chance(position, WENT_TO_SHOWDOWN, stays and end.showdown)
        if stays and end.showdown:
            yield Chance(position, WON_AT_SHOWDOWN, True)
