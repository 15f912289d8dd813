#!/usr/bin/env python3
"""Makes a batch of slumbot2019's that averages late iterations only: the sums of batch LAST less those of batch FIRST.

    python benchmarks/opponents/slumbot_late.py FOLDER/holdem.2.lm2.13.4.3.l.tcfr FIRST LAST NEW

Training adds up what it plays from its first iteration on, and the first ones play badly.
"""

import argparse
from pathlib import Path

import numpy as np


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="of the sums of probabilities")
    parser.add_argument("batches", nargs=3, type=int, metavar="BATCH", help="FIRST, LAST and NEW, which is written")
    options = parser.parse_args()
    for end in (f"{player}.i" for player in range(2)):
        for street in range(4):
            before, after, late = (
                options.folder / f"sumprobs.x.0.0.{street}.{batch}.p{end}" for batch in options.batches
            )
            sums = np.fromfile(after, "<i4") - np.fromfile(before, "<i4")
            if sums.min() < 0:
                raise SystemExit(f"{after}: sums have shrunk: training has halved them; begin with a later batch")
            sums.tofile(late)


if __name__ == "__main__":
    main()
