"""Sums of chips and what follows from them: bounds of the wire, raises by the pot, and who may still act."""

import re
from collections.abc import Mapping, Sequence

MAX_ACTIONS_PER_ROUND = 64
MAX_CHIPS = 2**31 - 1
"""The largest number of chips of the reference, which adds and multiplies chips in signed 32 bits."""


def overflow(
    no_limit: bool, stacks: Sequence[int], blinds: Sequence[int], raise_size: Sequence[int], max_raises: Sequence[int],
    numbers: Mapping[str, Sequence[int]], dead: Sequence[int] = (),
) -> tuple[str, str] | None:  # fmt: skip
    """Return the key and a message for a game whose sums of chips may leave 32 bits, else None.

    stacks, blinds and dead chips are per player, raise_size (limit games) and max_raises per round; numbers are those of
    each key of the definition's text.

    A no-limit raise to X over m makes the next minimum 2X - m, and the reference computes 2X first. A limit raise adds
    its size to the bet before the stack caps it. A showdown multiplies the chips of each side pot's layer by the
    number of players in it that do not win, which is all but one at most.
    """
    deepest = max(stacks)
    if sum(dead) > MAX_CHIPS // 2:
        return "ante", f"{sum(dead)} chips in all are more than {MAX_CHIPS // 2}; make antes smaller"
    if no_limit:
        if deepest > MAX_CHIPS // 2:
            held = "no line, so that nobody's stack ends" if "stack" not in numbers else f"{deepest}"
            doubles = f"the reference doubles raises in 32 bits; write stacks of at most {MAX_CHIPS // 2}"
            return "stack", f"{held}: {doubles}"
        most_bet = deepest
    else:
        # A raise is legal while the round has room for it and everybody's calls.
        raises = [min(most, MAX_ACTIONS_PER_ROUND + 1 - len(stacks)) for most in max_raises]
        most_bet = max(blinds) + sum(raised * size for raised, size in zip(raises, raise_size, strict=True))
        used = max((size for size, raised in zip(raise_size, raises, strict=True) if raised), default=0)
        if min(most_bet, deepest + used) > MAX_CHIPS:
            sizes = " ".join(map(str, raise_size))
            reach = f"{sizes}: with the blinds and all raises of every round a bet may reach {most_bet} chips"
            shorter = "make raises smaller or fewer (maxRaises), or stacks shorter"
            return "raiseSize", f"{reach}, and the reference counts to {MAX_CHIPS}; {shorter}"
    bets = sorted((min(stack, most_bet) for stack in stacks), reverse=True)
    for others, bet in enumerate(bets):
        if others * bet > MAX_CHIPS:
            key = "stack" if "stack" in numbers else "raiseSize"
            pot = f"{' '.join(map(str, numbers[key]))}: a pot that {others + 1} players share with {bet} chips each"
            smaller = f"the reference counts to {MAX_CHIPS}; make stacks or raises smaller"
            return key, f"{pot} may pay {others * bet}, and {smaller}"
    return None


# --- Raises that are measured by the pot: the fractions of a game definition, and the raises that a pot allows.

_FRACTION = re.compile(r"\d{1,3}(?:\.\d{1,3})?", re.ASCII)
WHOLE_POT = 1000
"""The fractions of a game are whole numbers of thousandths of the pot."""


def read_fractions(text: str, rounds: int, is_pot_limit: bool) -> tuple[tuple[int, ...], ...]:
    """Read the fractions of each round, a slash between rounds; the last list counts for later rounds too.

    Raises `ValueError` with the part that is none, and for what does not fit the game.

    >>> read_fractions("1 / 0.5 1", 3, is_pot_limit=True)
    ((1000,), (500, 1000), (500, 1000))
    """
    fractions = []
    for part in text.split("/"):
        words = part.split()
        if not words or not all(_FRACTION.fullmatch(word) and float(word) > 0 for word in words):
            raise ValueError(f"{part.strip()!r} are no fractions of the pot; write for example 1 / 0.5 1")
        fractions.append(tuple(sorted({round(WHOLE_POT * float(word)) for word in words})))
    largest = max(max(shares) for shares in fractions)
    if is_pot_limit and largest > WHOLE_POT:
        raise ValueError(f"{largest / WHOLE_POT:g}: a raise in a pot-limit game is at most the pot, which is 1")
    if len(fractions) > rounds:
        raise ValueError(f"{len(fractions)} lists for {rounds} rounds; write one for each round")
    return (*fractions, *[fractions[-1]] * (rounds - len(fractions)))


def fractions_text(fractions: Sequence[Sequence[int]]) -> str:
    """Return the fractions of each round as `read_fractions` reads them."""
    return " / ".join(" ".join(f"{share / WHOLE_POT:g}" for share in shares) for shares in fractions)


def allowed_raises(
    fractions: Sequence[int], is_pot_limit: bool, called: int, pot: int, low: int, high: int
) -> tuple[int, ...]:
    """Return the raises-to that a pot allows, ascending: each of the `fractions`, or without any the least and the largest.

    The pot is that after calling to `called`. `low` and `high` are the bounds without a pot; a pot below the smallest
    raise, as in a game without blinds, allows that raise.
    """
    if is_pot_limit:
        high = max(low, min(high, called + pot))
    if not fractions:
        return (low, high)
    return tuple(sorted({min(max(called + pot * share // WHOLE_POT, low), high) for share in fractions}))


# --- Who may still act: players who have neither folded nor put in all that they had.


def num_acting(stack: Sequence[int], spent: Sequence[int], folded: int) -> int:
    """Return the number of players that have neither folded nor are all in. Bit p of `folded` is position p's."""
    acting = 0
    for position, chips in enumerate(spent):
        if chips < stack[position] and not folded >> position & 1:
            acting += 1
    return acting


def actor_after(stack: Sequence[int], spent: Sequence[int], folded: int, position: int) -> int:
    """Return the first position after `position` that has neither folded nor is all in. There must be one."""
    players = len(stack)
    while True:
        position = (position + 1) % players
        if spent[position] < stack[position] and not folded >> position & 1:
            return position
