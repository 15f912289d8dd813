"""Learns a model of one player, or of several as one, from recorded hands."""

from collections.abc import Callable, Collection, Iterable, Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.matchlog import HandRecord
from limpet.protocol.state import State
from limpet.strategies.cards.handspace import hand_space, is_holdem
from limpet.strategies.imitation.back_off import Floats, Samples, fit
from limpet.strategies.imitation.hand_cells import GROUPS, ITERATIONS, preflop_groups
from limpet.strategies.imitation.model import Model, ModelOptions
from limpet.strategies.imitation.preflop_tree import RAISE, Taken, Tree, grow
from limpet.strategies.imitation.raise_sizes import build_menu, raise_size
from limpet.strategies.imitation.situations import BLIND_LEVELS, Decision, size_situation
from limpet.strategies.strategy import Rows

ROUNDS_OF_BAYES = 4
"""Number of times that the ranges of hands not shown are worked out by the model before, and the model learnt again."""
LEAST_WEIGHT = 0.002
"""Probability below which a cell of a hand that was not shown is left out."""
UNIFORM = 0.01
"""Share of equal chances of fold, call and raise in the probabilities that narrow a range."""

Answers = Callable[[State], Rows]


class Unlearnable(ValueError):
    """Hands that nothing can be learnt from."""


class Learnt(NamedTuple):
    """A model, and what it was learnt from."""

    model: Model
    hands: int  # number of hands in which a learnt player decided something
    decisions: int
    seen: int  # number of decisions whose hole cards are known

    @property
    def seen_share(self) -> float:
        return self.seen / self.decisions if self.decisions else 0.0


class OwnLine(NamedTuple):
    """The decisions of one learnt player in one hand."""

    preflop: tuple[Decision, ...]  # of all players of the hand, up to the last of the learnt player
    own: tuple[Decision, ...]
    indices: tuple[int, ...]  # index of each of the player's preflop decisions in `preflop`


def learn(
    hands: Iterable[HandRecord],
    names: Collection[str] | None = None,
    options: ModelOptions = ModelOptions(),  # noqa: B008 - immutable
    prior: Model | None = None,
    unseen_by: Answers | None = None,
) -> Learnt:
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
        players = "anybody" if names is None else ", ".join(sorted(names))
        raise Unlearnable(f"no decision of {players} in these hands; names are compared letter by letter")
    shown: list[tuple[OwnLine, Floats | None]] = [(line, None) for line in lines if line.own[0].hole]
    hidden = [line for line in lines if not line.own[0].hole]
    model = _fit([*shown, *((line, None) for line in hidden)], options, prior)
    if options.unseen == "bayes" and hidden:
        answers = unseen_by or model.rows
        for _ in range(ROUNDS_OF_BAYES):
            model = _fit([*shown, *((line, posterior(line, answers)) for line in hidden)], options, prior)
            answers = model.rows
    model.learnt_from = np.unique(np.array([hand_digest(hand) for hand in hands], np.int64))
    return Learnt(model, count, total, sum(len(line.own) for line, _ in shown))


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
        game = hand.state.game
        if not (is_holdem(game, whole=True) and game.no_limit):
            raise Unlearnable(f"hand {hand.hand} is no hand of no-limit hold'em, the only game that can be learnt")
        before: list[Decision] = []
        later: list[Decision] = []
        for state, action, _ in hand.decisions():
            if state.round == 0:
                # Equal states before the flop are kept once: hundreds of thousands of hands begin alike.
                state = states.setdefault(state, state)
            (later if state.round else before).append(Decision(state, action, hand.holes[state.actor]))
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
    held: Floats = action_likelihood / action_likelihood.sum()
    return held


def _fit(lines: Sequence[tuple[OwnLine, Floats | None]], options: ModelOptions, prior: Model | None) -> Model:
    """Return the model of some lines, each with the range by which an unknown hand is estimated."""
    before, after = preflop_averaging(options), postflop_averaging(options)
    empty = Model(options, Tree({}, options.tree), fit(Samples(), before, 0), fit(Samples(), after, 0), {}, prior)
    preflop, postflop = Samples(), Samples()
    taken: list[Taken] = []
    raises: dict[str, tuple[list[float], list[int]]] = {}
    for line, held in lines:
        for number, decision in enumerate(line.own):
            state = decision.state
            cells, weights = _held(decision, empty, held)
            if len(cells):
                (postflop if state.round else preflop).add(decision, cells, weights, empty.start(state))
            if state.round == 0:
                taken.append(Taken(line.preflop, line.indices[number], cells, weights))
            if decision.kind == RAISE:
                sizes, groups = raises.setdefault(size_situation(state), ([], []))
                size = raise_size(state, decision.action.size)
                sizes.append(size.pot if state.round else size.multiple)
                groups.append(_group(state, cells, options))
    grid = options.grid
    return Model(
        options,
        Tree(grow(taken, grid.size, options.tree), options.tree),
        fit(preflop, before, options.level_weight),
        fit(postflop, after, options.level_weight),
        {key: build_menu(sizes, groups, options.sizes) for key, (sizes, groups) in sorted(raises.items())},
        prior,
    )


def _held(decision: Decision, model: Model, held: Floats | None) -> tuple[NDArray[np.intp], Floats]:
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
    """Return the group of strength of a hand, -1 where it is not known."""
    if len(cells) != 1:
        return -1
    cell = int(cells[0])
    return int(preflop_groups(options.grid)[cell]) if state.round == 0 else cell * GROUPS // options.cells


def preflop_averaging(options: ModelOptions) -> list[Floats]:
    """Return the averaging of each level before the flop: over all hands, over many, then over few neighbours."""
    grid = options.grid
    many, few = (np.linalg.matrix_power(grid.averaging, rounds) for rounds in (ITERATIONS, options.level_iterations))
    return [np.full((grid.size,) * 2, 1 / grid.size)] * BLIND_LEVELS + [many] + [few] * 5


def postflop_averaging(options: ModelOptions) -> list[Floats]:
    """Return the averaging of each level after the flop: over all hands, then over those of neighbouring strength."""
    cells = options.cells
    matrix = 2 * np.eye(cells) + np.eye(cells, k=1) + np.eye(cells, k=-1)
    return [np.full((cells, cells), 1 / cells)] * BLIND_LEVELS + [matrix / matrix.sum(axis=1, keepdims=True)] * 6
