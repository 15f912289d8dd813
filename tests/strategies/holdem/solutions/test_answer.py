"""A spot solved in one call is the spot of `limpet solve`, whatever it is made of."""

from pathlib import Path

import pytest

from limpet.configs.loading import ConfigError
from limpet.strategies.holdem.solutions.answer import answer, find_decisions, solve
from limpet.strategies.holdem.solutions.solve import Solve, prepare
from limpet.strategies.holdem.solutions.spot import Spot, load_spot


def test_a_spot_by_name_by_value_and_by_fields_has_one_answer() -> None:
    named = solve("clairvoyance", iterations=50, target=0)
    spot = load_spot("clairvoyance")
    fields = {name: getattr(spot, name) for name in ("board", "pot", "stack", "ranges", "menu", "big_blind")}
    for same in (solve(spot, iterations=50, target=0), solve(**fields, iterations=50, target=0)):
        assert same.net == named.net and same.solve.solver.iteration == 50
        assert (same.decisions[0].values.strategy == named.decisions[0].values.strategy).all()


def test_lines_name_the_decisions() -> None:
    seen: list[Solve] = []
    found = solve("river-bluffcatch", at=["check", "check, all-in"], report=seen.append, iterations=20, target=0)
    assert [decision.place.words for decision in found.decisions][:2] == [(), ("check",)]
    assert len(found.decisions) == 3 and seen
    rows = found.decisions[0].to_records()
    assert sum(row["weight"] for row in rows) == pytest.approx(1)
    names = found.decisions[0].labels
    assert all(sum(row[name] for name in names) == pytest.approx(1, abs=1e-4) for row in rows)
    assert [row["net_bb"] for row in rows] == sorted((row["net_bb"] for row in rows), reverse=True)


def test_stopping_early_gives_the_answer_so_far() -> None:
    assert solve("r1", stop=lambda: True).solve.reason == "interrupted"


def test_what_is_wrong_is_named() -> None:
    for fields, message in (
        ({"ranges": ["QQ+", "9Z"]}, "<spot>: ranges.1: "),
        ({"pot": -1}, "<spot>: pot: "),
        ({"colour": "red"}, "<spot>: colour: unknown key"),
        ({"parameters": {"alpha": "x"}}, "<spot>: parameters"),
    ):
        with pytest.raises(ConfigError) as caught:
            load_spot("r1", **fields)
        assert str(caught.value).startswith(message)
    with pytest.raises(ConfigError, match="line 'bet 3': at the start: 'bet 3' is no action here"):
        find_decisions(load_spot("river-bluffcatch"), ["bet 3"])
    with pytest.raises(ConfigError, match="nowhere.yaml: no such file"):
        solve(Path("nowhere.yaml"))


def test_an_algorithm_brings_its_own_parameters() -> None:
    spot = Spot("KsTh7s4d2c", 10, 20, parameters={"alpha": 2.0})
    assert load_spot(spot, algorithm="cfr+").parameters == {}
    assert load_spot(spot).parameters == {"alpha": 2.0}


def test_the_whole_street_is_every_decision_of_it() -> None:
    spot = load_spot("clairvoyance")
    running = prepare(load_spot(spot, iterations=1))
    running.run()
    decisions = find_decisions(spot, [], whole_street=True)
    assert len(decisions) == len(spot.tree.decisions)
    assert len(answer(running, decisions).decisions) == len(decisions)
