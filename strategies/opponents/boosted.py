"""A model of boosted decision trees, which see the betting of all streets and every hand apart, and how it is learnt.

Trees are grown by scikit-learn, kept as plain arrays, and evaluated without it.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limpet.common.jit import njit
from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.state import Action, State
from limpet.strategies.base.strategy import Rows, one_class
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import preflop_classes
from limpet.strategies.opponents import imitation as learning
from limpet.strategies.opponents import raise_sizes
from limpet.strategies.opponents.features import FEATURES, betting_features, hand_features
from limpet.strategies.opponents.hand_cells import Cells
from limpet.strategies.opponents.raise_sizes import RAISE, raise_chips, table_rows
from limpet.strategies.opponents.situations import KINDS, Floats, possible_kinds, raise_size, street_unit

# --- Forests of decision trees.


@njit(cache=True, nogil=True, error_model="numpy")
def add_trees(
    samples: NDArray[np.float64],
    roots: NDArray[np.int32],
    feature: NDArray[np.int16],
    threshold: NDArray[np.float64],
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    sums: NDArray[np.float64],
) -> None:
    """Add to ``sums[sample, class]`` the leaves that samples ``[sample, feature]`` come to in the trees ``roots[round, class]``.

    A node with a negative feature is a leaf, and its threshold is the leaf's value. Others send a sample to the left
    whose feature is at most the threshold. Trees are added in their order, round by round.
    """
    for sample in range(samples.shape[0]):
        for number in range(roots.shape[0]):
            for each in range(roots.shape[1]):
                node = roots[number, each]
                while feature[node] >= 0:
                    node = left[node] if samples[sample, feature[node]] <= threshold[node] else right[node]
                sums[sample, each] += threshold[node]


Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BoostedTrees:
    """Probabilities of some classes from features: the softmax of what the trees of each class add up to.

    Attributes:
        classes: float64 ``[class]``, what each class stands for, ascending.
        baseline: float64 ``[class]``, what the sums begin with.
        roots: int32 ``[round, class]``: node at which each tree begins. Of two classes the second alone has trees.
        feature: int16 ``[node]``, negative in leaves. threshold: float64 ``[node]``, the value of a leaf.
        left, right: int32 ``[node]``: where samples go on whose feature is at most the threshold, and others.
    """

    classes: Numbers
    baseline: Numbers
    roots: NDArray[np.int32]
    feature: NDArray[np.int16]
    threshold: Numbers
    left: NDArray[np.int32]
    right: NDArray[np.int32]

    def probabilities(self, samples: Numbers) -> Numbers:
        """Return float64 ``[sample, class]``. `samples`: float64 ``[sample, feature]``."""
        sums = np.zeros((len(samples), len(self.classes)))
        sums[:] = self.baseline
        trees = self.roots.shape[1]
        if trees:
            add_trees(samples, self.roots, self.feature, self.threshold, self.left, self.right, sums[:, -trees:])
        sums = np.exp(sums - sums.max(axis=1, keepdims=True))
        return np.asarray(sums / sums.sum(axis=1, keepdims=True))

    def arrays(self, name: str) -> dict[str, NDArray[Any]]:
        """Return the arrays of a file, from which `from_arrays` makes the forest again."""
        return {f"{name}.{field.name}": getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], name: str, features: int) -> "BoostedTrees":
        """Return a forest over so many features. Raises `KeyError` or `ValueError` for arrays that make none."""
        # Aligned copies: arrays that lie in a mapped file would be compiled for once more.
        forest = cls(*(np.array(arrays[f"{name}.{field.name}"]) for field in fields(cls)))
        nodes, classes = len(forest.feature), len(forest.classes)
        number, inner = np.arange(nodes), forest.feature >= 0
        fits = (
            classes > 0
            and forest.baseline.shape == (classes,)
            and forest.roots.ndim == 2
            and forest.roots.shape[1] in (0, 1 if classes == 2 else classes)
            and all(each.shape == (nodes,) for each in (forest.threshold, forest.left, forest.right))
            and ((forest.roots >= 0) & (forest.roots < nodes)).all()
            and (forest.feature < features).all()
            and all(((each > number) & (each < nodes))[inner].all() for each in (forest.left, forest.right))
            and np.isfinite(forest.threshold).all()
            and np.isfinite(forest.baseline).all()
        )
        if not fits:
            raise ValueError(f"the arrays {name}.* make no trees")
        return forest


def constant(classes: Numbers) -> BoostedTrees:
    """Return a forest without trees, to which all classes are equally likely."""
    nodes = np.zeros(0, np.int32)
    trees = np.zeros((0, 0), np.int32)
    return BoostedTrees(classes, np.zeros(len(classes)), trees, np.zeros(0, np.int16), np.zeros(0), nodes, nodes)


def grow_forest(samples: Numbers, classes: Numbers, weights: Numbers, rounds: int) -> BoostedTrees:
    """Return the forest that scikit-learn grows, in so many rounds, to predict classes from samples ``[sample, feature]``.

    Raises `ValueError` where scikit-learn is missing.
    """
    present, numbers = np.unique(classes, return_inverse=True)
    if len(present) < 2:
        return constant(present)
    return from_library(library_fit(samples, numbers, weights, rounds), present)


def library_fit(samples: Numbers, numbers: NDArray[np.intp], weights: Numbers, rounds: int) -> Any:
    """Return scikit-learn's learner of classes by their numbers. Raises `ValueError` where scikit-learn is missing."""
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
        from threadpoolctl import threadpool_limits  # which scikit-learn depends on
    except ImportError as error:
        raise ValueError("trees need scikit-learn; install it with: pip install scikit-learn") from error
    learner = HistGradientBoostingClassifier(
        learning_rate=0.1, max_iter=rounds, max_leaf_nodes=31, min_samples_leaf=100, l2_regularization=10,
        max_features=0.3, early_stopping=False, random_state=0,
    )  # fmt: skip
    # Threads that wait for each other gain little here, lose much on a busy machine, and add numbers in any order.
    with threadpool_limits(1):
        return learner.fit(samples, numbers, sample_weight=weights)


