"""The strategy file: quantised rows, the container against the format's own library, and refusals."""

import json
import os
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from limpet.common import verified
from limpet.common.safetensors import PAGE, map_tensors, write_tensors
from limpet.configs.loading import load_game, load_yaml, yaml_text
from limpet.strategies.abstraction.betting import build_tree
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.holdem.blueprint.quantise import packed_offset, quantise, row_total, stored_probabilities
from limpet.strategies.holdem.blueprint.strategy_file import Manifest, StrategyFile, _index_digest, verify_strategy
from limpet.strategies.holdem.training.training import Training
from tests.strategies.base.strategy_files import random_strategy, whole_rows


@pytest.fixture(autouse=True)
def data_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where files that were verified are remembered."""
    folder = tmp_path_factory.mktemp("data")
    monkeypatch.setenv("LIMPET_DATA", str(folder))
    return folder


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
    tensors: dict[str, NDArray[Any]] = {
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
    stored, untrained = quantise(average, tree, offset, bits)
    first = whole_rows(stored, tree, offset, 0)
    weights = np.array(rows)
    total = weights.sum(axis=1)
    empty = total <= 1e-30
    assert untrained == 4 * empty.sum()
    assert (first[empty] == 0).all()
    assert (first[~empty].sum(axis=1) == row_total(bits)).all()
    near = stored_probabilities(stored, tree, offset)[:6].reshape(3, 2)[~empty]
    assert np.abs(near - weights[~empty] / total[~empty, None]).max(initial=0) <= 1.0 / row_total(bits)


def test_what_rounding_leaves_goes_to_the_largest_remainders() -> None:
    """Of 254: 101.6, 76.2, 76.2 and 50.8, 50.8, 152.4; the last has a whole number of each."""
    tree = LEDUC
    node = next(node for node in tree.decisions.tolist() if tree.num_actions[node] == 3 and tree.round[node] == 0)
    average = np.zeros(LEDUC_SIZE)
    rows = average[LEDUC_OFFSET[node] : LEDUC_OFFSET[node + 1]].reshape(-1, 3)
    rows[:4] = [[0.4, 0.3, 0.3], [0.2, 0.2, 0.6], [0.3, 0.4, 0.3], [100.0, 100.0, 54.0]]
    stored, _ = quantise(average, tree, LEDUC_OFFSET, 8)
    assert whole_rows(stored, tree, LEDUC_OFFSET, node)[:4].tolist() == [
        [102, 76, 76],
        [51, 51, 152],
        [76, 102, 76],
        [100, 100, 54],
    ]


def test_a_row_with_one_action_needs_no_training() -> None:
    """Where nobody may bet, both check down."""
    tree = build_tree(load_game("leduc.nolimit.2p"), BetMenu(sizes=(((),),), all_in_spr="never"))
    offset = tree.row_offset([6, 36])
    actions = tree.num_actions[tree.decisions]
    assert (actions == 1).any()
    rows = np.diff(offset)[tree.decisions] // actions
    _, untrained = quantise(np.zeros(int(offset[-1])), tree, offset, 8)
    assert untrained == rows[actions > 1].sum()


@settings(max_examples=25)
@given(st.data())
def test_no_other_rounding_is_nearer(data: st.DataObject) -> None:
    """Moving a unit between any two actions of any row takes the row further from its weights."""
    average, bits = data.draw(tables())
    stored, _ = quantise(average, LEDUC, LEDUC_OFFSET, bits)
    for node in LEDUC.decisions.tolist():
        weights = average[LEDUC_OFFSET[node] : LEDUC_OFFSET[node + 1]].reshape(-1, LEDUC.num_actions[node])
        given_ = whole_rows(stored, LEDUC, LEDUC_OFFSET, node)
        trained = weights.sum(axis=1) > 0
        exact = weights[trained] / weights[trained].sum(axis=1, keepdims=True) * row_total(bits)
        over = given_[trained] - exact
        assert (over.max(axis=1) - over.min(axis=1)).max(initial=0) <= 1 + 1e-6


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


def copy_of(folder: Path, to: Path) -> Path:
    """A copy; returns its arrays' file."""
    to.mkdir(exist_ok=True)
    for name in ("manifest.yaml", "strategy.safetensors"):
        (to / name).write_bytes((folder / name).read_bytes())
    return to / "strategy.safetensors"


