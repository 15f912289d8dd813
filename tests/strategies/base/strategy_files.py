"""Strategy files of random weights for small games, and a board-by-board sum in plain loops to hold the kernels against."""

from itertools import permutations
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from limpet.configs.loading import load_game
from limpet.protocol.gamedef import GameDef
from limpet.strategies.abstraction.betting import BettingTree, build_tree
from limpet.strategies.abstraction.cards import CardAbstraction, CardConfig, Lossless, LosslessBuckets
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.ranking_kernels import hand_strengths
from limpet.strategies.holdem.blueprint.quantise import packed_offset, quantise, row_total
from limpet.strategies.holdem.blueprint.strategy_file import FORMAT, Manifest, StrategyFile, save_strategy
from limpet.strategies.holdem.luck.opponent_model import KINDS, NUM_PRICES, OpponentModel

POT = BetMenu(sizes=(((1.0,), ()),))
MANY = BetMenu(sizes=(((0.5, 1.0, 2.0), (1.0,), ()),))


def random_strategy(
    folder: Path,
    game_name: str,
    seed: int,
    menu: BetMenu | None = None,
    bits: Literal[8, 16] = 16,
    trained: float = 1.0,
    cards_as: tuple[CardConfig, CardAbstraction] | None = None,
) -> StrategyFile:
    """A strategy for a game, with lossless cards or those given; each row was trained with probability `trained`."""
    game = load_game(game_name)
    tree = build_tree(game, menu)
    config, cards = cards_as or (Lossless(), LosslessBuckets(game))
    buckets = [cards.num_buckets(round_) for round_ in range(game.num_rounds)]
    offset = tree.row_offset(buckets)
    rng = np.random.default_rng(seed)
    weights = rng.random(int(offset[-1])) ** 4
    for node in tree.decisions:
        rows = weights[offset[node] : offset[node + 1]].reshape(-1, tree.num_actions[node])
        rows[rng.random(len(rows)) >= trained] = 0
    stored, untrained = quantise(weights, tree, offset, bits)
    manifest = Manifest(
        format=FORMAT, name=folder.name, game=str(game), rules_hash=game.rules_hash, cards=config,
        cards_hash=cards.hash(), menu=menu, bits=bits, algorithm="random", iterations=0, seed=seed, threads=1,
        training_seconds=0.0, rows=int(np.asarray(buckets)[tree.round[tree.decisions]].sum()),
        untrained_rows=untrained, quality={}, versions={}, sha256="", size=0,
    )  # fmt: skip
    save_strategy(folder, manifest, stored, tree, cards, "")
    return StrategyFile.open(folder)


def whole_rows(stored: NDArray[Any], tree: BettingTree, offset: NDArray[np.int64], node: int) -> NDArray[np.int64]:
    """The numbers ``[bucket, action]`` of a node's quantised rows, the last action's too; zeros where never trained."""
    start, k = packed_offset(tree, offset), int(tree.num_actions[node])
    rows = np.zeros(((offset[node + 1] - offset[node]) // k, k), np.int64)
    rows[:, :-1] = stored[start[node] : start[node + 1]].reshape(len(rows), k - 1)
    rows[:, -1] = row_total(8 * stored.dtype.itemsize) - rows.sum(axis=1)
    rows[rows[:, -1] < 0] = 0
    return rows


def deals(game: GameDef, board: tuple[int, ...]) -> list[tuple[int, int, int]]:
    """(hand of position 0, hand of position 1, who wins: 1, 0 or -1) for one-card hands that miss a board."""
    space = hand_space(tuple(sorted(game.deck)), 1)
    strengths = hand_strengths(np.array(board, np.int8), space.holes)
    live = np.flatnonzero(~space.blocked(board)).tolist()
    return [(a, b, int(np.sign(strengths[a] - strengths[b]))) for a, b in permutations(live, 2)]


def some_habits(rounds: int, strengths: int, seed: int) -> OpponentModel:
    """Of nobody: random numbers."""
    random = np.random.default_rng(seed)
    kinds = random.random((rounds, NUM_PRICES, strengths, KINDS)) ** 3
    return OpponentModel(kinds / kinds.sum(axis=-1, keepdims=True), random.random((rounds, 2)))
