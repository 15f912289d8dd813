"""``limpet explain``: what a bot saw and thought at each of its decisions of a hand."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from limpet.bot.commands.options import game_option, seed_option
from limpet.bot.commands.parameters import Whole

if TYPE_CHECKING:
    from rich.console import RenderableType

    from limpet.protocol.gamedef import GameDef
    from limpet.protocol.messages import MatchState
    from limpet.protocol.state import Action, State
    from limpet.strategies.players.explained import Explained
    from limpet.strategies.records.sidecar import RowsFile
    from limpet.strategies.strategy import Rows

LINE = "MATCHSTATE:"


@click.command(
    epilog="""\b
Examples:
  limpet explain my/limpet.yaml matches/limpet-blueprint-1/seating-1.log --hand 17
  limpet explain my/limpet.yaml match.log --hand 17 --png pictures/
  limpet explain blueprint 'MATCHSTATE:0:7:r300c/:KsQs|/Kh7h2d'

\b
The hand is worked out again, which gives what was played by wherever no clock is looked at. For a bot that thinks
against the clock, --rows takes what it did play by from the file that its option 'rows' named; its own range follows
that, and only what it takes the other's to be is worked out again.
Exit status: 0 explained; 2 the log has no such hand of this bot, or an argument is wrong."""
)
@click.argument("config")
@click.argument("log", metavar="LOG | MATCHSTATE:...")
@click.option("--hand", "number", type=Whole(0), metavar="N", help="The hand of the log.")
@click.option("--player", metavar="NAME", help="The bot's name in the log.  [default: the config's]")
@click.option("--rows", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="Rows kept by the bot.")
@click.option("--png", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Write pictures there.")
@game_option
@seed_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of pictures.")
def explain(
    config: str,
    log: str,
    number: int | None,
    player: str | None,
    rows: Path | None,
    png: Path | None,
    game: str | None,
    seed: int | None,
    as_json: bool,
) -> None:
    """Show both ranges and the strategy at each of a bot's decisions of one hand.

    CONFIG is the bot, which plays heads-up hold'em; LOG the log of a match, or one state as a dealer sends it. A class of
    starting hands is a cell: pairs on the diagonal, suited above it. The other's range is what the bot takes it to be.
    """
    import json

    from limpet.configs.loading import ConfigError, load_game, mistakes
    from limpet.protocol.messages import parse_match_state
    from limpet.strategies.botconfig import load_bot
    from limpet.strategies.cards.handspace import is_holdem
    from limpet.strategies.players.explained import explained
    from limpet.strategies.records.journal import silenced
    from limpet.strategies.records.sidecar import RowsFile
    from limpet.strategies.strategy import HandKey

    bot = load_bot(config, load_game(game) if game is not None else None)
    if not is_holdem(bot.game) or bot.game.num_players != 2:
        raise ConfigError(f"{config}: ranges and pictures are for heads-up hold'em; this bot plays another game")
    if png is not None:
        from limpet.strategies.solutions.pictures import require_matplotlib

        with mistakes():
            require_matplotlib()
    if log.startswith(LINE):
        match = parse_match_state(log.strip(), bot.game)
    elif number is None:
        raise click.UsageError("which hand of the log? Name it: --hand N")
    else:
        match = _logged(Path(log), number, player or bot.name, bot.game)
    with mistakes():
        strategy = silenced(bot.build())
        kept = _kept(RowsFile(rows, bot.game), match) if rows is not None else None
    strategy.warm_up()  # so that a clock counts thinking, not compiling
    key = HandKey(bot.config.seed if seed is None else seed, match.hand, match.position)
    hand, hole = strategy.start_hand(key), match.holes[match.position]
    found: list[dict[str, Any]] = []
    shown = 0
    for shown, seen in enumerate(explained(hand, match.position, match.state, hole, kept), 1):
        if as_json:
            found.append(_plain(seen))
        else:
            _print(_shown(seen, shown))
        if png is not None:
            _write(png, f"hand-{match.hand}-{shown}", seen)
    if not shown:
        click.echo(f"hand {match.hand}: the bot had nothing to decide", err=True)
    if as_json:
        click.echo(json.dumps({"hand": match.hand, "position": match.position, "decisions": found}))


def _kept(file: "RowsFile", match: "MatchState") -> "Callable[[State, Action], Rows]":
    import numpy as np

    from limpet.configs.loading import mistakes
    from limpet.strategies.strategy import Rows

    def kept(state: "State", action: "Action") -> Rows:
        with mistakes():
            row = file.played(match.hand, state, match.position, match.holes[match.position], action)
        return Rows(row.actions, row.probabilities.astype(np.float32))

    return kept


def _logged(log: Path, number: int, player: str, game: "GameDef") -> "MatchState":
    """A hand of a log as its player saw it in the end. Raises `ConfigError` if there is none."""
    from limpet.configs.loading import ConfigError
    from limpet.dealer.logs.log_stream import LogStream
    from limpet.protocol.messages import MatchState

    names: set[str] = set()
    for _, record in LogStream(log, game).find(number):
        if player in record.names:
            return MatchState(record.names.index(player), number, record.state, record.holes)
        names.update(record.names)
    if names:
        raise ConfigError(
            f"{log}: {player} does not play hand {number}, but {' and '.join(sorted(names))}; see --player"
        )
    raise ConfigError(f"{log}: there is no hand {number}; hands are counted from 0, see the lines STATE:NUMBER:")


def _shown(seen: "Explained", index: int) -> "Iterator[RenderableType]":
    from rich.table import Table
    from rich.text import Text

    from limpet.bot.commands.range import picture
    from limpet.protocol.cards import cards_text
    from limpet.strategies.solutions.colours import action_colours, hex_colour
    from limpet.strategies.solutions.report import Picture, action_labels

    state, decision = seen.state, seen.decision()
    board = f"{cards_text(state.board)}, " if state.board else ""
    yield Text(f"{index}. {board}{state.betting or 'the start'}: pot {decision.pot:g} bb", style="bold")
    yield _source(seen)
    labels, colours = action_labels(decision), action_colours(decision.fractions)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("action")
    table.add_column("all hands", justify="right")
    own = seen.rows.column(_index(seen)).tolist() if seen.hole else []
    if own:
        table.add_column(cards_text(seen.hole), justify="right")
    for i, (label, colour) in enumerate(zip(labels, colours, strict=True)):
        mark = " <" if seen.taken == seen.rows.actions[i] else ""
        cells = [f"{100 * float(decision.frequencies[i]):.1f} %"] + ([f"{100 * own[i]:.1f} %"] if own else [])
        table.add_row(Text("██ ", style=hex_colour(colour)) + Text(label + mark, style="default"), *cells)
    yield table
    if seen.taken is not None and seen.taken not in seen.rows.actions:
        yield f"the log says {seen.taken}, which is not among them: this is not the bot that played"
    yield "\nwhat each class does"
    yield Picture(decision)
    for title, position in (("own range", state.actor), ("the other's range", 1 - state.actor)):
        yield f"\n{title} (tenths of the likeliest class's weight)"
        yield picture(seen.weights(position), state.board)
    yield ""


def _source(seen: "Explained") -> str:
    if seen.kept:
        return "by the rows that were kept; where they came from stands in the bot's log"
    if seen.root is None:
        return "by the blueprint, or whatever plays where nothing is solved"
    after = f"after '{seen.root}'" if seen.root else "at the start"
    reached = "" if seen.percent is None else f", {seen.percent:.3f} % of its pot exploitable"
    return f"by the subgame solved {after}: {seen.iterations} iterations{reached}"


def _index(seen: "Explained") -> int:
    from limpet.strategies.cards.handspace import hand_space

    return hand_space().index(seen.hole)


def _plain(seen: "Explained") -> dict[str, Any]:
    from limpet.protocol.cards import cards_text
    from limpet.strategies.cards.isomorphism import class_name
    from limpet.strategies.cards.ranges import class_weights

    state, decision = seen.state, seen.decision()
    actions = [str(action) for action in seen.rows.actions]
    classes = decision.classes

    def weights(position: int) -> dict[str, float]:
        by_class = class_weights(seen.weights(position), state.board)
        return {class_name(n): round(float(by_class[n]), 5) for n in by_class.nonzero()[0][::-1].tolist()}

    return {
        "betting": state.betting,
        "board": cards_text(state.board),
        "kept": seen.kept,
        "subgame": seen.root,
        "iterations": seen.iterations,
        "percent": seen.percent,
        "actions": dict(zip(actions, decision.frequencies.tolist(), strict=True)),
        "hand": cards_text(seen.hole),
        "probabilities": dict(zip(actions, seen.rows.column(_index(seen)).tolist(), strict=True))
        if seen.hole
        else None,
        "taken": None if seen.taken is None else str(seen.taken),
        "classes": {
            class_name(n): dict(zip(actions, classes.frequencies[:, n].tolist(), strict=True))
            for n in classes.happens.nonzero()[0][::-1].tolist()
        },
        "ranges": {"own": weights(state.actor), "other": weights(1 - state.actor)},
    }


def _print(parts: "Iterator[RenderableType]") -> None:
    from limpet.bot.commands.terminal import standard_output

    console = standard_output()
    for part in parts:
        console.print(part)


def _write(folder: Path, name: str, seen: "Explained") -> None:
    """Two pictures: the strategy over one's own range, and the other's range."""
    from limpet.configs.loading import ConfigError
    from limpet.strategies.solutions.pictures import write_picture

    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_picture(folder / f"{name}.png", seen.decision(), valued=False)
        write_picture(folder / f"{name}-other.png", seen.opposed(), valued=False)
    except OSError as error:
        raise ConfigError(f"{folder}: {error.strerror}; name a folder that can be written") from error
