"""One hand of a resolving player: the blueprint until a street that is solved anew, subgames from there on.

A decision goes one way. `ResolveHand.rows` begins a `Search` and follows the line of play, state by state, from where the
hand was last seen. At each state `Subgames.enter` finds the subgame and has a new one solved by `Resolver.solve`. The rows
read there lead to the next state: `HandHistory.after` works out its ranges. The rows of the last state are the answer.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from limpet.protocol.state import Action, State
from limpet.strategies.base.strategy import HandKey, HandStrategy, Rows
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.blueprint.blueprint_hand import BlueprintHand
from limpet.strategies.holdem.resolving.beliefs import Ranges
from limpet.strategies.holdem.resolving.plans import ResolvingPlan, raises_made
from limpet.strategies.holdem.resolving.resolver import HandHistory, OutOfTime, Resolver, Search
from limpet.strategies.holdem.resolving.sampled import Continuation
from limpet.strategies.holdem.resolving.subgame import OFF_TREE, Promise, Subgame, played_promise


class Subgames:
    """The subgames of one hand, each solved once for the hand and its forks."""

    def __init__(self, resolver: Resolver, position: int, blueprint: BlueprintHand) -> None:
        self._resolver = resolver
        self._position = position
        self._blueprint = blueprint
        self._continuation = Continuation(blueprint.seat.rows, blueprint.nodes)
        self._solved: dict[tuple[State, tuple[tuple[str, int], ...]], Subgame | None] = {}

    def enter(self, history: HandHistory, onward: Sequence[State], search: Search) -> HandHistory:
        """Return `history` with the subgame that its state belongs to, solved now if it was not.

        onward: the states of the hand from the history's own to the one that is asked about. The raises that the
        opponent made on a street before our first decision there are part of the street's tree.

        Where the opponent has bet off the tree and a subgame is solved from before that bet, the history returned has
        ranges by that subgame's rows.
        """
        state, before, rules = history.state, history.before, self._resolver.rules
        if state.round == 0:
            return self._before_flop(history, search)
        plan = rules.plans.get(state.round)
        if plan is not None and not state.actions:
            street = [later for later in onward if later.round == state.round]
            first = next((later for later in street if later.actor == self._position), street[-1])
            real_bets = raises_made(state, first, [depth_menu.menu for depth_menu in plan.menus])
            return history.within(self._after_flop(history, plan, real_bets, search))
        above = None if before is None or before.state.round == 0 else before.subgame
        if before is None or above is None or state.finished or above.node(state) != OFF_TREE:
            return history.within(above)
        plan = rules.plan(state)
        if rules.nested == "after" or before.state.actor == self._position:
            return history.within(self._after_flop(history, plan, {}, search))
        subgame = self._after_flop(before, plan, raises_made(before.state, state), search)
        if subgame is not None:  # its rows also say which hands make such a bet
            history = before.after(subgame.rows(before.state), state, rules.mix)
        return history.within(subgame)

    def _after_flop(
        self, history: HandHistory, plan: ResolvingPlan, real_bets: dict[str, int], search: Search
    ) -> Subgame | None:
        """Return the subgame at the end of `history`; None where it cannot be solved.

        real_bets: raise-to amounts, by the betting before them, that the subgame's tree has beside the menu's.
        """

        def solve() -> Subgame:
            return self._resolver.solve(history, plan, real_bets, self._promise(history), self._continuation, search)

        return self._solve(history.state, real_bets, search, solve)

    def _solve(
        self, root: State, real_bets: dict[str, int], search: Search, solve: Callable[[], Subgame]
    ) -> Subgame | None:
        """Return the subgame with a root, solved once; None, with the reason in `search`, where it cannot be solved."""
        key = root, tuple(real_bets.items())
        if key not in self._solved:
            self._solved[key] = None
            try:
                self._solved[key] = solve()
            except (MemoryError, OutOfTime) as error:
                search.failed(root.betting, str(error) or type(error).__name__)
            except Exception as error:  # noqa: BLE001 - whatever went wrong, the hand is played on
                search.failed(root.betting, f"{type(error).__name__}: {error}")
        return self._solved[key]

    def _before_flop(self, history: HandHistory, search: Search) -> HandHistory:
        """Return `history` with the subgame of a state before the flop; none while all raises are on the blueprint's menu.

        A raise of the opponent off the tree is answered by a subgame that begins before it. Its rows there say which hands
        make such a raise: those of other sizes need not.
        """
        state, before, rules = history.state, history.before, self._resolver.rules
        plan, flops, made = rules.preflop, self._blueprint.flops, state.action
        if plan is None or flops is None or before is None or made is None:
            return history.within(None)
        if state.finished or self._blueprint.on_menu(state):
            return history.within(None)
        if before.subgame is not None and before.subgame.node(state) != OFF_TREE:
            return history.within(before.subgame)
        if before.state.actor == self._position or made.kind != "r":
            solve = partial(self._resolver.solve_before_flop, history, None, plan, flops, search)
            return history.within(self._solve(state, {}, search, solve))
        solve = partial(self._resolver.solve_before_flop, before, made, plan, flops, search)
        subgame = self._solve(before.state, {before.state.betting: made.size}, search, solve)
        if subgame is not None:
            history = before.after(subgame.rows(before.state), state, rules.mix)
        return history.within(subgame)

    def _promise(self, history: HandHistory) -> Promise | None:
        """Return what the subgame before this one promised the opponent, or else the blueprint; None if nobody can tell."""
        root, rules, opponent = history.state, self._resolver.rules, 1 - self._position
        before = history.before
        above = None if before is None or before.state.round == 0 else before.subgame
        if above is not None:
            return above.promise(root, opponent, rules.gadget)
        plan = rules.plans.get(root.round)
        whole_flop = plan is not None and plan.runouts == "sampled"  # too large for the blueprint's promise
        if rules.first_gadget == "unsafe" or whole_flop or not self._blueprint.nodes(root):
            return None
        hands = self._blueprint, self._blueprint
        return played_promise(
            root, history.ranges, hands, opponent, rules.first_gadget, rules.first_promise, rules.threads
        )


class ResolveHand(HandStrategy):
    """Answers for one hand along one line of play; `fork` is for other lines."""

    def __init__(
        self, resolver: Resolver, key: HandKey, blueprint: BlueprintHand, subgames: Subgames | None = None
    ) -> None:
        """subgames: those of the hand that this one is forked from; None for a new hand."""
        self._resolver = resolver
        self._key = key
        self._position = key.position
        self.blueprint = blueprint
        self._subgames = subgames or Subgames(resolver, key.position, blueprint)
        self._history: HandHistory | None = None
        self._rows: dict[State, Rows] = {}
        self._answered_from: Subgame | None = None
        self._entry: dict[str, Any] | None = None
        """The log's line of a decision whose action is not known yet."""

    def fork(self) -> "ResolveHand":
        """Return the same hand so far, to be asked about another line of play.

        An object is asked about one line: which bets a street's tree has depends on the first decision on it, and later
        answers depend on that.
        """
        other = ResolveHand(self._resolver, self._key, self.blueprint, self._subgames)
        other._history, other._rows = self._history, dict(self._rows)
        return other

    def slow(self, state: State) -> bool:
        return self._solves(state) or self.blueprint.slow(state)

    def rows(self, state: State) -> Rows:
        rows = self._rows.get(state)
        if rows is None:
            with self._search(state) as search:
                rows = self._answer(state, search)
                journal = self._resolver.journal
                if state.actor == self._position:
                    rows = journal.played_by(self._key, state, rows)
                    if journal.log is not None:
                        self._write_entry()
                        self._entry = self._new_entry(search, rows)
            self._rows[state] = rows
        return rows

    def ranges(self, state: State) -> Ranges:
        """Return both positions' ranges at `state`, by the rows played on the way."""
        return self._at(state).ranges

    def subgame(self, state: State) -> Subgame | None:
        """Return the subgame in whose tree `state` is, solved now if it was not; None where the blueprint plays."""
        return self._at(state).subgame

    def played(self, state: State, rows: Rows) -> None:
        """Put the rows that one of our decisions was played by in place of those worked out; later ranges follow them."""
        self._rows[state] = rows

    def took(self, state: State, action: Action) -> None:
        self._write_entry(action=str(action))

    def ponder(self, stop: Callable[[], bool]) -> None:
        if self._answered_from is not None:
            self._resolver.ponder(self._answered_from, stop)

    def _solves(self, state: State) -> bool:
        """Return whether a subgame is solved for a state, or was for one before it on a street that is solved."""
        if state.round > 0:
            return self._resolver.rules.solves(state.round)
        return self._resolver.rules.preflop is not None and not self.blueprint.on_menu(state)

    def _at(self, state: State) -> HandHistory:
        """Return the history at `state`, worked out by a search of its own if `state` was not asked about before."""
        history = self._longest_history(_path(state))
        if history is not None and history.state == state:
            return history
        with self._search(state) as search:
            return self._follow(state, search)

    @contextmanager
    def _search(self, state: State) -> Iterator[Search]:
        """Begin the search for a decision; in the end the bank pays for it."""
        resolver = self._resolver
        search = Search.begin(state, resolver.clock, resolver.bank)
        try:
            yield search
        finally:
            resolver.solved += len(search.solved)
            resolver.fallbacks += len(search.failures)
            if resolver.bank is not None and search.elapsed is not None:
                resolver.bank.take(search.elapsed)

    def _answer(self, state: State, search: Search) -> Rows:
        """Return the rows of a state that was not asked about before."""
        if not self._solves(state):
            return self.blueprint.rows(state)
        history = self._follow(state, search)
        if history.subgame is not None:
            self._answered_from = history.subgame
        return self._read(history, search)

    def _follow(self, state: State, search: Search) -> HandHistory:
        """Return the history of the hand up to `state`, worked out in order of play from where it was last seen."""
        path = _path(state)
        history = self._longest_history(path) or HandHistory.start(path[0])
        for index in range(history.state.actions_in_hand + 1, len(path)):
            rows = self._read(history, search)
            mix = 0.0 if history.state.actor == self._position else self._resolver.rules.mix
            history = self._subgames.enter(history.after(rows, path[index], mix), path[index:], search)
            assert history.before is not None and history.rows is not None
            self._rows[history.before.state] = history.rows
        self._history = history
        return history

    def _longest_history(self, path: list[State]) -> HandHistory | None:
        """Return the history of the longest part of `path` that was seen before; None if nothing was."""
        return None if self._history is None else self._history.on_path(path)

    def _read(self, history: HandHistory, search: Search) -> Rows:
        """Return the rows of the history's state: those played, or those of its subgame, or those of the blueprint."""
        state = history.state
        rows = self._rows.get(state)
        if rows is None and history.subgame is not None:
            rows = history.subgame.rows(state)
            if not np.isfinite(rows.probabilities).all():
                search.failed(state.betting, "its strategy is not finite")
                rows = None
        return self.blueprint.rows(state) if rows is None else rows

    def _new_entry(self, search: Search, rows: Rows) -> dict[str, Any]:
        """Return the log's line of a decision of ours, but for the action."""
        state = search.state
        history = self._follow(state, search)
        share = rows.dense(hand_space().blocked(state.board)) @ history.ranges[self._position]
        subgame = history.subgame
        return {
            "hand": self._key.hand,
            "position": self._position,
            **search.plain(),
            "subgame": None if subgame is None else subgame.root.betting,
            "iterations": None if subgame is None else subgame.iteration,
            "frequencies": {
                str(action): round(float(part), 4) for action, part in zip(rows.actions, share, strict=True)
            },
        }

    def _write_entry(self, **more: str) -> None:
        if self._entry is not None:
            self._resolver.journal.write({**self._entry, **more})
            self._entry = None


def _path(state: State) -> list[State]:
    """Return the states of the hand from its start to `state`, with their boards."""
    return [past.with_board(state.board) for past in state.path()]
