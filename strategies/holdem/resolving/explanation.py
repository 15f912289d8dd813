"""A hand replayed for a reader: both ranges and the strategy at each decision of one player."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import groupby, pairwise
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.cards import cards_text
from limpet.protocol.messages import Hole
from limpet.protocol.state import Action, State
from limpet.strategies.abstraction.betting import KINDS, BettingTree
from limpet.strategies.abstraction.menu import STREETS
from limpet.strategies.base.strategy import HandStrategy, Rows
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import class_name
from limpet.strategies.cards.ranges import named_class_weights
from limpet.strategies.holdem.blueprint.look import plain_decision
from limpet.strategies.holdem.resolving.beliefs import Ranges, as_weights
from limpet.strategies.holdem.resolving.resolve_hand import ResolveHand
from limpet.strategies.holdem.resolving.resolver import HandHistory
from limpet.strategies.holdem.solutions.answer import Decision
from limpet.strategies.holdem.solutions.lines import names_in_blinds
from limpet.strategies.solvers.vector.vector_solver import NodeValues

MIX = 0.1
"""Share of the opponent's range that stays as it was at each action, for strategies that track no ranges themselves."""


class ExplainedDecision(NamedTuple):
    """A decision of the player.

    Attributes:
        state: state that the player decided in.
        rows: rows that were played by.
        ranges: ranges [2, 1326] of both positions, as the player saw them.
        taken: action that was taken; None for a decision that is still open.
        hole: hand held; empty where it is not known.
        kept: whether `rows` were kept when they were played, and not worked out again.
        root: betting at the root of the subgame solved for it; None if none was, or rows were kept.
        iterations: iterations of that subgame.
        percent: exploitability of that subgame in % of its pot; None if it was not measured.
        seconds: time that working out the rows took; short where a subgame had been solved before.
        values: expected values, where they were asked for and are known.
    """

    state: State
    rows: Rows
    ranges: Ranges
    taken: Action | None
    hole: Hole
    kept: bool = False
    root: str | None = None
    iterations: int = 0
    percent: float | None = None
    seconds: float = 0.0
    values: NodeValues | None = None

    def decision(self) -> Decision:
        """Return the decision as pictures of solved spots take it; `values`, if there are any, are its values."""
        strategy = self.rows.dense(hand_space().blocked(self.state.board))
        state = self.state
        decision = plain_decision(self.tree, 0, state.board, state.betting, as_weights(self.ranges), strategy)
        if self.values is None:
            return decision
        values = decision.values._replace(values=self.values.values, actions=self.values.actions)
        return replace(decision, values=values)

    @property
    def tree(self) -> BettingTree:
        """Tree of one node, from which the names of the actions can be read; they lead nowhere."""
        return one_decision(self.state, self.rows.actions)

    @property
    def source(self) -> str:
        """Sentence that says where the rows are from."""
        if self.kept:
            return "by the rows that were kept; where they came from stands in the bot's log"
        if self.root is None:
            return "by the strategy that the bot comes with; nothing was solved here"
        root = next(past for past in self.state.path() if past.betting == self.root)
        after = f"after {betting_words(root)}" if self.root else "at the start"
        reached = "" if self.percent is None else f", {self.percent:.3f} % of its pot exploitable"
        return f"by the subgame solved {after}: {self.iterations} iterations{reached}"

    def opposed(self) -> Decision:
        """Return the opponent's range as a decision of one action, which is to hold it."""
        decision, live = self.decision(), ~hand_space().blocked(self.state.board)
        values = decision.values._replace(strategy=live[None].astype(np.float32), actions=decision.values.actions[:1])
        return replace(decision, position=1 - self.state.actor, actions=("held",), fractions=(None,), values=values)

    def weights(self, position: int) -> NDArray[np.float32]:
        """Return float32 ``[1326]``: a position's range with its likeliest hand at 1."""
        return np.asarray(as_weights(self.ranges)[position])

    def own(self) -> dict[str, float]:
        """Return the probability of each action with the hand held."""
        return self.rows.by_action(hand_space().index(self.hole), self.hole)

    def data(self) -> dict[str, Any]:
        """Return the decision as plain data for JSON, ranges and actions by class of starting hands."""
        state, decision, actions = self.state, self.decision(), [str(action) for action in self.rows.actions]
        classes = decision.classes

        def by_class(position: int) -> dict[str, float]:
            weights = named_class_weights(self.weights(position), state.board)
            return {name: round(weight, 5) for name, weight in weights.items()}

        return {
            "betting": state.betting,
            "board": cards_text(state.board),
            "kept": self.kept,
            "subgame": self.root,
            "iterations": self.iterations,
            "percent": self.percent,
            "actions": dict(zip(actions, decision.frequencies.tolist(), strict=True)),
            "hand": cards_text(self.hole),
            "probabilities": self.own() if self.hole else None,
            "taken": None if self.taken is None else str(self.taken),
            "classes": {
                class_name(n): dict(zip(actions, classes.frequencies[:, n].tolist(), strict=True))
                for n in classes.happens.nonzero()[0][::-1].tolist()
            },
            "ranges": {"own": by_class(state.actor), "other": by_class(1 - state.actor)},
        }


