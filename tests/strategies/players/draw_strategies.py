"""Made-up draw strategies: random rows in the files that training writes."""

from pathlib import Path

import numpy as np

from limpet.configs.loading import load_game
from limpet.strategies.draw.draw_file import DrawManifest, DrawTables, draw_game, save_draw_strategy
from limpet.strategies.draw.hands import CLASSES

BUCKETS = 20


def made_up_strategy(folder: Path) -> None:
    """Write a strategy for draw5-pl-hu whose probabilities are random and never zero in the betting."""
    game, rng = load_game("draw5-pl-hu"), np.random.default_rng(1)
    trees = draw_game(game)
    nodes = len(trees.continuations)
    codes = (rng.integers(0, 1024, CLASSES) | rng.integers(0, 64, CLASSES) << 10).astype(np.uint16)
    tables = DrawTables(
        betting=rng.integers(1, 256, (trees.first.entries, CLASSES), np.uint8),
        small_blind=np.tile(codes, (nodes, 6, 1)),
        big_blind=np.tile(codes[::-1], (nodes, 1, 1)),
        second=rng.integers(1, 256, (trees.leaves, trees.second.entries, BUCKETS), np.uint8),
        promised=np.zeros((trees.leaves, 2, BUCKETS), np.float32),
    )
    manifest = DrawManifest(
        name="made-up", game=str(game), rules_hash=game.rules_hash, buckets=BUCKETS, algorithm="none", iterations=1,
        seed=1, training_seconds=0, processor_seconds=None, quality={}, versions={},
    )  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    save_draw_strategy(folder, manifest, tables, "")
