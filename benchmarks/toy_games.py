"""Full-width solvers on Kuhn and Leduc: exploitability beside the published values, and iterations a second.

    python benchmarks/toy_games.py

An iteration updates every player. Rates are per second of processor time, one thread, medians of
nine runs with slowest and fastest beside them. Last, Kujath's algorithms beside what another
program makes of them.
"""

import argparse
from statistics import median
from time import thread_time

from limpet.configs.loading import load_game
from limpet.strategies.abstraction.betting import build_tree
from limpet.strategies.solvers.deals import enumerate_deals
from limpet.strategies.solvers.schedule import Algorithm
from limpet.strategies.solvers.tabular import TabularSolver, exploitability, nash_conv

STOPS = (1, 10, 100, 1000)
ALGORITHMS = {
    "cfr": Algorithm("cfr"),
    "cfr+": Algorithm("cfr+"),
    "lcfr": Algorithm("lcfr"),
    "dcfr (paper)": Algorithm("dcfr", gamma=2.0),
    "dcfr": Algorithm("dcfr"),
    "pcfr+": Algorithm("pcfr+"),
    "cfr-return-new": Algorithm("cfr-return-new"),
    "cgh": Algorithm("cgh"),
}
PUBLISHED = {
    ("kuhn.limit.2p", "cfr"): (0.4583, 0.0687, 0.00823, 0.000938),
    ("kuhn.limit.2p", "cfr+"): (0.4583, 0.0327, 0.00119, 0.000087),
    ("leduc.limit.2p", "cfr"): (2.3736, 0.8886, 0.0957, 0.0118),
    ("leduc.limit.2p", "cfr+"): (2.3736, 0.6104, 0.0134, 0.000257),
}
GOALS = {"kuhn.limit.2p": 500_000, "leduc.limit.2p": 5_000}

THESIS_STOPS = (100, 400, 1000)
THESIS = {  # NashConv times 1000 on Kuhn and Leduc
    "CFR": (Algorithm("cfr"), "16.5 / 3.9 / 1.9", "191 / 53 / 24"),
    "CFR, the thesis's average": (Algorithm("cfr", averaging="thesis"), "19.3 / 4.6 / 2.2", "279 / 117 / 38"),
    "CFR-return-new": (Algorithm("cfr-return-new"), "13.8 / 3.7 / 1.5", "155 / 49 / 20"),
    "CGH, c = 0.175, ties to the largest bet": (Algorithm("cgh", ties="largest"), "6.7 / 4.7 / 2.2", "172 / 73 / 42"),
    "CGH, c = 0, ties to the largest bet": (
        Algorithm("cgh", constant=0.0, ties="largest"),
        "9.1 / 1.9 / 0.7",
        "224 / 78 / 46",
    ),
    "CGH, c = 0.175": (Algorithm("cgh"), "", ""),
    "CGH, c = 0": (Algorithm("cgh", constant=0.0), "", ""),
    "CFR+": (Algorithm("cfr+"), "2.4 / 0.5 / 0.2", "27 / 2.5 / 0.5"),
}


def numbers(figures: tuple[float, ...]) -> str:
    return " ".join(f"{figure:9.6f}" for figure in figures)


def rate(solver: TabularSolver, iterations: int) -> float:
    start = thread_time()
    solver.run(iterations)
    return iterations / (thread_time() - start)


def speeds() -> None:
    for name in ("kuhn.limit.2p", "leduc.limit.2p", "kuhn.limit.3p"):
        game = load_game(name)
        tree, deals = build_tree(game), enumerate_deals(game)
        goal = f", goal {GOALS[name]:,} iterations/s" if name in GOALS else ""
        print(f"{name}: {tree.num_nodes} nodes, {len(deals)} deals{goal}; exploitability after {STOPS}")
        for label, algorithm in ALGORITHMS.items():
            solver = TabularSolver(tree, deals, algorithm)
            found = []
            for stop in STOPS:
                solver.run(stop - solver.iteration)
                found.append(exploitability(tree, deals, solver.average()))
            iterations = int(0.1 * rate(solver, 1000))
            rates = [rate(solver, iterations) for _ in range(9)]
            print(
                f"  {label:14} {numbers(tuple(found))}   {median(rates):9,.0f} iterations/s"
                f" ({min(rates):,.0f} .. {max(rates):,.0f})"
            )
            if published := PUBLISHED.get((name, label)):
                print(f"                 {numbers(published)}   published")


def thesis() -> None:
    games = [load_game(name) for name in ("kuhn.limit.2p", "leduc.limit.2p")]
    print(f"\nNashConv times 1000 after {THESIS_STOPS}")
    print("| | Kuhn | another program | Leduc | another program |\n|-|-|-|-|-|")
    for label, (algorithm, *theirs) in THESIS.items():
        cells = []
        for game, other in zip(games, theirs, strict=True):
            solver = TabularSolver(build_tree(game), enumerate_deals(game), algorithm)
            found = []
            for stop in THESIS_STOPS:
                solver.run(stop - solver.iteration)
                found.append(f"{1000 * nash_conv(solver.tree, solver.deals, solver.average()):.2f}")
            cells += [" / ".join(found), other]
        print(f"| {label} | {' | '.join(cells)} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.parse_args()
    speeds()
    thesis()
