"""A spot as the page's form has it, and as the text of a spot's file."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from heapq import heapreplace
from pathlib import Path
from typing import Any, get_args

import msgspec

from limpet.configs.fitting import Misfit, fit
from limpet.configs.loading import ConfigError, Document, shipped_names, yaml_text
from limpet.strategies.cards.boards import Merge
from limpet.strategies.holdem.solutions.spot import Spot, Storage, load_spot, spot_lines
from limpet.strategies.solvers.schedule import Name
from limpet.strategies.solvers.vector.hand_groups import DISTANCES, IDENTITIES

CHOICES: dict[str, tuple[str, ...]] = {
    "algorithm": get_args(Name), "storage": get_args(Storage), "merge": get_args(Merge),
    "distance": DISTANCES, "identity": IDENTITIES,
}  # fmt: skip
"""Words among which keys of a spot's file choose."""
FIELDS = {
    "stack": "stacks behind", "ranges.0": "range out of position", "ranges.1": "range in position", "target": "stop at exploitability",
    "seconds": "stop after seconds", "iterations": "stop after iterations", "big_blind": "big blind", "chip": "smallest chip",
    "merge": "next cards that are one", "menu": "bets", "rake": "rake",
}  # fmt: skip
"""Names of the form's fields by the keys of a spot's file, where they differ."""
SECONDS_PER_ROW, SECONDS_PER_ACTION = 1.45e-9, 2.7e-7
"""Time of an iteration of one thread alone: so much for each entry of the regret table, and for each action on each board.

Fitted to 11 spots that ship, which take 0.77 to 1.28 times as long; below 0.1 ms an iteration takes up to 0.05 ms more.
"""
GROUPED = 3.0
"""How many times as long an iteration takes with hands in groups: measured 2.4 to 4.5 on four spots."""
BESIDE = 0.9
"""Speed of a thread beside others, one alone being 1: measured with two, 0.90 to 0.99 on turns and flops of over 4 ms an iteration."""
MEASURED = 2
"""Number of threads up to which times are measured; beyond, that they are as fast beside each other is a guess."""


def shipped_form(name: str) -> dict[str, Any]:
    """Return a spot that ships as a form has it. Raises `ConfigError` for another name."""
    if name not in (names := shipped_names("spots")):
        raise ConfigError(f"there is no spot {name!r} among those that ship: {', '.join(names)}")
    return spot_form(load_spot(name))


def spot_form(spot: Spot) -> dict[str, Any]:
    """Return a spot as plain data with the keys of a spot's file; parameters, which may be infinite, as text."""
    plain: dict[str, Any] = msgspec.to_builtins(spot)
    return plain | {"parameters": yaml_text(spot.parameters).strip()[1:-1]}


def spot_of(form: dict[str, Any]) -> Spot:
    """Return the spot that a form says. Raises `ConfigError` naming the field that is wrong, and `MemoryError`."""
    with _named():
        spot = _fitting(form)
        spot.check()
    spot.size().require()
    return spot


def spot_cost(form: dict[str, Any], processes: int = 1) -> dict[str, Any]:
    """Return the tree's size and the memory of a solve in words, and about how long an iteration takes. Raises as `spot_of` does.

    `threads` is the number of threads that have work, and `guess` whether times on so many were never measured. `batch_seconds`
    is the time of an iteration for each board of a batch, whose boards so many processes share, and `batch_guess` as `guess`.
    """
    spot = spot_of(form)
    size = spot.size()
    cores = msgspec.structs.replace(spot, threads=None).used_threads
    alone = spot.threads or (1 if processes > 1 else cores)  # as `limpet solve --batch` does
    one = size.memory.rows * SECONDS_PER_ROW + size.actions * SECONDS_PER_ACTION
    if spot.hand_groups is not None:
        one *= GROUPED

    def on(threads: int, processes: int) -> tuple[int, float]:
        """Return the threads of a solve that have work, and its seconds beside others; divided by the solves at a time."""
        working = max(1, min(threads, cores, len(size.parts)))
        at_a_time = max(1.0, min(processes, cores / working))
        speed = BESIDE if working * at_a_time > 1 else 1.0
        return working, one * _longest_share(size.parts, working) / speed / at_a_time

    threads, seconds = on(spot.used_threads, 1)
    working, batch_seconds = on(alone, processes)
    return {
        "lines": list(spot_lines(spot, size))[1:],
        "threads": threads,
        "seconds": seconds,
        "guess": threads > MEASURED,
        "batch_seconds": batch_seconds,
        "batch_guess": min(processes * working, cores) > MEASURED,
    }


def _longest_share(parts: Sequence[int], threads: int) -> float:
    """Return the share of all work that the busiest thread does, where each takes the next part once it is free."""
    if not parts:
        return 1.0
    done = [0] * threads
    for part in parts:
        heapreplace(done, done[0] + part)
    return max(done) / sum(parts)


def spot_text(form: dict[str, Any]) -> str:
    """Return a spot's file with what a form says, without what goes without saying. Raises `ConfigError` as `spot_of` does."""
    with _named():
        spot = _fitting(form)
    return yaml_text(_said(spot))


def _said(value: object) -> object:
    """Return a value as plain data, without the fields of structs that have their usual value."""
    if isinstance(value, msgspec.Struct):
        return {
            field.name: _said(own)
            for field in msgspec.structs.fields(value)
            if (own := getattr(value, field.name)) not in _usual(field)
        }
    if isinstance(value, tuple):
        return [_said(part) for part in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _usual(field: msgspec.structs.FieldInfo) -> tuple[object, ...]:
    """Return the value of a field that is left out; nothing where it must be given."""
    if field.default_factory is not msgspec.NODEFAULT:
        return (field.default_factory(),)
    return () if field.required else (field.default,)


def read_form(text: str) -> dict[str, Any]:
    """Return the spot that the text of a spot's file says, as a form has it. Raises `ConfigError` with the line, and `MemoryError`."""
    return spot_form(load_spot(Document.parse(text, Path("the text"))))


@contextmanager
def _named() -> Iterator[None]:
    """Raise a `Misfit` from the block as a `ConfigError` that begins with the field's name."""
    try:
        yield
    except Misfit as misfit:
        key = ".".join(str(key) for key in misfit.keys)
        where = FIELDS.get(key) or FIELDS.get(key.partition(".")[0], key)
        if misfit.keys[:1] == ("locks",) and len(misfit.keys) > 1:
            where = f"Lock {int(misfit.keys[1]) + 1}"
        raise ConfigError(f"{where}: {misfit}" if where else str(misfit)) from misfit


def _fitting(form: dict[str, Any]) -> Spot:
    """Return the spot that a form says, not checked. Raises `Misfit`."""
    if isinstance(text := form.get("parameters"), str):
        form = form | {"parameters": Document.parse(f"{{{text}}}", Path("parameters")).data}
    return fit(form, Spot)
