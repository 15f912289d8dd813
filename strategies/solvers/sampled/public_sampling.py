"""Public chance sampling (Johanson et al. 2012): a board at a time for all hands, into tables by bucket."""

from collections.abc import Hashable, Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.abstraction.betting import BettingTree
from limpet.strategies.abstraction.cards import CardAbstraction
from limpet.strategies.base.sampling import mix
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.ranking_kernels import hand_strengths
from limpet.strategies.solvers.lanes_kernels import WIDTH, in_lanes
from limpet.strategies.solvers.sampled.mccfr import BatchSolver
from limpet.strategies.solvers.sampled.public_sampling_kernels import SamplingSpace, discount, walk
from limpet.strategies.solvers.sampled.sampling_layout import SamplingLayout, public_layout
from limpet.strategies.solvers.sampled.seen_boards import SeenBoard, SeenBoards, seen_board
from limpet.strategies.solvers.schedule import kept

# --- Runouts of a flop as public chance sampling takes them, with the ranges that both players hold there.

ROUNDS = 48
"""Number of rounds of 49 runouts in which no runout of a flop comes twice."""
LIVE_HANDS = 1081
"""Number of hands that miss a board of five cards."""
FLOPS_KEPT = 1
"""Number of flops whose runouts are kept for other solves, 50 MB each."""


class Runouts:
    """Runouts of one flop. On the flop every hand is a bucket of its own; turn and river have the buckets of `cards`.

    Attributes:
        flop: three card ids.
        ranges: float32 ``[2, 1326]``: how often each player comes to the flop with each hand.
        num_buckets: number of buckets per round; none are needed before the flop.
        num_cards, num_hands: as in `SeenBoards`.
    """

    num_cards = 52
    num_hands = LIVE_HANDS

    def __init__(self, flop: tuple[int, ...], ranges: NDArray[np.float32], cards: CardAbstraction) -> None:
        self.flop, self.ranges, self._cards = flop, ranges, cards
        self.hands = np.flatnonzero(~hand_space().blocked(flop))
        """intp ``[1176]``: the hand behind each bucket of the flop."""
        self.num_buckets = 0, len(self.hands), cards.num_buckets(2), cards.num_buckets(3)
        self._weights = ranges[:, self.hands]
        self._order = list(run_outs(flop, ROUNDS, seed=0))
        assert isinstance(cards, Hashable)  # by identity
        self._seen_boards = _made_ready(flop, cards)

    @property
    def number(self) -> int:
        """Number of all runouts: 2,352 turns and rivers, in either order."""
        return len(self._order)

    def sample(self, number: int) -> SeenBoard:
        """Return the runout of a number, 0, 1, …, with the weights of the ranges; after all 2,352 they come again."""
        number %= len(self._order)
        if number not in self._seen_boards:
            self._seen_boards[number] = self._of_board(self.board(number))
        seen = self._seen_boards[number]
        return seen._replace(weight=np.take(self._weights, seen.local[0], axis=1))

    def board(self, number: int) -> tuple[int, ...]:
        """Return the five cards of a runout."""
        return (*self.flop, *self._order[number % len(self._order)])

    def _of_board(self, board: tuple[int, ...]) -> SeenBoard:
        space = hand_space()
        strengths = hand_strengths(np.array(board, np.int8), space.holes)
        live = np.flatnonzero(strengths >= 0)
        hands = live[np.argsort(strengths[live], kind="stable")]
        weakest = strengths[hands]
        of_flop = np.searchsorted(self.hands, hands)
        later = [self._cards.bucket_vector(street, board[: 2 + street])[hands] for street in (2, 3)]
        run_end = np.searchsorted(weakest, weakest, side="right").astype(np.int32)
        return seen_board(space.holes[hands], run_end, np.array([of_flop, *later]), len(self.hands))


@lru_cache(maxsize=FLOPS_KEPT)
def _made_ready(flop: tuple[int, ...], cards: CardAbstraction) -> dict[int, SeenBoard]:
    """Return the runouts of a flop that were made ready so far, by number.

    All solves of the flop share and extend them: making one ready takes as long as walking it in a small tree.
    """
    return {}


def run_outs(flop: tuple[int, ...], rounds: int, seed: int) -> Iterator[tuple[int, int]]:
    """Yield (turn, river) pairs: `rounds` times 49, in each round every card once as the turn and once as the river.

    The cards lie in a circle, in an order drawn by the seed; in a round the river lies a fixed number of steps after the
    turn. No pair comes twice in `ROUNDS` rounds. Independent draws would complete a flush draw of nine outs 2.2 ± 1.3
    times in twelve turns, which is an error of all its hands at once.
    """
    draw = np.random.Generator(
        np.random.Philox(key=[seed, sum(card * 52**position for position, card in enumerate(flop))])
    )
    circle = draw.permutation([card for card in range(52) if card not in flop]).tolist()
    for step in draw.permutation(ROUNDS)[:rounds].tolist():
        yield from zip(circle, circle[step + 1 :] + circle[: step + 1], strict=True)


