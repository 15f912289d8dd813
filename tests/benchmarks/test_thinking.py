"""Logs of resolving players summed up by street."""

import importlib
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from limpet.protocol.state import CALL, State
from limpet.strategies.base.strategy import HandKey
from tests.strategies.base.resolve_players import resolver


@pytest.fixture(scope="module")
def thinking() -> ModuleType:
    return importlib.import_module("thinking")


def line(street: str, ms: float | None, percent: tuple[float | None, ...] = (), fallback: str | None = None) -> str:
    solves = [{"iterations": 10 * (index + 1), "percent": each, "root": ""} for index, each in enumerate(percent)]
    entry: dict[str, Any] = {"hand": 1, "street": street, "ms": ms, "fallback": fallback, "solves": solves}
    return json.dumps(entry)


def test_streets_are_counted_and_spread(thinking: ModuleType, tmp_path: Path) -> None:
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    first.write_text("\n".join([line("river", 5.0, (0.5, None)), line("preflop", 0.1), line("river", 1.0)]) + "\n")
    second.write_text("\n".join([line("river", 3.0, (0.1,), "no memory"), line("turn", None)]) + "\n")
    preflop, turn, river = thinking.summaries([first, second])
    assert (preflop.street, turn.street, river.street) == ("preflop", "turn", "river")
    assert (river.decisions, river.solves, river.fallbacks) == (3, 3, 1)
    expected = {"ms": (3.0, 4.8, 5.0), "iterations": (10.0, 19.0, 20.0), "percent": (0.3, 0.48, 0.5)}
    for name, numbers in expected.items():
        found = getattr(river, name)
        assert (found.median, found.percentile_95, found.largest) == pytest.approx(numbers)
    assert turn.ms is None and turn.percent is None and preflop.solves == 0


def test_what_a_player_writes_is_read(thinking: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player = resolver(tmp_path, monkeypatch, log="log.jsonl")
    hand, state = player.start_hand(HandKey(1, 7, 0)), State.start(player.game)
    for _ in range(6):
        state = state.apply(CALL).with_board((0, 5, 22, 31, 50))
    hand.rows(state)
    hand.took(state, CALL)
    (river,) = thinking.summaries([tmp_path / "log.jsonl"])
    assert (river.street, river.decisions) == ("river", 1) and river.solves > 0


@pytest.mark.parametrize("wrong", ["{", "{}", line("sideways", 1.0)])
def test_another_file_is_refused_by_line(thinking: ModuleType, tmp_path: Path, wrong: str) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(f"{line('river', 1.0)}\n{wrong}\n")
    with pytest.raises(ValueError, match=r"log\.jsonl, line 2: not a decision"):
        thinking.summaries([log])
