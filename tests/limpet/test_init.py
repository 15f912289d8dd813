"""What programs import: names that are there, quick to come by, and described by a page that stays true.

``python -m tests.limpet.test_init`` writes docs/python-reference.md again.
"""

import inspect
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import limpet

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "python-reference.md"
NOTEBOOK = ROOT / "docs" / "limpet.ipynb"
HEAD = """# Python reference

The names of `limpet`, with the arguments and the docstrings of the functions that they stand for. Recipes: [use it from
Python](use-from-python.md). Written by `python -m tests.limpet.test_init`.
"""


def signature(name: str, value: object) -> str:
    """Return how a name is called, without the modules of its types."""
    text = str(inspect.signature(value))  # type: ignore[arg-type]
    text = re.sub(r"<function <lambda> at 0x[0-9a-f]+>|<function silent at 0x[0-9a-f]+>", "...", text)
    text = re.sub(r"\b(?:limpet|pathlib|typing|collections|numpy)\.(?:[a-z_]+\.)*(?=[A-Za-z])", "", text)
    return name + re.sub(
        r"ndarray\[tuple\[Any, \.\.\.\], dtype\[(\w+)\]\]", r"NDArray[\1]", text
    )  # as some versions of numpy do


def sections() -> Iterator[str]:
    """Yield a section for each public name."""
    for name in limpet.__all__:
        value = getattr(limpet, name)
        if name.startswith("__") or inspect.ismodule(value):
            continue
        if inspect.isclass(value):
            yield f"## {name}\n\n```text\n{inspect.getdoc(value)}\n```\n"
            members = [(key, each) for key, each in vars(value).items() if not key.startswith("_")]
            lines = []
            for key, each in members:
                function = getattr(each, "__func__", getattr(each, "fget", getattr(each, "func", each)))
                if inspect.isfunction(function) and (said := inspect.getdoc(function)):
                    called = (
                        key if function is not each and not isinstance(each, staticmethod) else signature(key, function)
                    )
                    first = " ".join(said.partition("\n\n")[0].split())
                    lines.append(f"- `{called}`: {first}")
            yield "\n".join([*lines, ""]) if lines else ""
        elif callable(value):
            yield f"## {name}\n\n```text\n{signature(name, value)}\n\n{inspect.getdoc(value)}\n```\n"
        else:
            yield f"## {name}\n\n`{value!r}`\n"
    check = limpet.testing.check_player
    yield f"## testing.check_player\n\n```text\n{signature('check_player', check)}\n\n{inspect.getdoc(check)}\n```\n"


def reference() -> str:
    """Return the page. Its examples lose their prompts: the modules that they come from run them."""
    return "\n".join(filter(None, [HEAD, *sections()])).replace(">>> ", "")


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


def test_the_notebook_runs(tmp_path: Path) -> None:
    """Its cells run one after another in a process, as they would in an editor."""
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    (tmp_path / "notebook.py").write_text(f'if __name__ == "__main__":\n    exec({code!r})\n', encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "notebook.py"], cwd=tmp_path, capture_output=True, text=True, timeout=250, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
