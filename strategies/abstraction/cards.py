"""The interface of every card abstraction, how a config names one, and buckets that tell all hands apart.

The section `clustered` of a config has a method and a number of buckets for each street.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import comb, prod
from typing import Annotated, Any, Literal, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.protocol.cards import cards_text
from limpet.protocol.gamedef import GameDef
from limpet.strategies.cards.handspace import game_hands, read_only

MOST_CLUSTERS = 65535
"""Most buckets of a street: tables are uint16, and their highest number stands for no bucket."""

Count = Annotated[int, msgspec.Meta(ge=1, le=MOST_CLUSTERS)]
Points = Annotated[int, msgspec.Meta(ge=1, le=128)]


class _Method(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="method"):
    """A method that makes the buckets of a street."""

    @property
    def most(self) -> int:
        """Return the largest number of buckets that the method can make: the product of its numbers of parts."""
        return prod(getattr(self, parts, 1) for parts in ("buckets", "squared", "boards"))


class Strength(_Method, frozen=True, tag="strength"):
    """Percentiles of E[HS], the expected hand strength."""

    buckets: Count = 200


class Nested(_Method, frozen=True, tag="nested"):
    """Percentiles of E[HS], in each `squared` percentiles of E[HS²]: of equal strength, draws lie above made hands."""

    buckets: Count = 40
    squared: Count = 5


class EarthMover(_Method, frozen=True, tag="emd"):
    """Clusters of hands by the distribution of their strength on the river, by earth mover's distance.

    The distribution is read at `points` strengths. There are `boards` clusters of boards (the public abstraction; 1 is none),
    each with `buckets` clusters of hands.
    """

    buckets: Count = 1000
    boards: Count = 1
    points: Points = 32


class PotentialAware(_Method, frozen=True, tag="potential"):
    """Clusters of flop hands by the turn buckets they may get (Ganzfried & Sandholm 2014). The turn must be emd.

    A cluster's centre keeps its heaviest turn buckets, as many as `support`.
    """

    buckets: Count = 1000
    support: Annotated[int, msgspec.Meta(ge=1, le=256)] = 64


class OpponentClusters(_Method, frozen=True, tag="ochs"):
    """Clusters of river hands by their equity against eight groups of the starting hands (Johanson et al. 2013).

    `buckets` and `boards` are as in `EarthMover`.
    """

    buckets: Count = 500
    boards: Count = 1


FlopMethod = Strength | Nested | EarthMover | PotentialAware
TurnMethod = Strength | Nested | EarthMover
RiverMethod = Strength | OpponentClusters
Method = Strength | Nested | EarthMover | PotentialAware | OpponentClusters


class Clustered(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="clustered"):
    """Hold'em: 169 classes before the flop, then a method for each street.

    Attributes:
        recall: ``imperfect``: the buckets of a street stand alone. ``perfect``: a bucket is the sequence of those of
            all streets so far, so their numbers multiply.
        seed: seed of the samples and of the first centres of clusters.
        sample: most hands that shape the clusters; all hands are then assigned to them.

    Raises `ValueError` for a street of more buckets than its table can tell apart.
    """

    flop: FlopMethod = EarthMover(2000)
    turn: TurnMethod = EarthMover(1000)
    river: RiverMethod = OpponentClusters(500)
    recall: Literal["imperfect", "perfect"] = "imperfect"
    seed: Annotated[int, msgspec.Meta(ge=0)] = 0
    sample: Annotated[int, msgspec.Meta(ge=1)] = 1_000_000

    def __post_init__(self) -> None:
        for street, method in (("flop", self.flop), ("turn", self.turn), ("river", self.river)):
            if method.most > MOST_CLUSTERS:
                raise ValueError(
                    f"the {street} would have {method.most:,} buckets, and a street has at most {MOST_CLUSTERS:,}; "
                    "lower one of the two numbers that multiply to them"
                )


MOST_PERCENTILES = 255
"""Most percentiles of a street: buckets are bytes, and one value stands for blocked hands."""
Percentiles = Annotated[int, msgspec.Meta(ge=1, le=MOST_PERCENTILES)]


FEW_HANDS = 2
"""Number of hands up to which their buckets on a board take less time one by one than the buckets of all hands."""


class CardAbstraction(Protocol):
    """Buckets of hands in every round of a game."""

    kind: str

    def num_buckets(self, round_: int, /) -> int:
        """Return the number of buckets of a round."""

    def bucket_vector(self, round_: int, board: tuple[int, ...], /) -> NDArray[np.integer]:
        """Return the bucket of every hand of the hand space, negative where the board blocks it; read-only."""

    def bucket(self, round_: int, board: tuple[int, ...], hand: int, /) -> int:
        """Return the bucket of one hand of the hand space. Raises `ValueError` where the board blocks the hand."""
        bucket = int(self.bucket_vector(round_, board)[hand])
        if bucket < 0:
            raise ValueError(f"hand {hand} holds a card of the board")
        return bucket

    def dealt_buckets(self, round_: int, boards: NDArray[np.int8], hands: NDArray[np.int64]) -> NDArray[np.integer]:
        """Return ``[D, P]``: the buckets of hands ``[D, P]`` of the hand space, dealt with boards ``[D, cards]`` that miss them."""
        found = np.empty(hands.shape, np.int64)
        different, member = np.unique(boards, axis=0, return_inverse=True)
        order = np.argsort(member.reshape(-1), kind="stable")
        ends = np.cumsum(np.bincount(member.reshape(-1), minlength=len(different)))
        start = 0
        for board, end in zip(map(tuple, different.tolist()), ends.tolist(), strict=True):
            of_board = order[start:end]
            held = hands[of_board]
            if held.size <= FEW_HANDS:
                found[of_board] = [[self.bucket(round_, board, hand) for hand in deal] for deal in held.tolist()]
            else:
                found[of_board] = self.bucket_vector(round_, board)[held]
            start = end
        return found

    def hash(self) -> str:
        """Return the SHA-256, in hex, of everything that the buckets depend on."""

    def to_tensors(self) -> Mapping[str, NDArray[Any]]:
        """Return the arrays that a strategy file must hold to make equal buckets while playing."""


class Lossless(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="lossless"):
    """No abstraction: every hand on every board is a bucket of its own, for small games."""


class StrengthPercentile(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="strength-percentile"
):
    """Hold'em: 169 classes before the flop, then `buckets` percentiles of expected hand strength on flop, turn and river."""

    buckets: tuple[Percentiles, Percentiles, Percentiles] = (200, 200, 200)


