"""Solves a spot in one call: which spot, which limits, which decisions of the answer."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from limpet.configs.fitting import Misfit
from limpet.configs.loading import ConfigError, Document
from limpet.strategies.solutions.answer import Answer, answer
from limpet.strategies.solutions.run import Solve, prepare
from limpet.strategies.solutions.spot import Spot, load_spot
from limpet.strategies.solutions.spot_size import spot_size
from limpet.strategies.trees.lines import BoardNode, find_node, first_street, split_line


def solve(
    spot: str | Path | Spot | None = None, at: Sequence[str] = (), report: Callable[[Solve], None] = lambda solve: None,
    stop: Callable[[], bool] = lambda: False, **fields: Any,
) -> Answer:  # fmt: skip
    """Return the equilibrium of a spot with its first decision, and those `at` lines such as ``"check, bet 50%"``.

    Args:
        spot: name of one that ships, a file, or a `Spot`; None for a spot made of `fields` alone.
        at: lines of actions, and of cards where a street begins, between commas.
        report: called after every measurement of the exploitability.
        stop: asked now and then whether to end early.
        fields: fields of `Spot` in place of the spot's own: board, pot, stack, ranges, menu, target, threads and so on.

    Raises `ConfigError` for a spot or a line that is wrong, and `MemoryError` for a tree that does not fit.
    """
    loaded = spot_with(spot, fields)
    spot_size(loaded).require()
    places = find_decisions(loaded, at)
    running = prepare(loaded)
    running.run(report, stop)
    return answer(running, places)


def spot_with(spot: str | Path | Spot | None, fields: Mapping[str, Any]) -> Spot:
    """Return a spot with some fields in place of its own; a new algorithm brings its own parameters. Raises `ConfigError`."""

    def changed(base: Spot | None) -> Spot:
        if base is not None and not fields:
            return base
        usual: dict[str, Any] = {"parameters": {}} if "algorithm" in fields else {}
        data = {} if base is None else msgspec.to_builtins(base)
        return Document.of(data | usual | msgspec.to_builtins(fields), "spot").decode(Spot)

    if isinstance(spot, str | Path):
        spot = load_spot(spot, before_tree=lambda named: spot_size(changed(named)).require())
    made = changed(spot)
    try:
        made.check(lambda spot: spot_size(spot).require())
    except Misfit as misfit:
        raise Document.of({}, "spot").error(misfit.keys, str(misfit)) from misfit
    return made


def find_decisions(spot: Spot, lines: Sequence[str], whole_street: bool = False) -> list[BoardNode]:
    """Return the first decision, or all of the first street, and those after lines. Raises `ConfigError` for a wrong line."""
    decisions = first_street(spot.tree, spot.chip_size) if whole_street else [find_node(spot.tree, ())]
    for line in lines:
        try:
            decisions.append(find_node(spot.tree, split_line(line), spot.chip_size))
        except ValueError as error:
            raise ConfigError(f"line {line!r}: {error}") from error
    return decisions
