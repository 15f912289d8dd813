"""The answers of a strategy file during one hand."""

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import Action, State
from limpet.strategies.blueprint.flop_values import FlopValues
from limpet.strategies.blueprint.seat import Seat
from limpet.strategies.blueprint.walk import START, WeightedNode, WeightedNodes
from limpet.strategies.sampling import is_below
from limpet.strategies.strategy import HandKey, HandStrategy, Rows

TRANSLATION = 1
"""First counter of the random numbers that translate bets."""


class BlueprintHand(HandStrategy):
    """Answers for one hand. The nodes found for each betting sequence are kept, so that each bet is translated once."""

    def __init__(self, seat: Seat, key: HandKey, off_tree: HandStrategy, flops: FlopValues | None = None) -> None:
        """Begin a hand.

        Args:
            off_tree: answers where the real betting has left the seat's tree.
            flops: finds the flop of the tree that is most like one after raises that the tree does not have; without it
                each raise is translated by itself.
        """
        self.seat = seat
        self.flops = flops
        self._key = key
        self._off_tree = off_tree
        self._nodes: dict[str, WeightedNodes] = {"": START}

    def slow(self, state: State) -> bool:
        """Return whether an answer may take over a millisecond: on a new turn board, or where `off_tree` is slow."""
        if not self.nodes(state):
            return self._off_tree.slow(state)
        return self.seat.turns_are_slow and state.round == 2

    def rows(self, state: State) -> Rows:
        answer = self._by_bucket(state)
        if answer is None:
            return self._off_tree.rows(state)
        actions, probabilities, missed = answer
        return Rows(actions, probabilities, self.seat.file.cards.bucket_vector(state.round, state.board), missed)

    def column(self, state: State, hand: int) -> tuple[tuple[Action, ...], NDArray[np.float32]]:
        answer = self._by_bucket(state)
        if answer is None:
            return self._off_tree.column(state, hand)
        actions, probabilities, _ = answer
        return actions, probabilities[:, self.seat.file.cards.bucket(state.round, state.board, hand)]

    def _by_bucket(self, state: State) -> tuple[tuple[Action, ...], NDArray[np.float32], NDArray[np.bool_]] | None:
        """Return actions, their probabilities ``[action, bucket]`` and the missed buckets; None off the tree.

        A bucket is missed where training came to none of the nodes that stand for the state.
        """
        nodes, seat = self.nodes(state), self.seat
        if len(nodes) == 1:  # the usual state takes no plan, which costs as long as all the rest
            actions = seat.walk.real_actions(nodes[0], state)
            if len(set(actions)) == len(actions):
                return tuple(actions), *seat.rows.node(nodes[0].node)
        plan = seat.plan(nodes, state)
        if plan is None:
            return None
        probabilities = np.zeros((len(plan.actions), seat.file.cards.num_buckets(state.round)), np.float32)
        missed = np.ones(probabilities.shape[1], np.bool_)
        for weighted, part in zip(nodes, plan.parts, strict=True):
            rows, untrained = seat.rows.node(weighted.node)
            missed &= untrained
            for action, row in zip(part.to, rows, strict=True):
                probabilities[action] += np.float32(part.share) * row
        if plan.mean:
            probabilities /= probabilities.sum(axis=0)
        return plan.actions, probabilities, missed

    def on_menu(self, state: State) -> bool:
        """Return whether every action up to a state is one of the tree's, in the same chips or the same share of the pot."""
        before, action = state.parent, state.action
        if before is None or action is None:
            return True
        nodes = self.nodes(before)
        return bool(nodes) and action in self.seat.walk.real_actions(nodes[0], before) and self.on_menu(before)

    def nodes(self, state: State) -> WeightedNodes:
        """Return the decision nodes of the tree that stand for `state`; none once the betting has left the tree."""
        nodes = self._nodes.get(state.betting)
        if nodes is None:
            assert state.parent is not None
            if self.flops is not None and state.round == 1 and not state.actions and not self.on_menu(state):
                return self._nodes.setdefault(state.betting, (WeightedNode(self.flops.nearest(state)),))
            branches = self.seat.walk.follow(self.nodes(state.parent), state.parent, state)
            nodes = branches[-1].nodes
            if len(branches) > 1:
                first = branches[0]
                if is_below(self._key, first.probability, TRANSLATION, state.parent.actions_in_hand):
                    nodes = first.nodes
            self._nodes[state.betting] = nodes
        return nodes
