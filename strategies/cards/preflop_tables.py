"""The tables of all-ins before the flop: wins and ties of two hands or classes, and the outcomes of three classes.

Up to suits and order there are 47,008 pairs of hands that share no card. A table that ships holds, for each, on how
many of the 1,712,304 boards the leading hand wins and on how many both tie (`tests/oracles/preflop_table.py` makes it, in some 15 s),
and the equity of each class of hands against a random hand.

Classes are numbered as in `cards.isomorphism.preflop_class`: class 13 * i + j has ranks i, j (0..12 for 2..A), a pair if
i == j, suited if i > j, offsuit if i < j. Every combo of a class is equally likely; combos that share a card are not dealt.

Three hands can end in 13 orders. Four arrays hold them all, because which player is called A does not matter:

    array      value at [x, y, z]: probability that
    strict     x beats y and y beats z
    top_tie    x and y tie and beat z
    low_tie    x beats y and z, which tie
    all_tie    all three tie
"""

import hashlib
import zlib
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, permutations
from math import comb
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from limpet.common.folders import data_folder, shipped_strategies
from limpet.common.safetensors import map_tensors
from limpet.common.verified import open_table, store_table
from limpet.strategies.cards import equity_kernels as kernels
from limpet.strategies.cards.handspace import Array, hand_space, read_only
from limpet.strategies.cards.isomorphism import NUM_CLASSES, hand_permutation, preflop_classes


class Ordering(NamedTuple):
    """One of the 13 orders in which the hands of players A, B and C can end.

    Attributes:
        text: from the best hand down, such as ``A=C>B``.
        array: name of the array of `ShowdownTables` that holds the order's probability.
        players: player, 0 to 2 for A to C, whose class indexes each axis of that array.
        places: number of hands that beat each player's hand, 0 to 2.
    """

    text: str
    array: str
    players: tuple[int, int, int]
    places: tuple[int, int, int]


ORDERINGS = (
    Ordering("A>B>C", "strict", (0, 1, 2), (0, 1, 2)),
    Ordering("A>C>B", "strict", (0, 2, 1), (0, 2, 1)),
    Ordering("B>A>C", "strict", (1, 0, 2), (1, 0, 2)),
    Ordering("B>C>A", "strict", (1, 2, 0), (2, 0, 1)),
    Ordering("C>A>B", "strict", (2, 0, 1), (1, 2, 0)),
    Ordering("C>B>A", "strict", (2, 1, 0), (2, 1, 0)),
    Ordering("A=B>C", "top_tie", (0, 1, 2), (0, 0, 2)),
    Ordering("A=C>B", "top_tie", (0, 2, 1), (0, 2, 0)),
    Ordering("B=C>A", "top_tie", (1, 2, 0), (2, 0, 0)),
    Ordering("A>B=C", "low_tie", (0, 1, 2), (0, 1, 1)),
    Ordering("B>A=C", "low_tie", (1, 0, 2), (1, 0, 1)),
    Ordering("C>A=B", "low_tie", (2, 0, 1), (1, 1, 0)),
    Ordering("A=B=C", "all_tie", (0, 1, 2), (0, 0, 0)),
)
"""The 13 orders, in the order in which every list of them goes."""


@dataclass(frozen=True, eq=False)
class ShowdownTables:
    """Outcomes of three starting-hand classes that are all-in before the flop.

    Attributes:
        triple_weights: float32 ``[169, 169, 169]`` number of ways to deal three classes combos without a common card,
            0 to 1,728; 0 where none is left, as for three times AA. The same for every order of the classes.
        strict: float32 ``[169, 169, 169]`` probability that the first class beats the second, and that the third.
        top_tie: float32 ``[169, 169, 169]`` probability that the first two tie and beat the third.
        low_tie: float32 ``[169, 169, 169]`` probability that the first beats the other two, which tie.
        all_tie: float32 ``[169, 169, 169]`` probability that all three tie.
        boards: number of boards that were counted; 2,598,960 where the table is exact.
    """

    triple_weights: npt.NDArray[np.float32]
    strict: npt.NDArray[np.float32]
    top_tie: npt.NDArray[np.float32]
    low_tie: npt.NDArray[np.float32]
    all_tie: npt.NDArray[np.float32]
    boards: int


def order_sums(strict: Array, top_tie: Array, low_tie: Array, all_tie: Array) -> Array:
    """Return [169, 169, 169]: the sum of the 13 orders, the same for every order of the classes; arrays as in the tables."""
    # The first hand is tied with none.
    alone = strict + strict.transpose(0, 2, 1) + low_tie + top_tie.transpose(2, 0, 1)
    sums: Array = all_tie + alone + alone.transpose(1, 0, 2) + alone.transpose(1, 2, 0)
    return sums


