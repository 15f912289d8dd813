"""``limpet model``: learns how a player plays from recorded hands, and says how well the model predicts the player."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from limpet.bot.commands.options import alias_option, game_option, json_option
from limpet.bot.commands.parameters import GAME, HANDS, NEW_FOLDER, OLD_FILE, OLD_FOLDER, Real
from limpet.bot.commands.terminal import print_json, print_line, print_table, standard_output

if TYPE_CHECKING:
    from limpet.dealer.measures.lbr import WonByRanges
    from limpet.dealer.measures.learn_model import Answer
    from limpet.strategies.imitation.model import ModelOptions
    from limpet.strategies.imitation.model_file import Card

COLUMNS = {
    "decisions": ("decisions", ","),
    "log likelihood": ("log_likelihood", ".4f"),
    "± 95 %": ("half_width_95", ".4f"),
    "frequencies": ("baseline_log_likelihood", ".4f"),
    "by position": ("position_log_likelihood", ".4f"),
    "probability": ("probability", ".1%"),
    "below 2 %": ("below_2_percent", ".1%"),
    "calibration error": ("calibration_error", ".1%"),
}
"""Headings of the table of scores, each with the score's name and format."""


@click.command(
    epilog="""\b
Examples:
  limpet model hands/*.txt --player Hero --output models/hero
  limpet model hands/*.txt --player '*' --output models/everybody
  limpet model hands/*.txt --player Hero --prior models/everybody --output models/hero
  limpet model theirs.log --player them --against blueprint --output models/them
  limpet model theirs.log --player them --response 100 --output models/them

\b
The folder holds a config that plays it, and any config may: `player: imitation` with `options: {model: FOLDER}`.
  limpet match models/hero/bot.yaml formula call chart call call --hands 1000 --in-process

\b
The log likelihood is the mean logarithm of the probability of what was done (fold, call or raise), mixed with 1 % of
the uniform one; 0 is the best. The calibration error is the mean distance of predicted probabilities from how often
the predicted was done.

\b
Exit status: 0 it was learnt; 2 the files or options are wrong, and one line says why."""
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=OLD_FILE)
@click.option(
    "--player",
    "players",
    multiple=True,
    required=True,
    metavar="NAME",
    help="Name in the files; several are learnt as one; * is everybody.",
)
@click.option("--output", type=NEW_FOLDER, required=True, help="Folder of the model.")
@click.option(
    "--test-share", type=Real(0, 0.9), default=0.2, help="Share of sessions held out for scores; 0 learns all."
)
@click.option("--prior", type=OLD_FOLDER, help="Model to depart from, such as one of everybody.")
@click.option(
    "--unseen", type=click.Choice(["ignore", "bayes"]), default="ignore", help="What hands never shown teach."
)
@click.option("--unseen-by", metavar="BOT", help="With bayes: a bot whose play says first what hands not shown were.")
@click.option("--thesis", is_flag=True, help="Before the flop, count and smooth as Kebrle's thesis does.")
@click.option(
    "--ace-low",
    is_flag=True,
    help="Before the flop, the ace is the deuce's neighbour, as in the thesis's printed tables.",
)
@click.option("--preflop-only", is_flag=True, help="Learn nothing after the flop.")
@click.option("--against", metavar="BOT", help="Also score a bot's predictions, such as those of the blueprint.")
@click.option(
    "--response", type=HANDS, metavar="SETS", help="Also measure what a local best response wins from the model."
)
@click.option("--grids", is_flag=True, help="Also draw who enters the pot from each position.")
@game_option("what the files say", GAME)
@alias_option
@json_option()
def model(
    files: tuple[Path, ...], players: tuple[str, ...], output: Path, thesis: bool, ace_low: bool, unseen: str,
    preflop_only: bool, response: int | None, grids: bool, as_json: bool, **asked: Any,
) -> None:  # fmt: skip
    """Learn how players play from recorded hands, as a model that can sit at a table.

    Each FILE is an archive of hands, plain or packed. The model is learnt from the first sessions (or hands, of fewer
    than five files) and scored on the last ones, beside the player's plain frequencies and those by position.
    """
    import sys

    from limpet.bot.commands.model_view import draw_grids
    from limpet.bot.commands.progress import progress
    from limpet.configs.loading import ConfigError, mistakes
    from limpet.dealer.measures.learn_model import Request, bot_config, learn_model
    from limpet.dealer.measures.learn_model import response as measure_response
    from limpet.strategies.imitation.model_file import CARD, Card, read_card, write_model
    from limpet.strategies.storage.folders import holds_something, replace_file, require_writable

    require_writable(output)
    if holds_something(output) and not (output / CARD).is_file():
        raise ConfigError(f"{output}: holds other things than a model; name another folder")
    options = model_options(
        thesis, asked["prior"] is not None, unseen=unseen, postflop=not preflop_only, ace_low=ace_low
    )
    with mistakes():
        prior = None if asked["prior"] is None else read_card(asked["prior"])
    answer = learn_model(Request(files, players, options, **asked))
    learnt = answer.learnt
    card = Card(
        players=[] if "*" in players else sorted(set(players)),
        hands=learnt.hands,
        decisions=learnt.decisions,
        seen_share=learnt.seen_share,
        options=options,
        command=" ".join(["limpet", *sys.argv[1:]]),
        scores=answer.scored.table() if answer.scored else {},
    )
    write_model(output, learnt.model, card, prior)
    replace_file(output / "bot.yaml", bot_config(card, learnt.model))
    won = None
    if response is not None:
        with progress("best response", "duplicate sets") as report:
            won = measure_response(output / "bot.yaml", response, report)
    if as_json:
        print_json(_data(answer, card, output) | ({"response": won} if won else {}), indent=2)
        return
    _show(answer, card, output)
    if won:
        print_line(standard_output(), f"\n{_response_text(won)}")
    if grids:
        draw_grids(standard_output(), learnt.model)


