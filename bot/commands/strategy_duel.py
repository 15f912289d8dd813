"""``limpet strategy duel``: what one strategy wins from another."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from limpet.bot.commands.parameters import MOST_BOARDS, Real, Whole
from limpet.bot.commands.strategy_options import (
    as_json_option,
    named_folder,
    open_named,
    quiet_option,
    record_option,
    seed_option,
    threads_option,
)
from limpet.bot.commands.terminal import numbers, progress, told
from limpet.configs.loading import ConfigError, mistakes

if TYPE_CHECKING:
    from limpet.strategies.blueprint.seat import Passive, Seat
    from limpet.strategies.statistics.estimate import Estimate

PASSIVE = ("call", "fold")


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
@click.argument("first")
@click.argument("second")
@click.option("--boards", type=Whole(1, MOST_BOARDS), default=200, show_default=True, help="Boards to play on.")
@click.option(
    "--translation", default="pseudo-harmonic", show_default=True, help="How both read bets; see player 'blueprint'."
)
@click.option("--purify", is_flag=True, help="FIRST takes only its likeliest actions.")
@click.option("--threshold", type=Real(0, 1, max_open=True), default=0.0, help="FIRST drops rarer actions.")
@record_option
@seed_option
@threads_option
@as_json_option
@quiet_option
def duel(
    first: str, second: str, boards: int, translation: str, purify: bool, threshold: float, record: bool,
    seed: int, threads: int | None, as_json: bool, quiet: bool,
) -> None:  # fmt: skip
    """Work out what FIRST wins from SECOND in both seats, with a 95 % interval.

    On each sampled board all hands play against all hands, with every action and every coin of a translation weighed by
    its probability: only the boards are left to chance, so a few hundred say more than a million dealt hands. Small
    games are worked out on all boards, exactly.
    """
    import os

    from limpet.strategies.abstraction.translation import METHODS
    from limpet.strategies.blueprint.seat import Passive, open_seats
    from limpet.strategies.measures.duels.duel import duel as play

    if translation not in METHODS:
        raise ConfigError(f"--translation {translation}: no such method; there are {', '.join(METHODS)}")
    if record and ("," in first or first in PASSIVE):
        raise ConfigError(
            f"--record: {first} has no manifest to write into; name one strategy for both positions first"
        )
    with mistakes():
        names = [first.split(","), second.split(",")]
        game = next((open_named(each[0]).game for each in names if each[0] not in PASSIVE), None)
        if game is None:
            raise ConfigError("name at least one strategy: its game is what is played")
        contenders: list[Any] = []
        for each, own in zip(names, (True, False), strict=True):
            if each[0] in PASSIVE:
                contenders.append((Passive("fold" if each[0] == "fold" else "call"),) * 2)
                continue
            folders = tuple(str(named_folder(name)) + "/" for name in each)
            contenders.append(
                open_seats(game, folders, Path("."), translation, "up", threshold if own else 0.0, purify and own)
            )
        with progress("playing", "boards", quiet) as report:
            found = play(game, contenders[0], contenders[1], boards, seed, threads or os.cpu_count() or 1, report)
        if record:
            options = f" --translation {translation}" * (translation != "pseudo-harmonic")
            options += " --purify" * purify + f" --threshold {threshold:g}" * (threshold > 0)
            _record(contenders, found.both, options, "" if found.exact else f" --boards {boards} --seed {seed}")
    unit = 1000 / game.big_blind
    if as_json:
        facts = {
            "first": first, "second": second, "boards": found.both.samples, "exact": found.exact, "seed": seed,
            "mbb_per_game": numbers(found.both, unit),
            "by_position": [numbers(seat, unit) for seat in found.seats], "off_tree": found.off_tree,
        }  # fmt: skip
        click.echo(json.dumps(facts))
        return
    click.echo(f"{first} wins {told(found.both, unit)} mbb/g from {second}")
    for position, seat in enumerate(found.seats):
        click.echo(f"  in position {position}: {told(seat, unit)}")
    how = "all boards, exact" if found.exact else f"{found.both.samples:,} boards, 95 % interval"
    click.echo(f"  {how}; {100 * found.off_tree:.3f} % of the hands left a tree")


def _record(contenders: "Sequence[Sequence[Seat | Passive]]", found: "Estimate", options: str, samples: str) -> None:
    """Into the manifest of the first, under the names that the manifests give: a path says little elsewhere."""
    from limpet.strategies.blueprint.record import record as record_quality
    from limpet.strategies.blueprint.seat import Passive

    mine = contenders[0][0]
    assert not isinstance(mine, Passive)
    names = [seat.kind if isinstance(seat, Passive) else seat.file.manifest.name for seat in contenders[1]]
    other = ",".join(dict.fromkeys(names))
    what = f"duel_{other}" + options.replace(" --", "_").replace(" ", "_")
    command = f"limpet strategy duel {mine.file.manifest.name} {other}{samples}{options}"
    record_quality(mine.file, what, command, {what: found})
