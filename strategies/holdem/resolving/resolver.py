"""The solver that all hands of one resolving player share, and the chain of public states that it follows."""

import logging
import math
import time
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from limpet.protocol.state import State, raise_to
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.base.records import Journal
from limpet.strategies.base.strategy import Rows
from limpet.strategies.cards.boards import Merge
from limpet.strategies.holdem.blueprint.blueprint_hand import BlueprintHand
from limpet.strategies.holdem.blueprint.flop_values import FlopValues
from limpet.strategies.holdem.resolving.before_flop import BeforeFlop
from limpet.strategies.holdem.resolving.beliefs import Ranges, likelihood, on_board, starting_ranges, updated
from limpet.strategies.holdem.resolving.plans import ResolvingPlan, SubgameRules, with_bets
from limpet.strategies.holdem.resolving.sampled import SampledSubgame
from limpet.strategies.holdem.resolving.subgame import Promise, StreetAnswer, Subgame, played_promise
from limpet.strategies.holdem.resolving.time_bank import Pace, TimeBank, entries

# --- The search for one decision: how long it may take, the subgames solved for it, and why others were not.

Clock = Callable[[], float]
"""Returns seconds since an arbitrary moment, as `time.monotonic` does."""

_log = logging.getLogger(__name__)


class OutOfTime(RuntimeError):
    """There is too little time for a solve."""


@dataclass
class Search:
    """The search for a decision, under way. Without a clock it may take as many iterations as are asked for.

    Attributes:
        state: the state to decide in.
        clock: None where time must not count, so that a match can be played again.
        share: seconds that the bank gives the decision; None without a clock.
        began: time on the clock when the search began; 0 without a clock.
        solved: subgames solved so far, as the log has them.
        failures: why the blueprint plays on, each reason with its betting.
    """

    state: State
    clock: Clock | None = None
    share: float | None = None
    began: float = 0.0
    solved: list[dict[str, Any]] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    @property
    def elapsed(self) -> float | None:
        """Seconds since the search began; None without a clock."""
        return None if self.clock is None else self.clock() - self.began

    def since(self, began: float | None) -> float | None:
        """Return the seconds since a moment that `elapsed` told; None without a clock."""
        elapsed = self.elapsed
        return None if began is None or elapsed is None else elapsed - began

    def left(self, most: float | None = None) -> float:
        """Return the seconds left of the share, at most `most`; without a clock `most`, or infinity."""
        bound = math.inf if most is None else most
        if self.clock is None or self.share is None:
            return bound
        return min(bound, self.began + self.share - self.clock())

    def stop(self, iteration: float, most: float | None = None, fewest: int = 0) -> Callable[[], bool]:
        """Return a predicate for a solve that begins now: asked before each iteration, it says whether to stop.

        iteration: expected seconds of the first iteration; the mean of those played counts from then on. most: seconds
        that the solve may take, except that its `fewest` iterations may take all that is left of the share.
        """
        clock = self.clock
        if clock is None:
            return lambda: False
        start = clock()
        end, last = start + self.left(most), start + self.left()
        calls = 0

        def over() -> bool:
            nonlocal calls, start
            now = clock()
            if not calls:
                start = now  # laying out the tables is no iteration
            each = (now - start) / calls if calls else iteration
            calls += 1
            # Time must remain for another iteration and for measuring exploitability.
            return now + 2 * each > (last if calls <= fewest else end)

        return over

    def failed(self, betting: str, reason: str) -> None:
        """Note, and log as a warning, why the blueprint plays after `betting`."""
        failure = f"after '{betting}': {reason}"
        self.failures.append(failure)
        _log.warning("the blueprint plays on, no subgame is solved %s", failure)


# --- The history of one hand: its public states in order, with both ranges as believed and the subgame at each.


@dataclass(frozen=True, eq=False)
class HandHistory:
    """A public state of a hand and the history that led to it. Immutable: `after` returns a new one for the next state.

    Attributes:
        state: the public state, with its board.
        ranges: ranges of both positions at the state.
        subgame: the subgame whose tree holds the state; None where the blueprint plays.
        before: history at the parent state; None at the start of the hand.
        rows: rows by which the parent's actor played; None at the start of the hand.
    """

    state: State
    ranges: Ranges
    subgame: Subgame | None = None
    before: "HandHistory | None" = None
    rows: Rows | None = None

    @staticmethod
    def start(state: State) -> "HandHistory":
        """Return the history of a hand in which nobody has acted."""
        return HandHistory(state, starting_ranges(state.board))

    @property
    def above(self) -> Subgame | None:
        """The subgame of the parent state; None on the flop, because those before it end there."""
        before = self.before
        return None if before is None or (before.state.round == 0 and self.state.round > 0) else before.subgame

    def after(self, rows: Rows, state: State, mix: float) -> "HandHistory":
        """Return the history at `state`, where an action of this state's actor led, who played by `rows`.

        mix: share of the actor's range that stays as it was, see `beliefs.updated`. The new history has no subgame yet.
        """
        assert state.action is not None
        actor = self.state.actor
        action_likelihood = likelihood(rows, self.state, state.action, self.ranges[actor])
        ranges = on_board(updated(self.ranges, actor, action_likelihood, mix), state.board)
        return HandHistory(state, ranges, before=self, rows=rows)

    def within(self, subgame: Subgame | None) -> "HandHistory":
        """Return the same history with the subgame that its state belongs to."""
        return replace(self, subgame=subgame)

    def on_path(self, path: Sequence[State]) -> "HandHistory | None":
        """Return the latest part of this history that belongs to `path`, the states of a hand from its start; or None."""
        history: HandHistory | None = self
        while history is not None:
            actions = history.state.actions_in_hand
            if actions < len(path) and history.state == path[actions]:
                break
            history = history.before
        return history


