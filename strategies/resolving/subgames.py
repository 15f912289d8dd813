"""Which subgame of a hand each of its states belongs to, and the promise that a new subgame has to keep."""

from collections.abc import Sequence

from limpet.protocol.state import State
from limpet.strategies.blueprint.blueprint_hand import BlueprintHand
from limpet.strategies.resolving.depth_limited import Continuation
from limpet.strategies.resolving.fixed_play import played_promise
from limpet.strategies.resolving.hand_history import HandHistory
from limpet.strategies.resolving.plans import Plan
from limpet.strategies.resolving.real_bets import raises_made
from limpet.strategies.resolving.resolver import Resolver
from limpet.strategies.resolving.search import OutOfTime, Search
from limpet.strategies.resolving.subgame import OFF_TREE, Promise, Subgame


class Subgames:
    """The subgames of one hand, each solved once for the hand and its forks."""

    def __init__(self, resolver: Resolver, position: int, blueprint: BlueprintHand) -> None:
        self._resolver = resolver
        self._position = position
        self._blueprint = blueprint
        self._continuation = Continuation(blueprint.seat.rows, blueprint.places, position)
        self._solved: dict[tuple[State, tuple[tuple[str, int], ...]], Subgame | None] = {}

    def enter(self, history: HandHistory, onward: Sequence[State], search: Search) -> HandHistory:
        """Return `history` with the subgame that its state belongs to, solved now if it was not.

        onward: the states of the hand from the history's own to the one that is asked about. The raises that the
        opponent made on a street before our first decision there are part of the street's tree.

        Where the opponent has bet off the tree and a subgame is solved from before that bet, the history returned has
        ranges by that subgame's rows.
        """
        state, before, rules = history.state, history.before, self._resolver.rules
        plan = rules.plans.get(state.round)
        if plan is not None and not state.actions:
            street = [later for later in onward if later.round == state.round]
            first = next((later for later in street if later.actor == self._position), street[-1])
            made = raises_made(state, first, [depth_menu.menu for depth_menu in plan.menus])
            return history.within(self._solve(history, plan, made, search))
        above = None if before is None else before.subgame
        if before is None or above is None or state.finished or above.node(state) != OFF_TREE:
            return history.within(above)
        plan = rules.plan(state)
        if rules.nested == "after" or before.state.actor == self._position:
            return history.within(self._solve(history, plan, {}, search))
        subgame = self._solve(before, plan, raises_made(before.state, state), search)
        if subgame is not None:  # its rows also say which hands make such a bet
            history = before.after(subgame.rows(before.state), state, rules.mix)
        return history.within(subgame)

    def _solve(self, history: HandHistory, plan: Plan, made: dict[str, int], search: Search) -> Subgame | None:
        """Return the subgame at the end of `history`; None, with the reason in `search`, where it cannot be solved.

        made: raise-to amounts, by the betting before them, that the subgame's tree has beside the menu's.
        """
        root = history.state
        key = root, tuple(made.items())
        if key not in self._solved:
            self._solved[key] = None
            try:
                promise = self._promise(history)
                self._solved[key] = self._resolver.solve(history, plan, made, promise, self._continuation, search)
            except (MemoryError, OutOfTime) as error:
                search.failed(root.betting, str(error) or type(error).__name__)
            except Exception as error:  # noqa: BLE001 - whatever went wrong, the hand is played on
                search.failed(root.betting, f"{type(error).__name__}: {error}")
        return self._solved[key]

    def _promise(self, history: HandHistory) -> Promise | None:
        """Return what the subgame before this one promised the opponent, or else the blueprint; None if nobody can tell."""
        root, rules, opponent = history.state, self._resolver.rules, 1 - self._position
        above = None if history.before is None else history.before.subgame
        if above is not None:
            return above.promise(root, opponent, rules.gadget)
        plan = rules.plans.get(root.round)
        whole_flop = plan is not None and plan.leaves is not None  # too large for the blueprint's promise
        if rules.first_gadget == "unsafe" or whole_flop or not self._blueprint.places(root):
            return None
        hands = self._blueprint, self._blueprint
        return played_promise(
            root, history.ranges, hands, opponent, rules.first_gadget, rules.first_promise, rules.threads
        )
