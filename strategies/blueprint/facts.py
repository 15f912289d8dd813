"""Facts about a strategy file: how large it is, whether its training repeats, and how a hand begins."""

from typing import Any

from limpet.strategies.blueprint.look import look
from limpet.strategies.blueprint.strategy_file import StrategyFile, training_repeats


def strategy_facts(file: StrategyFile) -> dict[str, Any]:
    """Return how large a strategy is, whether its training repeats here, and what it does at the start of a hand."""
    manifest, tree = file.manifest, file.tree
    start = look(file)
    repeats, made = training_repeats(manifest)
    rounds = tree.round[tree.decisions]
    return {
        "folder": str(file.folder),
        "nodes": tree.num_nodes,
        "decisions": len(tree.decisions),
        "decisions_by_round": [int((rounds == round_).sum()) for round_ in range(file.game.num_rounds)],
        "buckets_by_round": [int(file.cards.num_buckets(round_)) for round_ in range(file.game.num_rounds)],
        "numbers": len(file.stored),
        "repeats": repeats,
        "provenance": made,
        "untrained_percent": round(100 * manifest.untrained_rows / max(manifest.rows, 1), 3),
        "first_decision": {
            "position": start.position,
            "actions": {
                str(action): round(float(part), 6)
                for action, part in zip(tree.actions(0), start.frequencies, strict=True)
            },
        },
    }
