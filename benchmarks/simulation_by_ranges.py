"""What the player `simulation` wins from other bots, in duplicate sets whose rivers all hands play at once.

    python benchmarks/simulation_by_ranges.py formula call profile-thesis --sets 200

Hands are dealt and played up to the river; there the winnings of all pairs of hands that both may hold are summed, which
takes out most of the luck. No clock is looked at, so that a run can be repeated.
"""

import argparse
from pathlib import Path

import msgspec

from limpet.common.statistics import estimate
from limpet.configs.loading import load_game
from limpet.protocol.gamedef import GameDef
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.holdem.measures.full_ranges import range_sets
from limpet.strategies.players.simulation import SimulationPlayer

RIVER = 3
"""Round from which all hands play at once."""


def simulation(config: str, game: GameDef | None = None) -> SimulationPlayer:
    """Return the player of a config without its clock, for the config's game or another."""
    bot = load_bot(config, game)
    options = bot.options()
    assert isinstance(options, SimulationPlayer.Options)
    return SimulationPlayer(bot.game, msgspec.structs.replace(options, seconds=None, bank=None), Path(bot.path).parent)


def main() -> None:
    """Print the mean and its interval after every five sets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("opponents", nargs="+")
    parser.add_argument("--config", default="simulation")
    parser.add_argument("--game", type=load_game, help="a game file, for other stacks than the config's")
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    player = simulation(asked.config, asked.game)
    for name in asked.opponents:
        won: list[float] = []
        for one in range_sets(player, load_bot(name, asked.game).build(), RIVER, asked.seed):
            won.append(1000 * sum(one.won) / 2)
            if len(won) % 5 == 0:
                found = estimate(won)
                print(f"{name}: {len(won)} sets, {found.mean:+,.0f} ± {found.half_width:,.0f} mbb/g", flush=True)
            if len(won) >= asked.sets:
                break


if __name__ == "__main__":
    main()
