"""``limpet icm``: what it prints, and how mistakes end."""

import json

import pytest
from click.testing import CliRunner, Result

from limpet.bot import cli


def ran(*arguments: str) -> Result:
    return CliRunner().invoke(cli.main, ["icm", *arguments])


def test_json() -> None:
    result = ran("5000,3000,2000", "50,30,20", "--json")
    assert result.exit_code == 0, result.exception
    answer = json.loads(result.output)
    assert answer["equity"] == pytest.approx([38.392857, 32.75, 28.857143], abs=5e-7)
    assert answer["share"] == pytest.approx([0.5, 0.3, 0.2])
    assert answer["bubble_factor"][0][0] is None
    assert answer["bubble_factor"][1][0] == pytest.approx((32.75 - 20) / (41 - 32.75))
    assert answer["break_even"][1][0] == pytest.approx((32.75 - 20) / 21)


def test_the_table_is_the_one_in_the_help() -> None:
    result = ran("5000,3000,2000", "50,30,20")
    assert result.exit_code == 0, result.exception
    rows = [line.replace("│", " ").replace("┃", " ").split() for line in result.output.splitlines()]
    shown = [row for row in rows if row and row[0] in ("player", "1", "2", "3")][:4]
    assert shown[1] == ["1", "5,000", "50.00%", "38.39", "46.00"]
    help_rows = [line.split() for line in ran("--help").output.splitlines()]
    assert all(row in help_rows for row in shown)


def test_many_players_have_equities_only() -> None:
    answer = json.loads(ran(",".join(["100"] * 40), "5,3,2", "--json").output)
    assert answer["equity"] == pytest.approx([0.25] * 40)
    assert "bubble_factor" not in answer
    assert ran(",".join(["100"] * 40), "5,3,2").exit_code == 0


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["1,x", "3"], "'x' in '1,x' is not a number"),
        (["1e308,1e308", "3"], "a stack of 1e+308 is more than 1e+15"),
        (["1,2", "1e308,1"], "a payout of 1e+308 is more than 1e+15"),
        (["1e-308,5", "50,30"], "stacks of 5 and 1e-308 are too far apart"),
        (["1,nan", "3"], "'nan' in '1,nan' does not fit"),
        (["1,,2", "3"], "'' in '1,,2' is not a number"),
        (["3,2,1", "20,30,50"], "begin with the first: 50,30,20"),
    ],
)
def test_arguments_that_are_no_amounts(arguments: list[str], message: str) -> None:
    result = ran(*arguments)
    assert result.exit_code == 2 and message in result.output


def test_more_payouts_than_players() -> None:
    result = ran("3,2", "5,3,2")
    assert result.exit_code == 2 and "3 payouts are more than the 2 players" in result.output
