"""The guess that a command names: the plain one, or a strategy's, with the model of its flops kept once it is fitted."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from limpet.protocol.gamedef import GameDef
from limpet.strategies.blueprint.safetensors import map_tensors, write_tensors
from limpet.strategies.blueprint.strategy_file import StrategyFile
from limpet.strategies.evaluation.equity_values import EquityValues
from limpet.strategies.evaluation.runouts import is_hold_em
from limpet.strategies.evaluation.self_play import SelfPlay
from limpet.strategies.evaluation.self_play_values import SelfPlayValues
from limpet.strategies.evaluation.start_model import MODEL_FLOPS, MODEL_RUNOUTS, StartModel, fit_start_model
from limpet.strategies.evaluation.value_function import ValueFunction
from limpet.strategies.folders import data_folder, find_strategy
from limpet.strategies.players.blueprint import Blueprint
from limpet.strategies.strategy import Strategy

EQUITY = "equity"
MODEL_FORMAT = "limpet-values/1"


def open_guess(
    game: GameDef, name: str, relative_to: Path, report: Callable[[int, int], None] = lambda done, total: None
) -> ValueFunction:
    """``equity``, or the values of a strategy file in self-play. Raises `ValueError` for one of another game.

    The first time that a strategy of hold'em is asked for, `report(done, total)` follows the fitting of its model.
    """
    if name == EQUITY:
        return EquityValues(game)
    return guess_of(StrategyFile.open(find_strategy(name, relative_to)), game, report)


def guess_for(strategy: Strategy, report: Callable[[int, int], None] = lambda done, total: None) -> ValueFunction:
    """What suits a player best without being told: its own strategy file's values, or the plain guess if it has none."""
    game = strategy.game
    if isinstance(strategy, Blueprint) and game.num_players == 2:
        return guess_of(strategy.file, game, report)
    return EquityValues(game)


def guess_of(file: StrategyFile, game: GameDef, report: Callable[[int, int], None]) -> SelfPlayValues:
    """The values of a strategy file. Raises `ValueError` as `StrategyFile.check_game` and `SelfPlay`."""
    file.check_game(game)
    play = SelfPlay(file)
    return SelfPlayValues(play, kept_model(play, report) if is_hold_em(game) else None)


def kept_model(play: SelfPlay, report: Callable[[int, int], None]) -> StartModel:
    """The model of a strategy file; fitted at the first call, and kept in the data folder under the file's hash."""
    path = data_folder() / "values" / f"{play.file.manifest.sha256[:20]}-{MODEL_FLOPS}-{MODEL_RUNOUTS}.safetensors"
    if path.is_file():
        tensors, metadata = map_tensors(path)
        if metadata.get("format") == MODEL_FORMAT and set(tensors) == set(StartModel._fields):
            return StartModel(**{name: np.array(array, np.float64) for name, array in tensors.items()})
    model = fit_start_model(play, report=report)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_tensors(path, model._asdict(), {"format": MODEL_FORMAT, "strategy": play.file.manifest.name})
    return model