@pytest.mark.parametrize("position", [0, 5000, -1])
def test_a_flipped_bit_is_noticed(kuhn: Path, tmp_path: Path, position: int) -> None:
    path = copy_of(kuhn, tmp_path)
    content = bytearray(path.read_bytes())
    content[min(position, len(content) - 1)] ^= 1
    path.write_bytes(content)
    for check in (StrategyFile.open, verify_strategy):
        with pytest.raises(ValueError, match="SHA-256"):
            check(tmp_path)


def test_truncation_and_a_missing_file_are_noticed(kuhn: Path, tmp_path: Path) -> None:
    (tmp_path / "manifest.yaml").write_bytes((kuhn / "manifest.yaml").read_bytes())
    with pytest.raises(ValueError, match="missing"):
        StrategyFile.open(tmp_path)
    (tmp_path / "strategy.safetensors").write_bytes((kuhn / "strategy.safetensors").read_bytes()[:-3])
    with pytest.raises(ValueError, match="bytes"):
        StrategyFile.open(tmp_path)


def test_a_copy_is_read_whole_once(kuhn: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = copy_of(kuhn, tmp_path)
    read: list[Path] = []
    digest = verified.file_digest

    def counted(file: Path) -> str:
        read.append(file)
        return digest(file)

    monkeypatch.setattr(verified, "file_digest", counted)
    StrategyFile.open(tmp_path)
    StrategyFile.open(tmp_path)
    assert read == [path]
    os.utime(path, ns=(1, 1))  # as a copy or an edit would
    StrategyFile.open(tmp_path)
    assert read == [path, path]
    verify_strategy(tmp_path)
    assert len(read) == 3


def test_nowhere_to_remember_is_no_error(kuhn: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy_of(kuhn, tmp_path)
    (tmp_path / "file").touch()
    monkeypatch.setenv("LIMPET_DATA", str(tmp_path / "file"))
    StrategyFile.open(tmp_path)


def rot(path: Path, name: str) -> None:
    """Flip a bit of an array's first number, and nothing else."""
    before = path.stat()
    content = bytearray(path.read_bytes())
    header = int.from_bytes(content[:8], "little")
    content[8 + header + json.loads(content[8 : 8 + header])[name]["data_offsets"][0]] ^= 1
    path.write_bytes(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_a_rotten_tree_is_noticed_at_any_opening(kuhn: Path, tmp_path: Path) -> None:
    path = copy_of(kuhn, tmp_path)
    StrategyFile.open(tmp_path)
    rot(path, "tree.round")
    with pytest.raises(ValueError, match="header and tree"):
        StrategyFile.open(tmp_path)


def test_rotten_probabilities_are_noticed_by_verify(kuhn: Path, tmp_path: Path) -> None:
    path = copy_of(kuhn, tmp_path)
    StrategyFile.open(tmp_path)
    rot(path, "probabilities")
    StrategyFile.open(tmp_path)
    with pytest.raises(ValueError, match="SHA-256"):
        verify_strategy(tmp_path)
    with pytest.raises(ValueError, match="SHA-256"):
        StrategyFile.open(tmp_path)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("format", "limpet-strategy/1", "this version reads 'limpet-strategy/2': train it again"),
        ("rules_hash", "0" * 64, "rules_hash"),
        ("cards_hash", "0" * 64, "cards_hash"),
        ("index_sha256", "0" * 64, "header"),
        ("untrained_rows", 3, "without training"),
        ("rows", 3, "12 rows, but its manifest says 3"),
        ("bits", 9, "bits: 9 is none of 8, 16"),
        ("bits", 8, "its probabilities are uint16, but its manifest says 8 bits"),
    ],
)
def test_a_manifest_of_another_file_is_refused(
    kuhn: Path, tmp_path: Path, field: str, value: object, message: str
) -> None:
    copy_of(kuhn, tmp_path)
    manifest = msgspec.structs.replace(load_yaml(kuhn / "manifest.yaml", Manifest), **{field: value})
    (tmp_path / "manifest.yaml").write_text(yaml_text(msgspec.to_builtins(manifest)))
    with pytest.raises(ValueError, match=message):
        verify_strategy(tmp_path)


def test_buckets_of_another_abstraction_are_refused(kuhn: Path, tmp_path: Path) -> None:
    """All checksums are those of the file, and file and manifest agree; only the buckets are not what they say."""
    path = copy_of(kuhn, tmp_path)
    tensors, metadata = map_tensors(path)
    write_tensors(path, dict(tensors), metadata | {"cards_hash": "0" * 64})
    manifest = load_yaml(kuhn / "manifest.yaml", Manifest)
    manifest = msgspec.structs.replace(
        manifest,
        cards_hash="0" * 64,
        sha256=verified.file_digest(path),
        index_sha256=_index_digest(path, map_tensors(path)[0]),
    )
    (tmp_path / "manifest.yaml").write_text(yaml_text(msgspec.to_builtins(manifest)))
    for check in (StrategyFile.open, verify_strategy):
        with pytest.raises(ValueError, match="its card buckets are not those of the manifest"):
            check(tmp_path)


def test_a_tree_of_another_menu_is_refused_by_verify(kuhn: Path, tmp_path: Path) -> None:
    """Same sizes and hashes, but one bet leads elsewhere."""
    path = copy_of(kuhn, tmp_path)
    tensors, metadata = map_tensors(path)
    spent = tensors["tree.spent"].copy()
    spent[-1, 0] += 1
    write_tensors(path, tensors | {"tree.spent": spent}, metadata)
    manifest = load_yaml(kuhn / "manifest.yaml", Manifest)
    manifest = msgspec.structs.replace(
        manifest, sha256=verified.file_digest(path), index_sha256=_index_digest(path, map_tensors(path)[0])
    )
    (tmp_path / "manifest.yaml").write_text(yaml_text(msgspec.to_builtins(manifest)))
    StrategyFile.open(tmp_path)
    with pytest.raises(ValueError, match="the tree's spent"):
        verify_strategy(tmp_path)


def test_the_stored_tree_is_the_built_one(kuhn: Path) -> None:
    file = verify_strategy(kuhn)
    built = build_tree(file.game)
    for name in ("player", "round", "first_edge", "edge_child", "edge_kind", "edge_size", "spent", "folded"):
        assert np.array_equal(getattr(file.tree, name), getattr(built, name))
    assert file.tree.root == built.root


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, int]:
    """Average weights for Leduc's tree at 6 and 36 buckets, rows never reached among them, and bits."""
    seed, bits = draw(st.integers(0, 2**32)), draw(st.sampled_from([8, 16]))
    rng = np.random.default_rng(seed)
    return rng.random(LEDUC_SIZE) * (rng.random(LEDUC_SIZE) < draw(st.sampled_from([0.1, 0.5, 1.0]))), bits


