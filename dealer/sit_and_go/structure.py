"""The structure of a sit-and-go: its seats, stacks, blind levels and prizes, as a YAML file names them."""

from itertools import pairwise
from typing import Annotated, NamedTuple

import msgspec

from limpet.configs.loading import Document, find_config
from limpet.protocol.chip_sums import MAX_CHIPS
from limpet.protocol.gamedef import MAX_PLAYERS
from limpet.strategies.botconfig import Name

Chips = Annotated[int, msgspec.Meta(ge=0, le=MAX_CHIPS)]
MOST_CHIPS = MAX_CHIPS // 2
"""Largest sum of all stacks, in chips: every bet and pot then fits into the reference dealer's 32 bits."""


class Level(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A blind level. Amounts are chips.

    Attributes:
        hands: number of hands that the level lasts.
        ante: chips that every player posts beside the blinds.
    """

    hands: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
    small_blind: Chips
    big_blind: Annotated[int, msgspec.Meta(ge=1, le=MAX_CHIPS)]
    ante: Chips = 0


class Blinds(NamedTuple):
    """The blinds of one hand, in chips, with the number of their level."""

    level: int
    small: int
    big: int
    ante: int


class Structure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The fields of a structure's YAML file.

    Attributes:
        name: name of the structure, in folders and results.
        seats: number of players; without it the structure takes any number from 2 to 10.
        start_stack: chips of every player before the first hand.
        levels: blind levels in their order. Beyond the last one blinds and antes double every so many hands.
        buy_in: price of a seat, rake included, in any unit of money.
        rake: share of all buy-ins that is not paid out.
        payouts: shares of the prizes from the first place down, in any unit, such as 50, 30, 20.
        seed: fixes all cards and who posts the first big blind.
    """

    name: Name
    start_stack: Annotated[int, msgspec.Meta(ge=1, le=MAX_CHIPS)]
    levels: Annotated[list[Level], msgspec.Meta(min_length=1)]
    payouts: Annotated[list[Annotated[float, msgspec.Meta(gt=0)]], msgspec.Meta(min_length=1)]
    seats: Annotated[int, msgspec.Meta(ge=2, le=MAX_PLAYERS)] | None = None
    buy_in: Annotated[float, msgspec.Meta(gt=0)] = 1.0
    rake: Annotated[float, msgspec.Meta(ge=0, lt=1)] = 0.0
    seed: Annotated[int, msgspec.Meta(ge=0, lt=2**32)] = 1

    def prizes(self, players: int) -> tuple[float, ...]:
        """Return the prizes from the first place down, one for each of so many players. They sum to the prize pool."""
        pool = players * self.buy_in * (1 - self.rake)
        shares = [*self.payouts, *[0.0] * (players - len(self.payouts))]
        return tuple(pool * share / sum(shares) for share in shares)

    def blinds(self, hand: int, chips: int) -> Blinds:
        """Return the blinds of a hand, counted from 0. Doubled blinds stop growing once they reach `chips`, all there are."""
        for number, level in enumerate(self.levels):
            if hand < level.hands:
                return Blinds(number, level.small_blind, level.big_blind, level.ante)
            hand -= level.hands
        beyond, factor = 1 + hand // level.hands, 1
        while factor * level.big_blind < chips and factor < 1 << beyond:
            factor *= 2
        return Blinds(number + beyond, *(factor * n for n in (level.small_blind, level.big_blind, level.ante)))


def load_structure(name_or_path: str, players: int | None) -> Structure:
    """Return a structure that ships (by name) or of a file, for a number of players, None for its own seats.

    Raises `ConfigError`.
    """
    document = Document.read(find_config("sit_and_go", name_or_path))
    structure = document.decode(Structure)
    players = players or structure.seats or MAX_PLAYERS
    if structure.seats not in (None, players):
        mismatch = f"{structure.seats} seats, and {players} players were named"
        raise document.error(("seats",), f"{mismatch}; name one for each seat, or another structure")
    _check(structure, players, document)
    return structure


def _check(structure: Structure, players: int, document: Document) -> None:
    """Raise `ConfigError`, with the line of the key, for a structure that cannot be played by so many players."""
    for number, level in enumerate(structure.levels):
        if level.small_blind > level.big_blind:
            more = f"{level.small_blind} is more than the big blind of {level.big_blind}; exchange them"
            raise document.error(("levels", number, "small_blind"), more)
    for number, (before, level) in enumerate(pairwise(structure.levels), 1):
        for name in ("small_blind", "big_blind"):
            blind, earlier = getattr(level, name), getattr(before, name)
            if blind < earlier:
                fewer = f"{blind} is less than the {earlier} of the level before; blinds do not fall"
                raise document.error(("levels", number, name), fewer)
    stack, first = structure.start_stack, structure.levels[0]
    if stack < first.big_blind + first.ante:
        posts = f"the first big blind and ante take {first.big_blind + first.ante}"
        raise document.error(("start_stack",), f"{stack} chips, and {posts}; write a larger stack or smaller blinds")
    if stack * players > MOST_CHIPS:
        most = f"the ACPC's 32 bits allow {MOST_CHIPS // players} for each of {players}"
        raise document.error(("start_stack",), f"{stack} chips are too many; {most}; write a smaller stack")
    if len(structure.payouts) > players:
        few = f"{len(structure.payouts)} prizes for {players} players; write one for each place at most"
        raise document.error(("payouts",), few)
    for place, (above, prize) in enumerate(pairwise(structure.payouts), 1):
        if prize > above:
            more = f"{prize:g} is more than the place above gets; write the largest first"
            raise document.error(("payouts", place), more)
