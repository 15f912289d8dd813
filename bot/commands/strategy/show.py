"""``limpet strategy show``: prints what a strategy is for, how it was made and how large it is."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
import msgspec

from limpet.bot.commands.options import json_option
from limpet.bot.commands.terminal import print_json
from limpet.configs.loading import mistakes, yaml_text
from limpet.protocol.state import Action, State
from limpet.strategies.holdem.blueprint.named import any_folder, kind_of, open_named

Shown = tuple[msgspec.Struct, dict[str, Any], list[str]]
"""The manifest of a strategy, facts for JSON, and lines for a reader."""


@click.command(
    epilog="""\b
Examples:
  limpet strategy show kuhn
  limpet strategy show ./my/folder --json

\b
Exit status: 0 shown; 2 there is no such strategy or it is damaged, and one line says why."""
)
@click.argument("name")
@json_option()
def show(name: str, as_json: bool) -> None:
    """Print what a strategy is for, how it was made, how large it is, and what it does at the start of a hand."""
    with mistakes():
        folder = any_folder(name)
        manifest, facts, lines = _draw_strategy(folder) if kind_of(folder) == "draw" else _strategy(name)
    if as_json:
        print_json({"manifest": msgspec.to_builtins(manifest), **facts}, indent=2)
        return
    click.echo(yaml_text(msgspec.to_builtins(manifest)), nl=False)
    click.echo("\n".join(["", f"folder: {folder}", *lines, f"made again: {facts['provenance']}"]))
    first = facts["first_decision"]
    line = ", ".join(f"{action} {100 * part:.1f} %" for action, part in first["actions"].items())
    click.echo(f"first decision, position {first['position']}: {line}")


def _strategy(name: str) -> Shown:
    """Return what is shown of a strategy with a betting tree."""
    from limpet.strategies.holdem.blueprint.look import look
    from limpet.strategies.holdem.blueprint.strategy_file import training_repeats

    file = open_named(name)
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
    return manifest, facts, lines


def _draw_strategy(folder: Path) -> Shown:
    """Return what is shown of a strategy of five-card draw."""
    from limpet.strategies.draw.draw_file import DrawStrategyFile, draw_training_repeats, legal_actions
    from limpet.strategies.draw.hands import all_hands

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
    return file.manifest, facts, lines


def _first_decision(position: int, actions: Iterable[Action], shares: Iterable[float]) -> dict[str, Any]:
    parts = zip(actions, shares, strict=True)
    return {"position": position, "actions": {str(action): round(float(part), 6) for action, part in parts}}
