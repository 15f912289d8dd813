"""``limpet strategy show``: prints what a strategy is for, how it was made and how large it is."""

from pathlib import Path
from typing import Any

import click
import msgspec

from limpet.bot.commands.options import json_option
from limpet.bot.commands.terminal import print_json
from limpet.configs.loading import mistakes, yaml_text
from limpet.strategies.blueprint.named import any_folder, kind_of, open_named


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
        draw = kind_of(folder) == "draw"
    if draw:
        _show_draw(folder, as_json)
        return
    from limpet.strategies.blueprint.facts import strategy_facts

    with mistakes():
        file = open_named(name)
        facts = strategy_facts(file)
    manifest, start = file.manifest, facts["first_decision"]
    if as_json:
        print_json({"manifest": msgspec.to_builtins(manifest), **facts}, indent=2)
        return
    click.echo(yaml_text(msgspec.to_builtins(manifest)), nl=False)
    click.echo(f"\nfolder: {file.folder}")
    click.echo(
        f"tree: {facts['nodes']:,} nodes, {facts['decisions']:,} decisions "
        f"({', '.join(f'{count:,}' for count in facts['decisions_by_round'])} by round)"
    )
    click.echo(f"buckets: {', '.join(f'{count:,}' for count in facts['buckets_by_round'])} by round")
    click.echo(f"stored: {facts['numbers']:,} numbers of {manifest.bits} bits in {manifest.size:,} bytes")
    click.echo(f"never reached in training: {facts['untrained_percent']:.2f} % of {manifest.rows:,} rows")
    click.echo(f"made again: {facts['provenance']}")
    _echo_first(start)


def _show_draw(folder: Path, as_json: bool) -> None:
    """Print a strategy of five-card draw."""
    from limpet.protocol.state import State
    from limpet.strategies.draw.hands import all_hands
    from limpet.strategies.draw.playing.draw_file import DrawStrategyFile, draw_training_repeats
    from limpet.strategies.draw.playing.draw_game import legal_actions

    with mistakes():
        file = DrawStrategyFile.open(folder)
    trees, start = file.trees, State.start(file.game)
    repeats, made = draw_training_repeats(file.manifest)
    parts = file.betting(0) @ all_hands().weights
    facts: dict[str, Any] = {
        "folder": str(folder),
        "decisions_by_round": [len(trees.first.decisions), len(trees.second.decisions)],
        "draws": len(trees.continuations),
        "second_rounds": trees.leaves,
        "rows": file.rows,
        "repeats": repeats,
        "provenance": made,
        "first_decision": {
            "position": start.actor,
            "actions": {
                str(action): round(float(part), 6) for action, part in zip(legal_actions(start), parts, strict=True)
            },
        },
    }
    if as_json:
        print_json({"manifest": msgspec.to_builtins(file.manifest), **facts}, indent=2)
        return
    click.echo(yaml_text(msgspec.to_builtins(file.manifest)), nl=False)
    click.echo(f"\nfolder: {folder}")
    first, second = facts["decisions_by_round"]
    click.echo(
        f"first round: {first} decisions; {facts['draws']} draws of each player; second round: {second} decisions in each "
        f"of {trees.leaves} by the betting and the discards before it"
    )
    click.echo(f"stored: {file.rows:,} rows in {file.manifest.size:,} bytes")
    click.echo(f"made again: {made}")
    _echo_first(facts["first_decision"])


def _echo_first(decision: dict[str, Any]) -> None:
    """Print how often a strategy takes each action at the start of a hand."""
    line = ", ".join(f"{action} {100 * part:.1f} %" for action, part in decision["actions"].items())
    click.echo(f"first decision, position {decision['position']}: {line}")
