"""Equity against a range in any game, against plain enumeration."""

from itertools import combinations

import numpy as np
import pytest

from limpet.configs.loading import load_game
from limpet.protocol.gamedef import GameDef
from limpet.protocol.ranking import rank
from limpet.strategies.cards.equity import range_equity, versus_range
from limpet.strategies.cards.handspace import game_hands

LEDUC = load_game("leduc.limit.2p")
HUNL = load_game("holdem.nolimit.2p.reverse_blinds")
TWO_CARDS = GameDef.parse(
    "limit\nnumPlayers = 2\nnumRounds = 2\nblind = 1 1\nraiseSize = 2 4\nnumSuits = 2\nnumRanks = 4\nnumHoleCards = 2\n"
    "numBoardCards = 0 2\n"
)


def plain(game: GameDef, hand: tuple[int, ...], board: tuple[int, ...], weights: list[float]) -> float:
    points = met = 0.0
    for other, weight in zip(game_hands(game).holes.tolist(), weights, strict=True):
        if {*other} & {*hand, *board} or {*hand} & {*board}:
            continue
        rest = [card for card in game.deck if card not in (*hand, *other, *board)]
        boards = list(combinations(rest, game.board_sizes[-1] - len(board)))
        for more in boards:
            mine, theirs = rank((*hand, *board, *more)), rank((*other, *board, *more))
            points += weight * (1.0 if mine > theirs else 0.5 if mine == theirs else 0.0) / len(boards)
        met += weight
    return points / met if met else 0.0


@pytest.mark.parametrize(
    ("game", "board_size"), [(load_game("kuhn.limit.2p"), 0), (LEDUC, 0), (LEDUC, 1), (TWO_CARDS, 0), (TWO_CARDS, 2)]
)
def test_small_decks_against_enumeration(game: GameDef, board_size: int) -> None:
    space = game_hands(game)
    weights = np.random.default_rng(3).random(space.size) * 5
    board = game.deck[1 : 1 + board_size]
    found = range_equity(game, board, weights)
    expected = [plain(game, tuple(hand), board, weights.tolist()) for hand in space.holes.tolist()]
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_hold_em_is_that_of_the_kernels_whatever_the_scale() -> None:
    weights = np.random.default_rng(1).random(1326)
    board = HUNL.deck[3:8]
    np.testing.assert_allclose(
        range_equity(HUNL, board, 40 * weights), versus_range(weights / weights.max(), board).equity, atol=1e-6
    )


def test_an_empty_range_has_no_equity() -> None:
    assert not range_equity(HUNL, (), np.zeros(1326)).any()
    assert not range_equity(LEDUC, LEDUC.deck[:1], np.eye(6)[game_hands(LEDUC).index(LEDUC.deck[:1])]).any()


def test_too_much_to_enumerate_is_refused() -> None:
    omaha = GameDef.parse(
        "limit\nnumPlayers = 2\nnumRounds = 2\nblind = 1 1\nraiseSize = 2 4\nnumSuits = 4\nnumRanks = 13\n"
        "numHoleCards = 3\nnumBoardCards = 0 3\n"
    )
    with pytest.raises(ValueError, match="too many to enumerate"):
        range_equity(omaha, (), np.ones(game_hands(omaha).size))
