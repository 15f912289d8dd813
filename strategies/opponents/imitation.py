"""A learnt model of a player, hand-blind rows for every decision of any seat, and how it is learnt from recorded hands."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Annotated, Generic, Literal, NamedTuple, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.state import State
from limpet.strategies.base.strategy import Rows
from limpet.strategies.cards.handspace import hand_space, is_holdem
from limpet.strategies.opponents import hand_cells, raise_sizes, situations
from limpet.strategies.opponents.hand_cells import GROUPS, ITERATIONS, CellGrid, Cells
from limpet.strategies.opponents.raise_sizes import RAISE, Tree, TreeOptions, raise_chips, table_rows
from limpet.strategies.opponents.situations import Floats, Levels, RecordedDecision, possible_kinds

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
    def grid(self) -> CellGrid:
        return CellGrid(self.merge_suited, self.ace_low)


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
    sizes: dict[str, raise_sizes.SizeMenu]
    prior: "Model | None" = None
    learnt_from: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        self._preflop_rows = lru_cache(maxsize=4096)(lambda state: self._as_rows(state, self.tree.find(state)))

    def cells(self, state: State) -> Cells:
        """Return int16 ``[1326]``: the cell of each hand in `state`, -1 for blocked hands; read-only."""
        if state.round == 0:
            return hand_cells.preflop_cells(self.options.grid)
        return hand_cells.strength_cells(state.board, self.options.cells)

    def rows(self, state: State) -> Rows:
        """Return the probabilities of the actor of `state`, whose board is dealt, for every hand."""
        return self._as_rows(state, None) if state.round else self._preflop_rows(state)

    def rows_for(self, state: State, hand: int) -> Rows:
        """Return rows whose column of one of the 1,326 hands is right: those of all hands, which take no longer."""
        return self.rows(state)

    def kinds(self, state: State) -> Floats:
        """Return float64 ``[3, cell]``: probabilities of fold, call and raise."""
        return raise_sizes.kinds_of(self.rows(state))

    def warm_up(self, game: GameDef) -> None:
        """Do what the first decisions of a match would have to wait for."""
        for cards in (3, 4, 5):
            hand_cells.strength_cells(tuple(range(cards)), self.options.cells)
        self.rows(State.start(game))

    @property
    def seats(self) -> tuple[int, ...]:
        """Return the numbers of players at the tables that it was learnt at, ascending."""
        return tuple(self.tree.roots)

    def by_situation(self, state: State) -> Floats:
        """Return float64 ``[3, cell]``: probabilities of fold, call and raise by situation alone, without the tree."""
        levels = self.postflop if state.round else self.preflop
        return levels.scaled(self.start(state), situations.situations(state))

    def start(self, state: State) -> Floats:
        """Return float64 ``[3, cell]``: the prior's probabilities, or equal ones for all legal kinds of actions."""
        if self.prior is not None:
            return self.prior.kinds(state)
        legal = np.array(possible_kinds(state), np.float64)
        cells = self.options.cells if state.round else self.options.grid.size
        return np.repeat(legal[:, None] / legal.sum(), cells, axis=1)

    def menu(self, state: State) -> raise_sizes.SizeMenu:
        if situations.size_situation(state) in self.sizes:
            return self.sizes[situations.size_situation(state)]
        return raise_sizes.DEFAULTS[min(state.round, 1)] if self.prior is None else self.prior.menu(state)

    def _as_rows(self, state: State, node: raise_sizes.RaiseTreeNode | None) -> Rows:
        """Return rows over legal actions, with raises of the node's sizes if it has some, else of the situation's."""
        options, kinds = self.options, self.by_situation(state)
        raises: list[int] = []
        if node is not None:
            sizes = node.sizes
            shares = (node.taken[RAISE:] + 1) / (node.taken[RAISE:].sum() + max(1, len(sizes)))
            prior = np.concatenate([kinds[:RAISE], shares[:, None] * kinds[RAISE]] if len(sizes) else [kinds])
            counts = np.zeros_like(prior)
            counts[: len(node.counts)] = node.counts
            smoothing = options.grid, options.iterations
            table = hand_cells.action_probabilities(counts, *smoothing, prior, options.tree_weight)
            raises = raise_chips(state, options.tree.unit, sizes.tolist())
        else:
            table = kinds
        if possible_kinds(state)[RAISE] and not raises:
            menu, cells = self.menu(state), options.cells
            raises = menu.chips(state)
            groups = np.arange(cells) * GROUPS // cells if state.round else hand_cells.preflop_groups(options.grid)
            split = np.array(menu.shares)[:, groups]
            table = np.concatenate([table[:RAISE], table[RAISE] * split])
        return table_rows(state, table, raises, self.cells(state))


