"""``limpet strategy grid``: draws what a strategy does with each hand at one decision."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from limpet.bot.commands.options import json_option, option, picture_option
from limpet.bot.commands.parameters import CARDS, STRATEGY
from limpet.bot.commands.terminal import print_json, standard_output, writing
from limpet.configs.loading import ConfigError, mistakes
from limpet.protocol.cards import cards_text
from limpet.strategies.holdem.blueprint.named import open_named

if TYPE_CHECKING:
    from limpet.strategies.holdem.blueprint.look import Look


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
@click.argument("name", type=STRATEGY)
@click.argument("line", default="")
@option("--board", "Board cards, as in Ks7h2d.", CARDS, default="", show_default=False, metavar="CARDS")
@picture_option("--png", "Write the picture; needs pip install matplotlib.")
@picture_option("--svg", "The same as SVG.")
@json_option()
def grid(name: str, line: str, board: tuple[int, ...], png: Path | None, svg: Path | None, as_json: bool) -> None:
    """Draw what a strategy does with each of the 169 starting hands at one decision.

    In the terminal a class's cell shows its actions side by side; in a picture its height is how much of the class gets
    there. In games without the 169 classes, and without cards, the hands are listed.
    """
    from limpet.strategies.cards.handspace import is_holdem
    from limpet.strategies.holdem.blueprint.look import look

    with mistakes():
        file = open_named(name)
        view = look(file, line, board)
        if (png or svg) and not is_holdem(file.game):
            raise ConfigError(f"{name}: a picture shows the 169 classes of hold'em; leave --png and --svg out")
    if as_json:
        print_json(_data(view))
    elif is_holdem(file.game):
        _print_grid(view)
    else:
        click.echo(_heading(view))
        for cards, weight, row in _hands(view):
            actions = zip(file.tree.actions(view.node), row, strict=True)
            taken = ", ".join(f"{action} {100 * float(share):.2f} %" for action, share in actions)
            click.echo(f"{cards}  held {100 * weight:6.2f} %  {taken}")
    for path in (png, svg):
        if path is not None:
            from limpet.strategies.holdem.solutions.pictures import write_picture

            with writing(path), mistakes():
                write_picture(path, view.decision(), valued=False)


def _heading(view: "Look") -> str:
    board = f"{cards_text(view.board)}, " if view.board else ""
    return f"{board}{view.betting or 'the start'}: position {view.position} acts"


def _hands(view: "Look") -> Iterator[tuple[str, float, Any]]:
    """Yield the cards of each hand that may be held, how often it is held, and its probabilities."""
    from limpet.strategies.cards.handspace import game_hands

    space = game_hands(view.file.game)
    weights = view.weights
    for hand in weights.nonzero()[0].tolist():
        yield cards_text(space.cards(hand)[::-1]), float(weights[hand]), view.rows[:, hand]


def _data(view: "Look") -> dict[str, Any]:
    from limpet.strategies.cards.handspace import is_holdem
    from limpet.strategies.cards.isomorphism import class_name

    actions = [str(action) for action in view.file.tree.actions(view.node)]
    data: dict[str, Any] = {
        "betting": view.betting,
        "board": cards_text(view.board),
        "position": view.position,
        "actions": dict(zip(actions, view.frequencies.tolist(), strict=True)),
        "untrained": float(view.weights @ view.missed),
    }

    def played(weight: float, row: Any) -> dict[str, float]:
        return {"held": float(weight), **dict(zip(actions, row.tolist(), strict=True))}

    if is_holdem(view.file.game):
        classes = view.decision().classes
        data["classes"] = {
            class_name(number): played(classes.happens[number], classes.frequencies[:, number])
            for number in classes.happens.nonzero()[0][::-1].tolist()
        }
    data["hands"] = {cards: played(weight, row) for cards, weight, row in _hands(view)}
    return data


def _print_grid(view: "Look") -> None:
    from limpet.bot.commands.drawing import Picture, actions_table

    decision = view.decision()
    console = standard_output()
    console.print(f"{_heading(view)}, pot {decision.pot:g} bb", style="bold")
    console.print(actions_table(decision, ("", ""), [f"{100 * share:6.2f} %" for share in view.frequencies]))
    if not view.comes_up:
        console.print("one of the players never gets here; each hand counts by its own reach")
    if missed := float(view.weights @ view.missed):
        console.print(f"{100 * missed:.2f} % of the hands get here though training never did; they borrow a row")
    console.print("")
    console.print(Picture(decision))
