"""Says which known equilibrium of three-player Kuhn poker a strategy is, and how far it is from it.

``python benchmarks/kuhn3p.py kuhn3p`` names the member of the family of Szafron, Gibson and Sturtevant (2013), its parameters
and the strategy's distance. A parameter's letter is the position (b: 1, c: 2), its first digit the card (1 jack to 4 ace), its
second the situation (1: nobody has bet; 2: the player before has; 3, 4: the one before that, then a fold, a call). Exits with 1
for a strategy that is no member.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # the family is one of the tests' oracles

from limpet.configs.loading import load_game
from limpet.strategies.holdem.blueprint.named import open_named
from limpet.strategies.solvers.deals import enumerate_deals
from limpet.strategies.solvers.tabular import nash_conv, values
from tests.oracles.kuhn3p_family import fit, read_bets


def facts(name: str, tolerance: float) -> dict[str, Any]:
    """Return what is found out of a strategy, as plain data. Raises `ConfigError` and `ValueError`."""
    file = open_named(name)
    file.check_game(load_game("kuhn.limit.3p"))
    if file.manifest.cards.__struct_config__.tag != "lossless" or len(file.tree.decisions) != 12:
        raise ValueError(f"{name}: not a whole strategy for the game; train it with lossless cards and no menu")
    table, deals = file.probabilities(), enumerate_deals(file.game)
    nearest = fit(read_bets(file.tree, table))
    return {
        "strategy": name,
        "member": nearest.distance <= tolerance,
        "sub_family": nearest.member.sub_family,
        "parameters": nearest.member._asdict(),
        "distance": nearest.distance,
        "where": nearest.where,
        "values_chips": values(file.tree, deals, table).tolist(),
        "values_of_member_chips": list(nearest.member.values),
        "nash_conv_chips": nash_conv(file.tree, deals, table),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="a strategy's name or folder")
    parser.add_argument(
        "--tolerance", type=float, default=0.005, help="how far every probability of a member may be off"
    )
    given = parser.parse_args()
    found = facts(given.name, given.tolerance)
    print(json.dumps(found, indent=2))
    sys.exit(not found["member"])
