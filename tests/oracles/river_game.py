"""River spots of hold'em as type games: the types are the hands of the two ranges."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.cards import cards_text
from limpet.strategies.abstraction.betting import BettingTree, build_tree
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.ranking_kernels import hand_strengths
from limpet.strategies.holdem.solutions.spot import spot_root
from tests.oracles.type_game import Decision, Fold, Node, Showdown, TypeGame

NUM_HANDS = 1326
BOARD_CARDS = 5


class RiverSpot(NamedTuple):
    """The input of a solver of river spots."""

    tree: BettingTree
    board: tuple[int, ...]
    ranges: tuple[NDArray[np.float64], NDArray[np.float64]]
    """Weights float64 ``[1326]`` of the positions' hands; hands on the board count for nothing."""

    def type_game(self) -> TypeGame:
        return type_game_from_river(self.tree, self.board, self.ranges)


def live_hands(board: Sequence[int], weights: NDArray[np.floating]) -> NDArray[np.intp]:
    """Hands (indices into `weights` ``[1326]``, ascending) that have weight and share no card with the board."""
    return np.flatnonzero((weights > 0) & ~hand_space().blocked(board))


def type_game_from_river(tree: BettingTree, board: Sequence[int], ranges: Sequence[NDArray[np.floating]]) -> TypeGame:
    """The type game of a river spot. Its nodes are the tree's, with the same numbers.

    Args:
        tree: of a heads-up hold'em game, with a root in the last round.
        board: five card ids.
        ranges: of positions 0 and 1, weights ``[1326]``. Type k of a position is hand ``live_hands(board, range)[k]``.

    A player's chips in the pot are what the tree says is spent: at a showdown the stake is what both have matched.
    Raises `ValueError` for another tree or board, or if no two hands can meet.
    """
    if tree.game.num_players != 2 or tree.round[0] != tree.game.num_rounds - 1:
        raise ValueError(
            f"a river spot has 2 players and starts in the last round, not {tree.game.num_players} players in round "
            f"{tree.round[0]} of {tree.game.num_rounds}; build the tree from a state on the river"
        )
    if len(set(board)) != BOARD_CARDS or len(board) != BOARD_CARDS:
        raise ValueError(f"a river board is {BOARD_CARDS} different cards, not {cards_text(board)!r}")
    space = hand_space()
    hands = [live_hands(board, np.asarray(weights)) for weights in ranges]
    strength = hand_strengths(np.array(board, np.int8), space.holes)
    cards = [space.holes[of_position] for of_position in hands]
    clash = (cards[0][:, None, :, None] == cards[1][None, :, None, :]).any(axis=(2, 3))
    weights = np.outer(np.asarray(ranges[0], np.float64)[hands[0]], np.asarray(ranges[1], np.float64)[hands[1]])
    return TypeGame(
        root=_node(tree, 0),
        weights=np.where(clash, 0.0, weights),
        shares=np.sign(strength[hands[0]][:, None] - strength[hands[1]][None, :]).astype(np.float64),
        types=(_names(cards[0]), _names(cards[1])),
    )


def _names(holes: NDArray[np.int8]) -> tuple[str, ...]:
    return tuple(cards_text(hand[::-1]) for hand in holes.tolist())  # the higher card first, as everybody writes


def _node(tree: BettingTree, node: int) -> Node:
    actions = tree.actions(node)
    if actions:
        below = {str(action): _node(tree, tree.child(node, i)) for i, action in enumerate(actions)}
        return Decision(int(tree.player[node]), below)
    spent, folded = tree.spent[node], int(tree.folded[node])
    if folded:
        loser = folded.bit_length() - 1
        return Fold(loser, float(spent[loser]))
    return Showdown(float(spent.min()))


def random_river_spot(seed: int, most_hands: int = 12) -> RiverSpot:
    """A small spot drawn at random and fixed by `seed`: for tests in which several solvers must agree.

    The two ranges have 4 to `most_hands` hands each, of unequal weights, out of ten cards, so that hands often block each
    other; stacks may differ, and each depth of raises has a menu of its own.
    """
    random = np.random.Generator(np.random.Philox(key=seed))
    cards = random.permutation(52)
    board, few = tuple(int(card) for card in cards[:BOARD_CARDS]), np.sort(cards[BOARD_CARDS : BOARD_CARDS + 10])
    held = np.flatnonzero(np.isin(hand_space().holes, few).all(axis=1))
    ranges = np.zeros((2, NUM_HANDS))
    for weights in ranges:
        hands = random.choice(held, size=random.integers(4, most_hands + 1), replace=False)
        weights[hands] = random.uniform(0.05, 1.0, len(hands))
    pot = 20 * int(random.integers(1, 11))
    stack = int(pot * random.uniform(0.4, 5.0)) + 1
    shorter = stack if random.random() < 0.5 else int(stack * random.uniform(0.5, 1.0)) + 1
    stacks = (stack, shorter) if random.random() < 0.5 else (shorter, stack)
    fractions = (0.25, 0.33, 0.5, 0.75, 1.0, 1.5, 2.0)
    counts = (
        random.integers(1, 3),
        random.integers(0, 3),
        0,
    )  # after two raises there is only all-in: trees stay small
    depths = tuple(tuple(sorted(random.choice(fractions, size=n, replace=False).tolist())) for n in counts)
    menu = BetMenu(sizes=(depths,), all_in_share=0.9)
    spot = RiverSpot(build_tree(spot_root(board, pot, stacks, big_blind=10), menu), board, (ranges[0], ranges[1]))
    return spot if _can_meet(spot) else random_river_spot(seed + 1_000_003, most_hands)


def _can_meet(spot: RiverSpot) -> bool:
    held = [hand_space().holes[weights > 0] for weights in spot.ranges]
    return not (held[0][:, None, :, None] == held[1][None, :, None, :]).any(axis=(2, 3)).all()
