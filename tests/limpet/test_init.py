"""What programs import: names that are there, quick to come by, and described by a page that stays true.

``python -m tests.limpet.test_init`` writes docs/python-reference.md again.
"""

import importlib
import inspect
import json
import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import limpet

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "python-reference.md"
NOTEBOOK = ROOT / "docs" / "limpet.ipynb"
HEAD = """# Python reference

The names of `limpet`, with the arguments and the docstrings of the functions that they stand for. Recipes: [use it from
Python](use-from-python.md). Written by `python -m tests.limpet.test_init`.
"""


MORE = {
    "dealer.matches.match_result": ["MatchResult", "PlayerResult", "SeatingResult"],
    "dealer.matches.matchconfig": ["MatchConfig"],
    "dealer.measures.lbr": ["WonByRanges"],
    "dealer.measures.luck_job": ["LuckJob"],
    "protocol.archives.hands": ["located_hands"],
    "protocol.matchlog": ["HandRecord"],
    "strategies.cards.equity": ["EquityResult"],
    "strategies.holdem.measures.real_response": ["RealResponse", "real_response"],
    "strategies.holdem.solutions.answer": ["Answer", "Decision"],
    "strategies.holdem.solutions.spot": ["Spot"],
    "strategies.shortstacks.icm": ["AllIns", "Icm"],
    "strategies.shortstacks.solve": ["Solution"],
}
"""What the names return and take, by the module that has it."""


def signature(name: str, value: object) -> str:
    """Return how a name is called, without the modules of its types."""
    text = str(inspect.signature(value))  # type: ignore[arg-type]
    text = re.sub(r"<function <lambda> at 0x[0-9a-f]+>|<function silent at 0x[0-9a-f]+>", "...", text)
    text = re.sub(r"Annotated\[(\w+), msgspec\.Meta\(.*?\)\]", r"\1", text)
    text = re.sub(r"\b(?:limpet|pathlib|typing|collections|numpy)\.(?:[a-z_]+\.)*(?=[A-Za-z])", "", text)
    return name + re.sub(
        r"ndarray\[tuple\[Any, \.\.\.\], dtype\[(\w+)\]\]", r"NDArray[\1]", text
    )  # as some versions of numpy do


def sections() -> Iterator[str]:
    """Yield a section for each public name, then one for each thing that they return or take."""
    for name in limpet.__all__:
        value = getattr(limpet, name)
        if not (name.startswith("__") or inspect.ismodule(value)):
            yield from section(name, value)
    yield from section("testing.check_player", limpet.testing.check_player)
    yield "# What they return and take\n\nNot to be imported from `limpet`: results that the functions above return, and fields that they take.\n"
    for module, names in MORE.items():
        for name in names:
            yield from section(name, getattr(importlib.import_module(f"limpet.{module}"), name))


def section(name: str, value: Any) -> Iterator[str]:
    """Yield how something is called and what is said of it; of a class its methods too."""
    if not callable(value):
        yield f"## {name}\n\n`{value!r}`\n"
        return
    bare = inspect.isclass(value) and (issubclass(value, Exception) or inspect.isabstract(value))
    called = "" if bare else f"{signature(name.rpartition('.')[2], value)}\n\n"
    yield f"## {name}\n\n```text\n{called}{inspect.getdoc(value)}\n```\n"
    lines = []
    for key, each in vars(value).items() if inspect.isclass(value) else ():
        function = getattr(each, "__func__", getattr(each, "fget", getattr(each, "func", each)))
        if not key.startswith("_") and inspect.isfunction(function) and (said := inspect.getdoc(function)):
            shown = key if function is not each and not isinstance(each, staticmethod) else signature(key, function)
            first = " ".join(said.partition("\n\n")[0].split())
            lines.append(f"- `{shown}`: {first}")
    yield "\n".join([*lines, ""]) if lines else ""


def reference() -> str:
    """Return the page. Its examples lose their prompts, because the modules that they come from run them; → stands before what they print."""
    page = "\n".join(filter(None, [HEAD, *sections()]))
    return re.sub(
        r"^>>> (.*)(\n(?!>>> |```|$))?", lambda match: match[1] + ("\n→ " if match[2] else ""), page, flags=re.MULTILINE
    )


def test_the_reference_says_what_the_names_are() -> None:
    """The page pins all names and signatures: a change of either is a change of this page."""
    assert PAGE.read_text(encoding="utf-8") == reference(), "run `python -m tests.limpet.test_init`, and the changelog"


def test_importing_limpet_is_quick_and_compiles_nothing() -> None:
    script = "import sys, limpet; dir(limpet); print([name for name in ('numba', 'numpy', 'twisted') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_an_unknown_name_says_where_the_names_stand() -> None:
    with pytest.raises(AttributeError, match="docs/use-from-python.md"):
        _ = limpet.nonsense


def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its cells run one after another among the same names, as they would in an editor."""
    monkeypatch.chdir(tmp_path)
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    (tmp_path / "notebook.py").write_text(code, encoding="utf-8")
    runpy.run_path("notebook.py")
    assert (tmp_path / "river.png").stat().st_size and (tmp_path / "push.png").stat().st_size


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
