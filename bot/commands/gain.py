"""``limpet gain``: measures what a bot that solves at the table wins from its own blueprint, with little noise."""

from typing import TYPE_CHECKING

import click

from limpet.bot.commands.options import json_option, quiet_option, seed_option
from limpet.bot.commands.parameters import MOST_BOARDS, THREADS, Whole
from limpet.bot.commands.progress import progress
from limpet.bot.commands.terminal import estimate_data, estimate_text, print_json
from limpet.configs.loading import ConfigError, mistakes
from limpet.strategies.trees.menu import STREETS

if TYPE_CHECKING:
    from limpet.strategies.measures.duels.gain import Gain


@click.command(
    epilog="""\b
Examples:
  limpet gain limpet-fast
  limpet gain limpet-fast --spots 300 --seed 2 --best
  limpet gain limpet --street turn --spots 20 --rivers 4 --iterations 100
  limpet gain my/thinker.yaml --json

\b
The published gains are 36 to 53 mbb/g over all hands from solving the river, and 80 to 100 from the turn.
Solves end by iterations and target: a config's bank and seconds are left aside, so that a measure can be repeated.
Exit status: 0 measured; 2 the config cannot be used."""
)
@click.argument("config")
@click.option("--street", type=click.Choice(["turn", "river"]), default="river", help="Where spots begin.")
@click.option("--spots", type=Whole(2, MOST_BOARDS), default=50, help="Public states to play from.")
@click.option("--rivers", type=Whole(1, 48), default=4, help="River cards after a turn; 48 are all.")
@click.option("--iterations", type=Whole(min=1), help="Iterations of each solve.  [default: the config's]")
@click.option("--best", is_flag=True, help="Also measure what a best response to the bot would win there.")
@seed_option("Seed of the spots that are drawn.")
@click.option("--threads", type=THREADS, default=1, help="Threads of each solve.")
@json_option()
@quiet_option
def gain(
    config: str, street: str, spots: int, rivers: int, iterations: int | None, best: bool, seed: int, threads: int,
    as_json: bool, quiet: bool,
) -> None:  # fmt: skip
    """Work out what a bot with player 'resolve' wins from its blueprint by solving at the table, with a 95 % interval.

    Spots are public states in which a street begins, drawn from the blueprint's play against itself. In each of them all
    hands play against all hands in both seats, and everything that the bot would solve on the way is solved. What the
    blueprint wins there from itself is taken off. A few dozen spots say as much as a hundred thousand hands dealt.
    """
    from limpet.strategies.botconfig import load_bot
    from limpet.strategies.measures.duels.full_ranges import without_clock
    from limpet.strategies.measures.duels.gain import gain as measure
    from limpet.strategies.players.resolve import Resolve

    bot = load_bot(config)
    bot.refuse_draws(
        "spots are drawn on the boards of hold'em",
        "to see what solving wins, play the config against a copy with 'second_round: stored' in limpet match --duplicate",
    )
    options = bot.options()
    if not isinstance(options, Resolve.Options):
        raise ConfigError(
            f"{bot.path}: player '{bot.config.player}' does not think at the table; name a bot of player 'resolve', "
            "such as limpet-fast"
        )
    with mistakes():
        player = Resolve(bot.game, without_clock(options, threads, iterations), bot.path.parent)
        player.warm_up()
        with progress("solving", "spots", quiet) as report:
            won = measure(player, STREETS.index(street), spots, seed, rivers, best, report)
    if as_json:
        print_json({"bot": bot.name, "street": street, "seed": seed, **_facts(won, best)})
        return
    unit = 1000
    click.echo(
        f"{bot.name} wins {estimate_text(won.hand, unit)} mbb/g from its blueprint by what it solves from the {street} on"
    )
    click.echo(f"  where the {street} is played: {estimate_text(won.there, unit)} ({won.reached} of {won.dealt} hands)")
    for position, gain_there in enumerate(won.positions):
        click.echo(f"    in position {position}: {estimate_text(gain_there, unit)}")
    if best:
        click.echo(f"  a best response wins {estimate_text(won.best, unit)} more from it there than from the blueprint")
    click.echo(
        f"  95 % intervals over the spots; {won.subgames:,} subgames, {won.seconds / won.reached:.2g} s of "
        "processor time a spot"
    )
    if player.resolver.fallbacks:
        click.echo(f"  {player.resolver.fallbacks} subgames could not be solved; the blueprint played them")


def _facts(won: "Gain", best: bool) -> dict[str, object]:
    unit = 1000
    return {
        "dealt": won.dealt, "reached": won.reached, "mbb_per_game": estimate_data(won.hand, unit),
        "mbb_where_reached": estimate_data(won.there, unit),
        "by_position": [estimate_data(each, unit) for each in won.positions],
        "best_response": estimate_data(won.best, unit) if best else None,
        "subgames": won.subgames, "processor_seconds": round(won.seconds, 2),
    }  # fmt: skip
