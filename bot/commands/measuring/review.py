"""``limpet review``: has a bot judge every decision of a player in archives of hands, the costliest first."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from limpet.bot.commands.measuring.agree import LEAST_SHOWN
from limpet.bot.commands.options import archive_options, choice, jobs_option, json_option, option, quiet_option
from limpet.bot.commands.parameters import BOT, NEW_FILE, OLD_FILE, Real, Whole
from limpet.bot.commands.progress import progress
from limpet.bot.commands.terminal import print_json, print_table, stoppable, write_csv
from limpet.common.folders import MeasureFile, require_writable

if TYPE_CHECKING:
    from limpet.dealer.measures.review import StreetLoss

STREETS = ("preflop", "flop", "turn", "river")
POSITIONS = ("BTN", "SB", "BB", "CO", "HJ", "EP")
LOSSES = ("street", "decisions", "with values", "as the bot", "lost in 100 hands, bb", "95 % interval")
"""Headings of the losses by street."""
DECISIONS = (
    "lost, bb", "±", "where", "hand", "street", "seat", "pot, bb", "cards", "betting", "done",
    "what the bot does (wins, bb)",
)  # fmt: skip
"""Headings of the decisions."""
SURE_JUDGE = "limpet-judge"
"""The bot that ships whose values are the surest, and take the longest."""


@click.command(
    epilog="""\b
