"""A strategy's folder, of whichever subject: its description, and whether it is whole."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from limpet.common.folders import data_folder
from limpet.common.provenance import SOLVING, repeatable
from limpet.protocol.state import Action, State
from limpet.strategies.abstraction.card_tables import compare_tables
from limpet.strategies.abstraction.cards import Lossless
from limpet.strategies.draw.draw_file import (
    DrawStrategyFile,
    draw_training_repeats,
    legal_actions,
    verify_draw_strategy,
)
from limpet.strategies.draw.hands import all_hands
from limpet.strategies.holdem.blueprint.look import look
from limpet.strategies.holdem.blueprint.named import any_folder, kind_of, named_folder
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile, training_repeats, verify_strategy
from limpet.strategies.holdem.solutions.solution_file import SolutionFile


class Description(NamedTuple):
    """A description of a strategy: its purpose, how it was made and how large it is.

    Attributes:
        manifest: the folder's manifest.
        facts: counts, sizes and the first decision, as plain data.
        lines: the facts in words.
    """

    manifest: msgspec.Struct
    facts: dict[str, Any]
    lines: list[str]


def described(name: str) -> Description:
    """Return what is known of a trained strategy. Raises `ConfigError` for a solved spot, `ValueError` for damage."""
    folder = any_folder(name)
    return _drawn(folder) if kind_of(folder) == "draw" else _trained(named_folder(name))


def verified(folder: Path) -> dict[str, Any]:
    """Read every byte of a strategy's folder and check it against its manifest. Raises `ValueError` for a damaged one.

    Returns, as plain data, the numbers of rows and bytes, whether and why making it again gives the same bits, and for buckets
    of hold'em how the card tables here compare.
    """
    kind, tables = kind_of(folder), {}
    if kind == "solution":
        solution = SolutionFile.open(folder).manifest  # reads all of it
        rows, size = solution.rows, solution.size
        # Sums do not depend on threads.
        repeats, made = repeatable(solution.code, solution.versions, SOLVING, threads=1)
    elif kind == "draw":
        draw = verify_draw_strategy(folder)
        rows, size = draw.rows, draw.manifest.size + draw.manifest.network_size
        repeats, made = draw_training_repeats(draw.manifest)
    else:
        file = verify_strategy(folder)
        manifest = file.manifest
        rows, size, (repeats, made) = manifest.rows, manifest.size, training_repeats(manifest)
        if not isinstance(manifest.cards, Lossless):
            same, comparison = compare_tables(manifest.cards, manifest.tables, data_folder() / "tables", file.cards)
            tables = {"same_tables": same, "tables": comparison}
    return {"rows": rows, "bytes": size, "repeats": repeats, "provenance": made, **tables}


def _trained(folder: Path) -> Description:
    """Return what is known of a strategy with a betting tree."""
    file = StrategyFile.open(folder)
    manifest, tree, start = file.manifest, file.tree, look(file)
    repeats, made = training_repeats(manifest)
    rounds = tree.round[tree.decisions]
    facts: dict[str, Any] = {
        "folder": str(file.folder),
        "nodes": tree.num_nodes,
        "decisions": len(tree.decisions),
        "decisions_by_round": [int((rounds == round_).sum()) for round_ in range(file.game.num_rounds)],
        "buckets_by_round": [int(file.cards.num_buckets(round_)) for round_ in range(file.game.num_rounds)],
        "numbers": len(file.stored),
        "repeats": repeats,
        "provenance": made,
        "untrained_percent": round(100 * manifest.untrained_rows / max(manifest.rows, 1), 3),
        "first_decision": _first_decision(start.position, tree.actions(0), start.frequencies),
    }
    by_round = {of: ", ".join(f"{count:,}" for count in facts[f"{of}_by_round"]) for of in ("decisions", "buckets")}
    lines = [
        f"tree: {facts['nodes']:,} nodes, {facts['decisions']:,} decisions ({by_round['decisions']} by round)",
        f"buckets: {by_round['buckets']} by round",
        f"stored: {facts['numbers']:,} numbers of {manifest.bits} bits in {manifest.size:,} bytes",
        f"never reached in training: {facts['untrained_percent']:.2f} % of {manifest.rows:,} rows",
    ]
    return Description(manifest, facts, lines)


def _drawn(folder: Path) -> Description:
    """Return what is known of a strategy of five-card draw."""
    file = DrawStrategyFile.open(folder)
    trees, start = file.trees, State.start(file.game)
    repeats, made = draw_training_repeats(file.manifest)
    first, second = len(trees.first.decisions), len(trees.second.decisions)
    facts = {
        "folder": str(folder),
        "decisions_by_round": [first, second],
        "draws": len(trees.continuations),
        "second_rounds": trees.leaves,
        "rows": file.rows,
        "repeats": repeats,
        "provenance": made,
        "first_decision": _first_decision(start.actor, legal_actions(start), file.betting(0) @ all_hands().weights),
    }
    lines = [
        f"first round: {first} decisions; {facts['draws']} draws of each player",
        f"second round: {second} decisions in each of {trees.leaves} by the betting and the discards before it",
        f"stored: {file.rows:,} rows in {file.manifest.size:,} bytes",
    ]
    return Description(file.manifest, facts, lines)


def _first_decision(position: int, actions: Iterable[Action], shares: Iterable[float]) -> dict[str, Any]:
    parts = zip(actions, shares, strict=True)
    return {"position": position, "actions": {str(action): round(float(part), 6) for action, part in parts}}