CHECK_EVERY = 20
"""Iterations between two measurements of exploitability, each of which costs about one iteration."""
ENOUGH = 40
"""Iterations that a menu must leave time for to be chosen over a smaller one."""
FEWEST = 10
"""Fewest iterations that are played by; with fewer the blueprint plays."""
PONDER_LIMIT = 10
"""Pondering stops after this multiple of the iterations of the subgame's plan."""
PREFLOP_KEPT = 2048
"""Number of answers before the flop that are kept for later hands, 30 KB each on average."""


@dataclass
class Resolver:
    """Shared by all hands of a resolving player.

    Attributes:
        rules: how subgames are solved.
        journal: log of decisions and of the rows played.
        bank: time of the match; None where no clock is looked at.
        clock: read only where there is a bank; tests put their own here.
        pace: speed of this machine.
        solved: number of subgames solved.
        fallbacks: number of subgames that could not be solved, so that the blueprint played.
        whole: False: of a subgame only the `StreetAnswer` is kept where play asks no more of it.
        preflop: answers before the flop, for later hands.
    """

    rules: SubgameRules
    journal: Journal
    bank: TimeBank | None
    clock: Clock = time.monotonic
    pace: Pace = field(default_factory=Pace)
    solved: int = 0
    fallbacks: int = 0
    whole: bool = True
    preflop: dict[Hashable, StreetAnswer] = field(default_factory=dict)

    def solve(
        self, history: HandHistory, real_bets: dict[str, int], opponent: int, blueprint: BlueprintHand, search: Search
    ) -> Subgame:
        """Return the subgame at the end of `history`, solved with the largest menu that time and memory allow.

        real_bets: raise-to amounts, by the betting before them, that the tree has beside the menu's. opponent: position to
        which promises are kept. Raises `OutOfTime` and `MemoryError` where even the smallest menu asks too much.
        """
        root, ranges, rules = history.state, history.ranges, self.rules
        if root.round == 0:
            return self._before_flop(history, real_bets, blueprint.flops, search)
        plan = rules.plan(root)
        assert plan is not None
        sampled, fewest = plan.runouts == "sampled", min(FEWEST, plan.iterations)
        promise = self._promise(history, opponent, blueprint, sampled)

        def solved(menu: int, least: int) -> Subgame:
            """Solve with one menu of the plan, if there is time for `least` iterations."""
            bets, merge, size = with_bets(plan.menus[menu].menu, real_bets), plan.menus[menu].merge, 0.0
            if search.clock is not None and not sampled:
                size = self._entries_in_time(root, plan, bets, merge, search, least)
            began = search.elapsed
            stop = search.stop(self.pace.seconds(size, 1), plan.seconds, fewest)
            if sampled:
                threads = rules.threads if search.clock else 1
                subgame: Subgame = SampledSubgame(root, bets, ranges, blueprint, threads)
            else:
                subgame = Subgame(root, bets, ranges, rules.threads, promise, merge)
            iterations = subgame.solve(plan.iterations, plan.target, CHECK_EVERY, stop)
            seconds = search.since(began)
            if seconds is not None:
                self.pace.measured(size, iterations, seconds)
            self._note(subgame, fewest, seconds, search, menu)
            return subgame if self.whole or not self._solved_by_street(root) else StreetAnswer(subgame)

        *larger, smallest = plan.fitting(root)
        for menu in larger:
            with suppress(MemoryError, OutOfTime):  # a smaller menu may do
                return solved(menu, ENOUGH)
        return solved(smallest, FEWEST)

    def _before_flop(
        self, history: HandHistory, real_bets: dict[str, int], flops: FlopValues | None, search: Search
    ) -> StreetAnswer:
        """Return the rest of the betting before the flop, solved now unless it was solved to the end in an earlier hand.

        Raises `OutOfTime` where there is hardly any time.

        real_bets: at most one raise, which was really made in the history's state.
        """
        plan = self.rules.preflop
        assert plan is not None and flops is not None
        began, made = search.elapsed, next(map(raise_to, real_bets.values()), None)
        key = history.state, made, history.ranges.tobytes()
        answer = self.preflop.get(key)
        if answer is None:
            subgame = BeforeFlop(history.state, with_bets(plan.menu, real_bets), history.ranges, flops, made)
            subgame.solve(plan.iterations, 0, plan.iterations, search.stop(0.0))
            answer = StreetAnswer(subgame)
            if answer.iteration == plan.iterations:
                self.preflop[key] = answer
                if len(self.preflop) > PREFLOP_KEPT:
                    self.preflop.pop(next(iter(self.preflop)), None)
        self._note(answer, min(FEWEST, plan.iterations), search.since(began), search)
        return answer

    def _solved_by_street(self, root: State) -> bool:
        """Return whether nothing below the street of `root` is read from a subgame: the next one is solved when it comes."""
        following = root.round + 1
        plan = self.rules.plans.get(following)
        return self.rules.gadget == "unsafe" and (
            following == root.game.num_rounds or (plan is not None and plan.solves(root))
        )

    def _promise(self, history: HandHistory, opponent: int, blueprint: BlueprintHand, sampled: bool) -> Promise | None:
        """Return what the subgame before this one promised the opponent, or else the blueprint; None if nobody can tell.

        sampled: the subgame is a whole flop, which is too large for the blueprint's promise.
        """
        root, rules = history.state, self.rules
        if history.above is not None:
            return history.above.promise(root, opponent, rules.gadget)
        if rules.first_gadget == "unsafe" or sampled or not blueprint.nodes(root):
            return None
        hands, kept = (blueprint, blueprint), (rules.first_gadget, rules.first_promise)
        return played_promise(root, history.ranges, hands, opponent, *kept, rules.threads)

    def _note(self, subgame: Subgame, fewest: int, seconds: float | None, search: Search, menu: int = 0) -> None:
        """Note in `search` a solve that took `seconds`, None without a clock.

        Raises `OutOfTime` for one with less than the `fewest` iterations that are worth playing.
        """
        if subgame.iteration < fewest:
            enough = f"{fewest} are the fewest worth playing"
            raise OutOfTime(f"the time ran out after {subgame.iteration} iterations; {enough}")
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

    def _entries_in_time(
        self, root: State, plan: ResolvingPlan, bets: BetMenu, merge: Merge, search: Search, least: int
    ) -> float:
        """Return the entries of a solve, see `time_bank.entries`. Raises `OutOfTime` where `least` iterations take too long."""
        # The plan's last menu has to play the fewest iterations, for which the share may be used up.
        left = search.left(plan.seconds if least > FEWEST else None)
        least = min(least, plan.iterations)
        size = entries(root, bets, self.pace.largest(left, least), merge)
        if math.isinf(size):
            raise OutOfTime(f"{least} iterations do not fit into {max(0, left):.3g} s")
        return size

    def ponder(self, subgame: Subgame, stop: Callable[[], bool]) -> None:
        """Solve `subgame` further, where the rules say so, until its plan's target is reached, `PONDER_LIMIT` is, or `stop()` says so."""
        if subgame.root.round == 0:
            return  # solved to all of its iterations at once
        plan = self.rules.plan(subgame.root)
        if plan is not None and self.rules.ponder and subgame.percent > plan.target:
            subgame.solve(PONDER_LIMIT * plan.iterations, plan.target, CHECK_EVERY, stop)

    def warm_up(self, line: list[State], blueprint: BlueprintHand) -> None:
        """Compile and touch all that a solve needs, and with a bank measure this machine's speed.

        line: states of a hand, of which the first on a street that is solved is the small subgame's root. Where a blind
        is a whole stack there is none: every hand is all in before the flop and nothing is ever solved.
        """
        plans = {round_: plan for round_, plan in self.rules.plans.items() if plan.fits(line[0].game)}
        if blueprint.flops is not None and self.rules.preflop is not None:
            if blueprint.fits(line[0].game):
                preflop = BeforeFlop(line[0], self.rules.preflop.menu, starting_ranges(), blueprint.flops)
                preflop.solve(1)
            else:
                self._before_flop(HandHistory.start(line[0]), {}, blueprint.flops, Search(line[0]))
        root = next((state for state in line if plans and state.round >= max(2, min(plans))), None)
        if root is None:
            return
        bets = BetMenu(sizes=(((1.0,), ()),))
        for _ in range(2):  # the first time compiles
            began = self.clock()
            subgame = Subgame(root, bets, starting_ranges(root.board), self.rules.threads)
            iterations = subgame.solve(10, 1e-9, 10)
            subgame.rows(root)
            if self.bank is not None:
                self.pace = Pace()
                self.pace.measured(entries(root, bets), iterations + 1, self.clock() - began)
        flop = next((state for state in line if state.round == 1), None)
        if flop is not None and any(plan.runouts == "sampled" for plan in plans.values()):
            small = SampledSubgame(flop, bets, starting_ranges(flop.board), blueprint)
            small.solve(2)
            small.rows(flop)
