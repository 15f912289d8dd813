"""``limpet icm``: works out what stacks are worth in prize money, and what all-ins between them risk."""

from collections.abc import Iterator
from math import isnan, nan
from typing import TYPE_CHECKING

import click

from limpet.bot.commands.options import json_option
from limpet.bot.commands.parameters import AMOUNTS, PRIZES
from limpet.bot.commands.terminal import print_json, print_table

if TYPE_CHECKING:
    from limpet.strategies.shortstacks.icm import AllIns


@click.command(
    epilog="""\b
Examples:
  limpet icm 5000,3000,2000 50,30,20
  limpet icm 5000,3000,2000 50,30,20 --json
  limpet icm 2400,1800,1500,1500,1200,600 20,20,20,20,20

\b
The first prints
  player  stack   chips  equity  doubles up  busts
       1  5,000  50.00%   38.39       46.00
       2  3,000  30.00%   32.75       41.00  20.00
       3  2,000  20.00%   28.86       35.43  20.00
  and below it, for each pair of players, the bubble factor of an all-in.

\b
equity      mean prize, in the unit of PAYOUTS
doubles up  equity after winning an all-in against the largest other stack; the chip leader wins that whole stack
busts       prize of a player who loses all chips in this hand; no single all-in can bust the chip leader

The model: the first place goes to each player with the share of the chips as its probability, the second likewise among
the rest, and so on. It knows neither skill nor blinds nor position.

The bubble factor is the equity that losing an all-in costs ÷ the equity that winning it gains, for the smaller of both
stacks. At 1 chips are money. At 2 the player must win twice as often as it loses: 2 of 3, which --json calls break_even.
Where winning gains nothing it is infinite (null in JSON); where nothing is at stake it is missing.

A player with 0 chips has busted and gets nothing; the others get the first payouts. Fewer PAYOUTS than players: the
places below pay nothing. Up to 14 players are worked out exactly, more by integration with an error below 1e-12 of the
prizes, and more than 30 without all-ins.

\b
Exit status: 0 it was worked out; 2 the stacks or payouts cannot be, and one line says why."""
)
@click.argument("stacks", type=AMOUNTS)
@click.argument("payouts", type=PRIZES)
@json_option()
def icm(stacks: tuple[float, ...], payouts: tuple[float, ...], as_json: bool) -> None:
    """Work out what each stack of a tournament is worth in prize money.

    STACKS are the players' chips and PAYOUTS the prizes from the first place down, numbers between commas: chips, big
    blinds, money or percents, as you like. The answer is the independent chip model's (Malmuth and Harville).
    """
    from limpet.configs.loading import mistakes
    from limpet.strategies.shortstacks import icm as prize_money

    with mistakes():
        equity, risks = prize_money.icm(stacks, payouts)
    equities = equity.tolist()
    if as_json:
        print_json(prize_money.icm_data(stacks, payouts, equities, risks))
        return
    digits = 2 if max(payouts) >= 10 else 4
    headings = ["player", "stack", "chips", "equity", *(["doubles up", "busts"] if risks else [])]
    print_table(headings, _rows(stacks, equities, risks, digits), 0)
    if risks and len(stacks) > 1:
        players = [str(number) for number in range(1, len(stacks) + 1)]
        factors = [[_number(factor, 3) for factor in row] for row in risks.bubble_factors.tolist()]
        click.echo("\nbubble factor of each player (row) against each opponent (column)")
        print_table(["", *players], [[name, *row] for name, row in zip(players, factors, strict=True)])


def _rows(stacks: tuple[float, ...], equities: list[float], risks: "AllIns | None", digits: int) -> Iterator[list[str]]:
    """Yield a row for each player: stack, share of the chips, equity and, with risks, after doubling and busting."""
    for player, stack in enumerate(stacks):
        share = f"{100 * stack / sum(stacks):.2f}%"
        row = [str(player + 1), f"{stack:,.10g}", share, _number(equities[player], digits)]
        others = [(chips, other) for other, chips in enumerate(stacks) if other != player]
        if risks and others:
            most, largest = max(others)
            busts = risks.loses[player, largest] if stack <= most else nan
            row += [_number(risks.wins[player, largest], digits), _number(busts, digits)]
        yield row


def _number(value: float, digits: int) -> str:
    return "" if isnan(value) else f"{value:,.{digits}f}"
