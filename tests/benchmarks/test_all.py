"""The page of all benchmarks: its parts exist, and a part that fails says so on it."""

from pathlib import Path

import all as everything
import pytest


def test_parts_are_benchmarks_of_their_names() -> None:
    assert all((everything.HERE / f"{part.name}.py").is_file() for part in everything.PARTS)


def test_page_tells_processor_load_and_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(everything, "HERE", tmp_path)
    (tmp_path / "good.py").write_text("import sys; print('12 hands/s', *sys.argv[1:])")
    (tmp_path / "bad.py").write_text("raise SystemExit('no such spot')")
    good, bad = (everything.run(everything.Part(name, "How fast?", ("--runs", "1")), None) for name in ("good", "bad"))
    assert "`python benchmarks/good.py --runs 1`" in good and "12 hands/s --runs 1" in good and "at a load of" in good
    assert "ended with exit status 1" in bad and "no such spot" in bad
    page = everything.page([good, bad], 90.0)
    assert everything.processor() in page and "limpet 0." in page and page.count("## How fast?") == 2
