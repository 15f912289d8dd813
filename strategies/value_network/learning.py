"""Training of a value network: Adam on the Huber loss with a held-out part, checkpointed after every epoch.

The gradient goes through the correction to zero sum. No library is needed beyond numpy, whose matrix products are where
the time goes.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.strategies.storage.safetensors import map_tensors, write_tensors
from limpet.strategies.value_network.examples import Examples
from limpet.strategies.value_network.network import (
    Array,
    Shape,
    ValueNetwork,
    baseline_values,
    new_network,
    unit_ranges,
    zero_sum,
)

MOMENTS = 0.9, 0.999
"""Decay of Adam's means of gradients and of squared gradients."""


class Course(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a network is trained."""

    epochs: int = 60  # number of passes over the training pairs
    batch: int = 256  # number of pairs in each step
    rate: float = 1e-3  # step size of Adam at first; it falls to nothing along half a cosine
    huber: float = 0.1  # error in pots beyond which the loss grows linearly
    held_out: float = 0.1  # share of the pairs, the last ones, that only measure the error
    seed: int = 1  # seed of the first weights and of the order of pairs


class Errors(msgspec.Struct, frozen=True):
    """Errors of a network on some pairs, in pots."""

    huber: float  # mean Huber loss
    mean: float  # mean absolute error of a bucket's value
    weighted: float  # mean absolute error, each bucket weighted by its player's range


class Learner:
    """A network in training.

    Attributes:
        epoch: epochs done.
        network: the network as it is now.
    """

    def __init__(self, shape: Shape, course: Course, examples: Examples, baseline: Array | None = None) -> None:
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
        layers = network.forward(network.inputs(unit, part.features if network.shape.features else None))
        values = zero_sum(layers[-1].reshape(unit.shape) + baseline_values(network.baseline, unit), unit)
        error = (values - part.values) * part.counted
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
        for parameter, gradient, mean, square in zip(
            self._parameters, gradients, self._means, self._squares, strict=True
        ):
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
    predicted = network.values(examples.ranges, np.ones(len(examples)), _features(network, examples))
    error = np.abs(predicted - examples.values) * examples.counted
    inner = np.minimum(error, huber)
    counted = examples.counted.sum()
    return Errors(
        huber=float((inner * (error - inner / 2)).sum() / counted),
        mean=float(error.sum() / counted),
        weighted=float((error * examples.ranges).sum() / (2 * len(examples))),
    )


def _features(network: ValueNetwork, examples: Examples) -> NDArray[np.float32] | None:
    return examples.features if network.shape.features else None
