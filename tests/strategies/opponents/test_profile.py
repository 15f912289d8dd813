"""What is wrong with a profile's rules is said with its place."""

from pathlib import Path

import pytest

from limpet.configs.fitting import Misfit
from limpet.configs.loading import ConfigError
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.opponents.profile import ProfileRule, When, check_rules

HEAD = """name: mine
player: profile
game: holdem.nolimit.2p.reverse_blinds
options:
  rules:
"""
ALWAYS = """    - actions: [fold, call]
      rows:
        - [0.5, 0.5]
"""


def error_of(rules: str, folder: Path) -> str:
    """The error of a bot with these rules, its file and folder left out."""
    path = folder / "mine.yaml"
    path.write_text(HEAD + rules)
    with pytest.raises(ConfigError) as raised:
        load_bot(path).build()
    return str(raised.value).replace(f"{path}:", "")


def test_a_sum_is_told_with_its_line(tmp_path: Path) -> None:
    wrong = ALWAYS + "        - [0.5, 0.4]\n"
    assert error_of(wrong, tmp_path) == "9: options.rules.0.rows.1: the row sums to 0.9; it must sum to 1"


def test_a_row_of_the_wrong_length(tmp_path: Path) -> None:
    wrong = ALWAYS + "        - [1]\n"
    assert error_of(wrong, tmp_path) == "9: options.rules.0.rows.1: 1 numbers; 2 are needed: fold, call"


@pytest.mark.parametrize(
    ("when", "where"),
    [
        ("{street: [flop]}", "6: options.rules.0.when.street: "),
        ("{streets: [preflop]}", "6: options.rules.0.when.streets.0: "),
        ("{facing: bets}", "6: options.rules.0.when.facing: "),
        ("{bet: [1, 0.5]}", "6: options.rules.0.when.bet: from 1 to below 0.5 there is no number"),
        ("{behind: [-1, 2]}", "6: options.rules.0.when.behind.0: "),
        ("{players: [3, 2]}", "6: options.rules.0.when.players: two whole numbers"),
    ],
)
def test_a_wrong_predicate(when: str, where: str, tmp_path: Path) -> None:
    first = f"    - when: {when}\n      actions: [fold, call]\n      rows: [[0.5, 0.5]]\n"
    assert error_of(first + ALWAYS, tmp_path).startswith(where)


@pytest.mark.parametrize("column", ["check", "0.5 pots", "pot", "-1 pot", "raise"])
def test_an_unknown_action(column: str, tmp_path: Path) -> None:
    message = error_of(ALWAYS.replace("fold", column), tmp_path)
    assert message.startswith("6: options.rules.0.actions.0: ") and "0.75 pot" in message


def test_an_action_twice(tmp_path: Path) -> None:
    assert "different actions" in error_of(ALWAYS.replace("fold", "call"), tmp_path)


def test_every_state_needs_a_rule() -> None:
    rule = ProfileRule(("call",), ((1.0,),))
    special = ProfileRule(("call",), ((1.0,),), when=When(streets=("river",)))
    with pytest.raises(Misfit, match="no 'when'"):
        check_rules((special,))
    with pytest.raises(Misfit, match="no 'when'"):
        check_rules(())
    with pytest.raises(Misfit, match="never used"):
        check_rules((rule, special, rule))
    check_rules((special, rule))
