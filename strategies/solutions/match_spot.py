"""Recognises real hands that are in a solved spot: equal pot and stacks in big blinds, and a board equal but for suits."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

import numpy as np

from limpet.protocol.state import State
from limpet.strategies.cards.board_groups import SuitPermutation
from limpet.strategies.cards.isomorphism import hand_permutation, permute_cards
from limpet.strategies.cards.ranges import parse_range
from limpet.strategies.solutions.spot import Spot

_SUITS: tuple[SuitPermutation, ...] = tuple(permutations(range(4)))  # the identity comes first


@dataclass(frozen=True)
class InSpot:
    """The translation of a real hand into a spot."""

    start: State  # the real state at the start of the spot's street
    suits: SuitPermutation  # maps real suits to the spot's
    chips: float  # number of real chips in one chip of the spot


def in_spot(spot: Spot, state: State) -> InSpot | None:
    """Return the translation of a hand at `state` into the spot, or None if the hand did not come through it.

    Pot and effective stack may differ by a chip of the coarser game. The board may differ by a suit permutation that
    leaves both ranges unchanged. How the pot was made does not matter.
    """
    root = spot.root
    # Boards are dealt after an action: an ancestor may not show the cards that its round has.
    start = next((past.with_board(state.board) for past in state.path() if past.round == root.round), None)
    if start is None or _shape(start) != _shape(root) or start.spent[0] != start.spent[1]:
        return None
    real_unit, unit = start.game.big_blind, root.game.big_blind
    chip = 1 / min(real_unit, unit)
    pots = start.pot / real_unit, root.pot / unit
    behind = _behind(start) / real_unit, _behind(root) / unit
    if start.actor != root.actor or max(abs(a - b) for a, b in (pots, behind)) > chip + 1e-9:
        return None
    suits = _suits(spot.ranges, tuple(sorted(start.board)), tuple(sorted(spot.cards)))
    return InSpot(start, suits, real_unit / unit) if suits is not None else None


def _shape(state: State) -> tuple[object, ...]:
    """Return what a real game must have in common with the spot's."""
    game = state.game
    return game.no_limit, game.num_suits, game.num_ranks, game.num_hole_cards, game.num_players, game.num_board_cards


def _behind(state: State) -> int:
    """Return the chips that both players can still put in."""
    return min(stack - spent for stack, spent in zip(state.game.stack, state.spent, strict=True))


@lru_cache(maxsize=4096)
def _suits(ranges: tuple[str, str], real: tuple[int, ...], spot_board: tuple[int, ...]) -> SuitPermutation | None:
    weights = [parse_range(text) for text in ranges]
    for suits in _SUITS:
        if tuple(sorted(permute_cards(real, suits))) == spot_board and all(
            np.array_equal(of_range[hand_permutation(suits)], of_range) for of_range in weights
        ):
            return suits
    return None
