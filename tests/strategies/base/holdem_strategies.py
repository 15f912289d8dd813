"""Hold'em strategies by rule, held in memory: 169 classes before the flop, and all hands alike after it."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from limpet.common.folders import shipped_strategies
from limpet.configs.loading import load_game, load_yaml
from limpet.protocol.gamedef import GameDef
from limpet.strategies.abstraction.betting import BettingTree, build_tree
from limpet.strategies.abstraction.cards import CardAbstraction
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import class_name, preflop_classes
from limpet.strategies.holdem.blueprint.quantise import packed_offset, quantise, row_total
from limpet.strategies.holdem.blueprint.strategy_file import Manifest, StrategyFile

Rule = Callable[[str, tuple[str, ...], str], Mapping[str, float]]
"""(betting so far, actions as on the wire, class such as AKs) -> weights of actions."""


class Classes(CardAbstraction):
    """The card abstraction; the class is '' after the flop."""

    kind = "classes"

    def num_buckets(self, round_: int) -> int:
        return 169 if round_ == 0 else 1

    def bucket_vector(self, round_: int, board: tuple[int, ...]) -> NDArray[np.int32]:
        buckets = preflop_classes().astype(np.int32) if round_ == 0 else np.zeros(1326, np.int32)
        buckets[hand_space().blocked(board)] = -1
        return buckets

    def hash(self) -> str:
        return "classes"

    def to_tensors(self) -> dict[str, Any]:
        return {}


def bettings(tree: BettingTree) -> list[str]:
    """Of every node, without slashes."""
    told = [""] * tree.num_nodes
    for node in tree.decisions.tolist():
        for index, action in enumerate(tree.actions(node)):
            told[tree.child(node, index)] = told[node] + str(action)
    return told


def rule_table(tree: BettingTree, rule: Rule) -> NDArray[np.float64]:
    """Weights in the layout of `Classes`."""
    offset = tree.row_offset([169, 1, 1, 1])
    weights, told = np.zeros(int(offset[-1])), bettings(tree)
    for node in tree.decisions.tolist():
        actions = tuple(str(action) for action in tree.actions(node))
        rows = weights[offset[node] : offset[node + 1]].reshape(-1, len(actions))
        for bucket, row in enumerate(rows):
            wanted = rule(told[node], actions, class_name(bucket) if tree.round[node] == 0 else "")
            row[:] = [wanted.get(action, 0.0) for action in actions]
    return weights


def rule_strategy(
    menu: BetMenu | None, rule: Rule, game_name: str = "holdem.nolimit.2p.reverse_blinds"
) -> StrategyFile:
    """A 16-bit strategy that plays by a rule."""
    return _rule_strategy(menu, rule, load_game(game_name))


@lru_cache(maxsize=16)
def _rule_strategy(menu: BetMenu | None, rule: Rule, game: GameDef) -> StrategyFile:
    tree, cards = build_tree(game, menu), Classes()
    offset = tree.row_offset([169, 1, 1, 1])
    stored, missed = quantise(rule_table(tree, rule), tree, offset, 16)
    made = load_yaml(shipped_strategies() / "leduc" / "manifest.yaml", Manifest)
    manifest = replace(made, name="ruled", game=str(game), rules_hash=game.rules_hash, menu=menu, untrained_rows=missed)
    return StrategyFile(
        Path("ruled"), manifest, game, tree, cards, stored,
        packed_offset(tree, offset), row_total(16), offset,
    )  # fmt: skip


def folds(betting: str, actions: tuple[str, ...], hand: str) -> dict[str, float]:
    return {"f": 1.0} if "f" in actions else {"c": 1.0}


def calls(betting: str, actions: tuple[str, ...], hand: str) -> dict[str, float]:
    return {"c": 1.0}


def raises(betting: str, actions: tuple[str, ...], hand: str) -> dict[str, float]:
    """The smallest raise there is."""
    return {next((action for action in actions if action[0] == "r"), "c"): 1.0}


def uniform(betting: str, actions: tuple[str, ...], hand: str) -> dict[str, float]:
    return dict.fromkeys(actions, 1.0)
