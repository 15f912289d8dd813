"""The strategy file of five-card draw: a folder with quantised rows, a manifest and a model card.

Betting rows have 8 bits a probability, draws 16 bits a hand (`draw_codes`), and every table is compressed (zlib). The second rounds are in the file too, over
few buckets: they are played where a solve in play is not wanted or is out of time.
"""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.configs.loading import load_yaml, yaml_text
from limpet.protocol.gamedef import GameDef
from limpet.strategies.draw.exponential_buckets import HandBuckets, exponential_buckets
from limpet.strategies.draw.hands import CLASSES
from limpet.strategies.draw.playing.draw_game import COUNTS, DrawGame, draw_game
from limpet.strategies.storage.folders import replace_file
from limpet.strategies.storage.provenance import DRAW_TRAINING, repeatable
from limpet.strategies.storage.safetensors import map_tensors, write_tensors
from limpet.strategies.storage.verified import check_size, file_digest, verify, verify_once

FORMAT = "limpet-draw-strategy/2"
TYPES = {
    "betting": np.uint8, "small_blind": np.uint16, "big_blind": np.uint16, "second": np.uint8, "promised": np.float32
}  # fmt: skip
"""Type of each table's numbers."""
TENSORS = "strategy.safetensors"
NETWORK = "network.safetensors"
MANIFEST = "manifest.yaml"
CARD = "README.md"


class DrawManifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The record of what a draw strategy was made for and how."""

    format: str = FORMAT
    name: str
    game: str  # the game's definition, as text
    rules_hash: str
    buckets: int  # number of buckets after the draw, in training and of the stored second rounds
    algorithm: str
    iterations: int  # iterations of the first round and the draw
    seed: int
    training_seconds: float
    processor_seconds: float | None
    quality: dict[str, float]
    versions: dict[str, str]
    code: str = ""  # revision of the code that trained it (`provenance`); empty in older files
    sha256: str = ""  # SHA-256 of `strategy.safetensors`
    size: int = 0  # size of `strategy.safetensors` in bytes
    network_sha256: str = ""
    """SHA-256 of `network.safetensors`; empty for a strategy without a network, and in older files."""
    network_size: int = 0  # size of `network.safetensors` in bytes


@dataclass(frozen=True, eq=False)
class DrawTables:
    """The tables of a draw strategy.

    Attributes:
        betting: uint8 ``[entry, class]``: probabilities of the first round's actions in 255ths.
        small_blind: uint16 ``[continuation, 6, class]``: draws after each number of the big blind's discards.
        big_blind: uint16 ``[continuation, 1, class]``: draws of the big blind.
        second: uint8 ``[leaf, entry, bucket]``: probabilities of the second rounds' actions in 255ths.
        promised: float32 ``[leaf, 2, bucket]``: pots that each position's buckets win in the second rounds, by best
            responses to the stored play.
    """

    betting: NDArray[np.uint8]
    small_blind: NDArray[np.uint16]
    big_blind: NDArray[np.uint16]
    second: NDArray[np.uint8]
    promised: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class DrawStrategyFile:
    """An opened draw strategy."""

    folder: Path
    manifest: DrawManifest
    game: GameDef
    trees: DrawGame
    tables: DrawTables

    @staticmethod
    def open(folder: Path) -> "DrawStrategyFile":
        """Open and check a strategy. Raises `ValueError` naming the file that is damaged."""
        manifest = load_yaml(folder / MANIFEST, DrawManifest)
        if manifest.format != FORMAT:
            raise ValueError(
                f"{folder / MANIFEST}: format {manifest.format!r}; this version reads {FORMAT!r}: train it again"
            )
        path = folder / TENSORS
        check_size(path, manifest.size)
        verify_once(path, manifest.sha256)
        tensors, _ = map_tensors(path)
        game = GameDef.parse(manifest.game, f"{folder / MANIFEST}: game")
        if game.rules_hash != manifest.rules_hash:
            raise ValueError(f"{folder / MANIFEST}: its game has other rules than those of its rules_hash")
        trees = draw_game(game)
        try:
            tensors = _unpacked(tensors, _shapes(trees, manifest.buckets))
        except (KeyError, ValueError, zlib.error) as error:
            raise ValueError(f"{path}: its tables are not those of {manifest.name}; copy the folder again") from error
        return DrawStrategyFile(folder, manifest, game, trees, DrawTables(**tensors))

    def check_game(self, game: GameDef) -> None:
        """Raise `ValueError` for a game with other rules, or with stacks that are too short."""
        if game.rules_hash != self.manifest.rules_hash:
            raise ValueError(f"{self.folder}: this strategy is for a game with other rules")
        draw_game(game)

    @property
    def rows(self) -> int:
        """Return the number of infosets: pairs of a decision or draw and a class of hands or bucket."""
        first, second = len(self.trees.first.decisions), len(self.trees.second.decisions)
        draws = len(self.trees.continuations) * (1 + COUNTS)
        return (first + draws) * CLASSES + self.trees.leaves * second * self.manifest.buckets

    @property
    def buckets(self) -> HandBuckets:
        """Return the buckets of the stored second rounds."""
        return exponential_buckets(self.manifest.buckets)

    def betting(self, node: int) -> NDArray[np.float32]:
        """Return float32 ``[action, class]``: the rows of a decision of the first round."""
        tree = self.trees.first
        return _shares(self.tables.betting[tree.entry[node] : tree.entry[node] + tree.num_actions[node]])

    def draws(self, position: int, continuation: int, count: int) -> NDArray[np.uint16]:
        """Return the codes ``[class]`` of a draw; count: number of position 0's discards, for position 1's draw."""
        tables = self.tables
        codes: NDArray[np.uint16] = (
            tables.small_blind[continuation, count] if position else tables.big_blind[continuation, 0]
        )
        return codes

    def second(self, leaf: int, node: int) -> NDArray[np.float32]:
        """Return float32 ``[action, bucket]``: the stored rows of a decision of a second round."""
        tree = self.trees.second
        return _shares(self.tables.second[leaf, tree.entry[node] : tree.entry[node] + tree.num_actions[node]])

    def leaf(self, continuation: int, drawn: tuple[int, ...]) -> int:
        return (continuation * COUNTS + drawn[0]) * COUNTS + drawn[1]


def verify_draw_strategy(folder: Path) -> DrawStrategyFile:
    """Check all that `DrawStrategyFile.open` checks, every byte and every row. Raises `ValueError` naming the file."""
    manifest = load_yaml(folder / MANIFEST, DrawManifest)
    check_size(folder / TENSORS, manifest.size)
    verify(folder / TENSORS, manifest.sha256)
    if manifest.network_sha256:
        check_size(folder / NETWORK, manifest.network_size)
        verify(folder / NETWORK, manifest.network_sha256)
    file = DrawStrategyFile.open(folder)
    for tree, stored in ((file.trees.first, file.tables.betting), (file.trees.second, file.tables.second)):
        for node in tree.decisions.tolist():
            rows = stored[..., tree.entry[node] : tree.entry[node] + tree.num_actions[node], :]
            if not rows.any(axis=-2).all():
                raise ValueError(f"{folder / TENSORS}: rows without any action; train the strategy again")
    return file


def draw_training_repeats(manifest: DrawManifest) -> tuple[bool | None, str]:
    """Return whether training again here gives the same bits, and a sentence about it, see `provenance.repeatable`."""
    repeats, sentence = repeatable(manifest.code, manifest.versions, DRAW_TRAINING, threads=1)
    if repeats and "network" in manifest.algorithm:
        return False, (
            "code and packages are those here, but the matrix products of the network's training depend on the kind of "
            "processor: again, only statistically"
        )
    return repeats, sentence


def save_draw_strategy(folder: Path, manifest: DrawManifest, tables: DrawTables, card: str) -> DrawManifest:
    """Write the folder, last the manifest, which makes it a strategy; return the manifest with checksums and sizes.

    A network that lies in the folder already is part of the strategy.
    """
    path, network = folder / TENSORS, folder / NETWORK
    write_tensors(path, _packed(vars(tables)), {"format": FORMAT, "rules_hash": manifest.rules_hash})
    manifest = msgspec.structs.replace(manifest, sha256=file_digest(path), size=path.stat().st_size)
    if network.is_file():
        manifest = msgspec.structs.replace(
            manifest, network_sha256=file_digest(network), network_size=network.stat().st_size
        )
    (folder / CARD).write_text(card, encoding="utf-8")
    replace_file(folder / MANIFEST, yaml_text(msgspec.to_builtins(manifest)))
    return manifest


def _shares(stored: NDArray[np.uint8]) -> NDArray[np.float32]:
    wide = stored.astype(np.float32)
    return np.asarray(wide / wide.sum(axis=0), np.float32)


def _packed(tables: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[np.uint8]]:
    """Return compressed tables, a fifth of their size: most draws are certain, and like hands play alike."""
    return {name: np.frombuffer(zlib.compress(table.tobytes(), 9), np.uint8) for name, table in tables.items()}


def _unpacked(tensors: Mapping[str, NDArray[Any]], shapes: Mapping[str, tuple[int, ...]]) -> dict[str, NDArray[Any]]:
    """Return the tables of a file. Raises `ValueError` or `zlib.error` for tables of other shapes, and for damaged ones."""
    if tensors.keys() != shapes.keys():
        raise ValueError("other tables")
    return {
        name: np.frombuffer(zlib.decompress(tensors[name].tobytes()), TYPES[name]).reshape(shape)
        for name, shape in shapes.items()
    }


def _shapes(trees: DrawGame, buckets: int) -> Mapping[str, tuple[int, ...]]:
    nodes = len(trees.continuations)
    return {
        "betting": (trees.first.entries, CLASSES),
        "small_blind": (nodes, COUNTS, CLASSES),
        "big_blind": (nodes, 1, CLASSES),
        "second": (trees.leaves, trees.second.entries, buckets),
        "promised": (trees.leaves, 2, buckets),
    }
