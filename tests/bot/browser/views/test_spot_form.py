"""A spot's form, and the text of its file, say the same."""

from typing import Any

import msgspec
import pytest

from limpet.bot.browser.views.spot_form import read_form, shipped_form, spot_cost, spot_of, spot_text
from limpet.configs.loading import ConfigError, shipped_names
from limpet.strategies.holdem.solutions.spot import load_spot

PLAIN = "board: AhKd8h4c2s\npot: 10\nstack: 20\n"


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] * (number % 3 > 0))
        for number, name in enumerate(shipped_names("spots"))
    ],
)
def test_a_spot_is_the_same_as_form_and_as_text(name: str) -> None:
    text = spot_text(shipped_form(name))
    assert spot_of(read_form(text)) == load_spot(name)
    assert "null" not in text and "note" not in text


def test_a_form_may_say_infinity_which_json_cannot() -> None:
    form = msgspec.json.decode(msgspec.json.encode(read_form(PLAIN + "parameters: {alpha: .inf, beta: -.inf}")))
    assert form["parameters"] == "alpha: .inf, beta: -.inf"
    assert spot_of(form).minimiser.alpha == float("inf")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"board": "AhKd"}, "board: "),
        ({"ranges": ["AK", "nonsense"]}, "ranges.1: "),
        ({"colour": "red"}, "colour"),
        ({"pot": -1}, "pot"),
        ({"parameters": "alpha: ["}, "parameters:1: not YAML"),
        ({"parameters": "beta: low"}, "parameters"),
    ],
)
def test_a_mistake_names_its_field(change: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        spot_of(read_form(PLAIN) | change)


def test_a_mistake_in_a_text_names_its_line() -> None:
    with pytest.raises(ConfigError, match="the text:2: pot: "):
        read_form(PLAIN.replace("10", "ten"))


def test_a_solve_has_a_price_before_it_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    cost = spot_cost(shipped_form("single-raised-flop") | {"threads": 2})
    assert [line.partition(" (")[0] for line in cost["lines"]] == ["tree: 127,896 decisions", "memory: 874.1 MiB"]
    assert cost["seconds"] == pytest.approx(0.56, abs=0.01)
    monkeypatch.setattr("limpet.strategies.solvers.vector.memory.free_memory", lambda: 2**20)
    with pytest.raises(MemoryError, match="the solve needs .* 1.0 MiB are free; use fewer bet sizes"):
        spot_cost(shipped_form("single-raised-flop"))


def test_only_spots_that_ship_are_forms() -> None:
    with pytest.raises(ConfigError, match="among those that ship"):
        shipped_form("../../etc/passwd")
