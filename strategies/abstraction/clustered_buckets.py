"""The card abstraction `clustered`: buckets of hands by clusters, each street by a method of its own.

Before the flop the 169 classes stay apart. Play needs a table of all flops and the centres of turn and river. Features
and distances are whole numbers, so that a bucket computed live equals the one in the training tables
on every machine.
"""

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from limpet.common.verified import REMEDY, open_table, store_table, stored_digests
from limpet.common.workers import Report, fill_rows, silent
from limpet.strategies.abstraction.cards import Clustered, EarthMover, Method, PotentialAware
from limpet.strategies.abstraction.holdem_buckets import BOARD_CARDS, STREETS, CardTables, HoldemBuckets, bucket_tables
from limpet.strategies.abstraction.street_buckets import Buckets, FlopTable, Nearest, StreetBuckets, open_street
from limpet.strategies.abstraction.street_fitting import fit_flop, fit_street
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import canonical_boards

KIND = "clustered"
HANDS_KEPT = 64
"""Number of hands whose buckets are remembered one by one."""


class ClusteredBuckets(HoldemBuckets):
    """Buckets of every hand on any board.

    config: how the buckets were made. streets: flop, turn and river. A new flop takes some 0.1 ms, a turn 5, a river 1.
    Raises ValueError if perfect recall multiplies to more buckets than fit 31 bits.
    """

    kind = KIND

    def __init__(self, config: Clustered, streets: Sequence[StreetBuckets]) -> None:
        self.config = config
        self.streets = tuple(streets)
        super().__init__([street.count for street in streets], config.recall == "perfect")
        # A hand is asked about several times on a street, and by several seeds.
        self._of_hand = lru_cache(maxsize=HANDS_KEPT)(self._find_bucket)

    def _work_out(self, board: tuple[int, ...]) -> Buckets:
        return self.streets[len(board) - 3].buckets(board)

    def bucket(self, round_: int, board: tuple[int, ...], hand: int) -> int:
        return self._of_hand(round_, board, hand)

    def _find_bucket(self, round_: int, board: tuple[int, ...], hand: int) -> int:
        street = self.streets[len(board) - 3] if board and not self.perfect else None
        if not isinstance(street, (FlopTable, Nearest)) or not set(board).isdisjoint(hand_space().cards(hand)):
            return super().bucket(round_, board, hand)
        return street.bucket(board, hand)

    def dealt_buckets(
        self, round_: int, boards: npt.NDArray[np.int8], hands: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.integer]:
        street = self.streets[round_ - 1] if round_ and not self.perfect else None
        found = street.dealt(boards, hands) if isinstance(street, (FlopTable, Nearest)) else None
        return super().dealt_buckets(round_, boards, hands) if found is None else found

    def hash(self) -> str:
        """Return the SHA-256, in hex, over the config and all arrays; they determine every bucket."""
        digest = hashlib.sha256(msgspec.json.encode(self.config, order="deterministic"))
        for name, array in sorted(self.to_tensors().items()):
            digest.update(f"{name} {array.dtype.newbyteorder('<').str} {array.shape}".encode())
            digest.update(np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).data)
        return digest.hexdigest()

    def to_tensors(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays that `from_tensors` takes, named 'flop.table', 'turn.centres' and so on."""
        return {
            f"{name}.{part}": array
            for name, street in zip(STREETS, self.streets, strict=True)
            for part, array in street.tensors().items()
        }

    @classmethod
    def from_tensors(cls, config: Clustered, tensors: Mapping[str, npt.NDArray[Any]]) -> "ClusteredBuckets":
        """Return buckets from the arrays of `to_tensors`; further names are ignored.

        Raises ValueError for a missing array or one of the wrong shape, type or range.
        """
        parts: dict[str, dict[str, npt.NDArray[Any]]] = {street: {} for street in STREETS}
        for name, array in tensors.items():
            street, _, part = name.partition(".")
            if street in parts:
                parts[street][part] = array
        opened = []
        for street in STREETS:
            try:
                opened.append(open_street(street, getattr(config, street), parts[street]))
            except KeyError as error:
                raise ValueError(f"clustered buckets lack the array '{street}.{error.args[0]}'") from None
        return cls(config, opened)


# --- Clustered buckets for training: every hand on every canonical board, worked out once and kept on disk.

_TABLE_VERSION = 1  # part of every folder's name: raise it when the same parameters would give other tables
_WORK = {"flop": (85, 5), "turn": (25, 30), "river": (45, 90)}
"""Rough seconds on one core to find a street's clusters, and to assign all boards: the units of progress."""
BOARDS = "boards"
"""Name of the array with the buckets of all boards, in a street's folder."""


def street_name(config: Clustered, street: str) -> str:
    """Return the folder name of a street's table: its method, and a hash of all that it depends on."""
    method: Method = getattr(config, street)
    parts: list[Any] = [_TABLE_VERSION, street, msgspec.to_builtins(method), config.seed, config.sample]
    if isinstance(method, PotentialAware):
        parts.append(msgspec.to_builtins(config.turn))
    digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
    return f"{KIND}-{street}-{msgspec.to_builtins(method)['method']}-{method.most}-{digest[:16]}"


def street_folders(cache: Path, config: Clustered, stored: ClusteredBuckets | None = None) -> dict[str, Path]:
    """Return the folder of each street's table, there or not, by street.

    stored: buckets of a strategy file. Their folder is that of training if it holds these very buckets, else one that is
    named by a hash of the buckets. Raises ValueError for a damaged folder.
    """
    folders = {street: cache / street_name(config, street) for street in STREETS}
    for street, buckets in zip(STREETS, stored.streets if stored is not None else (), strict=False):
        tensors = buckets.tensors()
        if not _holds(folders[street], tensors):
            digest = hashlib.sha256(f"{_TABLE_VERSION} {street}".encode())
            for name, array in sorted(tensors.items()):
                digest.update(f"{name} {array.dtype.str} {array.shape}".encode() + array.tobytes())
            folders[street] = cache / f"{KIND}-{street}-{buckets.count}-of-{digest.hexdigest()[:16]}"
    return folders


def _holds(folder: Path, tensors: Mapping[str, npt.NDArray[Any]]) -> bool:
    """Return whether a folder is there and its table is that of buckets with these arrays."""
    if not folder.is_dir():
        return False
    arrays = open_table(folder)
    return all(name in arrays and np.array_equal(arrays[name], array) for name, array in tensors.items())


def load_or_build(
    cache: Path, config: Clustered, threads: int = 1, progress: Report = silent, stored: ClusteredBuckets | None = None
) -> CardTables:
    """Return the tables of a config, each street opened or else built in the cache folder.

    stored: buckets of a strategy file, which spare the search for clusters: a third to a half of the work.
    progress(done, total) is called from this thread, in rough seconds of one core's work. The result does not depend on
    the number of threads. Raises ValueError for a damaged folder, and if a potential-aware flop has no emd turn.
    """
    distances = isinstance(config.turn, EarthMover)
    if isinstance(config.flop, PotentialAware) and not distances:
        raise ValueError("a potential-aware flop measures distances between turn buckets; give the turn method: emd")
    folders = street_folders(cache, config, stored)
    missing = [street for street in STREETS if not folders[street].is_dir()]
    work = {street: (finding if stored is None else 0, assigning) for street, (finding, assigning) in _WORK.items()}
    total = sum(sum(work[street]) for street in missing)
    done = 0
    opened: dict[str, tuple[StreetBuckets, Buckets]] = {}
    for street in ("turn", "flop", "river"):  # a potential-aware flop needs the turn
        if street in missing:

            def advance(finding: float, assigning: float, street: str = street, done: int = done) -> None:
                progress(round(done + work[street][0] * finding + work[street][1] * assigning), total)

            street_buckets = stored.streets[STREETS.index(street)] if stored is not None else None
            _build(folders[street], config, street, street_buckets, opened.get("turn"), threads, advance)
            done += sum(work[street])
        opened[street] = _load(folders[street], config, street)
    if missing:
        progress(total, total)
    live = ClusteredBuckets(config, [opened[street][0] for street in STREETS])
    digests = {street: stored_digests(folders[street])[BOARDS] for street in STREETS}
    return CardTables(live, bucket_tables([opened[street][1] for street in STREETS]), digests)


def _build(
    folder: Path, config: Clustered, street: str, stored: StreetBuckets | None,
    turn: tuple[StreetBuckets, Buckets] | None, threads: int, advance: Callable[[float, float], None],
) -> None:  # fmt: skip
    """Make a street's folder.

    stored: the street's buckets, None to find them. turn: buckets and table of the turn, once there. advance(share of the
    clusters found, share of the boards assigned) is called from this thread.
    """
    began, busy = time.monotonic(), time.process_time()
    with ThreadPoolExecutor(max_workers=max(1, threads)) as pool:
        if stored is not None:
            buckets = stored
        elif street == "flop":
            buckets = fit_flop(config, turn, pool, lambda share: advance(share, 0.0))
        else:
            buckets, _ = fit_street(config, street, pool, lambda share: advance(share, 0.0))
        boards = canonical_boards(BOARD_CARDS[street]).boards.tolist()
        table = np.empty((len(boards), 1326), dtype=np.uint16)
        fill_rows(pool, table, lambda row: buckets.buckets(tuple(boards[row])), lambda share: advance(1.0, share))
    about = {
        "street": street,
        "method": msgspec.to_builtins(getattr(config, street)),
        "seed": config.seed,
        "sample": config.sample,
        "buckets": buckets.count,
        "seconds": round(time.monotonic() - began, 1),
        "cpu_seconds": round(time.process_time() - busy, 1),
    }
    store_table(folder, {BOARDS: table} | buckets.tensors(), about)


def _load(folder: Path, config: Clustered, street: str) -> tuple[StreetBuckets, Buckets]:
    """Return the buckets and the table of a finished folder; the table is mapped into memory, read-only."""
    arrays = open_table(folder)
    try:
        table = np.asarray(arrays.pop(BOARDS))
        kept = {name: np.array(array) for name, array in arrays.items()}
        return open_street(street, getattr(config, street), kept), table
    except KeyError as error:
        raise ValueError(f"{folder}: not a whole card table, {error} is missing; {REMEDY}") from error
