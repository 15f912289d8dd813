"""Full-width CFR on small games, with every algorithm of `schedule`, and exact exploitabilities."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.abstraction.betting import BettingTree
from limpet.strategies.solvers import tabular_kernels as kernels
from limpet.strategies.solvers.deals import DealtTree, EnumeratedDeals, dealt_tree, new_scratch
from limpet.strategies.solvers.schedule import Algorithm, algorithm_of

CHUNK_VISITS = 20_000_000
"""Nodes times deals that one kernel call visits, in some 50 milliseconds; Ctrl-C waits for its end."""
_KINDS = {"cfr-return-new": kernels.RETURN_NEW, "pcfr+": kernels.PREDICT, "cgh": kernels.GREEDY}


class TabularSolver:
    """Minimises regrets over the whole tree and all deals at once, for any number of players; an `iteration` updates each once.

    policy: float64 table of the current strategy, in the layout of `BettingTree.row_offset`.
    """

    def __init__(self, tree: BettingTree, deals: EnumeratedDeals, algorithm: Algorithm | str = "cfr+") -> None:
        """A name stands for the algorithm with its usual parameters. Raises `ValueError` for an unknown name."""
        self.algorithm = algorithm = algorithm_of(algorithm)
        self.tree = tree
        self.deals = deals
        self.iteration = 0
        self._dealt = dealt_tree(tree, deals)
        self._scratch = new_scratch(self._dealt)
        entries = int(self._dealt.row[-1])
        self._rule = kernels.UpdateRule(
            kind=_KINDS.get(algorithm.name, kernels.REGRET),
            by_reach=algorithm.averaging == "reach",
            constant=float(algorithm.constant),
            keep_ties=algorithm.ties == "keep",
        )
        self.policy = np.empty(entries)
        regret = np.zeros(entries)
        play = np.zeros(entries) if algorithm.name == "pcfr+" else regret
        self._tables = kernels.TabularTables(regret, play, np.zeros(entries), self.policy)
        kernels.match_regrets(self._dealt, play, self.policy)

    def run(self, iterations: int) -> None:
        """Do `iterations` more. How a run is cut into calls does not change its result."""
        visits = self.tree.num_nodes * len(self.deals) * self.tree.game.num_players
        chunk = min(max(1, CHUNK_VISITS // visits), 50_000)
        target = self.iteration + iterations
        while self.iteration < target:
            count = min(chunk, target - self.iteration)
            schedule = self.algorithm.discounts(self.iteration, count)
            kernels.iterate(self._dealt, schedule, self._rule, self._tables, self._scratch)
            self.iteration += count

    def average(self) -> NDArray[np.float64]:
        """Return the average strategy, uniform where never reached, or the last strategy of ``cgh``."""
        if not self.algorithm.averages:
            return self.policy.copy()
        return np.asarray(kernels.normalise(self._dealt, self._tables.average))

    def state_arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return everything that a later run needs to go on, bit for bit. The arrays are not copies: save them at once."""
        return {**self._state, "iteration": np.array(self.iteration)}

    @property
    def _state(self) -> dict[str, NDArray[np.float64]]:
        state = {"regret": self._tables.regret, "average": self._tables.average}
        return state if self._tables.play is self._tables.regret else {**state, "predicted": self._tables.play}

    def restore(self, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Take the state of `state_arrays`. Raise `ValueError` if a table is missing, or of another tree or algorithm."""
        for name in (*self._state, "iteration"):
            if name not in arrays:
                raise ValueError(f"the checkpoint lacks the array {name!r}")
        for name, table in self._state.items():
            if arrays[name].shape != table.shape:
                raise ValueError(
                    f"the checkpoint's {name!r} has {arrays[name].size:,} entries, this game {table.size:,}"
                )
        for name, table in self._state.items():
            table[:] = arrays[name]
        self.iteration = int(arrays["iteration"])
        kernels.match_regrets(self._dealt, self._tables.play, self.policy)


# --- Exact expected values, best responses and exploitability of strategy tables in small games.


def values(tree: BettingTree, deals: EnumeratedDeals, table: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return float64 ``[P]``: net chips of every position when all play `table`. Raise `ValueError` for a wrong size."""
    dealt = dealt_tree(tree, deals)
    return np.asarray(kernels.expected_values(dealt, _policy(dealt, table), new_scratch(dealt)))


def best_responses(tree: BettingTree, deals: EnumeratedDeals, table: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return float64 ``[P]``: net chips of best responses to the others' `table`. Raises `ValueError` as `values`."""
    dealt = dealt_tree(tree, deals)
    policy, scratch = _policy(dealt, table), new_scratch(dealt)
    return np.array([kernels.best_response(dealt, p, policy, scratch) for p in range(tree.game.num_players)])


def nash_conv(tree: BettingTree, deals: EnumeratedDeals, table: NDArray[np.floating]) -> float:
    """Return the sum over positions of what a best response to `table` gains, in chips a hand; 0 in equilibrium.

    Σ_p (best response of p − value of p), where the values add up to zero because chips only change hands.
    """
    return float(best_responses(tree, deals, table).sum())


def exploitability(tree: BettingTree, deals: EnumeratedDeals, table: NDArray[np.floating]) -> float:
    """Return `nash_conv` per position: for two players what a best response wins, averaged over the seats."""
    return nash_conv(tree, deals, table) / tree.game.num_players


def _policy(dealt: DealtTree, table: NDArray[np.floating]) -> NDArray[np.float64]:
    entries = int(dealt.row[-1])
    if table.shape != (entries,):
        raise ValueError(f"the table has the shape {list(table.shape)}, this tree and its buckets need [{entries}]")
    return np.asarray(kernels.normalise(dealt, np.ascontiguousarray(table)))
