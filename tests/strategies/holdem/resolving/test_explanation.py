"""Betting before a subgame is told in words."""

import pytest

from limpet.configs.loading import load_game
from limpet.protocol.messages import parse_match_state
from limpet.strategies.holdem.resolving.explanation import betting_words

GAME = load_game("holdem.nolimit.2p.reverse_blinds")


@pytest.mark.parametrize(
    ("betting", "words"),
    [
        ("r250c/", "a raise to 2.5 bb and a call"),
        ("cc/", "a call and a check"),
        ("r300c/cc/cr500r1500c/", "a raise to 3 bb and a call, on the flop checks, on the turn a check, a bet of 2 bb, a raise to 12 bb and a call"),
        ("r300r20000", "a raise to 3 bb and all-in"),
    ],
)  # fmt: skip
def test_betting_before_a_subgame_is_told_in_words(betting: str, words: str) -> None:
    boards = ("", "/2c3d4h", "/5s", "/6c")
    line = f"MATCHSTATE:0:0:{betting}:AhKh|{''.join(boards[: betting.count('/') + 1])}"
    assert betting_words(parse_match_state(line, GAME).state) == words