LEDUC_GAME = "leduc.limit.2p"
LEDUC = build_tree(load_game(LEDUC_GAME))
LEDUC_OFFSET = LEDUC.row_offset([6, 36])
LEDUC_SIZE = int(LEDUC_OFFSET[-1])


@settings(max_examples=25)
@given(tables())
def test_rows_never_trained_are_marked_and_all_others_are_whole(case: tuple[np.ndarray, int]) -> None:
    average, bits = case
    stored, untrained = quantise(average, LEDUC, LEDUC_OFFSET, bits)
    assert len(stored) == packed_offset(LEDUC, LEDUC_OFFSET)[-1] < LEDUC_SIZE
    sums = np.concatenate([whole_rows(stored, LEDUC, LEDUC_OFFSET, node).sum(axis=1) for node in LEDUC.decisions])
    assert set(sums) <= {0, row_total(bits)}
    assert (sums == 0).sum() == untrained


def test_look_ups_are_the_rows_of_the_table(kuhn: Path, tmp_path: Path) -> None:
    """Rows of a node against plain arithmetic on the stored numbers; rows never trained are zeros."""
    for number, file in enumerate(
        (StrategyFile.open(kuhn), random_strategy(tmp_path / "some", LEDUC_GAME, 5, trained=0.6))
    ):
        missed = 0
        for node in file.tree.decisions.tolist():
            whole = whole_rows(file.stored, file.tree, file.offset, node) / file.total
            assert file.node_rows(node) == pytest.approx(whole, abs=1e-7)
            missed += int((whole.sum(axis=1) == 0).sum())
        assert missed == file.manifest.untrained_rows and (missed > 0) == (number > 0)
