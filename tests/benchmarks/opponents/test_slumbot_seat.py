"""The seat for slumbot2019: its files read, bets translated, and never an illegal answer, over a tree of our own making."""

import importlib
import random
import struct
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from limpet.configs.loading import load_game
from limpet.protocol.messages import parse_match_state
from limpet.protocol.state import CALL, FOLD, State, action_order, raise_to
from limpet.strategies.base.strategy import HandKey
from limpet.strategies.cards.handspace import FULL_DECK, hand_space

STACK = 400
"""In small blinds."""


@pytest.fixture(scope="module")
def seat() -> ModuleType:
    return importlib.import_module("opponents.slumbot_seat")


class Tree:
    """Writes the file of a betting tree: bets of half the pot, of the pot and all-in, then all-in only."""

    def __init__(self) -> None:
        self.data = b""
        self._numbers: dict[tuple[int, int], int] = {}
        self.decide(0, 1, 2, 0, False)

    def _record(
        self, number: int, bet_to: int, successors: int, flags: int, street: int, player: int, left: int
    ) -> None:
        self.data += struct.pack("<IHHHBB", number, bet_to, successors, flags | street << 3, player, left)

    def decide(self, street: int, player: int, bet_to: int, bets: int, checked: bool) -> None:
        sizes = sorted(
            {min(STACK, int(bet_to * (1 + 2 * size))) for size in ((0.5, 1, 200), (200,), ())[bets]} - {bet_to}
        )
        can_fold = bets > 0 or (street == 0 and player == 1)
        number = self._numbers[player, street] = self._numbers.get((player, street), -1) + 1
        self._record(number, bet_to, 1 + can_fold + len(sizes), 1 | 2 * can_fold, street, player, 2)
        if bets == 0 and not checked:
            self.decide(street, 1 - player, bet_to, 0, True)
        elif street < 3:
            self.decide(street + 1, 0, bet_to, 0, False)
        else:
            self._record(0, bet_to, 0, 0, street, 255, 2)
        if can_fold:
            self._record(0, bet_to, 0, 0, street, 1 - player, 1)
        for size in sizes:
            self.decide(street, 1 - player, size, 2 if size == STACK else bets + 1, False)


@pytest.fixture(scope="module")
def averages(seat: ModuleType) -> Any:
    """Everything equally often, in two buckets; preflop the button always raises by the pot in the second."""
    root = seat.read_tree(Tree().data)
    ends: dict[tuple[int, int], int] = {}

    def measure(node: Any) -> None:
        if len(node.after) > 1:
            ends[node.player, node.street] = ends.get((node.player, node.street), 0) + 2 * len(node.after)
        for successor in node.after:
            measure(successor)

    measure(root)
    sums = {file: np.ones(size, dtype=np.int32) for file, size in ends.items()}
    sums[1, 0][5:10] = (0, 0, 0, 7, 0)
    return seat.Averages(root, sums, (2, 2, 2, 2))


def in_turn(board: tuple[int, ...]) -> Any:
    """Every other hand in the second bucket, but those that the board blocks."""
    blocked = np.isin(hand_space(FULL_DECK, 2).holes, board).any(axis=1)
    return np.where(blocked, -1, np.arange(1326) % 2).astype(np.int16)


def test_the_tree_is_read_as_it_was_written(seat: ModuleType, averages: Any) -> None:
    root = averages.root
    assert (root.player, root.street, root.bet_to, len(root.after)) == (1, 0, 2, 5)
    assert [bet.bet_to for bet in root.bets] == [4, 6, STACK] and root.fold.after == ()
    assert (root.call.player, root.call.fold, root.call.call.street, root.call.call.player) == (0, None, 1, 0)
    shove = root.bets[-1]
    assert (shove.bets, shove.call.street, len(shove.call.after)) == ((), 1, 1), (
        "an all-in that was called is checked down"
    )
    assert seat.offsets(root, (2, 2, 2, 2))[1, 0, 0] == 0
    assert averages.of(root).T.tolist() == [pytest.approx([0.2] * 5), [0, 0, 0, 1, 0]]
    assert averages.of(shove.call).tolist() == [[1, 1]]


