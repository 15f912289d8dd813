"""Every benchmark's `--help` says what it measures, and an option that it does not know is refused before any work."""

import runpy
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
PROGRAMS = [file for file in sorted(BENCHMARKS.rglob("*.py")) if "__main__" in file.read_text(encoding="utf-8")]


@pytest.mark.parametrize("file", PROGRAMS, ids=lambda file: str(file.relative_to(BENCHMARKS)))
def test_help_teaches_and_unknown_options_are_refused(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = []
    for word, status in (("--help", 0), ("--no-such-option", 2)):
        monkeypatch.setattr(sys, "argv", [str(file), word])
        with pytest.raises(SystemExit) as ended:
            runpy.run_path(str(file), run_name="__main__")
        assert ended.value.code == status
        printed.append(" ".join("".join(capsys.readouterr()).split()))
    title = file.read_text(encoding="utf-8").partition('"""')[2].partition("\n")[0]
    assert title in printed[0] and "usage:" in printed[1].lower()
