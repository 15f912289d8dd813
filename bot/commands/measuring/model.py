"""``limpet model``: learns how a player plays from recorded hands, and says how well the model predicts the player."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from limpet.bot.commands.options import archive_options, choice, flag, json_option, option
from limpet.bot.commands.parameters import BOT, HANDS, NEW_FOLDER, OLD_FILE, OLD_FOLDER, Real
from limpet.bot.commands.terminal import print_json, print_table, standard_output

if TYPE_CHECKING:
    from limpet.dealer.measures.learn_model import ScoredModel
    from limpet.strategies.opponents.boosted import BoostedModel
    from limpet.strategies.opponents.imitation import Model
    from limpet.strategies.opponents.imitation_file import Card

COLUMNS = {
    "decisions": ("decisions", ","),
    "log likelihood": ("log_likelihood", ".4f"),
    "± 95 %": ("half_width_95", ".4f"),
    "frequencies": ("baseline_log_likelihood", ".4f"),
    "by position": ("position_log_likelihood", ".4f"),
    "probability": ("probability", ".1%"),
    "below 2 %": ("below_2_percent", ".1%"),
    "calibration error": ("calibration_error", ".1%"),
    "raise sizes": ("size_log_likelihood", ".4f"),
    "their frequencies": ("size_baseline_log_likelihood", ".4f"),
}
"""Headings of the table of scores, each with the score's name and format."""


@click.command(
    epilog="""\b
Examples:
  limpet model hands/*.txt --player Hero --output models/hero
  limpet model hands/*.txt --player '*' --output models/everybody
  limpet model hands/*.txt --player Hero --prior models/everybody --output models/hero
  limpet model hands/*.txt --player Hero --learner trees --output models/hero
  limpet model theirs.log --player them --against blueprint --output models/them
  limpet model theirs.log --player them --response 100 --output models/them

\b
The folder holds a config that plays it, and any config may: `player: imitation` with `options: {model: FOLDER}`.
  limpet match models/hero/bot.yaml formula call chart call call --hands 1000 --in-process

\b
The log likelihood is the mean logarithm of the probability of what was done (fold, call or raise), mixed with 1 % of
the uniform one; 0 is the best. The calibration error is the mean distance of predicted probabilities from how often
the predicted was done. Raise sizes are scored alike, by parts between usual sizes, beside their plain frequencies.

\b
Exit status: 0 it was learnt; 2 the files or options are wrong, and one line says why."""
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=OLD_FILE)
@option(
    "--player players",
    "Name in the files; several are learnt as one; * and ? fit any text, * alone is everybody.",
    multiple=True,
    required=True,
    metavar="NAME",
)
@option("--output", "Folder of the model.", NEW_FOLDER, required=True)
@option("--test-share", "Share of sessions held out for scores; 0 learns all.", Real(0, 0.9), default=0.2)
@option("--prior", "Model to depart from, such as one of everybody.", OLD_FOLDER)
@choice(
    "--learner",
    "Frequencies by situation, or decision trees over all players of the files (needs pip install scikit-learn).",
    ["frequencies", "trees"],
    default="frequencies",
)
@choice("--unseen", "What hands never shown teach.", ["ignore", "bayes"], default="ignore")
@option("--unseen-by", "With bayes: a bot whose play says first what hands not shown were.", BOT, metavar="BOT")
@flag("--thesis", "Before the flop, count and smooth as Kebrle's thesis does.")
@flag("--ace-low", "Before the flop, the ace is the deuce's neighbour, as in the thesis's printed tables.")
@flag("--preflop-only", "Learn nothing after the flop; the betting profile that ships plays there.")
@option("--against", "Also score a bot's predictions, such as those of the blueprint.", BOT, metavar="BOT")
@option("--response", "Also measure what a local best response wins from the model.", HANDS, metavar="SETS")
@flag("--grids", "Also draw who enters the pot from each position.")
@archive_options
@json_option()
def model(
    files: tuple[Path, ...], players: tuple[str, ...], output: Path, thesis: bool, ace_low: bool, unseen: str,
    preflop_only: bool, response: int | None, grids: bool, as_json: bool, **request: Any,
) -> None:  # fmt: skip
    """Learn how players play from recorded hands, as a model that can sit at a table.

    Each FILE is an archive of hands, plain or packed. The model is learnt from the first sessions (or hands, of fewer
    than five files) and scored on the last ones, beside the player's plain frequencies and those by position.
    """
    import sys

    import msgspec

    from limpet.bot.commands.progress import progress
    from limpet.common.folders import holds_something, replace_file, require_writable
    from limpet.configs.loading import ConfigError, mistakes
    from limpet.dealer.measures.learn_model import LearningOptions, bot_configs, learn_model
    from limpet.dealer.measures.learn_model import response as measure_response
    from limpet.strategies.opponents.imitation import PRIOR_LEVEL_WEIGHT, THESIS, ModelOptions
    from limpet.strategies.opponents.imitation_file import CARD, Card, read_card, write_model

    require_writable(output)
    if holds_something(output) and not (output / CARD).is_file():
        raise ConfigError(f"{output}: holds other things than a model; name another folder")
    usual = THESIS if thesis else ModelOptions()
    options = msgspec.structs.replace(usual, unseen=unseen, postflop=not preflop_only, ace_low=ace_low)
    prior = won = None
    if request["prior"] is not None:
        options = msgspec.structs.replace(options, level_weight=PRIOR_LEVEL_WEIGHT)
        with mistakes():
            prior = read_card(request["prior"])
    answer = learn_model(LearningOptions(files, players, options, **request))
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
    for name, text in bot_configs(card, learnt.model).items():
        replace_file(output / name, text)
    if response is not None:
        with progress("best response", "duplicate sets") as report:
            won = measure_response(output / "bot.yaml", response, report)
    if as_json:
        facts = {name: getattr(card, name) for name in ("players", "hands", "decisions", "seen_share")}
        counts = {"skipped": answer.skipped, "known_to_prior": answer.known, "streets": card.scores}
        print_json({"output": str(output), **facts, **counts, **({"response": won} if won else {})}, indent=2)
        return
    _print_answer(answer, card, output)
    if won:
        width = (won.interval_95[1] or won.mbb_per_game) - won.mbb_per_game
        click.echo(
            f"\na local best response, heads-up from the {won.start} on, wins {won.mbb_per_game:+,.0f} ± {width:,.0f} mbb/g "
            f"from it ({won.duplicate_sets:,} duplicate sets); the best one wins at least as much"
        )
    if grids:
        _draw_grids(learnt.model)


