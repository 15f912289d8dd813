"""The parameters of the player `expert`: each is a key of a YAML config and of an XML file alike."""

from typing import Annotated

import msgspec

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Exponent = Annotated[float, msgspec.Meta(ge=0, le=10)]
PotFraction = Annotated[float, msgspec.Meta(gt=0, le=100)]


class Preflop(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Play before the flop. Shares are of all starting hands, the strongest first.

    Attributes:
        open: share that the first to enter raises where one player is left to act behind.
        fade: where k players are left behind, the share is `open` ÷ k ** `fade`.
        limper: the share is multiplied by this for each player who has only called.
        limp: share that calls where nobody has raised, below those that raise.
        bet: share that raises where checking is free, as the big blind after calls.
        raise: of the hands that go on against a raise, the share that raises again.
        bluff: bluffs among the raises against a raise: 1 has as many as make the price of a call fair, 0 has none.
        caution: exponent of the share that goes on against a bet: 1 keeps a bluff without profit, more folds more.
        size: size of the first raise, as a pot fraction.
        reraise: size of later raises, as a pot fraction.
    """

    open: Share = 0.85
    fade: Exponent = 0.85
    limper: Share = 0.75
    limp: Share = 0.1
    bet: Share = 0.3
    raise_: Share = msgspec.field(default=0.22, name="raise")
    bluff: Share = 0.3
    caution: Exponent = 0.5
    size: PotFraction = 0.75
    reraise: PotFraction = 1.0


class Street(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Play on one street after the flop. Shares are of the hands that the player may hold, the strongest first.

    Attributes:
        bet: share that bets for value when the others have checked.
        lead: share that bets for value when others are still to act.
        bluff: bluffs among the bets: 1 has as many as make the price of a call fair, 0 has none.
        bluff_from: share of all hands, the weakest first, that is too weak for a bluff bet; 0 on the river.
        raise: of the hands that go on against a bet, the share that raises for value.
        bluff_raise: bluffs among the raises, as `bluff`. They are the best hands that would fold.
        caution: exponent of the share that goes on against a bet: 1 keeps a bluff without profit, more folds more.
        size: size of a bet, as a pot fraction.
        reraise: size of a raise, as a pot fraction.
    """

    bet: Share = 0.45
    lead: Share = 0.3
    bluff: Share = 0.6
    bluff_from: Share = 0.0
    raise_: Share = msgspec.field(default=0.2, name="raise")
    bluff_raise: Share = 0.2
    caution: Exponent = 0.55
    size: PotFraction = 0.7
    reraise: PotFraction = 0.9


class Style(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All parameters of a style of play.

    Attributes:
        memory: exponent of a player's range at a new card, whose share of the best hands is taken to that power: 0
            forgets earlier streets, 1 keeps the range as narrow as it was.
        respect: weight of the opponents' ranges against the player's own where the player faces a bet: 0 looks at its
            own range only, 1 at the tightest opponent's only.
        all_in: a raise of more than this share of the chips that can still be lost is made all-in.
        preflop, flop, turn, river: play on each street.
    """

    memory: Share = 0.4
    respect: Share = 0.35
    all_in: Share = 0.45
    preflop: Preflop = Preflop()
    flop: Street = Street(bet=0.5, lead=0.3, bluff_from=0.3, bluff=0.5)
    turn: Street = Street(bet=0.45, lead=0.3, bluff_from=0.2, bluff=0.5)
    river: Street = Street(bet=0.4, lead=0.3)

    def street(self, round_: int, rounds: int) -> Street:
        """Return the parameters of a betting round after the first of a game; the last one is played as the river."""
        return (self.flop, self.turn, self.river)[2 if round_ == rounds - 1 else min(round_ - 1, 1)]
