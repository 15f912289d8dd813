"""Checks that the betting tree of a training run and the tables in its layout fit into memory, before they are built."""

from collections.abc import Callable
from random import Random

from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import State
from limpet.strategies.abstraction.cards import CardConfig, Lossless, StrengthPercentile
from limpet.strategies.solving.vector.memory import free_memory, size_text
from limpet.strategies.training.training_config import TrainingConfig
from limpet.strategies.trees.betting import BettingTree, build_tree
from limpet.strategies.trees.menu import abstract_actions
from limpet.strategies.trees.tree_size import TreeCount, count_tree

Report = Callable[[str, int, int], None]

NODE_BYTES = 320
"""Bytes of memory for a node while the tree is built; measured on that of hunl-200bb."""
FULL_WIDTH_BYTES, SAMPLED_BYTES = 24, 8
"""Bytes of memory for an entry of the tables: regrets, strategy and average in float64, or regrets and average in float32."""

PROBES = 300
"""Number of random lines that estimate the size of a tree."""
CERTAIN = 100
"""A tree is refused uncounted where the estimate of its bytes is this many times the free memory.

The estimate's mean is right, so that by Markov's inequality fewer than one tree in a hundred that fits is refused.
"""


def bucket_counts(cards: CardConfig, game: GameDef) -> tuple[int, ...]:
    """Return the number of buckets of each round. Raise `ValueError` for a game too large for lossless cards."""
    if isinstance(cards, Lossless):
        from limpet.strategies.abstraction.lossless import LosslessBuckets

        lossless = LosslessBuckets(game)
        return tuple(lossless.num_buckets(round_) for round_ in range(game.num_rounds))
    if isinstance(cards, StrengthPercentile):
        return (169, *cards.buckets)
    counts = [169, cards.flop.most, cards.turn.most, cards.river.most]
    if cards.recall == "perfect":
        for round_ in range(1, 4):
            counts[round_] *= counts[round_ - 1]
    return tuple(counts)


def tree_with_room(config: TrainingConfig, game: GameDef, report: Report) -> BettingTree:
    """Count the betting tree of a run, and build it if it fits.

    report(stage, done, total) is called while it is counted (bytes, of the free ones) and built (nodes). Raises
    `ValueError` with the numbers for a tree, or tables in its layout, that do not fit into free memory.
    """
    buckets = bucket_counts(config.cards, game)
    entry_bytes = FULL_WIDTH_BYTES if config.sampling is None else SAMPLED_BYTES
    free = free_memory()

    def entries(count: TreeCount) -> int:
        return sum(street.edges * number for street, number in zip(count.streets, buckets, strict=True))

    def need(count: TreeCount) -> int:
        return NODE_BYTES * count.nodes + entry_bytes * entries(count)

    def too_much(count: TreeCount) -> bool:
        if free is None:
            return False
        report("counting bets", min(need(count), free), free)
        return need(count) > free

    about = estimated(game, config, lambda state, actions: NODE_BYTES + entry_bytes * actions * buckets[state.round])
    if free is not None and about > CERTAIN * free:
        raise ValueError(
            f"{config.name}: its menu makes far more betting sequences than fit: with its cards about {size_text(about)} of "
            f"memory, and {size_text(free)} are free; use fewer sizes, a raise_cap, or fewer buckets"
        )
    count = count_tree(game, config.menu, too_much)
    if free is not None and need(count) > free:
        least = "" if count.whole else "at least "
        raise ValueError(
            f"{config.name}: its menu makes {least}{count.nodes:,} betting sequences, and with its cards {least}"
            f"{entries(count):,} table entries: {least}{size_text(need(count))}, and {size_text(free)} are free; use fewer "
            "sizes, a raise_cap, or fewer buckets"
        )
    return build_tree(game, config.menu, lambda nodes: report("building the betting tree", nodes, count.nodes))


def estimated(game: GameDef, config: TrainingConfig, cost: Callable[[State, int], int]) -> int:
    """Estimate the sum of `cost(state, number of actions)` over all decisions of the tree, from a few random lines.

    The costs along a line count by the number of lines that its decisions stand for (Knuth 1975, "Estimating the
    efficiency of backtrack programs").
    """
    random, total = Random(0), 0
    for _ in range(PROBES):
        state, lines = State.start(game), 1
        while not state.finished:
            actions = abstract_actions(state, config.menu)
            total += lines * cost(state, len(actions))
            lines *= len(actions)
            state = state.apply(random.choice(actions))
    return total // PROBES
