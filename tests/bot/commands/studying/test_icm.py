"""``limpet icm``: what it prints, and how mistakes end."""

from functools import partial

import pytest

from tests import commands
from tests.commands import json_of, printed, refused

ran = partial(commands.run, "icm")


def test_json() -> None:
    answer = json_of("icm", "5000,3000,2000", "50,30,20")
    assert answer["equity"] == pytest.approx([38.392857, 32.75, 28.857143], abs=5e-7)
    assert answer["share"] == pytest.approx([0.5, 0.3, 0.2])
    assert answer["bubble_factor"][0][0] is None
    assert answer["bubble_factor"][1][0] == pytest.approx((32.75 - 20) / (41 - 32.75))
    assert answer["break_even"][1][0] == pytest.approx((32.75 - 20) / 21)


def test_the_table_is_the_one_in_the_help() -> None:
    rows = [
        line.replace("│", " ").replace("┃", " ").split()
        for line in printed("icm", "5000,3000,2000", "50,30,20").splitlines()
    ]
    shown = [row for row in rows if row and row[0] in ("player", "1", "2", "3")][:4]
    assert shown[1] == ["1", "5,000", "50.00%", "38.39", "46.00"]
    help_rows = [line.split() for line in ran("--help").output.splitlines()]
    assert all(row in help_rows for row in shown)


def test_many_players_have_equities_only() -> None:
    answer = json_of("icm", ",".join(["100"] * 40), "5,3,2")
    assert answer["equity"] == pytest.approx([0.25] * 40)
    assert "bubble_factor" not in answer
    printed("icm", ",".join(["100"] * 40), "5,3,2")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["1,x", "3"], "'x' in '1,x' is not a number"),
        (["1e308,1e308", "3"], "a stack of 1e+308 is more than 1e+15"),
        (["1,2", "1e308,1"], "a payout of 1e+308 is more than 1e+15"),
        (["1,000,2,000", "10"], "'000' in '1,000,2,000' reads like the end of a number; write 1000 for 1,000"),
        (["1e-308,5", "50,30"], "stacks of 5 and 1e-308 are too far apart"),
        (["1,nan", "3"], "'nan' in '1,nan' does not fit"),
        (["1,,2", "3"], "'' in '1,,2' is not a number"),
        (["3,2,1", "20,30,50"], "begin with the first: 50,30,20"),
    ],
)
def test_arguments_that_are_no_amounts(arguments: list[str], message: str) -> None:
    assert message in refused("icm", *arguments)


def test_more_payouts_than_players() -> None:
    assert "3 payouts are more than the 2 players" in refused("icm", "3,2", "5,3,2")
