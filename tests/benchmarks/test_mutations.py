"""The lists of mutations fit the code of today, and the command tells what dies from what lives."""

import importlib
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def mutations() -> Iterator[ModuleType]:
    yield importlib.import_module("mutations")


def test_every_mutation_changes_one_place_of_its_file_and_names_tests_that_are_there(mutations: ModuleType) -> None:
    found = mutations.read_mutations()
    changed: dict[str, list[str]] = {}
    for mutation in found:
        source = (ROOT / mutation.file).read_text()
        mutation.text(source)  # raises where the old text is not there once
        # Mutations of different places of a file are compiled together.
        texts = changed.setdefault(mutation.file, [source])
        texts.append(mutation.text(texts.pop() if texts[-1].count(mutation.old) == 1 else source))
        assert mutation.old != mutation.new and mutation.tests, mutation.promise
        for test in mutation.tests:
            path, _, name = test.partition("::")
            assert (ROOT / path).exists(), f"{mutation.promise}: no {path}"
            assert not name or f"def {name.partition('[')[0]}(" in (ROOT / path).read_text(), f"no {test}"
    for file, texts in changed.items():
        assert all(compile(text, file, "exec") for text in texts)
    assert [promise for promise, count in Counter(each.promise for each in found).items() if count > 1] == []
    assert len(found) >= 150 and {each.subject for each in found} >= {"money", "clocks", "ranges", "secrecy", "results"}


@pytest.mark.slow
def test_the_command_prints_what_lives_and_goes_on_where_it_was(tmp_path: Path) -> None:
    """A copy of the program with a list of its own: one mutation dies, one lives, one breaks the module."""
    for name, text in {
        "benchmarks/mutations.py": (ROOT / "benchmarks" / "mutations.py").read_text(),
        "sums.py": "def add(a, b):\n    return a + b  # the sum\n",
        "test_sums.py": "from sums import add\n\ndef test_sums():\n    assert add(1, 2) == 3\n",
        "benchmarks/mutants/money.yaml": json.dumps(
            [
                {
                    "file": "sums.py",
                    "tests": "test_sums.py",
                    "mutations": [
                        {"promise": "sums are sums", "old": "a + b", "new": "a - b"},
                        {"promise": "sums are told", "old": "the sum", "new": "the product"},
                        {"promise": "sums can be read", "old": "return", "new": "retrun"},
                    ],
                }
            ]
        ),
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    quick = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    words = [sys.executable, "benchmarks/mutations.py", "--json", "--jobs", "1", "--done", "done.jsonl"]

    def run(*more: str) -> tuple[int, dict[str, str]]:
        ended = subprocess.run([*words, *more], cwd=tmp_path, env=quick, capture_output=True, text=True, check=False)
        rows = [json.loads(line) for line in ended.stdout.splitlines()]
        return ended.returncode, {row["promise"]: row["verdict"] for row in rows}

    verdicts = {"sums are sums": "dies", "sums are told": "lives", "sums can be read": "broken"}
    assert run() == (1, verdicts)
    assert len((tmp_path / "done.jsonl").read_text().splitlines()) == 3
    assert run("--only", "are sums") == (0, {"sums are sums": "dies"})
    (tmp_path / "test_sums.py").write_text("from sums import add\n\ndef test_sums():\n    assert add(1, 2) == 4\n")
    assert set(run()[1].values()) == {"unproved: its tests fail without it"}
    assert (tmp_path / "sums.py").read_text() == "def add(a, b):\n    return a + b  # the sum\n"
