"""Hands a second of the simulator on Leduc and on the hold'em blueprint, one thread and two.

    python benchmarks/simulation.py     builds the blueprint's card tables first if the data folder has none

Kujath's C# simulator: 500,000 on four cores. Here the goals are 1,000,000 on two, 300,000 with the blueprint.
"""

import argparse
import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from limpet.common.folders import data_folder, shipped_strategies
from limpet.configs.loading import load_game
from limpet.strategies.abstraction.betting import BettingTree
from limpet.strategies.abstraction.card_tables import TableDeals, load_or_build
from limpet.strategies.abstraction.cards import Lossless
from limpet.strategies.holdem.blueprint.strategy_file import PlayedRows, StrategyFile
from limpet.strategies.holdem.measures.duel import Simulator
from limpet.strategies.solvers.deals import enumerate_deals
from limpet.strategies.solvers.sampled.mccfr import DealSampler

DEALS = 1_000_000
RUNS = 5


def measure(name: str, tree: BettingTree, sampler: DealSampler, tables: Sequence[NDArray[np.generic]]) -> None:
    """Deals alone first, then whole hands; the best of a few runs, because other work only ever slows one down."""
    simulator = Simulator(tree, sampler, tables)
    simulator.play(1, seed=0)  # compiles
    began = time.perf_counter()
    for seed in range(50):
        sampler.sample(seed, 4096)
    deals = 50 * 4096 / (time.perf_counter() - began)
    rates = []
    for threads in (1, 2):
        best = 0.0
        for _ in range(RUNS):
            began = time.perf_counter()
            result = simulator.play(DEALS, seed=1, threads=threads)
            best = max(best, DEALS / (time.perf_counter() - began))
        rates.append(f"{best / 1e6:5.2f} M hands/s on {threads} thread{'s' * (threads > 1)}")
    print(f"{name:34} {deals / 1e6:5.1f} M deals/s; {', '.join(rates)}; position 0 wins {result.value(0)} chips")


def leduc() -> None:
    file = StrategyFile.open(shipped_strategies() / "leduc")
    measure(
        "Leduc, equilibrium", file.tree, enumerate_deals(load_game("leduc.limit.2p")), [PlayedRows(file).table()] * 2
    )


def blueprint() -> None:
    file = StrategyFile.open(shipped_strategies() / "hunl-200bb")
    cards = file.manifest.cards
    assert not isinstance(cards, Lossless), "sampled hold'em deals need tables of buckets"
    sampler = TableDeals(load_or_build(cards, data_folder() / "tables", 2), 2)
    measure("hunl-200bb", file.tree, sampler, [PlayedRows(file).table()] * 2)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args()
    leduc()
    blueprint()
