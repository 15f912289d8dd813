"""Recorded decisions, and their situations: short texts that name the betting, position and bet size, coarse ones first.

Decisions with the same text are counted together. A model reads the texts of one decision in order (`Levels`).
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.handhistory import at_risk
from limpet.protocol.messages import Hole
from limpet.protocol.state import Action, State
from limpet.strategies.base.strategy import pot_fraction

KINDS = "fcr"
"""Kinds of actions in the order of all arrays ``[kind]``: fold, check or call, bet or raise."""
Situations = tuple[str, ...]
"""A decision's situations, one a level; a decision before the flop and one after it have different numbers of levels."""

BLIND_LEVELS = 2
"""Number of first levels whose frequencies do not look at the hand."""

SIZES = (2.05, 2.45, 3.05, 4.5, 8.0), (0.4, 0.75, 1.15)
"""Bounds between raises before the flop, as multiples of the bet before, and after it, as shares of the pot."""
DEPTHS = (8.0, 14.0, 25.0, 50.0, 120.0)
"""Bounds between the shorter stacks at a hand's start, in big blinds."""
POTS_BEHIND = (0.5, 1.5, 4.0, 10.0)
"""Bounds between the chips behind after the flop, in pots."""


class RecordedDecision(NamedTuple):
    """One betting decision of a player, the actor of `state`, in a hand by its number, `where` that has file and line.

    `state` is that before the action, with the board of that time. `hole` is empty where the private cards are not known.
    All decisions of a hand follow each other in order of play.
    """

    hand: int
    state: State
    hole: Hole
    action: Action
    where: str = ""

    @property
    def kind(self) -> int:
        """The index in `KINDS` of the action that was taken."""
        return KINDS.index(self.action.kind)


def possible_kinds(state: State) -> tuple[bool, bool, bool]:
    """Return for each of `KINDS` whether an action of that kind is legal."""
    return state.can_fold, True, state.raise_bounds() is not None


class BettingFacts(NamedTuple):
    """Facts of the betting before a decision.

    Attributes:
        raises: number of raises of each street so far.
        callers: number of calls (not checks) on this street since its last raise.
        raiser: position of the last raiser on this street, -1 if there is none.
        size: size of the last raise on this street, see `raise_size`.
        own: last action of the actor on this street: ``-`` none yet, ``c`` call or check, ``r`` raise.
        leader: position of the last raiser on earlier streets, -1 if there is none.
        quiet: whether nobody raised on the street before this one.
    """

    raises: tuple[int, ...]
    callers: int
    raiser: int
    size: float
    own: str
    leader: int
    quiet: bool


def street_unit(state: State) -> Literal["multiple", "pot"]:
    """Return the unit of `raise_size` in which situations count raises on this street."""
    return "pot" if state.round else "multiple"


def raise_size(state: State, chips: int, unit: str | None = None) -> float:
    """Return the size of a raise that brings the actor of `state` to a total of `chips`, in one of four units.

    unit: None is that of the street, ``multiple`` before the flop and ``pot`` after it.
    ``pot``: chips over a call ÷ the pot after that call. ``multiple``: the total ÷ the total that a call would have matched.
    ``to``: the total as a share of the shorter stack. ``added``: chips that the raise adds, as a share of that stack.
    """
    unit = unit or street_unit(state)
    if unit == "pot":
        return pot_fraction(state, chips)
    if unit == "multiple":
        return chips / max(1, state.max_spent)
    stack = at_risk(state, state.actor)
    # Chips over the shorter stack cannot be lost: an all-in is the whole of it, however deep the raiser is.
    return (min(chips, stack) - (state.spent[state.actor] if unit == "added" else 0)) / stack


def betting_facts(state: State) -> BettingFacts:
    """Return the facts of the betting before a decision."""
    raises = [0] * (state.round + 1)
    callers, raiser, leader, size, own = 0, -1, -1, 0.0, "-"
    for before, after in pairwise(state.path()):
        action = after.action
        assert action is not None
        now = before.round == state.round
        if action.kind == "r":
            raises[before.round] += 1
            if now:
                raiser, callers = before.actor, 0
                size = raise_size(before, after.max_spent)
            else:
                leader = before.actor
        elif action.kind == "c" and now and before.to_call:
            callers += 1
        if now and before.actor == state.actor:
            own = action.kind
    quiet = state.round > 0 and raises[state.round - 1] == 0
    return BettingFacts(tuple(raises), callers, raiser, size, own, leader, quiet)


def position_name(state: State, position: int) -> str:
    """Return the name of a position: SB, BB, BTN, CO, HJ, or EP for all before the hijack."""
    game = state.game
    if game.num_players == 2:
        return "BB" if game.blind[position] == max(game.blind) else "SB"
    if position < 2:
        return ("SB", "BB")[position]
    return ("BTN", "CO", "HJ")[from_button] if (from_button := game.num_players - 1 - position) < 3 else "EP"


def acts_last(state: State) -> bool:
    """Return whether nobody who is still in acts behind the actor on streets after the flop."""
    players, first = state.game.num_players, state.game.first_player[-1]
    behind = ((first - back) % players for back in range(1, (first - state.actor - 1) % players + 1))
    return all(state.has_folded(position) for position in behind)


def situations(state: State) -> Situations:
    """Return the situations of a decision, coarse ones first."""
    return (_before_flop if state.round == 0 else _after_flop)(state, betting_facts(state))


