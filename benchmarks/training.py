"""The two sampling trainers on the hold'em blueprint's tree with its real card tables.

External sampling: decision nodes a second, on one thread and on two, dealing included; public chance sampling: boards a
second. Wall clock, and what processor time there was of it: on a busy machine the second tells more.

Run: python benchmarks/training.py [CONFIG] (builds the card tables first if the data folder has none)
"""

import sys
import time

from limpet.strategies.blueprint.seen_boards import SeenBoards
from limpet.strategies.blueprint.training import Training
from limpet.strategies.solving.mccfr import ExternalSampling
from limpet.strategies.solving.public_sampling import PublicChanceSampling

ITERATIONS = 400_000
BOARDS = 20
ROUNDS = 3


def external(training: Training) -> None:
    solver = training.solver
    assert isinstance(solver, ExternalSampling)
    solver.run(2 * ITERATIONS)  # compiles, and leaves the uniform start behind
    best = {1: 0.0, 2: 0.0}
    for _ in range(ROUNDS):
        for threads in (1, 2):  # in turns, so that both meet the same company
            run = ExternalSampling(training.tree, solver.sampler, seed=1, threads=threads)
            run.regret, run.average = solver.regret, solver.average
            began, used = time.perf_counter(), time.process_time()
            run.run(ITERATIONS)
            passed, used = time.perf_counter() - began, time.process_time() - used
            rate = run.visits / passed
            best[threads] = max(best[threads], rate)
            print(
                f"{threads} thread(s): {run.iteration / passed:,.0f} iterations/s, {rate / 1e6:.1f} M decision visits/s, "
                f"{run.visits / used / 1e6:.1f} M a processor second"
            )
    print(f"best: {best[1] / 1e6:.1f} M and {best[2] / 1e6:.1f} M, {best[2] / best[1]:.2f} times")


def public(training: Training) -> None:
    run = PublicChanceSampling(training.tree, SeenBoards(training.game, training.cards), seed=1)
    run.run(2)
    for _ in range(ROUNDS):
        began, used, visits = time.perf_counter(), time.process_time(), run.visits
        run.run(BOARDS)
        passed, used = time.perf_counter() - began, time.process_time() - used
        nodes = (run.visits - visits) / BOARDS
        print(
            f"public chance sampling: {BOARDS / passed:.2f} boards/s, {BOARDS / used:.2f} a processor second; "
            f"{nodes:,.0f} decision nodes a board"
        )


def main() -> None:
    training = Training.load(sys.argv[1] if len(sys.argv) > 1 else "hunl-200bb-first")
    training.prepare()
    size = 2 * training.solver.regret.nbytes / 1e6  # type: ignore[union-attr]
    print(f"{len(training.tree.decisions):,} decision nodes, {size:,.0f} MB of regrets and averages")
    external(training)
    public(training)


if __name__ == "__main__":
    main()
