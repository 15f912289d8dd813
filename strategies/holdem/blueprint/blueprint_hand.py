"""A strategy file in a seat, and its answers during one hand."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.common.folders import find_strategy
from limpet.configs.fitting import under
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import CALL, FOLD, Action, State, action_order
from limpet.strategies.abstraction.cards import Lossless
from limpet.strategies.abstraction.menu import Translation
from limpet.strategies.base.sampling import is_below
from limpet.strategies.base.strategy import HandKey, HandStrategy, Rows, one_class
from limpet.strategies.cards.handspace import game_hands
from limpet.strategies.holdem.blueprint.flop_values import FlopValues
from limpet.strategies.holdem.blueprint.strategy_file import PlayedRows, StrategyFile
from limpet.strategies.holdem.blueprint.walk import START, Branch, Walk, WeightedNode, WeightedNodes

# --- Seats, which play one position: by a strategy file with its translation, or by a fixed habit that needs no file.

NO_ROW = -1
"""The row of a part that is a constant."""


class RowShare(NamedTuple):
    """One of the rows that an answer is made of.

    Attributes:
        row: the first entry of bucket b in the seat's table is ``row + b * len(to)``; `NO_ROW` for a constant.
        to: for each entry of the row, the index of the real action that it counts for.
        share: weight of the row; a constant's probability.
    """

    row: int
    to: tuple[int, ...]
    share: float = 1.0


class BlueprintAnswer(NamedTuple):
    """A seat's answer to a public state, for all hands at once.

    Attributes:
        actions: the real actions in fixed order.
        parts: the parts whose sum is how likely the actions are.
        mean: whether the sums are still to be divided by their total.
    """

    actions: tuple[Action, ...]
    parts: tuple[RowShare, ...]
    mean: bool = False


class BlueprintSeat:
    """A strategy file, its rows as played (`strategy_file.PlayedRows`), and the walk through its tree (`walk.Walk`)."""

    def __init__(
        self, file: StrategyFile, translation: Translation = "pseudo-harmonic", threshold: float = 0.0,
        purify: bool = False,
    ) -> None:  # fmt: skip
        self.file = file
        self.rows = PlayedRows(file, threshold, purify)
        self.walk = Walk(file.tree, translation)
        self.hands = game_hands(file.game).size
        self.turns_are_slow = not isinstance(file.manifest.cards, Lossless)

    @property
    def key(self) -> tuple[object, ...]:
        """Seats of equal keys play equally and walk their trees equally."""
        rows, walk = self.rows, self.walk
        return self.file.manifest.sha256, rows.threshold, rows.purify, walk.translation

    def plan(self, nodes: WeightedNodes, state: State) -> BlueprintAnswer | None:
        """Return the answer to a state; None where the betting has left the tree."""
        if not nodes:
            return None
        real = [self.walk.real_actions(weighted, state) for weighted in nodes]
        ordered = sorted({action for of_place in real for action in of_place}, key=action_order)
        parts = tuple(
            RowShare(int(self.file.offset[weighted.node]), tuple(map(ordered.index, of_place)), weighted.weight)
            for weighted, of_place in zip(nodes, real, strict=True)
        )
        return BlueprintAnswer(tuple(ordered), parts, mean=len(nodes) > 1)

    def follow(self, nodes: WeightedNodes, state: State, after: State) -> list[Branch]:
        """See `walk.Walk.follow`."""
        return self.walk.follow(nodes, state, after)

    def table(self, marked: bool = False) -> NDArray[np.float32]:
        """Return the rows of all plans, see `strategy_file.PlayedRows.table`."""
        return self.rows.table(marked)


class Passive:
    """A seat that needs no file: it folds to every bet, checks and calls, or acts otherwise by the betting alone."""

    file = None

    def __init__(self, kind: str, act: Callable[[State], Action] | None = None) -> None:
        """kind: ``fold`` or ``call``, or the name of what `act` does. Seats of one kind play equally."""
        self.kind = self.key = kind
        self._act = act or (lambda state: FOLD if kind == "fold" and state.can_fold else CALL)

    def plan(self, nodes: WeightedNodes, state: State) -> BlueprintAnswer:
        return BlueprintAnswer((self._act(state),), (RowShare(NO_ROW, (0,)),))

    def follow(self, nodes: WeightedNodes, state: State, after: State) -> list[Branch]:
        return [Branch(1.0, START)]

    def table(self, marked: bool = False) -> NDArray[np.float32]:
        return np.zeros(1, np.float32)


Seated = BlueprintSeat | Passive
"""A seat of a duel or of the match engine; it knows nothing of hands. Seats of equal keys play equally."""


class Depth(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"least": "from", "most": "to"}):
    """A range of stacks in big blinds, the shorter of uneven ones, with the strategy that plays it.

    Its bets are read and made as fractions of the pot, and all-in is all-in. The nearer the stacks are to those of its
    training, the better it plays. A list names one strategy for each position.
    """

    least: Annotated[float, msgspec.Meta(gt=0)]
    most: Annotated[float, msgspec.Meta(gt=0)]
    strategy: str | tuple[str, ...]


def open_seats(
    game: GameDef, names: tuple[str, ...], folder: Path, translation: Translation = "pseudo-harmonic",
    threshold: float = 0.0, purify: bool = False, depths: Sequence[Depth] = (),
) -> tuple[BlueprintSeat, ...]:  # fmt: skip
    """Return the seats of every position of `game`, from one strategy for all or one for each.

    depths: strategies for stacks other than those that `names` are for, see `Depth`. With them, no-limit blinds may be
        other numbers in the same ratio.

    Raises `Misfit`, under the option that names it, for a strategy of another game or position, for one that cannot be
    opened, and for stacks that nobody plays.
    """
    with under("strategy"):
        files = _opened(game, names, folder, bool(depths))
        if not depths:
            for file in files:
                file.check_game(game)
    if any((file.game.stack, file.game.blind) != (game.stack, game.blind) for file in files):
        with under("depths"):
            files = _opened(game, named_for(game, depths), folder, any_unit=True)
    opened = [BlueprintSeat(file, translation, threshold, purify) for file in files]
    seats = tuple(opened * (game.num_players // len(opened)))
    with under("strategy"):
        for position, seat in enumerate(seats):
            seat.file.check_position(position)
    return seats


def named_for(game: GameDef, depths: Sequence[Depth]) -> tuple[str, ...]:
    """Return the strategies of the first range with a game's stacks. Raises `ValueError` if there is none."""
    shorter = min(game.stack) / game.big_blind
    for depth in depths:
        if depth.least <= shorter <= depth.most:
            return (depth.strategy,) if isinstance(depth.strategy, str) else depth.strategy
    ranges = ", ".join(f"{depth.least:g} to {depth.most:g}" for depth in depths)
    raise ValueError(
        f"stacks of {shorter:g} big blinds are in none of the 'depths' ({ranges}); add a range with the strategy that is to "
        "play them"
    )


