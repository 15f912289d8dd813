"""How fast the browser table walks strategy files: opening one, and any decision of its tree with JSON and all.

    python benchmarks/browsing.py [--nodes 200] [NAME...]

Decisions are drawn evenly from the tree, each on random cards. "processor" is processor time, which a busy machine does
not lengthen as it does the clock.
"""

import argparse
import random
import time

import msgspec
import numpy as np

from limpet.bot.browser.views.working import Work
from limpet.protocol.cards import cards_text
from limpet.strategies.abstraction.betting import BettingTree


def line_to(tree: BettingTree, node: int) -> str:
    """Return the betting before a node, without slashes."""
    steps = []
    while node:
        above = int(tree.parent[node])
        steps.append(str(tree.actions(above)[int(tree.action[node])]))
        node = above
    return "".join(reversed(steps))


def measure(name: str, nodes: int, seed: int) -> None:
    """Print the times of one strategy."""
    work, draw = Work(), random.Random(seed)
    clock, processor = time.perf_counter(), time.process_time()
    msgspec.json.encode(work.open_strategy(name))
    clock, processor = time.perf_counter() - clock, time.process_time() - processor
    print(f"{name}: opened in {1000 * clock:.0f} ms ({1000 * processor:.0f} ms processor)")
    file = work.files[name]
    walls, processors = [], []
    for node in draw.choices(file.tree.decisions.tolist(), k=nodes):
        board = draw.sample(list(file.game.deck), file.game.board_sizes[int(file.tree.round[node])])
        line = line_to(file.tree, node)
        clock, processor = time.perf_counter(), time.process_time()
        msgspec.json.encode(work.strategy_node(name, line, cards_text(tuple(board))))
        walls.append(1000 * (time.perf_counter() - clock))
        processors.append(1000 * (time.process_time() - processor))
    for what, values in (("clock", walls), ("processor", processors)):
        median, p95 = np.percentile(values, [50, 95])
        print(f"  {nodes} decisions, {what}: median {median:.1f} ms, p95 {p95:.1f} ms, most {max(values):.1f} ms")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=["hunl-200bb", "leduc"])
    parser.add_argument("--nodes", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    began = time.perf_counter()
    Work().warm_up()
    print(f"the process warmed up in {1000 * (time.perf_counter() - began):.0f} ms after its imports")
    for wanted in arguments.names:
        measure(wanted, arguments.nodes, arguments.seed)
