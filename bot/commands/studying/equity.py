"""``limpet equity``: works out how often one hand or range beats another."""

from typing import TYPE_CHECKING, Any

import click

from limpet.bot.commands.options import board_option, flag, json_option
from limpet.bot.commands.terminal import print_json
from limpet.protocol.cards import cards_text

if TYPE_CHECKING:
    from limpet.strategies.cards.equity import EquityResult, Scores
    from limpet.strategies.cards.ranges import Weights

NAME_WIDTH = 24
"""Width in characters of the first column."""
FIGURES = ("win", "tie", "lose", "equity")


@click.command(
    epilog="""\b
Examples:
  limpet equity AsAh KdKc
  limpet equity AsAh KdKc --board Ts9h2c
  limpet equity 'QQ+,AK' random
  limpet equity '77+,AJs+:0.5' 'A2s+,KTo+' --board QhJh2c --by-class

\b
The first prints
  before the flop              win     tie    lose  equity
  AsAh                       81.06    0.38   18.55   81.26
  KdKc                       18.55    0.38   81.06   18.74
  1,388,072 boards won, 6,538 tied and 317,694 lost of 1,712,304

`limpet range --help` explains how ranges are written. Hands of a range count by their weights; hands that share a card
with the board or with each other are left out.

\b
Exit status: 0 it was worked out; 2 the hands, ranges or board cannot be, and one line says why."""
)
@click.argument("first")
@click.argument("second")
@board_option("Up to five board cards, as in QhJh2c.")
@flag("--by-class", "Also show every starting hand of both ranges, best first.")
@json_option()
def equity(first: str, second: str, board: tuple[int, ...], by_class: bool, as_json: bool) -> None:
    """Work out how often two players win, tie and lose when all cards are dealt.

    FIRST and SECOND are hands (AsAh) or ranges ('QQ+,AKs:0.5'). Every way to complete the board is counted, none is
    sampled. Figures are percentages; equity is the share of the pot, ties split.
    """
    from limpet.strategies.cards.equity import check_deal, single_hand, versus_range
    from limpet.strategies.cards.ranges import combos, parse_range

    ranges = [parse_range(first), parse_range(second)]
    hands = [single_hand(weights) for weights in ranges]
    both = None not in hands
    if both:
        check_deal([card for cards in (*hands, board) for card in cards or ()])
    scores = [versus_range(ranges[1], board), versus_range(ranges[0], board)]
    players: list[dict[str, Any]] = []
    for text, weights, score in zip((first, second), ranges, scores, strict=True):
        players.append({"range": text, "combos": combos(weights, board), **_percentages(score.sum(weights))})
        if by_class:
            players[-1]["classes"] = _classes(score, weights)
    counts = {name: int(getattr(scores[0], name) @ ranges[0]) for name in ("win", "tie", "lose", "total") if both}
    if as_json:
        boards = {"boards": {name: counts[name] for name in ("win", "tie", "lose")}} if both else {}
        print_json({"board": cards_text(board), "players": players, **boards}, indent=2)
        return
    click.echo(_line(f"board {cards_text(board)}" if board else "before the flop", *FIGURES))
    for player in players:
        click.echo(_figures_line(player["range"], player))
    if both:
        click.echo("{win:,} boards won, {tie:,} tied and {lose:,} lost of {total:,}".format(**counts))
    for player in players if by_class else ():
        click.echo(f"\n{_line(player['range'], *FIGURES, 'combos')}")
        for name, figures in player["classes"].items():
            click.echo(_figures_line(f"  {name}", figures, f"{figures['combos']:.6g}"))


def _percentages(result: "EquityResult") -> dict[str, float]:
    return {name: 100 * getattr(result, name) for name in FIGURES}


def _classes(scores: "Scores", weights: "Weights") -> dict[str, dict[str, float]]:
    """Return the figures of every starting hand that the opponent's range leaves possible, best first."""
    from limpet.strategies.cards.equity import EquityResult
    from limpet.strategies.cards.isomorphism import class_name
    from limpet.strategies.cards.ranges import class_combos

    sums = scores.by_class(weights)
    held = class_combos(weights * (scores.total > 0))
    classes = {}
    present = (sums.total > 0).nonzero()[0].tolist()
    for number in sorted(present, key=lambda number: float(sums.equity[number]), reverse=True):
        shares = (float(each[number] / sums.total[number]) for each in (sums.win, sums.tie, sums.lose))
        classes[class_name(number)] = {**_percentages(EquityResult(*shares)), "combos": float(held[number])}
    return classes


def _figures_line(name: str, figures: dict[str, Any], *more: str) -> str:
    return _line(name, *(f"{figures[figure]:.2f}" for figure in FIGURES), *more)


def _line(name: str, *columns: str) -> str:
    if len(name) > NAME_WIDTH:
        name = name[: NAME_WIDTH - 3] + "..."
    return f"{name:{NAME_WIDTH}}" + "".join(f"{column:>8}" for column in columns)
