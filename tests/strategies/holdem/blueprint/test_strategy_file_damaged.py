"""Whatever happens to a file of a strategy's folder: it is refused in words that name the file, or it made no difference."""

import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from limpet.configs.loading import load_game
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile, verify_strategy
from tests.strategies.base.strategy_files import MANY, random_strategy

FILES = ("manifest.yaml", "strategy.safetensors")
TOLD = (
    "name", "algorithm", "iterations", "seed", "threads", "training_seconds", "processor_seconds", "rows", "quality",
    "versions", "measured_by", "game", "menu", "code", "rivers",
)  # fmt: skip
"""What a manifest tells of how a strategy came about, which nothing can be checked against. Game and menu are checked by
the tree that they make; some changes make the same, as of a stack beyond the other's."""


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("strategies") / "sound"
    random_strategy(folder, "leduc.nolimit.2p", 1, MANY, bits=8)
    return folder


@pytest.fixture
def copy(sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LIMPET_DATA", str(tmp_path / "data"))
    return Path(shutil.copytree(sound, tmp_path / "copy"))


def refused(folder: Path, name: str) -> None:
    for check in (StrategyFile.open, verify_strategy):
        with pytest.raises(ValueError) as error:
            check(folder)
        told = str(error.value)
        assert str(folder / name) in told, told
        assert "\n" not in told


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file(copy: Path, name: str) -> None:
    (copy / name).unlink()
    refused(copy, name)


@pytest.mark.parametrize("part", [0.0, 0.01, 0.3, 0.6, 0.9])
@pytest.mark.parametrize("name", FILES)
def test_a_truncated_file(copy: Path, name: str, part: float) -> None:
    content = (copy / name).read_bytes()
    (copy / name).write_bytes(content[: int(part * len(content))])
    refused(copy, name if part < 0.9 else "strategy.safetensors")  # which no longer fits a checksum cut short


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_another_kind(copy: Path, name: str) -> None:
    for content in (bytes(range(256)) * 9, b"\0" * (copy / name).stat().st_size, b"<html>not found</html>"):
        (copy / name).write_bytes(content)
        refused(copy, name)


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_another_strategy(copy: Path, name: str, tmp_path: Path) -> None:
    """The other one was trained for other stacks, on a tree of another size."""
    other = random_strategy(tmp_path / "other", "leduc.limit.2p", 1)
    shutil.copy(other.folder / name, copy / name)
    refused(copy, "strategy.safetensors")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=150)
@given(st.floats(0, 1, exclude_max=True), st.integers(1, 255))
def test_any_byte_of_the_manifest(copy: Path, where: float, flip: int) -> None:
    path = copy / "manifest.yaml"
    content = path.read_bytes()
    damaged = bytearray(content)
    damaged[int(where * len(content))] ^= flip
    path.write_bytes(damaged)
    try:
        before, after = (StrategyFile.open(path.parent).manifest for _ in "ab")
        assert before == after
        opened = verify_strategy(copy)
    except ValueError as error:
        assert str(copy) in str(error)
        assert "\n" not in str(error)
    else:
        path.write_bytes(content)
        meant = StrategyFile.open(copy)
        for field in opened.manifest.__struct_fields__:
            if field not in TOLD:
                assert getattr(opened.manifest, field) == getattr(meant.manifest, field), field
        assert (opened.stored == meant.stored).all()
    finally:
        path.write_bytes(content)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=60)
@given(st.floats(0, 1, exclude_max=True), st.integers(1, 255))
def test_any_byte_of_the_table(copy: Path, where: float, flip: int) -> None:
    path = copy / "strategy.safetensors"
    content = path.read_bytes()
    damaged = bytearray(content)
    damaged[int(where * len(content))] ^= flip
    path.write_bytes(damaged)
    refused(copy, path.name)
    path.write_bytes(content)


def test_the_card_is_for_readers_alone(copy: Path) -> None:
    (copy / "README.md").write_bytes(b"\xff\x00")
    assert verify_strategy(copy)
    (copy / "README.md").unlink()
    assert verify_strategy(copy)


def test_wrong_games(copy: Path) -> None:
    file = StrategyFile.open(copy)
    for name in ("leduc.limit.2p", "kuhn.limit.2p", "holdem.nolimit.2p.reverse_blinds"):
        with pytest.raises(
            ValueError, match=f"strategy sound .*{copy}.* was trained for another game: its rules say '"
        ):
            file.check_game(load_game(name))
    deep = type(file.game).parse(str(file.game).replace("stack = ", "stack = 1"))
    with pytest.raises(ValueError, match="was trained for stacks of"):
        file.check_game(deep)