def from_library(learnt: Any, classes: Numbers) -> BoostedTrees:
    """Return the forest of a fitted `HistGradientBoostingClassifier` whose features are numbers, none of them missing.

    classes: float64 ``[class]``, what the learner's classes stand for.
    """
    trees = [tree.nodes for each in learnt._predictors for tree in each]
    starts = np.cumsum([0, *map(len, trees)])
    nodes = np.concatenate(trees)
    shift = np.repeat(starts[:-1], np.diff(starts))
    leaf = nodes["is_leaf"].astype(bool)
    baseline = np.ravel(learnt._baseline_prediction)
    return BoostedTrees(
        classes,
        np.concatenate([np.zeros(len(classes) - len(baseline)), baseline]).astype(np.float64),
        starts[:-1].reshape(len(learnt._predictors), -1).astype(np.int32),
        np.where(leaf, -1, nodes["feature_idx"]).astype(np.int16),
        np.where(leaf, nodes["value"], nodes["num_threshold"]).astype(np.float64),
        (nodes["left"] + shift).astype(np.int32),
        (nodes["right"] + shift).astype(np.int32),
    )


# --- A player's model.

ROUNDS, SIZE_ROUNDS = 150, 60
"""Numbers of rounds of boosting: for fold, call and raise, and for raise sizes."""
OWN_WEIGHT = 3.0
"""Decisions of others as which one of a learnt player counts. Trees tell the two apart where that explains something."""
ALL_IN = 1000.0
"""Size that stands for all chips."""
LEAST = 1e-4
"""Probability of each legal kind of action that is added to what trees say."""


@dataclass(eq=False)
class BoostedModel:
    """A player's probabilities by decision trees: for the index in `KINDS` of an action, and for the size of a raise.

    The pairs hold what is played before the flop, and after it. `seats` are the numbers of players at the tables that it was
    learnt at, and `learnt_from` int64 ``[hand]`` the digests of the hands, both ascending.
    """

    kinds_forests: tuple[BoostedTrees, BoostedTrees]
    size_forests: tuple[BoostedTrees, BoostedTrees]
    seats: tuple[int, ...]
    learnt_from: NDArray[np.int64]

    def __post_init__(self) -> None:
        self._preflop_rows = lru_cache(maxsize=4096)(self._rows)

    def cells(self, state: State) -> Cells:
        """Return int16 ``[1326]``: the column of each hand, -1 for blocked hands. After the flop each has its own."""
        if state.round == 0:
            return preflop_classes().astype(np.int16)
        blocked = hand_space().blocked(state.board)
        return np.where(blocked, -1, np.cumsum(~blocked) - 1).astype(np.int16)

    def rows(self, state: State) -> Rows:
        """Return the probabilities of the actor of `state`, whose board is dealt, for every hand."""
        return self._rows(state) if state.round else self._preflop_rows(state)

    def rows_for(self, state: State, hand: int) -> Rows:
        """Return rows whose column of one of the 1,326 hands is that of `rows`; those of other hands may be wrong."""
        if state.round == 0:
            return self.rows(state)
        return self._of_hands(state, np.array([hand]), one_class(hand_space().size))

    def kinds(self, state: State) -> Floats:
        """Return float64 ``[3, cell]``: probabilities of fold, call and raise."""
        return raise_sizes.kinds_of(self.rows(state))

    def warm_up(self, game: GameDef) -> None:
        """Compile, and do what the first decisions of a match would have to wait for."""
        for cards in (3, 4, 5):
            hand_features(tuple(range(cards)))
        self.rows(State.start(game))

    def _rows(self, state: State) -> Rows:
        cells = self.cells(state)
        hands = np.unique(cells, return_index=True)[1]
        return self._of_hands(state, hands[-(cells.max() + 1) :], cells)

    def _of_hands(self, state: State, hands: NDArray[np.intp], cells: Cells) -> Rows:
        street = min(state.round, 1)
        samples = decision_features(state, hands)
        kinds, sizes = self.kinds_forests[street], self.size_forests[street]
        table = np.zeros((3, len(hands)))
        table[kinds.classes.astype(np.intp)] = kinds.probabilities(samples).T
        table = (table + LEAST) * np.array(possible_kinds(state))[:, None]
        raises: list[int] = []
        if possible_kinds(state)[RAISE]:
            raises = raise_chips(state, street_unit(state), sizes.classes.tolist())
            table = np.concatenate([table[:RAISE], table[RAISE] * sizes.probabilities(samples).T])
        return table_rows(state, table, raises, cells)


