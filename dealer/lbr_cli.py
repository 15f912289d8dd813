"""``limpet lbr``: how much can be won from bots by looking one bet ahead?"""

import sys
from pathlib import Path

import click


@click.command(
    epilog="""\b
Examples:
  limpet lbr blueprint formula call --hands 1000
  limpet lbr blueprint --start turn --start preflop --sizes fcpa --sizes many
  limpet lbr my/bot.yaml --json

\b
  bot   raises   from   duplicate sets   LBR wins, mbb/g   95 % interval   bootstrap   hands/s

\b
The folder afterwards (default lbr/):
  results.md, results.json   the table
  BOT-RAISES-FROM.yaml       the player of each match, for limpet match
  BOT-RAISES-FROM-N-SEED/    the match, as `limpet match` leaves it; what stands there is not played again

\b
Exit status: 0 all was played; 1 you stopped it: the same command goes on; 2 wrong usage or config."""
)
@click.argument("bots", nargs=-1, required=True, metavar="CONFIG...")
@click.option(
    "--sizes",
    multiple=True,
    type=click.Choice(["fc", "fcpa", "many"]),
    help="Its raises: none, pot and all-in, or 56 sizes; may be given several times.  [default: fcpa]",
)
@click.option(
    "--start",
    "starts",
    multiple=True,
    type=click.Choice(["preflop", "flop", "turn", "river"]),
    help="The street before which it checks and calls; several times too.  [default: turn; preflop in small games]",
)
@click.option("--hands", type=click.IntRange(1, 2**32 - 1), default=500, show_default=True, help="Duplicate sets.")
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=1, show_default=True, help="Of the cards.")
@click.option(
    "--output", "-o", type=click.Path(path_type=Path, file_okay=False), default="lbr", show_default=True, metavar="DIR"
)
@click.option("--json", "as_json", is_flag=True, help="Print results.json instead of a table.")
def lbr(
    bots: tuple[str, ...],
    sizes: tuple[str, ...],
    starts: tuple[str, ...],
    hands: int,
    seed: int,
    output: Path,
    as_json: bool,
) -> None:
    """Play the local best response against each bot, in duplicate (Lisý & Bowling 2017).

    Heads-up only. A bot that thinks at the table is asked for its thoughts; some 100 hands a second are played against a
    look-up from the turn on, 10 from preflop, and 20 against a bot that solves rivers in 50 ms.
    """
    import json
    import shlex
    from itertools import product
    from typing import cast

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from limpet.dealer.lbr_matches import (
        HEADINGS,
        Beaten,
        Start,
        lbr_document,
        lbr_match,
        plain,
        play_lbr,
        rows,
        usual_start,
    )
    from limpet.dealer.match_cli import signals_stop
    from limpet.dealer.match_progress import watching
    from limpet.dealer.report_markdown import markdown
    from limpet.strategies.botconfig import load_bot

    beaten: list[Beaten] = []
    stopped = False
    found = [load_bot(name) for name in bots]
    try:
        with signals_stop():
            for bot in found:
                chosen = [cast(Start, start) for start in starts] or [usual_start(bot)]
                for raises, start in product(sizes or ("fcpa",), chosen):
                    match = lbr_match(bot, output, raises, start, hands, seed)
                    with watching(match) as watch:
                        beaten.append(play_lbr(match, bot, output, raises, start, watch))
    except KeyboardInterrupt:
        stopped = True
    if beaten:
        words = [*bots, *(f"--sizes={each}" for each in sizes), *(f"--start={each}" for each in starts)]
        command = shlex.join(["limpet", "lbr", *words, f"--hands={hands}", f"--seed={seed}"])
        (output / "results.md").write_text(markdown(lbr_document(beaten, command)), encoding="utf-8")
        (output / "results.json").write_text(json.dumps(plain(beaten), indent=2) + "\n", encoding="utf-8")
    if as_json:
        click.echo(json.dumps(plain(beaten), indent=2))
    else:
        table = Table()
        for heading in HEADINGS:
            table.add_column(heading, justify="left" if heading in HEADINGS[:3] else "right")
        for row in rows(beaten):
            table.add_row(*map(Text, row))
        Console(file=sys.stdout, width=None if sys.stdout.isatty() else 200).print(table)
    if stopped:
        click.echo(f"limpet lbr: stopped; the same command goes on ({output})", err=True)
        sys.exit(1)
