"""Node locking: one player's strategy at a node of a spot, held fixed while the rest is solved."""

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.protocol.cards import cards_text
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.ranges import parse_range
from limpet.strategies.trees.betting import BettingTree
from limpet.strategies.trees.lines import ANY_CARD, action_names, find_action, find_node

REST = "rest"


class Lock(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A fixed strategy of the player to act at a node.

        after: [check, bet 50%]              # the node: actions from the start of the spot, and cards if need be
        play: {fold: 0.3, call: rest}        # how often every hand takes each action

    Attributes:
        play: for each action a frequency for all hands, or a range whose weights are its hands' frequencies; ``rest``
            takes the frequency that the other actions leave. Actions not named are never taken. The frequencies of each
            hand in the player's range must add up to 1.
        after: actions as in `action_names`, with a turn or river card where its street begins; without the card, the
            lock holds on every card.
    """

    play: dict[str, float | str]
    after: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class LockedNode:
    """A lock at its node of a tree.

    Attributes:
        node: decision of the tree.
        cards: a card id for each card dealt since the root, or `ANY_CARD`.
        rows: float32 ``[actions, 1326]``: probabilities; columns sum to 1. Hands that the player cannot have, and that the
            lock does not name, take all actions equally often.
    """

    node: int
    cards: tuple[int, ...]
    rows: NDArray[np.float32]

    def holds_on(self, board: Sequence[int]) -> bool:
        """Return whether the lock is for a board of its street; the root's cards come first."""
        dealt = board[len(board) - len(self.cards) :]
        return all(card in (ANY_CARD, dealt_card) for card, dealt_card in zip(self.cards, dealt, strict=True))


def find_lock(tree: BettingTree, lock: Lock, ranges: NDArray[np.float32], chip: float = 1.0) -> LockedNode:
    """Find a lock's node and work out its rows.

    Args:
        ranges: ``[players, 1326]``: weights at the root.
        chip: value of a chip in the lock's unit of money.

    Raises ValueError (`RangeError` among them) naming the item that does not fit and what would.
    """
    place = find_node(tree, lock.after, chip, open_cards=True)
    node, cards = place.node, place.board[len(tree.root.board) :]
    rows = _rows(tree, node, lock.play, chip)
    total = rows.sum(axis=0)
    blocked = hand_space().blocked([*tree.root.board, *(card for card in cards if card != ANY_CARD)])
    off = abs(total - 1) > 1e-4
    wrong = np.flatnonzero(off & ~blocked & (ranges[tree.player[node]] > 0))
    if len(wrong):
        hand = cards_text(hand_space().cards(int(wrong[0]))[::-1])
        raise ValueError(
            f"the frequencies of {hand} add up to {total[wrong[0]]:g}; make it 1, or write '{REST}' for one action"
        )
    rows[:, off] = 1
    return LockedNode(node, cards, (rows / rows.sum(axis=0)).astype(np.float32))


def _rows(tree: BettingTree, node: int, play: dict[str, float | str], chip: float) -> NDArray[np.float64]:
    """Return ``[actions, 1326]``: the frequencies of `Lock.play`, as they are written."""
    rows = np.zeros((len(tree.actions(node)), hand_space().size))
    rest, taken = None, set()
    for text, how in play.items():
        action = find_action(tree, node, text, chip)
        if action in taken:
            name = action_names(tree, node, chip)[action]
            raise ValueError(f"{text!r} is {name} once more; name each action once")
        taken.add(action)
        if how == REST and rest is not None:
            raise ValueError(f"two actions have '{REST}'; only one can have what the others leave")
        if how == REST:
            rest = action
        elif isinstance(how, str):
            rows[action] = parse_range(how)
        elif 0 <= how <= 1:
            rows[action] = how
        else:
            raise ValueError(f"{text}: {how:g} is no frequency; write a number from 0 to 1, a range, or '{REST}'")
    if rest is not None:
        rows[rest] = np.where(rows.sum(axis=0) > 1 + 1e-4, 0, np.maximum(0, 1 - rows.sum(axis=0)))
    return rows
