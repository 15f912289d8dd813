"""Clustered buckets for training: every hand on every canonical board, worked out once and kept on disk.

A street is a folder of its own, named by a hash of what it depends on, so two configs share the streets that they have
in common, and a build that was killed keeps those it had finished. A damaged one is refused (`table_folder`). A river takes
357 MB, a turn 44, a flop 5.
"""

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from limpet.strategies.abstraction.clustered_buckets import KIND, STREETS, ClusteredBuckets
from limpet.strategies.abstraction.clustered_config import Clustered, EarthMover, Method, PotentialAware
from limpet.strategies.abstraction.street_buckets import Buckets, FlopTable, StreetBuckets, Tensors, open_street
from limpet.strategies.abstraction.street_fitting import fit_flop, fit_street
from limpet.strategies.abstraction.strength_bucket_kernels import BucketTables
from limpet.strategies.cards.isomorphism import canonical_boards, preflop_classes
from limpet.strategies.storage.table_folder import REMEDY, open_table, store_table, stored_digests

_TABLE_VERSION = 1  # part of every folder's name: raise it when the same parameters would give other tables
_WORK = {"flop": (85, 5), "turn": (25, 30), "river": (45, 90)}
"""Rough seconds on one core to find a street's clusters, and to assign all boards: the units of progress."""
BOARDS = "boards"
"""The array of a folder that holds the buckets of all boards."""
_STEPS = 64  # in which boards are assigned, for progress and threads

Progress = Callable[[int, int], None]
Fit = Callable[[ThreadPoolExecutor, Callable[[float], None]], StreetBuckets]


@dataclass(frozen=True, eq=False)
class ClusteredTables:
    """Buckets for play, and the tables for training that agree with them; uint16, NO_BUCKET where blocked.

    Attributes:
        digests: SHA-256 of each street's table, as manifests of strategies have them.
    """

    buckets: ClusteredBuckets
    tables: BucketTables
    digests: Mapping[str, str] = field(default_factory=dict)


def street_name(config: Clustered, street: str) -> str:
    """Folder name of a street's table: its method, and a hash of all that it depends on."""
    method: Method = getattr(config, street)
    parts: list[Any] = [_TABLE_VERSION, street, msgspec.to_builtins(method), config.seed, config.sample]
    if isinstance(method, PotentialAware):
        parts.append(msgspec.to_builtins(config.turn))
    digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
    return f"{KIND}-{street}-{msgspec.to_builtins(method)['method']}-{method.most}-{digest[:16]}"


def street_folders(cache: Path, config: Clustered, known: ClusteredBuckets | None = None) -> dict[str, Path]:
    """Where each street's table is or would be, by street.

    known: buckets out of a strategy file. Where training has left tables of these very buckets, those; else folders
    named by a hash of the buckets. Raises ValueError for a damaged folder.
    """
    folders = {street: cache / street_name(config, street) for street in STREETS}
    for street, buckets in zip(STREETS, known.streets if known is not None else (), strict=False):
        tensors = buckets.tensors()
        if not _holds(folders[street], tensors):
            digest = hashlib.sha256(f"{_TABLE_VERSION} {street}".encode())
            for name, array in sorted(tensors.items()):
                digest.update(f"{name} {array.dtype.str} {array.shape}".encode() + array.tobytes())
            folders[street] = cache / f"{KIND}-{street}-{buckets.count}-of-{digest.hexdigest()[:16]}"
    return folders


def _holds(folder: Path, tensors: Tensors) -> bool:
    """Whether a folder is there and its table is that of buckets with these arrays."""
    if not folder.is_dir():
        return False
    arrays = open_table(folder)
    return all(name in arrays and np.array_equal(arrays[name], array) for name, array in tensors.items())


