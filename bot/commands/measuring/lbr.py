"""``limpet lbr``: measures how much can be won from bots by looking one bet ahead."""

import shlex
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import click

from limpet.bot.commands.options import choice, flag, json_option, option, sampling_options
from limpet.bot.commands.parameters import BOT, CARD_SEED, HANDS, NEW_FOLDER, Whole
from limpet.bot.commands.terminal import notice, print_json, print_sheet, stoppable
from limpet.common.folders import replace_file, require_writable
from limpet.configs.loading import ConfigError
from limpet.dealer.table.files import write_json

if TYPE_CHECKING:
    from limpet.dealer.measures.lbr import Won
    from limpet.dealer.measures.line_measure import MeasuredLine
    from limpet.strategies.base.botconfig import Bot
    from limpet.strategies.holdem.measures.line_play import Before
    from limpet.strategies.players.lbr import Sizes, Start


@click.command(
    epilog="""\b
Examples:
  limpet lbr blueprint formula call --hands 1000
  limpet lbr blueprint --start turn --start preflop --sizes fcpa --sizes many
  limpet lbr blueprint limpet-fast limpet --full-ranges --hands 200 --jobs 2
  limpet lbr blueprint --full-ranges --start preflop --start flop --before bot --sizes many
  limpet lbr limpet-fast --full-ranges --start preflop --learn 400 --hands 200
  limpet lbr my/bot.yaml --json

\b
  bot   raises   from   duplicate sets   LBR wins, mbb/g   95 % interval   bootstrap   hands/s
with --full-ranges
  bot   raises   from   duplicate sets   LBR wins, mbb/g   95 % interval   less than from the first   ...
  bot   raises   from   kind of spot     LBR wins, mbb/g   95 % interval

\b
The folder afterwards (default lbr/):
  results.md, results.json         the table
  BOT-RAISES-FROM.yaml             the player of each match, for limpet match
  BOT-RAISES-FROM-N-SEED/          the match, as `limpet match` leaves it; what stands there is not played again
  BOT-RAISES-FROM-ranges-SEED.jsonl   with --full-ranges: a line for each duplicate set; more are added to it
  BOT-RAISES-FROM-learnt-N-ranges-SEED.learnt   with --learn: what it learnt, a line for each tenth of the sets

\b
Exit status: 0 all was played; 1 you stopped it: the same command goes on; 2 wrong usage or config."""
)
@click.argument("bots", nargs=-1, required=True, metavar="CONFIG...", type=BOT)
@choice(
    "--sizes",
    "Its raises: none, pot and all-in, or 56 sizes; may be given several times.  [default: fcpa]",
    ["fc", "fcpa", "many"],
    multiple=True,
)
@choice(
    "--start starts",
    "The street before which it checks and calls; may be given several times too.  [default: turn; preflop in small games]",
    ["preflop", "flop", "turn", "river"],
    multiple=True,
)
@option("--hands", "Duplicate sets.", HANDS, default=500)
@option("--seed", "Seed of the cards.", CARD_SEED, default=1)
@flag(
    "--full-ranges",
    "All hands against all hands, in heads-up hold'em: a fiftieth of the duplicate sets gives as narrow an interval. "
    "No solve ends by the clock.",
)
@choice(
    "--before",
    "What it does before --start, with --full-ranges: check and call, or play as the bot does.",
    ["call", "bot"],
    default="call",
)
@option(
    "--learn",
    "Duplicate sets of which it learns first what the betting after its next action brings, with --full-ranges.",
    Whole(min=0, max=1_000_000),
    default=0,
)
@option(
    "--iterations", "Iterations of each solve of bots that solve at the table.  [default: the config's]", Whole(min=1)
)
@sampling_options
@option("--output -o", None, NEW_FOLDER, default="lbr", metavar="DIR")
@json_option("Print results.json instead of a table.")
def lbr(
    bots: tuple[str, ...], sizes: tuple["Sizes", ...], starts: tuple["Start", ...], hands: int, seed: int,
    full_ranges: bool, before: "Before", learn: int, iterations: int | None, jobs: int, cluster: str | None, output: Path, as_json: bool,
) -> None:  # fmt: skip
    """Play the local best response against each bot, in duplicate (Lisý & Bowling 2017).

    Heads-up only. A bot that solves at the table is asked for its strategy with every hand; some 100 hands a second are played against a
    look-up from the turn on, 10 from preflop, and 20 against a bot that solves rivers in 50 ms.

    With --full-ranges all that both might hold plays at once, along lines of betting drawn by the size of their pots: a
    second for a duplicate set against a look-up, some ten against a bot that solves turns and rivers. A second table says in
    which pots, how deep, and on which street the bot loses. --jobs and --cluster change nothing but the last digits.

    It believes that nobody bets after its next action. With --learn it first learns from samples what really comes, by
    street, position, raises, depth and equity, and wins more: hundreds of sets make an approximate best response.
    """
    from limpet.bot.commands.playing.match_view import watching
    from limpet.bot.commands.progress import progress
    from limpet.dealer.measures import lbr as measure
    from limpet.dealer.measures.line_measure import measured
    from limpet.dealer.reports.report_pages import markdown

    if learn and (not full_ranges or before == "bot"):
        raise click.UsageError("--learn goes with --full-ranges, and with --before call")
    if before == "bot" and not full_ranges:
        raise click.UsageError("--before bot goes with --full-ranges")
    require_writable(output)
    words = [*bots, *(f"--sizes={each}" for each in sizes), *(f"--start={each}" for each in starts)]
    words += [f"--hands={hands}", f"--seed={seed}"]
    if full_ranges:
        words += ["--full-ranges", f"--before={before}", *([f"--learn={learn}"] if learn else [])]
        words += [f"--iterations={iterations}"] if iterations else []
    won: list[Won] = []
    firsts: dict[tuple[Sizes, Start], list[MeasuredLine]] = {}
    with stoppable() as stop:
        for bot, raises, named_start in product(_heads_up_bots(bots), sizes or ("fcpa",), starts or (None,)):
            start = named_start or measure.usual_start(bot)
            if full_ranges:
                terms = measure.ranges_terms(bot, raises, start, seed, before, iterations, learn)
                file = measure.ranges_file(bot, output, terms)
                with progress(bot.name, "duplicate sets") as report:
                    dealt = measured(bot, terms, hands, report, file, jobs, cluster, notice)
                won.append(measure.won_by_ranges(bot, terms, dealt, firsts.get((raises, start))))
                firsts.setdefault((raises, start), dealt)
            else:
                won.append(measure.play_lbr(bot, output, raises, start, hands, seed, watching))
    document = measure.lbr_document(won, shlex.join(["limpet", "lbr", *words]), full_ranges)
    if won:
        output.mkdir(parents=True, exist_ok=True)
        replace_file(output / "results.md", markdown(document))
        write_json(output / "results.json", won)
    if as_json:
        print_json(won, indent=2)
    else:
        print_sheet(document, left=3)
    stop.exit(f"the same command goes on ({output})")


def _heads_up_bots(names: tuple[str, ...]) -> "list[Bot]":
    """Return the bots of several configs. Raises `ConfigError` for games of more players and for two bots of one name."""
    from limpet.strategies.base.botconfig import load_bot

    bots, paths = [load_bot(name) for name in names], dict[str, Path]()
    for bot in bots:
        bot.refuse_draws(
            "a local best response follows ranges over boards",
            "play matches with limpet match --duplicate, and take out the luck with limpet aivat",
        )
        if (players := bot.game.num_players) != 2:
            complaint = f"the local best response is for heads-up games, and this one seats {players}"
            raise bot.document.error(("game",), complaint)
        first = paths.setdefault(bot.name, bot.path)
        if first.resolve() != bot.path.resolve():
            raise ConfigError(
                f"{bot.path}: name: {bot.name} is the name of {first} too, and results lie by name; "
                "rename one, or measure it by itself with another --output"
            )
    return bots
