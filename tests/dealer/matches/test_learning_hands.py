"""Hands of learners: the dealer's cards, seats and winnings, numbers of actions, and what an observation holds."""

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from limpet.configs.loading import load_game
from limpet.dealer.matches.inprocess import play_hands
from limpet.dealer.matches.learning_hands import LearningHands
from limpet.dealer.table.deals import Deals
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import CALL, FOLD, RAISE, raise_to
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.botconfig import load_bot

GAMES = [
    "kuhn.limit.3p", "leduc.limit.2p", "holdem.nolimit.2p.reverse_blinds", "holdem.nolimit.6p", "holdem.limit.3p",
    "omaha-pl-hu", "draw5-tiny", "draw-triple",
]  # fmt: skip


@pytest.mark.parametrize("name", GAMES)
def test_hands_are_those_of_a_match_with_the_same_seed(name: str) -> None:
    game = load_game(name)
    table = [Agent(load_bot("random", game).build(), seat) for seat in range(game.num_players)]
    hands = LearningHands(game)
    hands.seed(7)
    for record, _ in zip(play_hands(game, table, Deals(game, 7)), range(30), strict=False):
        hands.deal()
        for _, action, _ in record.decisions():
            hands.apply(action)
        assert hands.state == record.state and hands.deal_of_hand.holes == record.holes and hands.held == record.hands
        assert hands.winnings == pytest.approx([chips / game.big_blind for chips in record.values])


@pytest.mark.parametrize("name", GAMES)
def test_all_that_is_masked_in_is_legal_and_all_kinds_are_there(name: str) -> None:
    hands, rng = LearningHands(load_game(name), ("min", 0.5, 1.0, 2.0, "max")), random.Random(1)
    for _ in range(20):
        hands.deal()
        while (actor := hands.state.actor) >= 0:
            mask, kept = hands.mask(actor), [action for action in hands.actions if action is not None]
            assert [action is not None for action in hands.actions] == mask.tolist()
            assert all(hands.state.is_legal(action) for action in kept) and len(set(kept)) == len(kept)
            assert {action.kind for action in kept} == {action.kind for action in hands.state.legal_actions()}
            assert not hands.mask(actor - 1 if actor else 1).any()
            hands.act(int(rng.choice(np.flatnonzero(mask))))
        assert not hands.mask(0).any() and sum(hands.winnings) == pytest.approx(0)


def test_numbers_are_fold_call_and_raises_by_size() -> None:
    hands = LearningHands(load_game("holdem.nolimit.2p.reverse_blinds"))
    hands.deal()
    assert hands.actions == [FOLD, CALL, raise_to(200), raise_to(300), raise_to(20000)]
    hands.act(4)
    assert hands.actions == [FOLD, CALL, None, None, None]
    limit = LearningHands(load_game("leduc.limit.2p"))
    limit.deal()
    assert limit.actions == [None, CALL, RAISE]


def test_an_action_that_is_masked_checks_or_calls() -> None:
    hands = LearningHands(load_game("leduc.limit.2p"))
    hands.deal()
    hands.act(0)  # nothing to fold to
    assert hands.state.betting == "c"


def test_an_observation_holds_what_its_position_knows() -> None:
    game = load_game("leduc.limit.2p")
    hands = LearningHands(game)
    hands.seed(3)
    hands.deal()
    for number in (1, 2, 1):
        hands.act(number)
    assert hands.state.betting == "crc/"
    deck = sorted(game.deck)
    for position in range(2):
        seen = hands.observation(position)
        own, board, seat, actor, folded, round_, chips, to_call = np.split(seen, [6, 12, 14, 16, 18, 20, 24])
        assert [deck[card] for card in np.flatnonzero(own)] == list(hands.deal_of_hand.holes[position])
        assert [deck[card] for card in np.flatnonzero(board)] == list(hands.deal_of_hand.board)
        assert seat[position] == 1 and actor.tolist() == [1, 0] and not folded.any() and round_.tolist() == [0, 1]
        assert chips.tolist() == pytest.approx([3 / 13] * 4) and to_call == 0
    hands.act(2)
    assert hands.observation(1)[-1] == pytest.approx(4 / 13)


LOWERED = replace(load_game("holdem.limit.3p"), stack=(47, 200, 93), blind=(5, 10, 0), raise_size=(10, 10, 20, 20))
"""A game in which all-in raises lower the bet, so that there is less than nothing to call."""


@pytest.mark.parametrize("game", [*map(load_game, GAMES), LOWERED], ids=[*GAMES, "lowered bets"])
def test_observations_lie_between_zero_and_one_and_tell_no_hidden_cards(game: GameDef) -> None:
    hands, rng = LearningHands(game), random.Random(2)
    cards = len(game.deck)
    for _ in range(40):
        hands.deal()
        while hands.state.actor >= 0:
            seen = hands.observation(0)
            assert seen.dtype == np.float32 and seen.shape == (hands.size,) and seen.min() >= 0 and seen.max() <= 1
            assert seen[:cards].sum() == game.num_hole_cards
            assert seen[cards : 2 * cards].sum() == len(hands.state.board)
            held, hands.held = hands.held, (hands.held[0], *[()] * (game.num_players - 1))
            assert (hands.observation(0) == seen).all()
            hands.held = held
            hands.act(rng.randrange(hands.num_actions))


def test_cards_are_thrown_away_by_their_places_in_the_sorted_hand() -> None:
    hands = LearningHands(load_game("draw5-pl-hu"))
    hands.seed(4)
    hands.deal()
    for _ in range(2):
        hands.act(1)
    assert hands.state.betting == "cc/" and hands.state.actor == 0
    first, *_ = dealt = sorted(hands.held[0])
    assert hands.mask(0).tolist() == [0] * 5 + [1] * 32 and not hands.mask(1).any()
    hands.act(5 + 0b10001)
    assert hands.state.betting == "cc/d2" and set(dealt) - set(hands.held[0]) == {first, dealt[-1]}
    hands.act(0)  # masked: stands pat
    assert hands.state.betting == "cc/d2d0/"
    deck = sorted(hands.game.deck)
    for position, drawn in enumerate(([first, dealt[-1]], [])):
        seen = hands.observation(position)
        assert [deck[card] for card in np.flatnonzero(seen[:52])] == sorted(hands.held[position])
        assert [deck[card] for card in np.flatnonzero(seen[-57:-5])] == drawn
        assert seen[-5:].tolist() == pytest.approx([0, 0, 0.4, 0, 0])


def test_raises_that_are_no_sizes_and_actions_outside_the_space_are_refused() -> None:
    game = load_game("holdem.nolimit.6p")
    wrong: tuple[Any, ...] = (-0.5, 0, float("nan"), float("inf"), "half")
    for size in wrong:
        with pytest.raises(ValueError, match=r"a raise of .*give pot fractions above 0"):
            LearningHands(game, ("min", size))
    hands = LearningHands(game)
    hands.deal()
    for number in (-1, 5):
        with pytest.raises(ValueError, match=f"action {number}: the numbers are 0 to 4"):
            hands.act(number)
    assert hands.state.betting == ""
