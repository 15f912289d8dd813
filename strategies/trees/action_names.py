"""Actions in a reader's words: `check`, `bet 5`, `raise 18`, `all-in`."""

import re

import numpy as np

from limpet.strategies.trees.betting import BettingTree
from limpet.strategies.trees.menu import all_in, street_start

_SIZED = re.compile(r"(?:bet|raise)(?: +(?:to +)?(?P<number>\d+(?:\.\d+)?|\.\d+)(?P<percent> ?%)?)?")


def action_names(tree: BettingTree, node: int, chip: float = 1.0) -> tuple[str, ...]:
    """Return the names of a node's actions in edge order.

    A bet or raise is named by the chips that it puts in on this street, times `chip`, a chip's value in the reader's money.
    """
    state = tree.state(node)
    start, top = street_start(state), all_in(state)
    names = []
    for action in tree.actions(node):
        if action.kind == "f":
            names.append("fold")
        elif action.kind == "c":
            names.append("call" if state.to_call else "check")
        elif not action.size:
            names.append("raise" if state.to_call else "bet")
        elif action.size >= top:
            names.append("all-in")
        else:
            amount = f"{(action.size - start) * chip:.10g}"
            names.append(f"raise {amount}" if state.max_spent > start else f"bet {amount}")
    return tuple(names)


def find_action(tree: BettingTree, node: int, text: str, chip: float = 1.0) -> int:
    """Return the index, in edge order, of the action of a node that `text` means.

    Besides the names: ``bet 50%`` is the bet nearest to half the pot (after calling), if it is within one chip; ``bet`` or
    ``raise`` alone is enough where there is one such action besides all-in; both words mean the same. Raises ValueError
    naming the node's actions.
    """
    names = action_names(tree, node, chip)
    normalised = " ".join(text.lower().replace("allin", "all-in").replace("all in", "all-in").split())
    if normalised in names:
        return names.index(normalised)
    if match := _SIZED.fullmatch(normalised):
        sizes = np.array([action.size for action in tree.actions(node)])
        if match["number"] is None:
            sized = [i for i, name in enumerate(names) if name.startswith(("bet", "raise"))]
            if len(sized) == 1:
                return sized[0]
        elif (sizes > 0).any():
            state, number = tree.state(node), float(match["number"])
            if match["percent"]:
                target = state.max_spent + number / 100 * (state.pot + state.to_call)
            else:
                target = street_start(state) + number / chip
            nearest = int(np.argmin(np.where(sizes > 0, abs(sizes - target), np.inf)))
            if abs(sizes[nearest] - target) < (1.0 if match["percent"] else 0.5):
                return nearest
    raise ValueError(f"{text!r} is no action here; there are {', '.join(names)}")
