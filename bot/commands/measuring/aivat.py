"""``limpet aivat``: says what a bot won according to a match's logs, with the luck taken out."""

from pathlib import Path
from typing import Any

import click

from limpet.bot.commands.options import flag, game_option, jobs_option, json_option, option, quiet_option, seed_option
from limpet.bot.commands.parameters import BOT, NEW_FILE, OLD_FILE, STRATEGY, Whole
from limpet.bot.commands.progress import progress
from limpet.bot.commands.terminal import notice, print_json, print_table, stoppable
from limpet.common.folders import MeasureFile, require_writable

HEADINGS = (
    "estimator", "mbb/g", "95 % interval", "bootstrap", "sd (bb)", "of raw", "its interval", "deals for ±50",
)  # fmt: skip


@click.command(
    epilog="""\b
Examples:
  limpet match blueprint call --hands 3000 --seed 1 --in-process
  limpet aivat matches/blueprint-call-1 --bot blueprint
  limpet aivat theirs.log --bot my/bot.yaml --player us --baseline equity
  limpet aivat theirs.log --cards-only --player us

\b
  estimator       mbb/g        95 % interval    bootstrap   sd (bb)   of raw   its interval   deals for ±50

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
more it differs from the baseline's strategy, the more luck that takes out. --frozen leaves the baseline as it is.

\b
Where nobody's config is at hand, --cards-only takes out the luck of the cards alone, whoever plays: by a baseline that
needs no bot. Without --player the result is that of the first name in the logs.

\b
An opponent whose config is at hand takes out far more: --also-known CONFIG. Nothing is then learned for AIVAT, and the
result is the mean over all pairs of hands that both may have held.

\b
Exit status: 0 it was worked out; 1 you stopped it; 2 the logs or the config are wrong, and one line says why."""
)
@click.argument("logs", nargs=-1, required=True, metavar="LOG...", type=click.Path(path_type=Path, exists=True))
@option("--bot", "The config of the bot that is evaluated.", BOT, metavar="CONFIG")
@flag("--cards-only", "Take out the luck of the cards alone; no player's config is needed.")
@option("--player", "The player's name in the logs.  [default: the config's]", metavar="NAME")
@option(
    "--also-known",
    "The config of its opponent: two players who are both known are compared over all pairs of hands.",
    BOT,
    metavar="CONFIG",
)
@option(
    "--baseline",
    "Values to measure luck by: a strategy, or equity.  [default: the bot's strategy, or the game's that ships]",
    STRATEGY,
    metavar="NAME",
)
@flag("--frozen", "Learn nothing of the opponent from the hands before.")
@option(
    "--rows",
    "What the bot played by, as its option 'rows' kept it. Needed where it thought against the clock.",
    OLD_FILE,
)
@game_option("the bot's, or what the logs say")
@option("--hands", "The first hands of each log only.", Whole(1))
@option(
    "-o --output",
    "Keep what each deal says, as lines of JSON; the same command goes on there after it was stopped.",
    NEW_FILE,
    metavar="FILE",
)
@jobs_option("Processes, where it takes long.")
@seed_option("Seed of the bootstrap.")
@quiet_option
@json_option()
def aivat(
    cards_only: bool, frozen: bool, output: Path | None, jobs: int, seed: int, quiet: bool, as_json: bool,
    **job_options: Any,
) -> None:  # fmt: skip
    """Say what a bot won with the luck taken out (AIVAT; Burch et al. 2018).

    Each LOG is a log file with everybody's cards, or the folder of a match. Hands that were dealt in several seatings
    are one sample. Only the bot's own strategy must be known, not that of whom it played; with --cards-only none.
    """
    from limpet.dealer.matches.results import interval_text
    from limpet.dealer.measures.luck_job import LuckJob, evaluated
    from limpet.dealer.measures.match_luck import DealLuck, luck_summary, spread_texts
    from limpet.dealer.reports.log_sums import played_unevenly

    if cards_only == (job_options["bot"] is not None):
        raise click.UsageError("say either which bot is evaluated (--bot CONFIG) or --cards-only, which needs none")
    for name in ("also-known", "rows"):
        if cards_only and job_options[name.replace("-", "_")] is not None:
            raise click.UsageError(f"--{name} says how somebody played, and --cards-only needs it not")
    question = LuckJob(**job_options, learning=not frozen)
    if output is not None:
        require_writable(output.parent)
    kept = MeasureFile(output, question.terms(), DealLuck)
    with progress("values", "flops", quiet) as fitting:
        taker = question.open(fitting)
    left = sorted(set(range(taker.num_deals)) - {deal.deal for deal in kept.found})
    with stoppable() as stop, progress(taker.player, "deals", quiet) as report:
        report(len(kept.found), taker.num_deals)
        for deal in evaluated(question, taker, left, jobs):
            kept.add(deal)
            report(len(kept.found), taker.num_deals)
    stop.exit("--output FILE would let it go on" if output is None else "the same command goes on")
    luck = taker.result(kept.found)
    if note := played_unevenly(luck.deals):
        notice(note)
    data = {"player": taker.player, "hands": len(luck.deals), **luck_summary(luck, seed)}
    if as_json:
        print_json(data, indent=2)
        return
    hands, deals = data["hands"], data["deals"]
    click.echo(f"{data['player']}: {hands:,} hands" + (f" of {deals:,} deals" if deals != hands else ""))
    rows = []
    for row in data["estimators"]:
        intervals = interval_text(row["interval_95"]), interval_text(row["bootstrap_95"])
        sd, of_raw, needed = spread_texts(row)
        shares = of_raw, interval_text(row["sd_of_raw_95"], ".1%")
        rows.append((row["estimator"], f"{row['mbb_per_game']:+,.1f}", *intervals, sd, *shares, needed))
    print_table(HEADINGS, rows)
