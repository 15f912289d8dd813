"""``limpet strategy kuhn3p``: says which known equilibrium of three-player Kuhn poker a strategy is."""

import sys

import click

from limpet.bot.commands.options import json_option, option
from limpet.bot.commands.parameters import Real
from limpet.bot.commands.terminal import print_json
from limpet.configs.loading import load_game, mistakes
from limpet.strategies.holdem.blueprint.named import open_named

NO_MEMBER = 1
SUB_FAMILIES = {1: "c11 = 0", 2: "c11 = 1/2", 3: "0 < c11 < 1/2"}


@click.command(
    epilog="""\b
Examples:
  limpet strategy kuhn3p kuhn3p
  limpet strategy kuhn3p my-run --tolerance 0.01 --json

\b
Parameters are named as in the paper: b is position 1, c is position 2; the first digit is the card (1 jack, 4 ace), the
second the situation (1: nobody has bet; 2: the player before has; 3, 4: the one before that, then a fold, a call).
Exit status: 0 it is a member; 1 it is not, within the tolerance; 2 it is for another game, or there is no such strategy."""
)
@click.argument("name")
@option("--tolerance", "How far every probability of a member may be off.", Real(min=0), default=0.005)
@json_option()
def kuhn3p(name: str, tolerance: float, as_json: bool) -> None:
    """Say which known equilibrium of three-player Kuhn poker a strategy is, and how far it is from it.

    The family was found by Szafron, Gibson and Sturtevant (2013). All members are equilibria; which one is played decides how much position 0 gives to position 2.
    """
    from limpet.strategies.holdem.measures.kuhn3p_family import fit, read_bets
    from limpet.strategies.solvers.deals import enumerate_deals
    from limpet.strategies.solvers.tabular import nash_conv, values

    with mistakes():
        file = open_named(name)
        file.check_game(load_game("kuhn.limit.3p"))
        if file.manifest.cards.__struct_config__.tag != "lossless" or len(file.tree.decisions) != 12:
            raise ValueError(f"{name}: not a whole strategy for the game; train it with lossless cards and no menu")
    table, deals = file.probabilities(), enumerate_deals(file.game)
    nearest = fit(read_bets(file.tree, table))
    member = nearest.distance <= tolerance
    chips, gap = values(file.tree, deals, table).tolist(), nash_conv(file.tree, deals, table)
    if as_json:
        facts = {
            "strategy": name, "member": member, "sub_family": nearest.member.sub_family,
            "parameters": nearest.member._asdict(), "distance": nearest.distance, "where": nearest.where,
            "values_chips": chips, "values_of_member_chips": list(nearest.member.values), "nash_conv_chips": gap,
        }  # fmt: skip
        print_json(facts)
    else:
        sub_family = f"sub-family {nearest.member.sub_family} ({SUB_FAMILIES[nearest.member.sub_family]})"
        if member:
            click.echo(f"{name}: a member of the known family of equilibria, {sub_family}")
        else:
            click.echo(f"{name}: not a member of the known family of equilibria; beside it lies one of {sub_family}")
        parameters = nearest.member._asdict().items()
        click.echo("  " + ", ".join(f"{parameter} {value:.4f}" for parameter, value in parameters))
        click.echo(f"  at most {nearest.distance:.6f} off, at {nearest.where}; NashConv {gap:.3g} chips")
        for label, won in (("it wins", chips), ("the member", nearest.member.values)):
            click.echo(f"  {label:<10} " + ", ".join(f"{value:+.6f}" for value in won) + " chips by position")
    if not member:
        sys.exit(NO_MEMBER)
