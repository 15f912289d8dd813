"""Duplicate sets by full ranges: what is known of them, and who wins does not depend on who is named first."""

from itertools import islice

import pytest

from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.holdem.measures.full_ranges import build_without_clock, range_sets
from limpet.strategies.players.resolve import Resolve

TURN, RIVER = 2, 3


@pytest.mark.parametrize(("first", "second", "round_"), [("chart", "blueprint", TURN), ("blueprint", "call", RIVER)])
def test_the_second_wins_what_the_first_loses(first: str, second: str, round_: int) -> None:
    """The second's hands are summed up by another way through `RangePlay` when it is named first."""
    one, other = (load_bot(name).build() for name in (first, second))
    there = islice(range_sets(one, other, round_, 3, rivers=2), 8)
    back = islice(range_sets(other, one, round_, 3, rivers=2), 8)
    reached = 0
    for a, b in zip(there, back, strict=True):
        assert a.won == pytest.approx([-chips for chips in reversed(b.won)], rel=1e-4, abs=1e-6)
        assert a.reached == tuple(reversed(b.reached))
        reached += sum(a.reached)
    assert reached


def test_against_itself_a_strategy_wins_in_one_seat_what_it_loses_in_the_other() -> None:
    bot = load_bot("blueprint").build()
    sets = list(islice(range_sets(bot, bot, TURN, 1, rivers=1), 6))
    assert any(any(each.won) for each in sets)
    for each in sets:
        assert sum(each.won) == pytest.approx(0, abs=1e-6)


def test_folding_gives_the_blinds() -> None:
    fold, call = load_bot("fold").build(), load_bot("call").build()
    for each in islice(range_sets(fold, call, TURN, 1, rivers=48), 2):
        assert each.won[1] == pytest.approx(-0.5)  # the button folds at once
        # The big blind checks through: all hands against all, and checking pots of one big blind each is worth nothing.
        assert each.won[0] == pytest.approx(0, abs=1e-6) and each.reached == (True, False)


def test_later_sets_are_the_same() -> None:
    chart, call = load_bot("chart").build(), load_bot("call").build()
    three = list(islice(range_sets(chart, call, TURN, 2), 3))
    assert next(range_sets(chart, call, TURN, 2, skip=2)) == three[2] and three[0] != three[1]


def test_solves_of_a_bot_without_its_clock_end_by_iterations() -> None:
    strategy = build_without_clock(load_bot("limpet"), 7)
    assert isinstance(strategy, Resolve)
    assert strategy.resolver.bank is None
    assert {(plan.seconds, plan.iterations) for plan in strategy.resolver.rules.streets.values()} == {(None, 7)}
