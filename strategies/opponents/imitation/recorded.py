"""A player's decisions in recorded hands, the frequencies of his actions, and what each action was worth."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import BET
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.messages import Hole
from limpet.protocol.state import Action, State
from limpet.strategies.base.strategy import HandKey, Strategy
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.resolving.before_flop import BeforeFlop
from limpet.strategies.holdem.resolving.resolve_hand import ResolveHand
from limpet.strategies.solvers.vector.vector_solver import possible_reach

KINDS = "fcr"
"""Kinds of actions in the order of all arrays ``[kind]``: fold, check or call, bet or raise."""
STREETS = ("preflop", "flop", "turn", "river")
"""Names of the rounds of a game. Games of fewer rounds have only the first of them."""


class RecordedDecision(NamedTuple):
    """One betting decision of a player."""

    hand: int  # number of the hand. All decisions of a hand follow each other in order of play.
    state: State  # the state before the action, with the board of that time. Its actor is the player.
    hole: Hole  # the player's private cards at that time, empty where they are not known
    action: Action  # the action that was taken
    where: str = ""  # file and line of the hand

    @property
    def kind(self) -> int:
        """The index in `KINDS` of the action that was taken."""
        return KINDS.index(self.action.kind)


def player_decisions(record: HandRecord, position: int, where: str = "") -> Iterator[RecordedDecision]:
    """Yield the betting decisions of a position in a finished hand, in order of play; draws are left out."""
    for state, action, hands in record.decisions():
        if state.actor == position and state.phase is BET:
            yield RecordedDecision(record.hand, state, hands[position], action, where)


def possible_kinds(state: State) -> tuple[bool, bool, bool]:
    """Return for each of `KINDS` whether an action of that kind is legal."""
    return state.can_fold, True, state.raise_bounds() is not None


# --- Plain frequencies of fold, call and raise, the baseline that a strategy's predictions are compared with.


class FrequencyBaseline:
    """Counts of a player's actions by street and by which kinds of action are legal."""

    def __init__(self, decisions: Iterable[RecordedDecision] = ()) -> None:
        self._counts: dict[tuple[int, ...], NDArray[np.float64]] = defaultdict(lambda: np.zeros(len(KINDS)))
        for decision in decisions:
            self.add(decision)

    def add(self, decision: RecordedDecision) -> None:
        """Count a decision."""
        self._counts[_situation(decision.state)][decision.kind] += 1

    def kinds(self, decision: RecordedDecision) -> NDArray[np.float64]:
        """Return float64 ``[kind]``: the share of each kind of action in situations like that of a decision not counted.

        One action of each legal kind is counted beside those that were taken (Laplace's rule).
        """
        counts = self._of(decision)
        return np.asarray(counts / counts.sum())

    def without(self, decision: RecordedDecision) -> NDArray[np.float64]:
        """Return `kinds` of a decision that was counted, by all the others, so that it does not predict itself."""
        counts = self._of(decision)
        counts[decision.kind] -= 1
        return np.asarray(counts / counts.sum())

    def _of(self, decision: RecordedDecision) -> NDArray[np.float64]:
        counts = self._counts.get(_situation(decision.state), 0.0)
        return np.asarray(counts + np.array(possible_kinds(decision.state), np.float64))


def _situation(state: State) -> tuple[int, ...]:
    return state.round, *possible_kinds(state)


# --- Expected values of the actions of one decision, from strategies that solve while they play.


def action_values(strategy: Strategy, decision: RecordedDecision, seed: int = 0) -> dict[Action, float] | None:
    """Return what each action wins from here on by the strategy's own solve, in big blinds; a fold wins 0.

    None for a strategy that solves nothing here, for unknown hole cards, and for a hand against which the solve's opponent can hold none.
    """
    state = decision.state
    hand = strategy.start_hand(HandKey(seed, decision.hand, state.actor))
    if not decision.hole or not isinstance(hand, ResolveHand):
        return None
    hand.rows(state)  # a street's tree depends on the first decision that is asked about
    subgame = hand.subgame(state)
    if subgame is None or isinstance(subgame, BeforeFlop):  # classes have no values by hand
        return None
    values = subgame.node_values(state)
    index = hand_space().index(decision.hole)
    if not possible_reach(values.reach[1 - state.actor])[index]:
        return None
    spent = state.spent[state.actor] / state.game.big_blind
    won = values.actions[:, index].astype(np.float64) + spent
    return dict(zip(subgame.tree.actions(subgame.node(state)), won.tolist(), strict=True))
