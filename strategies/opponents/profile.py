"""A betting profile as it stands in a YAML file: ordered rules, guards over them, and a style; and the rule for a state.

After Kebrle's thesis (2016), section 7.5: rows of probabilities by bucket of strength, chosen by the situation.
"""

import re
from typing import Annotated, Literal, NamedTuple

import msgspec

from limpet.configs.fitting import Misfit, under
from limpet.protocol.handhistory import at_risk
from limpet.protocol.state import State
from limpet.strategies.abstraction.menu import STREETS
from limpet.strategies.base.strategy import pot_fraction

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Shift = Annotated[float, msgspec.Meta(ge=-1, le=1)]
NotNegative = Annotated[float, msgspec.Meta(ge=0)]
Bounds = tuple[NotNegative, NotNegative | None]
"""Lower bound, included, and upper bound, excluded; None as the upper one is no bound."""

Column = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^(fold|call|min|all-in|(\d+\.?\d*|\.\d+) (pot|bet))$",
        description="fold, call, min, all-in, a number of pots such as 0.75 pot, or of bets such as 2 bet",
    ),
]
"""An action of a rule. ``call`` is also the check. A number of pots or bets is what a raise adds over the call."""

SUM_TOLERANCE = 1e-6
"""Largest difference of a row's sum from 1."""


