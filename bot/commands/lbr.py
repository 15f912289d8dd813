"""``limpet lbr``: how much can be won from bots by looking one bet ahead?"""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from limpet.bot.commands.parameters import Whole

if TYPE_CHECKING:
    from limpet.dealer.reports.report_document import Block
    from limpet.strategies.botconfig import Bot
    from limpet.strategies.players.lbr import Sizes, Start

    Wanted = Sequence[tuple[Bot, Sizes, Start | None]]


@click.command(
    epilog="""\b
Examples:
  limpet lbr blueprint formula call --hands 1000
  limpet lbr blueprint --start turn --start preflop --sizes fcpa --sizes many
  limpet lbr blueprint limpet-fast limpet --full-ranges --hands 200
  limpet lbr my/bot.yaml --json

\b
  bot   raises   from   duplicate sets   LBR wins, mbb/g   95 % interval   bootstrap   hands/s
with --full-ranges
  bot   raises   from   duplicate sets   LBR wins, mbb/g   95 % interval   less than from the first   ...

\b
The folder afterwards (default lbr/):
  results.md, results.json         the table
  BOT-RAISES-FROM.yaml             the player of each match, for limpet match
  BOT-RAISES-FROM-N-SEED/          the match, as `limpet match` leaves it; what stands there is not played again
  BOT-RAISES-FROM-ranges-SEED.jsonl   with --full-ranges: a line for each duplicate set; more are added to it

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
@click.option("--hands", type=Whole(1, 2**32 - 1), default=500, show_default=True, help="Duplicate sets.")
@click.option("--seed", type=Whole(0, 2**32 - 1), default=1, show_default=True, help="Of the cards.")
@click.option(
    "--full-ranges",
    is_flag=True,
    help="All hands against all hands on each board, from the turn or the river on, in heads-up hold'em: a fiftieth of "
    "the hands say as much. No clock is looked at.",
)
@click.option("--rivers", type=Whole(1, 48), default=4, show_default=True, help="River cards after a turn; 48 are all.")
@click.option("--iterations", type=Whole(min=1), help="Of each solve of bots that think; by default the config's.")
@click.option(
    "--output", "-o", type=click.Path(path_type=Path, file_okay=False), default="lbr", show_default=True, metavar="DIR"
)
@click.option("--json", "as_json", is_flag=True, help="Print results.json instead of a table.")
def lbr(
    bots: tuple[str, ...], sizes: tuple["Sizes", ...], starts: tuple["Start", ...], hands: int, seed: int,
    full_ranges: bool, rivers: int, iterations: int | None, output: Path, as_json: bool,
) -> None:  # fmt: skip
    """Play the local best response against each bot, in duplicate (Lisý & Bowling 2017).

    Heads-up only. A bot that thinks at the table is asked for its thoughts; some 100 hands a second are played against a
    look-up from the turn on, 10 from preflop, and 20 against a bot that solves rivers in 50 ms.

    With --full-ranges only the board is dealt, and all that both might hold plays at once: some five duplicate sets a
    second against a look-up, one in five to fifteen seconds against a bot that solves turns and rivers.
    """
    import shlex
    from itertools import product

    from limpet.configs.loading import ConfigError
    from limpet.strategies.botconfig import load_bot

    found = [load_bot(name) for name in bots]
    paths: dict[str, Path] = {}
    for bot in found:
        if bot.game.num_players != 2:
            raise bot.document.error(
                ("game",), f"the local best response is for heads-up games, and this one seats {bot.game.num_players}"
            )
        first = paths.setdefault(bot.name, bot.path)
        if first.resolve() != bot.path.resolve():
            raise ConfigError(
                f"{bot.path}: name: {bot.name} is the name of {first} too, and results lie by name; "
                "rename one, or measure it by itself with another --output"
            )
    words = [*bots, *(f"--sizes={each}" for each in sizes), *(f"--start={each}" for each in starts)]
    words += [f"--hands={hands}", f"--seed={seed}"]
    if full_ranges:
        words += ["--full-ranges", f"--rivers={rivers}", *([f"--iterations={iterations}"] if iterations else [])]
    told = shlex.join(["limpet", "lbr", *words])
    wanted = list(product(found, sizes or ("fcpa",), starts or (None,)))
    if full_ranges:
        stopped = _by_ranges(wanted, hands, seed, rivers, iterations, output, told, as_json)
    else:
        stopped = _by_matches(wanted, hands, seed, output, told, as_json)
    if stopped:
        click.echo(f"limpet lbr: stopped; the same command goes on ({output})", err=True)
        sys.exit(1)


def _by_matches(wanted: "Wanted", hands: int, seed: int, output: Path, told: str, as_json: bool) -> bool:
    """Whether it was stopped."""
    from limpet.bot.commands.match import signals_stop
    from limpet.bot.commands.match_progress import watching
    from limpet.dealer.measures.lbr_matches import (
        HEADINGS,
        Beaten,
        lbr_document,
        lbr_match,
        play_lbr,
        rows,
        usual_start,
    )

    beaten: list[Beaten] = []
    stopped = False
    try:
        with signals_stop():
            for bot, raises, start in wanted:
                start = start or usual_start(bot)
                match = lbr_match(bot, output, raises, start, hands, seed)
                with watching(match) as watch:
                    beaten.append(play_lbr(match, bot, output, raises, start, watch))
    except KeyboardInterrupt:
        stopped = True
    _tell(output, as_json, beaten, lbr_document(beaten, told), HEADINGS, rows(beaten))
    return stopped


def _by_ranges(
    wanted: "Wanted", hands: int, seed: int, rivers: int, iterations: int | None, output: Path, told: str,
    as_json: bool,
) -> bool:  # fmt: skip
    """Whether it was stopped."""
    from limpet.bot.commands.match import signals_stop
    from limpet.bot.commands.terminal import progress
    from limpet.dealer.measures.lbr_matches import usual_start
    from limpet.dealer.measures.lbr_ranges import (
        HEADINGS,
        BeatenByRanges,
        Dealt,
        beaten_by_ranges,
        measure_ranges,
        ranges_document,
        ranges_terms,
        rows,
    )

    beaten: list[BeatenByRanges] = []
    firsts: dict[tuple[str, str], list[Dealt]] = {}
    stopped = False
    try:
        with signals_stop():
            for bot, raises, start in wanted:
                terms = ranges_terms(bot, raises, start or usual_start(bot), seed, rivers, iterations)
                with progress(bot.name, "duplicate sets", False) as report:
                    dealt = measure_ranges(bot, output, terms, hands, report)
                beaten.append(beaten_by_ranges(bot, terms, dealt, firsts.get((raises, terms.start))))
                firsts.setdefault((raises, terms.start), dealt)
    except KeyboardInterrupt:
        stopped = True
    _tell(output, as_json, beaten, ranges_document(beaten, told), HEADINGS, rows(beaten))
    return stopped


def _tell(
    output: Path, as_json: bool, beaten: Sequence[Any], document: "list[Block]", headings: tuple[str, ...],
    rows: Iterable[tuple[str, ...]],
) -> None:  # fmt: skip
    """Write the results into their folder, and print them."""
    import json

    import msgspec
    from rich.table import Table
    from rich.text import Text

    from limpet.bot.commands.terminal import standard_output
    from limpet.dealer.reports.report_markdown import markdown

    text = json.dumps(msgspec.to_builtins(beaten), indent=2)
    if beaten:
        output.mkdir(parents=True, exist_ok=True)
        (output / "results.md").write_text(markdown(document), encoding="utf-8")
        (output / "results.json").write_text(text + "\n", encoding="utf-8")
    if as_json:
        click.echo(text)
        return
    table = Table()
    for heading in headings:
        table.add_column(heading, justify="left" if heading in headings[:3] else "right")
    for row in rows:
        table.add_row(*map(Text, row))
    standard_output().print(table)
