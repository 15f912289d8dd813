"""Enumerated deals against a plain enumeration."""

from collections import Counter

import numpy as np
import pytest

from limpet.configs.loading import load_game
from limpet.protocol.gamedef import GameDef
from limpet.protocol.ranking import rank_hands
from limpet.strategies.abstraction.cards import LosslessBuckets
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.solvers.deals import count_deals, enumerate_deals
from tests.strategies.base.small_games import limit, plain_deals


@pytest.mark.parametrize(
    "game",
    [limit(1, 3, 1, (0,)), limit(2, 3, 1, (0, 1)), limit(1, 7, 1, (0, 2, 1), players=3), limit(4, 2, 2, (1,))],
    ids=lambda game: f"{game.num_players}p-{game.num_board_cards}",
)
def test_every_deal_comes_once(game: GameDef) -> None:
    deals = enumerate_deals(game)
    lossless = LosslessBuckets(game)
    space = hand_space(tuple(sorted(game.deck)), game.num_hole_cards)
    expected: Counter[tuple[object, ...]] = Counter()
    for deal in plain_deals(game):
        holes, board = deal[: game.num_players], sum(deal[game.num_players :], ())
        buckets = tuple(
            tuple(
                int(lossless.bucket_vector(round_, board[:size])[space.index(hole)])
                for round_, size in enumerate(game.board_sizes)
            )
            for hole in holes
        )
        expected[buckets, rank_hands(holes, board)] += 1
    found = Counter(
        (tuple(map(tuple, buckets)), tuple(ranks))
        for buckets, ranks in zip(deals.buckets.tolist(), deals.ranks.tolist(), strict=True)
    )
    assert found == expected
    assert len(deals) == count_deals(game) == expected.total()
    assert deals.num_buckets == tuple(lossless.num_buckets(round_) for round_ in range(game.num_rounds))


@pytest.mark.parametrize(("name", "count"), [("kuhn.limit.2p", 6), ("kuhn.limit.3p", 24), ("leduc.limit.2p", 120)])
def test_counts_of_the_toy_games(name: str, count: int) -> None:
    deals = enumerate_deals(load_game(name))
    assert len(deals) == count
    assert deals.infosets is deals.buckets


def test_lossless_buckets_by_name_are_the_default() -> None:
    game = load_game("leduc.limit.2p")
    deals = enumerate_deals(game, LosslessBuckets(game))
    assert deals.infosets is deals.buckets


def test_a_large_game_is_refused_with_the_numbers() -> None:
    with pytest.raises(ValueError, match=r"55,627,620,048,000 deals.*5,000,000"):
        enumerate_deals(load_game("holdem.limit.2p.reverse_blinds"))


def test_a_sample_is_fixed_by_its_seed_and_fair() -> None:
    deals = enumerate_deals(load_game("leduc.limit.2p"))
    buckets, ranks = deals.sample(7, 60_000)
    again = deals.sample(7, 60_000)
    assert np.array_equal(buckets, again[0]) and np.array_equal(ranks, again[1])
    assert not np.array_equal(buckets, deals.sample(8, 60_000)[0])
    _, counts = np.unique(np.column_stack([buckets.reshape(60_000, -1), ranks]), axis=0, return_counts=True)
    assert len(counts) == 120
    # Chi-square with 119 degrees of freedom: mean 119, deviation 15.4.
    assert ((counts - 500.0) ** 2 / 500.0).sum() < 119 + 5 * 15.4
