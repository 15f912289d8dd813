"""Plays a strategy file: the real betting is walked through the abstract tree, and the row found there is played."""

from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import CALL, FOLD, Action, State
from limpet.strategies.abstraction.cards import StrengthPercentile
from limpet.strategies.abstraction.translation import translate
from limpet.strategies.blueprint.strategy_file import StrategyFile
from limpet.strategies.folders import find_strategy
from limpet.strategies.players.formula import Formula
from limpet.strategies.sampling import uniform
from limpet.strategies.strategy import HandKey, HandStrategy, Rows, Strategy

OFF_TREE = -1
TRANSLATION = 1  # first counter of the coins that translate bets


class NodeRows(NamedTuple):
    """A node's probabilities ``[action, bucket]``, stand-ins filled in, and bool ``[bucket]`` where they stand."""

    probabilities: NDArray[np.float32]
    missed: NDArray[np.bool_]


class Blueprint(Strategy):
    """Looks up a precomputed strategy through an action translation."""

    class Options(Strategy.Options, frozen=True, forbid_unknown_fields=True):
        """Options of a blueprint player.

        strategy: a strategy's name, or the path of its folder (with a slash).
        off_tree: who plays on when the real betting has left the abstract tree: ``formula``, or ``call`` (check and
            call). Each such decision counts as a look-up miss.
        """

        strategy: str
        off_tree: Literal["formula", "call"] = "formula"

    def __init__(self, game: GameDef, options: Strategy.Options, folder: Path) -> None:
        super().__init__(game, options, folder)
        assert isinstance(options, Blueprint.Options)
        self.file = StrategyFile.open(find_strategy(options.strategy, folder))
        self.file.check_game(game)
        self._call_down = options.off_tree == "call"
        self._formula = Formula(game, Formula.Options(), folder)
        self._off_tree = 0
        self.turns_are_slow = isinstance(self.file.manifest.cards, StrengthPercentile)
        self._rows: dict[int, NodeRows] = {}

    def start_hand(self, key: HandKey) -> "BlueprintHand":
        return BlueprintHand(self, key)

    def report(self) -> dict[str, int]:
        """`off_tree`: decisions after the real betting had left the tree. Other misses are rows never trained."""
        return {"off_tree": self._off_tree}

    def describe(self) -> dict[str, str]:
        manifest = self.file.manifest
        return {"folder": str(self.file.folder), "trained": f"{manifest.algorithm}, {manifest.iterations:,} iterations"}

    def warm_up(self) -> None:
        self._formula.warm_up()
        state = State.start(self.game)
        deck = self.game.deck
        while not state.finished:
            self.start_hand(HandKey(0, 0, state.actor)).rows(state)
            state = state.apply(CALL).with_board(state.board)
            state = state.with_board(deck[: self.game.board_sizes[state.round]])

    def node_rows(self, node: int) -> NodeRows:
        """The rows of a node, ready to play; those of up to 4,096 nodes are kept."""
        rows = self._rows.get(node)
        if rows is None:
            if len(self._rows) >= 4096:
                self._rows.clear()
            probabilities = np.ascontiguousarray(self.file.node_rows(node).T)
            missed = probabilities.sum(axis=0) == 0
            if missed.any():
                probabilities = _fill_from_neighbours(probabilities, missed)
            rows = self._rows[node] = NodeRows(probabilities, missed)
        return rows

    def stand_in_slow(self, state: State, key: HandKey) -> bool:
        """Whether `stand_in` may take more than a millisecond."""
        return not self._call_down and self._formula.start_hand(key).slow(state)

    def stand_in(self, state: State, key: HandKey) -> Rows:
        """Rows for a state outside the tree, all marked as missed."""
        self._off_tree += 1
        if self._call_down:
            hands = len(self.file.cards.bucket_vector(state.round, state.board))
            rows = Rows((CALL,), np.ones((1, 1), np.float32), np.zeros(hands, np.int16))
        else:
            rows = self._formula.start_hand(key).rows(state)
        return Rows(rows.actions, rows.probabilities, rows.classes, np.ones(rows.probabilities.shape[1], np.bool_))


