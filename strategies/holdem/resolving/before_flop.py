"""The betting before the flop for the 169 classes of hands: solved with real bets, or valued where both play a blueprint.

The value of a leaf is that of its flop in the blueprint (`blueprint.flop_values`), or the exact equity of an all-in. A pair
of classes counts by the number of its pairs of hands that share no card.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import Action, State
from limpet.strategies.abstraction.betting import BettingTree, build_tree
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.base.strategy import HandStrategy, Rows
from limpet.strategies.cards.isomorphism import NUM_CLASSES, preflop_classes
from limpet.strategies.cards.preflop_tables import class_equities, class_matrix
from limpet.strategies.cards.ranges import class_hands
from limpet.strategies.holdem.blueprint.flop_values import NOBODY, FlopValues
from limpet.strategies.holdem.resolving.beliefs import Ranges
from limpet.strategies.holdem.resolving.subgame import Subgame
from limpet.strategies.solvers.lanes_kernels import in_lanes
from limpet.strategies.solvers.round_kernels import weigh
from limpet.strategies.solvers.round_solver import RoundSolver, Tremble
from limpet.strategies.solvers.round_tree import RoundTree, last_round
from limpet.strategies.solvers.schedule import LINEAR
from limpet.strategies.solvers.vector.vector_solver import NodeValues

Table = NDArray[np.float32]

SPREAD = 0.9
"""Standard deviation of a hand's winnings from a flop on, in geometric means of pot and stack.

It was fitted to the noise of the values of hunl-200bb's 31 flops, see docs/results/blueprint.md.
"""


RARE = 0.01
"""Share of a class's play below which an action is one that a solution hardly takes with it."""
GOOD_HANDS = 0.1
"""Share of the starting hands, by equity against any other, that make a raise of odd size now and then."""
ODD_RAISES = 0.1
"""How often they make it, whatever else is better."""
ODD_SHARE = GOOD_HANDS * ODD_RAISES
"""Share of all hands that make it. A raise of the tree that less of the range makes is of odd size as well."""


class BeforeFlop(Subgame):
    """A subgame that begins and ends before the flop. Not thread-safe."""

    one_street = True

    def __init__(
        self, root: State, menu: BetMenu, ranges: Ranges, values: FlopValues, made: Action | None = None
    ) -> None:
        """Begin an unsolved subgame at a state before the flop of heads-up hold'em, with the ranges of both positions there.

        made: a raise that was really made at the root. In an equilibrium hardly any hand makes one of odd size, so that neither its
        range nor the answer to it would be learnt: good hands are taken to make it now and then.
        """
        self.root = root
        self.tree, rounds, self._round_node = _street_round(root, menu)
        states, leaves = self.tree.states(), self.tree.terminals[self.tree.folded[self.tree.terminals] == 0]
        tables = {int(self._round_node[node]): leaf_values(states[node], values) for node in leaves.tolist()}
        by_class = np.stack([np.bincount(preflop_classes(), own, NUM_CLASSES) for own in ranges]).astype(np.float32)
        tremble = None if made is None else Tremble(0, self.tree.actions(0).index(made), ODD_RAISES * good_hands())
        self.rounds = RoundSolver(rounds, LeafMatrices(rounds, tables), by_class, LINEAR, tremble=tremble)

    def solve(
        self, iterations: int, target: float = 0.0, check_every: int = 10**9, stop: Callable[[], bool] | None = None
    ) -> int:
        """As `Subgame.solve`, but exploitability is measured once, at the end."""
        self.rounds.run(max(0, iterations - self.rounds.iteration), stop)
        self.percent = float(self.rounds.exploitability())
        return self.rounds.iteration

    @property
    def iteration(self) -> int:
        return self.rounds.iteration

    def rows_at(self, node: int, board: tuple[int, ...]) -> Rows:
        return Rows(self.tree.actions(node), self.rounds.strategy(int(self._round_node[node])), preflop_classes())


class BeforeFlopHand(HandStrategy):
    """Both positions' play of solved betting."""

    def __init__(self, solved: Subgame) -> None:
        self._solved = solved

    def rows(self, state: State) -> Rows:
        return self._solved.rows(state)


