"""``limpet explain``: shows what a bot saw and how it decided at each of its decisions of a hand."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from limpet.bot.commands.options import game_option, given, json_option, option, own_seed_option, picture_option
from limpet.bot.commands.parameters import BOT, GAME, NEW_FOLDER, OLD_FILE, Real, Whole
from limpet.bot.commands.terminal import print_json, print_table, standard_output, writing
from limpet.configs.loading import ConfigError, mistakes
from limpet.protocol.archives.hands import open_hands
from limpet.protocol.cards import cards_text
from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import MatchState, parse_match_state

if TYPE_CHECKING:
    from limpet.strategies.draw.explanation import DrawDecision
    from limpet.strategies.holdem.resolving.explanation import ExplainedDecision

MOST_LINES = 5
"""Most lines that are named where several hands fit."""
LINE = "MATCHSTATE:"
"""Beginning of a state as a dealer sends it."""


@click.command(
    epilog="""\b
Examples:
  limpet explain my/limpet.yaml matches/limpet-blueprint-1/seating-1.log --hand 17
  limpet explain my/limpet.yaml match.log --hand 17 --png pictures/
  limpet explain blueprint 'MATCHSTATE:0:7:r300c/:KsQs|/Kh7h2d'
  limpet explain draw5 matches/draw5-call-1/seating-1.log --hand 17

