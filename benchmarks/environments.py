"""Steps a second of the environments for learners, on one core, by a learner that takes legal actions at random.

    python benchmarks/environments.py [--steps N]

A step of a table is one decision with its observation; one of a seat is a decision of the learner, and what the bots `call` do
until the next one. Resets count.
"""

import argparse
import random
import time

from limpet.dealer.learning.gymnasium_env import SeatEnv
from limpet.dealer.learning.pettingzoo_env import TableEnv

GAMES = ("leduc.limit.2p", "holdem.nolimit.2p.reverse_blinds", "holdem.nolimit.6p")


def table_speed(game: str, steps: int) -> float:
    env, rng = TableEnv(game), random.Random(1)
    env.reset(seed=1)
    began = time.perf_counter()
    for _ in range(steps):
        seen = env.last()[0]
        assert seen is not None
        env.step(rng.choice([number for number, bit in enumerate(seen["action_mask"].tolist()) if bit]))
        if env.terminations[env.agent_selection]:
            env.reset()
    return steps / (time.perf_counter() - began)


def seat_speed(game: str, steps: int) -> float:
    env, rng = SeatEnv(game, ["call"]), random.Random(1)
    seen, _ = env.reset(seed=1)
    began = time.perf_counter()
    for _ in range(steps):
        number = rng.choice([number for number, bit in enumerate(seen["action_mask"].tolist()) if bit])
        seen, _, over, _, _ = env.step(number)  # type: ignore[arg-type]
        if over:
            seen, _ = env.reset()
    return steps / (time.perf_counter() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=50_000)
    steps = parser.parse_args().steps
    for game in GAMES:
        table_speed(game, steps // 10)
        seat_speed(game, steps // 10)
        print(f"{game}: table {table_speed(game, steps):,.0f}, seat {seat_speed(game, steps):,.0f} steps/s")


if __name__ == "__main__":
    main()
