"""The guides do what they say: their files are written and their commands run, with few hands."""

import os
import re
import subprocess
import sys
import sysconfig
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from limpet.configs.loading import load_game
from limpet.protocol.state import State

DOCS = Path(__file__).parents[1] / "docs"
GUIDES = [
    "write-your-own-strategy",
    "swap-the-strategy",
    "play-two-bots",
    "seat-an-external-program",
    "play-tournaments",
    "expert",
    "betting-profiles",
    "imitate",
    "play-in-the-browser",
    "other-learners",
]
"""Of all, options and files are checked by default; the first two are run then, and the others with ``-m slow``."""
EXTRAS = {"other-learners": {"pyspiel": "openspiel"}}
"""Modules that a guide needs, and the extra that each comes with."""

FILE = re.compile(r"^`([\w.-]+)`:\n\n```[\w-]+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMANDS = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FEWER = {
    "--hands 3000": 6, "--hands 1000": 6, "--hands 500": 6, "--hands 200": 4, "--hands 50": 4, "--hands 20": 4,
    "--tournaments 20": 2,  # too few to be shared out over processes
}  # fmt: skip


def write_files(guide: str, folder: Path) -> None:
    for name, text in FILE.findall(guide):
        path = folder / name
        path.write_text(text)
        if text.startswith("#!"):
            path.chmod(0o755)


def install(folder: Path) -> None:
    """What `pip install` leaves of the package in `folder` for the search of entry points."""
    project = tomllib.loads((folder / "pyproject.toml").read_text())
    info = folder / f"{project['project']['name']}-{project['project']['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['project']['name']}\nVersion: 1\n")
    sections = project["project"]["entry-points"]
    (info / "entry_points.txt").write_text(
        "".join(
            f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in points.items()) for group, points in sections.items()
        )
    )


def test_every_python_block_in_documents_is_run() -> None:
    """Examples with prompts run as doctests, and files of the guides above are written and run."""
    run = "".join(text for name in GUIDES for _, text in FILE.findall((DOCS / f"{name}.md").read_text()))
    for document in [*DOCS.rglob("*.md"), DOCS.parent / "README.md"]:
        for block in re.findall(r"^```python\n(.*?)^```$", document.read_text(), re.MULTILINE | re.DOTALL):
            assert ">>> " in block or block in run, f"{document.name}: a Python block that no test runs:\n{block}"


@pytest.mark.parametrize("name", [GUIDES[0], *(pytest.param(name, marks=pytest.mark.slow) for name in GUIDES[1:])])
def test_guide(name: str, tmp_path: Path) -> None:
    for module, extra in EXTRAS.get(name, {}).items():
        pytest.importorskip(module, reason=f"needs the extra {extra}")
    guide = (DOCS / f"{name}.md").read_text()
    write_files(guide, tmp_path)
    if (tmp_path / "pyproject.toml").exists():
        install(tmp_path)
    script = "".join(COMMANDS.findall(guide))
    assert any(f"limpet {command}" in script for command in ("match", "sng", "table"))
    for counted, few in FEWER.items():
        script = re.sub(rf"{counted}\b", f"{counted.split()[0]} {few}", script)
    # The commands of this environment, whatever the shell would find.
    (tmp_path / "bin").mkdir()
    for command, line in {"limpet": "from limpet.bot.cli import main; main()"}.items():
        (tmp_path / "bin" / command).write_text(f'#!/bin/sh\nexec {sys.executable} -c "{line}" "$@"\n')
        (tmp_path / "bin" / command).chmod(0o755)
    path = os.pathsep.join([str(tmp_path / "bin"), sysconfig.get_path("scripts"), os.environ["PATH"]])
    paths = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(  # the status is asserted below, with what was said
        ["/bin/sh", "-ec", script],
        cwd=tmp_path,
        env={**os.environ, "PATH": path, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    if "over-tcp" in script:
        assert (tmp_path / "over-tcp" / "result.json").exists()
    said = [path.read_text() for path in tmp_path.glob("matches/*/seating-*.dealer.err")]
    assert not [line for text in said for line in text.splitlines() if "WARNING" in line]
    if name == "seat-an-external-program":
        assert len(said) >= 3
    if "wrong.yaml" in script:
        assert re.search(r"wrong\.yaml:\d+: options\.strategy: .*another game", done.stderr)


def test_the_table_of_players_has_all_that_ship() -> None:
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text())["project"]
    rows = re.findall(r"^\|(`.*?)\|", (DOCS / "swap-the-strategy.md").read_text(), re.MULTILINE)
    assert sorted(re.findall(r"`(\w+)`", "".join(rows))) == sorted(project["entry-points"]["limpet.players"])


def test_the_example_is_twenty_lines_and_raises_with_aces_only(tmp_path: Path) -> None:
    guide = (DOCS / "write-your-own-strategy.md").read_text()
    example = dict(FILE.findall(guide))["aces.py"]
    assert len([line for line in example.splitlines() if line.strip()]) == 20
    (tmp_path / "aces.py").write_text(example)
    spec = spec_from_file_location("aces", tmp_path / "aces.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    game = load_game("leduc.limit.2p")
    strategy = module.Aces(game, module.Aces.Options(), tmp_path)
    rows = strategy.rows(State.start(game))
    # The deck is the queens, kings and aces of two suits, so the last two hands of the space hold an ace.
    assert [action.kind for action in rows.actions] == ["c", "r"]
    assert rows.probabilities[1].tolist() == [0, 0, 0, 0, 1, 1]
