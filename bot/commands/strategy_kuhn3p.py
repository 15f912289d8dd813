"""``limpet strategy kuhn3p``: which known equilibrium of three-player Kuhn poker a strategy is."""

import json
import sys

import click

from limpet.bot.commands.parameters import Real
from limpet.bot.commands.strategy_options import as_json_option, open_named
from limpet.configs.loading import mistakes

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
@click.option(
    "--tolerance", type=Real(min=0), default=0.005, show_default=True,
    help="How far every probability of a member may be off.",
)  # fmt: skip
@as_json_option
def kuhn3p(name: str, tolerance: float, as_json: bool) -> None:
    """Say which equilibrium a strategy for three-player Kuhn poker is, of the family found by Szafron, Gibson and
    Sturtevant (2013), and how far it is from it.

    All members are equilibria; which one is played decides how much position 0 gives to position 2.
    """
    from limpet.configs.loading import load_game
    from limpet.strategies.measures.duels.kuhn3p_family import fit, read_bets
    from limpet.strategies.solving.tabular.deals import enumerate_deals
    from limpet.strategies.solving.tabular.exploitability import nash_conv, values

    with mistakes():
        file = open_named(name)
        file.check_game(load_game("kuhn.limit.3p"))
        if file.manifest.cards.__struct_config__.tag != "lossless" or len(file.tree.decisions) != 12:
            raise ValueError(f"{name}: not a whole strategy for the game; train it with lossless cards and no menu")
    table, deals = file.probabilities(), enumerate_deals(file.game)
    found = fit(read_bets(file.tree, table))
    member = found.distance <= tolerance
    chips, gap = values(file.tree, deals, table).tolist(), nash_conv(file.tree, deals, table)
    if as_json:
        facts = {
            "strategy": name, "member": member, "sub_family": found.member.sub_family,
            "parameters": found.member._asdict(), "distance": found.distance, "where": found.where,
            "values_chips": chips, "values_of_member_chips": list(found.member.values), "nash_conv_chips": gap,
        }  # fmt: skip
        click.echo(json.dumps(facts))
    else:
        sub_family = f"sub-family {found.member.sub_family} ({SUB_FAMILIES[found.member.sub_family]})"
        if member:
            click.echo(f"{name}: a member of the known family of equilibria, {sub_family}")
        else:
            click.echo(f"{name}: not a member of the known family of equilibria; beside it lies one of {sub_family}")
        told = ", ".join(f"{parameter} {value:.4f}" for parameter, value in found.member._asdict().items())
        click.echo(f"  {told}")
        click.echo(f"  at most {found.distance:.6f} off, at {found.where}; NashConv {gap:.3g} chips")
        for who, of in (("it wins", chips), ("the member", found.member.values)):
            click.echo(f"  {who:<10} " + ", ".join(f"{value:+.6f}" for value in of) + " chips by position")
    if not member:
        sys.exit(NO_MEMBER)
