"""The rules of the house: which room may import which, what lies where, and documents that keep their word."""

import ast
import builtins
import doctest
import importlib
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest

from limpet.bot.cli import COMMANDS, main
from tests.rooms import BEGIN, END, PAGE, ROOMS, import_statements, imports, modules, room_of, rooms_below, with_picture

ROOT = Path(__file__).parents[1]
PACKAGES = ("protocol", "configs", "strategies", "dealer", "bot", "limpet")
MOST_FILES = 12
"""Number of modules of the largest room."""
COMMAND_MARK = "<!-- .ci/run runs this block -->"


@cache
def files() -> tuple[Path, ...]:
    """What is in the repository or about to be."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listed.returncode == 0 and listed.stdout:
        found = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    else:  # an unpacked archive
        found = [path for path in ROOT.rglob("*") if not {".venv", "__pycache__"} & set(path.parts)]
    return tuple(path for path in sorted(found) if path.is_file() and not path.is_symlink())


def names(paths: Iterator[Path]) -> list[str]:
    return [str(path.relative_to(ROOT)) for path in paths]


MODULES = names(path for path in files() if path.suffix == ".py")
DOCUMENTS = names(path for path in files() if path.suffix == ".md" and path.parts[len(ROOT.parts)] not in PACKAGES)


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


# --- code


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_rooms_below_it(room: str) -> None:
    assert rooms_below(room) <= set(ROOMS[: ROOMS.index(room)])


def test_every_room_has_its_place_in_the_order() -> None:
    assert {room_of(path) for path in modules().values() if path.name != "__init__.py"} == set(ROOMS)


def test_imports_are_seen() -> None:
    assert {"protocol", "strategies/cards"} <= rooms_below("strategies/base")
    assert "dealer/table" in rooms_below("bot"), "imports inside functions count as well"


def test_the_picture_of_the_rooms_is_fresh() -> None:
    page = PAGE.read_text()
    assert BEGIN in page and END in page
    assert page == with_picture(page), "python -m tests.rooms draws it again"


@pytest.mark.parametrize("room", ROOMS)
def test_test_files_are_named_after_what_they_test(room: str) -> None:
    """A file is ``test_MODULE.py`` or ``test_MODULE_SUBJECT.py``, in the folder of the module's room."""
    stems = {path.stem.strip("_") for path in modules().values() if room_of(path) == room}
    named = tuple(f"test_{stem.removesuffix('_kernels')}" for stem in stems)
    for path in (ROOT / "tests" / room).glob("test_*.py"):
        assert path.stem in named or path.stem.startswith(tuple(f"{name}_" for name in named)), path


def test_no_two_files_import_each_other() -> None:
    """Neither directly nor through others, and neither for types nor late: what a file imports can be read without it."""
    below = {
        path: {other for other in imports(path) if other.name != "__init__.py"} - {path} for path in modules().values()
    }
    while free := [path for path, others in below.items() if not others & below.keys()]:
        for path in free:
            del below[path]
    assert sorted(names(iter(below))) == []


def test_fields_are_told_in_docstrings() -> None:
    """Editors and `help` show a class's docstring, and no comment behind a field."""
    for path in modules().values():
        lines = path.read_text().splitlines()
        for node in ast.walk(ast.parse("\n".join(lines))):
            if isinstance(node, ast.ClassDef):
                for field in (child for child in node.body if isinstance(child, ast.AnnAssign) and child.simple):
                    last = field.end_lineno or field.lineno
                    behind = lines[last - 1].encode()[field.end_col_offset :].decode()
                    assert re.match(r"\s*(# (fmt|type|noqa)\b|$)", behind), f"{path}:{last}: {node.name}"


def test_names_in_single_backticks_are_there() -> None:
    """They are names of the project, which a reader can look up; other names have double backticks."""
    inside: dict[str, str] = {}  # by module, class and folder: where their members stand
    told, code = [], ""
    for path in modules().values():
        text = path.read_text()
        told += [(path, name) for name in re.findall(r"(?<!`)`([A-Za-z_][\w.]*)`(?!`)", text)]
        bare = re.sub(r'"""[\s\S]*?"""', "", text)
        code += bare
        name = path.parent.name if path.stem == "__init__" else path.stem
        for each in (name, path.parent.name, *re.findall(r"^class (\w+)", bare, re.MULTILINE)):
            inside[each] = f"{inside.get(each, '')} {name} {bare}"
    words = {*re.findall(r"\w+", code), *vars(builtins), *inside}
    members = {each: {*re.findall(r"\w+", text)} for each, text in inside.items()}
    stale = []
    for path, name in told:
        owner, _, member = name.rpartition(".")
        owner = owner.rpartition(".")[2]
        if member not in (members.get(owner, ()) if owner else words) and not (owner and name in code):
            stale.append(f"{path.relative_to(ROOT)}: {name}")
    assert stale == []


def test_no_two_classes_share_a_name() -> None:
    found: dict[str, list[Path]] = {}
    for path in modules().values():
        for name in re.findall(r"^class ([^\W_]\w*)", path.read_text(), re.MULTILINE):
            found.setdefault(name, []).append(path)
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_is_small_enough_to_be_seen_at_once(room: str) -> None:
    files = [path for path in modules().values() if room_of(path) == room and path.name != "__init__.py"]
    assert len(files) <= MOST_FILES


def test_every_module_says_what_it_is() -> None:
    begins = re.compile(r'(#.*\n)*r?"""\S')
    assert [name for name in MODULES if not begins.match((ROOT / name).read_text())] == []


