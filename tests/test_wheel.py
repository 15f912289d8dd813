"""The wheel holds everything the rooms hold, under one name, and works without the checkout."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = ("bot", "configs", "dealer", "protocol", "strategies")
"""Folders that the package `limpet` links to."""
LITTER = shutil.ignore_patterns("__pycache__", "*.tmp", ".*_cache", ".hypothesis")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what a wheel is made of, so that building leaves nothing in the checkout."""
    folder = tmp_path_factory.mktemp("source")
    for room in ROOMS:
        shutil.copytree(ROOT / room, folder / room, ignore=LITTER)
    shutil.copytree(ROOT / "limpet", folder / "limpet", ignore=LITTER, symlinks=True)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    return folder


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(source)]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(build)}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
    (path,) = folder.glob("*.whl")
    return path


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if not name.endswith("/")}


def test_the_wheel_holds_what_the_rooms_hold(source: Path, wheel: Path) -> None:
    there = {name for name in names(wheel) if ".dist-info/" not in name}
    rooms = {f"limpet/{path.relative_to(source).as_posix()}" for room in ROOMS for path in (source / room).rglob("*")}
    wanted = {name for name in rooms if (source / name).is_file()}
    wanted |= {f"limpet/{path.name}" for path in (source / "limpet").iterdir() if path.is_file()}
    wanted |= {f"limpet/{path.relative_to(source / 'limpet')}" for path in (source / "limpet" / "common").iterdir()}
    assert sorted(wanted - there) == [], "in the checkout, but neither a listed package nor package data"
    assert sorted(there - wanted) == [], "in the wheel, but in no room"


def test_what_a_user_needs_is_in_it(wheel: Path) -> None:
    there = names(wheel)
    assert sum(name.startswith("limpet/configs/games/") and name.endswith(".game") for name in there) >= 9
    for part in ("configs/bots/", "configs/matches/", "configs/training/", "configs/spots/"):
        assert any(name.startswith(f"limpet/{part}") and name.endswith(".yaml") for name in there), part
    assert any(name.startswith("limpet/strategies/files/") and name.endswith(".safetensors") for name in there)
    assert "limpet/py.typed" in there
    assert "limpet/bot/startme.sh" in there
    assert not any("test" in name.split("/")[-1].split("_") for name in there)


def test_the_start_script_may_be_run(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        assert archive.getinfo("limpet/bot/startme.sh").external_attr >> 16 & 0o111


def test_metadata(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (info,) = {name.split("/")[0] for name in archive.namelist() if ".dist-info/" in name}
        entry_points = archive.read(f"{info}/entry_points.txt").decode()
        metadata = archive.read(f"{info}/METADATA").decode()
        assert f"{info}/licenses/LICENSE" in archive.namelist()
        assert archive.read(f"{info}/top_level.txt").decode().split() == ["limpet"]
    assert "limpet = limpet.bot.cli:main" in entry_points
    assert "License-Expression: MIT" in metadata
    assert "Requires-Python: >=3.11" in metadata


def test_it_is_no_larger_than_45_megabytes(wheel: Path) -> None:
    assert wheel.stat().st_size <= 45e6


def test_an_unpacked_wheel_works_by_itself(
    wheel: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """It is read only, without a home, and plays a match without a word to the network."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    for path in [*tmp_path.rglob("*"), tmp_path]:
        path.chmod(path.stat().st_mode & ~0o222)
    script = """
import sys

def no_network(event, details):
    assert event not in ("socket.connect", "socket.getaddrinfo"), event

sys.addaudithook(no_network)
from importlib.resources import files
import limpet.bot.cli
from limpet.protocol.gamedef import GameDef
import limpet
assert limpet.__version__ and limpet.load_game("holdem.nolimit.3p").num_players == 3
game = GameDef.load(files("limpet.configs") / "games" / "holdem.nolimit.3p.game")
assert game.num_players == 3
print(limpet.bot.cli.__file__)
limpet.bot.cli.main(["--help"], standalone_mode=False)
limpet.bot.cli.main(["match", "call", "random", "--hands", "9", "--in-process"], standalone_mode=False)
"""
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "HOME": str(tmp_path / "nobody")}
    environment.pop("XDG_CACHE_HOME", None)
    environment.pop("NUMBA_CACHE_DIR", None)
    played = tmp_path_factory.mktemp("played")
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=played, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(tmp_path / "limpet" / "bot")), "the checkout was imported instead of the wheel"
    assert "match" in done.stdout and (played / "matches" / "call-random-1" / "result.json").is_file()
    assert not (tmp_path / "nobody").exists() or os.geteuid() == 0
