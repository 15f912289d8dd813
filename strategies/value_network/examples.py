"""Training pairs: public states with the values that a solver found, in files of one shard each, which resume a run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.storage.safetensors import map_tensors, write_tensors

Array = NDArray[np.float32]
DrawRanges = Callable[[np.random.Generator, int, int], Array]
"""Function of `range_draws`: a generator, a count and a number of buckets to ranges ``[count, 2, bucket]``."""
Solve = Callable[[Array], tuple[Array, Array]]
"""Function from ranges ``[count, 2, bucket]`` to values in pots ``[count, 2, bucket]`` and exploitabilities ``[count]``."""


@dataclass(frozen=True, eq=False)
class Examples:
    """N solved public states.

    Attributes:
        ranges: float32 ``[N, 2, bucket]``, each summing to 1.
        values: float32 ``[N, 2, bucket]``, in pots.
        features: float32 ``[N, feature]``: public features.
        counted: float32 ``[N, 2, bucket]``: 1 where a value counts in training, 0 for buckets that no hand can hold.
        errors: float32 ``[N]``: exploitability of each solve, in % of the pot.
    """

    ranges: Array
    values: Array
    features: Array
    counted: Array
    errors: Array

    def __len__(self) -> int:
        return len(self.ranges)

    def taken(self, rows: slice | NDArray[np.integer]) -> "Examples":
        """Return some of the examples."""
        return Examples(*(getattr(self, name)[rows] for name in vars(self)))


def generate(
    folder: Path, shards: int, size: int, buckets: int, draw: DrawRanges, solve: Solve, seed: int,
    advance: Callable[[float], None],
) -> None:  # fmt: skip
    """Write `shards` files of `size` examples each; files that are there already are kept.

    Each shard has a random stream of its own, so that a resumed run writes what one run would have written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for shard in range(shards):
        path = _shard(folder, shard)
        if not path.is_file():
            ranges = draw(np.random.Generator(np.random.Philox(key=[seed, shard])), size, buckets)
            values, errors = solve(ranges)
            tensors = {"ranges": ranges, "values": values, "errors": errors}
            write_tensors(path, tensors, {"seed": str(seed), "shard": str(shard)})
        advance((shard + 1) / shards)


def read_examples(folder: Path, shards: Sequence[int]) -> Examples:
    """Return the examples of some shards, without public features, all values counted."""
    parts = [map_tensors(_shard(folder, shard))[0] for shard in shards]
    ranges, values, errors = (np.concatenate([part[name] for part in parts]) for name in ("ranges", "values", "errors"))
    return Examples(ranges, values, np.zeros((len(ranges), 0), np.float32), np.ones_like(ranges), errors)


def joined(parts: Sequence[Examples]) -> Examples:
    """Return the examples of all parts, in their order."""
    return Examples(*(np.concatenate([getattr(part, name) for part in parts]) for name in vars(parts[0])))


def _shard(folder: Path, shard: int) -> Path:
    return folder / f"examples-{shard:04d}.safetensors"