def load_or_build(
    cache: Path,
    config: Clustered,
    threads: int = 1,
    progress: Progress | None = None,
    known: ClusteredBuckets | None = None,
) -> ClusteredTables:
    """The tables of a config: from the cache folder, or built and put there, street by street.

    known: buckets out of a strategy file, whose clusters need not be found again: that is a third to a half of the work.

    progress(done, total) is called from this thread, in rough seconds of one core's work. The result does not depend on
    the number of threads. Raises ValueError for a damaged folder, and if a potential-aware flop has no emd turn.
    """
    distances = isinstance(config.turn, EarthMover)
    if isinstance(config.flop, PotentialAware) and not distances:
        raise ValueError("a potential-aware flop measures distances between turn buckets; give the turn method: emd")
    folders = street_folders(cache, config, known)
    missing = [street for street in STREETS if not folders[street].is_dir()]
    work = {street: (finding if known is None else 0, assigning) for street, (finding, assigning) in _WORK.items()}
    total = sum(sum(work[street]) for street in missing)
    done = 0.0
    opened: dict[str, tuple[StreetBuckets, Buckets]] = {}
    for street in ("turn", "flop", "river"):  # a potential-aware flop needs the turn
        folder = folders[street]
        if street in missing:
            before = done

            def advance(clusters: float, boards: float, street: str = street, before: float = before) -> None:
                if progress is not None:
                    finding, assigning = work[street]
                    progress(round(before + finding * clusters + assigning * boards), total)

            if known is not None:
                _build(folder, config, street, known.streets[STREETS.index(street)], threads, advance)
            else:
                turn = opened["turn"] if street == "flop" else None
                _build(folder, config, street, partial(_fit, config, street, turn), threads, advance)
            done += sum(work[street])
        opened[street] = _load(folder, config, street)
    if progress is not None and missing:
        progress(total, total)
    buckets = ClusteredBuckets(config, [opened[street][0] for street in STREETS])
    slots = []
    for n in (3, 4, 5):
        view = canonical_boards(n).slots.view()
        view.flags.writeable = False
        slots.append(view)
    # The kernels do not mind that these tables are wider than bytes: they are compiled for either.
    arrays: list[Any] = [opened[street][1] for street in STREETS] + slots
    tables = BucketTables(preflop_classes(), *arrays)
    digests = {street: stored_digests(folders[street])[BOARDS] for street in STREETS}
    return ClusteredTables(buckets, tables, digests)


def _build(
    folder: Path,
    config: Clustered,
    street: str,
    buckets: StreetBuckets | Fit,
    threads: int,
    advance: Callable[[float, float], None],
) -> None:
    """Make a street's folder, of buckets or what finds them. advance(share of clusters found, of boards assigned)."""
    began, busy = time.monotonic(), time.process_time()
    with ThreadPoolExecutor(max_workers=max(1, threads)) as pool:
        if callable(buckets):
            buckets = buckets(pool, lambda share: advance(share, 0.0))
        table = assign_boards(buckets, 3 + STREETS.index(street), pool, lambda share: advance(1.0, share))
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


def _fit(
    config: Clustered,
    street: str,
    turn: tuple[StreetBuckets, Buckets] | None,
    pool: ThreadPoolExecutor,
    advance: Callable[[float], None],
) -> StreetBuckets:
    """Find a street's clusters. turn: the street's buckets and table, for a flop."""
    if street == "flop":
        return fit_flop(config, turn, pool, advance)
    return fit_street(config, street, pool, advance)


def assign_boards(
    buckets: StreetBuckets, n: int, pool: ThreadPoolExecutor, advance: Callable[[float], None]
) -> Buckets:
    """uint16[boards, 1326]: the buckets of all canonical boards of n cards, exactly as a player works them out."""
    boards = canonical_boards(n).boards
    table = np.empty((len(boards), 1326), dtype=np.uint16)

    def work(first: int, last: int) -> None:
        for row in range(first, last):
            table[row] = buckets.buckets(tuple(boards[row].tolist()))

    bounds = np.linspace(0, len(boards), _STEPS + 1).astype(int).tolist()
    steps = [pool.submit(work, a, b) for a, b in pairwise(bounds)]
    try:
        for number, step in enumerate(as_completed(steps), start=1):
            step.result()
            advance(number / _STEPS)
    finally:
        for waiting in steps:  # an interrupt must not wait for the whole table
            waiting.cancel()
    return table


def _load(folder: Path, config: Clustered, street: str) -> tuple[StreetBuckets, Buckets]:
    """A finished folder, checked; the table stays in its file and is mapped into memory, read-only."""
    arrays = open_table(folder)
    try:
        table = np.asarray(arrays.pop(BOARDS))
        kept = {name: np.array(array) for name, array in arrays.items()}
        if street == "flop":
            return FlopTable(kept["table"], int(kept["count"][0])), table
        return open_street(getattr(config, street), kept), table
    except KeyError as error:
        raise ValueError(f"{folder}: not a whole card table, {error} is missing; {REMEDY}") from error
