"""What documents say of the code is so. ``python -m tests.test_documents`` writes docs/commands.md again."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import click
import pytest
import yaml

from limpet.bot.cli import COMMANDS, main
from limpet.bot.commands.man import help_of_all
from tests.commands import printed

ROOT = Path(__file__).parents[1]
COMMANDS_PAGE = ROOT / "docs" / "commands.md"
MARK = "<!-- Everything below is written by: python -m tests.test_documents -->\n"
WIDTH = 100
"""Characters in a line of help, whatever the terminal's width."""


def commands_page() -> str:
    """Return what docs/commands.md should hold: its hand-written head, then the help of all commands."""
    head, mark, _ = COMMANDS_PAGE.read_text(encoding="utf-8").partition(MARK)
    assert mark, f"{COMMANDS_PAGE.name} has lost the line {MARK!r}"
    context = click.Context(main, info_name="limpet", terminal_width=WIDTH, **main.context_settings)
    sections = (
        f"{'#' * (path.count(' ') + 1)} {path}\n\n```text\n{text}\n```\n" for path, text in help_of_all(context)
    )
    return "\n".join([head + mark, *sections])


def test_the_page_of_commands_is_what_the_help_says() -> None:
    # In a process of its own: click keeps the help option of a command that another test has called without its group.
    made = subprocess.run(
        [sys.executable, "-m", "tests.test_documents", "print"],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    is_current = COMMANDS_PAGE.read_text(encoding="utf-8") == made.stdout
    assert is_current, (
        "the help of a command has changed: run `python -m tests.test_documents` and commit docs/commands.md"
    )


def test_the_table_of_commands_has_all() -> None:
    head = COMMANDS_PAGE.read_text(encoding="utf-8").partition(MARK)[0]
    missing = [name for name in COMMANDS if f"(#limpet-{name}" not in head]
    assert not missing, f"the table at the top of docs/commands.md has no line for limpet {', limpet '.join(missing)}"


def test_commands_of_containers_and_units_are_taken() -> None:
    """The program itself checks them: each is parsed as far as it can be without being run."""
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    lines = [service["command"] for service in compose["services"].values()]
    lines += re.findall(r"^RUN limpet (.*)$", (ROOT / "Containerfile").read_text(encoding="utf-8"), re.MULTILINE)
    lines += re.findall(
        r"^ExecStart=\S*/limpet (.*)$",
        "".join(path.read_text(encoding="utf-8") for path in ROOT.glob("docs/systemd/*.service")),
        re.MULTILINE,
    )
    guide = (ROOT / "docs" / "run-a-server.md").read_text(encoding="utf-8")
    lines += re.findall(r"^(?:\S*/)?limpet ([^|>#\n]*)", guide, re.MULTILINE)
    (started,) = re.findall(r'^CMD \["(.*)"\]$', (ROOT / "Containerfile").read_text(encoding="utf-8"), re.MULTILINE)
    lines.append(started.replace('", "', " "))
    assert len(lines) > 8
    for line in lines:
        name, *words = shlex.split(line.replace("%i", "blueprint"))
        command = main.get_command(click.Context(main), name)
        assert command is not None, line
        command.make_context(name, words)  # raises for what the command does not take


def commands_of(document: Path) -> Iterator[list[str]]:
    """Yield the words of each command of this program in a document's shell blocks."""
    for block in re.findall(r"^```sh\n(.*?)^```$", document.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
            lexer.whitespace_split = True
            words: list[str] = []
            for word in [*lexer, ";"]:
                if not set(word) <= set(";&|()<>"):
                    words.append(word)
                    continue
                if words and words[0].rpartition("/")[2] == "limpet":
                    yield words[1:]
                words = [word] if word in "<>" else []  # a file's name follows


@pytest.mark.parametrize("path", [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")], ids=lambda path: path.name)
def test_commands_in_documents_have_options_that_exist(path: Path) -> None:
    """What they name need not be there: the guides' own test runs them, and that of a few by default."""
    for line in commands_of(path):
        command, words = cast(click.Command, main), line
        while isinstance(command, click.Group):
            context = click.Context(command)
            _, (name, *words), _ = command.make_parser(context).parse_args(words)
            found = command.get_command(context, name)
            assert found is not None, line
            command = found
        _, more, _ = command.make_parser(click.Context(command)).parse_args(words)  # raises for unknown options
        assert not more, line


def test_help_names_no_file_that_an_installation_lacks() -> None:
    help_of_all = COMMANDS_PAGE.read_text(encoding="utf-8").partition(MARK)[2]
    named = re.findall(r"\b(?:configs|docs|strategies|benchmarks|tests)/\S+|limpet\[\w+\]", help_of_all)
    assert not named, f"the help names {', '.join(named)}, which only a checkout has"


@pytest.mark.parametrize("path", [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")], ids=lambda path: path.name)
def test_the_files_that_documents_name_are_there(path: Path) -> None:
    named = re.findall(
        r"\b(?:tests|benchmarks|strategies|dealer|bot|protocol)/[\w/]+\.py\b", path.read_text(encoding="utf-8")
    )
    missing = sorted({name for name in named if not (ROOT / name).is_file()})
    assert not missing, f"{path.name} names {', '.join(missing)}, which moved or went"


def test_the_paths_that_the_architecture_names_are_there() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([a-z_]+(?:/[a-z_]+)+)(?:\.py)?/?`", text))
    there = {
        f"/{path.relative_to(ROOT).with_suffix('')}" for path in ROOT.glob("[a-z]*/**/*") if "egg" not in path.name
    }
    missing = sorted(name for name in named if not any(path.endswith(f"/{name}") for path in there))
    assert not missing, f"docs/architecture.md names {', '.join(missing)}, which moved or went"


PRINTED = (
    re.compile(r"`(limpet [^`]+)` prints[^\n]*\n\n```\w*\n(.*?)```", re.DOTALL),
    re.compile(r"```sh\n(limpet [^\n]+)\n```\n\nprints[^\n]*\n\n```\w*\n(.*?)```", re.DOTALL),
    re.compile(r"Examples:\n +(limpet [^\n]*?)(?:  [^\n]*)?\n(?:(?!```).)*?The first prints\n(.*?)\n\n", re.DOTALL),
)
"""Where documents and helps show what a command prints: the command and the lines."""
TOLD = [
    (path.stem, *found)
    for path in sorted((ROOT / "docs").glob("*.md"))
    for pattern in PRINTED
    for found in pattern.findall(path.read_text(encoding="utf-8"))
]
UNLIKE = re.compile(r"…|\d s\b|e-1\d|^and below it")
"""In lines that differ between two runs or machines, or leave something out."""


@pytest.mark.parametrize(
    ("name", "command", "lines"),
    [pytest.param(*told, marks=[pytest.mark.slow] if told[0] != "commands" else []) for told in TOLD],
)
def test_what_documents_show_is_what_commands_print(name: str, command: str, lines: str) -> None:
    output = printed(*shlex.split(command)[1:])
    there = [" ".join(re.sub("[┃│]", " ", line).split()) for line in output.splitlines()]
    shown = [" ".join(line.split()) for line in lines.splitlines() if line.strip() and not UNLIKE.search(line.strip())]
    assert shown and [line for line in shown if line not in there] == [], f"docs/{name}.md: {command}"


def test_samples_are_found() -> None:
    assert {name for name, *_ in TOLD} >= {"commands", "push-or-fold", "solve-a-spot"} and len(TOLD) >= 6


if __name__ == "__main__":
    if sys.argv[1:] == ["print"]:
        sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
        print(commands_page(), end="")
    else:
        COMMANDS_PAGE.write_text(commands_page(), encoding="utf-8")
