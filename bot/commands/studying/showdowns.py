"""``limpet showdowns``: builds the table of how often hands win when two or three are all-in before the flop."""

from pathlib import Path

import click

from limpet.bot.commands.options import jobs_option, json_option, option, quiet_option, seed_option
from limpet.bot.commands.parameters import MOST_BOARDS, NEW_FILE, Whole
from limpet.bot.commands.progress import progress
from limpet.bot.commands.terminal import STOPPED, notice, print_json, writing
from limpet.common.folders import require_writable


@click.command(
    epilog="""\b
Examples:
  limpet showdowns --output tables.safetensors
  limpet showdowns --output small.safetensors --boards 2000 --seed 7

\b
The table knows, for every three of the 169 starting hands (AA, AKs, 72o ...), how often they end in each of the 13 orders
that three hands can end in, ties and shared cards included. The exact one ships with limpet; this builds it again.

\b
All 2,598,960 boards are counted, as 134,459 up to suits. That takes some 25 minutes of processor time, and 2 GB of memory
for each process. What is counted is kept beside FILE, as FILE.counts, some 150 MB: after Ctrl-C, which waits for the pieces
under way, or after a kill, the same command goes on there. The end removes it.

\b
--boards N counts N boards drawn at random instead: 1,000 take some 10 seconds of processor time. The largest standard
error that any probability can have is then 0.69 / sqrt(N), and is printed and stored: 0.015 for 2,000 boards.

\b
Exit status: 0 the table was written; 1 you stopped it; 2 the file cannot be written, or N boards are too few."""
)
@option("-o --output", "File to write, some 10 MB.", NEW_FILE, required=True, metavar="FILE")
@option("--boards", "Boards to draw.  [default: all, none drawn]", Whole(1, MOST_BOARDS), metavar="N")
@seed_option()
@jobs_option("Processes.")
@quiet_option
@json_option()
def showdowns(output: Path, boards: int | None, seed: int, jobs: int, quiet: bool, as_json: bool) -> None:
    """Build the table of two and three hands all-in before the flop.

    Its counts are exact. Its file holds probabilities to 1/65535.
    """
    from limpet.common.verified import file_digest
    from limpet.common.workers import interruptible
    from limpet.configs.loading import mistakes
    from limpet.strategies.cards.preflop_tables import write_tables
    from limpet.strategies.cards.showdown_counting import exact_tables, sampled_tables

    require_writable(output.parent)
    kept = output.with_name(f"{output.name}.counts")
    with writing(output):
        output.parent.mkdir(parents=True, exist_ok=True)
        if boards is not None:
            with progress("showdowns", "boards", quiet) as report, mistakes():
                tables = sampled_tables(boards, seed, jobs, report)
        else:
            with interruptible() as stop, progress("showdowns", "pieces", quiet) as report:
                exact = exact_tables(kept, jobs, report, stop)
            if exact is None:
                notice(f"stopped; the same command goes on ({kept})")
                raise SystemExit(STOPPED)
            tables = exact
        write_tables(output, tables)
        if boards is None:
            kept.unlink(missing_ok=True)
    about = {
        "file": str(output),
        "bytes": output.stat().st_size,
        "sha256": file_digest(output),
        "boards": tables.boards,
        "standard_error": tables.standard_error,
    }
    if as_json:
        print_json(about, indent=2)
        return
    how = f"standard error at most {tables.standard_error:.2g}" if tables.standard_error else "exact"
    click.echo(f"{output}: {tables.boards:,} boards, {how}; {about['bytes']:,} bytes, SHA-256 {about['sha256']}")
