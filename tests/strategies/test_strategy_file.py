"""The strategy file: quantised rows, the container against the format's own library, and refusals."""

from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given
from hypothesis import strategies as st

from limpet.configs.loading import load_game
from limpet.strategies.blueprint.quantise import dequantise, quantise
from limpet.strategies.blueprint.safetensors import PAGE, map_tensors, write_tensors
from limpet.strategies.blueprint.strategy_file import StrategyFile
from limpet.strategies.blueprint.training import Training
from limpet.strategies.trees.betting import build_tree


@pytest.fixture(scope="module")
def kuhn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A briefly trained Kuhn strategy."""
    folder = tmp_path_factory.mktemp("strategies") / "kuhn"
    config = folder.parent / "kuhn.yaml"
    config.write_text("name: kuhn\ngame: kuhn.limit.2p\nalgorithm: cfr+\niterations: 1000\n")
    training = Training.load(str(config), folder)
    training.prepare()
    assert training.run()
    training.write()
    return folder


def test_other_readers_open_our_container(tmp_path: Path) -> None:
    tensors = {
        "a": np.arange(7, dtype=np.uint8),
        "b": np.linspace(0, 1, 12, dtype=np.float32).reshape(3, 4),
        "c": np.array([-5, 2**40]),
    }
    write_tensors(tmp_path / "x.safetensors", tensors, {"format": "test"})
    theirs = safetensors.numpy.load_file(tmp_path / "x.safetensors")
    ours, metadata = map_tensors(tmp_path / "x.safetensors")
    assert metadata == {"format": "test"}
    for name, array in tensors.items():
        assert (theirs[name] == array).all()
        assert (ours[name] == array).all()
        assert ours[name].dtype == array.dtype
        assert not ours[name].flags.writeable
    header = int.from_bytes((tmp_path / "x.safetensors").read_bytes()[:8], "little")
    assert (8 + header) % PAGE == 0


def test_a_cut_off_container_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    write_tensors(path, {"a": np.arange(100, dtype=np.int64)}, {})
    content = path.read_bytes()
    for length in (0, 5, 100, len(content) - 1):
        path.write_bytes(content[:length])
        with pytest.raises(ValueError, match="cut off|not a safetensors"):
            map_tensors(path)


@given(st.lists(st.lists(st.floats(0, 1e9), min_size=2, max_size=2), min_size=3, max_size=3), st.sampled_from([8, 16]))
def test_quantised_rows_sum_up_and_are_near(rows: list[list[float]], bits: int) -> None:
    tree = build_tree(load_game("kuhn.limit.2p"))
    offset = tree.row_offset([3])
    average = np.tile(np.array(rows).reshape(-1), 4)
    table, untrained = quantise(average, tree, offset, bits)
    first = table[:6].reshape(3, 2)
    weights = np.array(rows)
    total = weights.sum(axis=1)
    empty = total <= 1e-30
    assert untrained == 4 * empty.sum()
    assert (first[empty] == 0).all()
    assert (first[~empty].astype(int).sum(axis=1) == 2**bits - 1).all()
    near = dequantise(first)[~empty]
    assert np.abs(near - weights[~empty] / total[~empty, None]).max(initial=0) <= 1.0 / (2**bits - 1)


def test_a_saved_strategy_opens_and_says_what_it_is(kuhn: Path) -> None:
    file = StrategyFile.open(kuhn)
    assert file.manifest.iterations == 1000
    assert file.manifest.untrained_rows == 0
    assert file.manifest.rows == 12
    assert file.manifest.quality["value_position_0_chips"] == pytest.approx(-1 / 18, abs=1e-3)
    assert file.manifest.quality["exploitability_chips"] < 1e-3
    file.check_game(load_game("kuhn.limit.2p"))
    assert file.probabilities().sum() == pytest.approx(12)
    assert "cfr+, 1,000 iterations" in (kuhn / "README.md").read_text()


def test_another_game_is_refused(kuhn: Path) -> None:
    file = StrategyFile.open(kuhn)
    with pytest.raises(ValueError, match="another game.*numPlayers = 2"):
        file.check_game(load_game("kuhn.limit.3p"))


@pytest.mark.parametrize("position", [0, 5000, -1])
def test_a_flipped_bit_is_noticed(kuhn: Path, tmp_path: Path, position: int) -> None:
    for name in ("strategy.safetensors", "manifest.yaml"):
        (tmp_path / name).write_bytes((kuhn / name).read_bytes())
    content = bytearray((kuhn / "strategy.safetensors").read_bytes())
    content[min(position, len(content) - 1)] ^= 1
    (tmp_path / "strategy.safetensors").write_bytes(content)
    with pytest.raises(ValueError, match="SHA-256"):
        StrategyFile.open(tmp_path)


def test_truncation_and_a_missing_file_are_noticed(kuhn: Path, tmp_path: Path) -> None:
    (tmp_path / "manifest.yaml").write_bytes((kuhn / "manifest.yaml").read_bytes())
    with pytest.raises(ValueError, match="missing"):
        StrategyFile.open(tmp_path)
    (tmp_path / "strategy.safetensors").write_bytes((kuhn / "strategy.safetensors").read_bytes()[:-3])
    with pytest.raises(ValueError, match="bytes"):
        StrategyFile.open(tmp_path)
