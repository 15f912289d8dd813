"""All deals of a small game: who holds what, on which board, and who wins the showdown."""

from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.protocol.settlement import settle_ranks
from limpet.strategies.abstraction.betting import BettingTree
from limpet.strategies.abstraction.cards import CardAbstraction, LosslessBuckets
from limpet.strategies.cards.boards import all_boards
from limpet.strategies.cards.handspace import HandSpace, game_hands
from limpet.strategies.cards.ranking_kernels import hand_strengths

MOST_DEALS = 5_000_000
"""Number of deals of the largest game that is enumerated."""


@dataclass(frozen=True, eq=False)
class EnumeratedDeals:
    """D equally likely deals of a game with P players and R rounds.

    Attributes:
        num_buckets: number of buckets of each round, which strategies tell apart.
        buckets: int32 ``[D, P, R]``: bucket of each player's cards.
        infosets: int32 ``[D, P, R]``: the same with lossless buckets; `buckets` itself if these are lossless.
        ranks: int32 ``[D, P]``: showdown order, higher wins.
    """

    game: GameDef
    num_buckets: tuple[int, ...]
    buckets: NDArray[np.int32]
    infosets: NDArray[np.int32]
    ranks: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.ranks)

    def sample(self, seed: int, count: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return buckets ``[count, P, R]`` and ranks ``[count, P]`` of deals drawn at random, fixed by `seed`."""
        chosen = np.random.Generator(np.random.Philox(key=seed)).integers(len(self), size=count)
        return self.buckets[chosen], self.ranks[chosen]


def count_deals(game: GameDef) -> int:
    """Return the number of ways to deal hole cards and each round's board cards, whatever the order within either."""
    total, left = 1, len(game.deck)
    for cards in (game.num_hole_cards,) * game.num_players + game.num_board_cards:
        total *= comb(left, cards)
        left -= cards
    return total


def enumerate_deals(game: GameDef, buckets: CardAbstraction | None = None) -> EnumeratedDeals:
    """Return every deal once, by `buckets` or lossless. Raises `ValueError` if there are over `MOST_DEALS`."""
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
    return EnumeratedDeals(
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


# --- A betting tree times all deals of a small game, as the arrays that full-width kernels walk.

MOST_BYTES = 8 << 30
"""Largest working space of a solve, in bytes."""


class DealtTree(NamedTuple):
    """N nodes in preorder, T of them terminals; D deals, P players, R rounds; O orders of the players at a showdown.

    A showdown depends on the deal only through who ties with or beats whom, so that its payoffs fit a small table. The
    first five arrays are those of the `BettingTree`, as int64 ``[N]``.

    Attributes:
        level: int64 ``[N]``: `BettingTree.depth`.
        row: int64 ``[N + 1]``: row[node] + bucket * num_actions[node] + action is an entry of a table.
        is_last: bool_ ``[N]``: true for the last child of its parent, false at the root.
        buckets: int32 ``[P, R, D]``: buckets that strategies distinguish.
        infosets: int32 ``[P, R, D]``: infosets that a best response distinguishes.
        order: int32 ``[D]``: showdown order of the deal, 0 .. O - 1.
        payoff: float64 ``[P, T, O]``: net chips at each terminal, in preorder.
    """

    player: NDArray[np.int64]
    round: NDArray[np.int64]
    num_actions: NDArray[np.int64]
    parent: NDArray[np.int64]
    action: NDArray[np.int64]
    level: NDArray[np.int64]
    row: NDArray[np.int64]
    is_last: NDArray[np.bool_]
    buckets: NDArray[np.int32]
    infosets: NDArray[np.int32]
    order: NDArray[np.int32]
    payoff: NDArray[np.float64]


class Scratch(NamedTuple):
    """Working space of one traversal, L levels deep: only the branch being walked is held.

    Attributes:
        reach: float64 ``[L, D]``: probability that chance and the other players play to each level.
        reach_at: int64 ``[L]``: row of `reach` that holds for a level; levels may share a row.
        own: float64 ``[L, D]``: probability that chance and the updating player play to each level.
        own_at: int64 ``[L]``: row of `own` that holds for a level.
        value: float64 ``[L, K, D]``: counterfactual values of a level's siblings, by the action that leads there.
        gain: float64 ``[B * K]``: values of one node's (bucket, action) pairs; B is the most classes of a round.
        weight: float64 ``[B]``: one number for each bucket of a node.
    """

    reach: NDArray[np.float64]
    reach_at: NDArray[np.int64]
    own: NDArray[np.float64]
    own_at: NDArray[np.int64]
    value: NDArray[np.float64]
    gain: NDArray[np.float64]
    weight: NDArray[np.float64]


@lru_cache(maxsize=4)
def dealt_tree(tree: BettingTree, deals: EnumeratedDeals) -> DealtTree:
    """Lay out `tree` times `deals`. The last few layouts are kept.

    Raises `ValueError` if they are of different games, or if walking them would take over 8 GiB.
    """
    if tree.game != deals.game:
        raise ValueError("the tree and the deals are of different games")
    is_last = np.zeros(tree.num_nodes, np.bool_)
    is_last[tree.edge_child[tree.first_edge[tree.decisions + 1] - 1]] = True
    order, examples = _showdown_orders(deals.ranks)
    payoff = [
        [settle_ranks(tree.spent[node].tolist(), int(tree.folded[node]), ranks) for ranks in examples]
        for node in tree.terminals
    ]
    buckets = np.ascontiguousarray(deals.buckets.transpose(1, 2, 0))
    same = deals.infosets is deals.buckets
    dealt = DealtTree(
        player=tree.player.astype(np.int64),
        round=tree.round.astype(np.int64),
        num_actions=tree.num_actions.astype(np.int64),
        row=tree.row_offset(deals.num_buckets),
        parent=tree.parent.astype(np.int64),
        action=tree.action.astype(np.int64),
        is_last=is_last,
        level=tree.depth.astype(np.int64),
        buckets=buckets,
        infosets=buckets if same else np.ascontiguousarray(deals.infosets.transpose(1, 2, 0)),
        order=order,
        payoff=np.ascontiguousarray(np.array(payoff, np.float64).transpose(2, 0, 1)),
    )
    levels, actions = int(dealt.level.max()) + 1, int(tree.num_actions.max())
    need = 8 * (levels * len(deals) * (actions + 2) + 3 * int(dealt.row[-1]))
    if need > MOST_BYTES:
        raise ValueError(
            f"{levels} levels of {actions} actions times {len(deals):,} deals, and three tables of "
            f"{int(dealt.row[-1]):,} entries, are {need / 2**30:.1f} GiB (limit {MOST_BYTES >> 30}); "
            "use a smaller bet menu or a sampling solver"
        )
    return dealt


def new_scratch(dealt: DealtTree) -> Scratch:
    """Return working space for one traversal at a time."""
    levels, actions, deals = int(dealt.level.max()) + 1, int(dealt.num_actions.max()), len(dealt.order)
    classes = max(int((np.diff(dealt.row) // np.maximum(dealt.num_actions, 1)).max()), int(dealt.infosets.max()) + 1)
    return Scratch(
        reach=np.empty((levels, deals)),
        reach_at=np.zeros(levels, np.int64),
        own=np.empty((levels, deals)),
        own_at=np.zeros(levels, np.int64),
        value=np.empty((levels, actions, deals)),
        gain=np.empty(classes * actions),
        weight=np.empty(classes),
    )


def _showdown_orders(ranks: NDArray[np.int32]) -> tuple[NDArray[np.int32], list[list[int]]]:
    """Return the order of each deal as a number, int32 ``[D]``, and for each number ranks that stand in that order."""
    players = ranks.shape[1]
    beaten = (ranks[:, :, None] > ranks[:, None, :]).sum(axis=2)  # how many a player beats: this fixes the order
    code = beaten @ players ** np.arange(players)
    _, first, order = np.unique(code, return_index=True, return_inverse=True)
    return order.astype(np.int32), beaten[first].tolist()
