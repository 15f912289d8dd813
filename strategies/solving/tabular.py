"""Full-width counterfactual regret minimisation on small games: CFR, CFR+, linear and discounted CFR."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf, isinf

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.solving import tabular_kernels as kernels
from limpet.strategies.solving.deals import Deals
from limpet.strategies.solving.dealt_tree import dealt_tree, new_scratch
from limpet.strategies.trees.betting import BettingTree

CHUNK_VISITS = 20_000_000  # nodes times deals in one kernel call: some 50 milliseconds


@dataclass(frozen=True)
class Discounts:
    """What one iteration makes of the sums before it, after Brown & Sandholm (2019).

    With t iterations done, positive regrets are multiplied by t^α / (t^α + 1), negative ones by t^β / (t^β + 1) and
    averages by (t / (t + 1))^γ; then the new regrets and reach-weighted policies are added. Infinity keeps all of a
    regret and minus infinity none, so that CFR+ (Tammelin 2014: negative regrets are dropped, iteration t weighs t)
    belongs to the family too.
    """

    alpha: float
    beta: float
    gamma: float

    def schedule(self, done: int, count: int) -> NDArray[np.float64]:
        """float64 ``[count, 3]``: the factors of the iterations that follow the first `done`."""
        t = np.maximum(np.arange(done, done + count, dtype=np.float64), 1.0)  # with none done there is nothing to keep
        return np.column_stack([_kept(t, self.alpha), _kept(t, self.beta), (t / (t + 1.0)) ** self.gamma])


def _kept(t: NDArray[np.float64], exponent: float) -> NDArray[np.float64]:
    if isinf(exponent):
        return np.full_like(t, 1.0 if exponent > 0 else 0.0)
    return 1.0 / (1.0 + t**-exponent)


CFR = Discounts(alpha=inf, beta=inf, gamma=0.0)
CFR_PLUS = Discounts(alpha=inf, beta=-inf, gamma=1.0)
LINEAR_CFR = Discounts(alpha=1.0, beta=1.0, gamma=1.0)
DCFR = Discounts(alpha=1.5, beta=0.0, gamma=2.0)
ALGORITHMS = {"cfr": CFR, "cfr+": CFR_PLUS, "lcfr": LINEAR_CFR, "dcfr": DCFR}


class TabularSolver:
    """Minimises regrets over the whole tree and all deals at once, for any number of players.

    Attributes:
        iteration: iterations done; each updates every player once.
        policy: float64 table of the current strategy, in the layout of `BettingTree.row_offset`.
    """

    def __init__(
        self, tree: BettingTree, deals: Deals, algorithm: str | Discounts = CFR_PLUS, alternating: bool = True
    ) -> None:
        """`algorithm` is a name in `ALGORITHMS` or other discounts. Raises `ValueError` for an unknown name."""
        if isinstance(algorithm, str):
            if algorithm not in ALGORITHMS:
                raise ValueError(f"algorithm {algorithm!r} is not one of {', '.join(ALGORITHMS)}")
            algorithm = ALGORITHMS[algorithm]
        self.tree = tree
        self.deals = deals
        self.discounts = algorithm
        self.alternating = alternating
        self.iteration = 0
        self._dealt = dealt_tree(tree, deals)
        self._scratch = new_scratch(self._dealt)
        entries = int(self._dealt.row[-1])
        self._regret = np.zeros(entries)
        self._average = np.zeros(entries)
        self.policy = np.empty(entries)
        kernels.match_regrets(self._dealt, self._regret, self.policy)

    def run(self, iterations: int, callback: Callable[[int], bool | None] | None = None) -> None:
        """Do `iterations` more. Between chunks of some 50 ms, `callback(iteration)` may end the run by a true answer.

        How a run is cut into chunks or calls does not change its result.
        """
        visits = self.tree.num_nodes * len(self.deals) * self.tree.game.num_players
        chunk = min(max(1, CHUNK_VISITS // visits), 50_000)
        target = self.iteration + iterations
        while self.iteration < target:
            count = min(chunk, target - self.iteration)
            schedule = self.discounts.schedule(self.iteration, count)
            kernels.iterate(
                self._dealt, schedule, self.alternating, self._regret, self._average, self.policy, self._scratch
            )
            self.iteration += count
            if callback is not None and callback(self.iteration):
                return

    def average(self) -> NDArray[np.float64]:
        """The average strategy, which converges to an equilibrium (two players); uniform where never reached."""
        table = np.empty_like(self._average)
        kernels.normalise(self._dealt, self._average, table)
        return table

    def state_arrays(self) -> dict[str, NDArray[np.generic]]:
        """Everything a later run needs to go on, bit for bit. The arrays are the solver's own: save them at once."""
        return {"regret": self._regret, "average": self._average, "iteration": np.array(self.iteration)}

    def restore(self, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """The inverse of `state_arrays`. Raises `ValueError` if the tables are missing or of another tree."""
        for name in ("regret", "average", "iteration"):
            if name not in arrays:
                raise ValueError(f"the checkpoint lacks the array {name!r}")
        for name in ("regret", "average"):
            if arrays[name].shape != self._regret.shape:
                raise ValueError(
                    f"the checkpoint's {name!r} has {arrays[name].size:,} entries, this game {self._regret.size:,}"
                )
        self._regret[:] = arrays["regret"]
        self._average[:] = arrays["average"]
        self.iteration = int(arrays["iteration"])
        kernels.match_regrets(self._dealt, self._regret, self.policy)
