"""Which subgame of a hand each of its states belongs to, and the promise that a new subgame has to keep."""

from collections.abc import Callable, Sequence

from limpet.protocol.state import State
from limpet.strategies.blueprint.blueprint_hand import BlueprintHand
from limpet.strategies.resolving.blueprint_regrets import Continuation
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
        self._continuation = Continuation(blueprint.seat.rows, blueprint.places)
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
            return history.within(self._before_flop(history, search))
        plan = rules.plans.get(state.round)
        if plan is not None and not state.actions:
            street = [later for later in onward if later.round == state.round]
            first = next((later for later in street if later.actor == self._position), street[-1])
            made = raises_made(state, first, [depth_menu.menu for depth_menu in plan.menus])
            return history.within(self._after_flop(history, plan, made, search))
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

    def _after_flop(self, history: HandHistory, plan: Plan, made: dict[str, int], search: Search) -> Subgame | None:
        """Return the subgame at the end of `history`; None where it cannot be solved.

        made: raise-to amounts, by the betting before them, that the subgame's tree has beside the menu's.
        """

        def solve() -> Subgame:
            return self._resolver.solve(history, plan, made, self._promise(history), self._continuation, search)

        return self._solve(history.state, made, search, solve)

    def _solve(self, root: State, made: dict[str, int], search: Search, solve: Callable[[], Subgame]) -> Subgame | None:
        """Return the subgame with a root, solved once; None, with the reason in `search`, where it cannot be solved."""
        key = root, tuple(made.items())
        if key not in self._solved:
            self._solved[key] = None
            try:
                self._solved[key] = solve()
            except (MemoryError, OutOfTime) as error:
                search.failed(root.betting, str(error) or type(error).__name__)
            except Exception as error:  # noqa: BLE001 - whatever went wrong, the hand is played on
                search.failed(root.betting, f"{type(error).__name__}: {error}")
        return self._solved[key]

    def _before_flop(self, history: HandHistory, search: Search) -> Subgame | None:
        """Return the subgame of a state before the flop; None while all raises are on the blueprint's menu."""
        state, before, plan = history.state, history.before, self._resolver.rules.preflop
        flops = self._blueprint.flops
        if plan is None or flops is None or before is None or state.finished or self._blueprint.on_menu(state):
            return None
        if before.subgame is not None and before.subgame.node(state) != OFF_TREE:
            return before.subgame
        return self._solve(state, {}, search, lambda: self._resolver.solve_before_flop(history, plan, flops, search))

    def _promise(self, history: HandHistory) -> Promise | None:
        """Return what the subgame before this one promised the opponent, or else the blueprint; None if nobody can tell."""
        root, rules, opponent = history.state, self._resolver.rules, 1 - self._position
        before = history.before
        above = None if before is None or before.state.round == 0 else before.subgame
        if above is not None:
            return above.promise(root, opponent, rules.gadget)
        plan = rules.plans.get(root.round)
        whole_flop = plan is not None and plan.runouts == "sampled"  # too large for the blueprint's promise
        if rules.first_gadget == "unsafe" or whole_flop or not self._blueprint.places(root):
            return None
        hands = self._blueprint, self._blueprint
        return played_promise(
            root, history.ranges, hands, opponent, rules.first_gadget, rules.first_promise, rules.threads
        )
