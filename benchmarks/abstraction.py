"""Clustered card abstraction: build times and sizes of its tables, live bucketing of a board, deals a second.

Run: python benchmarks/abstraction.py [--config hunl-200bb-clustered]
Builds the tables first if the data folder has none (minutes); what a build took is then read from its manifest.
"""

import argparse
import json
import time

import numpy as np

from limpet.common.folders import data_folder
from limpet.strategies.abstraction.card_tables import TableDeals
from limpet.strategies.abstraction.cards import Clustered
from limpet.strategies.abstraction.clustered_buckets import ClusteredBuckets, load_or_build, street_name
from limpet.strategies.abstraction.holdem_buckets import STREETS
from limpet.strategies.holdem.training.training import Training

BOARDS = 100
DEALS = 4096
BATCHES = 20
ROUNDS = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--config", default="hunl-200bb-clustered", help="a training config with clustered cards")
    parser.add_argument("--threads", type=int, default=2, help="for a build")
    options = parser.parse_args()
    cards = Training.load(options.config).config.cards
    if not isinstance(cards, Clustered):
        parser.error(f"{options.config} has {type(cards).__name__} cards, not clustered ones")
    cache = data_folder() / "tables"

    def progress(done: int, total: int) -> None:
        print(f"\rbuilding: {done} of {total}", end="\n" if done == total else "", flush=True)

    began = time.perf_counter()
    tables = load_or_build(cache, cards, options.threads, progress)
    print(f"opened, checksums and all, in {time.perf_counter() - began:.1f} s")
    for street in STREETS:
        folder = cache / street_name(cards, street)
        manifest = json.loads((folder / "manifest.json").read_text())
        size = sum(file.stat().st_size for file in folder.iterdir())
        print(
            f"{street}: {manifest['method']['method']}, {manifest['buckets']:,} buckets, {size / 1e6:.0f} MB, "
            f"built in {manifest['seconds']:.0f} s ({manifest['cpu_seconds']:.0f} s of one core)"
        )
    tensors = tables.buckets.to_tensors()
    print(f"shipped with a strategy: {sum(array.nbytes for array in tensors.values()) / 1e6:.2f} MB")

    live = ClusteredBuckets.from_tensors(cards, tensors)
    rng = np.random.default_rng(1)
    for street, n in zip(STREETS, (3, 4, 5), strict=True):
        seconds = []
        for _ in range(BOARDS):
            board = tuple(int(card) for card in rng.permutation(52)[:n])
            began = time.perf_counter()
            live.streets[n - 3].buckets(board)
            seconds.append(time.perf_counter() - began)
        print(f"live {street} board, all hands: {np.median(seconds) * 1e3:.2f} ms (best {min(seconds) * 1e3:.2f})")

    sampler = TableDeals(tables, 2)
    sampler.sample(0, DEALS)
    fastest = 0.0
    for round_ in range(ROUNDS):
        began = time.thread_time()
        for batch in range(BATCHES):
            sampler.sample(1 + round_ * BATCHES + batch, DEALS)
        fastest = max(fastest, BATCHES * DEALS / (time.thread_time() - began))
    print(f"{fastest / 1e6:.2f} M deals/s, both hands on all streets, one core")


if __name__ == "__main__":
    main()