class BlueprintHand(HandStrategy):
    """Answers for one hand. Keeps the abstract node of every betting sequence met, so a coin is thrown once per bet."""

    def __init__(self, blueprint: Blueprint, key: HandKey) -> None:
        self._blueprint = blueprint
        self._key = key
        self._nodes = {"": 0}

    def slow(self, state: State) -> bool:
        """A new turn board takes about a millisecond to bucket, and the stand-in may think; the rest is looked up."""
        blueprint = self._blueprint
        if self.node(state) == OFF_TREE:
            return blueprint.stand_in_slow(state, self._key)
        return blueprint.turns_are_slow and state.round == 2

    def rows(self, state: State) -> Rows:
        blueprint = self._blueprint
        node = self.node(state)
        if node == OFF_TREE:
            return blueprint.stand_in(state, self._key)
        probabilities, missed = blueprint.node_rows(node)
        actions, probabilities = _merge(self.real_actions(node, state), probabilities)
        buckets = blueprint.file.cards.bucket_vector(state.round, state.board)
        return Rows(actions, probabilities, buckets, missed)

    def node(self, state: State) -> int:
        """The abstract decision node that stands for `state`, or `OFF_TREE`."""
        node = self._nodes.get(state.betting)
        if node is None:
            assert state.parent is not None and state.action is not None
            node = self.node(state.parent)
            if node != OFF_TREE:
                node = self._follow(node, state.parent, state.action)
            tree = self._blueprint.file.tree
            # The abstract hand can be elsewhere than the real one: a bet mapped to all-in was called, for one.
            if tree.player[node] != state.actor or tree.round[node] != state.round:
                node = OFF_TREE
            self._nodes[state.betting] = node
        return node

    def real_actions(self, node: int, state: State) -> list[Action]:
        """For each action of the abstract node the legal real action it stands for, in the same order."""
        tree = self._blueprint.file.tree
        bounds = state.raise_bounds()
        real = []
        for action in tree.actions(node):
            if action.kind == "f":
                real.append(FOLD if state.can_fold else CALL)
            elif action.kind == "c" or bounds is None:
                real.append(CALL)
            elif not state.game.no_limit:
                real.append(action)
            else:
                chips = self._real_raise(node, state, action.size)
                real.append(Action("r", min(max(chips, bounds[0]), bounds[1])))
        return real

    def _follow(self, node: int, state: State, action: Action) -> int:
        """The abstract child that stands for the real `action` in `state`; `OFF_TREE` if there is none."""
        tree = self._blueprint.file.tree
        abstract = tree.actions(node)
        candidates = [index for index, kept in enumerate(abstract) if kept.kind == action.kind]
        if not candidates:
            return OFF_TREE
        chosen = candidates[0]
        if len(candidates) > 1:
            real = self.real_actions(node, state)
            exact = [index for index in candidates if real[index] == action]
            chosen = exact[0] if exact else candidates[self._translated(node, state, action, candidates)]
        return tree.child(node, chosen)

    def _translated(self, node: int, state: State, action: Action, candidates: list[int]) -> int:
        abstract = self._blueprint.file.tree.actions(node)
        pot = state.pot + state.to_call
        sizes = [self._fraction(node, state, abstract[index].size) for index in candidates]
        coin = uniform(self._key, TRANSLATION, state.actions_in_hand)
        return translate(sizes, (action.size - state.max_spent) / pot, coin)

    def _fraction(self, node: int, state: State, size: int) -> float:
        """An abstract raise as a pot fraction; all-in stays all-in, so its fraction is that of the real stack."""
        if size == state.game.stack[state.actor]:
            return (size - state.max_spent) / (state.pot + state.to_call)
        spent = self._blueprint.file.tree.spent[node]
        most = int(spent.max())
        return (size - most) / (int(spent.sum()) + most - int(spent[state.actor]))

    def _real_raise(self, node: int, state: State, size: int) -> int:
        """The real raise-to of an abstract one: the same chips where the pots agree, the same pot fraction elsewhere."""
        if (
            size == state.game.stack[state.actor]
            or tuple(self._blueprint.file.tree.spent[node].tolist()) == state.spent
        ):
            return size
        return state.max_spent + round(self._fraction(node, state, size) * (state.pot + state.to_call))


def _merge(actions: list[Action], probabilities: NDArray[np.float32]) -> tuple[tuple[Action, ...], NDArray[np.float32]]:
    """Rows whose abstract actions became the same real one are added up."""
    distinct = tuple(dict.fromkeys(actions))
    if len(distinct) == len(actions):
        return distinct, probabilities
    merged = np.zeros((len(distinct), probabilities.shape[1]), np.float32)
    for index, action in enumerate(actions):
        merged[distinct.index(action)] += probabilities[index]
    return distinct, merged


def _fill_from_neighbours(probabilities: NDArray[np.float32], missed: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Never-trained buckets borrow the row of the nearest trained one; with none at all, check or call is played.

    Nearest in bucket number: buckets are ordered by strength, or by hand and board where nothing is merged.
    """
    filled = probabilities.copy()
    trained = np.flatnonzero(~missed)
    if not len(trained):
        filled[min(1, len(filled) - 1)] = 1.0
        return filled
    wanted = np.flatnonzero(missed)
    nearest = trained[np.abs(wanted[:, None] - trained[None, :]).argmin(axis=1)]
    filled[:, wanted] = probabilities[:, nearest]
    return filled
