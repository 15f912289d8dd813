"""``limpet report``: a match or a tournament as a page to read and to pass on."""

from pathlib import Path

import click

from limpet.bot.commands.parameters import Whole


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
  *cumulative.png    with --plots: the pictures as files, which report.md then shows

\b
Exit status: 0 written; 2 the folder holds no finished match or tournament, and one line says what is missing."""
)
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "--output", "-o", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="[default: FOLDER]"
)
@click.option(
    "--largest",
    type=Whole(0, 1000),
    default=10,
    show_default=True,
    help="How many of the largest pots to replay, in a tournament at each table.",
)
@click.option("--plots", type=click.Choice(("png", "svg")), help="Write the pictures as files too.")
def report(folder: Path, output: Path | None, largest: int, plots: str | None) -> None:
    """Report on a match or a tournament, from the FOLDER it was played into.

    Results with intervals, how they came about, where they were made, how everybody played and how fast, look-ups that
    missed, and the largest pots, hand by hand. Pictures need matplotlib (pip install 'limpet[plot]').
    """
    from limpet.bot.commands.log import log_progress
    from limpet.configs.loading import ConfigError
    from limpet.dealer.matches.match import RESULT_FILE
    from limpet.dealer.reports import report_plots
    from limpet.dealer.reports.report_document import Block, Picture
    from limpet.dealer.reports.report_html import page
    from limpet.dealer.reports.report_markdown import markdown
    from limpet.dealer.reports.report_match import match_document, read_match
    from limpet.dealer.reports.report_tournament import (
        RESULTS_FILE,
        read_tournament,
        table_matches,
        tournament_document,
    )

    if plots and not report_plots.available():
        raise ConfigError("--plots needs matplotlib; install it with: pip install 'limpet[plot]'")
    document: list[Block]
    if (folder / RESULT_FILE).is_file():
        match = read_match(folder)
        with log_progress("reading", match.logs) as look:
            document = list(match_document(match, largest, look))
    elif (folder / RESULTS_FILE).is_file():
        result = read_tournament(folder)
        logs = [path for table in result.tables for played in table_matches(folder, table) for path in played.logs]
        with log_progress("reading", logs) as look:
            document = list(tournament_document(folder, result, largest, look))
    else:
        raise ConfigError(
            f"{folder}: neither {RESULT_FILE} of a match nor {RESULTS_FILE} of a tournament is there; "
            "name the folder that it was played into, and play it to its end first"
        )
    target = output or folder
    try:
        target.mkdir(parents=True, exist_ok=True)
        _write(target / "report.html", page(document))
        _write(target / "report.md", markdown(document, plots or ""))
        for block in document:
            if plots and isinstance(block, Picture):
                report_plots.write_picture(target / f"{block.name}.{plots}", block)
    except OSError as error:
        raise ConfigError(
            f"{target}: cannot write the report: {error.strerror}; name a folder with --output"
        ) from error
    if not report_plots.available():
        click.echo("limpet report: no pictures: they need matplotlib (pip install 'limpet[plot]')", err=True)
    click.echo(f"Report: {target / 'report.html'} and report.md")


def _write(path: Path, text: str) -> None:
    """Logs may hold names that are no text in any encoding; those bytes are written as question marks."""
    path.write_text(text, encoding="utf-8", errors="replace")
