"""Counts what flops are worth to starting hands, by playing a strategy out against itself from each of its flops."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import repeat
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.base.sampling import mix
from limpet.strategies.cards.handspace import hand_space, is_heads_up_holdem
from limpet.strategies.cards.isomorphism import NUM_CLASSES, preflop_classes
from limpet.strategies.holdem.blueprint.blueprint_hand import BlueprintSeat
from limpet.strategies.holdem.blueprint.flop_values import UNITS, FlopValues, flop_nodes
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from limpet.strategies.holdem.engine.dealt_buckets import DealtBatch, bucket_source, hand_indices
from limpet.strategies.holdem.engine.joint_betting import own_betting
from limpet.strategies.holdem.engine.match_kernels import play

CHUNK = 1 << 17
"""Deals that are played together."""


def count_flop_values(
    file: StrategyFile, deals: int, seed: int, cache: Path, threads: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> FlopValues:  # fmt: skip
    """Return the values of all flops of a strategy: the mean over dealt hands, each played once from each flop.

    deals: number of deals of two hands and a board; results do not depend on the threads. cache: folder of card tables.
    progress: called with (done, total) deals.

    Raises `ValueError` for other games than heads-up hold'em.
    """
    game, tree = file.game, file.tree
    if not is_heads_up_holdem(game):
        raise ValueError("flop values are for heads-up hold'em")
    source = bucket_source(file, deals, cache, threads)
    betting, nodes, table = own_betting(tree, file.offset), flop_nodes(tree), BlueprintSeat(file).table()
    none, keys = np.zeros(2, np.int64), np.array([mix(seed)] * 2, np.uint64)
    sums = np.zeros((len(nodes), NUM_CLASSES**2))
    counts = np.zeros(NUM_CLASSES**2, np.int64)

    def play_chunk(first: int, dealt: DealtBatch, pool: ThreadPoolExecutor) -> None:
        """Add what position 0 wins with each deal from each flop."""
        deals = np.arange(len(dealt.holes))
        parts = np.array_split(deals, threads)
        buckets = np.full((1, len(deals), 2, game.num_rounds), -1, np.int32)
        for round_ in range(1, game.num_rounds):
            list(pool.map(partial(source.fill, round_, dealt=dealt, buckets=buckets[0]), parts))
        pairs = _pairs(dealt)
        counts[:] += np.bincount(pairs, minlength=NUM_CLASSES**2)
        for index, node in enumerate(nodes):
            numbers = (first + deals) * len(nodes) + index
            at, net = np.full(len(deals), node, np.int32), np.zeros((len(deals), 2))
            tally = np.zeros((len(deals), 2, 2), np.int32)
            fixed = betting, table, none, none, keys, *dealt, buckets, deals, numbers
            list(
                pool.map(
                    play, *(repeat(array) for array in fixed), parts, *(repeat(array) for array in (at, net, tally))
                )
            )
            sums[index] += np.bincount(pairs, net[:, 0], NUM_CLASSES**2)

    random = np.random.Generator(np.random.Philox(key=seed))
    with ThreadPoolExecutor(threads) as pool:
        for first in range(0, deals, CHUNK):
            size = min(CHUNK, deals - first)
            play_chunk(first, _deal(random, size), pool)
            progress(first + size, deals)
    spent = tree.spent[nodes, 0].astype(np.float64)[:, None]
    shares = (sums / np.maximum(counts, 1) + spent) / tree.spent[nodes].sum(axis=1)[:, None]
    units = np.rint(UNITS * np.where(counts > 0, shares, 0.5)).astype(np.int16)
    return FlopValues(tree, np.array(nodes, np.int32), units.reshape(-1, NUM_CLASSES, NUM_CLASSES), deals)


def _deal(random: np.random.Generator, size: int) -> DealtBatch:
    cards = np.argpartition(random.random((size, 52), np.float32), 9, axis=1)[:, :9]
    cards = np.take_along_axis(cards, np.argsort(random.random((size, 9), np.float32), axis=1), axis=1).astype(np.int8)
    return DealtBatch(np.ascontiguousarray(cards[:, :4].reshape(size, 2, 2)), np.ascontiguousarray(cards[:, 4:]))


def _pairs(dealt: DealtBatch) -> NDArray[np.int64]:
    """Return the classes of each deal's two hands as one number."""
    classes = preflop_classes()[hand_indices(hand_space(), dealt.holes)].astype(np.int64)
    return np.asarray(classes[:, 0] * NUM_CLASSES + classes[:, 1])
