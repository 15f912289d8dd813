"""Drills by name, by spot, and by the folder of a saved solve."""

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from limpet.configs.loading import ConfigError, mistakes
from limpet.strategies.drills.preflop import SIZES, preflop_drill
from limpet.strategies.drills.questions import ALL, AskedAbout, Drill, PushFoldDrill, SpotDrill
from limpet.strategies.drills.session import drills_folder
from limpet.strategies.holdem.solutions.solve import TABLES, Solve, load_solve, prepare, read_record, spot_size
from limpet.strategies.holdem.solutions.solve_spot import spot_with
from limpet.strategies.holdem.solutions.spot import Spot
from limpet.strategies.shortstacks.solve import check_prizes, pushfold
from limpet.strategies.shortstacks.spot import ShortSpot

Report = Callable[[Solve], None]
Stop = Callable[[], bool]


class NamedDrill(NamedTuple):
    """A drill that ships: decisions of a spot that ships with some of its fields changed, or of the betting before the flop."""

    text: str
    wanted: AskedAbout
    spot: str = ""
    fields: Mapping[str, Any] = {}


NAMED = {
    "preflop": NamedDrill("before the flop, 200 big blinds deep; ready in a few seconds", AskedAbout()),
    "defence": NamedDrill("before the flop, facing a raise; ready in a few seconds", AskedAbout(facing=True)),
    "flops": NamedDrill(
        "flops as the raiser, out of position; ready in half a minute",
        AskedAbout("flop", position=0),
        "f1",
        {"target": 1.0},
    ),
    "turns": NamedDrill(
        "turns with draws on both sides; ready in a few seconds", AskedAbout("turn"), "turn-flush-draw"
    ),
    "rivers": NamedDrill(
        "rivers that face a bet; ready in a second",
        AskedAbout("river", facing=True),
        "f1",
        {"board": "KsTh7s4d2c", "stack": 60, "menu": {"sizes": [[[0.33, 0.75, 1.5]]]}, "target": 0.1},
    ),
}
NUMBER = r"\d{1,6}(?:\.\d{1,6})?"
PUSH_FOLD = re.compile(rf"pushfold-({NUMBER}(?:,{NUMBER})*)(?:\+({NUMBER}))?(?::({NUMBER}(?:,{NUMBER})*))?")
"""Push or fold: heads-up so many big blinds deep, ``pushfold-10``, or with these stacks, the first to act first, each with an
ante, and prizes from the first place down: ``pushfold-8,12,10+0.1:50,30``."""
LIMITS = ("iterations", "seconds", "target", "threads", "note")
"""Fields of a spot that change how well it is solved, and not what is asked."""


class FoundDrill(NamedTuple):
    """A drill that is not solved yet.

    Attributes:
        path: file of its answers.
        begin: solves or loads it, with `report` and `stop` as for `Solve.run`. Raises `ConfigError` and `MemoryError`.
    """

    path: Path
    begin: Callable[[Report, Stop], Drill]


def find_drill(name: str, wanted: AskedAbout = ALL) -> FoundDrill:
    """Return a drill by its name, that of a spot, a spot's file, or the folder of a saved solve.

    wanted: in place of the decisions that a name asks about, where it says anything. Raises `ConfigError`, `ProtocolError`,
    and `MemoryError` for a spot that does not fit.
    """
    if match := PUSH_FOLD.fullmatch(name):
        if wanted != ALL:
            raise ConfigError(
                f"{name} asks about pushes and calls; streets and positions are for drills of solved spots"
            )
        return _push_or_fold(name, *(_numbers(part) for part in match.groups()))
    folder = Path(name)
    if (folder / TABLES).is_file():
        with mistakes():
            path = _path(folder.resolve().name, read_record(folder).spot, wanted)
        return FoundDrill(path, lambda report, stop: SpotDrill(_loaded(folder), wanted))
    named = NAMED.get(name)
    if named is not None:
        wanted = named.wanted if wanted == ALL else wanted
        if not named.spot:
            if wanted.street is not None:
                raise ConfigError(f"{name} asks about decisions before the flop; leave the street out")
            path = _file(name, SIZES, wanted)
            return FoundDrill(path, lambda report, stop: preflop_drill(wanted))
        spot = spot_with(named.spot, dict(named.fields))
    else:
        spot = spot_with(name, {})
    spot_size(spot).require()
    path = _path(Path(name).stem, spot, wanted)
    return FoundDrill(path, lambda report, stop: SpotDrill(_solved(spot, report, stop), wanted))


def _numbers(text: str | None) -> tuple[float, ...]:
    return tuple(map(float, text.split(","))) if text else ()


def _push_or_fold(
    name: str, stacks: tuple[float, ...], ante: tuple[float, ...], prizes: tuple[float, ...]
) -> FoundDrill:
    """Return the drill of short stacks in big blinds, one number for both of two. Raises `ConfigError` and `ProtocolError`."""
    if (depth := max(stacks)) <= 1:
        raise ConfigError(f"{name}: nobody decides anything {depth:g} big blinds deep; write more than 1")
    stacks = stacks if len(stacks) > 1 else stacks * 2
    spot = ShortSpot(stacks, ante=sum(ante), payouts=prizes or None)
    check_prizes(spot)
    usual = ShortSpot((depth, depth)) == spot
    path = drills_folder() / f"pushfold-{depth:g}.json" if usual else _file(name, asdict(spot), ALL)
    return FoundDrill(path, lambda report, stop: PushFoldDrill(pushfold(stacks, ante=spot.ante, payouts=spot.payouts)))


def _loaded(folder: Path) -> Solve:
    with mistakes():
        return load_solve(folder)


def _solved(spot: Spot, report: Report, stop: Stop) -> Solve:
    solve = prepare(spot)
    solve.run(report, stop)
    return solve


def _path(name: str, spot: Spot, wanted: AskedAbout) -> Path:
    return _file(name, {key: value for key, value in msgspec.to_builtins(spot).items() if key not in LIMITS}, wanted)


def _file(name: str, asked: object, wanted: AskedAbout) -> Path:
    """Return the file of a drill, whose name tells apart games and decisions of one name."""
    digest = hashlib.sha256(msgspec.json.encode([asked, asdict(wanted)], order="deterministic")).hexdigest()[:8]
    return drills_folder() / f"{re.sub(r'[^A-Za-z0-9_-]+', '-', name)[:60]}-{digest}.json"
