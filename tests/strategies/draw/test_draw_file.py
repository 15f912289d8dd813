"""Files of draw strategies: damage and other games are found, and the code that trained one is known."""

import shutil
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from limpet.common.artifact import MANIFEST
from limpet.common.folders import find_strategy
from limpet.common.provenance import DRAW_TRAINING, versions
from limpet.configs.loading import load_yaml, yaml_text
from limpet.strategies.draw.draw_file import (
    NETWORK,
    TENSORS,
    DrawManifest,
    DrawStrategyFile,
    draw_training_repeats,
    save_draw_strategy,
    verify_draw_strategy,
)
from tests.strategies.players.draw_strategies import made_up_strategy


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LIMPET_DATA", str(tmp_path / "data"))
    made_up_strategy(tmp_path / "made-up")
    return tmp_path / "made-up"


def rewrite(folder: Path, **changes: object) -> None:
    manifest = msgspec.structs.replace(load_yaml(folder / MANIFEST, DrawManifest), **changes)
    (folder / MANIFEST).write_text(yaml_text(msgspec.to_builtins(manifest)))


def test_damage_is_found(folder: Path) -> None:
    file = verify_draw_strategy(folder)
    assert file.rows == file.tables.betting.shape[1] * (6 + 5 + 30) + 180 * 30 * file.manifest.buckets
    path = folder / TENSORS
    second = file.tables.second.copy()
    second[3, :5, 7] = 0
    save_draw_strategy(folder, file.manifest, replace(file.tables, second=second), "a card")
    with pytest.raises(ValueError, match="rows without any action"):
        verify_draw_strategy(folder)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match="SHA-256"):
        verify_draw_strategy(folder)


@pytest.mark.parametrize("name", ["draw5", "draw5-thesis"])
def test_damage_to_a_network_that_ships_is_found(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIMPET_DATA", str(tmp_path / "data"))
    folder = tmp_path / name
    shutil.copytree(find_strategy(name, tmp_path), folder)
    verify_draw_strategy(folder)
    content = bytearray((folder / NETWORK).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / NETWORK).write_bytes(content)
    with pytest.raises(ValueError, match=r"network\.safetensors: SHA-256"):
        verify_draw_strategy(folder)
    (folder / NETWORK).unlink()
    with pytest.raises(ValueError, match=r"network\.safetensors: missing"):
        verify_draw_strategy(folder)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"format": "limpet-draw-strategy/0"}, "this version reads 'limpet-draw-strategy/2'"),
        ({"rules_hash": "0"}, "its game has other rules"),
    ],
)
def test_manifests_that_do_not_fit_are_refused(folder: Path, change: dict[str, str], reason: str) -> None:
    rewrite(folder, **change)
    with pytest.raises(ValueError, match=reason):
        DrawStrategyFile.open(folder)


def test_whether_this_installation_repeats_a_strategy(folder: Path) -> None:
    manifest = load_yaml(folder / MANIFEST, DrawManifest)
    assert draw_training_repeats(manifest)[0] is None
    made = msgspec.structs.replace(manifest, code=DRAW_TRAINING, versions=versions())
    assert draw_training_repeats(made)[0] is True
    repeats, sentence = draw_training_repeats(msgspec.structs.replace(made, algorithm="depth-limited, leaves network"))
    assert repeats is False and "only statistically" in sentence
