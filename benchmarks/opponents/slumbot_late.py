#!/usr/bin/env python3
"""Makes a batch of slumbot2019's that averages late iterations only: the sums of batch LAST less those of batch FIRST.

    python benchmarks/opponents/slumbot_late.py FOLDER/holdem.2.lm2.13.4.3.l.tcfr FIRST LAST NEW

Training adds up what it plays from its first iteration on, and the first ones play badly.
"""

import sys
from pathlib import Path

import numpy as np


def main() -> None:
    folder, first, last, new = Path(sys.argv[1]), *sys.argv[2:]
    for end in (f"{player}.i" for player in range(2)):
        for street in range(4):
            before, after, late = (folder / f"sumprobs.x.0.0.{street}.{batch}.p{end}" for batch in (first, last, new))
            sums = np.fromfile(after, "<i4") - np.fromfile(before, "<i4")
            if sums.min() < 0:
                raise SystemExit(f"{after}: sums have shrunk: training has halved them; begin with a later batch")
            sums.tofile(late)


if __name__ == "__main__":
    main()