class LeafMatrices:
    """A `round_solver.Showdown` in which every leaf has values of its own for pairs of classes.

    A leaf is read by the row of the other player's last action before it, which no other leaf shares: the action that
    ends the round is the reader's, or else it is that row.
    """

    buckets = NUM_CLASSES

    def __init__(self, tree: RoundTree, leaves: dict[int, Table]) -> None:
        """leaves: ``[169, 169]`` by leaf: what position 0 wins with its class (row), in the chips that both have paid."""
        stride = in_lanes(self.buckets)
        self._tables = np.zeros((1 + 2 * len(leaves), self.buckets, stride), np.float32)
        self._tables[0, :, : self.buckets] = compatible_pairs()
        self._table_of, made = np.zeros(len(tree.parent), np.int64), 0
        for leaf, values in leaves.items():
            above = int(tree.parent[leaf])
            last = int(tree.player[above])  # who ended the round, and is read there by the other player
            for reader, row in ((1 - last, leaf), (last, above)):
                own = values if reader == 0 else -values.T
                paid = tree.paid[leaf].min() / tree.paid[leaf, 1 - reader]  # what cannot be called comes back
                made += 1
                self._table_of[row] = made
                self._tables[made, :, : self.buckets] = (own * compatible_pairs() * paid).T

    def outcomes(self, reach: Table, rows: NDArray[np.int64], shown: int, lanes: int, outcome: Table) -> None:
        """See `round_solver.Showdown`; there are no values for several pairs of ranges side by side."""
        tables = np.zeros(shown + len(rows), np.int64)
        tables[:shown] = self._table_of[rows[:shown]]
        read = np.concatenate([rows[:shown], rows])
        weigh(self._tables.ravel(), tables, self.buckets, reach.ravel(), read, outcome.ravel(), reach.shape[1])


@cache
def compatible_pairs() -> Table:
    """Return float32 ``[169, 169]``: the share of pairs of hands of two classes that share no card."""
    hands = np.bincount(preflop_classes(), minlength=NUM_CLASSES).astype(np.float64)
    return np.asarray(class_matrix().pairs / (hands[:, None] * hands), np.float32)


@cache
def good_hands() -> Table:
    """Return float32 ``[169]``: 1 for the classes that are the best `GOOD_HANDS` of all hands by equity, 0 for others."""
    hands, by_equity = np.bincount(preflop_classes(), minlength=NUM_CLASSES), np.argsort(-class_equities())
    good = np.zeros(NUM_CLASSES, np.float32)
    good[by_equity[np.cumsum(hands[by_equity]) <= GOOD_HANDS * hands.sum()]] = 1
    return good


def leaf_values(state: State, values: FlopValues) -> Table:
    """Return what position 0 wins with each class (row) against each class of position 1, in the chips that both have paid.

    The betting before the flop is over in `state`, by a call.
    """
    if min(state.game.stack) <= state.max_spent:
        return class_matrix().odds
    return values.share(state) * np.float32(state.pot / state.max_spent) - 1


def _street_round(root: State, menu: BetMenu) -> tuple[BettingTree, RoundTree, NDArray[np.int64]]:
    """Return the betting of one street, the same in big blinds as solvers of rounds take it, and the node there of each node.

    The betting ends where all chips are in, or the next street is to come.
    """
    rounds, game = root.round + 1, root.game
    short = replace(
        game,
        num_rounds=rounds,
        first_player=game.first_player[:rounds],
        max_raises=game.max_raises[:rounds],
        num_board_cards=game.num_board_cards[:rounds],
    )
    tree = build_tree(root._replace(game=short), menu)
    chips, origin = last_round(tree, 0)
    return replace(tree, root=root), replace(chips, paid=chips.paid / game.big_blind), np.argsort(origin)


