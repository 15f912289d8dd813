"""Full-width solvers on Kuhn and Leduc: exploitability beside the published values, and iterations a second.

    python benchmarks/toy_games.py

An iteration updates every player. Rates are per second of processor time, one thread, medians of
nine runs with slowest and fastest beside them.
"""

from statistics import median
from time import thread_time

from limpet.configs.loading import load_game
from limpet.strategies.solving.deals import enumerate_deals
from limpet.strategies.solving.exploitability import exploitability
from limpet.strategies.solving.tabular import ALGORITHMS, TabularSolver
from limpet.strategies.trees.betting import build_tree

STOPS = (1, 10, 100, 1000)
PUBLISHED = {
    ("kuhn.limit.2p", "cfr"): (0.4583, 0.0687, 0.00823, 0.000938),
    ("kuhn.limit.2p", "cfr+"): (0.4583, 0.0327, 0.00119, 0.000087),
    ("leduc.limit.2p", "cfr"): (2.3736, 0.8886, 0.0957, 0.0118),
    ("leduc.limit.2p", "cfr+"): (2.3736, 0.6104, 0.0134, 0.000257),
}
GOALS = {"kuhn.limit.2p": 500_000, "leduc.limit.2p": 5_000}


def numbers(figures: tuple[float, ...]) -> str:
    return " ".join(f"{figure:9.6f}" for figure in figures)


def rate(solver: TabularSolver, iterations: int) -> float:
    start = thread_time()
    solver.run(iterations)
    return iterations / (thread_time() - start)


def main() -> None:
    for name in ("kuhn.limit.2p", "leduc.limit.2p", "kuhn.limit.3p"):
        game = load_game(name)
        tree, deals = build_tree(game), enumerate_deals(game)
        goal = f", goal {GOALS[name]:,} iterations/s" if name in GOALS else ""
        print(f"{name}: {tree.num_nodes} nodes, {len(deals)} deals{goal}; exploitability after {STOPS}")
        for algorithm in ALGORITHMS:
            solver = TabularSolver(tree, deals, algorithm)
            found = []
            for stop in STOPS:
                solver.run(stop - solver.iteration)
                found.append(exploitability(tree, deals, solver.average()))
            iterations = int(0.1 * rate(solver, 1000))
            rates = [rate(solver, iterations) for _ in range(9)]
            print(
                f"  {algorithm:5} {numbers(tuple(found))}   {median(rates):9,.0f} iterations/s"
                f" ({min(rates):,.0f} .. {max(rates):,.0f})"
            )
            if published := PUBLISHED.get((name, algorithm)):
                print(f"        {numbers(published)}   published")


if __name__ == "__main__":
    main()
