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
        ({"ranges": ["AK", "nonsense"]}, "range in position: "),
        ({"colour": "red"}, "colour"),
        ({"pot": -1}, "pot"),
        ({"parameters": "alpha: ["}, "parameters:1: not YAML"),
        ({"parameters": "beta: low"}, "parameters"),
        ({"rake": {"percent": "much"}}, "^rake: "),
        ({"locks": [{"play": {"check": 1}}, {"after": ["check"], "play": {"check": 7}}]}, "^Lock 2: check: 7 is no"),
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
    assert [line.partition(" (")[0] for line in cost["lines"]] == ["tree: 127,896 decisions", "memory: 774.2 MiB"]
    cores = msgspec.structs.replace(load_spot("single-raised-flop"), threads=None).used_threads
    assert cost["seconds"] == pytest.approx(0.227 / (1.8 if cores > 1 else 1), rel=0.05)
    assert cost["threads"] == min(2, cores) and not cost["guess"]
    monkeypatch.setattr("limpet.strategies.solvers.vector.memory.free_memory", lambda: 2**20)
    with pytest.raises(MemoryError, match="the solve needs .* 1.0 MiB are free; use fewer bet sizes"):
        spot_cost(shipped_form("single-raised-flop"))


def test_the_time_of_a_solve_is_that_of_its_threads_and_of_a_batch_that_of_its_processes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def cost(name: str, threads: int | None, processes: int = 1, cores: int = 8) -> dict[str, Any]:
        monkeypatch.setattr("os.sched_getaffinity", lambda _: range(cores), raising=False)
        return spot_cost(shipped_form(name) | {"threads": threads, "merge": "none"}, processes)

    def speed(*arguments: Any) -> tuple[float, float]:
        """How many times as fast as one thread and process a solve is, and a batch."""
        one, wanted = cost(arguments[0], 1), cost(*arguments)
        return tuple(round(one["seconds"] / wanted[key], 3) for key in ("seconds", "batch_seconds"))

    turn = "turn-flush-draw"  # its 48 rivers are 16 parts of 3
    assert speed(turn, 1, 1) == (1, 1)
    assert speed(turn, 2, 1) == (1.8, 1.8)
    assert speed(turn, 3, 1) == (2.4, 2.4)  # one of three threads has six parts
    assert speed(turn, None, 1) == speed(turn, 64, 1) == (7.2, 7.2)  # eight cores
    assert speed(turn, None, 1, 12) == (7.2, 7.2)  # four of twelve threads have two parts, too
    assert speed(turn, None, 1, 40) == (14.4, 14.4)  # as many as there are parts
    assert speed(turn, None, 4) == (7.2, 3.6)  # each process on one thread then
    assert speed(turn, 2, 3) == (1.8, 5.4)
    assert speed("river-bluffcatch", None, 1) == (1, 1)  # there are no cards to come that threads could share
    assert speed("river-bluffcatch", None, 3) == (1, 2.7)
    said = [(cost(turn, threads)["threads"], cost(turn, threads)["guess"]) for threads in (2, 3, 64)]
    assert said == [(2, False), (3, True), (8, True)]
    assert cost("river-bluffcatch", 8)["threads"] == 1 and cost(turn, None, 1, 40)["threads"] == 16
    assert [cost(turn, 1, processes)["batch_guess"] for processes in (2, 3)] == [False, True]


def test_only_spots_that_ship_are_forms() -> None:
    with pytest.raises(ConfigError, match="among those that ship"):
        shipped_form("../../etc/passwd")