Examples:
  limpet match limpet-fast expert --hands 1000 --seed 1 --in-process
  limpet review matches/limpet-fast-expert-1/*.log --hero expert
  limpet review hands/*.txt --hero Hero --output hero.jsonl --street river --min-pot 20
  limpet review hands/*.txt --hero Hero --output hero.jsonl --csv hero.csv

\b
What a decision loses is what the bot's own play wins from there on with the hand held, less what was done wins, both by
the bot's values: of a subgame that it solves, or of its blueprint played out. A bot that plays as it says loses 0 on
average, so that sums are fair; a single loss may be noise of a few standard errors (±; - where nothing is sampled), even
below 0.

\b
Values are for heads-up hold'em. Elsewhere there is only how often the bot does what was done; of bots that ship, expert
plays at tables of three and more.

\b
Exit status: 0 it was worked out; 1 you stopped it; 2 the files or the config are wrong, and one line says why."""
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=OLD_FILE)
@option("--hero", "The player's name; * and ? fit any text, and all who fit are judged.", required=True, metavar="NAME")
@option("--bot", "The bot that judges.", BOT, default="limpet-fast", metavar="CONFIG")
@choice("--street streets", "Only decisions on this street; several times.", STREETS, multiple=True)
@choice(
    "--position positions", "Only decisions from here; heads-up the button is SB. Several times.", POSITIONS,
    multiple=True,
)  # fmt: skip
@option("--min-pot", "Only pots of so many big blinds or more.", Real(0), default=0.0, metavar="BB")
@option("--max-pot", "Only pots of so many big blinds or fewer.", Real(0), metavar="BB")
@option("--shown", "Decisions that the table shows, the costliest first.", Whole(0), default=20, metavar="N")
@archive_options
@option(
    "-o --output",
    "Keep what is judged, as lines of JSON; the same command goes on there after it was stopped.",
    NEW_FILE,
    metavar="FILE",
)
@jobs_option("Processes that share the hands.")
@option("--csv", "Write all decisions as a table.", NEW_FILE, metavar="FILE")
@quiet_option
@json_option()
def review(
    hero: str, streets: tuple[str, ...], positions: tuple[str, ...], min_pot: float, max_pot: float | None, shown: int,
    output: Path | None, jobs: int, csv: Path | None, quiet: bool, as_json: bool, **options: Any,
) -> None:  # fmt: skip
    """Have a bot judge every decision of a player, and list them by what they lost, in big blinds.

    Each FILE is an archive of hands, plain or packed: PokerStars', GGPoker's or Winamax's text, PHH, the IRC database, or
    the log of an ACPC dealer. Hands at other blinds than the bot's are judged with all chips scaled, where they stay whole.
    """
    from limpet.dealer.measures.agree import Options
    from limpet.dealer.measures.review import DecisionFilter, JudgedHand, Review, listed, losses, without_values
    from limpet.strategies.holdem.luck.decision_values import PLAYED_OUT

    for path in (output, csv):
        if path is not None:
            require_writable(path.parent)
    work = Review(Options(player=hero, **options))
    kept = MeasureFile(output, work.terms(), JudgedHand)
    with stoppable() as stop, progress(hero, "hands", quiet) as report:
        report(len(kept.found), work.hands)
        for hand in work.judged([hand.number for hand in kept.found], jobs):
            kept.add(hand)
            report(len(kept.found), work.hands)
    stop.exit("--output FILE would let it go on" if output is None else "the same command goes on")

    chosen = DecisionFilter(streets, positions, min_pot, max_pot).fits
    hands = sorted(kept.found, key=lambda hand: hand.number)
    rows = listed(hands, chosen)
    if csv is not None:
        write_csv(csv, [row | {name: _cell(row[name]) for name in ("actions", "values")} for row in rows])
    left_out = work.left_out | without_values(rows)
    table_of_losses = losses(hands, chosen)
    if as_json:
        streets_data = {street: _loss(loss) for street, loss in table_of_losses.items() if loss.decisions}
        print_json(
            {
                "bot": work.asked.bot.name, "hero": hero, "hands": len(hands), "left_out": left_out,
                "streets": streets_data, "decisions": rows,
            },
            indent=2,
        )  # fmt: skip
        return
    click.echo(f"{work.asked.bot.name} judges {len(rows):,} decisions of {hero} in {len(hands):,} hands")
    for reason, count in left_out.items():
        click.echo(f"left out: {count:,} {reason}")
    print_table(LOSSES, [_loss_cells(street, loss) for street, loss in table_of_losses.items() if loss.decisions])
    if rows and shown:
        click.echo("\nThe costliest decisions:")
        print_table(DECISIONS, map(_decision_cells, rows[:shown]), left=11)
        unsolved = sum(row["how"].startswith(PLAYED_OUT) for row in rows[:shown])
        if unsolved and work.asked.bot.name != SURE_JUDGE:
            click.echo(
                f"{unsolved:,} of these values are of the blueprint's play, without a solve; in lines that it hardly meets they may be "
                f"far off, and --bot {SURE_JUDGE} solves them"
            )


def _loss(loss: "StreetLoss") -> dict[str, Any]:
    return {
        "decisions": loss.decisions,
        "valued": loss.valued,
        "probability": loss.probability,
        "lost_per_100": loss.lost.mean,
        "interval_95": loss.lost.interval,
    }


def _loss_cells(street: str, loss: "StreetLoss") -> tuple[str, ...]:
    from limpet.dealer.matches.results import interval_text

    known = (f"{loss.lost.mean:+.2f}", interval_text(loss.lost.interval, "+.2f")) if loss.valued else ("-", "-")
    return street, f"{loss.decisions:,}", f"{loss.valued:,}", f"{loss.probability:.1%}", *known


def _decision_cells(row: dict[str, Any]) -> tuple[str, ...]:
    values = row["values"] or {}
    answer = ", ".join(
        f"{action} {row['actions'].get(action, 0):.1%}" + (f" ({values[action]:+z.2f})" if action in values else "")
        for action in dict.fromkeys([*row["actions"], *values])
        if row["actions"].get(action, 0) >= LEAST_SHOWN or action == row["taken"]
    )
    known = (
        ("-", "-") if row["lost"] is None else (f"{row['lost']:z.2f}", f"{row['error']:.2f}" if row["error"] else "-")
    )
    cards = f"{row['hole']} {row['board']}".rstrip()
    where = (Path(row["where"]).name, str(row["hand"]), row["street"], row["position"], f"{row['pot']:g}")
    return *known, *where, cards, row["betting"], row["taken"], answer


def _cell(numbers: dict[str, float] | None) -> str:
    """Return numbers by action as a cell of a table: ``f=0 c=1.25``."""
    return " ".join(f"{action}={number:.6g}" for action, number in (numbers or {}).items())
