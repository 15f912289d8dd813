"""Steps a second of processor time of the environments for learners, by a learner that takes legal actions at random.

    python benchmarks/environments.py [--steps N]

A step of a table is one decision with its observation; one of a seat is a decision of the learner, and what the bots `call` do
until the next one. Resets count. Beside them is the bare engine, which takes the same kinds of actions at random: deals, legal
moves and payoffs, without masks, observations and names. Each speed is the best of ten runs.
"""

import argparse
import random
import time

from limpet.configs.loading import load_game
from limpet.dealer.matches.learning_hands import RAISES
from limpet.dealer.table.deals import Deals
from limpet.environments import SeatEnv, TableEnv
from limpet.protocol.settlement import settle
from limpet.protocol.state import CALL, FOLD, State
from limpet.strategies.base.strategy import sized_raise

GAMES = ("leduc.limit.2p", "holdem.nolimit.2p.reverse_blinds", "holdem.nolimit.6p", "omaha-pl-hu")
RUNS = 10


def table_speed(game: str, steps: int) -> float:
    env, rng = TableEnv(game), random.Random(1)
    env.reset(seed=1)
    began = time.process_time()
    for _ in range(steps):
        seen = env.last()[0]
        assert seen is not None
        env.step(rng.choice([number for number, bit in enumerate(seen["action_mask"].tolist()) if bit]))
        if env.terminations[env.agent_selection]:
            env.reset()
    return steps / (time.process_time() - began)


def seat_speed(game: str, steps: int) -> float:
    env, rng = SeatEnv(game, ["call"]), random.Random(1)
    seen, _ = env.reset(seed=1)
    began = time.process_time()
    for _ in range(steps):
        number = rng.choice([number for number, bit in enumerate(seen["action_mask"].tolist()) if bit])
        seen, _, over, _, _ = env.step(number)  # type: ignore[arg-type]
        if over:
            seen, _ = env.reset()
    return steps / (time.process_time() - began)


def engine_speed(name: str, steps: int) -> float:
    game, rng = load_game(name), random.Random(1)
    deals, beginning = Deals(game, 1), State.start(game)
    deal, state = next(deals), beginning
    began = time.process_time()
    for _ in range(steps):
        raises = [sized_raise(state, size) for size in RAISES] if game.no_limit else [sized_raise(state, 1.0)]
        legal = [FOLD] if state.can_fold else []
        state = state.apply(rng.choice([*legal, CALL, *filter(None, raises)])).with_board(deal.board)
        if state.finished:
            settle(state, deal.holes)
            deal, state = next(deals), beginning
    return steps / (time.process_time() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=50_000)
    steps = parser.parse_args().steps
    for game in GAMES:
        engine, table, seat = (
            max(speed(game, steps // RUNS) for _ in range(RUNS)) for speed in (engine_speed, table_speed, seat_speed)
        )
        print(
            f"{game}: engine {engine:,.0f}, table {table:,.0f} ({table / engine:.0%} of it), seat {seat:,.0f} steps/s"
        )


if __name__ == "__main__":
    main()
