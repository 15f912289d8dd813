"""Training of value networks: gradients, held-out error, and runs that resume."""

from pathlib import Path

import numpy as np
import pytest

from limpet.strategies.draw.network import Shape, load_network
from limpet.strategies.draw.network_learning import Learner, LearningCourse, errors_of
from tests.strategies.draw.solved_rounds import BUCKETS, solved

COURSE = LearningCourse(epochs=30, batch=32, rate=3e-3)
SHAPE = Shape(BUCKETS, (32, 32), activation="relu", reads="sums")


def test_gradients_are_those_of_the_loss() -> None:
    examples = solved().taken(slice(0, 20))
    learner = Learner(Shape(BUCKETS, (9, 8), reads="sums"), COURSE, examples)
    for array in learner._parameters:
        array += np.random.default_rng(1).standard_normal(array.shape).astype(np.float32) * np.float32(0.3)
    gradients = learner._gradients(examples)
    for parameter, gradient in zip(learner._parameters, gradients, strict=True):
        at = np.unravel_index(np.abs(gradient).argmax(), gradient.shape)
        before, step = parameter[at], np.float32(1e-2)
        sides = []
        for moved in (before + step, before - step):
            parameter[at] = moved
            sides.append(errors_of(learner.network, examples, COURSE.huber).huber)
        parameter[at] = before
        assert gradient[at] == pytest.approx((sides[0] - sides[1]) / (2 * float(step)), rel=0.05, abs=1e-5)


def test_training_lowers_the_held_out_error() -> None:
    learner = Learner(SHAPE, COURSE, solved())
    before = errors_of(learner.network, learner.held_out, 0.1).mean
    network = learner.run()
    after = errors_of(network, learner.held_out, 0.1).mean
    assert after < before / 3
    assert "held-out error" in network.card


def test_a_killed_run_ends_as_one_that_was_not(tmp_path: Path) -> None:
    course = LearningCourse(epochs=4, batch=64)
    whole = Learner(SHAPE, course, solved()).run()
    first = Learner(SHAPE, course, solved())
    first.run_epoch()
    first.save(tmp_path / "c")
    resumed = Learner(SHAPE, course, solved()).run(tmp_path / "c")
    for one, other in zip((*whole.weights, *whole.biases), (*resumed.weights, *resumed.biases), strict=True):
        np.testing.assert_array_equal(one, other)
    resumed.save(tmp_path / "n.safetensors")
    assert load_network(tmp_path / "n.safetensors").card == whole.card


def test_a_checkpoint_of_another_course_is_refused(tmp_path: Path) -> None:
    learner = Learner(SHAPE, COURSE, solved())
    learner.save(tmp_path / "c")
    with pytest.raises(ValueError, match="another network or course"):
        Learner(SHAPE, LearningCourse(epochs=3), solved()).restore(tmp_path / "c")