def test_untrained_decisions_check_or_call(seat: ModuleType, averages: Any) -> None:
    empty = seat.Averages(averages.root, {(1, 0): np.zeros(1000, dtype=np.int32)}, (2, 2, 2, 2))
    assert empty.of(averages.root).T.tolist() == [[1, 0, 0, 0, 0]] * 2


@pytest.mark.parametrize(("bet", "chance"), [(0.5, 1.0), (1.0, 0.0), (0.7, 0.3 * 1.5 / (0.5 * 1.7))])
def test_bets_between_two_are_read_pseudo_harmonically(seat: ModuleType, bet: float, chance: float) -> None:
    assert seat.chance_of_smaller(0.5, 1.0, bet) == pytest.approx(chance)


@pytest.mark.parametrize(
    ("line", "response"),
    [
        ("MATCHSTATE:1:0::|AsKc", "r300"),  # the tree's raise of the pot, 3 big blinds
        ("MATCHSTATE:0:0::AsKc|", None),  # the other's turn
        ("MATCHSTATE:1:0:r300c/r600r20000f:|AsKc/2c7d9h", None),  # over
        ("# a comment", None),
    ],
)
def test_lines_are_answered_in_turn(seat: ModuleType, averages: Any, line: str, response: str | None) -> None:
    class Trained:
        def start_hand(self, key: HandKey) -> Any:
            return seat.Hand(averages, in_turn, key)

    assert seat.Seat(Trained(), seed=1).answer(line) == (None if response is None else f"{line}:{response}")


@pytest.mark.parametrize(
    ("raised_to", "taken_for"), [(200, {4}), (250, {4, 6}), (300, {6}), (400, {6, STACK}), (20000, {STACK})]
)
def test_the_opponents_raise_is_one_of_the_trees(
    seat: ModuleType, averages: Any, raised_to: int, taken_for: set[int]
) -> None:
    """The tree's bets are small blinds of 50. Below the smallest it is the smallest, between two it is either."""
    start = State.start(load_game(seat.GAME))
    met = [seat.taken_for(averages.root, start, raise_to(raised_to), HandKey(seed, 0, 0)) for seed in range(40)]
    assert {node.bet_to for node in met} == taken_for


def test_a_fraction_of_the_pot_is_kept(seat: ModuleType, averages: Any) -> None:
    """Where the real pot is another than the tree's, a bet is the same fraction of it, and all-in is all-in."""
    node = averages.root.call.call  # a flop after a limp, 2 small blinds each
    state = parse_match_state("MATCHSTATE:0:0:r500c/:AsKd|/2c7d9h", load_game(seat.GAME)).state
    assert [str(seat.translated(node, chosen, state)) for chosen in node.after] == ["c", "r1000", "r1500", "r20000"]


def test_it_never_answers_illegally(seat: ModuleType, averages: Any) -> None:
    """Hundreds of hands against a player who does anything legal, small raises and all-ins among it; and all that is said of a
    hand is the same however often it is asked."""
    game = load_game(seat.GAME)
    chance = random.Random(5)
    kinds, ended = set(), 0
    for number in range(200):
        position = number % 2
        deck = chance.sample(range(52), 5)
        hand = seat.Hand(averages, in_turn, HandKey(1, number, position))
        state = State.start(game)
        while not state.finished:
            state = state.with_board(tuple(deck[: sum(game.num_board_cards[: state.round + 1])]))
            bounds = state.raise_bounds()
            if state.actor == position:
                rows = hand.rows(state)
                assert all(map(state.is_legal, rows.actions)) and list(rows.actions) == sorted(
                    rows.actions, key=action_order
                )
                assert np.allclose(rows.probabilities.sum(axis=0), 1)
                ended += hand.node_at(state) is None
                action = chance.choice(rows.actions)
                kinds.add(action.kind)
            elif bounds is not None and chance.random() < 0.7:
                action = raise_to(min(bounds[1], int(bounds[0] * chance.choice((1, 1, 1, 1.7, 40)))))
            else:
                action = FOLD if state.can_fold and chance.random() < 0.1 else CALL
            state = state.apply(action)
    assert kinds == {"c", "f", "r"} and ended, "the tree ended, and it called"
