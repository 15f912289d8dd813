"""``limpet tournament``: everybody against everybody on this machine."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from limpet.bot.commands.parameters import PROCESSES, Whole

if TYPE_CHECKING:
    from limpet.dealer.tournaments.tournament import Progress, TournamentRun


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
  A+B/match-1/       the match of A and B, as `limpet match` leaves it

\b
Exit status: 0 every table played to its end; 1 a match failed, or you stopped it; 2 wrong usage or config."""
)
@click.argument("config")
@click.option("--hands", type=Whole(1, 2**32 - 1), help="Duplicate sets of a match, in place of the config's.")
@click.option("--matches", type=Whole(1, 100_000), help="Of each table at most, in place of the config's.")
@click.option("--seed", type=Whole(0, 2**32 - 1), help="Of the cards, in place of the config's.")
@click.option(
    "--how",
    type=click.Choice(["tcp", "in-process", "compiled", "fastest", "full-ranges"]),
    help="In place of the config's.",
)
@click.option("--jobs", type=PROCESSES, help="Matches at a time.  [default: the config's, or all cores]")
@click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Have the workers of a dask scheduler play: tcp://host:8786, or local:N to start N processes here.",
)
@click.option(
    "--output", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Folder for everything."
)
@click.option("--resume", is_flag=True, help="Continue the tournament that the folder holds.")
@click.option(
    "--unit", type=click.Choice(["mbb/g", "chips"]), default="mbb/g", show_default=True, help="Of the tables."
)
@click.option("--json", "as_json", is_flag=True, help="Print results.json instead of tables.")
def tournament(
    config: str,
    hands: int | None,
    matches: int | None,
    seed: int | None,
    how: str | None,
    jobs: int | None,
    cluster: str | None,
    output: Path | None,
    resume: bool,
    unit: str,
    as_json: bool,
) -> None:
    """Play bots against each other at every table they can fill, and rank them.

    CONFIG is the name of one that ships, or a YAML file. It names the bots, the game and the number of duplicate sets.
    Tables play the same cards, several at a time.
    """
    import json
    import os

    from limpet.bot.commands.match import signals_stop
    from limpet.bot.commands.terminal import standard_output
    from limpet.bot.commands.tournament_progress import following
    from limpet.dealer.reports.report_tournament import results_markdown
    from limpet.dealer.tournaments.tournament import TournamentRun
    from limpet.dealer.tournaments.tournament_config import load_tournament, resolve_tournament
    from limpet.dealer.tournaments.tournament_grids import Unit, show
    from limpet.dealer.tournaments.tournament_result import result

    given = {"hands": hands, "matches": matches, "seed": seed, "how": how, "jobs": jobs}
    read, home, document = load_tournament(config, {name: value for name, value in given.items() if value is not None})
    resolved = resolve_tournament(read, home, document)
    resolved.check()
    root = output or Path("tournaments") / f"{read.name}-{read.seed}"
    run = TournamentRun(resolved, root, resume)
    stopped = False
    try:
        with signals_stop(), following(read.name) as follow:
            jobs = read.jobs or os.cpu_count() or 1
            if cluster is None:
                run.play(home, jobs, follow)
            else:
                _play_on_cluster(run, home, cluster, jobs, follow)
    except KeyboardInterrupt:
        stopped = True
    found = result(resolved, run.tables)
    found.write(root / "results.json")
    told: Unit = "chips" if unit == "chips" else "mbb/g"
    (root / "results.md").write_text(results_markdown(found, told), encoding="utf-8")
    if stopped:
        click.echo(f"limpet tournament: stopped; the same command with --resume goes on ({root})", err=True)
        sys.exit(1)
    if as_json:
        click.echo(json.dumps(found.plain(), indent=2))
    else:
        console = standard_output(piped=1000)
        show(found, told, console)
        click.echo(f"Reports, logs and results.json: {root}")
    if not found.complete:
        for table in found.tables:
            if table.failure is not None:
                click.echo(f"limpet tournament: {', '.join(table.players)}: {table.failure}", err=True)
        sys.exit(1)


def _play_on_cluster(run: "TournamentRun", home: Path, address: str, threads: int, follow: "Progress") -> None:
    """Raises `ConfigError` for a cluster that cannot be used."""
    from limpet.configs.loading import mistakes
    from limpet.strategies.workers.cluster import open_cluster

    def notice(line: str) -> None:
        click.echo(f"limpet tournament: {line}", err=True)

    with mistakes(), open_cluster(address, threads) as client:
        from limpet.dealer.tournaments.tournament_cluster import ClusterWorkers

        with ClusterWorkers(client, run.tournament, home, run.root, notice) as workers:
            run.play_by(workers, follow)