def decision_features(state: State, hands: NDArray[np.intp]) -> Floats:
    """Return float64 ``[hand, feature]``: what trees see of the actor's decision with each of some hands, see `FEATURES`."""
    samples = np.ones((len(hands), len(FEATURES)))
    betting = betting_features(state)
    samples[:, : len(betting)] = betting
    samples[:, len(betting) : -1] = hand_features(state.board)[hands]
    return samples


def learn_trees(
    hands: Iterable[HandRecord], names: Collection[str] | None = None
) -> learning.LearntModel[BoostedModel]:
    """Return a model of the named players as one, or of all players where `names` is None.

    All players of the hands are learnt from: the named ones are told from others where that explains what they do, so that
    few hands of a player suffice. Decisions with hole cards that are not known are left out.

    Raises `Unlearnable` for hands of other games than no-limit hold'em, where none of the named players decided anything, and
    where none of their cards are known; `ValueError` where scikit-learn is missing.
    """
    taken: tuple[list[Floats], list[Floats]] = ([], [])
    digests, seats = [], set()
    own_hands = decisions = seen = 0
    for hand in hands:
        learning.require_learnable(hand)
        digests.append(learning.hand_digest(hand))
        seats.add(hand.state.game.num_players)
        before = decisions
        for state, action, holes in hand.decisions():
            own = names is None or hand.names[state.actor] in names
            hole = holes[state.actor]
            decisions += own
            if not hole:
                continue
            seen += own
            sample = decision_features(state, np.array([hand_space().index(hole)]))[0]
            sample[-1] = own
            part, size = _size(state, action) if action.kind == "r" else (-1, -1.0)
            taken[min(state.round, 1)].append(np.array([*sample, KINDS.index(action.kind), part, size]))
        own_hands += decisions > before
    if not decisions:
        raise learning.nobody_decided(names)
    if not seen:
        raise learning.Unlearnable(
            "none of their hole cards are known, and trees learn from known ones; learn frequencies"
        )
    (before_flop, preflop_sizes), (after_flop, postflop_sizes) = (_forests(taken[street], street) for street in (0, 1))
    model = BoostedModel(
        (before_flop, after_flop), (preflop_sizes, postflop_sizes), tuple(sorted(seats)),
        np.unique(np.array(digests, np.int64)),
    )  # fmt: skip
    return learning.LearntModel(model, own_hands, decisions, seen)


def _size(state: State, action: Action) -> tuple[int, float]:
    """Return the part of all sizes that a raise is in, and its size."""
    part = raise_sizes.size_part(state, action.size)
    all_in = part == raise_sizes.size_parts(state) - 1
    return part, ALL_IN if all_in else raise_size(state, action.size)


def _forests(taken: list[Floats], street: int) -> tuple[BoostedTrees, BoostedTrees]:
    """Return the trees for kinds of actions and for raise sizes, before the flop (0) or after it (1).

    Sizes of one part are played as the one in their middle. taken: for each decision its features, the index of its kind,
    and the part of all sizes and the size of a raise, else -1.
    """
    columns = np.array(taken).reshape(-1, len(FEATURES) + 3)
    rows, (kinds, parts, sizes) = np.ascontiguousarray(columns[:, :-3]), columns[:, -3:].T.copy()
    own = rows[:, -1] > 0
    weights = np.where(own & ~own.all(), OWN_WEIGHT, 1.0)
    found = grow_forest(rows, kinds, weights, ROUNDS) if taken else constant(np.arange(3.0))
    raised = parts >= 0
    if not raised.any():
        return found, constant(np.array(raise_sizes.DEFAULTS[street].sizes))
    for part in np.unique(parts[raised]):
        sizes[parts == part] = np.median(sizes[parts == part])
    return found, grow_forest(rows[raised], sizes[raised], weights[raised], SIZE_ROUNDS)
