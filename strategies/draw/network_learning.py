"""Training of a value network: Adam on the Huber loss with a held-out part, checkpointed after every epoch.

The gradient goes through the correction to zero sum. No library is needed beyond numpy, whose matrix products are where
the time goes.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.common.safetensors import map_tensors, write_tensors
from limpet.common.workers import Advance
from limpet.strategies.draw.network import (
    Array,
    Shape,
    ValueNetwork,
    baseline_values,
    new_network,
    unit_ranges,
    zero_sum,
)
from limpet.strategies.solvers.round_solver import RoundSolver, Showdown
from limpet.strategies.solvers.round_tree import RoundTree

# --- Training pairs: public states with the values that a solver found, in a file for each shard; a run resumes by them.

DrawRanges = Callable[[np.random.Generator, int, int], Array]
"""Draws ranges: a generator, a count and a number of buckets to ranges ``[count, 2, bucket]``."""
Solve = Callable[[Array], tuple[Array, Array]]
"""Function from ranges ``[count, 2, bucket]`` to values in pots ``[count, 2, bucket]`` and exploitabilities ``[count]``."""


@dataclass(frozen=True, eq=False)
class Examples:
    """N solved public states.

    Attributes:
        ranges: float32 ``[N, 2, bucket]``, each summing to 1.
        values: float32 ``[N, 2, bucket]``, in pots.
        errors: float32 ``[N]``: exploitability of each solve, in % of the pot.
    """

    ranges: Array
    values: Array
    errors: Array

    def __len__(self) -> int:
        return len(self.ranges)

    def taken(self, rows: slice | NDArray[np.integer]) -> "Examples":
        """Return some of the examples."""
        return Examples(*(getattr(self, name)[rows] for name in vars(self)))


def generate(
    folder: Path, shards: int, size: int, buckets: int, draw: DrawRanges, solve: Solve, seed: int, advance: Advance
) -> None:
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


def read_examples(shards: Mapping[Path, Sequence[int]]) -> Examples:
    """Return the examples of some shards of each folder, in their order."""
    parts = [map_tensors(_shard(folder, shard))[0] for folder in shards for shard in shards[folder]]
    return Examples(*(np.concatenate([part[name] for part in parts]) for name in ("ranges", "values", "errors")))


def _shard(folder: Path, shard: int) -> Path:
    return folder / f"examples-{shard:04d}.safetensors"


MOMENTS = 0.9, 0.999
"""Decay of Adam's means of gradients and of squared gradients."""


