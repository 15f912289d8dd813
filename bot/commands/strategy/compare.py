"""``limpet strategy diff`` and ``duel``: show where two strategies differ, and measure what one wins from another."""

import click

from limpet.bot.commands.options import json_option, measure_options, option, quiet_option, record_option, seed_option
from limpet.bot.commands.parameters import MOST_BOARDS, STRATEGY, Real, Whole
from limpet.bot.commands.progress import progress
from limpet.bot.commands.terminal import estimate_data, estimate_text, print_json
from limpet.configs.loading import ConfigError, mistakes
from limpet.strategies.abstraction.menu import METHODS
from limpet.strategies.holdem.blueprint.named import PASSIVE, open_contender, open_named


@click.command(
    epilog="""\b
Examples:
  limpet strategy duel new old --boards 1000
  limpet strategy duel hunl-200bb call                    what it wins from one who checks and calls
  limpet strategy duel new old --translation nearest --seed 7 --json
  limpet strategy duel new old --record                  write it into the manifest and model card of new

\b
'call' (checks and calls) and 'fold' (folds to every bet) may stand for a strategy; two names with a comma between are
one for each position. Off its tree a strategy calls.
Exit status: 0 played; 2 they are for two games, or there is no such strategy."""
)
@click.argument("first", type=STRATEGY)
@click.argument("second", type=STRATEGY)
@option("--boards", "Boards to play on.", Whole(1, MOST_BOARDS), default=200)
@option(
    "--translation", "How both translate bets that their trees lack; see player 'blueprint'.", default="pseudo-harmonic"
)
@option("--purify", "FIRST takes only its likeliest actions.", is_flag=True)
@option("--threshold", "FIRST never takes actions that are rarer.", Real(0, 1, max_open=True), default=0.0)
@record_option
@measure_options
def duel(
    first: str, second: str, boards: int, translation: str, purify: bool, threshold: float, record: bool,
    seed: int, threads: int, as_json: bool, quiet: bool,
) -> None:  # fmt: skip
    """Work out what FIRST wins from SECOND in both seats, with a 95 % interval.

    On each sampled board all hands play against all hands, with every action and every coin of a translation weighed by
    its probability: only the boards are left to chance, so a few hundred say more than a million dealt hands. Small
    games are worked out on all boards, exactly.
    """
    from limpet.strategies.holdem.blueprint.blueprint_hand import Passive
    from limpet.strategies.holdem.blueprint.model_card import record as record_quality
    from limpet.strategies.holdem.measures.duel import duel as play

    if translation not in METHODS:
        raise ConfigError(f"--translation {translation}: no such method; there are {', '.join(METHODS)}")
    if record and ("," in first or first in PASSIVE):
        raise ConfigError(
            f"--record: {first} has no manifest to write into; name one strategy for both positions first"
        )
    with mistakes():
        strategies = [name for name in (first, second) if name not in PASSIVE]
        if not strategies:
            raise ConfigError("name at least one strategy: its game is what is played")
        file = open_named(strategies[0].split(",")[0])
        game = file.game
        one = open_contender(game, first, translation=translation, threshold=threshold, purify=purify)
        two = open_contender(game, second, translation=translation)
        with progress("playing", "boards", quiet) as report:
            result = play(game, one, two, boards, seed, threads, report)
        if record:  # of the first strategy, which `file` is then
            # Names that manifests give, not the paths of this disk.
            names = [seat.kind if isinstance(seat, Passive) else seat.file.manifest.name for seat in two]
            other = ",".join(dict.fromkeys(names))
            options = f" --translation {translation}" * (translation != "pseudo-harmonic")
            options += " --purify" * purify + f" --threshold {threshold:g}" * (threshold > 0)
            sample = "" if result.exact else f" --boards {boards} --seed {seed}"
            what = f"duel_{other}" + options.replace(" --", "_").replace(" ", "_")
            command = f"limpet strategy duel {file.manifest.name} {other}{sample}{options}"
            record_quality(file, what, command, {what: result.both})
    both, *seats = (won.scaled(1000 / game.big_blind) for won in (result.both, *result.seats))
    if as_json:
        facts = {
            "first": first, "second": second, "boards": both.samples, "exact": result.exact, "seed": seed,
            "mbb_per_game": estimate_data(both), "by_position": [estimate_data(seat) for seat in seats],
            "off_tree": result.off_tree,
        }  # fmt: skip
        print_json(facts)
        return
    click.echo(f"{first} wins {estimate_text(both)} mbb/g from {second}")
    for position, seat in enumerate(seats):
        click.echo(f"  in position {position}: {estimate_text(seat)}")
    how = "all boards, exact" if result.exact else f"{both.samples:,} boards, 95 % interval"
    click.echo(f"  {how}; {100 * result.off_tree:.3f} % of the hands left a tree")


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
    boards_played = f"{result.boards:,} boards{', all there are' if result.exact else ''}"
    click.echo(f"{first} (first) against {second} on {boards_played}")
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
