"""Bet menus, the raises that an abstract game keeps, and action translation, the abstract raises that stand for a real one.

A real raise of pot fraction x lies between two sizes A < B of the menu. A method gives the probability f(x) that the
raise counts as A; else it counts as B. Pot fractions are the amount over the call ÷ the pot after calling.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from math import inf
from typing import Literal

import msgspec

from limpet.protocol.gamedef import BET
from limpet.protocol.handhistory import at_risk, street_base
from limpet.protocol.state import CALL, FOLD, RAISE, Action, State, raise_to

Size = float | str
"""A pot fraction, or ``min``, ``2.5x``, ``all-in``, ``e``, ``2e``; see `BetMenu`."""

Depths = tuple[tuple[Size, ...], ...]
"""Sizes of one round, by the number of raises already made in the round."""

LARGEST_FRACTION = 20.0
"""Largest pot fraction that a menu may hold."""
STREETS = ("preflop", "flop", "turn", "river")
_WORD = re.compile(r"(?:(?P<x>\d{1,9}(?:\.\d{1,9})?)x|(?P<e>\d{0,9})e)")


class ByStreet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Sizes by the name of the street. A street left out has the sizes of the one before it, or else of the first given."""

    preflop: Depths | None = None
    flop: Depths | None = None
    turn: Depths | None = None
    river: Depths | None = None

    def __post_init__(self) -> None:
        if all(depths is None for depths in self.streets):
            raise ValueError("no street is given; write for example 'flop: [[0.5, 1.0]]'")

    @property
    def streets(self) -> tuple[Depths | None, ...]:
        return (self.preflop, self.flop, self.turn, self.river)

    def of_round(self, round_: int) -> Depths:
        """Return the sizes of a round."""
        up_to_round = [depths for depths in self.streets[: round_ + 1] if depths is not None]
        return up_to_round[-1] if up_to_round else next(depths for depths in self.streets if depths is not None)


Sizes = ByStreet | tuple[Depths, ...]


