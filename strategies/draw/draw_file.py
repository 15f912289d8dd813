"""Five-card draw as betting trees, and its strategy file: a folder with quantised rows, a manifest and a model card.

Betting rows have 8 bits a probability, draws 16 bits a hand (`pack_draws`), and every table is compressed (zlib). The second
rounds are in the file too, over few buckets: they are played where a solve in play is not wanted or is out of time.
"""

import zlib
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.common.artifact import MANIFEST, finish, open_tensors, read_manifest, stored_game
from limpet.common.provenance import DRAW_TRAINING, repeatable
from limpet.common.safetensors import write_tensors
from limpet.common.verified import check_size, file_digest, verify
from limpet.configs.loading import load_yaml
from limpet.protocol.gamedef import BET, GameDef
from limpet.protocol.ranking import Ranking
from limpet.protocol.state import CALL, FOLD, Action, State, raise_to
from limpet.strategies.cards.handspace import game_hands, hand_space
from limpet.strategies.draw.hands import CLASSES, DISCARDS, HandBuckets, all_hands, exponential_buckets
from limpet.strategies.solvers.round_tree import NOBODY, RoundTree, round_tree

# --- The betting trees of a heads-up game of five-card draw, and where a public state lies on them.

COUNTS = 6
"""Different numbers of discards: none to five."""


@dataclass(frozen=True, eq=False)
class DrawGame:
    """The trees of both rounds. Player 0 of the first round is position 1; player 0 of the second is position 0.

    Attributes:
        first: the first round, chips in big blinds.
        second: the second round with one chip of each player, because its raises are shares of the pot.
        continuations: nodes of the first round that a draw follows.
    """

    first: RoundTree
    second: RoundTree
    continuations: tuple[int, ...]

    @property
    def leaves(self) -> int:
        """Return the number of second rounds: continuations with both numbers of discards."""
        return len(self.continuations) * COUNTS**2


class DrawPlace(NamedTuple):
    """The place of a public state on the trees.

    Attributes:
        node: node of the first round: the decision, or the continuation that was reached.
        drawn: numbers of discards so far, the big blind's first.
        second: node of the second round; 0 before it.
    """

    node: int
    drawn: tuple[int, ...]
    second: int


@lru_cache(maxsize=8)
def draw_game(game: GameDef) -> DrawGame:
    """Return the trees of a game. Raises `ValueError` for any other game than heads-up five-card draw without all-ins."""
    rules = game.num_players, game.num_draws, game.max_discard, game.first_player, len(game.raise_fractions)
    fits = rules == (2, (0, 1), 5, (1, 0), 2) and game_hands(game) == hand_space(k=5) and not game.dead
    fits = fits and game.ranking is Ranking.HIGH
    if not (fits and game.blind[0] > game.blind[1]):
        raise ValueError("this is for heads-up five-card draw with raises of shares of the pot, as draw5-pl-hu")
    shares = [tuple(share / 1000 for share in row) for row in game.raise_fractions]
    blinds = (game.blind[1] / game.big_blind, game.blind[0] / game.big_blind)
    first = round_tree(blinds, raises=game.max_raises[0], shares=shares[0])
    second = round_tree(raises=game.max_raises[1], shares=shares[1])
    if first.paid.max() * second.paid.max() * game.big_blind > min(game.stack):
        raise ValueError("stacks are too short here: the betting trees have no all-ins")
    continuations = tuple(int(node) for node in first.terminals if first.folded[node] == NOBODY)
    return DrawGame(first, second, continuations)


def legal_actions(state: State) -> tuple[Action, ...]:
    """Return the actions of a betting decision in the trees' order: fold, call, raises ascending."""
    raises = tuple(raise_to(size) for size in state.raise_sizes() or ())
    return (FOLD,) * state.can_fold + (CALL, *raises)


def spot_of(trees: DrawGame, state: State) -> DrawPlace:
    """Return where a public state lies."""
    nodes, drawn = [0, 0], []
    for before, after in pairwise(state.path()):
        assert after.action is not None
        if before.phase is not BET:
            drawn.append(after.action.size)
            continue
        tree = trees.second if before.round else trees.first
        choice = legal_actions(before).index(after.action)
        nodes[before.round] = int(tree.first_child[nodes[before.round]]) + choice
    return DrawPlace(nodes[0], tuple(drawn), nodes[1])


FORMAT = "limpet-draw-strategy/2"
TENSORS = "strategy.safetensors"
NETWORK = "network.safetensors"


class DrawManifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The record of what a draw strategy was made for and how.

    Attributes:
        game: the game's definition, as text.
        buckets: number of buckets after the draw, in training and of the stored second rounds.
        iterations: iterations of the first round and the draw.
        code: revision of the code that trained it (`provenance`); empty in older files.
        sha256, size: SHA-256 and bytes of `strategy.safetensors`.
        network_sha256, network_size: those of `network.safetensors`; empty and 0 without a network, and in older files.
    """

    format: str = FORMAT
    name: str
    game: str
    rules_hash: str
    buckets: int
    algorithm: str
    iterations: int
    seed: int
    training_seconds: float
    processor_seconds: float | None
    quality: dict[str, float]
    versions: dict[str, str]
    code: str = ""
    sha256: str = ""
    size: int = 0
    network_sha256: str = ""
    network_size: int = 0


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
        manifest = read_manifest(folder, DrawManifest, FORMAT)
        path = folder / TENSORS
        tensors, _ = open_tensors(path, manifest)
        game = stored_game(folder, manifest)
        trees = draw_game(game)
        nodes = len(trees.continuations)
        layouts: dict[str, tuple[Any, tuple[int, ...]]] = {
            "betting": (np.uint8, (trees.first.entries, CLASSES)),
            "small_blind": (np.uint16, (nodes, COUNTS, CLASSES)),
            "big_blind": (np.uint16, (nodes, 1, CLASSES)),
            "second": (np.uint8, (trees.leaves, trees.second.entries, manifest.buckets)),
            "promised": (np.float32, (trees.leaves, 2, manifest.buckets)),
        }
        try:
            if tensors.keys() != layouts.keys():
                raise ValueError("other tables")
            tables = {
                name: np.frombuffer(zlib.decompress(tensors[name].tobytes()), dtype).reshape(shape)
                for name, (dtype, shape) in layouts.items()
            }
        except (ValueError, zlib.error) as error:
            raise ValueError(f"{path}: its tables are not those of {manifest.name}; copy the folder again") from error
        return DrawStrategyFile(folder, manifest, game, trees, DrawTables(**tables))

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
        return np.asarray(tables.small_blind[continuation, count] if position else tables.big_blind[continuation, 0])

    def second(self, leaf: int, node: int) -> NDArray[np.float32]:
        """Return float32 ``[action, bucket]``: the stored rows of a decision of a second round."""
        tree = self.trees.second
        return _shares(self.tables.second[leaf, tree.entry[node] : tree.entry[node] + tree.num_actions[node]])

    def leaf(self, continuation: int, drawn: tuple[int, ...]) -> int:
        return (continuation * COUNTS + drawn[0]) * COUNTS + drawn[1]


def verify_draw_strategy(folder: Path) -> DrawStrategyFile:
    """Check all that `DrawStrategyFile.open` checks, every byte and every row. Raises `ValueError` naming the file."""
    manifest = load_yaml(folder / MANIFEST, DrawManifest)
    open_tensors(folder / TENSORS, manifest, verify)
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
    # Compressed, they take a fifth of their size: most draws are certain, and like hands play alike.
    packed = {name: np.frombuffer(zlib.compress(table.tobytes(), 9), np.uint8) for name, table in vars(tables).items()}
    write_tensors(path, packed, {"format": FORMAT, "rules_hash": manifest.rules_hash})
    manifest = msgspec.structs.replace(manifest, sha256=file_digest(path), size=path.stat().st_size)
    if network.is_file():
        digest, size = file_digest(network), network.stat().st_size
        manifest = msgspec.structs.replace(manifest, network_sha256=digest, network_size=size)
    finish(folder, manifest, card)
    return manifest


def _shares(stored: NDArray[np.uint8]) -> NDArray[np.float32]:
    wide = stored.astype(np.float32)
    return np.asarray(wide / wide.sum(axis=0), np.float32)


# --- Strategies of draw games in few bits: betting in 8 bits a probability, draws in 16 bits for each hand.

SHARES = 126
"""Steps of the second mask's share: 63 stands for one half."""


def in_255ths(rows: NDArray[np.floating]) -> NDArray[np.uint8]:
    """Return probabilities as whole numbers; reading scales each column's sum to 1 again."""
    return np.asarray(np.rint(np.asarray(rows) * 255), np.uint8)


class DrawPlay(NamedTuple):
    """A draw strategy of N hands: int64 ``[N]``, the likelier mask of kept cards and the other one, and the `share` of that."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    share: NDArray[np.float32]

    def dense(self) -> NDArray[np.float32]:
        """Return float32 ``[N, 32]``: the probability of each mask."""
        play = np.zeros((len(self.first), 32), np.float32)
        rows = np.arange(len(play))
        play[rows, self.first] = 1 - self.share
        play[rows, self.second] += self.share
        return play


@lru_cache(maxsize=1)
def _doubles() -> list[tuple[int, NDArray[np.intp], NDArray[np.int8]]]:
    """Return masks, the classes where a smaller mask keeps the same canonical cards, and the smallest such mask."""
    kept, smallest = all_hands().kept, np.tile(np.arange(32, dtype=np.int8), (CLASSES, 1))
    for mask in range(32):
        for smaller in reversed(range(mask)):
            if DISCARDS[smaller] == DISCARDS[mask]:
                smallest[kept[:, smaller] == kept[:, mask], mask] = smaller
    rows = [np.flatnonzero(smallest[:, mask] != mask) for mask in range(32)]
    return [(mask, classes, smallest[classes, mask]) for mask, classes in enumerate(rows) if len(classes)]


def merged_masks(play: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return ``[class, 32]`` probabilities in which masks that keep the same canonical cards are one, the smallest."""
    merged = play.copy()
    for mask, rows, smaller in _doubles():
        merged[rows, smaller] += play[rows, mask]
        merged[rows, mask] = 0
    return merged


def pack_draws(play: NDArray[np.float32]) -> NDArray[np.uint16]:
    """Return the codes ``uint16 [class]`` of a draw strategy ``[class, 32]`` of all canonical classes."""
    merged = merged_masks(play)
    rows = np.arange(len(merged))
    first = merged.argmax(axis=1)
    best = merged[rows, first]
    merged[rows, first] = -1
    second = merged.argmax(axis=1)
    share = merged[rows, second] / (best + merged[rows, second])
    return np.asarray(first | second << 5 | np.rint(share * SHARES).astype(np.int64) << 10, np.uint16)


def unpack_draws(codes: NDArray[np.uint16]) -> DrawPlay:
    """Return the draw strategy of codes."""
    wide = codes.astype(np.int64)
    return DrawPlay(wide & 31, wide >> 5 & 31, (wide >> 10).astype(np.float32) / np.float32(SHARES))
