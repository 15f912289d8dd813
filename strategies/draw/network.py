"""A feed-forward network from two ranges over buckets to the counterfactual values of all buckets of both players.

Inputs of one public state: the two ranges ``[2, bucket]``, each summing to 1, and the chips in the pot. Outputs ``[2, bucket]``: chips that each bucket wins on average, given that it is held and the other
player has the range given. They are in proportion to the pot, because the network sees no chips. Values are corrected so that the two players' sum to zero.
"""

import json
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.common.safetensors import map_tensors, write_tensors

Array = NDArray[np.float32]


class Shape(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Inputs of a network and sizes of its layers.

    Attributes:
        buckets: number of buckets of each player.
        hidden: number of units of each hidden layer.
        activation: function of hidden units.
        features: networks on disk name it; there are none.
    """

    buckets: int
    hidden: tuple[int, ...] = (200,)
    activation: Literal["tanh", "relu"] = "tanh"
    features: tuple[()] = ()
    reads: Literal["ranges", "sums"] = "ranges"
    """Form of the ranges: weights, 1 for a bucket of an even range, or running sums from the weakest bucket, -2 to 2.

    Showdowns turn on the weight of weaker hands, and sums hardly change where weight moves between neighbours. From few
    training pairs a network learns more by them.
    """


@dataclass(frozen=True, eq=False)
class ValueNetwork:
    """Weights of a network, with its card.

    Attributes:
        weights: one float32 ``[inputs, outputs]`` matrix for each layer.
        biases: one float32 ``[outputs]`` row for each layer.
        baseline: float32 ``[bucket, bucket]``: pots that the row's bucket wins from the column's if nobody bets any more;
            the network learns what betting adds. Zeros make it learn everything.
        card: facts about the data, the training and the errors, as text.
    """

    shape: Shape
    weights: tuple[Array, ...]
    biases: tuple[Array, ...]
    baseline: Array
    card: dict[str, str]

    def values(self, ranges: NDArray[np.floating], pots: NDArray[np.floating]) -> Array:
        """Return float32 ``[state, 2, bucket]``: the values of many public states, with so many chips in their pots ``[state]``.

        ranges: ``[state, 2, bucket]``, not negative; each range is scaled to sum to 1, an empty one is taken for even.
        """
        unit = unit_ranges(ranges)
        rows = self.forward(self.inputs(unit))[-1].reshape(unit.shape)
        rows = zero_sum(rows + baseline_values(self.baseline, unit), unit)
        return rows * np.asarray(pots, np.float32)[:, None, None]

    def inputs(self, unit: Array) -> Array:
        """Return the rows ``[state, input]`` of ranges that sum to 1."""
        if unit.shape[1:] != (2, self.shape.buckets):
            raise ValueError(f"the network reads ranges [state, 2, {self.shape.buckets}], not {list(unit.shape)}")
        summed = self.shape.reads == "sums"
        read = 4 * np.cumsum(unit, axis=2) - 2 if summed else unit * self.shape.buckets
        return np.asarray(read.reshape(len(unit), -1), np.float32)

    def forward(self, inputs: Array) -> list[Array]:
        """Return the outputs of all layers, the inputs first."""
        layers = [inputs]
        for number, (weights, biases) in enumerate(zip(self.weights, self.biases, strict=True), start=1):
            row = layers[-1] @ weights + biases
            if number < len(self.weights):
                row = np.tanh(row) if self.shape.activation == "tanh" else np.maximum(row, 0)
            layers.append(row)
        return layers

    def save(self, path: Path) -> None:
        """Write the network and its card as one safetensors file."""
        tensors = {"baseline": self.baseline}
        for layer, (weights, biases) in enumerate(zip(self.weights, self.biases, strict=True)):
            tensors |= {f"weights.{layer}": weights, f"biases.{layer}": biases}
        write_tensors(path, tensors, self.card | {"shape": json.dumps(msgspec.to_builtins(self.shape))})


def load_network(path: Path) -> ValueNetwork:
    """Return the network of a file. Raises `ValueError` for a file that holds none."""
    tensors, card = map_tensors(path)
    try:
        shape = msgspec.json.decode(card.pop("shape"), type=Shape)
        layers = range(len(shape.hidden) + 1)
        weights = tuple(np.array(tensors[f"weights.{layer}"]) for layer in layers)
        biases = tuple(np.array(tensors[f"biases.{layer}"]) for layer in layers)
        baseline = np.array(tensors["baseline"])
    except (KeyError, msgspec.DecodeError) as error:
        raise ValueError(f"{path}: no value network: {error}") from error
    sizes = (2 * shape.buckets, *shape.hidden, 2 * shape.buckets)
    if [w.shape for w in weights] != [(a, b) for a, b in pairwise(sizes)]:
        raise ValueError(f"{path}: the layers do not have the sizes {sizes}")
    return ValueNetwork(shape, weights, biases, baseline, card)


def new_network(shape: Shape, seed: int, baseline: Array | None = None) -> ValueNetwork:
    """Return a network with random weights, scaled so that signals keep their size; the last layer starts at zero."""
    rng = np.random.Generator(np.random.Philox(key=seed))
    sizes = (2 * shape.buckets, *shape.hidden, 2 * shape.buckets)
    gain = 1.0 if shape.activation == "tanh" else 2.0
    weights = [(rng.standard_normal((a, b)) * np.sqrt(gain / a)).astype(np.float32) for a, b in pairwise(sizes)]
    weights[-1] *= np.float32(0.01)
    biases = tuple(np.zeros(size, np.float32) for size in sizes[1:])
    empty = np.zeros((shape.buckets, shape.buckets), np.float32)
    return ValueNetwork(shape, tuple(weights), biases, empty if baseline is None else baseline, {})


def unit_ranges(ranges: NDArray[np.floating]) -> Array:
    """Return ranges scaled to sum to 1 over the last axis; ranges without weight become even."""
    wide = np.asarray(ranges, np.float64)
    total = wide.sum(axis=-1, keepdims=True)
    even = np.full(wide.shape, 1 / wide.shape[-1])
    return np.asarray(np.divide(wide, total, out=even, where=total > 0), np.float32)


def zero_sum(values: Array, unit: Array) -> Array:
    """Return values ``[state, 2, bucket]`` less half of what both players together would win from nobody."""
    surplus = (values * unit).sum(axis=(1, 2), keepdims=True)
    return np.asarray(values - surplus / 2, np.float32)


def baseline_values(baseline: Array, unit: Array) -> Array:
    """Return ``[state, 2, bucket]``: pots that each bucket wins from the other's range without betting."""
    return np.ascontiguousarray(unit[:, ::-1] @ baseline.T)