def explained(
    hand: HandStrategy, position: int, state: State, hole: Hole, kept: Callable[[State, Action], Rows] | None = None,
    other: bool = False,
) -> Iterator[ExplainedDecision]:  # fmt: skip
    """Yield the decisions of `position` on the way to `state`, and that in `state` where it is to act.

    The rows are asked for in the order of play, as at the table, because subgames depend on when they were first needed.

    Args:
        state: a state with all of its board.
        hole: hand of the player whose decisions are yielded; empty where it is not known.
        kept: returns the rows by which an action of `position` was played, where they are known.
        other: yield the other player's decisions instead, as `hand` plays or assumes them. Ask about its own ones first.
    """
    actor = 1 - position if other else position
    path = [past.with_board(state.board) for past in state.path()]
    history = HandHistory.start(path[0])
    for at, following in zip(path, [*path[1:], None], strict=True):
        if at.finished:
            return
        taken = None if following is None else following.action
        rows = None
        if at.actor == actor:
            began = perf_counter()
            rows = hand.rows(at)
            decision = ExplainedDecision(at, rows, history.ranges, taken, hole, seconds=perf_counter() - began)
            if kept is not None and taken is not None and not other:
                rows = kept(at, taken)
                decision = decision._replace(rows=rows, kept=True)
                if isinstance(hand, ResolveHand):
                    hand.played(at, rows)
            yield with_subgame(hand, decision)
        if following is not None and not isinstance(hand, ResolveHand):
            mix = 0.0 if at.actor == position else MIX
            history = history.after(hand.rows(at) if rows is None else rows, following, mix)


def with_subgame(hand: HandStrategy, decision: ExplainedDecision) -> ExplainedDecision:
    """Return `decision` with the ranges that a resolving hand tracks and what is known of the subgame solved."""
    if not isinstance(hand, ResolveHand):
        return decision
    subgame = hand.subgame(decision.state)
    decision = decision._replace(ranges=hand.ranges(decision.state))
    if subgame is None or decision.kept:
        return decision
    percent = float(subgame.percent)
    finite_percent = percent if np.isfinite(percent) else None
    return decision._replace(root=subgame.root.betting, iterations=subgame.iteration, percent=finite_percent)


def betting_words(state: State) -> str:
    """Return the betting before a state of hold'em, sizes in big blinds: ``a raise to 2.5 bb and a call, on the flop checks``."""
    streets = []
    for street, steps in groupby(pairwise(state.path()), key=lambda step: step[0].round):
        words = [_noun(before, after.action) for before, after in steps if after.action]
        said = " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))
        said = "checks" if said == "a check and a check" else said
        streets.append(f"on the {STREETS[street]} {said}" if street else said)
    return ", ".join(streets)


def _noun(state: State, action: Action) -> str:
    """Return an action as a noun, with its size in big blinds: ``a bet of 2 bb``."""
    name, _, size = names_in_blinds(one_decision(state, (action,)), 0)[0].partition(" ")
    return name if name == "all-in" else f"a {name}" + (f" {'of' if name == 'bet' else 'to'} {size}" if size else "")


def one_decision(state: State, actions: tuple[Action, ...]) -> BettingTree:
    """Return a tree of one node, from which the names of actions in a state can be read; they lead nowhere."""
    return BettingTree(
        root=state,
        player=np.array([state.actor], np.int8),
        round=np.array([state.round], np.int8),
        first_edge=np.array([0, len(actions)], np.int32),
        edge_child=np.zeros(len(actions), np.int32),
        edge_kind=np.array([KINDS.index(action.kind) for action in actions], np.uint8),
        edge_size=np.array([action.size for action in actions], np.int32),
        spent=np.array([state.spent], np.int32),
        folded=np.array([state.folded], np.int32),
    )