# --- Learns a model of one player, or of several as one, from recorded hands.

ROUNDS_OF_BAYES = 4
"""Number of times that the ranges of hands not shown are worked out by the model before, and the model learnt again."""
LEAST_WEIGHT = 0.002
"""Probability below which a cell of a hand that was not shown is left out."""
UNIFORM = 0.01
"""Share of equal chances of fold, call and raise in the probabilities that narrow a range."""

Answers = Callable[[State], Rows]


class Unlearnable(ValueError):
    """Hands that nothing can be learnt from."""


def require_learnable(hand: HandRecord) -> None:
    """Raise `Unlearnable` for a hand of another game than no-limit hold'em."""
    if not (is_holdem(hand.state.game, whole=True) and hand.state.game.no_limit):
        raise Unlearnable(f"hand {hand.hand} is no hand of no-limit hold'em, the only game that can be learnt")


def nobody_decided(names: Collection[str] | None) -> Unlearnable:
    """Return the error of hands in which none of the named players decided anything."""
    players = "anybody" if names is None else ", ".join(sorted(names))
    return Unlearnable(f"no decision of {players} in these hands; names are compared letter by letter")


Kept = TypeVar("Kept")


class LearntModel(NamedTuple, Generic[Kept]):
    """A model, and the numbers of hands, of decisions and of decisions with known hole cards that it was learnt from."""

    model: Kept
    hands: int
    decisions: int
    seen: int

    @property
    def seen_share(self) -> float:
        return self.seen / self.decisions if self.decisions else 0.0


class OwnLine(NamedTuple):
    """The decisions of a learnt player in a hand, at `indices` of all players' before the flop, up to the player's last."""

    preflop: tuple[RecordedDecision, ...]
    own: tuple[RecordedDecision, ...]
    indices: tuple[int, ...]


def learn(
    hands: Iterable[HandRecord],
    names: Collection[str] | None = None,
    options: ModelOptions = ModelOptions(),  # noqa: B008 - immutable
    prior: Model | None = None,
    unseen_by: Answers | None = None,
) -> LearntModel[Model]:
    """Return a model of the named players as one, or of all players where `names` is None.

    prior: a model, such as one of all players, from which this one departs as far as the hands say so. It must have the
    same grid and the same number of cells. unseen_by: rows of a strategy by which the ranges of hands not shown are first
    worked out, where the options say `bayes`; without it, those of a model of the shown hands.

    Raises `Unlearnable` for hands of other games than no-limit hold'em, and where none of the players decided anything.
    """
    if prior is not None and (prior.options.grid, prior.options.cells) != (options.grid, options.cells):
        raise Unlearnable("the prior was learnt with other cells of hands; give it the same options")
    hands = list(hands)
    lines, count = own_lines(hands, None if names is None else frozenset(names), options.postflop)
    total = sum(len(line.own) for line in lines)
    if not total:
        raise nobody_decided(names)
    shown: list[tuple[OwnLine, Floats | None]] = [(line, None) for line in lines if line.own[0].hole]
    hidden = [line for line in lines if not line.own[0].hole]
    model = _fit([*shown, *((line, None) for line in hidden)], options, prior)
    if options.unseen == "bayes" and hidden:
        answers = unseen_by or model.rows
        for _ in range(ROUNDS_OF_BAYES):
            model = _fit([*shown, *((line, posterior(line, answers)) for line in hidden)], options, prior)
            answers = model.rows
    model.learnt_from = np.unique(np.array([hand_digest(hand) for hand in hands], np.int64))
    return LearntModel(model, count, total, sum(len(line.own) for line, _ in shown))


def hand_digest(hand: HandRecord) -> int:
    """Return 63 bits that tell a hand from others, in whatever file and under whatever names it stands."""
    text = str(hand._replace(names=()))
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest()) >> 1


def own_lines(
    hands: Iterable[HandRecord], names: frozenset[str] | None, postflop: bool = True
) -> tuple[list[OwnLine], int]:
    """Return the lines of all learnt players with at least one decision, and the number of hands that hold some."""
    lines: list[OwnLine] = []
    count = 0
    states: dict[State, State] = {}
    for hand in hands:
        require_learnable(hand)
        before: list[RecordedDecision] = []
        later: list[RecordedDecision] = []
        for state, action, _ in hand.decisions():
            if state.round == 0:
                # Equal states before the flop are kept once: hundreds of thousands of hands begin alike.
                state = states.setdefault(state, state)
            decision = RecordedDecision(hand.hand, state, hand.holes[state.actor], action)
            (later if state.round else before).append(decision)
        learnt = len(lines)
        for position, name in enumerate(hand.names):
            indices = tuple(at for at, each in enumerate(before) if each.state.actor == position)
            own = [before[at] for at in indices] + [each for each in later if postflop and each.state.actor == position]
            if own and (names is None or name in names):
                lines.append(OwnLine(tuple(before[: indices[-1] + 1] if indices else ()), tuple(own), indices))
        count += len(lines) > learnt
    return lines, count


