"""The rooms of the house in their order, and the picture of them in docs/architecture.md.

``python -m tests.rooms`` draws the picture again after rooms or imports have changed.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- rooms: python -m tests.rooms draws this -->\n", "<!-- end of rooms -->\n"

ROOMS = (
    "protocol",
    "configs",
    "protocol/archives",
    "strategies/workers",
    "strategies/statistics",
    "strategies/icm",
    "strategies/storage",
    "strategies/cards",
    "strategies/showdowns",
    "strategies/pushfold",
    "strategies",
    "strategies/records",
    "strategies/trees",
    "strategies/abstraction/clusters",
    "strategies/abstraction",
    "strategies/profiles",
    "strategies/imitation",
    "strategies/solving",
    "strategies/solving/rounds",
    "strategies/draw",
    "strategies/draw/first_round",
    "strategies/solving/sampled",
    "strategies/solving/public",
    "strategies/solving/vector",
    "strategies/solutions",
    "strategies/solving/tabular",
    "strategies/blueprint",
    "strategies/value_network",
    "strategies/resolving",
    "strategies/draw/playing",
    "strategies/exploiting",
    "strategies/simulation",
    "strategies/expert",
    "strategies/players",
    "strategies/engine",
    "strategies/measures/duels",
    "strategies/measures/responses",
    "strategies/measures/luck",
    "strategies/measures/agreement",
    "strategies/training",
    "dealer/table",
    "dealer/matches",
    "dealer/logs",
    "dealer/tournaments",
    "dealer/sit_and_go",
    "dealer/reports",
    "dealer/measures",
    "bot/client",
    "bot/browser/views",
    "bot/browser",
    "bot/commands",
    "bot",
)
"""Every room with code, from the bottom up. A room imports itself and rooms before it, and no other."""


@cache
def modules() -> dict[str, Path]:
    """Return each module's dotted name and its file, packages under the name of their folder."""
    files = [path for top in {room.split("/")[0] for room in ROOMS} for path in (ROOT / top).rglob("*.py")]
    names = {path: ".".join(("limpet", *path.relative_to(ROOT).with_suffix("").parts)) for path in sorted(files)}
    return {name.removesuffix(".__init__"): path for path, name in names.items()}


def room_of(path: Path) -> str:
    return str(path.parent.relative_to(ROOT))


def imports(path: Path) -> Iterator[Path]:
    """Yield the files of ours that a file imports anywhere, for type checkers only as well."""
    for node in ast.walk(ast.parse(path.read_text(), str(path))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
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


@cache
def everything_below(room: str) -> frozenset[str]:
    """Return the rooms that a room stands on, directly or through others."""
    return rooms_below(room).union(*map(everything_below, rooms_below(room)))


def question(room: str) -> str:
    """Return the question that a room answers: the first paragraph of its docstring."""
    said = ast.get_docstring(ast.parse((ROOT / room / "__init__.py").read_text())) or ""
    return said.partition("\n\n")[0].replace("\n", " ")


def picture() -> str:
    """Return the rooms from the top down with their questions, and a flow chart of which stands on which.

    An arrow that others already imply is left out.
    """
    table = [
        "| room | the question it answers |",
        "|-|-|",
        *(f"| `{room}` | {question(room)} |" for room in reversed(ROOMS)),
    ]
    chart = ["```mermaid", "flowchart TD", *(f'  {room.replace("/", "-")}["{room}"]' for room in reversed(ROOMS))]
    for room in reversed(ROOMS):
        below = rooms_below(room)
        implied = frozenset().union(*map(everything_below, below))
        chart += [f"  {room} --> {other}".replace("/", "-") for other in reversed(ROOMS) if other in below - implied]
    return "\n".join([*chart, "```", "", *table, ""])


def with_picture(page: str) -> str:
    """Return a page with the picture between the two marks."""
    before, _, rest = page.partition(BEGIN)
    return before + BEGIN + "\n" + picture() + "\n" + END + rest.partition(END)[2]


if __name__ == "__main__":
    PAGE.write_text(with_picture(PAGE.read_text()))
