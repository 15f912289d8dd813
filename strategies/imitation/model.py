"""A learnt model of a player: hand-blind rows for every decision of any seat in no-limit hold'em."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import CALL, FOLD, Action, State, raise_to
from limpet.strategies.imitation import hand_cells
from limpet.strategies.imitation.back_off import Levels
from limpet.strategies.imitation.hand_cells import GROUPS, ITERATIONS, Cells, Grid, action_probabilities
from limpet.strategies.imitation.preflop_tree import RAISE, Node, Tree, TreeOptions
from limpet.strategies.imitation.raise_sizes import DEFAULTS, SizeMenu, raise_chips
from limpet.strategies.imitation.situations import KINDS, situations, size_situation
from limpet.strategies.strategy import Rows

Floats = NDArray[np.float64]
Weight = Annotated[float, msgspec.Meta(ge=0)]


class ModelOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options of learning, kept with the model.

    merge_suited: before the flop, suited and offsuit hands of equal ranks are counted together, as in the thesis.
    ace_low: before the flop, the ace is the neighbour of the deuce, as in the thesis's printed tables.
    iterations: rounds of averaging over neighbouring hands in the nodes of the preflop tree.
    tree: numbers and unit of the tree's raise sizes.
    tree_weight: hands as which the frequencies by situation count in each cell of a tree's node; 0 plays bare counts.
    level_weight: decisions as which coarser situations count in a more detailed one.
    level_iterations: rounds of averaging over neighbouring hands in the frequencies by situation.
    cells: number of cells of hands by strength after the flop.
    sizes: number of raise sizes of a situation.
    unseen: what is learnt from hands that were never shown: nothing (ignore), or by their posterior (bayes).
    postflop: whether play after the flop is learnt.
    """

    merge_suited: bool = False
    ace_low: bool = False
    iterations: Annotated[int, msgspec.Meta(ge=0, le=13)] = 0
    tree: TreeOptions = TreeOptions()
    tree_weight: Weight = 4.0
    level_weight: Weight = 15.0
    level_iterations: Annotated[int, msgspec.Meta(ge=0, le=13)] = 1
    cells: Annotated[int, msgspec.Meta(ge=3, le=100)] = 10
    sizes: Annotated[int, msgspec.Meta(ge=1, le=10)] = 3
    unseen: Literal["ignore", "bayes"] = "ignore"
    postflop: bool = True

    @property
    def grid(self) -> Grid:
        return Grid(self.merge_suited, self.ace_low)


THESIS = ModelOptions(merge_suited=True, iterations=ITERATIONS, tree=TreeOptions(unit="added"), tree_weight=0.0)
"""Options of the thesis before the flop, with the ace beside the king."""

PRIOR_LEVEL_WEIGHT = 40.0
"""Level weight of one player's model over a prior of many players: a prior is left only for good reasons."""


@dataclass(eq=False)
class Model:
    """A player's frequencies before and after the flop, and raise sizes. `prior` is played where nothing was learnt.

    learnt_from: int64 ``[hand]``, ascending: digests of the hands that it was learnt from; None where they are not known.
    """

    options: ModelOptions
    tree: Tree
    preflop: Levels
    postflop: Levels
    sizes: dict[str, SizeMenu]
    prior: "Model | None" = None
    learnt_from: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        self._preflop_rows = lru_cache(maxsize=4096)(
            lambda state: self._as_rows(state, self.by_situation(state), self.tree.find(state))
        )

    def is_ready(self, state: State) -> bool:
        """Return whether `rows` answers within a millisecond."""
        return hand_cells.is_ready(state.board, self.options.cells)

    def cells(self, state: State) -> Cells:
        """Return int16 ``[1326]``: the cell of each hand in `state`, -1 for blocked hands; read-only."""
        if state.round == 0:
            return hand_cells.preflop_cells(self.options.grid)
        return hand_cells.strength_cells(state.board, self.options.cells)

    def rows(self, state: State) -> Rows:
        """Return the probabilities of the actor of `state`, whose board is dealt, for every hand."""
        if state.round == 0:
            return self._preflop_rows(state)
        return self._as_rows(state, self.by_situation(state), None)

    def kinds(self, state: State) -> Floats:
        """Return float64 ``[3, cell]``: probabilities of fold, call and raise."""
        rows = self.rows(state)
        kinds = np.zeros((3, rows.probabilities.shape[1]))
        for action, row in zip(rows.actions, rows.probabilities, strict=True):
            kinds[KINDS.index(action.kind)] += row
        return kinds

    def by_situation(self, state: State) -> Floats:
        """Return float64 ``[3, cell]``: probabilities of fold, call and raise by situation alone, without the tree."""
        levels = self.postflop if state.round else self.preflop
        return levels.scaled(self.start(state), situations(state))

    def start(self, state: State) -> Floats:
        """Return float64 ``[3, cell]``: the prior's probabilities, or equal ones for all legal kinds of actions."""
        if self.prior is not None:
            return self.prior.kinds(state)
        legal = legal_kinds(state)
        cells = self.options.cells if state.round else self.options.grid.size
        return np.repeat(legal[:, None] / legal.sum(), cells, axis=1)

    def menu(self, state: State) -> SizeMenu:
        if size_situation(state) in self.sizes:
            return self.sizes[size_situation(state)]
        return DEFAULTS[min(state.round, 1)] if self.prior is None else self.prior.menu(state)

    def _as_rows(self, state: State, kinds: Floats, node: Node | None) -> Rows:
        """Return rows over legal actions, with raises of the node's sizes if it has some, else of the situation's."""
        options = self.options
        raises: list[int] = []
        if node is not None:
            unit, sizes = options.tree.unit, node.sizes
            shares = (node.taken[RAISE:] + 1) / (node.taken[RAISE:].sum() + max(1, len(sizes)))
            prior = np.concatenate([kinds[:RAISE], shares[:, None] * kinds[RAISE]] if len(sizes) else [kinds])
            counts = np.zeros_like(prior)
            counts[: len(node.counts)] = node.counts
            table = action_probabilities(counts, options.grid, options.iterations, prior, options.tree_weight)
            if len(sizes):
                raises = [chips for size in sizes.tolist() if (chips := raise_chips(state, unit, size)) is not None]
        else:
            table = kinds
        legal = legal_kinds(state)
        if legal[RAISE] and not raises:
            menu = self.menu(state)
            raises = menu.chips(state)
            cells = self.options.cells
            groups = np.arange(cells) * GROUPS // cells if state.round else hand_cells.preflop_groups(options.grid)
            split = np.array(menu.shares)[:, groups]
            table = np.concatenate([table[:RAISE], table[RAISE] * split])
        merged: dict[Action, Floats] = {FOLD: table[0]} if legal[0] else {}
        merged[CALL] = table[1] + (0 if legal[0] else table[0])
        if not legal[RAISE]:
            merged[CALL] = merged[CALL] + table[RAISE:].sum(axis=0)
        else:
            for chips, row in zip(raises, table[RAISE:], strict=True):
                merged[raise_to(chips)] = merged.get(raise_to(chips), 0.0) + row
        probabilities = np.array(list(merged.values()))
        probabilities /= probabilities.sum(axis=0)
        return Rows(tuple(merged), probabilities.astype(np.float32), self.cells(state))


def legal_kinds(state: State) -> Floats:
    """Return float64 ``[3]``: 1 for each legal kind of fold, call and raise, else 0."""
    return np.array([state.can_fold, True, state.raise_bounds() is not None], np.float64)
