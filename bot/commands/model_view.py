"""Draws a learnt model's play before the flop as grids of starting hands."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from limpet.bot.commands.drawing import range_picture
from limpet.bot.commands.terminal import print_line
from limpet.configs.loading import load_game
from limpet.dealer.measures.learn_model import GAMES
from limpet.protocol.state import FOLD, State
from limpet.strategies.imitation.situations import position_name

if TYPE_CHECKING:
    from rich.console import Console

    from limpet.strategies.imitation.model import Model


def first_decisions(model: "Model") -> Iterator[State]:
    """Yield the decisions of each position to which all fold, in the games that the model was learnt from."""
    for players, name in GAMES.items():
        if players not in model.tree.roots:
            continue
        state = State.start(load_game(name))
        while not state.finished and state.can_fold:
            yield state
            state = state.apply(FOLD)


def draw_grids(console: "Console", model: "Model") -> None:
    """Print for each position how often it enters a pot that nobody has entered, and with which hands."""
    for state in first_decisions(model):
        kinds = model.kinds(state)
        cells = model.cells(state)
        fold, call, raised = (kinds[:, cells].mean(axis=1) * 100).tolist()
        who = f"{position_name(state, state.actor)} of {state.game.num_players}, first in"
        print_line(console, f"\n{who}: folds {fold:.1f} %, calls {call:.1f} %, raises {raised:.1f} %; hands that play:")
        played = np.round(1 - kinds[0][cells], 2).astype(np.float32)
        console.print(range_picture(played, ()))
