"""``limpet agree``: says how well a bot predicts the decisions of a player in archives of hands."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from limpet.bot.commands.options import archive_options, flag, json_option, option, quiet_option, seed_option
from limpet.bot.commands.parameters import BOT, OLD_FILE, Whole
from limpet.bot.commands.progress import progress
from limpet.bot.commands.terminal import print_json, print_table, stoppable
from limpet.protocol.cards import cards_text

if TYPE_CHECKING:
    from limpet.dealer.measures.agree import Asked, Surprise
    from limpet.strategies.opponents.agreement import ScoreTally

SCORES = (
    "street", "decisions", "log likelihood", "± 95 %", "if it were the bot", "frequencies", "probability", "below 2 %",
    "calibration error",
)  # fmt: skip
"""Headings of the scores by street."""
SURPRISES = ("where", "hand", "street", "cards", "betting", "done", "probability", "what the bot does (wins, bb)")
"""Headings of the largest surprises."""
SURPRISING = 0.95
"""Probability from which what was done is no surprise."""
LEAST_SHOWN = 0.005
"""Smallest probability of an action that the table of surprises shows."""


@click.command(
    epilog="""\b
Examples:
  limpet match blueprint limpet-fast --hands 1000 --seed 1 --in-process
  limpet agree blueprint matches/blueprint-limpet-fast-1/*.log --player limpet-fast
  limpet agree limpet theirs.log --player them --decisions 500

\b
  street   decisions   log likelihood   if it were the bot   frequencies   probability   below 2 %   calibration error

\b
Exit status: 0 it was worked out; 1 you stopped it; 2 the files or the config are wrong, and one line says why."""
)
@click.argument("bot", metavar="CONFIG", type=BOT)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=OLD_FILE)
@option(
    "--player",
    "The player's name; * and ? fit any text, and all who fit are asked about.",
    required=True,
    metavar="NAME",
)
@option("--decisions", "Ask about N decisions only, drawn evenly.", Whole(1), metavar="N")
@seed_option("Seed of the decisions that are drawn.")
@option(
    "--coins",
    "Average over N seeds of the bot; without it exactly over all readings of bets off its menu.",
    Whole(1, 1000),
    metavar="N",
)
@option(
    "--shown",
    "Surprises that are listed, in JSON too, the least likely first; a bot that solves solves each again.",
    Whole(1),
    default=10,
    metavar="N",
)
@flag("--ranges", "Where hole cards are unknown, take the mean over the player's range.")
@archive_options
@quiet_option
@json_option()
def agree(as_json: bool, quiet: bool, **options: Any) -> None:
    """Ask a bot about every decision of a player, and say how likely the bot would have done the same.

    Each FILE is an archive of hands, plain or packed. Raises of all sizes count as one action. Hands at other
    blinds than the bot's are asked about with all chips scaled, where they stay whole.
    """
    from limpet.dealer.measures.agree import Options, ask

    with stoppable() as stop, progress(options["bot"], "decisions", quiet) as report:
        result = ask(Options(**options), report)
    stop.exit("nothing was kept; --decisions N asks about fewer")
    data = _data(result, options["player"])
    if as_json:
        print_json(data, indent=2)
    else:
        _show(data)


def _data(result: "Asked", player: str) -> dict[str, Any]:
    scores, plain = result.agreement.strategy, result.agreement.baseline
    return {
        "bot": result.bot,
        "player": player,
        "hands": result.hands,
        "decisions": result.decisions,
        "skipped": result.skipped,
        "streets": {street: _street(tally, plain[street]) for street, tally in scores.items()},
        "surprises": [_surprise(surprise) for surprise in result.surprises],
    }


def _street(tally: "ScoreTally", plain: "ScoreTally") -> dict[str, Any]:
    likelihood, means, usual = tally.log_likelihood, tally.means(), plain.means()
    return {
        "decisions": tally.decisions,
        "log_likelihood": likelihood.mean,
        "log_likelihood_interval_95": likelihood.interval,
        "expected_log_likelihood": means["expected_log_likelihood"],
        "baseline_log_likelihood": plain.log_likelihood.mean,
        "probability": means["probability"],
        "baseline_probability": usual["probability"],
        "below_2_percent": means["below_2_percent"],
        "calibration_error": means["calibration_error"],
        "baseline_calibration_error": usual["calibration_error"],
        "reliability": [row._asdict() for row in tally.reliability()],
    }


def _surprise(surprise: "Surprise") -> dict[str, Any]:
    from limpet.strategies.abstraction.menu import STREETS

    decision, state = surprise.prediction.decision, surprise.prediction.decision.state
    return {
        "where": decision.where,
        "hand": decision.hand,
        "street": STREETS[state.round],
        "hole": cards_text(decision.hole),
        "board": cards_text(state.board),
        "betting": state.betting,
        "taken": str(decision.action),
        "probability": surprise.prediction.probability,
        "actions": {str(action): probability for action, probability in surprise.prediction.actions.items()},
        "values": surprise.values and {str(action): value for action, value in surprise.values.items()},
    }


def _show(data: dict[str, Any]) -> None:
    from limpet.strategies.opponents.agreement import BINS

    everything, decisions = data["streets"]["all"], data["decisions"]
    some = f"{everything['decisions']:,} of " if everything["decisions"] < decisions else ""
    player, hands = data["player"], data["hands"]
    click.echo(f"{data['bot']} is asked about {some}{decisions:,} decisions of {player} in {hands:,} hands")
    for reason, count in data["skipped"].items():
        click.echo(f"left out: {count:,} {reason}")
    print_table(SCORES, [_scores(street, row) for street, row in data["streets"].items() if row["decisions"]])
    click.echo("\nHow often what the bot predicted was done:")
    bins = []
    for row in everything["reliability"]:
        prediction, count = f"{row['least']:.0%} to {row['least'] + 1 / BINS:.0%}", f"{row['predictions']:,}"
        bins.append((prediction, count, f"{row['predicted']:.1%}", f"{row['happened']:.1%}"))
    print_table(("prediction", "predictions", "mean", "done"), bins)
    surprises = [row for row in data["surprises"] if row["probability"] < SURPRISING]
    if not surprises:
        click.echo(f"\nNo surprises: with {SURPRISING:.0%} or more the bot does each time what was done.")
        return
    click.echo("\nThe largest surprises:")
    print_table(SURPRISES, map(_surprise_cells, surprises), left=8)


def _scores(street: str, row: dict[str, Any]) -> tuple[str, ...]:
    low, high = row["log_likelihood_interval_95"]
    half_width = "-" if low is None else f"{(high - low) / 2:.4f}"
    likelihoods = [f"{row[f'{name}log_likelihood']:.4f}" for name in ("", "expected_", "baseline_")]
    shares = [f"{row[name]:.1%}" for name in ("probability", "below_2_percent", "calibration_error")]
    return street, f"{row['decisions']:,}", likelihoods[0], half_width, *likelihoods[1:], *shares


def _surprise_cells(row: dict[str, Any]) -> tuple[str, ...]:
    values = row["values"] or {}
    answer = ", ".join(
        f"{action} {probability:.1%}" + (f" ({values[action]:+.2f})" if action in values else "")
        for action, probability in row["actions"].items()
        if probability >= LEAST_SHOWN or action in (row["taken"], *values)
    )
    file_line, cards = Path(row["where"]).name, f"{row['hole'] or '?'} {row['board']}".rstrip()
    decision = (file_line, str(row["hand"]), row["street"], cards, row["betting"], row["taken"])
    return *decision, f"{row['probability']:.2%}", answer
