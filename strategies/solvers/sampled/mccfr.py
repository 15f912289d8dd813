"""Monte Carlo CFR on a betting tree, for deals that somebody samples for it; external sampling is here."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from math import inf
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.abstraction.betting import BettingTree
from limpet.strategies.base.sampling import mix
from limpet.strategies.solvers.sampled import mccfr_kernels as kernels
from limpet.strategies.solvers.sampled.mccfr_kernels import ALL_IN, Passed, Queue, SampledTables, play_and_learn
from limpet.strategies.solvers.sampled.sampling_layout import sampled_tree

BATCH = 4096
"""Deals between two looks at the clock; fixed, because the random numbers depend on it."""
SETTLED = 1 << 20
"""Number of table entries up to which averages of rounds after the first are settled too."""
UNDISCOUNTED = 1024
"""Batches between two settlings where no period ends; fixed, because the rounding depends on it."""


class DealSampler(Protocol):
    """Draws deals. `sample` must be a pure function of its seed and release the interpreter lock in its work."""

    @property
    def num_buckets(self) -> tuple[int, ...]: ...

    def sample(self, seed: int, count: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return buckets ``[count, P, rounds]`` and showdown ranks ``[count, P]``, higher wins."""


class BatchSolver(ABC):
    """Monte Carlo CFR (Lanctot et al. 2009; linear weights after Brown & Sandholm 2019), whatever it samples.

    The weights are applied by periods: at the end of period n all regrets and averages are multiplied by n / (n + 1),
    so that a rarely visited row loses the whole gap since its last visit at once.

    A probability added to a float32 sum of 2^24 is lost or rounded to a whole, and after some billion iterations the sums
    of the first round are that large. At the end of every period they therefore move to float64 sums, and the float32
    sums begin at zero again. Regrets stay in float32. Large negative regrets lose precision, but their actions are never
    played. Positive regrets grow with the square root of the visits, to about 10^7 chips; one deal changes them by
    hundreds, so that rounding is far below sampling noise.

    Attributes:
        regret: float32 sums of regrets, in the layout of `BettingTree.row_offset`.
        average: float32 sums of strategies that have not settled, in the same layout; `average_sums` has all.
        early: int64 ``[E]``: entries of the average that settle.
        settled: float64 ``[E]``: settled sums of these entries.
        iteration: deals or boards traversed by every player so far.
        visits: decision nodes visited so far.
    """

    batch = 1
    """Iterations between two looks at the clock."""
    alpha, gamma = 1.0, 1.0
    """Period n keeps n^α / (n^α + 1) of positive regrets and (n / (n + 1))^γ of averages."""

    def __init__(
        self, tree: BettingTree, num_buckets: tuple[int, ...], seed: int, threads: int = 1, period: int = 0,
        periods: int = 0,
    ) -> None:  # fmt: skip
        """`period`: iterations between two discounts (0: never); `periods`: number of discounts."""
        if period % self.batch:
            raise ValueError(f"a discount period of {period} iterations is not a multiple of {self.batch}")
        self.tree, self.num_buckets, self.seed, self.threads = tree, num_buckets, seed, threads
        self.period, self.periods = period, periods
        self.iteration = 0
        self.visits = 0
        offset = tree.row_offset(num_buckets)
        self.regret = np.zeros(int(offset[-1]), np.float32)
        self.average = np.zeros(int(offset[-1]), np.float32)
        self.early = _early_entries(tree, offset)
        self.settled = np.zeros(len(self.early), np.float64)
        # In a small game all entries settle, ten times as fast by a slice as by their indices.
        self._early: NDArray[np.int64] | slice = self.early if len(self.early) < len(self.average) else slice(None)

    def average_sums(self) -> NDArray[np.float32]:
        """Return the sums of strategies, settled or not, each rounded once: a new table in the layout of `average`."""
        sums = self.average.copy()
        sums[self._early] = self.settled + self.average[self._early]
        return sums

    def settle(self) -> None:
        """Move sums of the first round to float64."""
        self.settled += self.average[self._early]
        self.average[self._early] = 0

    @abstractmethod
    def _iterate(self, number: int, thread: int) -> int:
        """Update the tables with the batch of a number, in a thread's scratch; return the decisions visited."""

    def _discount(self, n: int) -> None:
        """Discount `regret` and `average` at the end of period n."""
        factor = np.float32(n / (n + 1))
        self.regret *= factor
        self.average *= factor

    def period_end(self) -> int:
        """Return the iteration at which sums are settled and discounted next."""
        discounting = self.iteration < self.period * self.periods
        period = self.period if discounting else UNDISCOUNTED * self.batch
        return (self.iteration // period + 1) * period

    def end_period(self) -> None:
        """Settle the averages, and discount all sums if there still are periods, at the iteration of `period_end`."""
        self.settle()
        if self.iteration <= self.period * self.periods:
            n = self.iteration // self.period
            self._discount(n)
            self.settled *= (n / (n + 1)) ** self.gamma

    def run(self, iterations: int, stop: Callable[[], bool] | None = None) -> None:
        """Do `iterations` more, rounded up to whole batches, unless `stop` returns true before.

        Threads share the tables without locks; a lost update is rare and only noise. One thread is bit-exact.
        """
        stop = stop or (lambda: False)
        target = self.iteration + -(-iterations // self.batch) * self.batch
        while self.iteration < target and not stop():
            end = self.period_end()
            self._run_batches(range(self.iteration // self.batch, min(end, target) // self.batch), stop)
            if self.iteration == end:
                self.end_period()

    def _run_batches(self, batches: Sequence[int], stop: Callable[[], bool]) -> None:
        pending = iter(batches)
        lock = threading.Lock()
        failures: list[BaseException] = []

        def work(thread: int) -> None:
            try:
                while not stop() and not failures:
                    with lock:
                        batch = next(pending, None)
                    if batch is None:
                        return
                    visits = self._iterate(batch, thread)
                    with lock:
                        self.visits += visits
                        self.iteration += self.batch
            except BaseException as error:  # noqa: BLE001 - raised again by the thread that waits
                failures.append(error)

        if self.threads == 1:
            work(0)
        else:
            workers = [threading.Thread(target=work, args=(thread,), daemon=True) for thread in range(self.threads)]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()
        if failures:
            raise failures[0]

    def state_arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return everything that a later run needs to go on, bit-exact on one thread."""
        return {
            "regret": self.regret,
            "average": self.average,
            "settled": self.settled,
            "iteration": np.array(self.iteration),
            "visits": np.array(self.visits),
        }

    def restore(self, arrays: dict[str, NDArray[np.generic]]) -> None:
        """Take the state of `state_arrays`. Raise `ValueError` if the tables are of another tree or abstraction."""
        if arrays["regret"].shape != self.regret.shape:
            raise ValueError(f"the checkpoint has {arrays['regret'].size} entries, this run {self.regret.size}")
        self.regret[:] = arrays["regret"]
        self.average[:] = arrays["average"]
        self.settled[:] = arrays.get("settled", np.zeros(1))
        self.iteration = int(arrays["iteration"])
        self.visits = int(arrays["visits"])


class SampledSolver(BatchSolver):
    """A solver that learns from deals: one hand for each player and a board."""

    batch = BATCH

    def __init__(
        self, tree: BettingTree, sampler: DealSampler, seed: int, threads: int = 1, period: int = 0, periods: int = 0
    ) -> None:
        super().__init__(tree, sampler.num_buckets, seed, threads, period, periods)
        self.sampler = sampler
        self._flat = sampled_tree(tree, sampler.num_buckets)

    def _iterate(self, number: int, thread: int) -> int:
        buckets, ranks = self.sampler.sample(mix(self.seed, number, 0), BATCH)
        return self._traverse(buckets, ranks, np.uint64(mix(self.seed, number, 1)), thread)

    @abstractmethod
    def _traverse(self, buckets: NDArray[np.int32], ranks: NDArray[np.int32], seed: np.uint64, thread: int) -> int:
        """Update the tables with a batch of deals, using the scratch of a thread; return the decision nodes visited."""


class Pruning(NamedTuple):
    """Regret-based pruning (Brown & Sandholm 2015, 2019): 95 % of traversals skip actions of very negative regret.

    Attributes:
        below: regret, in chips, below which actions are skipped; negative.
    """

    start: int
    """Iteration at which pruning begins. From the first on it would cost exploitability: early regrets mean little."""
    below: float

    @property
    def floor(self) -> float:
        """Least regret that is kept, in chips, so that a skipped action is never far from being tried again."""
        return self.below * 31 / 30


class ExternalSampling(SampledSolver):
    """External sampling: one player tries all actions, everybody else and chance draw one (`mccfr_kernels.traverse`)."""

    def __init__(
        self, tree: BettingTree, sampler: DealSampler, seed: int, threads: int = 1, period: int = 0, periods: int = 0,
        odds: NDArray[np.float32] | None = None, pruning: Pruning | None = None,
    ) -> None:  # fmt: skip
        """Set up a run.

        With `odds`, float32 ``[B, B]`` of P(win) - P(loss) between buckets of round 0 over all boards, an all-in before the
        first board card is worth these instead of one board's result. Raises `ValueError` unless two play.
        """
        super().__init__(tree, sampler, seed, threads, period, periods)
        self.pruning = pruning
        if odds is not None:
            buckets = sampler.num_buckets[0]
            if tree.game.num_players != 2 or odds.shape != (buckets, buckets):
                raise ValueError(f"odds are for two players with {buckets} buckets each, not of shape {odds.shape}")
            self._flat = self._flat._replace(folded=self._flat.folded | ALL_IN * early_all_ins(tree))
        self._odds = np.zeros((0, 0), np.float32) if odds is None else np.ascontiguousarray(odds, np.float32)
        most, length = int(tree.num_actions.max()), len(tree.decisions)
        self._queues = [
            Queue(
                node=np.empty(length, np.int32),
                row=np.empty(length, np.int64),
                slot=np.empty(length, np.int64),
                own=np.empty(length, np.int64),
                sigma=np.empty(length * most, np.float32),
                value=np.empty(length * most + 1, np.float32),
            )
            for _ in range(threads)
        ]

    def _traverse(self, buckets: NDArray[np.int32], ranks: NDArray[np.int32], seed: np.uint64, thread: int) -> int:
        below, floor = -inf, -inf
        if self.pruning is not None and self.iteration >= self.pruning.start:
            below, floor = self.pruning.below, self.pruning.floor
        tables = SampledTables(self.regret, self.average, self._odds, np.float32(below), np.float32(floor))
        return kernels.traverse(buckets, ranks, seed, self._flat, tables, self._queues[thread])


def _early_entries(tree: BettingTree, offset: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the table entries that are visited most: those of the first round, and of further ones in small games."""
    decisions = tree.decisions
    entries = np.diff(offset)[decisions]
    by_round = np.cumsum(np.bincount(tree.round[decisions], entries, tree.game.num_rounds))
    last = max(tree.root.round, int(np.searchsorted(by_round, SETTLED, side="right")) - 1)
    early = decisions[tree.round[decisions] <= last]
    return np.concatenate([np.arange(offset[node], offset[node + 1]) for node in early])


def early_all_ins(tree: BettingTree) -> NDArray[np.int32]:
    """Return int32 ``[T]``: 1 at terminals where nobody folded and nobody acts after the tree's first round."""
    terminals = tree.terminals
    first = tree.round[tree.parent[terminals]] == 0
    early: NDArray[np.int32] = (first & (tree.folded[terminals] == 0)).astype(np.int32)
    return early


# --- Outcome-sampling MCCFR: learns from one played hand at a time.


class OutcomeSampling(SampledSolver):
    """The learner explores a little, everybody draws one action, and importance weights set it right.

    An iteration costs no more than a hand, so it suits trees too wide to be walked; its estimates vary much more than
    those of `ExternalSampling`, which is the better choice wherever a traversal is cheap.

    The average strategy is weighted stochastically: a visit to a node of the player beside the learner adds its current
    strategy divided by the probability with which the learner went there. Its expectation is the reach-weighted average
    of CFR, without walking the tree.
    """

    def __init__(
        self, tree: BettingTree, sampler: DealSampler, seed: int, threads: int = 1, period: int = 0, periods: int = 0,
        exploration: float = 0.6,
    ) -> None:  # fmt: skip
        """`exploration`: share of the learner's draws that are uniform (Lanctot's ε), above 0 and at most 1."""
        super().__init__(tree, sampler, seed, threads, period, periods)
        self.exploration = exploration
        levels = int(tree.depth.max())
        self._passed = [
            Passed(
                row=np.empty(levels, np.int64),
                node=np.empty(levels, np.int32),
                action=np.empty(levels, np.int32),
                probability=np.empty(levels, np.float32),
                sigma=np.empty(int(tree.num_actions.max()), np.float32),
            )
            for _ in range(threads)
        ]

    def _traverse(self, buckets: NDArray[np.int32], ranks: NDArray[np.int32], seed: np.uint64, thread: int) -> int:
        return play_and_learn(
            buckets, ranks, seed, self._flat, self.regret, self.average, self.exploration, self._passed[thread]
        )
