"""Colours of actions: folds are blue, checks and calls green, bets red, and larger bets darker."""

from collections.abc import Sequence

FOLD = (109, 162, 192)
CALL = (143, 188, 139)
SMALLEST, LARGEST = (240, 150, 120), (140, 40, 40)
NOBODY = (60, 60, 60)

Colour = tuple[int, int, int]


def action_colours(fractions: Sequence[float | None]) -> tuple[Colour, ...]:
    """Return a colour for each action of a decision; raises are the actions with a pot fraction."""
    raises = sum(fraction is not None for fraction in fractions)
    others = len(fractions) - raises
    passive = (FOLD, CALL)[-others:] if others else ()
    return passive + tuple(_between(i / max(1, raises - 1)) for i in range(raises))


def hex_colour(colour: Colour) -> str:
    """Return a colour as ``#rrggbb``."""
    return "#{:02x}{:02x}{:02x}".format(*colour)


def _between(part: float) -> Colour:
    red, green, blue = (round(a + part * (b - a)) for a, b in zip(SMALLEST, LARGEST, strict=True))
    return red, green, blue
