"""``limpet strategy grid``: what a strategy does with each hand in one place."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from limpet.bot.commands.strategy_options import as_json_option, open_named
from limpet.configs.loading import ConfigError, mistakes

if TYPE_CHECKING:
    from limpet.protocol.gamedef import GameDef
    from limpet.strategies.blueprint.look import Look
    from limpet.strategies.solutions.answer import Decision


@click.command(
    epilog="""\b
Examples:
  limpet strategy grid hunl-200bb                            the first decision
  limpet strategy grid hunl-200bb r300c/ --board Ks7h2d      big blind to act on the flop
  limpet strategy grid hunl-200bb r300 --svg bb-defence.svg

\b
LINE is the betting as on the wire: f, c, and r with the chips raised to over the whole hand.
Exit status: 0 drawn; 2 the line is off the tree, a card is missing, or a picture cannot be written."""
)
@click.argument("name")
@click.argument("line", default="")
@click.option("--board", "board_text", default="", metavar="CARDS", help="Board cards, as in Ks7h2d.")
@click.option("--png", type=click.Path(path_type=Path), help="Write the picture; needs pip install 'limpet[plot]'.")
@click.option("--svg", type=click.Path(path_type=Path), help="The same as SVG.")
@as_json_option
def grid(name: str, line: str, board_text: str, png: Path | None, svg: Path | None, as_json: bool) -> None:
    """Draw what a strategy does with each of the 169 starting hands in one place.

    In the terminal a class's cell shows its actions side by side; in a picture its height is how much of the class gets
    there. In games without the 169 classes, and without cards, the hands are listed.
    """
    from limpet.protocol.cards import cards_text, parse_cards
    from limpet.strategies.blueprint.look import look
    from limpet.strategies.cards.handspace import is_holdem

    with mistakes():
        if png or svg:
            from limpet.strategies.solutions.pictures import require_matplotlib

            require_matplotlib()
        file = open_named(name)
        found = look(file, line, tuple(parse_cards(board_text.replace(" ", ""))))
        if (png or svg) and not is_holdem(file.game):
            raise ConfigError(f"{name}: a picture shows the 169 classes of hold'em; leave --png and --svg out")
    if as_json:
        click.echo(json.dumps(_grid_data(found)))
    elif is_holdem(file.game):
        _print_grid(found)
    else:
        actions = file.tree.actions(found.node)
        board = f"{cards_text(found.board)}, " if found.board else ""
        click.echo(f"{board}{found.betting or 'the start'}: position {found.position} acts")
        for cards, weight, row in _hands(found):
            told = ", ".join(f"{action} {100 * float(p):.2f} %" for action, p in zip(actions, row, strict=True))
            click.echo(f"{cards}  held {100 * weight:6.2f} %  {told}")
    for path in (png, svg):
        if path is not None:
            from limpet.strategies.solutions.pictures import write_picture

            try:
                with mistakes():
                    write_picture(path, _decision(found), valued=False)
            except OSError as error:
                raise ConfigError(f"{path}: {error.strerror}; name a file in a folder that can be written") from error


def _hands(found: "Look") -> Iterator[tuple[str, float, Any]]:
    """Cards, how often held, and probabilities of each hand that may be held."""
    from limpet.protocol.cards import cards_text
    from limpet.strategies.cards.handspace import game_hands

    game: GameDef = found.file.game
    space = game_hands(game)
    weights = found.weights
    for hand in weights.nonzero()[0].tolist():
        yield cards_text(space.cards(hand)[::-1]), float(weights[hand]), found.rows[:, hand]


def _grid_data(found: "Look") -> dict[str, Any]:
    from limpet.protocol.cards import cards_text
    from limpet.strategies.cards.handspace import is_holdem
    from limpet.strategies.cards.isomorphism import class_name

    actions = [str(action) for action in found.file.tree.actions(found.node)]
    data: dict[str, Any] = {
        "betting": found.betting,
        "board": cards_text(found.board),
        "position": found.position,
        "actions": dict(zip(actions, found.frequencies.tolist(), strict=True)),
        "untrained": float(found.weights @ found.missed),
    }
    if is_holdem(found.file.game):
        classes = _decision(found).classes
        data["classes"] = {
            class_name(number): {
                "held": float(classes.happens[number]),
                **dict(zip(actions, classes.frequencies[:, number].tolist(), strict=True)),
            }
            for number in classes.happens.nonzero()[0][::-1].tolist()
        }
    data["hands"] = {
        cards: {"held": weight, **dict(zip(actions, row.tolist(), strict=True))} for cards, weight, row in _hands(found)
    }
    return data


def _decision(found: "Look") -> "Decision":
    """As the pictures of solved spots take it, without values."""
    import numpy as np

    from limpet.strategies.solutions.answer import Decision
    from limpet.strategies.solutions.lines import Place, pot_fractions
    from limpet.strategies.solving.vector.node_values import NodeValues
    from limpet.strategies.trees.action_names import action_names

    tree = found.file.tree
    unit = tree.game.big_blind
    spent = tree.spent[found.node]
    nothing = np.zeros_like(found.rows)
    return Decision(
        place=Place(found.node, found.board, (found.betting,) if found.betting else (), found.betting),
        position=found.position,
        spent=(float(spent[0]) / unit, float(spent[1]) / unit),
        actions=action_names(tree, found.node),
        fractions=pot_fractions(tree, found.node),
        values=NodeValues(found.reach, np.zeros_like(found.reach), nothing, found.rows),
    )


def _print_grid(found: "Look") -> None:
    from rich.table import Table
    from rich.text import Text

    from limpet.bot.commands.terminal import standard_output
    from limpet.protocol.cards import cards_text
    from limpet.strategies.solutions.colours import action_colours, hex_colour
    from limpet.strategies.solutions.report import Picture, action_labels

    decision = _decision(found)
    console = standard_output()
    board = f"{cards_text(found.board)}, " if found.board else ""
    console.print(
        f"{board}{found.betting or 'the start'}: position {found.position} acts, pot {decision.pot:g} bb", style="bold"
    )
    table = Table(box=None, pad_edge=False, show_header=False)
    colours = action_colours(decision.fractions)
    for label, colour, part in zip(action_labels(decision), colours, found.frequencies, strict=True):
        table.add_row(Text("██ ", style=hex_colour(colour)) + Text(label, style="default"), f"{100 * part:6.2f} %")
    console.print(table)
    if not found.comes_up:
        console.print("one of the players never gets here; each hand counts by its own reach")
    if missed := float(found.weights @ found.missed):
        console.print(f"{100 * missed:.2f} % of the hands get here though training never did; they borrow a row")
    console.print("")
    console.print(Picture(decision))
