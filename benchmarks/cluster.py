"""Training shared out among local worker processes of one thread each, against one thread without them.

    python benchmarks/cluster.py [CONFIG]     builds the card tables first if the data folder has none

First what rounds cost and yield on a hold'em config with its real card tables: decision nodes a second, by the clock and
by processor time (on a busy machine the latter tells more), and a round of a single batch each, which is nearly all
transfer. Then what it does to convergence, on Leduc: exploitability after as many iterations by any number of workers,
whose shares start from their part of the regrets, or from all of them as if changes were simply added up.
"""

import argparse
import time
from functools import reduce
from itertools import pairwise

import msgspec
import numpy as np

from limpet.configs.loading import load_game
from limpet.strategies.abstraction.betting import build_tree
from limpet.strategies.holdem.training.cluster import ClusterTraining, on_cluster
from limpet.strategies.holdem.training.cluster_worker import cut, merge, play, round_batches, summed
from limpet.strategies.holdem.training.training import Training
from limpet.strategies.solvers.deals import enumerate_deals
from limpet.strategies.solvers.sampled.mccfr import BATCH, BatchSolver, ExternalSampling
from limpet.strategies.solvers.tabular import exploitability

SHARE = 100  # batches of a worker in a round
ROUNDS = 3
WORKERS = (1, 2)
LEDUC_BATCHES = 320


def never() -> bool:
    return False


def alone(training: Training) -> None:
    solver = training.solver
    assert isinstance(solver, BatchSolver)
    solver.run(SHARE * solver.batch)  # compiles, and leaves the uniform start behind
    print(f"{2 * solver.regret.nbytes / 1e6:,.0f} MB of regrets and averages")
    for _ in range(ROUNDS):
        before, began, used = solver.visits, time.perf_counter(), time.process_time()
        solver.run(SHARE * solver.batch)
        passed, used = time.perf_counter() - began, time.process_time() - used
        visits = (solver.visits - before) / 1e6
        print(f"one thread: {visits / passed:.1f} M visits/s, {visits / used:.1f} M a processor second")


def crew(training: Training, workers: int) -> None:
    with on_cluster([training], f"local:{workers}", print) as (run,):
        assert isinstance(run, ClusterTraining)
        run.prepare()
        solver = run.solver
        assert isinstance(solver, BatchSolver)

        def step() -> None:
            pass

        ends = [0, *(SHARE * workers * (n + 1) for n in range(ROUNDS + 1))]
        for n, (begin, end) in enumerate(pairwise(ends)):
            batches = range(begin, end)
            began, used = time.perf_counter(), time.process_time()
            played = run.crew.play(solver.regret, lambda _, batches=batches: batches, never, step)  # type: ignore[misc]
            passed, used = time.perf_counter() - began, time.process_time() - used
            assert played is not None
            merge(solver, *played)
            learnt = played[1]
            if n == 0:
                continue  # they compile, and leave the uniform start behind
            visits = learnt.visits / 1e6
            print(
                f"{workers} worker(s): {visits / passed:.1f} M visits/s, {visits / learnt.processor_seconds:.1f} M a "
                f"processor second of theirs; the coordinator took {used:.2f} s; regrets changed in "
                f"{np.mean(learnt.regret != 0):.0%} of entries, averages in {np.mean(learnt.average != 0):.0%}"
            )
        empty = []
        for _ in range(ROUNDS):
            began = time.perf_counter()
            run.crew.play(solver.regret, range, never, step)
            empty.append(time.perf_counter() - began)
        print(f"{workers} worker(s): a round of one batch each takes {min(empty):.2f} s at best")


def convergence() -> None:
    game = load_game("leduc.limit.2p")
    tree, deals = build_tree(game), enumerate_deals(game)

    def reached(workers: int, part: bool) -> float:
        run, place = (ExternalSampling(tree, deals, 1, period=BATCH * 20, periods=100) for _ in range(2))

        while run.iteration < LEDUC_BATCHES * BATCH:
            batches = round_batches(run, LEDUC_BATCHES * BATCH, workers)
            shares = cut(batches, workers)
            learnt = [play(place, run.regret, share, len(shares) if part else 1, never) for share in shares]
            merge(run, batches, reduce(summed, learnt))
        return exploitability(tree, deals, run.average_sums())

    print(f"Leduc, {LEDUC_BATCHES * BATCH:,} iterations: exploitability in chips")
    for workers in (1, 2, 4, 8, 16):
        print(f"{workers:>3} workers: {reached(workers, True):.4f}, added up: {reached(workers, False):.4f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config", nargs="?", default="hunl-200bb-clustered", help="of the training")
    try:
        training = Training.load(parser.parse_args().config)
    except ValueError as error:
        parser.error(str(error))
    training.config = msgspec.structs.replace(training.config, threads=1)
    training.prepare()
    alone(training)
    for workers in WORKERS:
        crew(training, workers)
    convergence()


if __name__ == "__main__":
    main()