def posterior(line: OwnLine, answers: Answers) -> Floats:
    """Return float64 ``[hand]``: the range that all actions of a player in a hand leave, with sum 1.

    answers: rows of a strategy, whose raises of all sizes count as one action. Hands count alike at first, those that share
    a card with the last board not at all. Of each probability 1 % is that of equal chances, so that some hand is left.
    """
    blocked = hand_space().blocked(line.own[-1].state.board)
    action_likelihood = np.where(blocked, 0.0, 1.0)
    for decision in line.own:
        rows = answers(decision.state)
        same_kind = np.array([action.kind == decision.action.kind for action in rows.actions])
        action_likelihood *= (1 - UNIFORM) * (same_kind @ rows.dense(blocked)) + UNIFORM / 3
    return np.asarray(action_likelihood / action_likelihood.sum())


def _fit(lines: Sequence[tuple[OwnLine, Floats | None]], options: ModelOptions, prior: Model | None) -> Model:
    """Return the model of some lines, each with the range by which an unknown hand is estimated."""
    before, after = preflop_averaging(options), postflop_averaging(options)
    no_preflop, no_postflop = (situations.fit([], averaging, 0) for averaging in (before, after))
    empty = Model(options, Tree({}, options.tree), no_preflop, no_postflop, {}, prior)
    preflop, postflop = list[situations.CellSample](), list[situations.CellSample]()
    taken: list[raise_sizes.Taken] = []
    raises: dict[str, tuple[list[float], list[int]]] = {}
    for line, held in lines:
        for number, decision in enumerate(line.own):
            state = decision.state
            cells, weights = _held(decision, empty, held)
            if len(cells):
                made = situations.samples_of(decision, cells, weights, empty.start(state))
                (postflop if state.round else preflop).extend(made)
            if state.round == 0:
                taken.append(raise_sizes.Taken(line.preflop, line.indices[number], cells, weights))
            if decision.kind == RAISE:
                sizes, groups = raises.setdefault(situations.size_situation(state), ([], []))
                sizes.append(situations.raise_size(state, decision.action.size))
                groups.append(_group(state, cells, options))
    grid = options.grid
    return Model(
        options,
        Tree(raise_sizes.grow(taken, grid.size, options.tree), options.tree),
        situations.fit(preflop, before, options.level_weight),
        situations.fit(postflop, after, options.level_weight),
        {key: raise_sizes.build_menu(sizes, groups, options.sizes) for key, (sizes, groups) in sorted(raises.items())},
        prior,
    )


def _held(decision: RecordedDecision, model: Model, held: Floats | None) -> tuple[NDArray[np.intp], Floats]:
    """Return the cells that the player may have held, and their probabilities; none where nothing is known."""
    cells = model.cells(decision.state)
    if held is None:
        if not decision.hole:
            return np.zeros(0, np.intp), np.zeros(0)
        return np.array([cells[hand_space().index(decision.hole)]], np.intp), np.ones(1)
    inside = cells >= 0
    weights = np.bincount(cells[inside], held[inside])
    live = np.flatnonzero(weights > LEAST_WEIGHT)
    return live, weights[live] / weights[live].sum()


def _group(state: State, cells: NDArray[np.intp], options: ModelOptions) -> int:
    if len(cells) != 1:
        return -1
    cell = int(cells[0])
    return int(hand_cells.preflop_groups(options.grid)[cell]) if state.round == 0 else cell * GROUPS // options.cells


def preflop_averaging(options: ModelOptions) -> list[Floats]:
    """Return the averaging of each level before the flop: over all hands, over many, then over few neighbours."""
    grid = options.grid
    many, few = (np.linalg.matrix_power(grid.averaging, rounds) for rounds in (ITERATIONS, options.level_iterations))
    return [np.full((grid.size,) * 2, 1 / grid.size)] * situations.BLIND_LEVELS + [many] + [few] * 5


def postflop_averaging(options: ModelOptions) -> list[Floats]:
    """Return the averaging of each level after the flop: over all hands, then over those of neighbouring strength."""
    cells = options.cells
    matrix = 2 * np.eye(cells) + np.eye(cells, k=1) + np.eye(cells, k=-1)
    near = matrix / matrix.sum(axis=1, keepdims=True)
    return [np.full((cells, cells), 1 / cells)] * situations.BLIND_LEVELS + [near] * 6