def preflop_values(
    hand: HandStrategy, state: State, ranges: Ranges, flops: FlopValues, best: bool = False
) -> tuple[NodeValues, float]:
    """Return the values of a decision before the flop of heads-up hold'em, where both players go on by the rows of `hand`.

    With them comes the standard error of those of one starting hand, in big blinds.

    best: whether a class of the actor's that takes an action less often than `RARE` goes on after it by its best response
    instead: a solution says nothing of what a class does after an action that it never takes.
    """
    actor, unit = state.actor, state.game.big_blind
    rows = hand.rows(state)
    after = np.stack([_chips(hand.fork(), state.apply(action), flops) for action in rows.actions]) / unit
    classes = preflop_classes().astype(np.intp)
    weights = np.stack([np.bincount(classes, own, NUM_CLASSES) for own in ranges])
    played = _by_class(rows)
    if best:
        for action, row, chips in zip(rows.actions, played, after[:, 0], strict=True):
            if (rare := row < RARE).any():
                answered = _chips(hand.fork(), state.apply(action), flops, actor, weights[1 - actor])[0] / unit
                np.copyto(chips, answered, where=rare[:, None] if actor == 0 else rare)
    own, noise = after[:, 0], after[:, 1]
    if actor == 1:
        own, noise = -own.transpose(0, 2, 1), noise.transpose(0, 2, 1)
    possible = compatible_pairs() * weights[1 - actor]
    actions = np.einsum("aij,ij->ai", own, possible) / possible.sum(axis=1)
    errors = np.sqrt(np.einsum("aij,ij->ai", noise**2, possible**2)) / possible.sum(axis=1)
    opposing = compatible_pairs() * weights[actor]
    other = -np.einsum("ai,aij,ji->j", played, own, opposing) / opposing.sum(axis=1)
    values = np.zeros((2, NUM_CLASSES))
    values[actor], values[1 - actor] = (played * actions).sum(axis=0), other
    error = float((played * errors).sum(axis=0) @ weights[actor] / weights[actor].sum())
    by_hand = (np.asarray(by_class[:, classes], np.float32) for by_class in (values, actions, played))
    return NodeValues(np.asarray(ranges, np.float32), *by_hand), error


def _chips(
    hand: HandStrategy,
    state: State,
    flops: FlopValues,
    answering: int = NOBODY,
    reach: NDArray[np.float64] | float = 1.0,
) -> NDArray[np.float64]:
    """Return what position 0 wins from a state on, ``[2, 169, 169]``: for its class (row) against that of position 1 (column).

    The second table has standard errors. Those of lines that both may take are added up: the same deals made them.

    answering: a position whose classes go on by their best responses in place of the rows of `hand`; reach: float64 ``[169]``:
    how often its opponent comes to the state with each class.
    """
    total = np.zeros((2, NUM_CLASSES, NUM_CLASSES))
    if state.finished and not state.showdown:
        total[0] = -state.spent[0] if state.has_folded(0) else state.spent[1]
    elif state.finished or state.round > 0:
        paid, stack, pairs = min(state.spent), min(state.game.stack), class_matrix().pairs
        deals = flops.deals * pairs / pairs.sum()
        total[0] = leaf_values(state, flops) * paid
        total[1] = SPREAD * (stack > paid) * sqrt(stack * state.pot) / np.sqrt(deals)
    else:
        rows = hand.rows(state)
        played, own = _by_class(rows), state.actor == answering
        after = [
            _chips(hand, state.apply(action), flops, answering, reach if own else reach * row)
            if own or row.any()
            else None
            for action, row in zip(rows.actions, played, strict=True)
        ]
        if own:
            played = _best_rows([chips[0] for chips in after if chips is not None], answering, reach)
        for row, chips in zip(played, after, strict=True):
            if chips is not None and row.any():
                total += (row[:, None] if state.actor == 0 else row) * chips
    return total


def _best_rows(
    after: list[NDArray[np.float64]], player: int, reach: NDArray[np.float64] | float
) -> NDArray[np.float64]:
    """Return which action is best for each class of a player, ``[action, 169]``, by what position 0 wins after each."""
    own = np.stack([chips if player == 0 else -chips.T for chips in after])
    best = np.einsum("aij,ij->ai", own, compatible_pairs() * reach).argmax(axis=0)
    return np.asarray(np.eye(len(after))[:, best])


def _by_class(rows: Rows) -> NDArray[np.float64]:
    """Return rows that are the same for all hands of a class, ``[action, 169]``."""
    first = [hands[0] for hands in class_hands()]
    return rows.dense(np.zeros(1326, np.bool_))[:, first].astype(np.float64)
