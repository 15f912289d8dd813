"""One hand of a resolving player: the blueprint until a street that is solved anew, subgames from there on.

A decision goes one way. `ResolveHand.rows` begins a `Search` and follows the line of play, state by state, from where the
hand was last seen. Each state is entered: its subgame is found, and a new one is solved by `Resolver.solve`. The rows read
there lead to the next state: `HandHistory.after` works out its ranges. The rows of the last state are the answer.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from limpet.protocol.cards import cards_text
from limpet.protocol.state import Action, State
from limpet.strategies.abstraction.menu import STREETS
from limpet.strategies.base.strategy import HandKey, HandStrategy, Rows
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.blueprint.blueprint_hand import BlueprintHand
from limpet.strategies.holdem.resolving.before_flop import ODD_SHARE
from limpet.strategies.holdem.resolving.beliefs import Ranges
from limpet.strategies.holdem.resolving.plans import raises_made
from limpet.strategies.holdem.resolving.resolver import HandHistory, OutOfTime, Resolver, Search
from limpet.strategies.holdem.resolving.subgame import OFF_TREE, Subgame

Solved = dict[tuple[State, tuple[tuple[str, int], ...]], Subgame | None]
"""Subgames by their root and the real bets in their tree; None for those that could not be solved."""


class ResolveHand(HandStrategy):
    """Answers for one hand along one line of play; `fork` is for other lines."""

    def __init__(
        self, resolver: Resolver, key: HandKey, blueprint: BlueprintHand, solved: Solved | None = None
    ) -> None:
        """solved: subgames of the hand that this one is forked from, so that each is solved once; None for a new hand."""
        self._resolver = resolver
        self._key = key
        self._position = key.position
        self.blueprint = blueprint
        self._solved: Solved = {} if solved is None else solved
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
        other = ResolveHand(self._resolver, self._key, self.blueprint, self._solved)
        other._history, other._rows = self._history, dict(self._rows)
        return other

    def slow(self, state: State) -> bool:
        return self._solves(state) or self.blueprint.slow(state)

    def built_on(self, state: State) -> list[State]:
        """Return the earlier decisions of the actor that are solved: subgames follow from those before them."""
        past = (at for at in _path(state)[:-1] if at.actor == state.actor)
        return [at for at in past if self._solves(at)]

    def rows(self, state: State) -> Rows:
        rows = self._rows.get(state)
        if rows is None:
            with self._search(state) as search:
                if self._solves(state):
                    history = self._follow(state, search)
                    self._answered_from = history.subgame or self._answered_from
                    rows = self._read(history, search)
                else:
                    rows = self.blueprint.rows(state)
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
            return self._resolver.rules.plan(state) is not None
        blueprint = self.blueprint
        return self._resolver.rules.preflop is not None and not (
            blueprint.fits(state.game) and blueprint.on_menu(state)
        )

    def _at(self, state: State) -> HandHistory:
        """Return the history at `state`, worked out by a search of its own if `state` was not asked about before."""
        history = self._history and self._history.on_path(_path(state))
        if history is not None and history.state == state:
            return history
        with self._search(state) as search:
            return self._follow(state, search)

    @contextmanager
    def _search(self, state: State) -> Iterator[Search]:
        """Begin the search for a decision; in the end the bank pays for it."""
        resolver = self._resolver
        search = Search(state)  # without a bank the clock is never looked at
        if resolver.bank is not None:
            share = resolver.bank.share(state.pot / state.game.big_blind)
            search = Search(state, resolver.clock, share, resolver.clock())
        try:
            yield search
        finally:
            resolver.solved += len(search.solved)
            resolver.fallbacks += len(search.failures)
            if resolver.bank is not None and search.elapsed is not None:
                resolver.bank.take(search.elapsed)

    def _follow(self, state: State, search: Search) -> HandHistory:
        """Return the history of the hand up to `state`, worked out in order of play from where it was last seen."""
        path = _path(state)
        history = self._history and self._history.on_path(path)
        if history is None:
            history = self._enter(HandHistory.start(path[0]), path, search)
        for index in range(history.state.actions_in_hand + 1, len(path)):
            rows = self._read(history, search)
            mix = 0.0 if history.state.actor == self._position else self._resolver.rules.mix
            history = self._enter(history.after(rows, path[index], mix), path[index:], search)
            assert history.before is not None and history.rows is not None
            self._rows[history.before.state] = history.rows
        self._history = history
        return history

    def _enter(self, history: HandHistory, onward: Sequence[State], search: Search) -> HandHistory:
        """Return `history` with the subgame that its state belongs to, solved now if it was not; none where the blueprint plays.

        onward: the states of the hand from the history's own to the one that is asked about. The raises that the
        opponent made on a street before our first decision there are part of the street's tree.

        Where the opponent has bet off the tree and a subgame is solved from before that bet, the history returned has
        ranges by that subgame's rows: they say which hands make such a bet. So it always is before the flop, and there also
        after a raise on the tree where hardly any hand makes it or an action before it, so that the answer to it is by chance.
        """
        state, before, rules = history.state, history.before, self._resolver.rules
        plan, above = rules.plans.get(state.round), history.above
        if plan is not None and not state.actions and plan.solves(state):
            street = [later for later in onward if later.round == state.round]
            first = next((later for later in street if later.actor == self._position), street[-1])
            real_bets = raises_made(state, first, [depth_menu.menu for depth_menu in plan.menus])
            return history.within(self._subgame(history, real_bets, search))
        if before is None or state.action is None:
            return history.within(self._subgame(history, {}, search) if self._solves(state) else None)
        if state.finished or (above is None and state.round > 0):
            return history.within(above)
        their_raise = state.action.kind == "r" and before.state.actor != self._position
        on_tree = above is not None and above.node(state) != OFF_TREE
        hardly_made = on_tree and their_raise and state.round == 0 and _rarest(history) < ODD_SHARE
        if not self._solves(state) or (on_tree and not hardly_made):
            return history.within(above)
        if not their_raise or (rules.nested == "after" and state.round > 0):
            return history.within(self._subgame(history, {}, search))
        subgame = self._subgame(before, raises_made(before.state, state), search)
        if subgame is not None:
            history = before.after(subgame.rows(before.state), state, rules.mix)
        return history.within(subgame)

    def _subgame(self, history: HandHistory, real_bets: dict[str, int], search: Search) -> Subgame | None:
        """Return the subgame at the end of `history`, solved once; None, with the reason in `search`, where it cannot be.

        real_bets: raise-to amounts, by the betting before them, that the subgame's tree has beside the menu's.
        """
        key = history.state, tuple(real_bets.items())
        if key not in self._solved:
            self._solved[key] = None
            betting = history.state.betting
            try:
                self._solved[key] = self._resolver.solve(history, real_bets, 1 - self._position, self.blueprint, search)
            except (MemoryError, OutOfTime) as error:
                search.failed(betting, str(error) or type(error).__name__)
            except Exception as error:  # noqa: BLE001 - whatever went wrong, the hand is played on
                search.failed(betting, f"{type(error).__name__}: {error}")
        return self._solved[key]

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
        shares = zip(rows.actions, share, strict=True)
        subgame, elapsed = history.subgame, search.elapsed
        return {
            "hand": self._key.hand,
            "position": self._position,
            "street": STREETS[state.round],
            "betting": state.betting,
            "board": cards_text(state.board),
            "pot_bb": state.pot / state.game.big_blind,
            "deadline_ms": None if search.share is None else round(1000 * search.share, 1),
            "ms": None if elapsed is None else round(1000 * elapsed, 2),
            "solves": search.solved,
            "fallback": "; ".join(search.failures) or None,
            "subgame": None if subgame is None else subgame.root.betting,
            "iterations": None if subgame is None else subgame.iteration,
            "frequencies": {str(action): round(float(part), 4) for action, part in shares},
        }

    def _write_entry(self, **more: str) -> None:
        if self._entry is not None:
            self._resolver.journal.write({**self._entry, **more})
            self._entry = None


def _rarest(history: HandHistory) -> float:
    """Return the least share of a range that took an action on the way from the root of the subgame above."""
    above, least = history.above, 1.0
    while history.before is not None and history.above is above:
        before, rows, action = history.before, history.rows, history.state.action
        assert rows is not None
        shares = rows.dense(hand_space().blocked(before.state.board)) @ before.ranges[before.state.actor]
        taken = sum(float(share) for kept, share in zip(rows.actions, shares, strict=True) if kept == action)
        least, history = min(least, taken), before
    return least


def _path(state: State) -> list[State]:
    """Return the states of the hand from its start to `state`, with their boards."""
    return [past.with_board(state.board) for past in state.path()]