\b
The hand is worked out again, which gives what was played by wherever no clock is looked at. For a bot that thinks
against the clock, --rows takes what it did play by from the file that its option 'rows' named; its own range follows
that, and only what it takes the other's to be is worked out again.
Exit status: 0 explained; 2 the log has no such hand of this bot, or an argument is wrong."""
)
@click.argument("config", type=BOT)
@click.argument("log", metavar="LOG | MATCHSTATE:...")
@option("--hand number", "The hand of the log.", Whole(0), metavar="N")
@option("--line", "The line of the log where the hand is, if its number repeats.", Whole(1), metavar="L")
@option("--time when", "The time stamp of the hand, if its number repeats.", Real(min=0), metavar="T")
@option("--player", "The bot's name in the log.  [default: the config's]", metavar="NAME")
@option("--rows", "Rows kept by the bot.", OLD_FILE)
@picture_option("--png", "Write pictures there.", NEW_FOLDER, metavar="DIR")
@game_option("the config's", GAME)
@own_seed_option
@json_option("Print JSON instead of pictures.")
def explain(
    config: str, log: str, number: int | None, line: int | None, when: float | None, player: str | None,
    rows: Path | None, png: Path | None, game: GameDef | None, seed: int | None, as_json: bool,
) -> None:  # fmt: skip
    """Show both ranges and the strategy at each of a bot's decisions of one hand.

    CONFIG is the bot, which plays heads-up hold'em or five-card draw; LOG the log of a match, or one state as a dealer
    sends it. A class of starting hands is a cell: pairs on the diagonal, suited above it. The other's range is the one that
    the bot assumes.
    """
    from limpet.dealer.measures.match_luck import require_game
    from limpet.strategies.base.botconfig import load_bot
    from limpet.strategies.base.records import RowsFile, silenced
    from limpet.strategies.base.strategy import HandKey
    from limpet.strategies.cards.handspace import is_holdem
    from limpet.strategies.subjects import check_explained, explained_hand

    bot = load_bot(config, game)
    check_explained(config, bot.game, rows is not None, png is not None)
    if log.startswith(LINE):
        match = parse_match_state(log.strip(), bot.game)
    else:
        selected: dict[str, float] = given({"hand": number, "line": line, "time": when})
        if not selected:
            raise click.UsageError("which hand of the log? Name it: --hand N, --line L or --time T")
        if game is None:
            require_game([Path(log)], bot)
        match = _logged(Path(log), selected, player or bot.name, bot.game)
    with mistakes():
        strategy = silenced(bot.build())
        kept = RowsFile(rows, bot.game) if rows is not None else None
    strategy.warm_up()  # so that a clock counts thinking, not compiling
    hand = strategy.start_hand(HandKey(bot.config.seed if seed is None else seed, match.hand, match.position))
    show = _show_classes if is_holdem(bot.game) else _show_categories
    data: list[dict[str, Any]] = []
    for count, decision in enumerate(explained_hand(match, hand, kept), 1):
        data.append(decision.data() if as_json else {})
        if not as_json:
            show(decision, count)
        if png is not None:
            from limpet.strategies.holdem.solutions.pictures import write_picture

            with writing(png, "name a folder that can be written"):
                png.mkdir(parents=True, exist_ok=True)
                write_picture(png / f"hand-{match.hand}-{count}.png", decision.decision(), valued=False)
                write_picture(png / f"hand-{match.hand}-{count}-other.png", decision.opposed(), valued=False)
    if not data:
        click.echo(f"hand {match.hand}: the bot had nothing to decide", err=True)
    if as_json:
        print_json({"hand": match.hand, "position": match.position, "decisions": data})


def _logged(log: Path, selected: dict[str, float], player: str, game: GameDef) -> MatchState:
    """Return the first hand of a log with a number, line or time as its player saw it in the end.

    selected: ``hand``, ``line`` and ``time`` (seconds since 1970), or some of them. Raises `ConfigError` if there is none.
    """
    names: set[str] = set()
    states: dict[int, MatchState] = {}
    file = open_hands(log, game)
    for line, record in file.find(int(selected["hand"])) if "hand" in selected else file.hands():
        if selected.get("line", line.number) != line.number or selected.get("time", line.time) != line.time:
            continue
        if player in record.names:
            position = record.names.index(player)
            states[line.number] = MatchState(position, record.hand, record.state, record.holes, record.draws)
        names.update(record.names)
    what = ", ".join(f"{name} {value:.15g}" for name, value in selected.items())
    if len(states) > 1:
        lines = ", ".join(map(str, list(states)[:MOST_LINES])) + (", …" if len(states) > MOST_LINES else "")
        click.echo(f"{log}: {len(states)} hands are {what}; this is the first; --line names one of {lines}", err=True)
    if states:
        return next(iter(states.values()))
    others = f"{player} does not play {what}, but {' and '.join(sorted(names))}; see --player"
    nobody = f"there is no {what}; hands are counted from 0, see the lines STATE:NUMBER:"
    raise ConfigError(f"{log}: {others if names else nobody}")


def _show_classes(explained: "ExplainedDecision", number: int) -> None:
    """Print a decision: what all hands do and the hand held, what each class does, and both ranges."""
    from rich.text import Text

    from limpet.bot.commands.drawing import Picture, actions_table, percents, range_picture

    show = standard_output().print
    state, decision, actions = explained.state, explained.decision(), explained.rows.actions
    board = f"{cards_text(state.board)}, " if state.board else ""
    show(Text(f"{number}. {board}{state.betting or 'the start'}: pot {decision.pot:g} bb", style="bold"))
    show(explained.source)
    headings, columns = ["action", "all hands"], [percents(decision.frequencies, 1)]
    if explained.hole:
        headings.append(cards_text(explained.hole))
        columns.append(percents(list(explained.own().values()), 1))
    taken = actions.index(explained.taken) if explained.taken in actions else None
    show(actions_table(decision, headings, *columns, taken=taken))
    if explained.taken is not None and taken is None:
        show(f"the log says {explained.taken}, which is not among them: this is not the bot that played")
    show("\nwhat each class does")
    show(Picture(decision))
    for title, position in (("own range", state.actor), ("the other's range", 1 - state.actor)):
        show(f"\n{title} (tenths of the likeliest class's weight)")
        show(range_picture(explained.weights(position), state.board))
    show("")


def _show_categories(explained: "DrawDecision", number: int) -> None:
    click.echo(f"{number}. " + "\n".join(explained.lines()))
    print_table(*explained.table(), boxed=False)
    click.echo()
