"""The file of the tables: what is written comes back, and damage is named."""

import hashlib
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from limpet.common.safetensors import map_tensors
from limpet.strategies.cards import preflop_tables
from limpet.strategies.cards.preflop_tables import ORDERINGS, STEPS, open_tables, order_sums
from tests.oracles.showdown_counting import write_tables
from tests.strategies.base.made_up_showdowns import smooth_tables

ARRAYS = ("triple_weights", "strict", "top_tie", "low_tie", "all_tie")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables") / "tables.safetensors"
    write_tables(path, smooth_tables())
    return path


@pytest.fixture(scope="module")
def spread(written: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the file was opened before."""
    folder = tmp_path_factory.mktemp("spread")
    open_tables(written, folder)
    return folder


def test_a_file_comes_back(written: Path, spread: Path) -> None:
    tables = open_tables(written, spread)
    assert (tables.triple_weights == smooth_tables().triple_weights).all()
    for name in ARRAYS[1:]:
        error = np.abs(getattr(tables, name) - getattr(smooth_tables(), name)).max()
        assert error < 1.01 / STEPS, name
    sums = order_sums(tables.strict, tables.top_tie, tables.low_tie, tables.all_tie)
    assert np.abs(sums - (tables.triple_weights > 0)).max() < 1e-6
    assert tables.boards == 1234


def test_equal_tables_make_equal_files(written: Path, tmp_path: Path) -> None:
    write_tables(tmp_path / "again", smooth_tables())
    assert (tmp_path / "again").read_bytes() == written.read_bytes()


def test_an_opened_file_is_spread_out_once(written: Path, spread: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preflop_tables, "_spread", lambda *_: pytest.fail("spread out again"))
    opened = open_tables(written, spread)
    for name in ARRAYS:
        assert isinstance(getattr(opened, name), np.memmap)
    assert opened.boards == 1234


def test_a_damaged_folder_is_named(written: Path, spread: Path, tmp_path: Path) -> None:
    shutil.copytree(spread, tmp_path / "copy", copy_function=os.link)
    (folder,) = (tmp_path / "copy").iterdir()
    array = folder / "strict.npy"
    whole = array.read_bytes()
    array.unlink()
    array.write_bytes(whole[:-1])
    with pytest.raises(ValueError, match=f"{folder}: not a whole card table .*; delete the folder; it is built anew"):
        open_tables(written, tmp_path / "copy")


def test_tables_open_where_nothing_can_be_written(
    written: Path, spread: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(preflop_tables, "store_table", full)
    in_memory = open_tables(written, tmp_path)
    assert not any(tmp_path.iterdir())
    mapped = open_tables(written, spread)
    for name in ARRAYS:
        assert (getattr(in_memory, name) == getattr(mapped, name)).all()


@pytest.mark.parametrize("damage", ["flipped", "cut", "empty", "missing", "other"])
def test_a_damaged_file_is_named_with_the_remedy(written: Path, tmp_path: Path, damage: str) -> None:
    path = tmp_path / "tables.safetensors"
    data = written.read_bytes()
    damaged = {
        "flipped": data[:-1000] + bytes([data[-1000] ^ 1]) + data[-999:],
        "cut": data[:-1000],
        "empty": b"",
        "other": data.replace(preflop_tables.FORMAT.encode(), b"limpet showdown tables 9"),
    }
    if damage in damaged:
        path.write_bytes(damaged[damage])
    with pytest.raises(ValueError, match=r"tables\.safetensors.*; copy it again, or install limpet again"):
        open_tables(path, tmp_path)


def test_the_files_digest_is_that_of_its_data(written: Path) -> None:
    packed, about = map_tensors(written)
    whole = b"".join(packed[name].tobytes() for name in sorted(packed))
    assert about["sha256"] == hashlib.sha256(whole).hexdigest()
    assert set(ARRAYS[1:]) == {ordering.array for ordering in ORDERINGS}
