"""``limpet evaluate``: everything that can be measured of a bot, in one go."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from limpet.bot.commands.parameters import MOST_BOARDS, Deals, Whole

if TYPE_CHECKING:
    from limpet.dealer.reports.report_document import Document


@click.command(
    epilog="""\b
Examples:
  limpet evaluate leduc
  limpet evaluate blueprint --quick
  limpet evaluate my/bot.yaml --against blueprint --exploit 16,8,8

\b
The folder afterwards (default evaluations/NAME):
  report.html, report.md   all numbers, each with the command that repeats it
  evaluation.json          the same for programs; what stands there is not measured again
  match-call-20000-1/ ...  the matches, as `limpet match` leaves them

\b
Exit status: 0 all was measured; 1 a part failed, or you stopped it: the same command goes on; 2 wrong usage or config."""
)
@click.argument("config")
@click.option("--against", metavar="CONFIG", help="Another bot, to be measured against too.")
@click.option(
    "--exploit",
    type=Deals(),
    metavar="DEALS",
    help="Bound its exploitability in a large game: flops, turns, rivers (16,8,8).",
)
@click.option("--quick", is_flag=True, help="A tenth of the hands and boards.")
@click.option("--boards", type=Whole(2, MOST_BOARDS), help="Of each full-range duel.  [default: 500]")
@click.option("--hands", type=Whole(min=1), help="Duplicate sets of a compiled match.  [default: 20,000]")
@click.option(
    "--slow-hands",
    type=Whole(min=1),
    help="Of any other match, such as with LBR; tenfold in small games.  [default: 500]",
)
@click.option(
    "--luck-hands",
    type=Whole(min=1),
    help="Of each seating to take the luck out of, some tenths of a second each; tenfold in small games.  [default: 250]",
)
@click.option("--seed", type=Whole(0, 2**32 - 1), default=1, show_default=True, help="Of cards and boards.")
@click.option(
    "--output", "-o", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Folder for everything."
)
@click.option("--json", "as_json", is_flag=True, help="Print evaluation.json.")
def evaluate(
    config: str,
    against: str | None,
    exploit: tuple[int, ...] | None,
    quick: bool,
    boards: int | None,
    hands: int | None,
    slow_hands: int | None,
    luck_hands: int | None,
    seed: int,
    output: Path | None,
    as_json: bool,
) -> None:
    """Measure a bot by all that suits it, and write a report.

    In small games its exploitability, exactly; for strategy files full-range duels against call and fold, and what they
    do before the flop; for every bot duplicate matches against call, fold and raise, the first of them once more with the
    luck taken out, and one against the local best response.
    """
    from limpet.bot.commands.match import signals_stop
    from limpet.dealer.measures.evaluate_parts import LBR_CONFIG, QUICK, THOROUGH, parts
    from limpet.dealer.measures.evaluate_report import evaluation_document
    from limpet.dealer.measures.evaluate_run import EVALUATION_FILE, Failed, ask, measure, missing, open_evaluation
    from limpet.dealer.measures.lbr_matches import write_lbr
    from limpet.dealer.reports.report_html import page
    from limpet.dealer.reports.report_markdown import markdown
    from limpet.strategies.botconfig import load_bot

    usual = QUICK if quick else THOROUGH
    settings = usual._replace(
        seed=seed,
        boards=boards or usual.boards,
        compiled_sets=hands or usual.compiled_sets,
        slow_sets=slow_hands or usual.slow_sets,
        luck_hands=luck_hands or usual.luck_hands,
        deals=exploit,
    )
    bot = load_bot(config)
    folder = output or Path("evaluations") / bot.name
    wanted = list(parts(bot, folder, settings, load_bot(against, bot.game) if against else None))
    evaluation = open_evaluation(bot, folder)
    folder.mkdir(parents=True, exist_ok=True)
    write_lbr(bot, folder / LBR_CONFIG)
    left = missing(evaluation, wanted)
    failures: dict[str, str] = {}
    stopped = False
    try:
        with signals_stop():
            for number, part in enumerate(left, len(wanted) - len(left) + 1):
                click.echo(f"limpet evaluate: {number} of {len(wanted)}: {part.told}", err=True)
                try:
                    evaluation = measure(evaluation, part, folder, ask)
                except Failed as error:
                    failures[part.name] = str(error)
                    click.echo(f"limpet evaluate: {error}", err=True)
    except KeyboardInterrupt:
        stopped = True
    document = list(evaluation_document(evaluation, wanted, failures))
    (folder / "report.html").write_text(page(document), encoding="utf-8")
    (folder / "report.md").write_text(markdown(document), encoding="utf-8")
    if as_json and (folder / EVALUATION_FILE).exists():
        click.echo((folder / EVALUATION_FILE).read_text(encoding="utf-8"), nl=False)
    else:
        _print(document)
        click.echo(f"Report: {folder / 'report.html'} and report.md")
    if stopped:
        click.echo("limpet evaluate: stopped; the same command goes on", err=True)
    sys.exit(1 if stopped or failures else 0)


def _print(document: "Document") -> None:
    """The table of all measures."""
    from rich.table import Table
    from rich.text import Text

    from limpet.bot.commands.terminal import standard_output
    from limpet.dealer.reports.report_document import Link, Sheet

    sheet = next(block for block in document if isinstance(block, Sheet))
    table = Table(*sheet.headings)
    for row in sheet.rows:
        table.add_row(*(Text(cell.text if isinstance(cell, Link) else cell) for cell in row))
    standard_output().print(table)
