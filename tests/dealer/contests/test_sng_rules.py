"""The rules of a sit-and-go: seats, blinds, side pots and places, by example and by property."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.dealer.contests.sng_rules import (
    Level,
    Structure,
    TournamentState,
    begin,
    net_chips,
    next_hand,
    places,
    prizes,
    settle,
    start,
)
from limpet.dealer.table.deals import Deals
from limpet.protocol.gamedef import GameDef
from limpet.protocol.ranking import rank_hands
from limpet.protocol.settlement import settle as fractional
from limpet.protocol.situation import Situation, definition_text, game_of, holdem
from limpet.protocol.state import CALL, FOLD, Action, State

STRUCTURE = Structure(
    name="test",
    start_stack=100,
    levels=[Level(3, 5, 10), Level(3, 10, 20, 2)],
    payouts=[50, 30, 20],
    buy_in=10,
    rake=0.1,
)


def standing(*stacks: int, big_blind: int = 1, hand: int = 0) -> TournamentState:
    return TournamentState(hand, stacks, big_blind, ())


def seats_of_next(*stacks: int, big_blind: int = 1) -> tuple[int, ...]:
    return next_hand(STRUCTURE, standing(*stacks, big_blind=big_blind), 0).seats


def test_the_big_blind_leads_and_the_button_is_last() -> None:
    # Position 0 is the small blind at a ring, and the big blind of two players, whose button acts first.
    assert seats_of_next(100, 100, 100, 100) == (0, 1, 2, 3)
    assert seats_of_next(100, 100, 100, 100, big_blind=0) == (3, 0, 1, 2)
    assert seats_of_next(100, 0, 100, 100, big_blind=0) == (3, 0, 2)
    assert seats_of_next(100, 0, 0, 100, big_blind=0) == (0, 3)
    ring = next_hand(STRUCTURE, standing(100, 100, 100), 0).game
    assert ring.blind == (5, 10, 0) and State.start(ring).actor == 2
    flop = State.start(ring).apply(CALL).apply(CALL).apply(CALL)
    assert flop.actor == 0
    two = next_hand(STRUCTURE, standing(100, 100), 0)
    assert two.seats == (1, 0) and two.game.blind == (10, 5) and State.start(two.game).actor == 1
    assert State.start(two.game).apply(CALL).apply(CALL).actor == 0


def test_everybody_pays_the_big_blind_in_turn() -> None:
    # Seat 2, which posted it, goes out: seat 3 is next, and seat 1 posts the small blind a second time.
    before = standing(100, 100, 50, 100, big_blind=2)
    first = next_hand(STRUCTURE, before, 0)
    assert first.seats == (1, 2, 3, 0)
    after = settle(before, first, (50, -50, 0, 0))
    assert after.big_blind == 3 and next_hand(STRUCTURE, after, 0).seats == (1, 3, 0)
    # The small blind of three goes out: the button posts the big blind, and the other is the new button.
    before = standing(100, 100, 100, big_blind=1)
    after = settle(before, next_hand(STRUCTURE, before, 0), (-100, 100, 0))
    assert after.big_blind == 2 and next_hand(STRUCTURE, after, 0).seats == (2, 1)


def test_levels_go_up_by_hands_and_double_after_the_last() -> None:
    levels = [STRUCTURE.blinds(hand, 300)[:] for hand in (0, 2, 3, 5, 6, 9, 12, 15, 1000)]
    assert levels[0] == levels[1] == (0, 5, 10, 0) and levels[2] == levels[3] == (1, 10, 20, 2)
    assert levels[4:8] == [(2, 20, 40, 4), (3, 40, 80, 8), (4, 80, 160, 16), (5, 160, 320, 32)]
    assert levels[8][2] == 320  # all the chips there are, and no more


def test_antes_are_posted_with_the_blinds() -> None:
    hand = next_hand(STRUCTURE, standing(100, 100, 100, hand=3), 7)
    assert hand.game.blind == (12, 22, 2)
    assert hand.situation == Situation(7, 3, 1, 10, 20, 2, (100, 100, 100), (0, 1, 2), (13.5, 8.1, 5.4))
    state = State.start(hand.game)
    assert state.to_call == 20  # the price of a call is the big blind
    assert state.raise_bounds() == (44, 100)  # casino rules: 42; the ante moves the smallest raise up by itself
    assert next_hand(STRUCTURE, standing(100, 100, hand=3), 0).game.blind == (22, 12)


def test_short_blinds_post_what_they_have() -> None:
    hand = next_hand(STRUCTURE, standing(100, 4, 100), 0)
    assert hand.game.blind == (5, 4, 0) and State.start(hand.game).to_call == 5  # the protocol has no larger price
    hand = next_hand(STRUCTURE, standing(3, 100, 100), 0)
    assert hand.game.blind == (3, 10, 0) and State.start(hand.game).to_call == 10
    hand = next_hand(STRUCTURE, standing(100, 100, 1, 3, hand=3), 0)
    assert hand.game.blind == (12, 22, 1, 2)  # an ante that is short too


def test_a_hand_without_a_decision_is_a_showdown_at_once() -> None:
    assert start(holdem((4, 7), (4, 7))).betting == "///"
    assert start(holdem((4, 7), (4, 7))).showdown
    alone = start(holdem((4, 100), (4, 5)))  # has posted more than the other can match
    assert alone.betting == "c///" and alone.showdown
    decides = start(holdem((8, 100), (8, 5)))
    assert decides.actor == 1 and decides.to_call == 3
    board = tuple(range(5))
    assert start(holdem((4, 7), (4, 7))).with_board(board).board == board


def test_the_definition_is_an_ordinary_game() -> None:
    hand = next_hand(STRUCTURE, standing(100, 4, 100), 0)
    read = GameDef.parse(definition_text(hand.game))
    assert read == hand.game and Situation.of(read) == hand.situation


def test_odd_chips_go_to_the_first_seats_left_of_the_button() -> None:
    assert net_chips((5, 5, 5, 5), 0b1000, (1, 1, 1, 9)) == (2, 2, 1, -5)
    assert net_chips((3, 3, 1), 0, (7, 7, 2)) == (1, 0, -1)
    assert net_chips((10, 20, 30), 0, (9, 5, 1)) == (20, 0, -20)  # side pots, and an uncalled bet comes back
    assert net_chips((10, 20, 30), 0b010, (1, 9, 5)) == (-10, -20, 30)
    assert net_chips((10, 20, 20), 0b110, ()) == (40, -20, -20)
    # Dead money: the small blind of 5 and an ante of 2 are in the pot that the two others share.
    assert net_chips((5, 50, 50, 2), 0b1001, (0, 3, 3, 0)) == (-5, 4, 3, -2)


def test_two_who_bust_in_one_hand_are_ranked_by_their_stacks_before_it() -> None:
    before = standing(40, 30, 200, 30)
    hand = next_hand(STRUCTURE, before, 0)  # positions are seats
    after = settle(before, hand, (-40, -30, 70, 0))
    assert after.out == ((1,), (0,)) and places(after) == ((3, 3), (4, 4), None, None)
    both = settle(standing(40, 30, 200, 30), hand, (0, -30, 60, -30))
    assert both.out == ((1, 3),) and places(both) == (None, (3, 4), None, (3, 4))
    won = settle(standing(40, 30, 200, 30), hand, (-40, -30, 100, -30))
    assert won.over and places(won) == ((2, 2), (3, 4), (1, 1), (3, 4))
    assert prizes(won, STRUCTURE.prizes(4)) == pytest.approx((10.8, 3.6, 18.0, 3.6))


def test_impossible_results_are_refused() -> None:
    before = standing(100, 100)
    hand = next_hand(STRUCTURE, before, 0)
    for won in ((1, 0), (101, -101)):
        with pytest.raises(ValueError, match="chips do not move"):
            settle(before, hand, won)


def played(hand_game: GameDef, deal_seed: int, draws: Sequence[int]) -> tuple[int, ...]:
    """Net chips of a hand in which each decision is one of fold, call, least raise and all-in."""
    deal = next(Deals(hand_game, deal_seed))
    state = start(hand_game).with_board(deal.board)
    at = 0
    while not state.finished:
        low, high = state.raise_bounds() or (0, 0)
        options = [CALL, FOLD if state.can_fold else CALL]
        options += [Action("r", low), Action("r", high)] if high else []
        state = state.apply(options[draws[at % len(draws)] % len(options)]).with_board(deal.board)
        at += 1
    ranks = rank_hands(deal.holes, state.board) if state.showdown else ()
    won = net_chips(state.spent, state.folded, ranks)
    for whole, part in zip(won, fractional(state, deal.holes), strict=True):
        assert abs(whole - part) < hand_game.num_players
    return won


@given(
    st.integers(2, 10),
    st.integers(0, 2**31),
    st.lists(st.integers(0, 3), min_size=1, max_size=40),
    st.integers(0, 3),
)
def test_chips_are_conserved_and_places_are_a_permutation(players: int, seed: int, draws: list[int], ante: int) -> None:
    structure = Structure("t", 60, [Level(4, 3, 6, ante), Level(4, 10, 21, ante)], [3.0, 2.0], buy_in=7, rake=0.2)
    now = begin(structure, players, seed, 0)
    while not now.over:
        hand = next_hand(structure, now, 0)
        assert sum(now.stacks) == 60 * players and hand.game.blind[0] <= hand.game.stack[0]
        assert {now.stacks[seat] for seat in hand.seats} == set(hand.game.stack)
        now = settle(now, hand, played(hand.game, seed + now.hand, draws[now.hand % len(draws) :] + [3]))
        assert now.hand < 500
    paid = prizes(now, structure.prizes(players))
    assert sum(paid) == pytest.approx(players * 7 * 0.8)
    ended = [place for place in places(now) if place is not None]
    assert len(ended) == players
    taken = sorted(n for first, last in set(ended) for n in range(first, last + 1))
    assert taken == list(range(1, players + 1))


@given(st.integers(2, 6), st.data())
def test_whole_chips_are_conserved_in_every_pot(players: int, data: st.DataObject) -> None:
    spent = data.draw(st.lists(st.integers(0, 50), min_size=players, max_size=players))
    ranks = data.draw(st.lists(st.integers(1, 3), min_size=players, max_size=players))
    folded = data.draw(st.integers(0, (1 << players) - 2))
    won = net_chips(spent, folded, ranks)
    assert sum(won) == 0 and all(-chips <= value for chips, value in zip(spent, won, strict=True))
    assert all(won[p] == -spent[p] for p in range(players) if folded >> p & 1)


@given(st.lists(st.integers(1, 60), min_size=2, max_size=6), st.integers(0, 8), st.integers(0, 5))
def test_the_comment_of_a_logged_hand_makes_its_game_again(stacks: list[int], hand: int, big_blind: int) -> None:
    now = standing(*stacks, 0, big_blind=big_blind % len(stacks), hand=hand)
    dealt = next_hand(STRUCTURE, now, 7)
    again = game_of(Situation.parse(str(dealt.situation)))
    assert again == dealt.game and again.comments == dealt.game.comments
