"""``limpet report``: writes a match or a tournament down as a page to read and to pass on."""

from pathlib import Path

import click

from limpet.bot.commands.options import choice, option
from limpet.bot.commands.parameters import NEW_FOLDER, OLD_FOLDER, Whole
from limpet.bot.commands.progress import reading_logs
from limpet.bot.commands.terminal import writing
from limpet.configs.loading import ConfigError


@click.command(
    epilog="""\b
Examples:
  limpet report matches/leduc-call-1
  limpet report tournaments/first-1 --largest 3
  limpet report matches/leduc-call-1 --plots svg --output my/report

\b
What is written, into FOLDER unless --output names another:
  report.html        one page, complete in itself: it can be mailed, and opened without a network
  report.md          the same as Markdown
  *.svg              with --plots svg: the charts as files, which report.md then shows

\b
Exit status: 0 written; 2 the folder holds no finished match or tournament, and one line says what is missing."""
)
@click.argument("folder", type=OLD_FOLDER)
@option("--output -o", "[default: FOLDER]", NEW_FOLDER, metavar="DIR")
@option(
    "--largest", "How many of the largest pots to replay, in a tournament at each table.", Whole(0, 1000), default=10
)
@choice("--plots", "Write the charts as files too.", ("svg",))
def report(folder: Path, output: Path | None, largest: int, plots: str | None) -> None:
    """Report on a match, a tournament or sit-and-goes, from the FOLDER they were played into.

    Results with intervals, how they came about, where they were made, how everybody played and how fast, look-ups that
    missed, and the largest pots, hand by hand.
    """
    from limpet.dealer.contests.sng_run import SngResult
    from limpet.dealer.contests.tournament_result import TournamentResult
    from limpet.dealer.matches.match_result import MatchResult
    from limpet.dealer.reports.report_match import MatchFolder, match_document
    from limpet.dealer.reports.report_pages import PAGE, write_pages
    from limpet.dealer.reports.report_tournament import sng_document, table_matches, tournament_document

    if (folder / MatchResult.FILE).is_file():
        match = MatchFolder(folder)
        with reading_logs("reading", match.logs) as look:
            document = list(match_document(match, largest, look))
    elif (folder / TournamentResult.FILE).is_file():
        result = TournamentResult.read(folder)
        logs = [
            path for table in result.tables for played in table_matches(folder, result, table) for path in played.logs
        ]
        with reading_logs("reading", logs) as look:
            document = list(tournament_document(folder, result, largest, look))
    elif (folder / SngResult.FILE).is_file():
        document = list(sng_document(folder))
    else:
        raise ConfigError(
            f"{folder}: neither {MatchResult.FILE} of a match nor {TournamentResult.FILE} of a tournament nor "
            f"{SngResult.FILE} is there; name the folder that it was played into, and play it to its end first"
        )
    target = output or folder
    with writing(target, "cannot write the report; name a folder with --output"):
        write_pages(target, document, charts=plots is not None)
    click.echo(f"Report: {target / PAGE} and report.md")
