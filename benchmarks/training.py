"""External sampling on the hold'em blueprint's tree: decision nodes a second, on one thread and on two.

Run: python benchmarks/training.py (builds the card tables first if the data folder has none)
"""

import time

from limpet.strategies.blueprint.training import Training
from limpet.strategies.solving.mccfr import ExternalSampling

ITERATIONS = 400_000


def main() -> None:
    training = Training.load("hunl-200bb-first")
    training.prepare()
    sampler = training.solver.sampler  # type: ignore[union-attr]
    rates = {}
    for threads in (1, 2):
        solver = ExternalSampling(training.tree, sampler, seed=1, threads=threads)
        solver.run(ITERATIONS)  # compiles, and leaves the uniform start behind
        began, first, visits = time.perf_counter(), solver.iteration, solver.visits
        solver.run(ITERATIONS)
        passed = time.perf_counter() - began
        rates[threads] = (solver.visits - visits) / passed
        deals = (solver.iteration - first) / passed
        print(f"{threads} thread(s): {deals:,.0f} iterations/s, {rates[threads] / 1e6:.1f} M decision visits/s")
    print(f"two threads / one: {rates[2] / rates[1]:.2f}")


if __name__ == "__main__":
    main()
