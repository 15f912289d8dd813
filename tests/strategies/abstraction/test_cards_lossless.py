"""Lossless buckets tell apart exactly what players can tell apart."""

from itertools import pairwise, permutations

import numpy as np
import pytest

from limpet.configs.loading import load_game
from limpet.protocol.gamedef import GameDef
from limpet.strategies.abstraction.cards import LosslessBuckets
from limpet.strategies.cards.handspace import hand_space
from tests.strategies.base.small_games import limit

GAMES = [
    limit(2, 3, 1, (0, 1)),
    limit(1, 6, 2, (0, 2)),
    limit(1, 7, 1, (2, 0, 1, 2)),
    limit(2, 3, 1, (1, 1, 1)),
    limit(1, 8, 3, (0, 2)),
]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: str(game.num_board_cards))
def test_two_situations_share_a_bucket_only_if_they_look_the_same(game: GameDef) -> None:
    buckets = LosslessBuckets(game)
    space = hand_space(tuple(sorted(game.deck)), game.num_hole_cards)
    for round_, size in enumerate(game.board_sizes):
        cuts = (0, *game.board_sizes[: round_ + 1])
        bucket_of: dict[tuple[object, ...], int] = {}
        for board in permutations(game.deck, size):
            looks = tuple(frozenset(board[a:b]) for a, b in pairwise(cuts))
            vector = buckets.bucket_vector(round_, board)
            assert vector.dtype == np.int32
            for hand, bucket in enumerate(vector.tolist()):
                if set(space.cards(hand)) & set(board):
                    assert bucket == -1
                else:
                    assert 0 <= bucket < buckets.num_buckets(round_)
                    assert bucket_of.setdefault((looks, hand), bucket) == bucket
        assert len(set(bucket_of.values())) == len(bucket_of)


def test_the_numbers_of_buckets() -> None:
    leduc = LosslessBuckets(load_game("leduc.limit.2p"))
    assert [leduc.num_buckets(round_) for round_ in range(2)] == [6, 36]
    four_rounds = LosslessBuckets(GAMES[2])
    assert [four_rounds.num_buckets(round_) for round_ in range(4)] == [21 * 7, 21 * 7, 21 * 5 * 7, 21 * 5 * 6 * 7]


def test_a_large_game_is_refused_with_the_numbers() -> None:
    with pytest.raises(ValueError, match=r"22,100 boards of round 1 times 1,326 hands are 29,304,600 buckets"):
        LosslessBuckets(load_game("holdem.limit.2p.reverse_blinds"))


@pytest.mark.parametrize("board", [(), (51, 47), (0,)])
def test_a_board_that_cannot_be_is_refused(board: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="board"):
        LosslessBuckets(load_game("leduc.limit.2p")).bucket_vector(1, board)


def test_a_repeated_board_card_is_refused() -> None:
    with pytest.raises(ValueError, match="twice"):
        LosslessBuckets(GAMES[3]).bucket_vector(1, (51, 51))
    with pytest.raises(ValueError, match="twice"):
        LosslessBuckets(GAMES[1]).bucket_vector(1, (51, 51))


def test_the_hash_is_of_the_cards_alone() -> None:
    hashes = {LosslessBuckets(game).hash() for game in GAMES}
    assert len(hashes) == len(GAMES)
    assert LosslessBuckets(load_game("leduc.limit.2p")).hash() == LosslessBuckets(load_game("leduc.nolimit.2p")).hash()
    assert LosslessBuckets(GAMES[0]).to_tensors() == {}


def test_vectors_are_read_only() -> None:
    vector = LosslessBuckets(GAMES[0]).bucket_vector(0, ())
    with pytest.raises(ValueError, match="read-only"):
        vector[0] = 1
