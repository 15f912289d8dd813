"""A model of decision trees, which see the betting of all streets and every hand apart, and how it is learnt."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.state import Action, State
from limpet.strategies.base.strategy import Rows, one_class
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import preflop_classes
from limpet.strategies.opponents.imitation import model as learning
from limpet.strategies.opponents.imitation import raise_sizes
from limpet.strategies.opponents.imitation.features import FEATURES, betting_features, hand_features
from limpet.strategies.opponents.imitation.forest import BoostedTrees, constant, grow_forest
from limpet.strategies.opponents.imitation.hand_cells import Cells
from limpet.strategies.opponents.imitation.raise_sizes import RAISE, raise_chips, raise_size, table_rows
from limpet.strategies.opponents.imitation.situations import KINDS, Floats, possible_kinds

ROUNDS, SIZE_ROUNDS = 150, 60
"""Numbers of rounds of boosting: for fold, call and raise, and for raise sizes."""
OWN_WEIGHT = 3.0
"""Decisions of others as which one of a learnt player counts. Trees tell the two apart where that explains something."""
ALL_IN = 1000.0
"""Size that stands for all chips."""
LEAST = 1e-4
"""Probability of each legal kind of action that is added to what trees say."""
UNITS = ("multiple", "pot")
"""Unit of raises before the flop and after it, see `raise_size`."""


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
            raises = raise_chips(state, UNITS[street], sizes.classes.tolist())
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
    return part, ALL_IN if all_in else raise_size(state, action.size, UNITS[min(state.round, 1)])


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
