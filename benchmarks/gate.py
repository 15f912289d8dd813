"""What a bot that thinks at the table wins from its blueprint under other options, on the same spots, as a Markdown table.

    python benchmarks/gate.py
    python benchmarks/gate.py limpet --street turn --spots 16 --rivers 2 --iterations 60 gadget=combined gadget=resolve

A way is options of player `resolve`, with commas between; "mix=0.1,first_gadget=resolve". Numbers are those of
`limpet gain`, in mbb/g where the street is reached: what is won, the difference to the first way, and what a best response
to the bot wins there more than one to the blueprint.
"""

from pathlib import Path

import click
import msgspec

from limpet.bot.commands.terminal import estimate_text
from limpet.common.statistics import estimate
from limpet.strategies.abstraction.menu import STREETS
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.holdem.measures.full_ranges import SpotGain, mean_gain, sampled_spots, spot_gain, without_clock
from limpet.strategies.players.resolve import Resolve

WAYS = (
    "first_gadget=unsafe",
    "mix=0",
    "mix=0.1",
    *(
        f"first_gadget={gadget},first_promise={promise}"
        for gadget in ("combined", "resolve", "maxmargin")
        for promise in ("own", "best")
    ),
)


def player_with(config: str, way: str, iterations: int | None) -> Resolve:
    bot = load_bot(config)
    options = bot.options()
    assert isinstance(options, Resolve.Options), "name a bot of player 'resolve'"
    given = dict(part.split("=") for part in way.split(","))
    changed = msgspec.convert({**msgspec.to_builtins(options), **given}, Resolve.Options, strict=False)
    return Resolve(bot.game, without_clock(changed, iterations=iterations), Path(bot.path.parent))


@click.command(help=__doc__.replace("\n\n    python", "\n\n\b\n    python"))
@click.argument("config", default="limpet-fast")
@click.argument("ways", nargs=-1)
@click.option("--street", type=click.Choice(["turn", "river"]), default="river", show_default=True)
@click.option("--spots", default=60, show_default=True)
@click.option("--rivers", default=4, show_default=True, help="After a turn.")
@click.option("--iterations", type=int, help="Of every solve.")
@click.option("--seed", default=1, show_default=True)
def main(
    config: str, ways: tuple[str, ...], street: str, spots: int, rivers: int, iterations: int | None, seed: int
) -> None:
    players = {way: player_with(config, way, iterations) for way in ways or WAYS}
    first = next(iter(players.values()))
    first.warm_up()
    found: dict[str, list[SpotGain]] = {way: [] for way in players}
    dealt = 0
    for spot in sampled_spots((first.blueprint, first.blueprint), STREETS.index(street), seed):
        dealt += 1
        if spot.state.finished:
            continue
        for way, player in players.items():
            found[way].append(spot_gain(player, spot, seed, rivers, best=street == "river"))
        if len(found[way]) == spots:
            break
    print(f"{config}, {spots} spots of the {street}, {dealt} hands dealt; mbb/g\n")
    print("|way|won there|beyond the first|over all hands|best response|s a spot|\n|-|-|-|-|-|-|")
    base = next(iter(found.values()))
    for way, each in found.items():
        gain = mean_gain(each, dealt)
        beyond = estimate([sum(a.gain) / 2 - sum(b.gain) / 2 for a, b in zip(each, base, strict=True)])
        numbers = (gain.there, beyond, gain.hand, gain.best)
        print(
            f"|{way}|"
            + "|".join(estimate_text(number.scaled(1000)) for number in numbers)
            + f"|{gain.seconds / spots:.2f}|"
        )


if __name__ == "__main__":
    main()
