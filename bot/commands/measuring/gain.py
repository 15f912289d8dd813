"""``limpet gain``: measures what a bot that solves at the table wins from its own blueprint, with little noise."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from limpet.bot.commands.options import choice, flag, json_option, option, quiet_option, sampling_options, seed_option
from limpet.bot.commands.parameters import BOT, MOST_BOARDS, NEW_FOLDER, THREADS, Whole
from limpet.bot.commands.progress import progress
from limpet.bot.commands.terminal import estimate_data, estimate_text, notice, print_json, stoppable
from limpet.configs.loading import ConfigError, mistakes
from limpet.strategies.abstraction.menu import STREETS

if TYPE_CHECKING:
    from limpet.strategies.base.botconfig import Bot
    from limpet.strategies.players.lbr import Start
    from limpet.strategies.players.resolve import Resolve


@click.command(
    epilog="""\b
Examples:
  limpet gain limpet-fast
  limpet gain limpet-fast --spots 300 --seed 2 --best
  limpet gain limpet --street turn --spots 20 --rivers 4 --iterations 100
  limpet gain limpet --street flop --spots 200 --jobs 2 --output gain
  limpet gain my/thinker.yaml --json

\b
The published gains are 36 to 53 mbb/g over all hands from solving the river, and 80 to 100 from the turn.
Solves end by iterations and target: a config's bank and seconds are left aside, so that a measure can be repeated.
Exit status: 0 measured; 2 the config cannot be used."""
)
@click.argument("config", type=BOT)
@choice("--street", "Where spots begin.", ["preflop", "flop", "turn", "river"], default="river")
@option("--spots", "Public states to play from.", Whole(2, MOST_BOARDS), default=50)
@option("--rivers", "River cards after a turn; 48 are all.", Whole(1, 48), default=4)
@option("--iterations", "Iterations of each solve.  [default: the config's]", Whole(min=1))
@flag("--best", "Also measure what a best response to the bot would win there.")
@seed_option("Seed of the spots that are drawn.")
@option("--threads", "Threads of each solve.", THREADS, default=1)
@sampling_options
@option("--output", "Keep samples here, and go on with them, from the flop or before it.", NEW_FOLDER, metavar="DIR")
@json_option()
@quiet_option
def gain(
    config: str, street: "Start", spots: int, rivers: int, iterations: int | None, best: bool, seed: int, threads: int,
    jobs: int, cluster: str | None, output: Path | None, as_json: bool, quiet: bool,
) -> None:  # fmt: skip
    """Work out what a bot with player 'resolve' wins from its blueprint by solving at the table, with a 95 % interval.

    Spots are public states in which a street begins, drawn from the blueprint's play against itself. In each of them all
    hands play against all hands in both seats, and everything that the bot would solve on the way is solved. What the
    blueprint wins there from itself is taken off. A few dozen spots say as much as a hundred thousand hands dealt.

    From the flop, or from before it, a spot is a whole hand for all hole cards, along lines of betting that are drawn by the
    size of their pots. Then --jobs and --cluster share spots out, and a second table says in which pots the gain is made.
    """
    from limpet.strategies.base.botconfig import load_bot
    from limpet.strategies.holdem.measures import full_ranges
    from limpet.strategies.players.resolve import Resolve

    bot = load_bot(config)
    options = _checked_options(bot)
    if street in ("preflop", "flop"):
        if best:
            raise ConfigError("--best needs whole spots of a turn or a river; leave it out, or name --street turn")
        _by_lines(bot, street, seed, iterations, spots, jobs, cluster, output, as_json, quiet)
        return
    with mistakes():
        player = Resolve(bot.game, full_ranges.without_clock(options, threads, iterations), bot.path.parent)
        player.warm_up()
        with progress("solving", "spots", quiet) as report:
            won = full_ranges.gain(player, STREETS.index(street), spots, seed, rivers, best, report)
    estimates = (won.hand, won.there, won.best, *won.positions)
    hand, where_reached, response, *positions = (each.scaled(1000) for each in estimates)
    if as_json:
        facts = {
            "bot": bot.name, "street": street, "seed": seed, "dealt": won.dealt, "reached": won.reached,
            "mbb_per_game": estimate_data(hand), "mbb_where_reached": estimate_data(where_reached),
            "by_position": [estimate_data(each) for each in positions],
            "best_response": estimate_data(response) if best else None,
            "subgames": won.subgames, "processor_seconds": round(won.seconds, 2),
        }  # fmt: skip
        print_json(facts)
        return
    click.echo(f"{bot.name} wins {estimate_text(hand)} mbb/g from its blueprint by what it solves from the {street} on")
    click.echo(f"  where the {street} is played: {estimate_text(where_reached)} ({won.reached} of {won.dealt} hands)")
    for position, won_there in enumerate(positions):
        click.echo(f"    in position {position}: {estimate_text(won_there)}")
    if best:
        click.echo(f"  a best response wins {estimate_text(response)} more from it there than from the blueprint")
    seconds = won.seconds / won.reached
    click.echo(f"  95 % intervals over the spots; {won.subgames:,} subgames, {seconds:.2g} s of processor time a spot")
    if player.resolver.fallbacks:
        click.echo(f"  {player.resolver.fallbacks} subgames could not be solved; the blueprint played them")


def _checked_options(bot: "Bot") -> "Resolve.Options":
    """Return the options of a bot that solves at the table. Raises `ConfigError` for other bots and for draw games."""
    from limpet.strategies.players.resolve import Resolve

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
    return options


def _by_lines(
    bot: "Bot", street: "Start", seed: int, iterations: int | None, spots: int, jobs: int, cluster: str | None,
    output: Path | None, as_json: bool, quiet: bool,
) -> None:  # fmt: skip
    from limpet.common.statistics import estimate
    from limpet.dealer.matches.results import interval_text
    from limpet.dealer.measures.line_measure import hours_to_narrow, line_terms, measured, parts_won, wins

    terms = line_terms(bot, "name --street turn", "gain", street, seed, iterations)
    path = None if output is None else output / f"{bot.name}-{street}-gain-{seed}.jsonl"
    with stoppable() as stop, progress("solving", "spots", quiet) as report:
        dealt = measured(bot, terms, spots, report, path, jobs, cluster, notice)
    stop.exit("the same command goes on" if output else "nothing is kept; with --output the same command goes on")
    won, parts = estimate(wins(dealt)), parts_won(dealt)
    seconds = sum(each.seconds for each in dealt)
    hours = hours_to_narrow(dealt, won.interval)
    if as_json:
        facts = {
            "bot": bot.name, "street": street, "seed": seed, "spots": len(dealt), "mbb_per_game": estimate_data(won),
            "by_position": [estimate_data(estimate([each.won[at] for each in dealt]).scaled(1000)) for at in (0, 1)],
            "parts": parts, "processor_seconds": round(seconds, 2), "hours_to_50": hours,
        }  # fmt: skip
        print_json(facts)
        return
    click.echo(f"{bot.name} wins {estimate_text(won)} mbb/g from its blueprint by what it solves from the {street} on")
    for part in parts:
        click.echo(f"  {part.kind}: {part.mbb_per_game:+,.1f} {interval_text(part.interval_95)}")
    click.echo(
        "  by kind of pot, by pots behind on the flop ('over' is what hands bring that ended before it), and by street"
    )
    click.echo(f"  95 % intervals over {len(dealt)} spots; {seconds / len(dealt):.2g} s of processor time a spot")
    if hours is not None:
        click.echo(f"  an interval of 50 mbb/g to each side takes {hours:.2g} hours of processor time")
