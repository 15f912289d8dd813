"""Prizes that stacks really win between equal players, against their equities in the independent chip model.

    python benchmarks/prize_money.py [--tournaments N] [--seed S]

All seats play the bot `jam` from the given stacks on; blinds double every 10 hands, and the first big blind is drawn. Each
row is a stack: its equity in the model, the mean prize with its 95 % interval, and the difference, in % of the prizes.
"""

import argparse
from dataclasses import replace

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.common.statistics import estimate
from limpet.dealer.contests.sit_and_go import require_any_stacks, resolve
from limpet.dealer.contests.sng_inprocess import CompiledTournaments
from limpet.dealer.contests.sng_rules import Level, prizes
from limpet.strategies.shortstacks.icm import equities

STAGES = (
    ((5000, 3000, 2000), (50.0, 30.0, 20.0)),
    ((5000, 3000, 2000), (100.0, 0.0, 0.0)),
    ((4000, 3000, 2000, 1000), (50.0, 30.0, 20.0, 0.0)),
    ((3000, 2500, 2000, 1500, 1000, 500), (65.0, 35.0, 0.0, 0.0, 0.0, 0.0)),
    ((3000, 2500, 2000, 1500, 1000, 500), (100 / 3, 100 / 3, 100 / 3, 0.0, 0.0, 0.0)),
)
"""Stages that are played on: chips of each stack, and the prizes in % from the first place down."""
BLINDS = (Level(10, 50, 100), Level(10, 150, 300))
"""The first blind level of deep and of short stages; both double every 10 hands."""


def prizes_won(
    stacks: tuple[int, ...], payouts: tuple[float, ...], level: Level, count: int, seed: int
) -> NDArray[np.float64]:
    """Return float64 ``[tournament, seat]``: prizes of equal players from these stacks on."""
    sng = resolve(["jam"] * len(stacks), None, count, seed, duplicate=False)
    structure = msgspec.structs.replace(sng.structure, start_stack=sum(stacks) // len(stacks), levels=[level])
    sng = replace(sng, structure=structure)
    played = CompiledTournaments.of(sng, require_any_stacks(sng, in_process=True))
    assert played is not None, "jam has an action table"
    order = np.arange(len(stacks))
    return np.array([prizes(played.finish(number, order, stacks), payouts) for number in range(count)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tournaments", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    print("| big blind | prizes | stack | model | won | difference |\n|-|-|-:|-:|-:|-:|")
    for level in BLINDS:
        for stacks, payouts in STAGES:
            model = equities(stacks, payouts)
            won = prizes_won(stacks, payouts, level, asked.tournaments, asked.seed)
            for seat, stack in enumerate(stacks):
                mean = estimate(won[:, seat])
                paid = "/".join(f"{prize:.0f}" for prize in payouts if prize)
                cells = f"{model[seat]:.2f} | {mean.mean:.2f} ± {mean.half_width:.2f} | {mean.mean - model[seat]:+.2f}"
                print(f"| {level.big_blind} | {paid} | {stack:,} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
