"""What documents say of the code is so. ``python -m tests.test_documents`` writes docs/commands.md again."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from limpet.bot.cli import COMMANDS, main

ROOT = Path(__file__).parents[1]
COMMANDS_PAGE = ROOT / "docs" / "commands.md"
MARK = "<!-- Everything below is written by: python -m tests.test_documents -->\n"
WIDTH = 100
"""Characters in a line of help, whatever the terminal's width."""


def command_sections(command: click.Command, context: click.Context, heading: str = "#") -> Iterator[str]:
    """Yield a section of Markdown for a command and for each of its commands: the help that users see."""
    if context.parent is not None:
        yield f"{heading} {context.command_path}\n\n```text\n{command.get_help(context).rstrip()}\n```\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from command_sections(inner, click.Context(inner, context, name), heading + "#")


def commands_page() -> str:
    """Return what docs/commands.md should hold: its hand-written head, then the help of all commands."""
    head, mark, _ = COMMANDS_PAGE.read_text(encoding="utf-8").partition(MARK)
    assert mark, f"{COMMANDS_PAGE.name} has lost the line {MARK!r}"
    context = click.Context(main, info_name="limpet", terminal_width=WIDTH, **main.context_settings)
    return "\n".join([head + mark, *command_sections(main, context)])


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


if __name__ == "__main__":
    if sys.argv[1:] == ["print"]:
        sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
        print(commands_page(), end="")
    else:
        COMMANDS_PAGE.write_text(commands_page(), encoding="utf-8")