# --- The file of the tables: small, checked, and spread out once into arrays that are mapped into memory.

FORMAT = "limpet showdown tables 1"
REMEDY = "copy it again, or install limpet again"
STEPS = 65535
"""Number of steps from probability 0 to 1."""

Words = npt.NDArray[np.uint16]
Packed = dict[str, npt.NDArray[Any]]

# Players of each array that can be exchanged: the axes along which its cells are stored in ascending order only.
_EXCHANGED = {"strict": (), "top_tie": (0, 1), "low_tie": (1, 2), "all_tie": (0, 1, 2), "triple_weights": (0, 1, 2)}

MAPPED_LAYOUT = 3
"""Number in the name of the folder of mapped arrays; another layout of the arrays takes another one."""


def shipped_file() -> Path:
    """Return the file of the exact tables that ships."""
    return shipped_strategies() / "showdowns" / "tables.safetensors"


@cache
def shipped_tables() -> ShowdownTables:
    """Return the exact tables that ship; see `open_tables`."""
    return open_tables(shipped_file(), data_folder() / "showdowns")


def open_tables(path: Path, cache_folder: Path) -> ShowdownTables:
    """Return the tables of a file, mapped into memory from a folder below `cache_folder`; all processes share them.

    The first opening reads the file and writes that folder, 97 MB, in a second or two; where it cannot be written, the
    tables are in this process's own memory. Raises `ValueError`, which says what to do, for a damaged file or folder.
    """
    packed, about = _opened(path)
    folder = cache_folder / f"{about['sha256'][:16]}-{MAPPED_LAYOUT}"
    if not folder.is_dir():
        tables = _spread(path, packed, about)
        try:
            store_table(folder, {name: getattr(tables, name) for name in _EXCHANGED}, {"made_from": path.name})
        except OSError:
            return tables
    mapped = open_table(folder)
    return ShowdownTables(**{name: mapped[name] for name in _EXCHANGED}, boards=int(about["boards"]))


def _opened(path: Path) -> tuple[Packed, dict[str, str]]:
    """Return the packed arrays of a file and what it says of itself, checked. Raises `ValueError` as `open_tables` does."""
    try:
        packed, about = map_tensors(path)
        if about.get("format") != FORMAT or set(packed) != set(_EXCHANGED):
            raise ValueError(f"{path}: not a file of {FORMAT}")
        if _digest(packed) != about["sha256"]:
            raise ValueError(f"{path}: its data are not those that were written")
    except (OSError, ValueError, KeyError) as error:
        text = str(error) if str(path) in str(error) else f"{path}: {error!r}"
        raise ValueError(f"{text}; {REMEDY}") from error
    return packed, about


def _spread(path: Path, packed: Packed, about: dict[str, str]) -> ShowdownTables:
    """Return the tables of a file's packed arrays. Raises `ValueError` as `open_tables` does."""
    try:
        words = {name: _unpacked(zlib.decompress(packed[name].tobytes()), name) for name in _EXCHANGED}
    except (ValueError, zlib.error) as error:
        raise ValueError(f"{path}: {error}; {REMEDY}") from error
    weights = words.pop("triple_weights")
    total = order_sums(**{name: each.astype(np.int32) for name, each in words.items()})
    orders = order_sums(**{name: (each > 0).astype(np.uint8) for name, each in words.items()})
    lacking = (STEPS - total).astype(np.float32) / np.maximum(orders, 1)
    shares = {name: read_only((each + lacking * (each > 0)) / np.float32(STEPS)) for name, each in words.items()}
    return ShowdownTables(read_only(weights.astype(np.float32)), **shares, boards=int(about["boards"]))


def _digest(packed: Packed) -> str:
    """Return the SHA-256, in hex, of all packed arrays by their names' order."""
    digest = hashlib.sha256()
    for name in sorted(packed):
        digest.update(packed[name].tobytes())
    return digest.hexdigest()


@cache
def _by_rank() -> npt.NDArray[np.intp]:
    """Return intp[169]: the classes by high card, then low card, then kind (suited before offsuit)."""
    i, j = np.divmod(np.arange(NUM_CLASSES), 13)
    return np.lexsort((i < j, np.minimum(i, j), np.maximum(i, j)))


