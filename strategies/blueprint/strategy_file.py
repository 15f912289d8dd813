"""The strategy file: a folder with quantised probabilities, a manifest and a model card."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.configs.loading import load_yaml, yaml_text
from limpet.protocol.gamedef import GameDef
from limpet.strategies.abstraction.cards import CardAbstraction, CardConfig, open_abstraction
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.blueprint.quantise import dequantise, stored_probabilities
from limpet.strategies.blueprint.safetensors import map_tensors, write_tensors
from limpet.strategies.trees.betting import BettingTree, build_tree

FORMAT = "limpet-strategy/1"
TENSORS = "strategy.safetensors"
MANIFEST = "manifest.yaml"
CARD = "README.md"


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a strategy was made for and how. The file is refused for any game with other rules or stacks."""

    format: str
    name: str
    game: str
    """The game's definition, as text."""
    rules_hash: str
    cards: CardConfig
    cards_hash: str
    menu: BetMenu | None
    bits: int
    algorithm: str
    iterations: int
    seed: int
    threads: int
    training_seconds: float
    rows: int
    """Infosets: (betting sequence, bucket) pairs."""
    untrained_rows: int
    quality: dict[str, float]
    versions: dict[str, str]
    sha256: str
    """Of `strategy.safetensors`."""
    size: int
    """Its bytes."""


def save_strategy(
    folder: Path, manifest: Manifest, table: NDArray[Any], cards: CardAbstraction, card_text: str
) -> Manifest:
    """Write the folder; the manifest, which makes it a strategy, comes last. Returns it with hash and size filled in."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {"probabilities": table} | {f"cards.{name}": array for name, array in cards.to_tensors().items()}
    metadata = {"format": FORMAT, "rules_hash": manifest.rules_hash, "cards_hash": manifest.cards_hash}
    write_tensors(folder / TENSORS, tensors, metadata)
    content = (folder / TENSORS).read_bytes()
    manifest = msgspec.structs.replace(manifest, sha256=hashlib.sha256(content).hexdigest(), size=len(content))
    (folder / CARD).write_text(card_text, encoding="utf-8")
    text = yaml_text(msgspec.to_builtins(manifest))
    unfinished = folder / f"{MANIFEST}.tmp"
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(folder / MANIFEST)
    return manifest


@dataclass(frozen=True, eq=False)
class StrategyFile:
    """An opened strategy. The probabilities stay in the file and are mapped into memory.

    Attributes:
        table: uint8 or uint16, layout `offset`.
        offset: int64 ``[N + 1]``, see `BettingTree.row_offset`.
    """

    folder: Path
    manifest: Manifest
    game: GameDef
    tree: BettingTree
    cards: CardAbstraction
    table: NDArray[Any]
    offset: NDArray[np.int64]

    @staticmethod
    def open(folder: Path) -> "StrategyFile":
        """Open and check. Raises `ValueError` saying which file is damaged or not what the manifest says."""
        manifest = load_yaml(folder / MANIFEST, Manifest)
        if manifest.format != FORMAT:
            raise ValueError(f"{folder / MANIFEST}: format {manifest.format!r}; this version reads {FORMAT!r}")
        path = folder / TENSORS
        if not path.is_file():
            raise ValueError(f"{path}: missing; copy the whole folder of the strategy")
        size = path.stat().st_size
        if size != manifest.size:
            raise ValueError(f"{path}: {size} bytes, but its manifest says {manifest.size}; copy it again")
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if digest != manifest.sha256:
            raise ValueError(f"{path}: SHA-256 is {digest[:16]}…, not {manifest.sha256[:16]}…; copy it again")
        tensors, _ = map_tensors(path)
        game = GameDef.parse(manifest.game, f"{folder / MANIFEST}: game")
        tree = build_tree(game, manifest.menu)
        cards = open_abstraction(manifest.cards, game, _strip(tensors, "cards."))
        if cards.hash() != manifest.cards_hash:
            raise ValueError(f"{path}: its card buckets are not those of the manifest")
        offset = tree.row_offset([cards.num_buckets(round_) for round_ in range(game.num_rounds)])
        table = tensors["probabilities"]
        if len(table) != offset[-1]:
            raise ValueError(f"{path}: {len(table)} probabilities, but the manifest's tree has {offset[-1]}")
        return StrategyFile(folder, manifest, game, tree, cards, table, offset)

    def check_game(self, game: GameDef) -> None:
        """Raises `ValueError` unless `game` has the rules and stacks this strategy was made for."""
        if game.rules_hash != self.manifest.rules_hash:
            mine, other = str(self.game).splitlines(), str(game).splitlines()
            lines = [f"'{line}'" for line in mine if line not in other and not line.startswith("stack")]
            raise ValueError(
                f"strategy {self.manifest.name} ({self.folder}) was trained for another game: its rules say "
                f"{', '.join(lines) or 'something else'}; choose a strategy of this game or train one"
            )
        if game.stack != self.game.stack:
            raise ValueError(
                f"strategy {self.manifest.name} ({self.folder}) was trained for stacks of {self.game.stack}, "
                f"this game has {game.stack}; choose a strategy for these stacks or train one"
            )

    def node_rows(self, node: int) -> NDArray[np.float32]:
        """Probabilities ``[bucket, action]`` of a decision node. A row that was never trained is zero."""
        k = int(self.tree.first_edge[node + 1] - self.tree.first_edge[node])
        return dequantise(self.table[self.offset[node] : self.offset[node + 1]].reshape(-1, k))

    def probabilities(self) -> NDArray[np.float64]:
        """The whole table as float64 probabilities, for exact evaluation of small games; untrained rows are uniform."""
        return stored_probabilities(self.table, self.tree, self.offset)


def _strip(tensors: Mapping[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    return {name[len(prefix) :]: array for name, array in tensors.items() if name.startswith(prefix)}
