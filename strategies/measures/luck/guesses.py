"""The guess that a command names: the plain one, or a strategy's, with the model of its flops kept once it is fitted."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from limpet.protocol.gamedef import GameDef
from limpet.strategies.abstraction.card_tables import Vector, kept_vector
from limpet.strategies.blueprint.strategy_file import StrategyFile
from limpet.strategies.cards.range_equity import range_equity
from limpet.strategies.measures.luck.both_known import RangeEquity, RangeValues
from limpet.strategies.measures.luck.equity_values import EquityValues
from limpet.strategies.measures.luck.range_play import RangePlay
from limpet.strategies.measures.luck.runouts import is_hold_em
from limpet.strategies.measures.luck.self_play import SelfPlay, leaning
from limpet.strategies.measures.luck.self_play_values import SelfPlayValues
from limpet.strategies.measures.luck.start_model import MODEL_FLOPS, MODEL_RUNOUTS, StartModel, fit_start_model
from limpet.strategies.measures.luck.value_function import ValueFunction
from limpet.strategies.players.blueprint import Blueprint
from limpet.strategies.players.simple import Call, Fold
from limpet.strategies.storage.folders import data_folder, find_strategy
from limpet.strategies.storage.safetensors import map_tensors, write_tensors
from limpet.strategies.strategy import Strategy

EQUITY = "equity"
CALLING = 0.3
"""How often the guess in hold'em has the other check or call whatever it would do: few opponents fold as the strategy
does, and none must fold when a guess goes on. Chosen on matches of one seed (docs/evaluate.md); 0 is best in self-play."""
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
    """What suits a player best without being told: the values of its own strategy file, or of the one that it begins its
    thoughts with; the plain guess if it has none."""
    game = strategy.game
    blueprint = getattr(strategy, "blueprint", strategy)
    if isinstance(blueprint, Blueprint) and game.num_players == 2:
        return guess_of(blueprint.file, game, report)
    return EquityValues(game)


def guess_of(file: StrategyFile, game: GameDef, report: Callable[[int, int], None]) -> SelfPlayValues:
    """The values of a strategy file. Raises `ValueError` as `StrategyFile.check_game` and `SelfPlay`."""
    file.check_game(game)
    if not is_hold_em(game):
        return SelfPlayValues(SelfPlay(file), None)
    # Boards by the thousand: where training has left its tables, they are looked up.
    vector = kept_vector(file.manifest.cards, file.cards, data_folder() / "tables")
    return SelfPlayValues(SelfPlay(file, CALLING, vector), kept_model(file, vector, report))


def range_guess(guess: ValueFunction, opponent: Strategy | None = None) -> RangeValues | None:
    """Return the same guess about two ranges, for two players who are both known.

    opponent: where it is `Call` or `Fold`, the guess has it play so; any other is taken to play as the guess does.

    None for more than two players, and for games with too many hands and boards to be summed over in pairs.
    """
    game = guess.game
    if game.num_players != 2 or game.num_hole_cards > 2:
        return None
    try:
        range_equity(game, (), np.ones(guess.space.size))
    except ValueError:
        return None
    if not isinstance(guess, SelfPlayValues):
        return RangeEquity(game)
    kinds = "c" if isinstance(opponent, Call) else "fc" if isinstance(opponent, Fold) else None
    play = guess.play
    return RangePlay(guess, None if kinds is None else leaning(play.file, play.table, 1.0, kinds))


def kept_model(file: StrategyFile, vector: Vector | None, report: Callable[[int, int], None]) -> StartModel:
    """The model of a strategy file; fitted at the first call, and kept in the data folder under the file's hash."""
    path = data_folder() / "values" / f"{file.manifest.sha256[:20]}-{MODEL_FLOPS}-{MODEL_RUNOUTS}.safetensors"
    if path.is_file():
        tensors, metadata = map_tensors(path)
        if metadata.get("format") == MODEL_FORMAT and set(tensors) == set(StartModel._fields):
            return StartModel(**{name: np.array(array, np.float64) for name, array in tensors.items()})
    model = fit_start_model(SelfPlay(file, vector=vector), report=report)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_tensors(path, model._asdict(), {"format": MODEL_FORMAT, "strategy": file.manifest.name})
    return model