def _before_flop(state: State, facts: BettingFacts) -> Situations:
    raises = min(facts.raises[0], 4)
    faced = f"{raises}{'' if state.can_fold else 'x'}"
    own = f"{faced}{facts.own}"
    at = position_name(state, state.actor)
    depth = bisect_right(DEPTHS, shorter_stack(state) / state.game.big_blind)
    size = bisect_right(SIZES[0], facts.size) if facts.raiser >= 0 else "-"
    against = position_name(state, facts.raiser) if facts.raiser >= 0 else "-"
    callers = min(facts.callers, 2)
    seats, few = min(state.game.num_players, 7), min(state.game.num_players, 3)
    return (
        faced,
        f"{own}/{at}/{few}",
        faced,
        f"{own}/{depth}/{few}",
        f"{own}/{at}/{few}",
        f"{own}/{size}/{callers}",
        f"{own}/{at}/{against}/{callers}",
        f"{own}/{at}/{against}/{callers}/{size}/{depth}/{seats}",
    )


def _after_flop(state: State, facts: BettingFacts) -> Situations:
    raises = facts.raises[-1]
    faced = f"{state.round}{'o' if not state.can_fold else 'b' if raises <= 1 else 'r'}"
    leader = "-" if facts.leader < 0 else "o" if facts.leader == state.actor else "x"
    size = bisect_right(SIZES[1], facts.size) if raises else "-"
    behind = bisect_right(POTS_BEHIND, (shorter_stack(state) - state.max_spent) / max(1, state.pot))
    players = min(state.remaining, 4)
    role = f"{'l' if acts_last(state) else 'f'}{leader}"
    line = f"{faced}/{role}{'q' if facts.quiet else 'a'}"
    return (
        faced,
        f"{faced}/{role}{players}",
        faced,
        f"{faced}/{players}",
        line,
        f"{faced}/{size}/{behind}",
        f"{faced}/{facts.own}/{min(facts.raises[0], 3)}",
        f"{line}/{facts.own}/{size}/{min(players, 3)}",
    )


def shorter_stack(state: State) -> int:
    """Return the smallest stack of those still in, as chips over the whole hand."""
    return min(stack for position, stack in enumerate(state.game.stack) if not state.has_folded(position))


def size_situation(state: State) -> str:
    """Return the situation that decisions share which choose among the same raise sizes."""
    return f"{state.round}/{min(state.raises, 2)}"


# --- Frequencies of fold, call and raise by situation and hand, where detailed situations back off to coarse ones.

Floats = NDArray[np.float64]


class CellSample(NamedTuple):
    """A decision that levels are fitted to, its kind, and one of the cells that the hand may be in with its probability.

    `start`: float64 ``[3]``, probabilities of fold, call and raise before anything is learnt, 0 if illegal.
    """

    situations: Situations
    kind: int
    cell: int
    weight: float
    start: Floats


def samples_of(decision: RecordedDecision, cells: NDArray[np.intp], weights: Floats, start: Floats) -> list[CellSample]:
    """Return the samples of a decision, one for each cell of its hand. `start`: float64 ``[3, cell]``."""
    known = situations(decision.state), decision.kind
    return [CellSample(*known, *each) for each in zip(cells.tolist(), weights.tolist(), start[:, cells].T, strict=True)]


@dataclass(frozen=True, eq=False)
class Levels:
    """A fitted model of one kind of streets. `factors`: float32 ``[3, cell]`` of each situation, by level."""

    factors: tuple[dict[str, NDArray[np.float32]], ...]

    def scaled(self, start: Floats, situations: Situations) -> Floats:
        """Return probabilities float64 ``[3, cell]`` from those of `start`, which are 0 for what is illegal."""
        rows = start
        for level, situation in zip(self.factors, situations, strict=True):
            if situation in level:
                rows = rows * level[situation]
        return np.asarray(rows / rows.sum(axis=0))


def fit(samples: Sequence[CellSample], averaging: Sequence[Floats], weight: float) -> Levels:
    """Return the factors of all levels, fitted one after the other; without samples, levels without situations.

    averaging: float64 ``[cell, cell]`` for each level: over which similar hands counts are averaged, rows with sum 1.
    """
    rows = np.array([each.start for each in samples]).reshape(-1, 3)
    weights = np.array([each.weight for each in samples])
    kinds, held = np.array([(each.kind, each.cell) for each in samples], np.intp).reshape(-1, 2).T
    factors = []
    for level, means in enumerate(averaging):
        cells = len(means)
        # A mean over cells stands for as many decisions as it would take for its variance: all of them if all cells count
        # alike, its own cell's if only that one counts.
        sums = means / (means**2).sum(axis=1, keepdims=True)
        index: dict[str, int] = {}
        at = np.array([index.setdefault(each[level], len(index)) for each, *_ in samples], np.intp)
        took, expected = np.zeros((2, len(index), 3, cells))
        np.add.at(took, (at, kinds, held), weights)
        for kind in range(3):
            np.add.at(expected[:, kind], (at, held), weights * rows[:, kind])
        took, expected = took @ sums.T, expected @ sums.T
        total = expected.sum(axis=1, keepdims=True)
        ratio = np.divide(took, expected, out=np.ones_like(took), where=expected > 1e-9)
        factor = ((ratio * total + weight) / (total + weight)).astype(np.float32)
        factors.append(dict(zip(index, factor, strict=True)))
        rows *= factor[at, :, held]
        rows /= rows.sum(axis=1, keepdims=True)
    return Levels(tuple(factors))
