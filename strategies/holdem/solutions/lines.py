"""Names of actions, decisions found by lines of actions and cards such as `check, bet 5, call, 2c`, and node locks.

A lock holds one player's strategy at such a decision fixed while the rest is solved.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.protocol.cards import card_id, cards_text
from limpet.protocol.handhistory import at_risk, street_base
from limpet.strategies.abstraction.betting import BettingTree
from limpet.strategies.base.strategy import pot_fraction
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.ranges import parse_range

# --- Actions in a reader's words: `check`, `bet 5`, `raise 18`, `all-in`.

_SIZED = re.compile(r"(?:bet|raise)(?: +(?:to +)?(?P<number>\d+(?:\.\d+)?|\.\d+)(?P<percent> ?%)?)?")


def action_names(tree: BettingTree, node: int, chip: float = 1.0) -> tuple[str, ...]:
    """Return the names of a node's actions in edge order.

    A bet or raise is named by the chips that it puts in on this street, times `chip`, a chip's value in the reader's money.
    """
    state = tree.state(node)
    start, top = street_base(state), at_risk(state, state.actor)
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


def names_in_blinds(tree: BettingTree, node: int) -> tuple[str, ...]:
    """Return the names of a node's actions with sizes in big blinds: ``raise 2.5 bb``."""
    names = action_names(tree, node, 1 / tree.game.big_blind)
    return tuple(f"{name} bb" if name[-1].isdigit() else name for name in names)


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
                target = street_base(state) + number / chip
            nearest = int(np.argmin(np.where(sizes > 0, abs(sizes - target), np.inf)))
            if abs(sizes[nearest] - target) < (1.0 if match["percent"] else 0.5):
                return nearest
    raise ValueError(f"{text!r} is no action here; there are {', '.join(names)}")


ANY_CARD = -1


class BoardNode(NamedTuple):
    """A decision of a tree on a board.

    Attributes:
        node: number of the tree's node.
        board: card ids, the root's first; `ANY_CARD` for a card that a line may leave open.
        words: items of the line to the decision, actions by their full names.
        betting: the line's actions as on the wire, from the start of the spot: ``cr300c/``.
    """

    node: int
    board: tuple[int, ...]
    words: tuple[str, ...] = ()
    betting: str = ""


def split_line(text: str) -> tuple[str, ...]:
    """Return the items of a line, which are separated by commas."""
    return tuple(item for part in text.split(",") if (item := part.strip()))


def find_node(tree: BettingTree, items: Sequence[str], chip: float = 1.0, open_cards: bool = False) -> BoardNode:
    """Follow a line to its decision. `chip`: value of a chip in the line's money.

    Cards stand where their street begins; with `open_cards` they may be left out. Raises ValueError naming the
    item that does not fit and what would.
    """
    place = BoardNode(0, tuple(tree.root.board))
    for item in items:
        missing = _cards_due(tree, place)
        card = card_id(item)
        if card is not None:
            if not missing:
                raise ValueError(f"{_after(place)}: no card is dealt where the line says {item!r}; take it out")
            if card in place.board:
                raise ValueError(f"{_after(place)}: {item!r} is on the board already; name another card")
            place = place._replace(board=(*place.board, card), words=(*place.words, item))
            continue
        if missing and not open_cards:
            raise ValueError(f"{_after(place)}: a card is dealt before {item!r}; name it there, such as 2c")
        place = _act(tree, _any_card(place, missing), item, chip)
    if tree.player[place.node] < 0:
        raise ValueError(f"{_after(place)} nobody acts; end the line before that")
    missing = _cards_due(tree, place)
    if missing and not open_cards:
        raise ValueError(f"{_after(place)} a card is dealt; name it at the end of the line, such as 2c")
    return _any_card(place, missing)


def first_street(tree: BettingTree, chip: float = 1.0) -> list[BoardNode]:
    """Return all decisions on the street that the spot begins with, in the tree's order."""
    places = []
    stack = [BoardNode(0, tuple(tree.root.board))]
    while stack:
        place = stack.pop()
        places.append(place)
        below = [_act(tree, place, name, chip) for name in action_names(tree, place.node, chip)]
        here = tree.round[0]
        stack += [p for p in reversed(below) if tree.player[p.node] >= 0 and tree.round[p.node] == here]
    return places


def pot_fractions(tree: BettingTree, node: int) -> tuple[float | None, ...]:
    """Return the raise over the call ÷ the pot after calling, for each action of a node; None for other actions."""
    state = tree.state(node)
    # A limit game's raise has one size, which the tree leaves out.
    limit = 0 if tree.game.no_limit else state.max_spent + tree.game.raise_size[state.round]
    return tuple(pot_fraction(state, a.size or limit) if a.kind == "r" else None for a in tree.actions(node))


def _act(tree: BettingTree, place: BoardNode, item: str, chip: float) -> BoardNode:
    node = place.node
    if tree.player[node] < 0:
        raise ValueError(f"{_after(place)} nobody acts; end the line before {item!r}")
    try:
        action = find_action(tree, node, item, chip)
    except ValueError as error:
        raise ValueError(f"{_after(place)}: {error}") from None
    child = tree.child(node, action)
    slash = "/" if tree.round[child] > tree.round[node] and tree.player[child] >= 0 else ""
    return BoardNode(
        child,
        place.board,
        (*place.words, action_names(tree, node, chip)[action]),
        f"{place.betting}{tree.actions(node)[action]}{slash}",
    )


def _any_card(place: BoardNode, missing: int) -> BoardNode:
    return place._replace(board=(*place.board, *[ANY_CARD] * missing))


def _cards_due(tree: BettingTree, place: BoardNode) -> int:
    return tree.game.board_sizes[int(tree.round[place.node])] - len(place.board) if tree.player[place.node] >= 0 else 0


def _after(place: BoardNode) -> str:
    return f"after {', '.join(place.words)}" if place.words else "at the start"


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
    """A lock at its node of a tree. `cards` has an id for each card dealt since the root, or `ANY_CARD`.

    rows: float32 ``[actions, 1326]``: probabilities; columns sum to 1. Hands that the player cannot have, and that the lock
    does not name, take all actions equally often.
    """

    node: int
    cards: tuple[int, ...]
    rows: NDArray[np.float32]

    def holds_on(self, board: Sequence[int]) -> bool:
        """Return whether the lock is for a board of its street; the root's cards come first."""
        dealt = board[len(board) - len(self.cards) :]
        return all(card in (ANY_CARD, dealt_card) for card, dealt_card in zip(self.cards, dealt, strict=True))


def find_lock(tree: BettingTree, lock: Lock, ranges: NDArray[np.float32], chip: float = 1.0) -> LockedNode:
    """Find a lock's node and work out its rows. `chip` is a chip's value in the lock's money.

    ranges: ``[players, 1326]``: weights at the root. Raises ValueError (`RangeError` among them) naming the item that does
    not fit and what would.
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
