"""Solves a spot in one call: which spot, which limits, which decisions of the answer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from limpet.configs.fitting import Misfit
from limpet.configs.loading import ConfigError, Document
from limpet.protocol.state import State
from limpet.strategies.cards.boards import SuitPermutation
from limpet.strategies.cards.isomorphism import hand_permutation, permute_cards
from limpet.strategies.cards.ranges import parse_range
from limpet.strategies.holdem.solutions.answer import Answer, answer
from limpet.strategies.holdem.solutions.solve import Solve, prepare, spot_size
from limpet.strategies.holdem.solutions.spot import Spot, load_spot
from limpet.strategies.trees.lines import BoardNode, find_node, first_street, split_line


def solve(
    spot: str | Path | Spot | None = None, at: Sequence[str] = (), report: Callable[[Solve], None] = lambda solve: None,
    stop: Callable[[], bool] = lambda: False, **fields: Any,
) -> Answer:  # fmt: skip
    """Return the equilibrium of a spot with its first decision, and those `at` lines such as ``"check, bet 50%"``.

    Args:
        spot: name of one that ships, a file, or a `Spot`; None for a spot made of `fields` alone.
        at: lines of actions, and of cards where a street begins, between commas.
        report: called after every measurement of the exploitability.
        stop: asked now and then whether to end early.
        fields: fields of `Spot` in place of the spot's own: board, pot, stack, ranges, menu, target, threads and so on.

    Raises `ConfigError` for a spot or a line that is wrong, and `MemoryError` for a tree that does not fit.
    """
    loaded = spot_with(spot, fields)
    spot_size(loaded).require()
    places = find_decisions(loaded, at)
    running = prepare(loaded)
    running.run(report, stop)
    return answer(running, places)


def spot_with(spot: str | Path | Spot | None, fields: Mapping[str, Any]) -> Spot:
    """Return a spot with some fields in place of its own; a new algorithm brings its own parameters. Raises `ConfigError`."""

    def changed(base: Spot | None) -> Spot:
        if base is not None and not fields:
            return base
        usual: dict[str, Any] = {"parameters": {}} if "algorithm" in fields else {}
        data = {} if base is None else msgspec.to_builtins(base)
        return Document.of(data | usual | msgspec.to_builtins(fields), "spot").decode(Spot)

    if isinstance(spot, str | Path):
        spot = load_spot(spot, before_tree=lambda named: spot_size(changed(named)).require())
    made = changed(spot)
    try:
        made.check(lambda spot: spot_size(spot).require())
    except Misfit as misfit:
        raise Document.of({}, "spot").error(misfit.keys, str(misfit)) from misfit
    return made


def find_decisions(spot: Spot, lines: Sequence[str], whole_street: bool = False) -> list[BoardNode]:
    """Return the first decision, or all of the first street, and those after lines. Raises `ConfigError` for a wrong line."""
    decisions = first_street(spot.tree, spot.chip_size) if whole_street else [find_node(spot.tree, ())]
    for line in lines:
        try:
            decisions.append(find_node(spot.tree, split_line(line), spot.chip_size))
        except ValueError as error:
            raise ConfigError(f"line {line!r}: {error}") from error
    return decisions


# --- Recognises real hands that are in a solved spot: equal pot and stacks in big blinds, and a board equal but for
# suits.

_SUITS: tuple[SuitPermutation, ...] = tuple(permutations(range(4)))  # the identity comes first


@dataclass(frozen=True)
class InSpot:
    """The translation of a real hand into a spot.

    Attributes:
        start: the real state at the start of the spot's street.
        suits: maps real suits to the spot's.
        chips: number of real chips in one chip of the spot.
    """

    start: State
    suits: SuitPermutation
    chips: float


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