class BetMenu(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Raise sizes per round and per number of raises already made in the round.

    A limit game has one size: its menu is a `raise_cap` alone, for a smaller tree. A size of a no-limit game is one of

    - a number x: the pot fraction. The raise is x times the pot after calling;
    - ``min``: the smallest legal raise;
    - ``2.5x``: a raise to 2.5 times the bet faced, in chips of this street. Before the flop the big blind is a bet;
    - ``2e``: the pot fraction that, bet twice, puts the stack in exactly; ``e`` alone counts one bet for each street left,
      and ``1e`` is all-in;
    - ``all-in``: all chips, whatever the fields below say.

    Rounds or raises beyond the lists use the last entry, so that a final empty list means "from here on only all-in".
    Rounds may be named instead: ``sizes: {flop: [[0.33]], turn: [[0.75]]}``. A size below the smallest legal raise becomes
    that raise. All-in means the chips that an opponent can match.

    Attributes:
        sizes: raise sizes; None only for limit games.
        position: position that a tree of a menu with `opponents` belongs to. Training fills it in.
    """

    sizes: Sizes | None = None
    all_in_spr: float | Literal["never"] | None = None
    """All-in is offered when the stack behind after calling is at most this many pots, and where no size of the menu
    fits; None offers all-in always, ``never`` only where `sizes` lists it."""
    all_in_share: float = 0.6
    """A sized raise that takes more than this share of the stack left after calling is dropped; all-in stands for it."""
    in_position: Sizes | None = None
    """Sizes of the player who acts last in the last round; None if they are those of the other players."""
    donk: Sizes | None = None
    """Sizes of a first bet into whoever raised last on the street before and has not acted yet; None if they are as for any
    first bet. One list a street, where an empty one means no such bet: raises of it are of the sizes above."""
    raise_cap: int | tuple[int, ...] | None = None
    """Largest number of raises in a round, the first bet counted but no blind: one number, or one per round."""
    stack_share: float = 1.0
    """A sized raise to more than this share of the stack with which the hand began is dropped (Kujath 2014: 0.5)."""
    opponents: "BetMenu | None" = None
    """The opponents' menu, if it differs: few own sizes and many of the opponents make a small tree that still represents
    most bets exactly. A tree then belongs to one position."""
    position: int | None = None

    def __post_init__(self) -> None:
        for sizes in (self.sizes, self.in_position, self.donk):
            if sizes == ():
                raise ValueError("no sizes are given; write for example 'sizes: [[[0.5, 1.0]]]'")
            rounds = sizes.streets if isinstance(sizes, ByStreet) else sizes or ()
            for round_, depths in enumerate(rounds):
                if depths is not None:
                    _check(depths, unbet=round_ > 0 or sizes is self.donk)
                    if sizes is self.donk and len(depths) > 1:
                        raise ValueError("donk has sizes of raises; give one list a street, as in [[0.33]]")
        for name in ("all_in_spr", "all_in_share", "stack_share"):
            value = getattr(self, name)
            if isinstance(value, int | float) and not 0 <= value < inf:
                raise ValueError(f"{name} is {value:g}; write a number from 0 on")
        if self.raise_cap == ():
            raise ValueError("raise_cap is empty; write one number, one per round, or leave it out")
        for cap in self.raise_cap if isinstance(self.raise_cap, tuple) else (self.raise_cap,):
            if cap is not None and cap < 0:
                raise ValueError(f"raise_cap is {cap}; write a number of raises from 0 on")
        if self.opponents is not None and self.opponents.opponents is not None:
            raise ValueError("the opponents' menu has opponents of its own; give sizes there")
        if self.opponents is None and self.position is not None:
            raise ValueError("a menu belongs to a position only where 'opponents' have another; leave 'position' out")

    def raises(self, state: State) -> tuple[int, ...]:
        """Return the raise-to amounts that are kept for the actor, in chips over the hand, ascending.

        There are none where raising is illegal or capped, and where no size fits and all-in is never added. Raises
        ValueError for a multiple of a bet (``2.5x``) where nobody has bet, for a menu with `opponents` that belongs to no
        position yet, and for a menu without sizes.
        """
        actors = self._of_actor(state)
        if actors is not self:
            return actors.raises(state)
        bounds = state.raise_bounds()
        if bounds is None or self._capped(state):
            return ()
        sizes = self._sizes(state)
        if not sizes and self._is_donk(state):
            return ()
        low = bounds[0]
        top = max(low, at_risk(state, state.actor))
        pot = state.pot + state.to_call
        left = top - state.max_spent
        kept = set()
        for size in sizes:
            target = _target(size, state, low, top, pot)
            if target >= top:
                if isinstance(size, str) and size.endswith(("all-in", "e")):
                    kept.add(top)
            elif (
                target - state.max_spent <= self.all_in_share * left
                and target <= self.stack_share * state.game.stack[state.actor]
            ):
                kept.add(target)
        spr = self.all_in_spr
        if spr != "never" and (not kept or spr is None or left <= spr * pot):
            kept.add(top)
        return tuple(sorted(kept))

    def keeps_raise(self, state: State) -> bool:
        """Return whether a limit game's raise is kept. Raises ValueError as `raises` does, and for a menu with sizes."""
        menu = self._of_actor(state)
        if (menu.sizes, menu.in_position, menu.donk) != (None, None, None):
            raise ValueError(
                "a limit game's raises have one size; leave 'sizes' out of its menu, give 'raise_cap' alone"
            )
        return not menu._capped(state)

    @property
    def sees_raisers(self) -> bool:
        """Whether sizes depend on who raised last on the street before."""
        return self.donk is not None or (self.opponents is not None and self.opponents.sees_raisers)

    def _of_actor(self, state: State) -> "BetMenu":
        if self.opponents is None:
            return self
        if self.position is None:
            raise ValueError("a menu with 'opponents' makes one tree for each position; set 'position'")
        return self if state.actor == self.position else self.opponents

    def _sizes(self, state: State) -> tuple[Size, ...]:
        last_to_act = (state.game.first_player[-1] - 1) % state.game.num_players
        sizes = self.in_position if self.in_position is not None and state.actor == last_to_act else self.sizes
        if self._is_donk(state):
            sizes = self.donk
        if sizes is None:
            raise ValueError("a no-limit game's menu needs sizes; write for example 'sizes: [[[0.5, 1.0]]]'")
        depths = sizes.of_round(state.round) if isinstance(sizes, ByStreet) else sizes[min(state.round, len(sizes) - 1)]
        return depths[min(state.raises, len(depths) - 1)]

    def _is_donk(self, state: State) -> bool:
        return self.donk is not None and leads_into_raiser(state)

    def _capped(self, state: State) -> bool:
        cap = self.raise_cap
        if isinstance(cap, tuple):
            cap = cap[min(state.round, len(cap) - 1)]
        return cap is not None and state.raises >= cap


def last_raisers(state: State) -> tuple[int, int]:
    """Return the positions that raised last on the street before and on this one; -1 where nobody did."""
    raisers, past = [-1, -1], state
    while past.parent is not None and past.action is not None and past.parent.round >= state.round - 1:
        on_this_street = past.parent.round == state.round
        if past.action.kind == "r" and raisers[on_this_street] < 0:
            raisers[on_this_street] = past.parent.actor
        past = past.parent
    return raisers[0], raisers[1]


def leads_into_raiser(state: State) -> bool:
    """Return whether nobody has bet on this street, and the last raiser of the street before is to act after the actor."""
    raiser, acted, past = last_raisers(state)[0], set[int](), state
    while past.parent is not None and past.parent.round == state.round:
        past = past.parent
        acted.add(past.actor)
    return not state.raises and raiser not in {-1, state.actor, *acted}


def abstract_actions(state: State, menu: BetMenu | None) -> tuple[Action, ...]:
    """Return the actor's actions in fixed order: fold, call, raises ascending; in a draw the numbers of cards, ascending.

    A size that the game does not allow, as one above the pot in a pot-limit game, becomes the nearest that it does.

    menu: None keeps all actions of a limit game, and of one with raise fractions. Raises ValueError for a menu of the other kind of game, see
    `BetMenu.raises` and `BetMenu.keeps_raise`.
    """
    if state.phase is not BET:
        return tuple(Action("d", count) for count in range(state.game.max_discard + 1))
    actions = [FOLD] if state.can_fold else []
    actions.append(CALL)
    if state.game.caps_raises and (menu is not None or state.game.raise_fractions):
        sizes = menu.raises(state) if menu is not None else state.raise_sizes() or ()
        actions += sorted({state.fixed(raise_to(chips)) for chips in sizes})
    elif not state.game.no_limit:
        if state.raise_bounds() is not None and (menu is None or menu.keeps_raise(state)):
            actions.append(RAISE)
    elif menu is not None:
        actions += [raise_to(chips) for chips in menu.raises(state)]
    else:
        raise ValueError("a no-limit game needs a bet menu")
    return tuple(actions)


def geometric_fraction(pot: float, left: float, bets: int) -> float:
    """Return the pot fraction f that puts `left` chips in with `bets` bets of equal fraction, all called.

    Each bet multiplies the pot by 1 + 2f, so that (1 + 2f)^bets = (pot + 2 left) / pot.

    >>> round(geometric_fraction(1, 4, 2), 6), round(geometric_fraction(1, 13, 3), 6)
    (1.0, 1.0)
    """
    return float(((pot + 2 * left) / pot) ** (1 / bets) - 1) / 2


def stack_to_pot(state: State) -> float:
    """Return the smaller stack that is left once a bet is called, in pots of then."""
    return (min(state.game.stack) - state.max_spent) / (state.pot + state.to_call)


def _target(size: Size, state: State, low: int, top: int, pot: int) -> int:
    """Return a size's raise-to amount in chips over the hand, at least `low`, before the menu drops any size."""
    if size == "all-in":
        return top
    if size == "min":
        return low
    if isinstance(size, str):
        kind, number = _parsed(size)
        if kind == "x":
            start = street_base(state)
            if state.max_spent == start:
                raise ValueError(
                    f"the menu's size {size!r} is a multiple of the bet faced, but nobody has bet after "
                    f"'{state.betting}'; give a pot fraction for the first bet, as in [[0.5], [{size!r}]]"
                )
            return max(low, _floor(start + number * (state.max_spent - start)))
        bets = int(number) or state.game.num_rounds - state.round
        if bets == 1:
            return top
        size = geometric_fraction(pot, top - state.max_spent, bets)
    return max(low, _floor(state.max_spent + size * pot))


def _floor(chips: float) -> int:
    """Round down to whole chips, but up from rounding errors such as 28.999999999."""
    return int(chips + 1e-9)


@lru_cache(maxsize=256)
def _parsed(size: str) -> tuple[str, float]:
    """Return ``2.5x`` as ("x", 2.5), ``2e`` as ("e", 2), ``e`` as ("e", 0). Raises ValueError for other words."""
    match = _WORD.fullmatch(size)
    if match is None or match["e"] == "0":
        raise ValueError(
            f"{size!r} is not a bet size; write a pot fraction such as 0.5, or one of min, 2.5x, all-in, e, 2e"
        )
    return ("x", float(match["x"])) if match["x"] else ("e", int(match["e"] or 0))


def _check(depths: Depths, unbet: bool) -> None:
    """Raise ValueError for a size that cannot be read; `unbet`: the first list is for when nobody has bet."""
    if not depths:
        raise ValueError("a round has no list of sizes; write [[]] for 'only all-in'")
    for depth, sizes in enumerate(depths):
        for size in sizes:
            if isinstance(size, str):
                if size not in ("min", "all-in") and _parsed(size)[0] == "x" and unbet and depth == 0:
                    raise ValueError(
                        f"{size!r} is a multiple of the bet faced, but the first list of a street after the flop is "
                        f"for nobody having bet; give a pot fraction there, as in [[0.5], [{size}]]"
                    )
            elif not 0 < size <= LARGEST_FRACTION:
                raise ValueError(
                    f"{size:g} is not a pot fraction from 0 to {LARGEST_FRACTION:g}; half the pot is 0.5, and the "
                    "whole stack is all-in"
                )


Translation = Literal[
    "pseudo-harmonic", "arithmetic", "nearest", "geometric", "randomised-geometric-1", "randomised-geometric-2", "mixed"
]
"""Name of a method. ``mixed`` has the weights of pseudo-harmonic, but plays both neighbours at once (Kujath 2014), where
the others toss a coin for each bet."""


def pseudo_harmonic(lower: float, upper: float, x: float) -> float:
    """Return the pseudo-harmonic f(x) (Ganzfried & Sandholm 2013): (B - x)(1 + A) / ((B - A)(1 + x)).

    >>> round(pseudo_harmonic(0.25, 0.5, 1 / 3), 6), round(pseudo_harmonic(1.0, 2.0, 1.5), 6)
    (0.625, 0.4)
    """
    return (upper - x) * (1.0 + lower) / ((upper - lower) * (1.0 + x))


def randomised_geometric_1(lower: float, upper: float, x: float) -> float:
    """Return f(x) of Ganzfried & Sandholm 2013, A (B - x) / (A (B - x) + x (x - A))."""
    to_lower = lower * (upper - x)
    share = to_lower + x * (x - lower)
    return to_lower / share if share > 0 else 1.0  # only x = A = 0 leaves nothing to share


def randomised_geometric_2(lower: float, upper: float, x: float) -> float:
    """Return f(x) of Ganzfried & Sandholm 2013, A (B + x)(B - x) / ((B - A)(x² + AB))."""
    share = (upper - lower) * (x * x + lower * upper)
    return lower * (upper + x) * (upper - x) / share if share > 0 else 1.0


METHODS: dict[Translation, Callable[[float, float, float], float]] = {
    "pseudo-harmonic": pseudo_harmonic,
    "arithmetic": lambda lower, upper, x: (upper - x) / (upper - lower),
    "nearest": lambda lower, upper, x: float(2 * x < lower + upper),
    "geometric": lambda lower, upper, x: float(x * x < lower * upper),
    "randomised-geometric-1": randomised_geometric_1,
    "randomised-geometric-2": randomised_geometric_2,
    "mixed": pseudo_harmonic,
}
"""Functions of (A, B, x), with A <= x <= B and A < B, that return the probability of A."""


def neighbours(sizes: Sequence[float], x: float, method: Translation = "pseudo-harmonic") -> list[tuple[int, float]]:
    """Return the sizes that may stand for a real raise of pot fraction x, with probabilities above 0 that sum to 1.

    sizes: ascending pot fractions. The result has indices into them, the lower first. Outside their range the nearest
    end stands for the raise.

    >>> neighbours([0.5, 1.0, 2.0], 1.5), neighbours([0.5, 1.0], 0.1)
    ([(1, 0.4), (2, 0.6)], [(0, 1.0)])
    """
    if x <= sizes[0]:
        return [(0, 1.0)]
    for upper in range(1, len(sizes)):
        if x < sizes[upper]:
            share = METHODS[method](sizes[upper - 1], sizes[upper], x)
            share = min(max(share, 0.0), 1.0)  # rounding
            return [(i, part) for i, part in ((upper - 1, share), (upper, 1.0 - share)) if part > 0]
    return [(len(sizes) - 1, 1.0)]
