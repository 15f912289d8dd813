"""The kernel cache moves when any kernel changes, and always lies somewhere that can be written."""

from pathlib import Path

import numba
import pytest

from limpet.protocol import jit
from limpet.protocol.jit import kernel_cache


@pytest.fixture
def package(tmp_path: Path) -> Path:
    for name in ("protocol/a_kernels.py", "strategies/cards/b_kernels.py", "strategies/plain.py"):
        (tmp_path / "limpet" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "limpet" / name).write_text("x = 1\n")
    return tmp_path / "limpet"


def test_it_moves_with_every_kernel_and_with_nothing_else(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    before = kernel_cache(package)
    assert before.parent == tmp_path / "cache"
    (package / "strategies/plain.py").write_text("x = 2\n")
    assert kernel_cache(package) == before
    (package / "strategies/cards/b_kernels.py").write_text("x = 2\n")
    assert kernel_cache(package) != before


def test_a_place_that_cannot_be_made_is_replaced(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file" / "below"))
    folder = kernel_cache(package)
    assert folder.is_dir()
    folder.rmdir()


def test_numba_uses_it() -> None:
    assert Path(vars(numba.config)["CACHE_DIR"]).name == kernel_cache(Path(jit.__file__).resolve().parents[1]).name
