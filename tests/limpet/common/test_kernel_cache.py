"""A compiled kernel is found again by what its files say, and the cache always lies somewhere that can be written."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path
from threading import Event, Thread
from typing import Any, cast

import pytest

from limpet.common import kernel_cache
from limpet.common.kernel import ANNOUNCE
from limpet.common.kernel_cache import KernelLocator, cache_folder, kernel_key
from limpet.strategies.cards import ranking_kernels


@pytest.fixture
def package(tmp_path: Path) -> Path:
    for name, text in {
        "protocol/a.py": "from limpet.common.jit import njit\nfrom limpet.protocol.below import x\n",
        "protocol/below.py": "x = 1\n",
        "strategies/types.py": "y = 1\n",
        "strategies/b_kernels.py": "from limpet.common.jit import njit\nfrom limpet.protocol.a import x\nfrom limpet.strategies.types import y\n",
        "strategies/other.py": "z = 1\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("edited", "moves"),
    [
        ("strategies/b_kernels.py", True),
        ("protocol/a.py", True),
        ("protocol/below.py", True),
        ("strategies/types.py", True),
        ("strategies/other.py", False),
    ],
)
def test_a_kernel_is_compiled_again_when_what_it_is_made_of_changes(package: Path, edited: str, moves: bool) -> None:
    kernel = package / "strategies/b_kernels.py"
    before = kernel_key(kernel, package)
    kernel_key.cache_clear()
    with (package / edited).open("a") as file:
        file.write("# edited\n")
    assert (kernel_key(kernel, package) != before) == moves


def test_another_checkout_of_the_same_text_has_the_same_key(
    package: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "copy"
    elsewhere.symlink_to(package)
    assert kernel_key(elsewhere / "strategies/b_kernels.py", elsewhere) == kernel_key(
        package / "strategies/b_kernels.py", package
    )


def test_a_place_that_cannot_be_made_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file" / "below"))
    folder = cache_folder()
    assert folder.is_dir()
    folder.rmdir()


def test_numba_uses_it_for_our_kernels_and_leaves_others_where_they_were() -> None:
    file = Path(ranking_kernels.__file__)
    kept_at = cast(Any, ranking_kernels.set_size)._cache.cache_path
    assert Path(kept_at).name == f"ranking_kernels-{kernel_key(file)}"
    assert KernelLocator.get_suitable_cache_subpath(__file__).startswith("common_")


def test_a_kernel_is_called_without_scipys_linear_algebra_which_numba_finds_when_it_asks_again() -> None:
    code = """
import sys
from numba.np import linalg
from limpet.protocol.ranking import rank

assert rank([51, 50]) > rank([51, 47])
assert "scipy.linalg" not in sys.modules
linalg.ensure_blas()
assert "scipy.linalg" in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("folder", "then"),
    [
        ("kernels", "they are kept, and the next start is fast"),
        pytest.param("file/below", "let NUMBA_CACHE_DIR name a folder to keep them in", marks=pytest.mark.slow),
    ],
)
def test_a_first_start_says_that_it_compiles_and_whether_that_is_kept(folder: str, then: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    code = """
import time
from limpet.common.jit import njit
njit(lambda number: number + 1)(1)
later = time.monotonic() + 1000
time.monotonic = lambda: later
"""
    told = {"NUMBA_CACHE_DIR": str(tmp_path / folder), ANNOUNCE: "1"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **told},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    first, last = done.stderr.splitlines()
    assert first.startswith("compiling for this machine, once;")
    assert re.fullmatch(rf"compiled 1 kernel in \d\d? s; {then}", last)


def test_a_kernel_is_compiled_by_one_process_while_others_wait_but_not_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_cache, "kept_cache_folder", lambda: tmp_path)
    entered = Event()

    def second() -> None:
        with kernel_cache.compiled_in_turn("a.kernel"):
            entered.set()

    with kernel_cache.compiled_in_turn("a.kernel"):
        with kernel_cache.compiled_in_turn("another.kernel"):
            waiting = Thread(target=second)
            waiting.start()
        assert not entered.wait(0.2)
    waiting.join(60)
    assert entered.is_set()
    monkeypatch.setattr(kernel_cache, "TURN_SECONDS", 0.1)
    began = time.monotonic()
    with kernel_cache.compiled_in_turn("a.kernel"), kernel_cache.compiled_in_turn("a.kernel"):
        assert time.monotonic() - began >= 0.1