def _opened(game: GameDef, names: tuple[str, ...], folder: Path, any_unit: bool) -> list[StrategyFile]:
    """Open the named strategies. Raises `ValueError` for a wrong number of names and for other rules."""
    if len(names) not in (1, game.num_players):
        raise ValueError(f"{len(names)} strategies for {game.num_players} positions; name one for each, or one for all")
    files = [StrategyFile.open(find_strategy(name, folder)) for name in names]
    for file in files:
        file.check_rules(game, any_unit)
    return files


TRANSLATION = 1
"""First counter of the random numbers that translate bets."""


class BlueprintHand(HandStrategy):
    """Answers for one hand. The nodes found for each betting sequence are kept, so that each bet is translated once."""

    def __init__(
        self, seat: BlueprintSeat, key: HandKey, off_tree: HandStrategy, flops: FlopValues | None = None
    ) -> None:
        """Begin a hand. off_tree: answers where the real betting has left the seat's tree.

        flops: finds the flop of the tree that is most like one after raises that the tree does not have; without it each raise is
        translated by itself.
        """
        self.seat, self.flops, self._key, self._off_tree = seat, flops, key, off_tree
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

    def rows_for(self, state: State, hand: int) -> Rows:
        answer = self._by_bucket(state)
        if answer is None:
            return self._off_tree.rows_for(state, hand)
        actions, probabilities, missed = answer
        bucket = self.seat.file.cards.bucket(state.round, state.board, hand)
        own = slice(bucket, bucket + 1)
        return Rows(actions, probabilities[:, own], one_class(self.seat.hands), missed[own])

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

    def fits(self, game: GameDef) -> bool:
        """Return whether a game has the stacks of the tree, in big blinds, the shorter of uneven ones."""
        own = self.seat.file.game
        return min(game.stack) * own.big_blind == min(own.stack) * game.big_blind

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
