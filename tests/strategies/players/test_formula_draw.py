"""The formula's draws: what it keeps, and how strong a hand is after a draw."""

import numpy as np
import pytest

from limpet.configs.loading import load_game
from limpet.protocol.cards import cards_text, parse_cards
from limpet.protocol.messages import parse_match_state
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.cards.handspace import game_hands
from limpet.strategies.players.formula import draw_rows, drawn_strengths, thrown_away

DRAW5, TINY, TRIPLE = load_game("draw5-pl-hu"), load_game("draw5-tiny"), load_game("draw-triple")


@pytest.mark.parametrize(
    ("hand", "kept"),
    [
        ("2c3d4h5s6c", "2c3d4h5s6c"),
        ("2c3c7c9cJc", "2c3c7c9cJc"),
        ("2c2d7s7hAc", "2c2d7s7h"),
        ("2c2d2s7hAc", "2c2d2s"),
        ("2c3c7c9cAd", "2c3c7c9c"),
        ("2c7d8h9sTc", "7d8h9sTc"),
        ("7d8h9sTcAc", "7d8h9sTc"),
        ("2c5d8hQsAc", "QsAc"),
        ("5c5d8hQsAc", "5c5d"),
    ],
)
def test_what_is_kept(hand: str, kept: str) -> None:
    cards = sorted(parse_cards(hand))
    out = thrown_away(np.array([cards], np.int8), DRAW5)[0]
    assert [card for card, gone in zip(cards, out, strict=True) if not gone] == sorted(parse_cards(kept))


def test_no_more_cards_are_thrown_away_than_the_game_allows() -> None:
    out = thrown_away(game_hands(TINY).holes, TINY)
    assert out.sum(axis=1).max() == 1
    assert not out[(game_hands(TINY).holes[:, 0] >> 2) == (game_hands(TINY).holes[:, 1] >> 2)].any(), "pairs stay"


def test_rows_of_a_draw_answer_for_every_hand() -> None:
    rows = draw_rows(DRAW5)
    assert rows.discards is not None and len(rows.discards) == 32 and rows.classes is not None
    assert [action.size for action in rows.actions] == [places.bit_count() for places in rows.discards]
    hand = game_hands(DRAW5).index(parse_cards("KcKhTsTh7s"))
    assert rows.discards[int(np.argmax(rows.column(hand)))] == 0b00001


def test_a_strength_after_the_draw_is_lower() -> None:
    space = game_hands(DRAW5)
    strength = drawn_strengths(DRAW5)
    aces, quads = space.index(parse_cards("AcAd9h5s2c")), space.index(parse_cards("AcAdAhAs2c"))
    assert 0.5 < strength[aces] < 0.8 and strength[quads] > 0.999 and strength.min() < 0.01


def test_the_bot_draws_the_cards_that_it_holds() -> None:
    bot = load_bot("draw5-formula")
    agent = Agent(bot.build(), 1)
    match = parse_match_state("MATCHSTATE:0:0:cc/:7sKcTsKhTh|/|", DRAW5)
    assert str(agent.decide(match)) == "d7s"
    again = parse_match_state("MATCHSTATE:0:0:rc/d1d0/cc/:7sKcTsKhTh|/2dKcTsKhTh|/|", TRIPLE)
    triple = Agent(load_bot("draw5-formula", TRIPLE).build(), 1)
    assert cards_text(triple.decide(again).cards) == "2d"