class LearningCourse(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a network is trained.

    Attributes:
        epochs: number of passes over the training pairs.
        batch: number of pairs in each step.
        rate: step size of Adam at first; it falls to nothing along half a cosine.
        huber: error in pots beyond which the loss grows linearly.
        held_out: share of the pairs, the last ones, that only measure the error.
        seed: seed of the first weights and of the order of pairs.
    """

    epochs: int = 60
    batch: int = 256
    rate: float = 1e-3
    huber: float = 0.1
    held_out: float = 0.1
    seed: int = 1


class Errors(msgspec.Struct, frozen=True):
    """Errors of a network on some pairs, in pots.

    `huber` is the mean Huber loss, `mean` the mean absolute error of a bucket's value, in `weighted` by its player's range.
    """

    huber: float
    mean: float
    weighted: float


class Learner:
    """A network in training, as it is after so many epochs."""

    def __init__(self, shape: Shape, course: LearningCourse, examples: Examples, baseline: Array | None = None) -> None:
        cut = round(len(examples) * (1 - course.held_out))
        self.course, self.epoch, self.steps = course, 0, 0
        self.training, self.held_out = examples.taken(slice(0, cut)), examples.taken(slice(cut, None))
        self.network = new_network(shape, course.seed, baseline)
        self._parameters = [*self.network.weights, *self.network.biases]
        self._means = [np.zeros_like(parameter) for parameter in self._parameters]
        self._squares = [np.zeros_like(parameter) for parameter in self._parameters]

    def run(self, checkpoint: Path | None = None, report: Callable[[int, Errors], None] | None = None) -> ValueNetwork:
        """Train to the last epoch, from `checkpoint` if it is there; return the network with its card."""
        if checkpoint is not None and checkpoint.is_file():
            self.restore(checkpoint)
        while self.epoch < self.course.epochs:
            self.run_epoch()
            if checkpoint is not None:
                self.save(checkpoint)
            if report is not None:
                report(self.epoch, errors_of(self.network, self.held_out, self.course.huber))
        return replace(self.network, card=self.card())

    def run_epoch(self) -> None:
        """Take every training pair once, in an order that seed and epoch fix."""
        rng = np.random.Generator(np.random.Philox(key=[self.course.seed, self.epoch + 1]))
        order = rng.permutation(len(self.training))
        for first in range(0, len(order), self.course.batch):
            part = self.training.taken(order[first : first + self.course.batch])
            self._step(self._gradients(part))
        self.epoch += 1

    def _gradients(self, part: Examples) -> list[Array]:
        """Return the gradients of the mean Huber loss, in the order of the parameters."""
        network, unit = self.network, unit_ranges(part.ranges)
        layers = network.forward(network.inputs(unit))
        values = zero_sum(layers[-1].reshape(unit.shape) + baseline_values(network.baseline, unit), unit)
        error = values - part.values
        slope = np.clip(error, -self.course.huber, self.course.huber) / np.float32(error.size)
        # The correction to zero sum is v = o - (Γ·o) / 2, with one product over both players.
        back = (slope - unit * slope.sum(axis=(1, 2), keepdims=True) / 2).reshape(len(unit), -1)
        weights, biases = [], []
        for layer in range(len(network.weights) - 1, -1, -1):
            weights.append(layers[layer].T @ back)
            biases.append(back.sum(axis=0))
            if layer:
                back = back @ network.weights[layer].T
                active = layers[layer]
                back *= 1 - active**2 if network.shape.activation == "tanh" else active > 0
        return [*weights[::-1], *biases[::-1]]

    def _step(self, gradients: list[Array]) -> None:
        """Move the parameters in place by one step of Adam."""
        self.steps += 1
        total = self.course.epochs * -(-len(self.training) // self.course.batch)
        rate = self.course.rate * (1 + np.cos(np.pi * min(1, self.steps / total))) / 2
        slow, fast = (1 - moment**self.steps for moment in MOMENTS)
        columns = zip(self._parameters, gradients, self._means, self._squares, strict=True)
        for parameter, gradient, mean, square in columns:
            mean += np.float32(1 - MOMENTS[0]) * (gradient - mean)
            square += np.float32(1 - MOMENTS[1]) * (gradient**2 - square)
            parameter -= np.float32(rate / slow) * mean / (np.sqrt(square / np.float32(fast)) + np.float32(1e-8))

    # --- keeping

    def save(self, path: Path) -> None:
        """Write all that a later run needs to go on, bit for bit."""
        tensors: dict[str, NDArray[Any]] = {"epoch": np.array([self.epoch, self.steps], np.int64)}
        for name, arrays in self._state().items():
            tensors |= {f"{name}.{i}": array for i, array in enumerate(arrays)}
        write_tensors(path, tensors, {"course": self._mark()})

    def restore(self, path: Path) -> None:
        """Go on from a checkpoint. Raises `ValueError` if it is of another network or course."""
        tensors, metadata = map_tensors(path)
        if metadata.get("course") != self._mark():
            raise ValueError(f"{path}: the checkpoint of another network or course; delete it to train anew")
        self.epoch, self.steps = tensors["epoch"].tolist()
        for name, arrays in self._state().items():
            for i, array in enumerate(arrays):
                array[:] = tensors[f"{name}.{i}"]

    def _state(self) -> dict[str, list[Array]]:
        return {"parameter": self._parameters, "mean": self._means, "square": self._squares}

    def _mark(self) -> str:
        facts = [self.network.shape, self.course, len(self.training), len(self.held_out)]
        return msgspec.json.encode(facts).decode()

    def card(self) -> dict[str, str]:
        """Return what a model card says of the training: course, numbers of pairs, errors and the pairs' own error."""
        huber = self.course.huber
        facts = {
            "course": self.course,
            "epochs": self.epoch,
            "training pairs": len(self.training),
            "held-out pairs": len(self.held_out),
            "training error": errors_of(self.network, self.training.taken(slice(0, 2000)), huber),
            "held-out error": errors_of(self.network, self.held_out, huber),
            "mean exploitability of the pairs, % of the pot": float(self.training.errors.mean()),
        }
        return {name: msgspec.json.encode(fact).decode() for name, fact in facts.items()}


def errors_of(network: ValueNetwork, examples: Examples, huber: float) -> Errors:
    """Return the errors of a network on some pairs."""
    predicted = network.values(examples.ranges, np.ones(len(examples)))
    error = np.abs(predicted - examples.values)
    inner = np.minimum(error, huber)
    counted = np.float32(error.size)
    return Errors(
        huber=float((inner * (error - inner / 2)).sum() / counted),
        mean=float(error.sum() / counted),
        weighted=float((error * examples.ranges).sum() / (2 * len(examples))),
    )


# --- Values of a last betting round for many pairs of ranges: the solver behind training pairs.

TOGETHER = 16
"""Number of pairs that are solved side by side; more leave the processor's cache."""


def solved_parts(
    tree: RoundTree, showdown: Showdown, ranges: Array, iterations: int
) -> Iterator[tuple[slice, RoundSolver]]:
    """Yield slices of pairs of ranges ``[pair, 2, bucket]``, each with the solver that has solved them side by side."""
    for first in range(0, len(ranges), TOGETHER):
        part = slice(first, first + TOGETHER)
        solver = RoundSolver(tree, showdown, ranges[part].transpose(1, 2, 0))
        solver.run(iterations)
        yield part, solver


def round_solve(tree: RoundTree, showdown: Showdown, iterations: int) -> Solve:
    """Return a solver of pairs of ranges by `iterations` of discounted regret matching, with the values of `answer_values`."""

    def solve(ranges: Array) -> tuple[Array, Array]:
        values, errors = np.empty_like(ranges), np.empty(len(ranges), np.float32)
        for part, solver in solved_parts(tree, showdown, ranges, iterations):
            values[part] = answer_values(solver, ranges[part])
            errors[part] = solver.exploitability()
        return values, errors

    return solve


def answer_values(solver: RoundSolver, unit: Array) -> Array:
    """Return the pots ``[pair, 2, bucket]`` that the answer of a solver of ranges ``[pair, 2, bucket]`` is worth.

    They are those of best responses to the other's average strategy. Unlike the values of the average strategies they
    are defined for buckets that a player never holds, and what they say of those is what a deviation would win. Where
    showdowns weigh pairs of buckets, values are times the weight that a bucket meets: so they sum to zero.
    """
    both = np.stack([solver.values(p, best=True) for p in (0, 1)]).transpose(2, 0, 1)
    return zero_sum(both / np.float32(solver.tree.pot), unit)


def showdown_values(showdown: Showdown) -> Array:
    """Return float32 ``[bucket, bucket]``: pots that the row's bucket wins from the column's if nobody bets."""
    count = showdown.buckets
    outcome = np.zeros((2 * count, count), np.float32)
    showdown.outcomes(np.eye(count, dtype=np.float32), np.arange(count), count, 1, outcome)
    return np.ascontiguousarray(outcome[:count].T / 2)


# --- Random ranges to learn from: each bucket by itself (Tarasiewicz 2018), or by recursive splits (DeepStack 2017).

Ranges = NDArray[np.float32]


def independent_ranges(rng: np.random.Generator, count: int, buckets: int) -> Ranges:
    """Return float32 ``[count, 2, bucket]``: weights uniform between 0 and 1, scaled. They are nearly flat."""
    return _scaled(rng.random((count, 2, buckets)))


def split_ranges(rng: np.random.Generator, count: int, buckets: int) -> Ranges:
    """Return float32 ``[count, 2, bucket]``: all weight is split at random between the weaker and the stronger half.

    Each half is split in the same way down to single buckets, so that weight gathers anywhere, as it does in play.
    """
    weights = np.ones((count, 2, buckets))
    spans = [(0, buckets)]
    while spans:
        first, last = spans.pop()
        if last - first > 1:
            middle = (first + last) // 2
            share = rng.random((count, 2, 1))
            weights[:, :, first:middle] *= share
            weights[:, :, middle:last] *= 1 - share
            spans += [(first, middle), (middle, last)]
    return _scaled(weights)


def sparse_ranges(rng: np.random.Generator, count: int, buckets: int) -> Ranges:
    """Return split ranges in which each player lacks a random share of the buckets altogether."""
    held = rng.random((count, 2, buckets)) < rng.random((count, 2, 1))
    held[np.arange(count)[:, None], [[0, 1]], rng.integers(buckets, size=(count, 2))] = True
    return _scaled(split_ranges(rng, count, buckets) * held)


def mixed_ranges(rng: np.random.Generator, count: int, buckets: int) -> Ranges:
    """Return ranges of the three kinds in turn: of every eight pairs one independent, five split and two sparse."""
    kinds = [independent_ranges(rng, count, buckets), split_ranges(rng, count, buckets)]
    kinds.append(sparse_ranges(rng, count, buckets))
    chosen = np.array([0, 1, 1, 2, 1, 1, 2, 1])[np.arange(count) % 8]
    return np.asarray(np.choose(chosen[:, None, None], kinds), np.float32)


def _scaled(weights: NDArray[np.floating]) -> Ranges:
    wide = np.maximum(np.asarray(weights, np.float64), 1e-30 * (weights > 0))
    return np.asarray(wide / wide.sum(axis=2, keepdims=True), np.float32)
