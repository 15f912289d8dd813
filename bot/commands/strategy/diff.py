"""``limpet strategy diff``: shows where two strategies differ, and how much that matters."""

import click

from limpet.bot.commands.options import json_option, option, quiet_option, seed_option
from limpet.bot.commands.parameters import MOST_BOARDS, STRATEGY, Whole
from limpet.bot.commands.progress import progress
from limpet.bot.commands.terminal import print_json
from limpet.configs.loading import mistakes
from limpet.strategies.holdem.blueprint.named import open_named


@click.command(
    epilog="""\b
Examples:
  limpet strategy diff old new
  limpet strategy diff old new --boards 40 --lines 30 --json

\b
Exit status: 0 compared, alike or not; 2 they are for two games, or there is no such strategy."""
)
@click.argument("first", type=STRATEGY)
@click.argument("second", type=STRATEGY)
@option("--boards", "Boards to compare on.", Whole(1, MOST_BOARDS), default=4)
@option("--lines", "Decisions to list.", Whole(min=0), default=12)
@seed_option()
@json_option()
@quiet_option
def diff(first: str, second: str, boards: int, lines: int, seed: int, as_json: bool, quiet: bool) -> None:
    """Show where two strategies differ, and how much that matters.

    Bettings that both trees have are compared hand by hand on sampled boards (on all, in small games), so that menus and
    card abstractions may differ. The distance of two rows is half the sum of their differences: 0 is alike, 1 is never
    the same action. Decisions count by how often they come up when both players play FIRST.
    """
    from limpet.strategies.holdem.blueprint.difference import difference

    with mistakes():
        one, two = open_named(first), open_named(second)
        with progress("comparing", "boards", quiet) as report:
            result = difference(one, two, boards, seed, report)
    if as_json:
        streets = [
            {"round": number, "decisions_a_hand": street.reach, "shared": street.shared, "distance": street.distance}
            for number, street in enumerate(result.streets)
        ]
        nodes = [node._asdict() for node in result.nodes[:lines]]
        print_json({"boards": result.boards, "exact": result.exact, "streets": streets, "nodes": nodes})
        return
    click.echo(
        f"{first} (first) against {second} on {result.boards:,} {'boards, all there are' if result.exact else 'boards'}"
    )
    click.echo("round  decisions a hand  in both trees  distance")
    for number, street in enumerate(result.streets):
        part = 100 * street.shared / street.reach if street.reach else 0.0
        click.echo(f"{number:<5}  {street.reach:16.3f}  {part:11.1f} %  {street.distance:8.4f}")
    apart = [node for node in result.nodes if node.distance > 0][:lines]
    if apart:
        click.echo("\nwhat adds most: how often, how far apart, what the first and the second do")
    for node in apart:
        of_both = zip(node.actions, node.first, node.second, strict=True)
        actions = ", ".join(f"{action} {100 * a:.1f}/{100 * b:.1f}" for action, a, b in of_both)
        click.echo(f"  {node.betting or '(start)':<16} {100 * node.reach:6.2f} %  {node.distance:.4f}  {actions}")
