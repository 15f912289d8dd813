"""Leaves of a flop subgame against plain recursion over real hands, boards and bets."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.configs.loading import load_game
from limpet.protocol.cards import parse_cards
from limpet.protocol.ranking import rank_hands
from limpet.protocol.ranking_kernels import hand_strengths
from limpet.protocol.state import CALL, State, raise_to
from limpet.strategies.blueprint.played import NodeRows
from limpet.strategies.blueprint.walk import START, Place, Walk
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.resolving.depth_limited import run_outs
from limpet.strategies.resolving.leaves.all_in import all_in_matrix
from limpet.strategies.resolving.leaves.hand_classes import hand_classes, share_beaten
from limpet.strategies.resolving.leaves.leaf_matrices import LeafMatrices, group_hands
from limpet.strategies.resolving.leaves.leaf_play import LeafPlay, Way, leaf_play
from limpet.strategies.trees.betting import KINDS, BettingTree, build_tree
from limpet.strategies.trees.menu import BetMenu
from tests.oracles.hand_equity import hand_vs_hand

FLOP = parse_cards("Ks7h2d")
SPACE = hand_space()
HELD = np.sort(
    [SPACE.index(parse_cards(hand)) for hand in ("AsAh", "KdQd", "7c7d", "QhJh", "6h5h", "Ac2c", "9s8s")]
).astype(np.int16)
WAYS: tuple[Way, ...] = ("blueprint", "fold", "call", "raise")
BIAS = 5.0
GAME = replace(load_game("holdem.nolimit.2p.reverse_blinds"), stack=(3000, 3000))
BOARDS = [(*FLOP, *parse_cards(cards)) for cards in ("3c4c", "AdTs", "7sKc", "9h2h", "Jd6c")]


class Thirds:
    """Buckets that have little to do with strength."""

    def num_buckets(self, round_: int) -> int:
        return 3

    def bucket_vector(self, round_: int, board: tuple[int, ...]) -> NDArray[np.int32]:
        return ((np.arange(1326) * 7 + sum(board)) % 3).astype(np.int32)


class RandomRows:
    """A blueprint that plays at random, but always the same. What leaves ask of `played.PlayedRows`."""

    def __init__(self, tree: BettingTree) -> None:
        self.file = SimpleNamespace(tree=tree, cards=Thirds())

    def node(self, node: int) -> NodeRows:
        weights = np.random.default_rng(node).random((int(self.file.tree.num_actions[node]), 3)) ** 2
        return NodeRows((weights / weights.sum(axis=0)).astype(np.float32), np.zeros(3, np.bool_))


ROWS: Any = RandomRows(build_tree(GAME, BetMenu(sizes=(((1.0,), (1.0,), ()),))))
WALK = Walk(ROWS.file.tree, "nearest")


def bet_and_called(size: int) -> tuple[int, State]:
    """(node, state) on the turn: a raise before the flop, a bet on it (the blueprint's is 900), and both are called."""
    state, places = State.start(GAME), START
    for action in (raise_to(300), CALL, raise_to(size), CALL):
        after = state.apply(action)
        places = WALK.follow(places, state, after)[0].places
        state = after
    return places[0].node, state


def played_out(node: int, state: State, us: int, hands: tuple[int, int], board: tuple[int, ...], way: Way) -> float:
    """Big blinds that we win from a node on, with hands by position: the blueprint's bets made in the real game."""
    tree = ROWS.file.tree
    if state.finished:
        stake = min(state.spent) / 100
        if state.folded:
            return -stake if state.folded >> us & 1 else stake
        ranks = rank_hands([SPACE.cards(hand) for hand in hands], board)
        return stake * float(np.sign(ranks[us] - ranks[1 - us]))
    row = ROWS.node(node).probabilities[
        :, Thirds().bucket_vector(state.round, board[: state.round + 2])[hands[state.actor]]
    ]
    row = row.astype(np.float64)
    if state.actor != us and way != "blueprint":
        for action, edge in enumerate(range(tree.first_edge[node], tree.first_edge[node + 1])):
            row[action] *= BIAS if KINDS[tree.edge_kind[edge]] == way[0] else 1
        row /= row.sum()
    return sum(
        float(probability) * played_out(tree.child(node, action), state.apply(real), us, hands, board, way)
        for action, (probability, real) in enumerate(zip(row, WALK.real_actions(Place(node), state), strict=True))
    )


def summed(plays: list[LeafPlay], classes: NDArray[np.int16]) -> NDArray[np.float32]:

    found = LeafMatrices(plays, int(classes.max()) + 1, len(WAYS))
    with ThreadPoolExecutor(2) as pool:
        for board in BOARDS:
            strengths = hand_strengths(np.array(board, np.int8), SPACE.holes)
            found.add(group_hands(Thirds(), board, HELD, classes, strengths), pool)  # type: ignore[arg-type]
    return found.means()


@pytest.mark.parametrize("us", [0, 1])
def test_matrices_are_means_of_hands_played_out(us: int) -> None:
    leaves = [bet_and_called(900), bet_and_called(700)]  # the second is not the blueprint's pot
    plays = [leaf_play(ROWS, node, state, us, WAYS, BIAS) for node, state in leaves]
    found = summed(plays, np.arange(len(HELD), dtype=np.int16))
    for leaf, (node, state) in enumerate(leaves):
        for a, ours in enumerate(HELD.tolist()):
            for b, theirs in enumerate(HELD.tolist()):
                cards = {*SPACE.cards(ours), *SPACE.cards(theirs)}
                both = [board for board in BOARDS if not cards & set(board)]
                if a == b or not both:
                    continue
                hands = (ours, theirs) if us == 0 else (theirs, ours)
                for k, way in enumerate(WAYS):
                    values = [played_out(node, state, us, hands, board, way) for board in both]
                    # Real bets are whole chips.
                    assert found[leaf, k, a, b] == pytest.approx(np.mean(values), abs=1e-4 if leaf == 0 else 0.05)
    assert np.abs(found[0, 0] - found[0, 3]).max() > 0.1


def test_classes_take_the_mean_of_their_hands() -> None:
    plays = [leaf_play(ROWS, *bet_and_called(900), 0, WAYS, BIAS)]
    apart = summed(plays, np.arange(len(HELD), dtype=np.int16))
    classes = np.array([0, 1, 1, 0, 2, 2, 2], np.int16)
    together = summed(plays, classes)
    live = np.array([[not set(SPACE.cards(int(hand))) & set(board) for hand in HELD] for board in BOARDS], np.int64)
    met = live.T @ live  # run-outs that leave each pair
    member = (classes[:, None] == np.arange(3)).astype(np.float64)
    expected = member.T @ (apart[0] * met) @ member / (member.T @ met @ member)
    np.testing.assert_allclose(together[0], expected, atol=1e-4)


def test_all_ins_are_run_out_exactly() -> None:
    found = all_in_matrix(FLOP, HELD, np.arange(len(HELD), dtype=np.int16), threads=2)
    for a, first in enumerate(HELD.tolist()):
        for b, second in enumerate(HELD.tolist()):
            if set(SPACE.cards(first)) & set(SPACE.cards(second)):
                assert found[a, b] == 0
            else:
                counts = hand_vs_hand(SPACE.cards(first), SPACE.cards(second), FLOP)
                assert found[a, b] == pytest.approx((counts.win - counts.lose) / 990, abs=1e-6)
    classes = np.array([0, 1, 1, 0, 2, 2, 2], np.int16)
    assert all_in_matrix(FLOP, HELD, classes)[0, 2] == pytest.approx(found[[0, 3]][:, 4:].mean(), abs=1e-6)
    with pytest.raises(ValueError, match="from a flop"):
        all_in_matrix(BOARDS[0], HELD, classes)


def test_run_outs_bring_every_card_once_a_round() -> None:
    left = {card for card in range(52) if card not in FLOP}
    drawn = list(run_outs(FLOP, 2, seed=3))
    for round_ in (drawn[:49], drawn[49:]):
        assert {turn for turn, _ in round_} == {river for _, river in round_} == left
        assert all(turn != river for turn, river in round_)
    assert drawn == list(run_outs(FLOP, 2, seed=3)) != list(run_outs(FLOP, 2, seed=4))
    assert len(set(run_outs(FLOP, 48, seed=3))) == 49 * 48
    with pytest.raises(ValueError, match="48 rounds"):
        list(run_outs(FLOP, 49, seed=3))


def test_hands_of_a_class_do_alike() -> None:
    """Only suits that the flop does not have tell these apart; and two draws to other suits have other run-outs."""
    held = np.flatnonzero(~SPACE.blocked(FLOP)).astype(np.int16)
    boards = [(*FLOP, *cards) for cards in run_outs(FLOP, 1, 0)]
    strengths = np.stack([hand_strengths(np.array(board, np.int8), SPACE.holes) for board in boards])
    classes = hand_classes(share_beaten(strengths, held), 150)
    of = {hand: classes[held == SPACE.index(parse_cards(hand))][0] for hand in ("AcKc", "AdKh", "7c7d", "QhJh", "6c5d")}
    assert of["AcKc"] == of["AdKh"]
    assert len(set(of.values())) == 4
    assert 120 <= len(Counter(classes.tolist())) <= 150
    np.testing.assert_array_equal(hand_classes(share_beaten(strengths, held[:20]), 20), np.arange(20))
