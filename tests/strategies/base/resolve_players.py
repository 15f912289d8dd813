"""A resolving player on a blueprint that plays by a rule, small enough to solve thousands of subgames in a test."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from limpet.configs.loading import load_game
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import CALL, State
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.holdem.blueprint.blueprint_hand import BlueprintSeat
from limpet.strategies.players import blueprint
from limpet.strategies.players.resolve import Resolve
from tests.strategies.base.holdem_strategies import Rule, rule_strategy, uniform

HUNL = "holdem.nolimit.2p.reverse_blinds"
BOARD = (0, 5, 22, 31, 50)
TRUNK = BetMenu(sizes=(((1.0,), ()),))
SMALL: dict[str, Any] = {"menus": [{"menu": {"sizes": [[[1], []]]}}], "iterations": 3}


def game_of(folder: Path, stacks: tuple[int, int]) -> str:
    """A `.game` file of heads-up no-limit hold'em with these stacks."""
    path = folder / f"stacks-{stacks[0]}-{stacks[1]}.game"
    text = str(load_game(HUNL)).replace("stack = 20000 20000", f"stack = {stacks[0]} {stacks[1]}")
    path.write_text(text)
    return str(path)


def resolver(
    folder: Path, patch: pytest.MonkeyPatch, stacks: tuple[int, int] = (20000, 20000), rule: Rule = uniform,
    **options: Any,
) -> Resolve:  # fmt: skip
    """`options` as in a config; by default turns and rivers are solved, three iterations each on one thread."""
    name = game_of(folder, stacks)
    game: GameDef = load_game(name)
    file = rule_strategy(TRUNK, rule, name)
    patch.setattr(blueprint, "open_seats", lambda *_: [BlueprintSeat(file), BlueprintSeat(file)])
    given = {"blueprint": {"strategy": "ruled"}, "streets": {"turn": SMALL, "river": SMALL}, "threads": 1, **options}
    return Resolve(game, msgspec.convert(given, Resolve.Options), folder)


def called_to(player: Resolve, round_: int, board: tuple[int, ...] = BOARD) -> State:
    """Called and checked down to a round."""
    state = State.start(player.game)
    while state.round < round_:
        state = state.apply(CALL).with_board(board)
    return state


class Clock:
    """Goes on by `step` whenever somebody looks."""

    def __init__(self, step: float = 0.0) -> None:
        self.now, self.step = 100.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now
