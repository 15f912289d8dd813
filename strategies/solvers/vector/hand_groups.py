"""Kujath's hand groups: groups of hands that look exactly alike, by three distances and three identity tests.

After "Effiziente Berechnung des ε-Nash-Equilibriums einer Poker-Variante" (2014), §5.2 to §5.4. A *leaf* is a turn and
river after the board at hand. The distance says what value a hand has on a leaf:

- `rank`: its seven-card rank.
- `strength`: twice the wins plus the ties against the 990 opposing hands, a whole number.
- `opponent_view`: that, and the same numbers of the 990 opponents, each as the opponent sees it, sorted.

The identity says when two hands are equal, given their values on the leaves:

- `global`: the histograms over all leaves are equal.
- `hierarchical`: on the flop, each turn card has a histogram, and the multisets of these are equal; later as `global`.
- `river`: the values are equal on every leaf that both hands can see, and the histograms of the leaves that only one of
  them can see are equal. That need not be an equivalence, so that hands are compared, in index order, with the first
  hand of each group. (Given the first condition, the second says that the global histograms are equal.)

On merged boards (`cards.boards.next_cards`, merge `groups`) the boards of a node are one, and each board that a hand can see counts
once. That can make groups finer: after 9c 7c 9h {4d 4s} the hand Ah 4h sees both turns and Ah 4s one. On the flop only
`hierarchical` changes, by its groups of turn cards. (The thesis has at most 249 river groups by strength, 250 here: it
adds a hand's wins over the boards, and twice a small number equals a large one by accident.)

Groups may hold for a hand or for a round:

- *fixed*: the flop's groups hold for the whole hand. A player in the abstraction never forgets anything, and regret
  minimisation keeps its guarantee in the abstract game.
- *per round*: the hands are grouped anew after each card, by the future alone. Hands of different groups may then share
  one, so that the player forgets: imperfect recall (the thesis calls it perfect), and the guarantee is gone. Values pass
  from the later groups U up to an earlier group o by `u(o) = sum over U of u(U) |U & o| / |o|`, a mean over hands that is
  exact only if all hands of U have the same value.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, get_args

import msgspec
import numpy as np

from limpet.common.jit import Bytes, Ints, Shorts, ULongs, njit
from limpet.strategies.base.sampling import mixed
from limpet.strategies.cards.boards import merged_boards, next_cards
from limpet.strategies.cards.handspace import board_cards, hand_space, read_only
from limpet.strategies.cards.ranking_kernels import card_mask, hold_em_strengths
from limpet.strategies.cards.strength_kernels import add_river_counts, without

# --- Compiled hand groups: hashes of the values of hands on rivers, and the numbering of hands whose values are
# equal.

RANK, STRENGTH, OPPONENTS = 0, 1, 2
"""Kinds of values of a hand on a river, see `river_hashes`."""
LANES = 2
SLOTS = 4096
"""Size of the hash table in `number_groups`."""

_SALT = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True, nogil=True, error_model="numpy")
def mix(value: np.uint64, lane: int) -> np.uint64:
    """Mix a 64-bit number by a bijection that leaves no pattern, another for each lane."""
    return mixed(value, _SALT * np.uint64(lane))


@njit(cache=True, nogil=True, error_model="numpy")
def add_mixed(hashes: ULongs, totals: ULongs) -> None:
    """Add the mixed hashes[H, 2] to totals[H, 2], one more histogram in each multiset; zeros (blocked hands) add nothing."""
    for h in range(hashes.shape[0]):
        if hashes[h, 0] or hashes[h, 1]:
            for lane in range(LANES):
                totals[h, lane] += mix(hashes[h, lane], lane)


@njit(cache=True, nogil=True, error_model="numpy")
def river_hashes(
    kind: int, board: int, holes: Bytes, scratch: Ints, values: Ints, held: ULongs, hashes: ULongs
) -> None:
    """Write the hash of every hand's value on one river into hashes[1326, 2]; zero where blocked.

    board: mask of five cards; holes: int8[1326, 2]; scratch: int32[4, 1326]; values: int32[1326] and held:
    uint64[53, 2], both scratch. The value is, by kind:

    RANK       the seven-card rank
    STRENGTH   twice the wins plus the ties against the 990 opposing hands
    OPPONENTS  that, and the multiset of the same count of each of the 990 opponents, all their hands possible

    The opponents of a hand are summed by `strength_kernels.without`: three sums instead of 990 terms.
    """
    hold_em_strengths(board, holes, scratch[3, :169], scratch[0])
    for h in range(holes.shape[0]):
        values[h] = 0 if scratch[0, h] >= 0 else -1
    if kind == RANK:
        for h in range(holes.shape[0]):
            values[h] = scratch[0, h]
    else:
        add_river_counts(board, holes, scratch, values)
    if kind != OPPONENTS:
        for h in range(holes.shape[0]):
            for lane in range(LANES):
                hashes[h, lane] = mix(np.uint64(values[h]), lane) if values[h] >= 0 else np.uint64(0)
        return
    held[:] = 0  # by card the sum over the live hands that hold it, and in row 52 over all
    for h in range(holes.shape[0]):
        if values[h] >= 0:
            for lane in range(LANES):
                one = mix(np.uint64(values[h]), lane)
                held[holes[h, 0], lane] += one
                held[holes[h, 1], lane] += one
                held[52, lane] += one
    for h in range(holes.shape[0]):
        for lane in range(LANES):
            hashes[h, lane] = 0
            if values[h] >= 0:
                one = mix(np.uint64(values[h]), lane)
                opponents = without(held[52, lane], held[holes[h, 0], lane], held[holes[h, 1], lane]) + one
                hashes[h, lane] = mix(mix(opponents, lane) + one, lane)


@njit(cache=True, nogil=True, error_model="numpy")
def leaf_hashes(kind: int, flop: Bytes, holes: Bytes) -> ULongs:
    """Return uint64[1326, 1326, 2]: `river_hashes` of every turn and river after a flop.

    The first axis is the colex index of {turn, river}, the second the hand; zero where a card would be dealt twice.
    """
    hashes = np.zeros((holes.shape[0], holes.shape[0], LANES), dtype=np.uint64)
    scratch = np.empty((4, 1326), dtype=np.int32)
    values = np.empty(holes.shape[0], dtype=np.int32)
    held = np.empty((53, LANES), dtype=np.uint64)
    common = card_mask(flop, 3)
    for pair in range(holes.shape[0]):
        later = card_mask(holes[pair], 2)
        if not later & common:
            river_hashes(kind, common | later, holes, scratch, values, held, hashes[pair])
    return hashes


@njit(cache=True, nogil=True, error_model="numpy")
def number_groups(keys: ULongs, leaves: ULongs) -> Shorts:
    """Return int16[H]: the groups of hands that are equal, numbered from 0 by first appearance; -1 where the key is zero.

    A hand joins the first group whose first hand has the same key, keys[H, 2], and the same hash on every leaf where
    neither is zero, leaves[any, H, 2] (none: keys decide alone).
    """
    heads = np.full(SLOTS, -1, np.int16)
    scratch = np.empty((3, keys.shape[0]), np.int16)
    chain, firsts = scratch[0], scratch[1]
    groups: Shorts = scratch[2]
    count = 0
    for h in range(keys.shape[0]):
        groups[h] = -1
        if not (keys[h, 0] or keys[h, 1]):
            continue
        slot = int(keys[h, 0]) & (SLOTS - 1)
        group = heads[slot]
        last = -1
        while group >= 0:
            first = firsts[group]
            if keys[first, 0] == keys[h, 0] and keys[first, 1] == keys[h, 1] and _agree(leaves, first, h):
                break
            last = group
            group = chain[group]
        if group < 0:
            group = count
            firsts[group] = h
            chain[group] = -1
            if last < 0:
                heads[slot] = group
            else:
                chain[last] = group
            count += 1
        groups[h] = group
    return groups


@njit(cache=True, nogil=True, error_model="numpy")
def _agree(leaves: ULongs, one: int, other: int) -> bool:
    for leaf in range(leaves.shape[0]):
        a = leaves[leaf, one, 0]
        b = leaves[leaf, other, 0]
        if (a != b or leaves[leaf, one, 1] != leaves[leaf, other, 1]) and a and b:
            return False
    return True


Distance = Literal["rank", "strength", "opponent_view"]
Identity = Literal["global", "hierarchical", "river"]
Groups = Shorts
Hashes = ULongs

DISTANCES: tuple[Distance, ...] = get_args(Distance)
IDENTITIES: tuple[Identity, ...] = get_args(Identity)

HANDS = 1326
BLOCKED = -1


class Grouping(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A hand abstraction as a config asks for it: the value of a hand on a river, and when hands are equal by their values.

    Hands are grouped anew `per_round`, or the flop's groups hold throughout.
    """

    distance: Distance
    identity: Identity = "hierarchical"
    per_round: bool = True


