"""Choice of the value function that a command names or a player suggests."""

from collections.abc import Mapping
from math import comb, prod
from pathlib import Path

import numpy as np

from limpet.common.artifact import MANIFEST
from limpet.common.folders import data_folder, find_strategy, shipped_strategies
from limpet.common.safetensors import map_tensors, write_tensors
from limpet.common.workers import Report, silent
from limpet.configs.loading import ConfigError
from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord
from limpet.strategies.abstraction.card_tables import Vector, kept_vector
from limpet.strategies.base.records import RowsSource
from limpet.strategies.base.strategy import Strategy
from limpet.strategies.cards.equity import range_equity
from limpet.strategies.cards.handspace import is_heads_up_holdem, is_holdem, require_all_cards, require_no_antes
from limpet.strategies.draw.luck import DrawValues, aivat_of_draws
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from limpet.strategies.holdem.luck.aivat import Corrected, aivat
from limpet.strategies.holdem.luck.flop_model import MODEL_FLOPS, MODEL_RUNOUTS, FlopModel, fit_flop_model
from limpet.strategies.holdem.luck.range_values import RangeEquity, RangeValues, SelfPlayRanges
from limpet.strategies.holdem.luck.runouts import MOST_BOARDS
from limpet.strategies.holdem.luck.self_play import SelfPlay, leaning
from limpet.strategies.holdem.luck.self_play_values import SelfPlayValues
from limpet.strategies.holdem.luck.value_function import EquityValues, ValueFunction
from limpet.strategies.players.blueprint import Blueprint
from limpet.strategies.players.simple import Call, Fold

EQUITY = "equity"
CALLING = 0.3
"""Probability with which the value function of hold'em has the other check or call, whatever the strategy says. Few
opponents fold as the strategy does. Chosen on matches of one seed (docs/evaluate.md); 0 is best in self-play."""
MOST_DEALS = 100_000
"""Most deals of the others' hands that the mean before the deal is summed over."""
MODEL_FORMAT = "limpet-values/1"
Values = ValueFunction | DrawValues


def named_values(game: GameDef, name: str, relative_to: Path, report: Report = silent) -> Values:
    """Return the values of ``equity``, or of a strategy file in self-play. Raises `ValueError` for another game's file.

    report: called with the numbers of flops done and of all, while a model is fitted the first time that it is needed.
    """
    if name == EQUITY:
        return equity_values(game)
    if game.num_draws:
        raise ValueError(f"the baseline of draw poker is '{EQUITY}'; a strategy's values are for games with boards")
    if game.num_players != 2:
        raise ValueError(
            f"the baseline of a strategy is for two players, and {game.num_players} play here; the baseline '{EQUITY}' is for "
            "small games of more"
        )
    return self_play_values(StrategyFile.open(find_strategy(name, relative_to)), game, report)


def values_for(strategy: Strategy, report: Report = silent) -> Values:
    """Return the values that suit a player: of its strategy file or blueprint in self-play, or equity if it has none."""
    game = strategy.game
    blueprint = getattr(strategy, "blueprint", strategy)
    if isinstance(blueprint, Blueprint) and game.num_players == 2:
        return self_play_values(blueprint.file, game, report)
    return equity_values(game)


def equity_values(game: GameDef) -> Values:
    """Return the values of equity. Raises `ValueError` for true antes, and too many deals or boards to be summed over."""
    require_no_antes(game)
    return DrawValues(game) if game.num_draws else board_equity(game)


def board_equity(game: GameDef) -> EquityValues:
    """Return the values of equity of a game without draws. Raises `ValueError` as `equity_values`, and for draws."""
    if game.num_draws:
        raise ConfigError("AIVAT takes the luck out of games with a board here; `limpet aivat` does it for draws")
    require_all_cards(game)
    require_no_antes(game)
    cards, held, others = len(game.deck), game.num_hole_cards, game.num_players - 1
    deals = prod(comb(cards - held * player, held) for player in range(others))
    by_table = is_heads_up_holdem(game, whole=True)  # by the table of preflop equities
    boards = 1 if by_table else comb(cards - held * others, sum(game.num_board_cards))
    if deals > MOST_DEALS or boards > MOST_BOARDS:
        raise ValueError(
            f"with {game.num_players} players there are {deals:,} deals of the others' hands and {boards:,} boards, too "
            "many to sum over; luck is taken out of heads-up hold'em and of small games"
        )
    return EquityValues(game)


def baseline_that_ships(game: GameDef) -> str:
    """Return the name of a strategy that ships for a game of two players, else that of `equity`."""
    if game.num_players == 2:
        for folder in sorted(shipped_strategies().iterdir()):
            if not (folder / MANIFEST).is_file():
                continue
            try:
                StrategyFile.open(folder).check_game(game)
            except ValueError:
                continue
            return folder.name
    return EQUITY


def self_play_values(file: StrategyFile, game: GameDef, report: Report) -> SelfPlayValues:
    """Return the values of a strategy file. Raises `ValueError` as `StrategyFile.check_game` and `SelfPlay`."""
    file.check_game(game)
    if not is_holdem(game, whole=True):
        return SelfPlayValues(SelfPlay(file), None)
    # Thousands of boards are asked for: where training has left tables of buckets, they are looked up.
    vector = kept_vector(file.manifest.cards, file.cards, data_folder() / "tables")
    return SelfPlayValues(SelfPlay(file, CALLING, vector), _kept_model(file, vector, report))


def luck_free(record: HandRecord, position: int, values: Values, rows: Mapping[int, RowsSource]) -> Corrected:
    """Return a hand's result by AIVAT with the rows of the known positions; without any, less the cards' luck alone."""
    if isinstance(values, DrawValues):
        return aivat_of_draws(record, position, values, rows)
    return aivat(record, position, values, rows, cards_only=not rows)


def range_values(values: Values, opponent: Strategy | None = None) -> RangeValues | None:
    """Return the same value function of two ranges, for two players who are both known.

    None for more than two players, and for games with too many hands and boards to sum over in pairs.

    opponent: where it is `Call` or `Fold`, the value function has it play so; any other plays as the values' strategy.
    """
    game = values.game
    if game.num_players != 2 or game.num_hole_cards > 2:
        return None
    assert isinstance(values, ValueFunction)  # those of draws are of games with more hole cards
    try:
        range_equity(game, (), np.ones(values.space.size))
    except ValueError:
        return None
    if not isinstance(values, SelfPlayValues):
        return RangeEquity(game)
    kinds = "c" if isinstance(opponent, Call) else "fc" if isinstance(opponent, Fold) else None
    play = values.play
    return SelfPlayRanges(values, None if kinds is None else leaning(play.file, play.table, 1.0, kinds))


def _kept_model(file: StrategyFile, vector: Vector | None, report: Report) -> FlopModel:
    """Return the model of a strategy file, which is fitted once and kept in the data folder under the file's hash."""
    path = data_folder() / "values" / f"{file.manifest.sha256[:20]}-{MODEL_FLOPS}-{MODEL_RUNOUTS}.safetensors"
    if path.is_file():
        tensors, metadata = map_tensors(path)
        if metadata.get("format") == MODEL_FORMAT and set(tensors) == set(FlopModel._fields):
            return FlopModel(**{name: np.array(array, np.float64) for name, array in tensors.items()})
    model = fit_flop_model(SelfPlay(file, vector=vector), report=report)
    write_tensors(path, model._asdict(), {"format": MODEL_FORMAT, "strategy": file.manifest.name})
    return model
