"""The rooms of the house in their order, floor by floor, and the picture of them in docs/architecture.md.

``python -m tests.rooms`` draws the picture again after rooms or imports have changed.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- rooms: python -m tests.rooms draws this -->\n", "<!-- end of rooms -->\n"

FLOORS = {
    "rules and lines": ("protocol", "configs", "protocol/archives", "limpet/common"),
    "what strategies share": (
        "strategies/cards",
        "strategies/base",
        "strategies/abstraction",
    ),
    "solvers": ("strategies/solvers", "strategies/solvers/sampled", "strategies/solvers/vector"),
    "subjects": (
        "strategies/holdem/solutions",
        "strategies/holdem/blueprint",
        "strategies/holdem/resolving",
        "strategies/opponents",
        "strategies/shortstacks",
        "strategies/players",
        "strategies/holdem/measures",
        "strategies/holdem/luck",
        "strategies/holdem/training",
        "strategies/draw",
        "strategies",
    ),
    "the dealer": (
        "dealer/table",
        "dealer/matches",
        "dealer/contests",
        "dealer/reports",
        "dealer/measures",
    ),
    "at the front": (
        "bot/client",
        "bot/browser/views",
        "bot/browser/tables",
        "bot/browser",
        "bot/commands",
        "bot/commands/strategy",
        "bot/commands/studying",
        "bot/commands/playing",
        "bot/commands/measuring",
        "bot",
        "limpet",
    ),
}
"""Every room with code by floor, from the bottom up. A room imports itself and rooms before it, and no other."""

ROOMS = tuple(room for rooms in FLOORS.values() for room in rooms)


@cache
def modules() -> dict[str, Path]:
    """Return each module's dotted name and its file, packages under the name of their folder."""
    files = [path for top in {room.split("/")[0] for room in ROOMS} for path in (ROOT / top).rglob("*.py")]
    names = {path: ".".join(path.relative_to(ROOT).with_suffix("").parts) for path in sorted(files)}
    full = {path: name if name.startswith("limpet.") else f"limpet.{name}" for path, name in names.items()}
    return {name.removesuffix(".__init__"): path for path, name in full.items()}


def room_of(path: Path) -> str:
    return str(path.parent.relative_to(ROOT))


@cache
def imports(path: Path) -> tuple[Path, ...]:
    """Return the files of ours that a file imports anywhere, for type checkers only as well."""
    return tuple(_imports(path))


@cache
def import_statements(path: Path) -> tuple[ast.Import | ast.ImportFrom, ...]:
    """Return all imports in a file, those that stand at its outermost level at column 0."""
    tree = ast.parse(path.read_text(), str(path))
    return tuple(node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))


def _imports(path: Path) -> Iterator[Path]:
    for node in import_statements(path):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            assert node.level == 0, f"{path}:{node.lineno}: import by the full name"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            while name and name not in modules():
                name = name.rpartition(".")[0]
            if name:
                yield modules()[name]


@cache
def rooms_below(room: str) -> frozenset[str]:
    """Return the other rooms that a room's files import."""
    files = [path for path in modules().values() if room_of(path) == room]
    return frozenset(room_of(other) for path in files for other in imports(path)) - {room}


def question(room: str) -> str:
    """Return the question that a room answers: the first paragraph of its docstring."""
    said = ast.get_docstring(ast.parse((ROOT / room / "__init__.py").read_text())) or ""
    return said.partition("\n\n")[0].replace("\n", " ")


def picture() -> str:
    """Return a flow chart of the floors, and the rooms of each floor from the top down with their questions."""
    chart, table = ["```mermaid", "flowchart TD"], ["| room | the question it answers |", "|-|-|"]
    for number, (floor, rooms) in reversed(list(enumerate(FLOORS.items()))):
        names = " · ".join(room.removeprefix("strategies/") for room in reversed(rooms))
        chart.append(f'  {number}["<b>{floor}</b><br>{names}"]')
        table += [f"| **{floor}** | |", *(f"| `{room}` | {question(room)} |" for room in reversed(rooms))]
    stairs = " --> ".join(str(number) for number in reversed(range(len(FLOORS))))
    return "\n".join([*chart, f"  {stairs}", "```", "", *table, ""])


def with_picture(page: str) -> str:
    """Return a page with the picture between the two marks."""
    before, _, rest = page.partition(BEGIN)
    return before + BEGIN + "\n" + picture() + "\n" + END + rest.partition(END)[2]


if __name__ == "__main__":
    PAGE.write_text(with_picture(PAGE.read_text()))
