"""Compiled code of tournaments: the cards of a hand, and whole tournaments of players who know three actions.

`deal_hand` repeats `dealer.table.deals.Deals` for the first hand of a seed. A hand takes at most 25 numbers, so that only
the first words of the twister's state are made and mixed (Matsumoto and Nishimura, mt19937ar, 2002).

The rules are those of `rules` and of `protocol.state`, for players who only fold, call and move all in. A player is a table
``int8 [2, 169]`` of `FOLD`, `CALL` and `JAM` by starting hand class: before and after the first raise of a hand.
"""

import numpy as np
import numpy.typing as npt

from limpet.common.jit import njit
from limpet.strategies.base.sampling import mixed
from limpet.strategies.cards.ranking_kernels import rank_cards

Ints = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.int8]

FOLD, CALL, JAM = 0, 1, 2
_OFFSET = 397
_MOST_CARDS = 25
WORDS = _OFFSET + _MOST_CARDS + 1
NO_LEVEL = 1 << 60
_MOST_ACTIONS = 64  # of a round, as `chip_sums.MAX_ACTIONS_PER_ROUND`


@njit(cache=True, nogil=True, error_model="numpy")
def deal_hand(seed: int, deck: Bytes, count: int, words: npt.NDArray[np.uint64], cards: Bytes) -> None:
    """Deal the first `count` cards, at most 25, of a match with `seed` from `deck` into ``int8 [count]`` `cards`.

    words: working space, ``uint64 [WORDS]``.
    """
    # The compiler widens sums and products of 32 bits to 64, so that all of it is done in 64 and cut.
    word = np.uint64(seed)
    words[0] = word
    for i in range(1, WORDS):
        word = (np.uint64(1812433253) * (word ^ (word >> np.uint64(30))) + np.uint64(i)) & np.uint64(0xFFFFFFFF)
        words[i] = word
    left = len(deck)
    rest = deck.copy()
    for i in range(count):
        bits = (words[i] & np.uint64(0x80000000)) | (words[i + 1] & np.uint64(0x7FFFFFFF))
        y = words[i + _OFFSET] ^ (bits >> np.uint64(1))
        if bits & np.uint64(1):
            y ^= np.uint64(0x9908B0DF)
        y ^= y >> np.uint64(11)
        y ^= (y << np.uint64(7)) & np.uint64(0x9D2C5680)
        y ^= (y << np.uint64(15)) & np.uint64(0xEFC60000)
        y ^= y >> np.uint64(18)
        at = int(np.int64(y % np.uint64(left)))
        left -= 1
        cards[i] = rest[at]
        rest[at] = rest[left]


@njit(cache=True, nogil=True, error_model="numpy")
def bet_hand(stack: Ints, spent: Ints, actions: Bytes) -> int:
    """Play the betting of a hand, moving chips into `spent`. Returns the bits of the positions that have folded.

    Args:
        stack: ``int64 [position]``: chips before the hand.
        spent: ``int64 [position]``: chips that are in, at first the blinds and antes.
        actions: ``int8 [2, position]``: action of each position before and after the first raise.
    """
    players = len(stack)
    most, folded, raised = spent.max(), 0, 0
    able = 0
    for p in range(players):
        able += spent[p] < stack[p]
    for street in range(4):
        # Streets without a decision are run out. Before the flop one player may still have blinds to call.
        if able == 0 or (able == 1 and street > 0):
            break
        actor = (1 if players == 2 else 2) if street == 0 else 0
        called = taken = 0
        while called < able:
            actor %= players
            if folded >> actor & 1 or spent[actor] == stack[actor]:
                actor += 1
                continue
            if able == 1 and spent[actor] == most:
                break
            action = actions[raised, actor]
            if action == JAM and (able == 1 or stack[actor] <= most or taken + players > _MOST_ACTIONS):
                action = CALL
            if action == FOLD and spent[actor] == most:
                action = CALL
            taken += 1
            if action == FOLD:
                folded |= 1 << actor
                able -= 1
                out = 0
                for p in range(players):
                    out += folded >> p & 1
                if out + 1 == players:
                    return folded
            elif action == CALL:
                spent[actor] = min(most, stack[actor])
                if spent[actor] < stack[actor]:
                    called += 1
                else:
                    able -= 1
            else:
                spent[actor] = most = stack[actor]
                able -= 1
                called, raised = 0, 1
            actor += 1
    return folded


