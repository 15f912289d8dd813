"""Public chance sampling (Johanson et al. 2012): a board at a time for all hands, into tables by bucket."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.sampling import mix
from limpet.strategies.solving.mccfr import BatchSolver
from limpet.strategies.solving.public_sampling_kernels import SeenBoard, Space, discount, walk
from limpet.strategies.trees.betting import BettingTree

_walk: Any = walk  # its arguments come as tuples, which the checker cannot count


class BoardSampler(Protocol):
    """Draws boards. `sample` must be a pure function of its seed."""

    @property
    def num_buckets(self) -> tuple[int, ...]: ...

    @property
    def num_cards(self) -> int:
        """How many values the cards of a `SeenBoard` may have."""

    def sample(self, seed: int) -> SeenBoard: ...


class PublicChanceSampling(BatchSolver):
    """One board an iteration; each player walks the whole tree on it with all hands against all hands. Heads-up.

    Each player of one iteration has a board of its own: on the same one the second would answer to regrets that have
    just seen it. At the end of period n regrets above zero are multiplied by n^α / (n^α + 1), those below by the same
    with β, and averages by (n / (n + 1))^γ: DCFR (Brown & Sandholm 2019) by periods, linear with all three at 1. A
    rarely visited row therefore loses the whole gap since its last visit.
    """

    sampler: BoardSampler

    def __init__(
        self,
        tree: BettingTree,
        sampler: BoardSampler,
        seed: int,
        threads: int = 1,
        period: int = 0,
        periods: int = 0,
        alpha: float = 1.0,
        beta: float = 1.0,
        gamma: float = 1.0,
    ) -> None:
        """Raises `ValueError` unless two players play."""
        if tree.game.num_players != 2:
            raise ValueError(f"public chance sampling is for two players, not {tree.game.num_players}; use mccfr")
        super().__init__(tree, sampler.num_buckets, seed, threads, period, periods)
        self.sampler = sampler
        self.alpha, self.beta, self.gamma = alpha, beta, gamma
        self._spaces: dict[tuple[int, int], Space] = {}

    def _iterate(self, number: int, thread: int) -> int:
        visits = 0
        for player in (0, 1):
            board = self.sampler.sample(mix(self.seed, number, player))
            space = self._space(thread, len(board.run_end))
            visits += int(_walk(player, board, *self._arrays, self.regret, self.average, space))
        return visits

    def _discount(self, n: int) -> None:
        positive, negative = (np.float32(n**power / (n**power + 1)) for power in (self.alpha, self.beta))
        discount(self.regret, self.average, positive, negative, np.float32((n / (n + 1)) ** self.gamma))

    def _space(self, thread: int, hands: int) -> Space:
        """Scratch of a thread for boards with that many hands; it is the same number on all boards of a game."""
        if (thread, hands) not in self._spaces:
            tree = self.tree
            depth_of = np.zeros(tree.num_nodes, np.int64)
            for node in tree.decisions:
                depth_of[tree.edge_child[tree.first_edge[node] : tree.first_edge[node + 1]]] = depth_of[node] + 1
            depth, most = int(depth_of.max()), int(tree.num_actions.max())
            self._spaces[thread, hands] = Space(
                node=np.zeros(depth, np.int32),
                action=np.zeros(depth, np.int32),
                reach=np.zeros((depth + 1, hands), np.float32),
                value=np.zeros((depth + 1, hands), np.float32),
                sigma=np.zeros((depth, most, hands), np.float32),
                gain=np.zeros((depth, most, hands), np.float32),
                sums=np.zeros(hands, np.float32),
                holding=np.zeros(self.sampler.num_cards, np.float32),
            )
        return self._spaces[thread, hands]


def seen_board(cards: NDArray[np.integer], run_end: NDArray[np.int32], buckets: NDArray[np.integer]) -> SeenBoard:
    """From the cards of the hands ``[H, 2]``, their runs and their buckets ``[R, H]``."""
    local = np.zeros(buckets.shape, np.uint16)
    bucket = np.zeros(buckets.shape, np.int64)
    present = np.zeros(len(buckets), np.int64)
    for round_, of_round in enumerate(buckets):
        found, local[round_] = np.unique(of_round, return_inverse=True)
        present[round_] = len(found)
        bucket[round_, : len(found)] = found
    first, second = (np.ascontiguousarray(cards[:, i], np.uint8) for i in (0, 1))
    return SeenBoard(first, second, np.ascontiguousarray(run_end, np.int32), local, bucket, present)
