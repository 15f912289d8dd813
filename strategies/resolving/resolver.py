"""The solver that all hands of one resolving player share: it solves a subgame in the time there is."""

import math
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from limpet.protocol.state import Action, State
from limpet.strategies.blueprint.flop_values import FlopValues
from limpet.strategies.records.journal import Journal
from limpet.strategies.resolving.before_flop import BeforeFlop
from limpet.strategies.resolving.beliefs import starting_ranges
from limpet.strategies.resolving.blueprint_regrets import Continuation
from limpet.strategies.resolving.hand_history import HandHistory
from limpet.strategies.resolving.pace import Pace, entries
from limpet.strategies.resolving.plans import Plan, PreflopPlan, SubgameRules
from limpet.strategies.resolving.real_bets import with_bets
from limpet.strategies.resolving.sampled import SampledSubgame
from limpet.strategies.resolving.search import Clock, OutOfTime, Search
from limpet.strategies.resolving.subgame import Promise, Subgame
from limpet.strategies.resolving.time_bank import TimeBank
from limpet.strategies.trees.menu import BetMenu

CHECK_EVERY = 20
"""Iterations between two measurements of exploitability, each of which costs about one iteration."""
ENOUGH = 40
"""Iterations that a menu must leave time for to be chosen over a smaller one."""
FEWEST = 10
"""Fewest iterations that are played by; with fewer the blueprint plays."""
PONDER_LIMIT = 10
"""Pondering stops after this multiple of the iterations of the subgame's plan."""


