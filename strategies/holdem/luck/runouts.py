"""Exact values of a showdown before the last cards are dealt, for every hand of one player."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np

from limpet.common.jit import Bytes, Doubles, Ints, Longs, Shorts, njit
from limpet.protocol.messages import Hole
from limpet.protocol.settlement import settle_ranks
from limpet.protocol.state import State
from limpet.strategies.cards.deck_kernels import runouts
from limpet.strategies.cards.handspace import game_hands, hand_space, is_heads_up_holdem, read_only, require_all_cards
from limpet.strategies.cards.preflop_tables import BOARDS, hand_matrix
from limpet.strategies.cards.ranking_kernels import card_mask, hand_strengths, hold_em_strengths, rank_mask

# --- Compiled runouts: every hold'em hand against a single one, over the cards that may still be dealt.


@njit(cache=True, nogil=True, error_model="numpy")
def scores_of_boards(board: int, other: int, missing: int, holes: Bytes) -> Shorts:
    """Return int16[1326]: twice the wins and once the ties of each hand, over all boards with `missing` more cards.

    board, other: masks of the board so far and of two cards; holes: int8[1326, 2]. Hands that a board blocks have no score
    there; scores of those that share a card with `other` mean nothing.
    """
    table, strengths, scores = np.empty(169, np.int32), np.empty(1326, np.int32), np.zeros(1326, np.int16)
    boards = runouts(board, other, missing)
    for b in range(len(boards)):
        _add_scores(boards[b], other, holes, table, strengths, scores)
    return scores


@njit(cache=True, nogil=True, error_model="numpy")
def two_cards(board: int, other: int, deck: Longs, holes: Bytes) -> Shorts:
    """Return int16[52, 1326]: the scores of `scores_of_boards` with one more card, for every turn that may follow a flop.

    deck: the mask of each card, by its id. Every pair of cards is looked at once and counts for both as the turn.
    """
    table, strengths, pair = np.empty(169, np.int32), np.empty(1326, np.int32), np.empty(1326, np.int16)
    scores = np.zeros((len(deck), len(holes)), np.int16)
    for i in range(len(deck)):
        for j in range(i):
            if (deck[i] | deck[j]) & (board | other):
                continue
            pair[:] = 0
            _add_scores(board | deck[i] | deck[j], other, holes, table, strengths, pair)
            for h in range(len(holes)):
                scores[i, h] += pair[h]
                scores[j, h] += pair[h]
    return scores


@njit(cache=True, nogil=True, error_model="numpy")
def _add_scores(board: int, other: int, holes: Bytes, table: Ints, strengths: Ints, scores: Shorts) -> None:
    """Add the scores of one full board. Scratch: table int32[169], strengths int32[1326]."""
    hold_em_strengths(board, holes, table, strengths)
    theirs = rank_mask(board | other)
    for h in range(holes.shape[0]):
        own = strengths[h]
        if own >= 0:
            scores[h] += np.int16(own > theirs) + np.int16(own >= theirs)


MOST_BOARDS = 20_000


def showdown_values(state: State, board: tuple[int, ...], position: int, holes: Sequence[Hole]) -> Doubles:
    """Return mean net chips of `position` over every way to complete `board`, if all who have not folded showed down now.

    float64 ``[hand]``; 0 for hands that share a card with the board or the others' hands. Raises `ValueError` if over
    20,000 boards would have to be looked at one by one, as before the flop with three or more players, and as `require_all_cards`.

    state: any state of the hand; it says who put what into the pot. holes: hole cards by position, of which those of
    `position` are not looked at.
    """
    game = state.game
    require_all_cards(game)
    space = game_hands(game)
    others = [card for p, hole in enumerate(holes) if p != position for card in hole]
    size = sum(game.num_board_cards)
    missing = size - len(board)
    blocked = space.blocked([*others, *board])
    if is_heads_up_holdem(game, whole=True):
        share = 2 * hold_em_equities(tuple(holes[1 - position]), board) - 1
        return np.where(blocked, 0.0, min(state.spent) * share)
    left = [card for card in space.deck if card not in {*others, *board}]
    if comb(len(left), missing) > MOST_BOARDS:
        raise ValueError(
            f"{comb(len(left), missing):,} boards may still follow, too many to look at; "
            "all-in hands of three or more players are evaluated from the flop on"
        )
    total, count = np.zeros(space.size), np.zeros(space.size)
    for cards in combinations(left, missing):
        full = (*board, *cards)
        live = ~(blocked | space.blocked(full))
        total[live] += _full_board_values(state, full, position, holes)[live]
        count += live
    return np.divide(total, count, out=total, where=count > 0)


def _full_board_values(state: State, board: tuple[int, ...], position: int, holes: Sequence[Hole]) -> Doubles:
    """Return net chips of every hand on a full board. Only the order between a hand and the others' counts."""
    game = state.game
    cards = np.array(board, np.int8)
    own = hand_strengths(cards, game_hands(game).holes)
    shown = [np.array([hole], np.int8) if p != position else None for p, hole in enumerate(holes)]
    ranks = [0 if hole is None else int(hand_strengths(cards, hole)[0]) for hole in shown]
    levels = sorted({rank for p, rank in enumerate(ranks) if p != position})
    # Doubled, so that there is room between two levels.
    level = np.searchsorted(levels, own, "left") + np.searchsorted(levels, own, "right")
    payoff = np.empty(2 * len(levels) + 1)
    for mine in range(len(payoff)):
        order = [mine if p == position else 2 * levels.index(rank) + 1 for p, rank in enumerate(ranks)]
        payoff[mine] = settle_ranks(state.spent, state.folded, order)[position]
    values: Doubles = payoff[level]
    return values


