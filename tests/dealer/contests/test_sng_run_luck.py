"""Luck in prize money: its mean over all boards is 0, and so it is over tournaments."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from limpet.common.statistics import estimate
from limpet.dealer.contests.sit_and_go import resolve
from limpet.dealer.contests.sng_rules import Hand, TournamentState, net_chips, prizes, settle, start
from limpet.dealer.contests.sng_run import board_luck, luck_by_seat, read_hands, run
from limpet.protocol.cards import parse_cards
from limpet.protocol.ranking import rank_hands
from limpet.protocol.situation import Situation, game_of
from limpet.protocol.state import CALL, FOLD, State, raise_to
from limpet.strategies.cards.preflop_tables import BOARDS
from limpet.strategies.holdem.luck.runouts import order_chances
from limpet.strategies.shortstacks.icm import equities
from tests.oracles.hand_equity import hand_vs_hand

FOUR = Situation(0, 0, 0, 50, 100, 0, (900, 400, 700, 1000), (2, 3, 0, 1), (50.0, 30.0, 20.0, 0.0))
HOLES = tuple(map(parse_cards, ("AsKs", "QhQd", "Tc9c", "2d2h")))


def all_in_on_the_turn() -> State:
    """Return a hand with a side pot: one folds before the flop, three are all-in on the turn."""
    state = start(game_of(FOUR))
    for action in (CALL, FOLD, CALL, CALL, CALL, CALL, CALL, raise_to(700), raise_to(1000), CALL):
        state = state.apply(action)
    return state


def prize_money(state: State) -> list[float]:
    """Return what each position has after the showdown, by the rules of tournaments and the model."""
    hand = Hand(state.game, FOUR.seats, FOUR)
    won = net_chips(state.spent, state.folded, rank_hands(HOLES, state.board))
    after = settle(TournamentState(0, FOUR.stacks, 0, ()), hand, won)
    money = np.add(equities(after.stacks, FOUR.payouts), prizes(after, FOUR.payouts))
    if after.over:
        money = np.array(prizes(after, FOUR.payouts))
    return [float(money[seat]) for seat in FOUR.seats]


def test_luck_over_all_boards_has_mean_0_and_tells_boards_apart_as_prizes_do() -> None:
    state = all_in_on_the_turn()
    assert state.showdown and state.parent is not None and state.parent.round == 2
    seen = parse_cards("Jc8d2s3h")
    ends = [state._replace(board=(*seen, card)) for card in range(52) if card not in {*seen, *sum(HOLES, ())}]
    luck = np.array([board_luck(FOUR, end, HOLES) for end in ends])
    money = np.array([prize_money(end) for end in ends])
    assert np.abs(luck.mean(axis=0)).max() < 1e-12 and luck.std() > 1
    assert luck == pytest.approx(money - money.mean(axis=0), abs=1e-9)


def test_hands_with_decisions_on_the_river_have_no_luck() -> None:
    state = start(game_of(FOUR))
    for action in (CALL, FOLD, CALL, CALL, *[CALL] * 9):
        state = state.apply(action)
    board = parse_cards("Jc8d2s3h4h")
    assert state.showdown and not board_luck(FOUR, state._replace(board=board), HOLES).any()


@pytest.mark.parametrize("seats", [2, 3, 7])
def test_order_chances_are_counts_of_boards(seats: int) -> None:
    cards = parse_cards("AsKsQhQdTc9c2d2h7s6s5d4dAcKd")
    hands = tuple((cards[2 * p], cards[2 * p + 1]) for p in range(seats))
    flop, dead = parse_cards("Jc8d2s"), parse_cards("3h3d")
    counts: dict[tuple[int, ...], int] = {}
    left = [card for card in range(52) if card not in {*flop, *dead, *sum(hands, ())}]
    boards = list(combinations(left, 2))
    for more in boards:
        ranks = rank_hands(hands, (*flop, *more))
        order = tuple(sum(other < rank for other in ranks) for rank in ranks)
        counts[order] = counts.get(order, 0) + 1
    expected = {order: count / len(boards) for order, count in counts.items()}
    assert order_chances(hands, dead, flop) == pytest.approx(expected)


def test_two_hands_before_the_flop_have_the_shipped_counts() -> None:
    hands, counted = HOLES[:2], hand_vs_hand(*HOLES[:2])
    chances = order_chances(hands)
    assert [round(BOARDS * chances[order]) for order in ((1, 0), (0, 0), (0, 1))] == list(counted)
    assert sum(order_chances(hands, dead=HOLES[2]).values()) == pytest.approx(1)


@pytest.mark.slow
def test_luck_of_jammers_has_mean_0_and_explains_much_of_what_they_win(tmp_path: Path) -> None:
    sng = resolve(["jam", "jam"], None, 400, 3, False)
    result = run(sng, tmp_path, lambda done: None, adjusts=True)
    luck = np.array([luck[0] for luck in luck_by_seat(tmp_path).values()])
    lucky = estimate(luck)
    assert lucky.samples == 400 and abs(lucky.mean) < lucky.half_width < 1
    player = result.players[0]
    assert player.roi_luck_adjusted == pytest.approx(player.roi - lucky.mean / 10)
    low, high = player.roi_interval_95
    assert player.roi_luck_adjusted_interval_95 is not None and low is not None and high is not None
    fair_low, fair_high = player.roi_luck_adjusted_interval_95
    assert fair_low is not None and fair_high is not None and fair_low < -0.05 < fair_high
    assert fair_high - fair_low < 0.7 * (high - low)
    hands = list(read_hands(tmp_path))
    assert len(hands) == result.hands and any(not state.betting.strip("/") for _, state, _ in hands)