def model_options(thesis: bool, over_prior: bool, **more: Any) -> "ModelOptions":
    """Return the options of learning that the command's options stand for."""
    import msgspec

    from limpet.strategies.imitation.model import PRIOR_LEVEL_WEIGHT, THESIS, ModelOptions

    options = THESIS if thesis else ModelOptions()
    weight = PRIOR_LEVEL_WEIGHT if over_prior else options.level_weight
    changed: ModelOptions = msgspec.structs.replace(options, level_weight=weight, **more)
    return changed


def _data(answer: "Answer", card: "Card", output: Path) -> dict[str, Any]:
    return {
        "output": str(output),
        "players": card.players,
        "hands": card.hands,
        "decisions": card.decisions,
        "seen_share": card.seen_share,
        "skipped": answer.skipped,
        "streets": card.scores,
    }


def _show(answer: "Answer", card: "Card", output: Path) -> None:
    console = standard_output()
    who = ", ".join(card.players) or "everybody"
    print_line(console, f"{output}: {who}, learnt from {card.decisions:,} decisions in {card.hands:,} hands")
    if answer.skipped:
        print_line(console, f"left out: {answer.skipped:,} hands that cannot be read")
    if card.seen_share < 1:
        missing = f"the hole cards of {100 * (1 - card.seen_share):.1f} % of the decisions are not known"
        ignored = card.options.unseen == "ignore"
        what = "left out, so that the model folds too seldom; --unseen bayes estimates them" if ignored else "estimated"
        print_line(console, f"{missing}: {what}")
    if answer.scored is None:
        return
    print_line(console, f"\non {answer.scored.model['all'].decisions:,} held-out decisions:")
    columns = COLUMNS | ({} if answer.scored.against is None else {"of the bot": ("against_log_likelihood", ".4f")})
    rows = []
    for street, scores in card.scores.items():
        values = ((scores[name], form) for name, form in columns.values())
        rows.append((street, *("-" if value is None else f"{value:{form}}" for value, form in values)))
    print_table(console, ("street", *columns), rows)


def _response_text(won: "WonByRanges") -> str:
    width = (won.interval_95[1] or won.mbb_per_game) - won.mbb_per_game
    return (
        f"a local best response, heads-up from the {won.start} on, wins {won.mbb_per_game:+,.0f} ± {width:,.0f} mbb/g from it "
        f"({won.duplicate_sets:,} duplicate sets); the best one wins at least as much"
    )