def _print_answer(answer: "ScoredModel", card: "Card", output: Path) -> None:
    players = ", ".join(card.players) or "everybody"
    click.echo(f"{output}: {players}, learnt from {card.decisions:,} decisions in {card.hands:,} hands")
    if answer.skipped:
        click.echo(f"left out: {answer.skipped:,} hands that cannot be read")
    if card.seen_share < 1:
        missing = f"the hole cards of {100 * (1 - card.seen_share):.1f} % of the decisions are not known"
        left_out = "left out, so that the model folds too seldom; --unseen bayes estimates them"
        click.echo(f"{missing}: {left_out if card.options.unseen == 'ignore' else 'estimated'}")
    if answer.known is None:
        click.echo(
            "the prior does not say which hands it learnt from: scores are only clean if none of these; learn it again"
        )
    elif answer.known:
        click.echo(f"not scored: {answer.known:,} held-out hands that the prior learnt from")
    if answer.scored is None:
        return
    click.echo(f"\non {answer.scored.model['all'].decisions:,} held-out decisions:")
    columns = COLUMNS | ({} if answer.scored.against is None else {"of the bot": ("against_log_likelihood", ".4f")})
    rows = []
    for street, scores in card.scores.items():
        values = ((scores[name], form) for name, form in columns.values())
        rows.append((street, *("-" if value is None else f"{value:{form}}" for value, form in values)))
    print_table(("street", *columns), rows)


def _draw_grids(model: "Model | BoostedModel") -> None:
    """Print for each position how often it enters a pot that nobody has entered, and draw the hands that it plays."""
    import numpy as np

    from limpet.bot.commands.drawing import range_picture
    from limpet.configs.loading import load_game
    from limpet.dealer.measures.learn_model import GAMES
    from limpet.protocol.state import FOLD, State
    from limpet.strategies.opponents.situations import position_name

    for name in [name for players, name in GAMES.items() if players in model.seats]:
        state = State.start(load_game(name))
        while not state.finished and state.can_fold:
            kinds, cells = model.kinds(state), model.cells(state)
            fold, call, raised = (kinds[:, cells].mean(axis=1) * 100).tolist()
            position = f"{position_name(state, state.actor)} of {state.game.num_players}, first in"
            click.echo(f"\n{position}: folds {fold:.1f} %, calls {call:.1f} %, raises {raised:.1f} %; hands that play:")
            played = np.round(1 - kinds[0][cells], 2).astype(np.float32)
            standard_output().print(range_picture(played, ()))
            state = state.apply(FOLD)
