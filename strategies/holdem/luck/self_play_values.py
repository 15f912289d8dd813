"""The value function of a strategy: what its play against itself, or against a model of the opponent, would win.

Where the flop has just been dealt, a formula models it, whose mean over all flops is known: the pot by equity, and a number for
each starting hand. For each node at which a flop's betting begins, net chips of position 0 with hands h and i of starting
classes c and d are

    base + slope · (2 equity(h, i | flop) - 1) + first[c] + second[d]

Equity before the flop is its mean after it, so the mean over flops is the same formula with the equity before. The
numbers are fitted to self-play on random flops, before any match is looked at.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.common.jit import Doubles, Flags, Floats
from limpet.common.workers import Report, silent
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.messages import Hole
from limpet.protocol.state import Action, State
from limpet.strategies.base.sampling import mix
from limpet.strategies.cards.boards import Board
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import NUM_CLASSES, preflop_classes
from limpet.strategies.holdem.blueprint.walk import START, Walk
from limpet.strategies.holdem.luck.opponent_model import SeenDecision, fit_opponent_model, seen_decision
from limpet.strategies.holdem.luck.runouts import hold_em_equities, turn_equities
from limpet.strategies.holdem.luck.self_play import SelfPlay
from limpet.strategies.holdem.luck.value_function import EquityValues, Holes, ValueFunction, Values

SWEEPS = 6
"""Number of rounds of back-fitting."""
MODEL_FLOPS = 400
MODEL_RUNOUTS = 4


class FlopModel(NamedTuple):
    """Numbers of the formula for each leaf L of `SelfPlay.first_round`, in chips of position 0; C starting classes.

    `base` and `slope` are float64 ``[L]``, `first` (for the hand of position 0) and `second` (of position 1) ``[L, C]``.
    """

    base: Doubles
    slope: Doubles
    first: Doubles
    second: Doubles

    def values(self, leaf: int | slice, position: int, other: int, equities: Doubles) -> Doubles:
        """Return net chips of `position` with all hands, of these equities, against one: ``[1326]``, or for all leaves ``[L, 1326]``."""
        classes = preflop_classes().astype(np.intp)
        own, theirs = (self.first, self.second) if position == 0 else (self.second, self.first)
        base = self.base[leaf] + theirs[leaf, classes[other]]
        sign = 1 if position == 0 else -1
        values = sign * np.expand_dims(base, -1) + sign * own[leaf][..., classes]
        return np.asarray(values + np.expand_dims(self.slope[leaf], -1) * (2 * equities - 1))


def fit_flop_model(
    play: SelfPlay, flops: int = MODEL_FLOPS, runouts: int = MODEL_RUNOUTS, report: Report = silent
) -> FlopModel:
    """Fit by least squares and back-fitting on random flops, hands and runouts, in both positions; some minutes.

    On each flop all hands of a position play one of the other's. The exact equity of the pot replaces that of the sampled
    runouts.
    """
    random = np.random.Generator(np.random.Philox(key=1))
    space, tree = hand_space(), play.file.tree
    leaves = play.first_round[0].nodes[play.first_round[0].leaves]
    pots = tree.spent[leaves].min(axis=1).astype(np.float64)
    chips = np.zeros((2, flops, len(leaves), space.size), np.float32)
    shares = np.zeros((2, flops, space.size), np.float32)
    live = np.zeros((2, flops, space.size), np.bool_)
    others = np.zeros((2, flops), np.intp)
    for sample in range(flops):
        report(sample, flops)
        for position in (0, 1):
            cards = [int(card) for card in random.permutation(52)]
            other, flop = tuple(sorted(cards[:2])), tuple(cards[2:5])
            exact = 2 * hold_em_equities(other, flop) - 1
            total = np.zeros((len(leaves), space.size))
            count = np.zeros(space.size)
            for runout in range(runouts):
                board = flop + tuple(cards[5 + 2 * runout : 7 + 2 * runout])
                for index, leaf in enumerate(leaves.tolist()):
                    out = np.zeros((int(tree.num_actions[leaf]), space.size), np.float32)
                    on_board = play.on_board(leaf, position, other, board, out)
                    mixed = play.mix(leaf, position, other, board, out) + pots[index] * (exact - on_board.won)
                    total[index] += mixed * on_board.live
                count += on_board.live
            others[position, sample] = space.index(other)
            shares[position, sample] = exact
            live[position, sample] = (count > 0) & ~space.blocked([*other, *flop])
            chips[position, sample] = (1 - 2 * position) * total / np.maximum(count, 1)
    shares[1] *= -1
    report(flops, flops)
    return _back_fit(chips, shares, live, others)


def _back_fit(chips: Floats, shares: Floats, live: Flags, others: NDArray[np.intp]) -> FlopModel:
    """Fit the line and the class means in turn, each to what the other leaves.

    A position's own classes are fitted where it is the one with all hands: all of its classes occur on every such flop.

    chips: ``[2, flop, leaf, 1326]``: mean net chips of position 0, by the position with all hands. shares: ``[2, flop, 1326]``:
    P(win) - P(loss) of position 0. live: the hands on any runout. others: ``[2, flop]``: the other position's hand.
    """
    classes = preflop_classes().astype(np.intp)
    weights = live.astype(np.float64)
    leaves = chips.shape[2]
    base, slope = np.zeros(leaves), np.zeros(leaves)
    of_class = np.zeros((2, leaves, NUM_CLASSES))
    for leaf in range(leaves):
        for _ in range(SWEEPS):
            own = of_class[:, leaf][:, None, classes]  # [2, 1, hand]
            theirs = np.stack([of_class[1, leaf][classes[others[0]]], of_class[0, leaf][classes[others[1]]]])
            left = chips[:, :, leaf] - np.broadcast_to(own[:, 0][:, None], shares.shape) - theirs[..., None]
            mean_share, mean_left = (float((weights * of).sum() / weights.sum()) for of in (shares, left))
            slope[leaf] = (weights * (shares - mean_share) * left).sum() / (weights * (shares - mean_share) ** 2).sum()
            base[leaf] = mean_left - slope[leaf] * mean_share
            for position in (0, 1):
                rest = (
                    chips[position, :, leaf] - base[leaf] - slope[leaf] * shares[position] - theirs[position][:, None]
                )
                sums = np.bincount(classes, (weights[position] * rest).sum(axis=0), NUM_CLASSES)
                counts = np.bincount(classes, weights[position].sum(axis=0), NUM_CLASSES)
                of_class[position, leaf] = sums / np.maximum(counts, 1)
    return FlopModel(base, slope, of_class[0], of_class[1])


RIVERS = 4
"""Number of rivers looked at after each turn card that might have come."""
EVENTS_KEPT = 64


class SelfPlayValues(EquityValues):
    """Values of a strategy file in self-play.

    In small games every runout is played. In hold'em: on the river and the turn all of them; on the flop one river for
    each turn card; where the next turn card is compared with all others, `RIVERS` for each. Sampled runouts depend on
    nothing but the cards seen, and the pot's exact equity puts right what they miss. Before the flop, and where it has
    just been dealt, a `FlopModel` stands for what follows.

    Real bets are read as the nearest of the tree; where they have left it, values are those of `EquityValues`.
    """

    def __init__(self, play: SelfPlay, model: FlopModel | None) -> None:
        super().__init__(play.file.game)
        self.play = play
        self.model = model
        self.hold_em = play.hold_em
        if self.hold_em and model is None:
            raise ValueError("hold'em values need a model of what follows the flop; fit one with fit_flop_model")
        self._walk = Walk(play.file.tree, "nearest")
        self._nodes: dict[str, int] = {"": 0}
        self._decisions: list[SeenDecision] = []
        # Each way to correct a hand asks for the same event.
        self._next_card = lru_cache(maxsize=EVENTS_KEPT)(self._find_next_card)
        self._leaves = {int(n): i for i, n in enumerate(play.first_round[0].nodes[play.first_round[0].leaves].tolist())}

    def learn(self, hands: Sequence[tuple[HandRecord, int]]) -> None:
        """Fit a model of the opponent to its decisions in these hands and all those learned from before."""
        for record, position in hands:
            hole, full = tuple(record.holes[1 - position]), record.state.board
            for state, after in pairwise(record.state.path()):
                if state.actor != position:
                    assert after.action is not None
                    self._decisions.append(self._seen_decision(state.with_board(full), after.action, hole))
        self.play.learn(fit_opponent_model(self._decisions, self.game.num_rounds, self.play.strengths))
        self._next_card.cache_clear()
        self.start_mean.cache_clear()

    def _seen_decision(self, state: State, action: Action, hole: Hole) -> SeenDecision:
        node, likely = self.node(state), np.nan
        if node >= 0:
            actions = self.play.file.tree.actions(node)
            if action.kind == "r":
                child = self.node(state.apply(action))
                matches = [self.play.file.tree.child(node, index) == child for index in range(len(actions))]
            else:
                matches = [like.kind == action.kind for like in actions]
            if any(matches):
                likely = float(self.play.row(node, hole, state.board, counted=False)[matches.index(True)])
        return seen_decision(state, action, self.play.strength(hole, state.board, state.round), likely)

    def node(self, state: State) -> int:
        """Return the tree's node that stands for a state in which somebody acts; -1 where there is none."""
        node = self._nodes.get(state.betting)
        if node is None:
            assert state.parent is not None
            before, node = self.node(state.parent), -1
            if before >= 0:
                nodes = self._walk.follow((START[0]._replace(node=before),), state.parent, state)[0].nodes
                node = nodes[0].node if nodes else -1
            self._nodes[state.betting] = node
        return node

    def values(self, state: State, position: int, holes: Holes) -> Values:
        node = self.node(state)
        if node < 0:
            return super().values(state, position, holes)
        other = tuple(holes[1 - position])
        if node in self._leaves and self.hold_em:
            chips = self._at_flop(node, state.board, position, other)
        else:
            chips = self._mixed(self._action_values(node, state, position, other), node, state.board, position, other)
        return self.scaled(chips, node, state, position)

    def after_actions(self, state: State, actions: Sequence[Action], position: int, holes: Holes) -> list[Values]:
        node = self.node(state)
        if node < 0:
            return super().after_actions(state, actions, position, holes)
        chips = self._action_values(node, state, position, tuple(holes[1 - position]))
        tree = self.play.file.tree
        below = {tree.child(node, index): index for index in range(len(chips))}
        values = []
        for after in map(state.apply, actions):
            if (child := self.node(after)) in below:
                values.append(self.scaled(chips[below[child]], child, after, position))
            else:
                values.append(super().values(after, position, holes))
        return values

    def next_cards(self, state: State, dealt: Board, position: int, holes: Holes) -> tuple[Values, Values]:
        node = self.node(state)
        if node < 0:
            return super().next_cards(state, dealt, position, holes)
        if not self.hold_em:
            return ValueFunction.next_cards(self, state, dealt, position, holes)
        other = tuple(holes[1 - position])
        if state.round == 1:
            both = tuple(self._at_flop(node, board, position, other) for board in ((), dealt))
        else:
            both = self._next_card(node, dealt, position, other)
        before, after = (self.scaled(values, node, state, position) for values in both)
        return before, after

    def _find_next_card(self, node: int, dealt: Board, position: int, other: Hole) -> tuple[Values, Values]:
        """Return self-play's chips before and after a turn or a river."""
        total, count, on_dealt = np.zeros((3, self.space.size))
        for board in self.boards_after(dealt[:-1], len(dealt), _holes(position, other), position):
            live = ~self.space.blocked(board)
            chips = self._after_card(node, board, position, other) * live
            total += chips
            count += live
            if board == dealt:
                on_dealt = chips
        return total / np.maximum(count, 1), on_dealt

    def _after_card(self, node: int, board: Board, position: int, other: Hole) -> Values:
        """Return self-play's chips where a turn or river has just been dealt."""
        exact = turn_equities(other, board[:3])[board[3]] if len(board) == 4 else None
        runouts = self._runouts(board, other, RIVERS)
        return self._mixed(self._mean_over(runouts, node, position, other, exact), node, board, position, other)

    def _at_flop(self, node: int, flop: Board, position: int, other: Hole) -> Values:
        """Return the model's chips where a flop has just been dealt, or is still to come."""
        assert self.model is not None
        equities = hold_em_equities(other, flop)
        return self.model.values(self._leaves[node], position, self.space.index(other), equities)

    def _mixed(self, chips: Values, node: int, board: Board, position: int, other: Hole) -> Values:
        """Return ``[hand]`` from chips ``[action, hand]``, weighted by how each action is played at the node."""
        return self.play.mix(node, position, other, board, chips.astype(np.float32)).astype(np.float64)

    def _action_values(self, node: int, state: State, position: int, other: Hole) -> Values:
        """Return self-play's chips after each action, ``[action, hand]``."""
        board, tree = state.board, self.play.file.tree
        if not self.hold_em:
            full = sum(self.game.num_board_cards)
            runouts = list(self.boards_after(board, full, _holes(position, other), position))
            return self._mean_over(runouts, node, position, other, None)
        if not board:
            assert self.model is not None
            equities = hold_em_equities(other, ())
            leaves = self.model.values(slice(None), position, self.space.index(other), equities)
            rows = np.vstack([2 * equities - 1, leaves]).astype(np.float32)
            out = np.zeros((int(tree.num_actions[node]), self.space.size), np.float32)
            self.play.before_cards(node, position, other, rows, out)
            return out.astype(np.float64)
        runouts = self._runouts(board, other, 1 if len(board) == 3 else 44)
        return self._mean_over(runouts, node, position, other, hold_em_equities(other, board))

    def _mean_over(
        self, runouts: Sequence[Board], node: int, position: int, other: Hole, exact: Values | None
    ) -> Values:
        """Return ``[action, hand]``: means of self-play's chips over full boards, each hand's over those that leave it.

        exact: equities over all runouts, which replace those of the sampled ones in the pot; None if none is sampled.
        """
        tree = self.play.file.tree
        count, won = np.zeros(self.space.size), np.zeros(self.space.size)
        out = np.zeros((int(tree.num_actions[node]), self.space.size), np.float32)
        for full in runouts:
            on_board = self.play.on_board(node, position, other, full, out)
            count += on_board.live
            won += on_board.won
        mean = out / np.maximum(count, 1)
        if exact is not None:
            missed = np.where(count > 0, 2 * exact - 1 - won / np.maximum(count, 1), 0.0)
            mean += float(tree.spent[node].min()) * missed
        return mean

    def _runouts(self, board: Board, other: Hole, rivers: int) -> list[Board]:
        """Return full boards that follow a flop, turn or river: so many rivers for each turn, fixed by the arguments."""
        left = [card for card in range(52) if card not in board and card not in other]
        random = np.random.Generator(np.random.Philox(key=mix(*board, *other)))
        if len(board) == 5:
            return [board]
        runouts = []
        for turn in [board[3:]] if len(board) == 4 else [(card,) for card in left]:
            rest = [card for card in left if card not in turn]
            runouts += [(*board[:3], *turn, int(card)) for card in random.permutation(rest)[:rivers]]
        return runouts

    def scaled(self, values: Values, node: int, state: State, position: int) -> Values:
        """Return chips of the tree as chips of the real hand: the same share of the pot, where the pots differ."""
        spent = self.play.file.tree.spent[node]
        if tuple(spent.tolist()) == state.spent:
            return values
        share = (values + int(spent[position])) / int(spent.sum())
        return np.asarray(share * state.pot - state.spent[position])

    def _start_mean(self, position: int) -> float:
        if not self.hold_em:
            return super()._start_mean(position)
        # The first hand of a starting class stands for all of it.
        state = State.start(self.game)
        _, first, sizes = np.unique(preflop_classes(), return_index=True, return_counts=True)
        total = 0.0
        for hand, hands in zip(first.tolist(), sizes.tolist(), strict=True):
            other = self.space.cards(hand)
            live = ~self.space.blocked(other)
            total += hands * float(self.values(state, position, _holes(position, other))[live].mean())
        return total / self.space.size


def _holes(position: int, other: Hole) -> tuple[Hole, Hole]:
    """Return hole cards by position where only those of the other position count."""
    return ((), other) if position == 0 else (other, ())
