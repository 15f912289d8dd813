"""``limpet range``: counts and draws the hands of a range."""

from typing import TYPE_CHECKING

import click

from limpet.bot.commands.options import board_option, choice, json_option
from limpet.bot.commands.terminal import print_json, standard_output
from limpet.protocol.cards import cards_text

if TYPE_CHECKING:
    from limpet.strategies.cards.ranges import Notation, Unit


@click.command(
    "range",
    epilog="""\b
How ranges are written:
  AKs AKo AK TT       suited, offsuit, both, a pair
  77+ A5s+ KT+        this pair or kicker and the better ones
  22-66 J8o-J5o       from one to the other; T9s-54s moves both cards
  KhJd                one combo
  random 20%          every hand; the best hands by equity against a random one
  AKs:0.5 AKs@50      held half of the time, as a weight and as a percentage; AKs:50% too
  [50]AK,QQ[/50]      the same for all that stands between
Commas or blanks separate them, and later ones override earlier ones.

\b
Examples:
  limpet range '55+,A9+,KT+,QT+,JT+,A4s+,K8s+,Q9s+,J9s+,T9s+'
  limpet range '77+,AKs:0.5,KhJd' --board Kd7c2h
  limpet range 20% --json
  limpet range '77+,AKs:0.5' --to pio      for PioSOLVER, or equilab, or gto+
  limpet range 'AA:100,AKs:50' --weights percent

\b
Exit status: 0 it is a range; 2 it is not, and one line says what is wrong and where.""",
)
@click.argument("text")
@board_option("Leave out hands with these cards.")
@choice("--to", "Write the range for another program, and nothing else.", ("pio", "equilab", "gto+"))
@choice(
    "--weights unit", "What weights are.  [default: percent after @ and in brackets, else share]", ("share", "percent")
)
@json_option()
def range_(text: str, board: tuple[int, ...], to: "Notation | None", unit: "Unit | None", as_json: bool) -> None:
    """Count the hands of a range, write it in its shortest form and draw it.

    In the picture a starting hand that is held in full is named, one that is held in part has its weight in tenths beside
    it, as in AKs.5, and a dot stands for one that is not held: pairs on the diagonal, suited above it, offsuit below.
    """
    from limpet.strategies.cards.ranges import combos, live, named_class_weights, parse_range, percent_range, range_text

    weights = parse_range(text, unit or "")
    if to is not None:
        click.echo(range_text(live(weights, board), to))
        return
    held, possible = combos(weights, board), combos(percent_range(100), board)
    if as_json:
        facts = {"range": range_text(weights), "board": cards_text(board), "combos": held, "possible": possible}
        classes = named_class_weights(weights, board)
        print_json({**facts, "percent": 100 * held / possible, "classes": classes}, indent=2)
        return
    from limpet.bot.commands.drawing import range_picture

    click.echo(range_text(weights))
    on = f" that miss {cards_text(board)}" if board else ""
    click.echo(f"{held:.6g} of {possible:.6g} hands{on}, {100 * held / possible:.2f} %")
    standard_output().print(range_picture(weights, board))
