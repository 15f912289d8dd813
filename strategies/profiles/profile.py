"""A betting profile as it stands in a YAML file: ordered rules, guards over them, and a style.

After Kebrle's thesis (2016), section 7.5: rows of probabilities by bucket of strength, chosen by the situation.
"""

import re
from typing import Annotated, Literal

import msgspec

from limpet.configs.fitting import Misfit, under

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


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Actions and their probabilities by bucket, for the situations of `when`.

    Attributes:
        actions: the columns of `rows`, in any order; a kind may be left out.
        rows: probabilities ``[bucket][action]``, the strongest bucket first; hands are cut into as many buckets.
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


def check_rules(rules: tuple[Rule, ...]) -> None:
    """Raise `Misfit`, with the path from the rules down, for a row that is no distribution or a state without a rule."""
    if not rules or rules[-1].when != When():
        with under(*([len(rules) - 1] if rules else [])):
            raise Misfit("every state needs a rule; let the last rule have no 'when'")
    for number, rule in enumerate(rules):
        with under(number):
            if rule.when == When() and number + 1 < len(rules):
                raise Misfit("a rule without 'when' is for every state, so later rules are never used; put it last")
            _check_when(rule.when)
            _check_rows(rule)


def _check_when(when: When) -> None:
    for key, bounds in (("bet", when.bet), ("behind", when.behind)):
        if bounds is not None and bounds[1] is not None and bounds[0] >= bounds[1]:
            raise Misfit(f"from {bounds[0]:g} to below {bounds[1]:g} there is no number", ("when", key))
    if when.players is not None and not 2 <= when.players[0] <= when.players[1]:
        raise Misfit("two whole numbers from 2 on, the smaller first, such as [2, 3]", ("when", "players"))


def _check_rows(rule: Rule) -> None:
    if len(set(rule.actions)) < len(rule.actions) or not rule.actions:
        raise Misfit("different actions are needed, at least one", ("actions",))
    if not 1 <= len(rule.rows) <= 100:
        raise Misfit(f"{len(rule.rows)} rows; one for each bucket is needed, 1 to 100", ("rows",))
    for number, row in enumerate(rule.rows):
        if len(row) != len(rule.actions):
            listed = ", ".join(rule.actions)
            raise Misfit(f"{len(row)} numbers; {len(rule.actions)} are needed: {listed}", ("rows", number))
        if abs(sum(row) - 1) > SUM_TOLERANCE:
            raise Misfit(f"the row sums to {sum(row):.6g}; it must sum to 1", ("rows", number))


def column_size(column: str) -> tuple[float, str] | None:
    """Return the number and the unit, ``pot`` or ``bet``, of a sized action; None for the others.

    >>> column_size("0.75 pot"), column_size("fold")
    ((0.75, 'pot'), None)
    """
    match = re.match(r"([\d.]+) (pot|bet)$", column)
    return None if match is None else (float(match[1]), match[2])
