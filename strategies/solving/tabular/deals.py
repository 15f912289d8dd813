"""All deals of a small game: who holds what, on which board, and who wins the showdown."""

from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.protocol.ranking_kernels import hand_strengths
from limpet.strategies.abstraction.cards import CardAbstraction
from limpet.strategies.abstraction.lossless import LosslessBuckets
from limpet.strategies.cards.handspace import HandSpace, game_hands
from limpet.strategies.cards.public_boards import all_boards

MOST_DEALS = 5_000_000
"""Number of deals of the largest game that is enumerated."""


@dataclass(frozen=True, eq=False)
class Deals:
    """D equally likely deals of a game with P players and R rounds."""

    game: GameDef
    num_buckets: tuple[int, ...]  # number of buckets of each round, which strategies tell apart
    buckets: NDArray[np.int32]  # [D, P, R]: bucket of each player's cards
    infosets: NDArray[np.int32]  # [D, P, R]: the same with lossless buckets; `buckets` itself if these are lossless
    ranks: NDArray[np.int32]  # [D, P]: showdown order, higher wins

    def __len__(self) -> int:
        return len(self.ranks)

    def sample(self, seed: int, count: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return buckets ``[count, P, R]`` and ranks ``[count, P]`` of deals drawn at random, fixed by `seed`."""
        chosen = np.random.Generator(np.random.Philox(key=seed)).integers(len(self), size=count)
        return self.buckets[chosen], self.ranks[chosen]


def count_deals(game: GameDef) -> int:
    """Return the number of ways to deal hole cards to every position and board cards in every round.

    The order of cards within a hand, or within a round's board cards, does not count.
    """
    total, left = 1, len(game.deck)
    for cards in (game.num_hole_cards,) * game.num_players + game.num_board_cards:
        total *= comb(left, cards)
        left -= cards
    return total


def enumerate_deals(game: GameDef, buckets: CardAbstraction | None = None) -> Deals:
    """Return every deal of `game` once, seen through `buckets` (lossless if None).

    Raises `ValueError` if there are over `MOST_DEALS`.
    """
    count = count_deals(game)
    if count > MOST_DEALS:
        raise ValueError(
            f"the game has {count:,} deals, too many to enumerate (limit {MOST_DEALS:,}); use a sampling solver"
        )
    lossless = LosslessBuckets(game)
    if buckets is not None and buckets.hash() == lossless.hash():
        buckets = None
    space = game_hands(game)
    players, rounds = game.num_players, game.num_rounds
    hands_of_all = _disjoint_hands(space, players)
    deal_buckets = np.empty((count, players, rounds), np.int32)
    infosets = deal_buckets if buckets is None else np.empty_like(deal_buckets)
    ranks = np.empty((count, players), np.int32)
    end = 0
    for board in all_boards(game):
        hands = hands_of_all[~space.blocked(board)[hands_of_all].any(axis=1)]
        start, end = end, end + len(hands)
        ranks[start:end] = hand_strengths(np.array(board, np.int8), space.holes)[hands]
        for round_, size in enumerate(game.board_sizes):
            infosets[start:end, :, round_] = lossless.bucket_vector(round_, board[:size])[hands]
            if buckets is not None:
                deal_buckets[start:end, :, round_] = buckets.bucket_vector(round_, board[:size])[hands]
    return Deals(
        game=game,
        num_buckets=tuple((buckets or lossless).num_buckets(round_) for round_ in range(rounds)),
        buckets=deal_buckets,
        infosets=infosets,
        ranks=ranks,
    )


def _disjoint_hands(space: HandSpace, players: int) -> NDArray[np.intp]:
    """Return int ``[M, players]``: all tuples of hands, one for each position, that share no card."""
    hands = np.arange(space.size).reshape(-1, 1)
    for _ in range(1, players):
        free = space.disjoint[hands].all(axis=1)
        before, added = np.nonzero(free)
        hands = np.column_stack([hands[before], added])
    return hands
