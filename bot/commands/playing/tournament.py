"""``limpet tournament``: plays everybody against everybody and ranks them."""

import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from limpet.bot.commands.options import choice, cluster_option, flag, given, json_option, option
from limpet.bot.commands.parameters import CARD_SEED, HANDS, NEW_FOLDER, PROCESSES, TOURNAMENT, Whole
from limpet.bot.commands.progress import OFTEN, progress
from limpet.bot.commands.terminal import notice, print_document, print_json, standard_output, stoppable
from limpet.common.folders import replace_file
from limpet.configs.loading import mistakes

if TYPE_CHECKING:
    from limpet.dealer.contests.tournament import TableRecord
    from limpet.dealer.reports.report_tournament import Unit

WAYS = ("tcp", "in-process", "compiled", "fastest", "full-ranges")


@click.command(
    epilog="""\b
Examples:
  limpet tournament first
  limpet tournament my/tournament.yaml --jobs 8
  limpet tournament my/tournament.yaml --resume --matches 20
  limpet tournament decided --hands 100000 --how compiled --json
  limpet tournament holdem-ranges                 all hands at once: few sets say much of bots that take their time
  limpet tournament holdem --cluster tcp://host:8786

\b
The folder afterwards (default tournaments/NAME-SEED):
  results.md         places, crosstable with intervals, run-off
  results.json       the same and more, for programs
  A+B/match-1/       the match of A and B, as `limpet match` leaves it (by full ranges, its sets alone)

\b
Exit status: 0 every table played to its end; 1 a match failed, or you stopped it; 2 wrong usage or config."""
)
@click.argument("config", type=TOURNAMENT)
@option("--hands", "Duplicate sets of a match, in place of the config's.", HANDS)
@option("--matches", "Matches at each table at most, in place of the config's.", Whole(1, 100_000))
@option("--seed", "Seed of the cards, in place of the config's.", CARD_SEED)
@choice("--how", "How hands are played, in place of the config's.", WAYS)
@option("--jobs", "Matches at a time.  [default: the config's, or all cores]", PROCESSES)
@cluster_option("play: tcp://host:8786, or local:N to start N processes here")
@option("--output", "Folder for everything.", NEW_FOLDER, metavar="DIR")
@flag("--resume", "Continue the tournament that the folder holds.")
@choice("--unit", "Unit of the tables' numbers.", ["mbb/g", "chips"], default="mbb/g")
@json_option("Print results.json instead of tables.")
def tournament(
    config: str, cluster: str | None, output: Path | None, resume: bool, unit: "Unit", as_json: bool, **settings: Any
) -> None:
    """Play bots against each other at every table they can fill, and rank them.

    CONFIG is the name of one that ships, or a YAML file. It names the bots, the game and the number of duplicate sets.
    Tables play the same cards, several at a time.
    """
    from limpet.common.cluster import open_cluster
    from limpet.dealer.contests.tournament import TournamentRun, played_here
    from limpet.dealer.contests.tournament_config import load_tournament, resolve_tournament
    from limpet.dealer.contests.tournament_result import result
    from limpet.dealer.reports.report_tournament import results_document, results_markdown

    read, home, document = load_tournament(config, given(settings))
    resolved = resolve_tournament(read, home, document)
    resolved.check()
    root = output or Path("tournaments") / f"{read.name}-{read.seed}"
    run = TournamentRun(resolved, root, resume)
    with stoppable() as stop, progress(read.name, "hands", stays=True, every=OFTEN) as report:

        def follow(hands: int, most: int, tables: "Sequence[TableRecord]") -> None:
            report(hands, most, lambda: standing(tables))

        jobs = read.jobs or os.cpu_count() or 1
        if cluster is None:
            run.play(partial(played_here, read, home, root, jobs), follow)
        else:
            with mistakes(), open_cluster(cluster, jobs) as client:
                from limpet.dealer.contests.tournament_match import played_by_cluster

                run.play(partial(played_by_cluster, client, resolved, home, root, notice), follow)
    outcome = result(resolved, run.tables)
    outcome.write(root)
    replace_file(root / "results.md", results_markdown(outcome, unit))
    stop.exit(f"the same command with --resume goes on ({root})")
    if as_json:
        print_json(outcome, indent=2)
    else:
        print_document(standard_output(piped=1000), results_document(outcome, unit))
        click.echo(f"Reports, logs and results.json: {root}")
    failed = [table for table in outcome.tables if table.failure is not None]
    if not outcome.complete:
        notice(*(f"{', '.join(table.players)}: {table.failure}" for table in failed))
        sys.exit(1)


def standing(tables: "Sequence[TableRecord]") -> str:
    """Return how many tables have been begun, decided, and failed."""
    begun = sum(bool(table.matches) for table in tables)
    decided = sum(table.decision is not None for table in tables)
    failed = sum(table.failure is not None for table in tables)
    ended = [f"{count} {how}" for count, how in ((decided, "decided"), (failed, "failed")) if count]
    return ", ".join([f"{begun} of {len(tables)} tables begun", *ended])