@njit(cache=True, nogil=True, error_model="numpy")
def share_pots(spent: Ints, ranks: Ints, won: Ints) -> None:
    """Write net chips per position into `won`, as `sng_rules.net_chips` does. `ranks` are below zero for those who folded."""
    players = len(spent)
    for p in range(players):
        won[p] = -spent[p]
    below = 0
    while True:
        level = NO_LEVEL
        for p in range(players):
            if ranks[p] >= 0 and below < spent[p] < level:
                level = int(spent[p])
        if level == NO_LEVEL:
            break
        pot, best, winners = 0, -1, 0
        for p in range(players):
            pot += int(min(spent[p], level) - min(spent[p], below))
            if spent[p] >= level and ranks[p] >= 0:
                if ranks[p] > best:
                    best, winners = int(ranks[p]), 0
                winners += int(ranks[p] == best)
        odd = pot % winners
        for p in range(players):
            if spent[p] >= level and ranks[p] == best:
                won[p] += pot // winners + (odd > 0)
                odd -= 1
        below = level


@njit(cache=True, nogil=True, error_model="numpy")
def play_hand(
    key: np.uint64, stack: Ints, spent: Ints, tables: Bytes, seated: Ints, classes: npt.NDArray[np.uint8],
    deck: Bytes, words: npt.NDArray[np.uint64], won: Ints,
) -> None:  # fmt: skip
    """Deal and play one hand, and write net chips per position into `won`.

    Args:
        key: hash of the seed and the numbers of tournament and hand, whose low 32 bits deal the cards.
        stack, spent: see `bet_hand`.
        tables: ``int8 [player, 2, 169]``: action of each player by starting hand class.
        seated: ``int64 [position]``: player at each position.
        classes: ``uint8 [52, 52]``: starting hand class of two cards.
    """
    players = len(stack)
    cards = np.empty(2 * players + 5, np.int8)
    deal_hand(int(np.int64(key & np.uint64(0xFFFFFFFF))), deck, 2 * players + 5, words, cards)
    actions = np.empty((2, players), np.int8)
    for p in range(players):
        for raised in range(2):
            actions[raised, p] = tables[seated[p], raised, classes[cards[2 * p], cards[2 * p + 1]]]
    folded = bet_hand(stack, spent, actions)
    ranks = np.full(players, -1, np.int64)
    shown = np.empty(7, np.int8)
    for i in range(5):
        shown[2 + i] = cards[2 * players + i]
    for p in range(players):
        if not folded >> p & 1:
            shown[0], shown[1] = cards[2 * p], cards[2 * p + 1]
            ranks[p] = rank_cards(shown, len(shown))
    share_pots(spent, ranks, won)


@njit(cache=True, nogil=True, error_model="numpy")
def play_tournament(
    seed: int, number: int, tables: Bytes, order: Ints, stacks: Ints, levels: Ints,
    classes: npt.NDArray[np.uint8], deck: Bytes, gone: Ints,
) -> tuple[int, int]:  # fmt: skip
    """Play a tournament to its end. Returns the number of its hands and the seat of the next big blind.

    Args:
        seed, number: seed of the cards, and number of the tournament.
        tables, classes: see `play_hand`.
        order: ``int64 [seat]``: player at each seat.
        stacks: ``int64 [seat]``: chips before the first hand; those after the last one at the end.
        levels: ``int64 [level, 4]``: hands, small blind, big blind, ante; the last level goes on for ever.
        gone: result, ``int64 [seat, 2]``: hand in which a seat went out, -1 for the winner, and its chips before it.
    """
    seats = len(stacks)
    words = np.empty(WORDS, np.uint64)
    base = mixed(mixed(np.uint64(0), np.uint64(seed)), np.uint64(number))
    big = int(np.int64(base % np.uint64(seats)))
    gone[:] = -1
    hand = level = 0
    until = int(levels[0, 0])
    while True:
        while hand >= until and level + 1 < len(levels):
            level += 1
            until += int(levels[level, 0])
        players = 0
        for seat in range(seats):
            players += stacks[seat] > 0
        if players == 1:
            return hand, big
        # The seats that are in, in order from the big blind on; a ring begins with the one before it.
        at = np.empty(players, np.int64)
        filled = 0
        for step in range(seats):
            seat = (big + step) % seats
            if stacks[seat] > 0:
                at[(filled + (players > 2)) % players] = seat
                filled += 1
        stack = np.empty(players, np.int64)
        spent = np.empty(players, np.int64)
        seated = np.empty(players, np.int64)
        for p in range(players):
            stack[p], seated[p] = stacks[at[p]], order[at[p]]
            blind = levels[level, 1 + (p == (players > 2))] if p < 2 else 0
            spent[p] = min(stack[p], levels[level, 3] + blind)
        won = np.empty(players, np.int64)
        play_hand(mixed(base, np.uint64(hand)), stack, spent, tables, seated, classes, deck, words, won)
        for p in range(players):
            stacks[at[p]] += won[p]
            if stacks[at[p]] == 0:
                gone[at[p], 0], gone[at[p], 1] = hand, stack[p]
        big = (big + 1) % seats
        while stacks[big] == 0:
            big = (big + 1) % seats
        hand += 1