CardConfig = Lossless | StrengthPercentile | Clustered


# --- The card abstraction `lossless`: every hand on every board is a bucket of its own.

KIND = "lossless"
_BOARDS_KEPT = 256  # bucket vectors in memory
MOST_BUCKETS = 20_000_000
"""Most buckets of a round: a table of some gigabytes."""


class LosslessBuckets(CardAbstraction):
    """Buckets ``board * H + hand``: `hand` in the game's `HandSpace` of H hands, `board` a mixed-radix number.

    The digits of `board` are the colex ranks of the cards dealt in each round among those left in the deck.
    """

    kind = KIND

    def __init__(self, game: GameDef) -> None:
        """Raise `ValueError` if a round has over `MOST_BUCKETS` buckets."""
        self.game = game
        self._space = game_hands(game)
        self._vector = lru_cache(maxsize=_BOARDS_KEPT)(self._work_out)
        self._boards: list[int] = []
        boards, left = 1, len(self._space.deck)
        for round_, cards in enumerate(game.num_board_cards):
            boards *= comb(left, cards)
            left -= cards
            self._boards.append(boards)
            if self.num_buckets(round_) > MOST_BUCKETS:
                raise ValueError(
                    f"lossless buckets: {boards:,} boards of round {round_} times {self._space.size:,} hands are "
                    f"{self.num_buckets(round_):,} buckets, the limit is {MOST_BUCKETS:,}; choose a coarser card abstraction"
                )

    def num_buckets(self, round_: int) -> int:
        """Return the number of boards of a round times hands; pairs that share a card never occur."""
        return self._boards[round_] * self._space.size

    def bucket_vector(self, round_: int, board: Sequence[int]) -> NDArray[np.int32]:
        """Return int32 ``[H]``, read-only: bucket of every hand, -1 where it shares a card with `board`.

        `board` holds the cards in dealing order; the order of those dealt together does not matter. Recent boards are
        kept. Raises `ValueError` for a board of another size, a repeated card, or one that is not in the deck.
        """
        return self._vector(round_, tuple(board))

    def _work_out(self, round_: int, board: tuple[int, ...]) -> NDArray[np.int32]:
        first = self._board_number(round_, board) * self._space.size
        vector = np.arange(first, first + self._space.size, dtype=np.int32)
        vector[self._space.blocked(board)] = -1
        return read_only(vector)

    def _board_number(self, round_: int, board: Sequence[int]) -> int:
        """Return the mixed-radix number of a board, checked."""
        if len(board) != self.game.board_sizes[round_]:
            raise ValueError(f"round {round_} has {self.game.board_sizes[round_]} board cards, not {len(board)}")
        left = list(self._space.deck)
        number = start = 0
        for end in self.game.board_sizes[: round_ + 1]:
            dealt = sorted(board[start:end])
            missing = [card for card in dealt if card not in left]
            if missing or len(set(dealt)) < len(dealt):
                raise ValueError(f"the board {cards_text(board)} has a card twice or one that is not in the deck")
            colex = sum(comb(left.index(card), i + 1) for i, card in enumerate(dealt))
            number = number * comb(len(left), end - start) + colex
            left = [card for card in left if card not in dealt]
            start = end
        return number

    def hash(self) -> str:
        """Return the SHA-256, in hex, over the kind and the cards of the game; they determine every bucket."""
        game = self.game
        head = json.dumps([KIND, self._space.deck, game.num_hole_cards, game.num_board_cards])
        return hashlib.sha256(head.encode()).hexdigest()

    def to_tensors(self) -> dict[str, NDArray[np.generic]]:
        """Return no arrays: the game determines the buckets."""
        return {}