@lru_cache(maxsize=256)
def hold_em_equities(other: Hole, board: tuple[int, ...]) -> Doubles:
    """Return P(win) + P(tie) / 2 of every hold'em hand against one, with 0, 3, 4 or 5 board cards dealt.

    float64 ``[1326]``, read-only; numbers of hands that share a card with the other hand or the board mean nothing.
    """
    if not board:
        wins, ties = hand_matrix()
        index = hand_space().index(other)
        equities = (wins[:, index] + ties[:, index] / 2) / BOARDS
    elif len(board) == 3:
        equities = turn_equities(other, board).sum(axis=0) / 45  # each turn leaves 44 of the 990 pairs, each pair twice
    else:
        missing = 5 - len(board)
        scores = scores_of_boards(mask_of(board), mask_of(other), missing, hand_space().holes)
        equities = scores / (2.0 * (44 if missing else 1))
    return read_only(equities)


@lru_cache(maxsize=64)
def turn_equities(other: Hole, flop: tuple[int, ...]) -> Doubles:
    """Return P(win) + P(tie) / 2 of every hold'em hand against one after each turn card; takes some 20 ms.

    float64 ``[52, 1326]``, read-only; 0 for a turn that the hand, the other hand or the flop holds.
    """
    deck = np.array([mask_of((card,)) for card in range(52)])
    return read_only(two_cards(mask_of(flop), mask_of(other), deck, hand_space().holes) / (2.0 * 44))


def mask_of(cards: Sequence[int]) -> int:
    """Return cards as the bits of one number."""
    return int(card_mask(np.array(cards, np.int8), len(cards)))


# --- Compiled orders of hands at a showdown, over all boards to come. Cards are masks as in `deck_kernels`.


@njit(cache=True, nogil=True, error_model="numpy")
def orders_of_boards(hands: Longs, dead: int, board: int, missing: int) -> Longs:
    """Return the order of hands on every board with `missing` more cards, int64 ``[board]``.

    An order is a number whose digit p, in base `len(hands)`, is the number of hands that hand p beats. hands: int64 ``[hand]``:
    masks of the hands that are shown. dead, board: masks of all cards that cannot come, and of the board so far.
    """
    count = len(hands)
    boards = runouts(board, dead, missing)
    orders = np.zeros(len(boards), np.int64)
    ranks = np.empty(count, np.int64)
    for b in range(len(boards)):
        for p in range(count):
            ranks[p] = rank_mask(boards[b] | hands[p])
        order = 0
        for p in range(count - 1, -1, -1):
            beaten = 0
            for q in range(count):
                beaten += ranks[q] < ranks[p]
            order = count * order + beaten
        orders[b] = order
    return orders


# --- The chances of each order in which known hold'em hands may end at a showdown, exactly, over all boards to come.

Order = tuple[int, ...]
"""Number of the other hands that each hand beats. Hands with the same number tie."""
_MOST_COUNTED = 6
"""Most hands whose orders are counted in an array of all their codes; those of more are sorted."""


@lru_cache(maxsize=4096)
def order_chances(
    hands: tuple[Hole, ...], dead: tuple[int, ...] = (), board: tuple[int, ...] = ()
) -> dict[Order, float]:
    """Return the probability of each order of hands that are all-in on a board of 0 to 5 cards.

    dead: cards of others, which cannot come any more.
    """
    if len(hands) == 2 and not dead and not board:
        first, second = map(hand_space().index, hands)
        wins, ties = (int(table[first, second]) for table in hand_matrix())
        boards = {(1, 0): wins, (0, 0): ties, (0, 1): BOARDS - wins - ties}
        return {order: count / BOARDS for order, count in boards.items() if count}
    players = len(hands)
    dealt = [*dead, *(card for hand in hands for card in hand)]
    masks = np.array([mask_of(hand) for hand in hands])
    orders = orders_of_boards(masks, mask_of(dealt), mask_of(board), 5 - len(board))
    codes, counts = _counted(orders, players)
    digits = codes[:, None] // players ** np.arange(players) % players
    chances = counts / len(orders)
    return {tuple(order): chance for order, chance in zip(digits.tolist(), chances.tolist(), strict=True)}


def _counted(orders: Longs, players: int) -> tuple[Longs, Longs]:
    """Return the codes that occur, and how often."""
    if players > _MOST_COUNTED:
        return np.unique(orders, return_counts=True)
    counts = np.bincount(orders)
    codes = np.flatnonzero(counts)
    return codes, counts[codes]
