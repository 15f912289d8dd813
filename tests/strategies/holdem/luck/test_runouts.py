"""Showdowns before the last cards: against equities that are counted another way, and against plain settlement."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from limpet.configs.loading import load_game
from limpet.protocol.cards import parse_cards
from limpet.protocol.gamedef import GameDef
from limpet.protocol.ranking import Ranking
from limpet.protocol.settlement import settle
from limpet.protocol.state import CALL, FOLD, State, raise_to
from limpet.strategies.cards.handspace import game_hands, hand_space
from limpet.strategies.holdem.luck.runouts import hold_em_equities, showdown_values, turn_equities
from tests.oracles.hand_equity import hand_vs_hand
from tests.strategies.base.small_games import no_limit

HOLDEM = load_game("holdem.nolimit.2p.reverse_blinds")


@pytest.mark.parametrize("board", ["", "Ts9h2c", "Ts9h2c3d", "Ts9h2c3d3h"])
def test_equities_are_those_of_hand_against_hand(board: str) -> None:
    cards, other = parse_cards(board), parse_cards("QhJh")
    found = hold_em_equities(other, cards)
    for hand in ("AsAh", "8d7d", "QsJs", "Kh5h", "ThTd"):
        if not set(parse_cards(hand)) & {*cards, *other}:
            expected = hand_vs_hand(parse_cards(hand), other, cards).equity
            assert found[hand_space().index(parse_cards(hand))] == pytest.approx(expected, abs=1e-12)


def test_equities_after_each_turn() -> None:
    flop, other = parse_cards("Ts9h2c"), parse_cards("QhJh")
    found = turn_equities(other, flop)
    hand = hand_space().index(parse_cards("AsAh"))
    for turn in parse_cards("3hKc2s"):
        assert found[turn, hand] == hand_vs_hand(parse_cards("AsAh"), other, (*flop, turn)).equity
    assert found[parse_cards("As")[0], hand] == found[flop[0], hand] == 0


def test_uncalled_chips_come_back() -> None:
    state = State.start(HOLDEM).apply(raise_to(20_000)).apply(CALL)
    other = parse_cards("KdKc")
    values = showdown_values(state, (), 0, ((), other))
    aces = hand_vs_hand(parse_cards("AsAh"), other)
    expected = 20_000 * (aces.win - aces.lose) / sum(aces)
    assert values[hand_space().index(parse_cards("AsAh"))] == pytest.approx(expected)
    assert values[hand_space().index(parse_cards("AsKd"))] == 0
    # A bet of 20,000 that the other has matched 100 of is worth 100.
    before = showdown_values(State.start(HOLDEM).apply(raise_to(20_000)), (), 0, ((), other))
    assert before[hand_space().index(parse_cards("AsAh"))] == pytest.approx(expected / 200)


@pytest.mark.parametrize(
    ("game", "reason"),
    [
        (load_game("omaha-pl-hu"), "exactly 2 of 4 hole cards"),
        (replace(HOLDEM, num_ranks=9, ranking=Ranking.SHORT_DECK), "handRanking is short-deck"),
    ],
)
def test_games_with_other_showdowns_are_refused(game: GameDef, reason: str) -> None:
    state = State.start(game).apply(CALL).apply(CALL)
    with pytest.raises(ValueError, match=reason):
        showdown_values(state, game.deck[:5], 0, ((), game.deck[5 : 5 + game.num_hole_cards]))


@pytest.mark.parametrize("position", [0, 1, 2])
def test_side_pots_of_three_players(position: int) -> None:
    """Every hand and every board settled one by one."""
    game = no_limit("3 9 6", "1 2 0", 2, 5, 1, "0 1")
    start = State.start(game)
    for actions in ((CALL, raise_to(9), CALL, CALL), (raise_to(3), raise_to(9), FOLD), (FOLD, raise_to(9), CALL)):
        state = start
        for action in actions:
            state = state.apply(action)
        assert state.showdown
        space = game_hands(game)
        dealt = [space.cards(1), space.cards(4), space.cards(6)]
        others = {card for p, hole in enumerate(dealt) if p != position for card in hole}
        found = showdown_values(state, (), position, dealt)
        for hand in range(space.size):
            own = space.cards(hand)
            if others & {*own}:
                assert found[hand] == 0
                continue
            holes = [own if p == position else hole for p, hole in enumerate(dealt)]
            boards = [b for b in combinations(game.deck, 1) if not {*b} & (others | {*own})]
            expected = np.mean([settle(state.with_board(board), holes)[position] for board in boards])
            assert found[hand] == pytest.approx(expected, abs=1e-12)


def test_too_many_boards_are_refused() -> None:
    game = load_game("holdem.nolimit.3p")
    state = State.start(game).apply(raise_to(20_000)).apply(CALL).apply(CALL)
    holes = [parse_cards(text) for text in ("AsAh", "KdKc", "QhQs")]
    with pytest.raises(ValueError, match="1,712,304 boards"):
        showdown_values(state, (), 0, holes)
    flop = parse_cards("2c3c4d")
    assert showdown_values(state, flop, 0, holes)[hand_space().index(holes[0])] > 0
