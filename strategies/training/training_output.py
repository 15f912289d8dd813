"""From a training run's tables to a strategy folder."""

from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.abstraction.cards import Lossless
from limpet.strategies.blueprint.model_card import model_card
from limpet.strategies.blueprint.quantise import quantise, stored_probabilities
from limpet.strategies.blueprint.strategy_file import FORMAT, Manifest, save_strategy
from limpet.strategies.blueprint.training_curve import CURVE, write_curve
from limpet.strategies.solving.tabular.exploitability import nash_conv, values
from limpet.strategies.storage.provenance import versions
from limpet.strategies.training.measuring import all_deals, average_table

if TYPE_CHECKING:
    from limpet.strategies.training.training import Training


def write_strategy(training: "Training", folder: Path) -> Manifest:
    """Quantise the average strategy, measure it where the game is small, and write the folder with the curve so far."""
    config, game, tree, cards = training.config, training.game, training.tree, training.cards
    solver, (seconds, processor_seconds) = training.solver, training.spent
    buckets = [cards.num_buckets(round_) for round_ in range(game.num_rounds)]
    offset = tree.row_offset(buckets)
    table, untrained = quantise(average_table(solver), tree, offset, config.bits)
    draft = Manifest(
        format=FORMAT,
        name=config.name,
        game=str(game),
        rules_hash=game.rules_hash,
        cards=config.cards,
        cards_hash=cards.hash(),
        menu=config.menu,
        bits=config.bits,
        algorithm=config.algorithm_text,
        iterations=solver.iteration,
        seed=config.seed,
        threads=config.threads,
        training_seconds=round(seconds, 1),
        processor_seconds=None if isnan(processor_seconds) else round(processor_seconds, 1),
        rows=int(np.asarray(buckets)[tree.round[tree.decisions]].sum()),
        untrained_rows=untrained,
        quality=_quality(training, table, offset),
        versions=versions(),
        code=training.code,
        tables=dict(training.tables),
        sha256="",
        size=0,
    )
    card = model_card(draft, game, training.curve)
    manifest = save_strategy(folder, draft, table, tree, cards, card)
    write_curve(folder / CURVE, training.curve)
    return manifest


def _quality(training: "Training", table: NDArray[Any], offset: NDArray[np.int64]) -> dict[str, float]:
    """Of the strategy as stored: exact NashConv and values in chips, where all deals can be enumerated.

    Else the last point of the curve, if it is of the end.
    """
    tree = training.tree
    if not isinstance(training.config.cards, Lossless):
        last = training.curve[-1] if training.curve else None
        if last is None or last.iteration != training.solver.iteration or last.below is None or last.above is None:
            return {}
        return {"real_response_below_mbb": last.below, "real_response_above_mbb": last.above}
    deals = all_deals(training.solver, training.cards)
    stored = stored_probabilities(table, tree, offset)
    expected = values(tree, deals, stored)
    quality = {"nash_conv_chips": round(nash_conv(tree, deals, stored), 9)}
    if training.game.num_players == 2:
        quality["exploitability_chips"] = round(quality["nash_conv_chips"] / 2, 9)
    return quality | {f"value_position_{p}_chips": round(float(chips), 9) for p, chips in enumerate(expected)}
