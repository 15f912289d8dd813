"""The strategy file, a folder of quantised probabilities, betting tree, manifest and model card, and its rows as played.

The last action of each row is left out, because the others imply it, and the tree is held as arrays, so that opening a
file takes the same few milliseconds whatever its size.

An opening checks sizes, the SHA-256 of header and tree, that game, tree, buckets and table fit together, and, the first
time that a copy is used, the SHA-256 of everything (`verified`). `limpet strategy verify` checks all of it every time.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import gcd
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.common.artifact import MANIFEST, finish, open_tensors, read_manifest, stored_game
from limpet.common.provenance import TRAINING, repeatable
from limpet.common.safetensors import read_header, write_tensors
from limpet.common.verified import file_digest, verify
from limpet.configs.loading import load_yaml
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import State
from limpet.strategies.abstraction.betting import ARRAYS, KINDS, BettingTree, build_tree
from limpet.strategies.abstraction.cards import CardAbstraction, CardConfig, Clustered, Lossless, LosslessBuckets
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.cards.handspace import is_holdem
from limpet.strategies.holdem.blueprint import quantise as kernels
from limpet.strategies.solvers.streets import count_tree

FORMAT = "limpet-strategy/2"
TENSORS = "strategy.safetensors"
_CARDS = "cards."
"""Prefix of the names of the card abstraction's arrays."""


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The record of what a strategy was made for and how; it is refused for any game with other rules or stacks.

    Attributes:
        game: the game's definition, as text.
        rows: number of infosets: (betting sequence, bucket) pairs.
        sha256, size: SHA-256 and bytes of `strategy.safetensors`.
        index_sha256: SHA-256 of the file's header and of its tree's arrays, which every opening checks.
        processor_seconds: processor seconds of all threads in training; None in older files.
        code: revision of the code that trained it, or why there is none (`provenance`); empty in older files.
        tables: SHA-256 of the card tables of its training, by street; empty where not recorded.
        measured_by: commands that measured the numbers in `quality`, by measure.
        rivers: which rivers were solved again after training (`training.river_solving`), and how; empty if none were.
    """

    format: str
    name: str
    game: str
    rules_hash: str
    cards: CardConfig
    cards_hash: str
    menu: BetMenu | None
    bits: Literal[8, 16]
    algorithm: str
    iterations: int
    seed: int
    threads: int
    training_seconds: float
    rows: int
    untrained_rows: int
    quality: dict[str, float]
    versions: dict[str, str]
    sha256: str
    size: int
    index_sha256: str = ""
    processor_seconds: float | None = None
    code: str = ""
    tables: dict[str, str] = {}
    measured_by: dict[str, str] = {}
    rivers: str = ""


def save_strategy(
    folder: Path, manifest: Manifest, stored: NDArray[Any], tree: BettingTree, cards: CardAbstraction, card_text: str
) -> Manifest:
    """Write the folder, last the manifest, which makes it a strategy; return the manifest with hashes and size filled in.

    stored: the whole numbers that `quantise` makes.
    """
    path = folder / TENSORS
    tensors: dict[str, NDArray[Any]] = {"probabilities": stored}
    tensors |= {f"tree.{name}": getattr(tree, name) for name in ARRAYS}
    tensors |= {_CARDS + name: array for name, array in cards.to_tensors().items()}
    metadata = {"format": FORMAT, "rules_hash": manifest.rules_hash, "cards_hash": manifest.cards_hash}
    write_tensors(path, tensors, metadata)
    manifest = msgspec.structs.replace(
        manifest,
        format=FORMAT,
        sha256=file_digest(path),
        size=path.stat().st_size,
        index_sha256=_index_digest(path, tensors),
    )
    finish(folder, manifest, card_text)
    return manifest


@dataclass(frozen=True, eq=False)
class StrategyFile:
    """An opened strategy. The probabilities stay in the file and are mapped into memory.

    Attributes:
        stored: uint8 or uint16, layout `start`: the numbers of each row but for its last action.
        start: int64 ``[N + 1]``: index in `stored` of each node's first number.
        total: sum of a row's numbers, with that of its last action.
        offset: int64 ``[N + 1]``: layout of whole rows, see `BettingTree.row_offset`.
    """

    folder: Path
    manifest: Manifest
    game: GameDef
    tree: BettingTree
    cards: CardAbstraction
    stored: NDArray[Any]
    start: NDArray[np.int64]
    total: int
    offset: NDArray[np.int64]

    @staticmethod
    def open(folder: Path) -> "StrategyFile":
        """Open and check a strategy. Raises `ValueError` naming the file that is damaged or differs from the manifest."""
        manifest = read_manifest(folder, Manifest, FORMAT)
        path = folder / TENSORS
        tensors, metadata = open_tensors(path, manifest)
        for name in ("probabilities", *(f"tree.{name}" for name in ARRAYS)):
            if name not in tensors:
                raise ValueError(f"{path}: it lacks the array {name!r}; train the strategy again")
        if _index_digest(path, tensors) != manifest.index_sha256:
            raise ValueError(
                f"{path}: the SHA-256 of its header and tree is not that of the manifest; copy it again, then "
                "'limpet strategy verify' it"
            )
        for name in ("rules_hash", "cards_hash"):
            if metadata.get(name) != getattr(manifest, name):
                raise ValueError(f"{path}: its {name} is not that of the manifest; copy the whole folder again")
        game = stored_game(folder, manifest)
        of_cards = {name.removeprefix(_CARDS): array for name, array in tensors.items() if name.startswith(_CARDS)}
        try:
            tree = BettingTree(State.start(game), **{name: tensors[f"tree.{name}"] for name in ARRAYS})
            tree.check()
            cards = open_abstraction(manifest.cards, game, of_cards)
        except ValueError as error:
            raise ValueError(f"{path}: {error}; train the strategy again") from error
        if cards.hash() != manifest.cards_hash:
            raise ValueError(f"{path}: its card buckets are not those of the manifest")
        offset = tree.row_offset([cards.num_buckets(round_) for round_ in range(game.num_rounds)])
        start = kernels.packed_offset(tree, offset)
        stored = tensors["probabilities"]
        if stored.shape != (start[-1],):
            raise ValueError(f"{path}: {stored.shape} probabilities, but the manifest's tree has {start[-1]}")
        if stored.dtype != kernels.TYPES[manifest.bits]:
            raise ValueError(
                f"{path}: its probabilities are {stored.dtype}, but its manifest says {manifest.bits} bits; copy the whole "
                "folder again"
            )
        total = kernels.row_total(manifest.bits)
        return StrategyFile(folder, manifest, game, tree, cards, stored, start, total, offset)

    @property
    def position(self) -> int | None:
        """Return the only position that the strategy is for, or None if it is for all."""
        return self.manifest.menu.position if self.manifest.menu is not None else None

    def check_position(self, position: int) -> None:
        """Raise `ValueError` if this strategy is for another position alone."""
        if self.position not in (None, position):
            raise ValueError(
                f"strategy {self.manifest.name} ({self.folder}) was trained for position {self.position} alone, where "
                f"its own menu of bets is; position {position} needs another: strategy: [FOR POSITION 0, FOR POSITION 1]"
            )

    def check_game(self, game: GameDef) -> None:
        """Raise `ValueError` unless `game` has the rules and stacks that this strategy was made for."""
        self.check_rules(game)
        if game.stack != self.game.stack:
            raise ValueError(
                f"strategy {self.manifest.name} ({self.folder}) was trained for stacks of {self.game.stack}, this game has "
                f"{game.stack}; choose a strategy for these stacks, train one, or say with 'depths' who plays them"
            )

    def has_rules(self, game: GameDef, any_unit: bool = False) -> bool:
        """Return whether `game` has the rules that this strategy was made for; stacks may differ.

        any_unit: whether no-limit blinds may be other numbers in the same ratio, such as 10 and 20 for 50 and 100.
        """
        if any_unit and game.no_limit:
            return _in_units(game).rules_hash == _in_units(self.game).rules_hash
        return game.rules_hash == self.manifest.rules_hash

    def check_rules(self, game: GameDef, any_unit: bool = False) -> None:
        """Raise `ValueError` unless `has_rules`."""
        if not self.has_rules(game, any_unit):
            mine, other = str(self.game).splitlines(), str(game).splitlines()
            lines = [f"'{line}'" for line in mine if line not in other and not line.startswith("stack")]
            raise ValueError(
                f"strategy {self.manifest.name} ({self.folder}) was trained for another game: its rules say "
                f"{', '.join(lines) or 'something else'}; choose a strategy of this game or train one"
            )

    def node_rows(self, node: int) -> NDArray[np.float32]:
        """Return the probabilities ``[bucket, action]`` of a decision node; rows never trained are zero."""
        actions = int(self.tree.num_actions[node])
        buckets = (self.offset[node + 1] - self.offset[node]) // actions
        return kernels.look_up_node(self.stored, self.start[node], self.total, buckets, actions)

    def table(self) -> NDArray[np.float32]:
        """Return all rows in the layout `offset`; rows never trained are zero."""
        table, actions = np.empty(int(self.offset[-1]), np.float32), self.tree.num_actions.astype(np.int64)
        kernels.look_up_all(self.stored, self.start, self.offset, actions, self.total, table)
        return table

    def probabilities(self) -> NDArray[np.float64]:
        """Return the whole table as float64 probabilities, for small games; rows never trained are uniform."""
        return kernels.stored_probabilities(self.stored, self.tree, self.offset)


def verify_strategy(folder: Path) -> StrategyFile:
    """Check everything about a strategy's folder, however long it takes.

    That is all that `StrategyFile.open` checks, the SHA-256 of every byte, that the stored tree is the one which game and
    menu make, and that no row holds more than a whole.

    Raises `ValueError` naming the file and what is wrong with it.
    """
    manifest = load_yaml(folder / MANIFEST, Manifest)
    path = folder / TENSORS
    open_tensors(path, manifest, verify)
    file = StrategyFile.open(folder)
    try:
        size = count_tree(file.game, manifest.menu, lambda count: count.nodes > file.tree.num_nodes)
        if size.nodes != file.tree.num_nodes:
            raise ValueError(f"its game and menu make a tree of another size than its {file.tree.num_nodes:,} nodes")
        built = build_tree(file.game, manifest.menu)
    except ValueError as error:
        raise ValueError(f"{path}: {error}; train the strategy again") from error
    for name in ARRAYS:
        if not np.array_equal(getattr(built, name), getattr(file.tree, name)):
            raise ValueError(f"{path}: the tree's {name} is not what its game and menu make; train the strategy again")
    wrong_rows, missed = kernels.survey(file.stored, file.start, file.tree.num_actions, file.total)
    if wrong_rows:
        raise ValueError(f"{path}: {wrong_rows:,} rows do not sum to a whole; train the strategy again")
    decisions = file.tree.decisions
    rows = int((np.diff(file.offset)[decisions] // file.tree.num_actions[decisions]).sum())
    if rows != manifest.rows:
        raise ValueError(f"{path}: {rows:,} rows, but its manifest says {manifest.rows:,}; copy the whole folder again")
    if missed != manifest.untrained_rows:
        raise ValueError(
            f"{path}: {missed:,} rows without training, but its manifest says {manifest.untrained_rows:,}; "
            "copy the whole folder again"
        )
    return file


def training_repeats(manifest: Manifest) -> tuple[bool | None, str]:
    """Return whether training again here gives the same bits, and a sentence about it, see `provenance.repeatable`."""
    return repeatable(manifest.code, manifest.versions, TRAINING, manifest.threads)


def _index_digest(path: Path, tensors: Mapping[str, NDArray[Any]]) -> str:
    """Return the SHA-256 of a file's header and of its tree's arrays."""
    digest = hashlib.sha256(read_header(path))
    for name in ARRAYS:
        digest.update(np.ascontiguousarray(tensors[f"tree.{name}"]).data)
    return digest.hexdigest()


def _in_units(game: GameDef) -> GameDef:
    """Return a game whose blinds are divided by their greatest common divisor."""
    unit = gcd(*game.blind) or 1
    return replace(game, blind=tuple(chips // unit for chips in game.blind))


def open_abstraction(cards: CardConfig, game: GameDef, tensors: Mapping[str, NDArray[Any]]) -> CardAbstraction:
    """Return the abstraction that a strategy file was trained with. Raises `ValueError` for wrong arrays or too large a game."""
    if isinstance(cards, Lossless):
        return LosslessBuckets(game)
    if not is_holdem(game, whole=True):
        raise ValueError("its card buckets are for hold'em, and its game is not")
    # Kinds of hold'em are imported only when they are needed: a small game needs none of the tables.
    if isinstance(cards, Clustered):
        from limpet.strategies.abstraction.clustered_buckets import ClusteredBuckets

        return ClusteredBuckets.from_tensors(cards, tensors)
    from limpet.strategies.abstraction.holdem_buckets import StrengthBuckets

    return StrengthBuckets.from_tensors(tensors)


# --- The rows that are played: filled in where training never came, thresholded if asked for.


class NodeRows(NamedTuple):
    """The rows of a node as played, float32 ``[action, bucket]``, and bool_ ``[bucket]``: where training never came."""

    probabilities: NDArray[np.float32]
    missed: NDArray[np.bool_]


class PlayedRows:
    """Rows of a strategy file as they are played; with `purify` only the likeliest action is taken, the first of equal ones.

    threshold: actions less likely than this are never taken (Ganzfried, Sandholm & Waugh 2012); the others share their
    probability in proportion.
    """

    def __init__(self, file: StrategyFile, threshold: float = 0.0, purify: bool = False) -> None:
        self.file = file
        self.threshold = threshold
        self.purify = purify
        self.node = lru_cache(maxsize=4096)(self._work_out)
        """Returns the rows of a node; those of the last 4,096 nodes are kept."""

    @cached_property
    def _passive(self) -> NDArray[np.int64]:
        return passive_actions(self.file.tree)

    def table(self, marked: bool = False) -> NDArray[np.float32]:
        """Return every row, in the file's layout `offset`.

        marked: whether the sign bit of a row's first entry is set where the row was never trained.
        """
        file = self.file
        if not (self.threshold or self.purify):
            table, actions = file.table(), file.tree.num_actions.astype(np.int64)
            kernels.fill_untrained(table, file.offset, actions, self._passive, marked)
            return table
        table = np.empty(int(file.offset[-1]), np.float32)
        for node in file.tree.decisions.tolist():
            table[file.offset[node] : file.offset[node + 1]] = self._laid_out(node, marked)
        return table

    def marked(self, row: int) -> NDArray[np.float32]:
        """Return the rows of the node whose first entry is `row` in the layout `offset`, as a part of `table(marked=True)`."""
        return self._laid_out(int(np.searchsorted(self.file.offset, row, side="right")) - 1, True)

    def _laid_out(self, node: int, marked: bool) -> NDArray[np.float32]:
        probabilities, missed = self._work_out(node)
        rows = probabilities.T.copy()
        if marked:
            rows[missed, 0] = -rows[missed, 0]
        return rows.reshape(-1)

    def _work_out(self, node: int) -> NodeRows:
        rows = self.file.node_rows(node)
        missed = rows.sum(axis=1) == 0
        if missed.any():
            rows = kernels.filled(rows, missed, int(self._passive[node]))
        probabilities = np.ascontiguousarray(rows.T)
        if self.purify:
            probabilities = purified(probabilities)
        elif self.threshold > 0:
            probabilities = thresholded(probabilities, self.threshold)
        return NodeRows(probabilities, missed)


def passive_actions(tree: BettingTree) -> NDArray[np.int64]:
    """Return int64 ``[node]``: the number of the check or call among a node's actions, -1 where there is none."""
    calls = np.flatnonzero(tree.edge_kind == KINDS.index("c"))
    nodes = np.searchsorted(tree.first_edge, calls, side="right") - 1
    passive = np.full(tree.num_nodes, -1, np.int64)
    passive[nodes] = calls - tree.first_edge[nodes]
    return passive


def thresholded(probabilities: NDArray[np.float32], threshold: float) -> NDArray[np.float32]:
    """Return the columns of ``[action, bucket]`` without actions below `threshold`, scaled to sum to 1 again.

    A column whose actions are all below it is purified.
    """
    kept = np.where(probabilities >= threshold, probabilities, np.float32(0))
    total = kept.sum(axis=0)
    shared: NDArray[np.float32] = np.where(total > 0, kept / np.maximum(total, 1e-9), purified(probabilities))
    return shared.astype(np.float32)


def purified(probabilities: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return 1 for the likeliest action of each column of ``[action, bucket]``, the first of equal ones; 0 elsewhere."""
    pure = np.zeros_like(probabilities)
    pure[probabilities.argmax(axis=0), np.arange(probabilities.shape[1])] = 1.0
    return pure