class PublicChanceSampling(BatchSolver):
    """A solver for two players. In each iteration each player walks the whole tree, all hands against all, on one board.

    The players of one iteration have different boards: on the same board the second would answer to regrets that have just
    seen it. At the end of period n regrets above zero are multiplied by n^α / (n^α + 1), those below by the same with β,
    and averages by (n / (n + 1))^γ: DCFR (Brown & Sandholm 2019) by periods, linear with all three at 1. A rarely visited
    row therefore loses the whole gap since its last visit.
    """

    def __init__(
        self, tree: BettingTree, sampler: SeenBoards | Runouts, seed: int, threads: int = 1, period: int = 0,
        periods: int = 0, alpha: float = 1.0, beta: float = 1.0, gamma: float = 1.0,
        odds: NDArray[np.float32] | None = None,
    ) -> None:  # fmt: skip
        """Set up a run. Raises `ValueError` unless two players play.

        odds: float32 ``[B, B]``: P(win) - P(loss) between buckets of round 0 over all boards, by which all-ins before the first
        board card are then valued instead of by one board's result. Runouts of a flop need none.
        """
        if tree.game.num_players != 2:
            raise ValueError(f"public chance sampling is for two players, not {tree.game.num_players}; use mccfr")
        super().__init__(tree, sampler.num_buckets, seed, threads, period, periods)
        self.sampler = sampler
        self.alpha, self.beta, self.gamma = alpha, beta, gamma
        if odds is not None and odds.shape != (sampler.num_buckets[0],) * 2:
            raise ValueError(f"odds are between the {sampler.num_buckets[0]} buckets of round 0, not of {odds.shape}")
        nothing = np.zeros((0, 0), np.float32)
        self._odds = nothing if odds is None else np.ascontiguousarray(odds, np.float32)
        self._pairs = nothing if odds is None or isinstance(sampler, Runouts) else sampler.pairs()
        self._layout = public_layout(tree, tree.row_offset(sampler.num_buckets), exact=odds is not None)
        buckets = sampler.num_buckets[tree.root.round :]
        self._layout_buckets = buckets[0]
        self._spaces = [_space(self._layout, buckets, sampler.num_hands, sampler.num_cards) for _ in range(threads)]

    def _iterate(self, number: int, thread: int) -> int:
        return sum(self.walk(player, self.sampler.sample(mix(self.seed, number, player)), thread) for player in (0, 1))

    def walk(self, player: int, board: SeenBoard, thread: int) -> int:
        """Update the tables for one player on one board, in a thread's working space. Return the decisions visited."""
        tables = (self.regret, self.average, self._pairs, self._odds)
        return int(walk(player, board, self._layout, *tables, self._spaces[thread]))

    def first_street_values(self, player: int, board: SeenBoard) -> NDArray[np.float32]:
        """Walk one board; return float32 ``[slot, bucket]``: chips of a player's hands at all nodes of the first street.

        They are summed over the other player's hands by reach, and multiplied by the weight of the own hand. Slots count the
        nodes as `street_below` does.
        """
        self.walk(player, board, 0)
        stride = in_lanes(self._layout_buckets)
        return self._spaces[0].gain[0, : int(self._layout.slots[0, 0]) * stride].reshape(-1, stride)

    def _discount(self, n: int) -> None:
        positive, negative = (np.float32(kept(n, power)) for power in (self.alpha, self.beta))
        discount(self.regret, self.average, positive, negative, np.float32((n / (n + 1)) ** self.gamma))


def _space(layout: SamplingLayout, buckets: tuple[int, ...], hands: int, cards: int) -> SamplingSpace:
    """Return working space for one thread, by the number of buckets of each street of the tree."""
    rounds = len(buckets)
    # All buckets of the first round occur on every board; of later rounds, no more than there are hands.
    most = [in_lanes(min(hands, count)) for count in buckets]
    most[0] = in_lanes(buckets[0])
    slots = [int(layout.slots[layout.level == level, 0].max(initial=0)) for level in range(rounds)]
    slots.append(int(layout.slots[:, 1].max()))
    entries = max(count * width for count, width in zip(slots, [*most, most[-1]], strict=True))
    leaves = int(np.diff(layout.leaf_start).max())

    def rows(row: int) -> NDArray[np.float32]:
        return np.zeros((rounds + 1, row), np.float32)

    def eights(count: int) -> NDArray[np.float32]:
        return np.zeros(count * WIDTH, np.float32)

    return SamplingSpace(
        reach=rows(entries),
        own=rows(entries),
        sigma=rows(entries),
        gain=rows(entries),
        sums=rows(max(max(most), leaves * most[-1])),
        live=np.zeros((rounds + 1, max(slots)), np.bool_),
        hand_reach=np.zeros((rounds, hands), np.float32),
        hand_value=np.zeros((rounds, in_lanes(hands)), np.float32),
        expected=np.zeros(slots[0] * most[0], np.float32),
        open_part=np.zeros(rounds, np.int64),
        chosen=np.zeros(WIDTH, np.int64),
        stakes=np.zeros((2, WIDTH), np.float32),
        upper=np.zeros((3, (max(most) + 1) * WIDTH), np.float32),
        lower=np.zeros((5, most[-1] * WIDTH), np.float32),
        mixed=eights(hands),
        passed=eights(hands + 1),
        held=eights(2 * hands + cards),
        value=eights(in_lanes(hands)),
        across=eights(WIDTH),
    )
