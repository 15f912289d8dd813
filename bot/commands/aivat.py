"""``limpet aivat``: what a match's logs say of a bot, with the luck taken out."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from limpet.bot.commands.parameters import PROCESSES, Whole

if TYPE_CHECKING:
    from limpet.dealer.measures.match_luck import MatchLuck

TARGET = 50.0
"""mbb/g: for this half width of an interval the deals are told."""


@click.command(
    epilog="""\b
Examples:
  limpet match blueprint call --hands 3000 --seed 1 --in-process
  limpet aivat matches/blueprint-call-1 --bot blueprint
  limpet aivat theirs.log --bot my/bot.yaml --player us --guess equity

\b
  estimator       mbb/g        95 % interval    bootstrap   sd (bb)   of raw   deals for ±50

\b
One row for each way to look at the same hands, all of them unbiased:
  raw             chips won
  all-in equity   with the board that came after the last decision averaged out
  cards only      and with the luck of the deal and of each board card taken out
  AIVAT           and with that of the bot's own draws and hands

\b
The rows that the bot played by are worked out again from its config, which must be the one that it played with: strategy
and seed. That is checked at every decision. A bot that thinks against the clock must have kept its rows: --rows FILE.

\b
What the opponent tends to do is learned on the way, each time from the deals before only, so that nothing is biased: the
more it differs from the guess's strategy, the more luck that takes out. --frozen leaves the guess as it is.

\b
An opponent whose config is at hand takes out far more: --also-known CONFIG. Nothing is then learned for AIVAT, and the
result is the mean over all pairs of hands that both may have held.