def test_every_folder_of_modules_is_a_package_that_limpet_links_to() -> None:
    for folder in {Path(name).parent for name in MODULES if name.split("/")[0] in PACKAGES}:
        assert (ROOT / folder / "__init__.py").is_file(), f"{folder} has no __init__.py"
    links = {path.name: path.resolve() for path in (ROOT / "limpet").iterdir() if path.is_symlink()}
    assert links == {room: ROOT / room for room in PACKAGES if room != "limpet"}


ENVIRONMENTS = ("dealer/matches/environments.py", "dealer/matches/environments.py", "limpet/environments.py")
"""Modules whose classes derive from those of an extra, and their door, so that nothing else may import them."""


def test_nothing_imports_the_environments() -> None:
    paths = {ROOT / name for name in ENVIRONMENTS}
    others = [name for name in MODULES if name.split("/")[0] in PACKAGES and name not in ENVIRONMENTS]
    assert not [name for name in others if paths & set(imports(ROOT / name))]


def test_a_module_is_imported_with_nothing_but_what_every_installation_has() -> None:
    wanted = " ".join(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"])
    there = {*re.findall(r"[a-z]+(?=[<>])", wanted), "yaml", "llvmlite", "zope", "limpet", *sys.stdlib_module_names}
    found = set()
    for name in (name for name in MODULES if name.split("/")[0] in PACKAGES and name not in ENVIRONMENTS):
        for node in (node for node in import_statements(ROOT / name) if not node.col_offset):
            module = node.module if isinstance(node, ast.ImportFrom) else node.names[0].name
            found.add((name, str(module).partition(".")[0]))
    assert {(name, module) for name, module in found if module not in there} == set()


def test_the_package_is_typed_and_its_version_is_that_of_the_project() -> None:
    assert (ROOT / "limpet" / "py.typed").is_file()
    assert project()["project"]["dynamic"] == ["version"], "the version stands in limpet/__init__.py alone"


# --- what nobody else's machine has


def test_no_paths_of_a_machine() -> None:
    contents = ((name, (ROOT / name).read_bytes()) for name in names(iter(files())))
    found = [
        (name, match[0].decode())
        for name, content in contents
        if b"\0" not in content
        for match in re.finditer(rb"(?<![\w.:/~])/(work|root|home|opt|Users)/[\w.]+", content)
    ]
    assert found == []


# --- documents


def test_there_is_a_readme() -> None:
    assert "README.md" in DOCUMENTS


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_between_documents_resolve(name: str) -> None:
    text = without_code((ROOT / name).read_text())
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        there = (ROOT / name).parent / path if path else ROOT / name
        assert there.exists(), f"{name}: ({target}) leads nowhere"
        if anchor and there.suffix == ".md":
            assert anchor in anchors(there.read_text()), f"{name}: ({target}) names no heading"


def without_code(text: str) -> str:
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


def anchors(text: str) -> set[str]:
    """Heading anchors as forges make them: lower case, punctuation dropped, spaces to hyphens."""
    headings = re.findall(r"^#+ +(.+?) *$", without_code(text), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def commands(name: str) -> list[list[str]]:
    """The words of every ``limpet …`` that a document shows, in code blocks and between backquotes."""
    text = (ROOT / name).read_text().replace("\\\n", " ")
    blocks = re.findall(r"^```.*?\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    lines = [line for block in blocks for line in block.splitlines()]
    lines += re.findall(r"`([^`\n]+)`", without_code(text))
    found = [
        re.match(r"(?:\$ *)?(?:\w+=\S+ +)?(?:\S*/)?(?:limpet|python3? -m limpet\.bot) +([^#|>&]+)", line.strip())
        for line in lines
    ]
    return [match[1].split() for match in found if match]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_commands_in_documents_exist(name: str) -> None:
    assert isinstance(main, click.Group)
    context = click.Context(main)
    for words in commands(name):
        if words[0].startswith("-") or not words[0].islower():
            continue
        assert words[0] in COMMANDS, f"{name}: limpet has no command {words[0]!r}"
        command = main.get_command(context, words[0])
        assert command is not None
        if isinstance(command, click.Group) and len(words) > 1 and words[1].islower():
            command = command.commands.get(words[1])
            assert command is not None, f"{name}: limpet {words[0]} has no command {words[1]!r}"
        if command.ignore_unknown_options:
            continue
        known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
        for word in words[1:]:
            option = word.partition("=")[0]
            if re.fullmatch(r"--[a-z][\w-]*", option):
                assert option in known | {"--help"}, f"{name}: limpet {words[0]} has no option {option}"


def test_the_readme_holds_the_command_that_is_checked() -> None:
    readme = (ROOT / "README.md").read_text()
    assert readme.count(COMMAND_MARK) == 1, "README.md needs the mark once, before the block with the test command"
    block = readme.split(COMMAND_MARK)[1].split("```")[1]
    assert "pytest" in block and re.search(r"pip install .*-e", block)


def test_the_checks_can_be_run() -> None:
    script = ROOT / ".ci" / "run"
    assert script.stat().st_mode & 0o111
    assert COMMAND_MARK.replace("/", "\\/") in script.read_text()


# --- examples


@pytest.mark.parametrize("name", [name for name in DOCUMENTS if ">>> " in (ROOT / name).read_text()])
def test_examples_in_documents(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert doctest.testfile(str(ROOT / name), module_relative=False).failed == 0


@pytest.mark.parametrize(
    "name", [name for name in MODULES if name.split("/")[0] in PACKAGES and ">>> " in (ROOT / name).read_text()]
)
def test_examples_in_modules(name: str) -> None:
    dotted = name.removesuffix(".py").replace("/", ".")
    module = importlib.import_module(f"limpet.{dotted.removeprefix('limpet.')}")
    result = doctest.testmod(module)
    assert result.attempted > 0 and result.failed == 0