@dataclass
class Resolver:
    """Shared by all hands of a resolving player."""

    rules: SubgameRules  # how subgames are solved
    journal: Journal  # log of decisions and of the rows played
    bank: TimeBank | None  # time of the match; None where no clock is looked at
    clock: Clock = time.monotonic  # read only where there is a bank; tests put their own here
    pace: Pace = field(default_factory=Pace)  # speed of this machine
    solved: int = 0  # number of subgames solved
    fallbacks: int = 0  # number of subgames that could not be solved, so that the blueprint played

    def solve(
        self, history: HandHistory, plan: Plan, real_bets: dict[str, int], promise: Promise | None,
        continuation: Continuation, search: Search,
    ) -> Subgame:  # fmt: skip
        """Return the subgame at the end of `history`, solved with the largest menu that time and memory allow.

        real_bets: raise-to amounts, by the betting before them, that the tree has beside the menu's. continuation: where
        runouts are sampled. Raises `OutOfTime` and `MemoryError` where even the smallest menu asks too much.
        """
        *larger, smallest = plan.fitting(history.state)
        for menu in larger:
            with suppress(MemoryError, OutOfTime):  # a smaller menu may do
                return self._solve_with(menu, ENOUGH, history, plan, real_bets, promise, continuation, search)
        return self._solve_with(smallest, FEWEST, history, plan, real_bets, promise, continuation, search)

    def solve_before_flop(
        self, history: HandHistory, made: Action | None, plan: PreflopPlan, flops: FlopValues, search: Search
    ) -> BeforeFlop:
        """Return the rest of the betting before the flop, solved. Raises `OutOfTime` where there is hardly any time.

        made: a raise that was really made in the history's state; the tree has it beside the menu's.
        """
        began, root = search.elapsed, history.state
        menu = plan.menu if made is None else with_bets(plan.menu, {root.betting: made.size})
        subgame = BeforeFlop(root, menu, history.ranges, flops, made)
        subgame.solve(plan.iterations, 0, plan.iterations, search.stop(0.0))
        self._note(subgame, min(FEWEST, plan.iterations), _since(began, search), search)
        return subgame

    def _solve_with(
        self, menu: int, least: int, history: HandHistory, plan: Plan, real_bets: dict[str, int],
        promise: Promise | None, continuation: Continuation, search: Search,
    ) -> Subgame:  # fmt: skip
        """Solve with one menu of the plan, if there is time for `least` iterations, and note it in `search`."""
        root, bets, threads = history.state, with_bets(plan.menus[menu].menu, real_bets), self.rules.threads
        size = 0.0
        sampled = plan.runouts == "sampled"
        if search.clock is not None and not sampled:
            size = self._entries_in_time(root, plan, bets, search, least)
        began = search.elapsed
        fewest = min(FEWEST, plan.iterations)
        stop = search.stop(self.pace.seconds(size, 1), plan.seconds, fewest)
        if sampled:
            subgame: Subgame = SampledSubgame(root, bets, history.ranges, continuation, threads if search.clock else 1)
        else:
            subgame = Subgame(root, bets, history.ranges, threads, promise)
        iterations = subgame.solve(plan.iterations, plan.target, CHECK_EVERY, stop)
        seconds = _since(began, search)
        if seconds is not None:
            self.pace.measured(size, iterations, seconds)
        self._note(subgame, fewest, seconds, search, menu)
        return subgame

    def _note(self, subgame: Subgame, fewest: int, seconds: float | None, search: Search, menu: int = 0) -> None:
        """Note in `search` a solve that took `seconds`, None without a clock.

        Raises `OutOfTime` for one with less than the `fewest` iterations that are worth playing.
        """
        if subgame.iteration < fewest:
            raise OutOfTime(
                f"the time ran out after {subgame.iteration} iterations; {fewest} are the fewest worth playing"
            )
        search.solved.append(
            {
                "root": subgame.root.betting,
                "decisions": len(subgame.tree.decisions),
                "iterations": subgame.iteration,
                "percent": round(subgame.percent, 4) if math.isfinite(subgame.percent) else None,
                "menu": menu,
                "gadget": subgame.gadget,
                "ms": None if seconds is None else round(1000 * seconds, 2),
            }
        )

    def _entries_in_time(self, root: State, plan: Plan, bets: BetMenu, search: Search, least: int) -> float:
        """Return the entries of a solve, see `pace.entries`. Raises `OutOfTime` where `least` iterations take too long."""
        # The plan's last menu has to play the fewest iterations, for which the share may be used up.
        left = search.left(plan.seconds if least > FEWEST else None)
        least = min(least, plan.iterations)
        size = entries(root, bets, self.pace.largest(left, least))
        if math.isinf(size):
            raise OutOfTime(f"{least} iterations do not fit into {max(0, left):.3g} s")
        return size

    def ponder(self, subgame: Subgame, stop: Callable[[], bool]) -> None:
        """Solve `subgame` further, where the rules say so, until its plan's target is reached, `PONDER_LIMIT` is, or `stop()` says so."""
        if subgame.root.round == 0:
            return  # solved to all of its iterations at once
        plan = self.rules.plan(subgame.root)
        if self.rules.ponder and subgame.percent > plan.target:
            subgame.solve(PONDER_LIMIT * plan.iterations, plan.target, CHECK_EVERY, stop)

    def warm_up(self, line: list[State], continuation: Continuation, flops: FlopValues | None = None) -> None:
        """Compile and touch all that a solve needs, and with a bank measure this machine's speed.

        line: states of a hand, of which the first on a street that is solved is the small subgame's root. Where a blind
        is a whole stack there is none: every hand is all in before the flop and nothing is ever solved.
        """
        plans = self.rules.plans
        if flops is not None and self.rules.preflop is not None:
            BeforeFlop(line[0], self.rules.preflop.menu, starting_ranges(), flops).solve(1, 0, 1, lambda: False)
        root = next((state for state in line if plans and state.round >= max(2, min(plans))), None)
        if root is None:
            return
        bets = BetMenu(sizes=(((1.0,), ()),))
        for _ in range(2):  # the first time compiles
            began = self.clock()
            subgame = Subgame(root, bets, starting_ranges(root.board), self.rules.threads)
            iterations = subgame.solve(10, 1e-9, 10, lambda: False)
            subgame.rows(root)
            if self.bank is not None:
                self.pace = Pace()
                self.pace.measured(entries(root, bets), iterations + 1, self.clock() - began)
        flop = next((state for state in line if state.round == 1), None)
        if flop is not None and any(plan.runouts == "sampled" for plan in plans.values()):
            small = SampledSubgame(flop, bets, starting_ranges(flop.board), continuation)
            small.solve(2, 0, 2, lambda: False)
            small.rows(flop)


def _since(began: float | None, search: Search) -> float | None:
    """Return the seconds of a search since `began`; None without a clock."""
    ended = search.elapsed
    return None if began is None or ended is None else ended - began
