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

On merged boards (`board_groups`, merge `groups`) the boards of a node are one, and each board that a hand can see counts
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
import numpy.typing as npt

from limpet.strategies.abstraction import hand_group_kernels as kernels
from limpet.strategies.cards.board_groups import merged_boards, next_cards
from limpet.strategies.cards.handspace import board_cards, hand_space, read_only

Distance = Literal["rank", "strength", "opponent_view"]
Identity = Literal["global", "hierarchical", "river"]
Groups = npt.NDArray[np.int16]
Hashes = npt.NDArray[np.uint64]

DISTANCES: tuple[Distance, ...] = get_args(Distance)
IDENTITIES: tuple[Identity, ...] = get_args(Identity)

HANDS = 1326
BLOCKED = -1


class Grouping(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A hand abstraction as a config asks for it.

    Attributes:
        distance: what value a hand has on a river.
        identity: when two hands are equal, given their values.
        per_round: whether hands are grouped anew on turn and river; otherwise the flop's groups hold throughout.
    """

    distance: Distance
    identity: Identity = "hierarchical"
    per_round: bool = True


class HandGroups:
    """The hand groups of all boards after one flop, computed when first asked for and kept.

    grouping: the abstraction. merged: whether boards are merged, so that a board stands for its node. flop: three card
    ids, in any order.

    Raises ValueError for a flop that is not three distinct card ids.
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
        not number to number; `fixed` groups are those of the hands as dealt.

        Raises ValueError for a repeated card, another number of cards, or another flop.
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
            keys = np.zeros((HANDS, kernels.LANES), dtype=np.uint64)
            for turn in next_cards(board, "groups" if self.merged else "none"):
                histograms = self._leaves([(*board, card) for card in turn.cards]).sum(axis=0)
                kernels.add_mixed(histograms, keys)
        else:
            keys = np.asarray(leaves.sum(axis=0))
        keys[hand_space().blocked(board)] = 0
        return np.asarray(kernels.number_groups(keys, leaves if self.grouping.identity == "river" else leaves[:0]))

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
    kind = {"rank": kernels.RANK, "strength": kernels.STRENGTH, "opponent_view": kernels.OPPONENTS}[distance]
    return np.asarray(kernels.leaf_hashes(kind, np.array(flop, dtype=np.int8), hand_space().holes))
