"""``limpet range``: what a range's text comes to."""

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.table import Table

    from limpet.strategies.cards.ranges import Weights


@click.command(
    "range",
    epilog="""\b
How ranges are written:
  AKs AKo AK TT       suited, offsuit, both, a pair
  77+ A5s+ KT+        this pair or kicker and the better ones
  22-66 J8o-J5o       from one to the other; T9s-54s moves both cards
  KhJd                one combo
  random 20%          every hand; the best hands by equity against a random one
  AKs:0.5 AKs@50      held half of the time, as a weight and as a percentage
  [50]AK,QQ[/50]      the same for all that stands between
Commas or blanks separate them, and later ones override earlier ones.

\b
Examples:
  limpet range '55+,A9+,KT+,QT+,JT+,A4s+,K8s+,Q9s+,J9s+,T9s+'
  limpet range '77+,AKs:0.5,KhJd' --board Kd7c2h
  limpet range 20% --json

\b
Exit status: 0 it is a range; 2 it is not, and one line says what is wrong and where.""",
)
@click.argument("text")
@click.option("--board", "-b", "board_text", default="", metavar="CARDS", help="Leave out hands with these cards.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def range_(text: str, board_text: str, as_json: bool) -> None:
    """Count the hands of a range, write it in its shortest form and draw it.

    In the picture a starting hand that is held in full is named, one that is held in part has its weight in tenths beside
    it, as in AKs.5, and a dot stands for one that is not held: pairs on the diagonal, suited above it, offsuit below.
    """
    import json

    from limpet.protocol.cards import cards_text, parse_cards
    from limpet.strategies.cards.equity import check_board
    from limpet.strategies.cards.isomorphism import class_name
    from limpet.strategies.cards.ranges import class_weights, combos, parse_range, percent_range, range_text

    board = parse_cards(board_text.replace(" ", ""))
    check_board(board)
    weights = parse_range(text)
    held, possible = combos(weights, board), combos(percent_range(100), board)
    if as_json:
        by_class = class_weights(weights, board)
        classes = {class_name(number): float(by_class[number]) for number in by_class.nonzero()[0][::-1].tolist()}
        facts = {"range": range_text(weights), "board": cards_text(board), "combos": held, "possible": possible}
        click.echo(json.dumps({**facts, "percent": 100 * held / possible, "classes": classes}, indent=2))
        return
    from rich.console import Console

    click.echo(range_text(weights))
    on = f" that miss {cards_text(board)}" if board else ""
    click.echo(f"{held:.6g} of {possible:.6g} hands{on}, {100 * held / possible:.2f} %")
    Console(highlight=False).print(picture(weights, board))


def picture(weights: "Weights", board: tuple[int, ...]) -> "Table":
    """The range as 13 x 13 starting hands."""
    import numpy as np
    from rich.table import Table

    from limpet.strategies.cards.isomorphism import class_name
    from limpet.strategies.cards.ranges import as_grid, class_weights

    numbers = as_grid(np.arange(169.0)).astype(int)
    shares = as_grid(class_weights(weights, board))
    grid = Table.grid(padding=(0, 1, 0, 0))
    for _ in range(13):
        grid.add_column(min_width=5 if ((shares > 0) & (shares < 1)).any() else 3)
    for row in range(13):
        names = [class_name(int(number)) for number in numbers[row]]
        grid.add_row(*(_cell(name, float(share)) for name, share in zip(names, shares[row], strict=True)))
    return grid


def _cell(name: str, share: float) -> str:
    """One starting hand, in rich's markup; what is held in part has .1 to .9 beside it."""
    if share == 0:
        return "[dim]·[/dim]"
    if share == 1:
        return f"[bold green]{name}[/bold green]"
    return f"[yellow]{name}.{min(max(round(10 * share), 1), 9)}[/yellow]"