class When(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The situations that a rule is for. A key that is left out holds always.

    Attributes:
        streets: streets of the decision.
        facing: ``nothing`` to call, a ``bet``, the first of the street, or a ``raise`` after it.
        bet: bounds of what there is to call, as a share of the rest of the pot.
        behind: bounds of the pots behind: what the actor can still lose, the call included, as a multiple of the rest of the pot.
        position: ``in`` if the actor is the last to act on a street after the flop, else ``out``.
        aggressor: who raised last on earlier streets: ``me``, an ``other`` player or ``nobody``.
        players: bounds of the number of players left, both included.
    """

    streets: tuple[Literal["flop", "turn", "river"], ...] = ("flop", "turn", "river")
    facing: tuple[Literal["nothing", "bet", "raise"], ...] | Literal["nothing", "bet", "raise"] | None = None
    bet: Bounds | None = None
    behind: Bounds | None = None
    position: Literal["in", "out"] | None = None
    aggressor: Literal["me", "other", "nobody"] | None = None
    players: tuple[int, int] | None = None


class ProfileRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Actions, in any order, and their probabilities ``[bucket][action]``, for the situations of `when`.

    The strongest bucket comes first; hands are cut into as many buckets as there are rows.
    """

    actions: tuple[Column, ...]
    rows: tuple[tuple[Share, ...], ...]
    name: str = ""
    when: When = When()


class Guards(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Limits that hold over all rules. A guard that is left out does nothing.

    Attributes:
        pot_odds: a hand does not fold if its equity against the assumed range is at least this multiple of the price,
            to call ÷ (pot + to call). 1 asks for a fair price, more for a better one.
        assumed: share of hands, the strongest, that an opponent is taken to hold after a bet of half a pot. The share is
            this to the power of x, rounded to 1, 2, 4, ...: x grows by 0.5 + its size in pots with each bet from the flop on.
        committed: nobody folds who can lose no more than this share of the pot.
        overbet: most pots that a bet or raise adds over the call; an all-in of more is made smaller too.
        all_in: a raise that takes more than this share of what can still be lost is made all-in, if `overbet` allows.
    """

    pot_odds: Annotated[float, msgspec.Meta(gt=0)] | None = None
    assumed: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.6
    committed: NotNegative = 0.0
    overbet: Annotated[float, msgspec.Meta(gt=0)] | None = None
    all_in: Annotated[float, msgspec.Meta(gt=0, le=1)] = 1.0


class ProfileStyle(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Two knobs that change all rows; at 0 both leave the rows as they are written.

    Attributes:
        loose: from -1, tight, to 1: the odds of folding are divided by 4 to this power.
        aggressive: from -1, passive, to 1: the odds of raising against calling are multiplied by 4 to this power.
    """

    loose: Shift = 0.0
    aggressive: Shift = 0.0


def check_rules(rules: tuple[ProfileRule, ...]) -> None:
    """Raise `Misfit`, with the path from the rules down, for a row that is no distribution or a state without a rule."""
    if not rules or rules[-1].when != When():
        raise Misfit("every state needs a rule; let the last rule have no 'when'", (len(rules) - 1,) if rules else ())
    for number, rule in enumerate(rules):
        with under(number):
            when = rule.when
            if when == When() and number + 1 < len(rules):
                raise Misfit("a rule without 'when' is for every state, so later rules are never used; put it last")
            for key, bounds in (("bet", when.bet), ("behind", when.behind)):
                if bounds is not None and bounds[1] is not None and bounds[0] >= bounds[1]:
                    raise Misfit(f"from {bounds[0]:g} to below {bounds[1]:g} there is no number", ("when", key))
            if when.players is not None and not 2 <= when.players[0] <= when.players[1]:
                raise Misfit("two whole numbers from 2 on, the smaller first, such as [2, 3]", ("when", "players"))
            _check_rows(rule)


def _check_rows(rule: ProfileRule) -> None:
    if len(set(rule.actions)) < len(rule.actions) or not rule.actions:
        raise Misfit("different actions are needed, at least one", ("actions",))
    if not 1 <= len(rule.rows) <= 100:
        raise Misfit(f"{len(rule.rows)} rows; one for each bucket is needed, 1 to 100", ("rows",))
    for number, row in enumerate(rule.rows):
        if len(row) != len(rule.actions):
            needed = f"{len(rule.actions)} are needed: {', '.join(rule.actions)}"
            raise Misfit(f"{len(row)} numbers; {needed}", ("rows", number))
        if abs(sum(row) - 1) > SUM_TOLERANCE:
            raise Misfit(f"the row sums to {sum(row):.6g}; it must sum to 1", ("rows", number))


def column_size(column: str) -> tuple[float, str] | None:
    """Return the number and the unit, ``pot`` or ``bet``, of a sized action; None for the others.

    >>> column_size("0.75 pot"), column_size("fold")
    ((0.75, 'pot'), None)
    """
    match = re.match(r"([\d.]+) (pot|bet)$", column)
    return None if match is None else (float(match[1]), match[2])


class SeenState(NamedTuple):
    """The facts of a decision that `When` may name; see there for their meaning."""

    street: str
    facing: Literal["nothing", "bet", "raise"]
    bet: float
    behind: float
    position: Literal["in", "out"]
    aggressor: Literal["me", "other", "nobody"]
    players: int


def seen(state: State) -> SeenState:
    """Return the facts of a state, which must not be finished."""
    to_call = state.to_call
    return SeenState(
        street=STREETS[state.round],
        facing="nothing" if not to_call else "bet" if state.raises <= 1 else "raise",
        bet=to_call / (state.pot - to_call) if to_call else 0.0,
        behind=chips_at_risk(state) / max(1, state.pot - to_call),
        position="in" if _last_to_act(state) == state.actor else "out",
        aggressor=_aggressor(state),
        players=state.remaining,
    )


def chips_at_risk(state: State) -> int:
    """Return the chips that the actor can still lose: those behind, as far as an opponent who is in can match them."""
    return at_risk(state, state.actor) - state.spent[state.actor]


def opponents_bets(state: State) -> float:
    """Return how much the actor's opponents have bet from the flop on: for each bet or raise 0.5 + its size in pots."""
    total, at = 0.0, state
    while (before := at.parent) is not None and before.round:
        if before.actor != state.actor and at.action is not None and at.action.kind == "r":
            total += 0.5 + pot_fraction(before, at.max_spent)
        at = before
    return total


def rule_for(rules: tuple[ProfileRule, ...], facts: SeenState) -> ProfileRule:
    """Return the first rule that is for the facts. The last rule must be for all (`check_rules`)."""
    return next(rule for rule in rules if fits(rule.when, facts))


def fits(when: When, facts: SeenState) -> bool:
    """Return whether a situation has all that `when` asks for."""
    facing = (when.facing,) if isinstance(when.facing, str) else when.facing
    return all(
        (
            facts.street in when.streets,
            facing is None or facts.facing in facing,
            inside(when.bet, facts.bet),
            inside(when.behind, facts.behind),
            when.position in (None, facts.position),
            when.aggressor in (None, facts.aggressor),
            when.players is None or when.players[0] <= facts.players <= when.players[1],
        )
    )


def inside(bounds: Bounds | None, value: float) -> bool:
    """Return whether a value is within bounds; None bounds nothing."""
    return bounds is None or (bounds[0] <= value and (bounds[1] is None or value < bounds[1]))


def _last_to_act(state: State) -> int:
    """Return the position that acts last after the flop, of those who have not folded and have chips, the actor included."""
    game = state.game
    order = [(game.first_player[-1] - back) % game.num_players for back in range(1, game.num_players + 1)]
    return next(p for p in order if p == state.actor or not (state.has_folded(p) or state.spent[p] == game.stack[p]))


def _aggressor(state: State) -> Literal["me", "other", "nobody"]:
    at = state
    while (before := at.parent) is not None:
        if before.round < state.round and at.action is not None and at.action.kind == "r":
            return "me" if before.actor == state.actor else "other"
        at = before
    return "nobody"