@cache
def _stored(exchanged: tuple[int, ...]) -> npt.NDArray[np.bool_]:
    """Return bool[169, 169, 169]: the cells that are stored, one of those that an exchange of players makes equal."""
    index = np.indices((NUM_CLASSES,) * 3, dtype=np.uint8, sparse=True)
    stored = np.ones((NUM_CLASSES,) * 3, dtype=np.bool_)
    for first, second in pairwise(exchanged):
        stored &= index[first] <= index[second]
    return stored


def _unpacked(data: bytes, name: str) -> Words:
    """Return the array of stored differences, low bytes before high bytes. Raises `ValueError` for another number."""
    exchanged = _EXCHANGED[name]
    stored = _stored(exchanged)
    folded = np.frombuffer(data, dtype=np.uint8).reshape(2, np.count_nonzero(stored)).T.copy().view("<u2")[:, 0]
    words = np.zeros(stored.shape, dtype=np.uint16)
    words[stored] = (folded >> 1) ^ (np.uint16(0) - (folded & np.uint16(1)))
    whole = words.copy()
    for moved in permutations(exchanged):  # copies the stored cells to those that an exchange of players makes equal
        axes = dict(zip(exchanged, moved, strict=True))
        whole |= words.transpose([axes.get(axis, axis) for axis in range(3)])
    for axis in range(3):
        np.cumsum(whole, axis=axis, dtype=np.uint16, out=whole)
    back = np.argsort(_by_rank())
    return whole[np.ix_(back, back, back)]


BOARDS = comb(48, 5)
"""Number of boards for two given hands: 1,712,304."""
TABLE = Path(__file__).with_name("preflop_matrix.npz")


@dataclass(frozen=True, eq=False)
class ClassMatrix:
    """Starting hand class against class, numbered as in `isomorphism`; rows play against columns. Read-only.

    wins, ties: int64[169, 169], counted over all disjoint pairs of hands of the two classes and all their boards.
    pairs: int64[169, 169], number of disjoint pairs of hands.
    """

    wins: npt.NDArray[np.int64]
    ties: npt.NDArray[np.int64]
    pairs: npt.NDArray[np.int64]

    @property
    def equities(self) -> npt.NDArray[np.float64]:
        """Return float64[169, 169]: P(win) + P(tie) / 2 of row against column, averaged over the disjoint pairs."""
        return (self.wins + self.ties / 2) / (self.pairs * BOARDS)

    @property
    def odds(self) -> npt.NDArray[np.float32]:
        """Return float32[169, 169]: P(win) - P(loss), as sampling solvers take all-ins before the flop."""
        return (2 * self.equities - 1).astype(np.float32)


@cache
def class_matrix() -> ClassMatrix:
    """Return the 169 x 169 table."""
    wins, ties = hand_matrix()
    cell = NUM_CLASSES * preflop_classes()[:, None].astype(np.int64) + preflop_classes()
    tables = []
    for values in (wins, ties, pair_numbers() != 0):
        # Sums of integers below 2**53 are exact in the float64 that bincount adds in.
        sums = np.bincount(cell.ravel(), values.ravel(), NUM_CLASSES**2).astype(np.int64)
        tables.append(read_only(sums.reshape(NUM_CLASSES, NUM_CLASSES)))
    return ClassMatrix(*tables)


@cache
def hand_matrix() -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return (wins, ties) of BOARDS, int32[1326, 1326], rows against columns, 0 where hands share a card; read-only."""
    with np.load(TABLE, allow_pickle=False) as table:
        wins, ties = (table[name].T.copy().view("<i4")[:, 0].astype(np.int32) for name in ("wins", "ties"))
    zero = np.zeros(1, dtype=np.int32)
    losses = BOARDS - wins - ties
    # Indexed by pair number, -47,008 .. 47,008; negative numbers index from the end.
    scores = np.concatenate([zero, wins, losses[::-1]]).astype(np.int32)
    evens = np.concatenate([zero, ties, ties[::-1]]).astype(np.int32)
    numbers = pair_numbers()
    return read_only(scores[numbers]), read_only(evens[numbers])


@cache
def pair_numbers() -> npt.NDArray[np.int32]:
    """Return int32[1326, 1326]: n + 1 if the row's hand leads pair n, -(n + 1) if the column's does, 0 without a pair."""
    permuted = np.array([hand_permutation(permutation) for permutation in permutations(range(4))], dtype=np.int32)
    return read_only(np.asarray(kernels.number_pairs(hand_space().holes, permuted)))


@cache
def class_equities() -> npt.NDArray[np.float64]:
    """Return float64[169]: P(win) + P(tie) / 2 of each class against a random hand, all cards run out; read-only."""
    with np.load(TABLE, allow_pickle=False) as table:
        return read_only(np.asarray(table["equities"]))
