"""The two sampling trainers on a hold'em blueprint's tree with its real card tables.

    python benchmarks/training.py [CONFIG] [mccfr | pcs]     builds the card tables first if the data folder has none

External sampling: decision nodes a second, dealing included. Public chance sampling: boards a second, and touches:
decision nodes times hands. Both on one thread and on two, in turns so that both meet the same company; wall clock, and
what processor time there was of it: on a busy machine the second tells more.
"""

import argparse
import time

import msgspec

from limpet.strategies.holdem.training.training import Training
from limpet.strategies.solvers.sampled.mccfr import ExternalSampling
from limpet.strategies.solvers.sampled.public_sampling import PublicChanceSampling

ITERATIONS = {"mccfr": 400_000, "pcs": 40}
WARM_UP = {"mccfr": 800_000, "pcs": 40}  # compiles, and leaves the uniform start behind
ROUNDS = 3


def speed(training: Training, algorithm: str) -> None:
    """Prints what each round gives, and the best of each number of threads."""
    solver = training.solver
    assert isinstance(solver, ExternalSampling | PublicChanceSampling)
    solver.run(WARM_UP[algorithm])
    hands = solver.sampler.num_hands if isinstance(solver, PublicChanceSampling) else 1
    unit, what = ("boards", "touches") if hands > 1 else ("iterations", "decision visits")
    best: dict[int, list[float]] = {1: [0.0, 0.0], 2: [0.0, 0.0]}
    for _ in range(ROUNDS):
        for threads in (1, 2):
            solver.threads = threads
            began, used, before, visits = time.perf_counter(), time.process_time(), solver.iteration, solver.visits
            solver.run(ITERATIONS[algorithm])
            passed, used = time.perf_counter() - began, time.process_time() - used
            iterations, touches = solver.iteration - before, (solver.visits - visits) * hands
            rates = [iterations / passed, threads * iterations / used]
            best[threads] = [max(pair) for pair in zip(best[threads], rates, strict=True)]
            print(
                f"{threads} thread(s): {iterations / passed:,.1f} {unit}/s, {touches / passed / 1e6:,.1f} M {what}/s; "
                f"a processor second: {iterations / used:,.1f} {unit}, {touches / used / 1e6:,.1f} M {what}"
            )
    for how, (one, two) in zip(("by the clock", "by processor time"), zip(best[1], best[2], strict=True), strict=True):
        print(f"best, {how}: {one:,.1f} and {two:,.1f} {unit}/s, {two / one:.2f} times")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config", nargs="?", default="hunl-200bb-first", help="of the training")
    parser.add_argument("algorithm", nargs="?", choices=ITERATIONS, help="without it, one after the other")
    options = parser.parse_args()
    for algorithm in [options.algorithm] if options.algorithm else ITERATIONS:
        try:
            training = Training.load(options.config)
        except ValueError as error:
            parser.error(str(error))
        # Without discounts: periods are counted in deals or in boards.
        training.config = msgspec.structs.replace(training.config, algorithm=algorithm, threads=2, period=0, periods=0)
        training.prepare()
        size = 2 * training.solver.regret.nbytes / 1e6  # type: ignore[union-attr]
        print(f"{algorithm}: {len(training.tree.decisions):,} decision nodes, {size:,.0f} MB of regrets and averages")
        speed(training, algorithm)


if __name__ == "__main__":
    main()
