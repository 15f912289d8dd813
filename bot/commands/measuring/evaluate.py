"""``limpet evaluate``: measures everything that can be measured of a bot, and reports on it."""

import sys
from pathlib import Path

import click

from limpet.bot.commands.options import flag, given, json_option, option
from limpet.bot.commands.parameters import BOT, CARD_SEED, DEALS, MOST_BOARDS, NEW_FOLDER, Whole
from limpet.bot.commands.terminal import notice, print_sheet, stoppable
from limpet.common.folders import require_writable


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
@click.argument("config", type=BOT)
@option("--against", "Another bot that it plays against too.", BOT, metavar="CONFIG")
@option("--exploit", "Bound its exploitability in a large game: flops, turns, rivers (16,8,8).", DEALS, metavar="DEALS")
@flag("--quick", "A tenth of the hands and boards.")
@option("--boards", "Boards of each full-range duel.  [default: 500]", Whole(2, MOST_BOARDS))
@option("--hands compiled_sets", "Duplicate sets of a compiled match.  [default: 20,000]", Whole(min=1))
@option(
    "--slow-hands slow_sets",
    "Duplicate sets of any other match, such as with LBR; tenfold in small games.  [default: 500]",
    Whole(min=1),
)
@option(
    "--luck-hands",
    "Hands of each seating that the luck is taken out of, some tenths of a second each; tenfold in small games.  [default: 250]",
    Whole(min=1),
)
@option("--seed", "Seed of cards and boards.", CARD_SEED, default=1)
@option("--output -o", "Folder for everything.", NEW_FOLDER, metavar="DIR")
@json_option("Print evaluation.json.")
def evaluate(
    config: str, against: str | None, exploit: tuple[int, ...] | None, quick: bool, seed: int, output: Path | None,
    as_json: bool, **sizes: int | None,
) -> None:  # fmt: skip
    """Measure a bot in every way that suits it, and write a report.

    In small games its exploitability, exactly; for strategy files full-range duels against call and fold, and what they
    do before the flop; for every bot duplicate matches against call, fold and raise, the first of them once more with the
    luck taken out, and one against the local best response.
    """
    from limpet.dealer.measures import evaluate_run
    from limpet.dealer.measures.evaluate_run import evaluation_document
    from limpet.dealer.measures.lbr import write_lbr
    from limpet.dealer.reports.report_pages import PAGE, write_pages
    from limpet.strategies.base.botconfig import load_bot

    usual = evaluate_run.QUICK if quick else evaluate_run.THOROUGH
    settings = usual._replace(seed=seed, deals=exploit, **given(sizes))
    bot = load_bot(config)
    folder = output or Path("evaluations") / bot.name
    require_writable(folder)
    parts = list(evaluate_run.parts(bot, folder, settings, load_bot(against, bot.game) if against else None))
    evaluation = evaluate_run.open_evaluation(bot, folder)
    write_lbr(bot, folder / evaluate_run.LBR_CONFIG)
    left = [part for part in parts if evaluation.done(part) is None]
    failures: dict[str, str] = {}
    with stoppable() as stop:
        for number, part in enumerate(left, len(parts) - len(left) + 1):
            notice(f"{number} of {len(parts)}: {part.command_line}")
            try:
                evaluation = evaluate_run.measure(evaluation, part, folder)
            except evaluate_run.Failed as error:
                failures[part.name] = str(error)
                notice(str(error))
    document = list(evaluation_document(evaluation, parts, failures))
    write_pages(folder, document)
    if as_json and (folder / evaluate_run.EVALUATION_FILE).exists():
        click.echo((folder / evaluate_run.EVALUATION_FILE).read_text(encoding="utf-8"), nl=False)
    else:
        print_sheet(document)
        click.echo(f"Report: {folder / PAGE} and report.md")
    stop.exit("the same command goes on")
    sys.exit(1 if failures else 0)
