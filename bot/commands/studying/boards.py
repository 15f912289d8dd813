"""``limpet boards``: reads the results of a batch of boards, sorted and grouped by texture."""

from pathlib import Path

import click

from limpet.bot.commands.options import flag, json_option, option
from limpet.bot.commands.parameters import NEW_FILE, OLD_FOLDER, Whole
from limpet.bot.commands.terminal import print_json, standard_output, writing
from limpet.configs.loading import mistakes


@click.command(
    epilog="""\b
Examples:
  limpet solve f1 --batch 50 --output runs/flops                 solve 50 flops that stand for all
  limpet boards runs/flops --sort "bet 10" --rows 20             where the player bets most
  limpet boards runs/flops --group suits                         rainbow, two-tone and monotone
  limpet boards runs/flops --group high,ranks --csv groups.csv   ace high unpaired, ace high paired …

\b
Textures: suits (rainbow, two-tone, monotone), ranks (unpaired, paired, trips), high (the highest card), connected (how
many ranks fit into one straight: apart, two or three to a straight). Means are over boards by their weights. Shares are
shares of the pot, and equities those of the ranges at the start. A batch that still runs can be read too.
Exit status: 0 shown; 2 there is no batch, or no such column, and one line says so."""
)
@click.argument("folder", type=OLD_FOLDER)
@option("--group", "Means over the boards of each texture: suits, ranks, high, connected, or several.", metavar="NAMES")
@option("--sort", "Sort by this column, the largest first.", metavar="COLUMN")
@flag("--rising", "With --sort: the smallest first.")
@option("--rows", "Rows to print.", Whole(min=0), default=40)
@option("--csv", "Write all rows as a table.", NEW_FILE, metavar="FILE")
@json_option()
def boards(
    folder: Path, group: str | None, sort: str | None, rising: bool, rows: int, csv: Path | None, as_json: bool
) -> None:
    """Show the boards that limpet solve --batch solved: strategy, EV, equity, by board or by texture."""
    from limpet.strategies.holdem.solutions import board_report

    with mistakes():
        results = board_report.read_results(folder)
        names = [name.strip() for name in (group or "").split(",") if name.strip()]
        table = board_report.group_rows(results, names) if names else board_report.board_rows(results)
        if sort is not None:
            table = board_report.sort_rows(table, sort, rising)
    whole = board_report.group_rows(results, ())[0]
    if csv is not None:
        with writing(csv), csv.open("w", newline="", encoding="utf-8") as file:
            board_report.write_rows(file, table)
    if as_json:
        print_json({"line": results[0].line, "rows": table, "all": whole})
        return
    from limpet.bot.commands.drawing import rows_table

    line = ", ".join(results[0].line)
    click.echo(f"{len(results):,} boards{f', after {line}' if line else ''}; shares in %")
    standard_output().print(rows_table(table[:rows], whole))
    if len(table) > rows:
        click.echo(f"{rows} of {len(table):,} rows; --rows {len(table)} shows all")
