"""Reports over next cards: each card as walking to it shows it, means that make the value before, and what readers get."""

import csv
import json
from pathlib import Path

import msgspec
import numpy as np
import pytest

from limpet.configs.loading import ConfigError
from limpet.protocol.cards import cards_text
from limpet.strategies.cards.equity import versus_range
from limpet.strategies.holdem.solutions.answer import decision
from limpet.strategies.holdem.solutions.decision_reports import next_cards_data, report_next_cards, write_next_cards
from limpet.strategies.holdem.solutions.lines import find_node, split_line
from limpet.strategies.holdem.solutions.solve import Solve, prepare
from limpet.strategies.holdem.solutions.spot import Spot

# Diamonds and clubs are alike on this flop, and on a turn that is neither.
FLOP = Spot(
    board="KsTh7s",
    pot=20,
    stack=25,
    ranges=("AA,KQs,T9s,55", "QQ,AKs,87s,AsQs"),
    iterations=20,
    target=0,
    threads=1,
)


@pytest.fixture(scope="module")
def flop() -> Solve:
    solve = prepare(FLOP)
    solve.run()
    return solve


@pytest.mark.parametrize(("line", "left"), [("check, check", 49), ("check, bet 10, call, 2h, check, check", 48)])
def test_every_card_is_the_decision_that_a_line_with_that_card_leads_to(flop: Solve, line: str, left: int) -> None:
    report = report_next_cards(flop, line)
    assert len(report.cards) == left
    for card in report.cards:
        place = find_node(flop.spot.tree, split_line(f"{line}, {cards_text((card.card,))}"), flop.spot.chip_size)
        there = decision(flop, place)
        assert card.frequencies == pytest.approx(there.frequencies, abs=1e-6)
        assert card.share == pytest.approx(there.share, abs=1e-5)
        first, second = there.values.reach.astype(np.float64)
        assert card.equity[0] == pytest.approx(versus_range(second, place.board).sum(first).equity, abs=1e-6)
        assert sum(card.equity) == pytest.approx(1) and card.card in card.alike


@pytest.mark.parametrize(("before", "last"), [("check", "check"), ("check, bet 10, call, 2d, check", "check")])
def test_the_mean_over_cards_is_the_value_before_them(flop: Solve, before: str, last: str) -> None:
    report = report_next_cards(flop, f"{before}, {last}")
    there = decision(flop, find_node(flop.spot.tree, split_line(before), flop.spot.chip_size))
    assert sum(card.weight for card in report.cards) == pytest.approx(1)
    assert report.share[1] == pytest.approx(there.action_ev(there.actions.index(last)), abs=1e-4)
    assert sum(report.share) == pytest.approx(there.pot, abs=1e-4)
    assert sum(report.frequencies) == pytest.approx(1, abs=1e-5) and sum(report.equity) == pytest.approx(1)


def test_cards_of_suits_that_are_alike_are_named_and_weigh_the_same(flop: Solve) -> None:
    cards = {cards_text((card.card,)): card for card in report_next_cards(flop, "check, check").cards}
    assert cards_text(cards["2d"].alike) == "2c2d" and cards["2c"][1:] == cards["2d"][1:]
    assert cards_text(cards["2h"].alike) == "2h" and cards["Kd"].weight == cards["Kc"].weight
    # An ace is in many hands of both ranges, so that it falls less often than a deuce.
    assert cards["Ac"].weight < cards["2c"].weight


def test_programs_and_spreadsheets_get_the_same_numbers(flop: Solve, tmp_path: Path) -> None:
    report = report_next_cards(flop, "check, check")
    data = json.loads(json.dumps(next_cards_data(report), allow_nan=False))
    assert (data["board"], data["line"], data["position"]) == ("KsTh7s", ["check", "check"], "out of position")
    write_next_cards(tmp_path / "cards.csv", report)
    with (tmp_path / "cards.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["card"] for row in rows] == [card["card"] for card in data["cards"]] == sorted_deck(report.board)
    for row, card in zip(rows, data["cards"], strict=True):
        assert [float(row[action]) for action in data["actions"]] == pytest.approx(card["frequencies"], abs=1e-6)
        assert [float(row["share_oop_bb"]), float(row["share_ip_bb"])] == pytest.approx(card["ev_share_bb"], abs=1e-6)
        assert float(row["equity_oop"]) == pytest.approx(card["equity"][0], abs=1e-6)


def sorted_deck(board: tuple[int, ...]) -> list[str]:
    return [cards_text((card,)) for card in range(52) if card not in board]


def test_a_card_that_all_hands_of_a_player_hold_never_falls() -> None:
    spot = msgspec.structs.replace(FLOP, board="KsTh7s2d", ranges=("AhAd,AhAc", "QQ"), iterations=5)
    solve = prepare(spot)
    solve.run()
    cards = {cards_text((card.card,)): card for card in report_next_cards(solve, "check, check").cards}
    assert cards["Ah"].weight == 0 and np.isnan(cards["Ah"].share).all()
    written = next(
        card for card in next_cards_data(report_next_cards(solve, "check, check"))["cards"] if card["card"] == "Ah"
    )
    assert written["ev_share_bb"] == [None, None] and written["weight"] == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "no card falls after it"),
        ("check", "no card falls after it"),
        ("check, check, 2c", "no card falls after it"),
        ("all-in, call", "nobody acts"),
        ("check, chekc", "no action here"),
        ("check, check, check", "no card falls after it"),
    ],
)
def test_a_line_after_which_no_card_falls_is_refused(flop: Solve, line: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        report_next_cards(flop, line)