\b
Exit status: 0 it was worked out; 1 you stopped it; 2 the logs or the config are wrong, and one line says why."""
)
@click.argument("logs", nargs=-1, required=True, metavar="LOG...", type=click.Path(path_type=Path, exists=True))
@click.option("--bot", "bot_name", required=True, metavar="CONFIG", help="The config of the bot that is evaluated.")
@click.option("--player", metavar="NAME", help="The bot's name in the logs.  [default: the config's]")
@click.option(
    "--also-known",
    metavar="CONFIG",
    help="The config of its opponent: two players who are both known are compared over all pairs of hands.",
)
@click.option(
    "--guess", metavar="NAME", help="Values to measure luck by: a strategy, or equity.  [default: the bot's strategy]"
)
@click.option("--frozen", is_flag=True, help="Learn nothing of the opponent from the hands before.")
@click.option(
    "--rows",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="What the bot played by, as its option 'rows' kept it. Needed where it thought against the clock.",
)
@click.option("--game", metavar="GAME", help="A game that ships, or a .game file.  [default: the bot's]")
@click.option("--hands", type=Whole(1), help="The first hands of each log only.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Keep what each deal says, as lines of JSON; the same command goes on there after it was stopped.",
)
@click.option("--jobs", type=PROCESSES, help="Processes, where it takes long.  [default: one for each core]")
@click.option("--seed", type=Whole(0), default=1, show_default=True, help="Of the bootstrap.")
@click.option("--quiet", is_flag=True, help="No progress, only the result.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def aivat(
    logs: tuple[Path, ...],
    bot_name: str,
    player: str | None,
    also_known: str | None,
    guess: str | None,
    frozen: bool,
    rows: Path | None,
    game: str | None,
    hands: int | None,
    output: Path | None,
    jobs: int | None,
    seed: int,
    quiet: bool,
    as_json: bool,
) -> None:
    """Say what a bot won with the luck taken out (AIVAT; Burch et al. 2018).

    Each LOG is a log file with everybody's cards, or the folder of a match. Hands that were dealt in several seatings
    are one sample. Only the bot's own strategy must be known, not that of whom it played.
    """
    import json
    import os
    import sys

    from limpet.bot.commands.terminal import progress
    from limpet.dealer.logs.log_deals import played_unevenly
    from limpet.dealer.measures.luck_question import LuckQuestion
    from limpet.dealer.measures.luck_workers import shared_out
    from limpet.dealer.measures.match_luck import DealLuck
    from limpet.strategies.storage.folders import require_writable
    from limpet.strategies.storage.measure_file import MeasureFile

    question = LuckQuestion(logs, bot_name, player, also_known, guess, not frozen, rows, game, hands)
    if output is not None:
        require_writable(output.parent)
    kept = None if output is None else MeasureFile(output, question.terms(), DealLuck)
    found = {} if kept is None else {deal.deal: deal for deal in kept.found}
    with progress("values", "flops", quiet) as fitting:
        taker = question.open(fitting)
    left = [deal for deal in range(taker.num_deals) if deal not in found]
    try:
        with progress(taker.player, "deals", quiet) as report:
            report(len(found), taker.num_deals)
            for deal in shared_out(question, taker, left, jobs or os.cpu_count() or 1):
                found[deal.deal] = deal
                if kept is not None:
                    kept.add(deal)
                report(len(found), taker.num_deals)
    except KeyboardInterrupt:
        goes_on = "--output FILE would let it go on" if kept is None else "the same command goes on"
        click.echo(f"limpet aivat: stopped; {goes_on}", err=True)
        sys.exit(1)
    luck = taker.together(found.values())
    summary = summed_up(luck, seed)
    if note := played_unevenly(luck.deals):
        click.echo(f"limpet aivat: {note}", err=True)
    if as_json:
        click.echo(json.dumps({"player": taker.player, "hands": len(luck.deals), **summary}, indent=2))
    else:
        _show(taker.player, len(luck.deals), summary)


def summed_up(luck: "MatchLuck", seed: int) -> dict[str, Any]:
    """Means, intervals and spreads of all estimators, in mbb/g, as plain data."""
    from limpet.dealer.measures.match_luck import ESTIMATORS, PARTS
    from limpet.strategies.statistics.intervals import estimate
    from limpet.strategies.statistics.resampling import bootstrap_interval, deals_for_width

    raw = estimate(luck.samples("raw"))
    rows = []
    for name in ESTIMATORS:
        samples = luck.samples(name)
        found = estimate(samples)
        open_ended = found.samples < 2
        rows.append(
            {
                "estimator": name,
                "mbb_per_game": found.mean,
                "interval_95": None if open_ended else list(found.interval),
                "bootstrap_95": None if open_ended else list(bootstrap_interval(samples, seed)),
                "sd": found.sd,
                "sd_of_raw": found.sd / raw.sd if raw.sd else None,
                "deals_for_50_mbb": deals_for_width(found.sd, TARGET),
            }
        )
    spread = {name: float(column.std()) for name, column in zip(PARTS, luck.parts.T, strict=True)}
    return {"deals": raw.samples, "estimators": rows, "sd_of_parts_of_aivat": spread}


def _show(name: str, hands: int, summary: dict[str, Any]) -> None:
    from rich.table import Table

    from limpet.bot.commands.terminal import standard_output

    console = standard_output()
    deals = summary["deals"]
    of_deals = f" of {deals:,} deals" if deals != hands else ""
    console.print(f"{name}: {hands:,} hands{of_deals}", soft_wrap=True, highlight=False, markup=False)
    table = Table()
    for heading in (
        "estimator",
        "mbb/g",
        "95 % interval",
        "bootstrap",
        "sd (bb)",
        "of raw",
        f"deals for ±{TARGET:.0f}",
    ):
        table.add_column(heading, justify="left" if heading == "estimator" else "right")
    for row in summary["estimators"]:
        share = row["sd_of_raw"]
        table.add_row(
            row["estimator"],
            f"{row['mbb_per_game']:+,.1f}",
            _interval(row["interval_95"]),
            _interval(row["bootstrap_95"]),
            f"{row['sd'] / 1000:,.2f}",
            "-" if share is None else f"{share:.1%}",
            f"{row['deals_for_50_mbb']:,}",
        )
    console.print(table)


def _interval(interval: list[float] | None) -> str:
    return "-" if interval is None else f"{interval[0]:+,.0f} … {interval[1]:+,.0f}"