class HandGroups:
    """The hand groups of all boards after one flop, computed when first asked for and kept.

    grouping: the abstraction. merged: whether boards are merged, so that a board stands for its node. flop: three card
    ids, in any order. Raises ValueError for a flop that is not three distinct card ids.
    """

    def __init__(self, grouping: Grouping, merged: bool, flop: Sequence[int]) -> None:
        self.grouping, self.merged = grouping, merged
        self.flop = tuple(sorted(board_cards(flop, 3)))
        self._rivers = _river_hashes(grouping.distance, self.flop)
        self._kept: dict[tuple[int, ...], Groups] = {}

    def groups(self, board: Sequence[int]) -> Groups:
        """Return the group of each hand, read-only int16[1326]: 0 .. G - 1, and -1 where it shares a card with the board.

        board: 3, 4 or 5 card ids in dealing order, the flop's in any. Groups are numbered without gaps, per board. On
        merged boards any board of a node may be asked for, and a `CardGroup`'s map takes per-round groups to groups, if
        not number to number; `fixed` groups are those of the hands as dealt. Raises ValueError for a repeated card,
        another number of cards, or another flop.
        """
        cards = board_cards(board, 3, 4, 5)
        if tuple(sorted(cards[:3])) != self.flop:
            raise ValueError(f"these groups belong to the flop {self.flop}, not to the board {cards}")
        path = self.flop + cards[3:]
        if path not in self._kept:
            groups = self._grouped(path) if self.grouping.per_round or len(path) == 3 else self._of_the_flop(path)
            self._kept[path] = read_only(groups)
        return self._kept[path]

    def count(self, board: Sequence[int]) -> int:
        """Return the number of groups on a board. Raises ValueError as `groups` does."""
        return int(self.groups(board).max()) + 1

    def _of_the_flop(self, board: tuple[int, ...]) -> Groups:
        groups = self.groups(self.flop).copy()
        groups[hand_space().blocked(board)] = BLOCKED
        kept, numbers = np.unique(groups, return_inverse=True)
        return (numbers - int(kept[0] == BLOCKED)).astype(np.int16)

    def _grouped(self, board: tuple[int, ...]) -> Groups:
        leaves = self._leaves(merged_boards(board) if self.merged else (board,))
        if self.grouping.identity == "hierarchical" and len(board) == 3:
            keys = np.zeros((HANDS, LANES), dtype=np.uint64)
            for turn in next_cards(board, "groups" if self.merged else "none"):
                histograms = self._leaves([(*board, card) for card in turn.cards]).sum(axis=0)
                add_mixed(histograms, keys)
        else:
            keys = np.asarray(leaves.sum(axis=0))
        keys[hand_space().blocked(board)] = 0
        return np.asarray(number_groups(keys, leaves if self.grouping.identity == "river" else leaves[:0]))

    def _leaves(self, boards: Sequence[tuple[int, ...]]) -> Hashes:
        """Return the values on every river of boards of equal length, uint64[leaves, 1326, 2]; 0 where a hand cannot see it."""
        later = [board[3:] for board in boards]
        if not later[0]:
            return self._rivers
        if len(later[0]) == 1:
            return np.concatenate([self._rivers[hand_space().card_hands[turn]] for (turn,) in later])
        return np.array([self._rivers[hand_space().index(pair)] for pair in later])


@lru_cache(maxsize=len(DISTANCES))  # 28 MB each: one flop's
def _river_hashes(distance: Distance, flop: tuple[int, ...]) -> Hashes:
    """Return hashes of the values of all hands on all rivers of a flop (`leaf_hashes`), which take a tenth of a second."""
    kind = {"rank": RANK, "strength": STRENGTH, "opponent_view": OPPONENTS}[distance]
    return np.asarray(leaf_hashes(kind, np.array(flop, dtype=np.int8), hand_space().holes))
