"""Plays a blueprint until a street that is solved again: from there on the real subgame, with exact cards and chips."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.configs.fitting import Threads, under
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import Action, State
from limpet.strategies.cards.handspace import hand_space, is_holdem
from limpet.strategies.players.blueprint import Blueprint, BlueprintHand
from limpet.strategies.records.journal import Journal
from limpet.strategies.resolving.beliefs import Ranges, after, likelihood, on_board, starting_ranges
from limpet.strategies.resolving.depth_limited import (
    Continued,
    DepthLimited,
    time_for_leaves,
    warm_up_leaves,
)
from limpet.strategies.resolving.fixed_play import played_promise
from limpet.strategies.resolving.gadgets import Alternatives, Gadget
from limpet.strategies.resolving.nested import Nested
from limpet.strategies.resolving.pace import Pace, entries
from limpet.strategies.resolving.plans import Plan, Street, check_menus
from limpet.strategies.resolving.real_bets import raises_made, street_root, with_bets
from limpet.strategies.resolving.subgame import OFF_TREE, Promise, Subgame
from limpet.strategies.resolving.thinking import ENOUGH, FEWEST, Clock, OutOfTime, Solved, Thought, begin
from limpet.strategies.resolving.time_bank import BankRules, TimeBank
from limpet.strategies.strategy import HandKey, HandStrategy, Rows, Strategy
from limpet.strategies.trees.menu import STREETS, BetMenu

Share = Annotated[float, msgspec.Meta(ge=0, lt=1)]

CHECK_EVERY = 20
"""Iterations between two looks at the exploitability, which cost one each."""

POND = 10
"""Times the iterations of a solve, after which it is not thought on about."""


class Resolve(Strategy):
    """A blueprint that thinks after the flop."""

    class Options(Strategy.Options, frozen=True, forbid_unknown_fields=True):
        """Options of a resolving player.

        blueprint: options of player ``blueprint``, played until the first street that is solved.
        streets: by street (``flop``, ``turn``, ``river``), how its subgames are solved; streets left out are played by
            what was solved before, or by the blueprint.
        mix: after each of the opponent's actions this share of his range stays as it was.
        gadget: what keeps a subgame from giving the opponent more than an earlier one promised: ``unsafe`` (nothing),
            ``resolve``, ``maxmargin``, ``reach-maxmargin`` or ``combined``.
        first_gadget: the same for a hand's first subgame, which has the blueprint's promise to keep. Where the blueprint
            has left its tree there is none, and the subgame is unsafe.
        first_promise: what the blueprint promises the opponent's hands: ``own``, what they win if both play on by it, or
            ``best``, what they would win by a best response to it.
        nested: what is solved again when the opponent bets off the tree: what follows the bet (``after``), or the
            subgame before it with his bet added to those it had (``before``; larger). After the bet only ``resolve`` and
            the margins keep him from betting more than he should; before it every gadget does.
        threads: of a solve.
        bank: the match's time: ``seconds_a_hand`` on average (7), ``seconds_a_decision`` (600), ``hands`` of a match
            (3000), ``matches`` played at once (1). Each decision gets a share of what is saved, more for a large pot;
            solves stop when it is used up, and where none can be begun the blueprint plays, with the reason in the log.
            Without a bank no clock is looked at: solves end by iterations and target alone, and a match can be played
            again, decision by decision.
        ponder: think on about the subgame at hand while the opponent does, up to `POND` times a solve's iterations, until
            its target is reached; his bet is answered as soon as it comes. The bank pays nothing for it. It needs a bank:
            what is played then depends on his time.
        log: a file, relative to the config, to which each decision is appended as a line of JSON.
        rows: a file, relative to the config, to which the rows of each decision are appended, for all hands, in at most
            4 KB; the action is drawn from them as they are rounded there. An evaluation of play against a clock needs it.
        """

        blueprint: Blueprint.Options
        streets: dict[Street, Plan]
        mix: Share = 0.02
        gadget: Gadget = "unsafe"
        first_gadget: Gadget = "unsafe"
        first_promise: Alternatives = "own"
        nested: Nested = "before"
        threads: Threads = 2
        bank: BankRules | None = None
        ponder: bool = False
        log: str | None = None
        rows: str | None = None

    clock: Clock
    """Seconds from whenever. Looked at only where there is a bank; tests put their own here."""

    def __init__(self, game: GameDef, options: Strategy.Options, folder: Path) -> None:
        super().__init__(game, options, folder)
        assert isinstance(options, Resolve.Options)
        timed = [street for street, plan in options.streets.items() if plan.seconds is not None]
        if timed and options.bank is None:
            raise ValueError(
                f"the {timed[0]} has 'seconds', and there is no 'bank': without one no clock is looked at; add 'bank: {{}}' "
                "for the competition's time, or bound the solves by 'iterations'"
            )
        if options.ponder and options.bank is None:
            raise ValueError(
                "to 'ponder' is to play by the opponent's time, and there is no 'bank'; add one, or leave 'ponder' out"
            )
        limited = [street for street, plan in options.streets.items() if plan.leaves is not None]
        if limited and (limited != ["flop"] or "turn" not in options.streets):
            raise ValueError(
                "'leaves' are for the flop, in a bot that solves the turn as well; take them from other streets, or say "
                "under 'turn' how that is solved"
            )
        if not (is_holdem(game) and game.num_players == 2 and game.no_limit):
            raise ValueError("subgames are solved in heads-up no-limit hold'em; player 'blueprint' plays this game")
        check_menus(game, options.streets)
        self.options = options
        with under("blueprint"):
            self.blueprint = Blueprint(game, options.blueprint, folder)
        self.plans = {STREETS.index(street): plan for street, plan in options.streets.items()}
        self.clock = time.monotonic
        self.bank = None if options.bank is None else TimeBank(options.bank)
        self.pace = Pace()
        log, rows = (None if name is None else folder / name for name in (options.log, options.rows))
        self.journal = Journal(game, log, rows)
        self.solved = self.fallbacks = 0

    def plan(self, state: State) -> Plan:
        """How a subgame that begins at a state is solved; of an earlier street where there is none for its own."""
        return self.plans[max(planned for planned in self.plans if planned <= state.round)]

    def start_hand(self, key: HandKey) -> "ResolveHand":
        if self.bank is not None:
            self.bank.hand_begins()
        return ResolveHand(self, key)

    def warm_up(self) -> None:
        """Compile and touch everything, and with a bank measure how fast this machine solves.

        Where a blind is a whole stack, every hand is all in before the flop and nothing is ever solved.

        Raises `ConfigError` for a `log` or `rows` that cannot be written.
        """
        self.journal.begin()
        self.blueprint.warm_up()
        if not self.plans:
            return
        first = max(2, min(self.plans))
        line = State.start(self.game).called_down(self.game.deck[:5])
        state = next((state for state in line if state.round >= first), None)
        if state is None:
            return
        bets = BetMenu(sizes=(((1.0,), ()),))
        for _ in range(2):  # the first time compiles
            began = self.clock()
            ranges = on_board(starting_ranges(), state.board)
            subgame = Subgame(state, bets, ranges, self.options.threads)
            effort = subgame.solve(10, 1e-9, 10, lambda: False)
            subgame.rows(state)
            if self.bank is not None:
                self.pace = Pace()
                self.pace.measured(entries(state, bets), effort.iterations + 1, self.clock() - began)

        if any(plan.leaves is not None for plan in self.plans.values()):
            warm_up_leaves(self._continued(0, self.blueprint.start_hand(HandKey(0, 0, 0))), state)

    def _continued(self, position: int, hand: BlueprintHand) -> Continued:
        return Continued(self.blueprint.seats[position].rows, hand.places, position)

    def report(self) -> dict[str, int]:
        """`solved`: subgames; `unsolved`: those that the blueprint played because they could not be."""
        return {**self.blueprint.report(), "solved": self.solved, "unsolved": self.fallbacks}

    def checksums(self) -> tuple[str, ...]:
        return self.blueprint.checksums()

    def describe(self) -> dict[str, str]:
        return self.blueprint.describe()


class ResolveHand(HandStrategy):
    """Answers for one hand; keeps every range met and every subgame solved."""

    def __init__(self, player: Resolve, key: HandKey) -> None:
        self._player = player
        self._key = key
        self._position = key.position
        self._blueprint: BlueprintHand = player.blueprint.start_hand(key)
        self._ranges: dict[tuple[str, tuple[int, ...]], Ranges] = {}
        self._subgames: dict[tuple[str, tuple[int, ...]], Subgame | None] = {}
        self._rows: dict[tuple[str, tuple[int, ...]], Rows] = {}
        self._solves: dict[tuple[str, tuple[int, ...], tuple[tuple[str, int], ...]], Subgame | None] = {}
        self._thought: Thought | None = None
        self._answered_from: Subgame | None = None
        self._noted: dict[str, Any] | None = None
        """The line of a decision whose action is not known yet."""

    def fork(self) -> "ResolveHand":
        """The same hand so far, to be asked about another line of play than this object is. One line it must be: which
        bets are in a street's tree depends on the first decision on it, and later answers on that."""
        other = ResolveHand(self._player, self._key)
        other._blueprint, other._solves = self._blueprint, self._solves
        other._ranges, other._subgames, other._rows = dict(self._ranges), dict(self._subgames), dict(self._rows)
        return other

    def slow(self, state: State) -> bool:
        return any(state.round >= planned for planned in self._player.plans) or self._blueprint.slow(state)

    def rows(self, state: State) -> Rows:
        key = state.betting, state.board
        rows = self._rows.get(key)
        if rows is None:
            with self._thinking(state) as thought:
                rows = self._worked_out(state, thought)
                if thought.state is state and state.actor == self._position:
                    rows = self._player.journal.played_by(self._key, state, rows)
                    if self._player.journal.log is not None:
                        self._write_noted()
                        self._noted = self._entry(thought, rows)
            self._rows[key] = rows
        return rows

    def played(self, state: State, rows: Rows) -> None:
        """The rows that were played by at a decision of ours, in place of those worked out; ranges asked for from now on
        follow them."""
        self._rows[state.betting, state.board] = rows

    def ponder(self, stop: Callable[[], bool]) -> None:
        subgame = self._answered_from
        if self._player.options.ponder and subgame is not None:
            plan = self._player.plan(subgame.root)
            if subgame.percent > plan.target:
                subgame.solve(POND * plan.iterations, plan.target, CHECK_EVERY, stop)

    def took(self, state: State, action: Action) -> None:
        """Which action was drawn from the rows of `state`, for the log."""
        self._write_noted(action=str(action))

    def _write_noted(self, **more: str) -> None:
        if self._noted is not None:
            self._player.journal.write({**self._noted, **more})
            self._noted = None

    def _worked_out(self, state: State, thought: Thought) -> Rows:
        if any(state.round >= planned for planned in self._player.plans):
            self._catch_up(state)
        subgame = self.subgame(state)
        if subgame is not None:
            self._answered_from = subgame
            rows = subgame.rows(state)
            if np.isfinite(rows.probabilities).all():
                return rows
            thought.failed(state.betting, "its strategy is not finite")
        return self._blueprint.rows(state)

    def _catch_up(self, state: State) -> None:
        """Decide what was decided on the way to `state`, in that order: subgames depend on when they were first needed.

        At the table all of it is known. It also keeps a hand of 200 raises from recursing through all of them.
        """
        for past in state.path():
            past = past.with_board(state.board)
            if past.actor == self._position and past.betting != state.betting:
                self.rows(past)
            if past.round < state.round:
                self.ranges(past)

    @contextmanager
    def _thinking(self, state: State) -> Iterator[Thought]:
        """The decision that is being thought about, begun now if none is; its time is taken from the bank."""
        if self._thought is not None:
            yield self._thought
            return
        player = self._player
        self._thought = thought = begin(state, player.clock, player.bank)
        try:
            yield thought
        finally:
            self._thought = None
            player.solved += len(thought.solved)
            player.fallbacks += len(thought.failures)
            if player.bank is not None and thought.elapsed is not None:
                player.bank.take(thought.elapsed)

    def _entry(self, thought: Thought, rows: Rows) -> dict[str, Any]:
        """The line of a decision of ours in the log."""
        state = thought.state
        share = rows.dense(hand_space().blocked(state.board)) @ self.ranges(state)[self._position]
        subgame = self.subgame(state)
        return {
            "hand": self._key.hand,
            "position": self._position,
            **thought.plain(),
            "subgame": None if subgame is None else subgame.root.betting,
            "iterations": None if subgame is None else subgame.solver.iteration,
            "frequencies": {
                str(action): round(float(part), 4) for action, part in zip(rows.actions, share, strict=True)
            },
        }

    def ranges(self, state: State) -> Ranges:
        """Both positions' ranges where the hand has come to `state`, by the rows played on the way."""
        key = state.betting, state.board
        found = self._ranges.get(key)
        if found is None:
            if state.parent is None:
                found = starting_ranges()
            else:
                before = state.parent.with_board(state.board)
                assert state.action is not None
                found = self._after(before, state.action)
            self._ranges[key] = found = on_board(found, state.board)
        return found

    def _after(self, state: State, action: Action) -> Ranges:
        mix = 0.0 if state.actor == self._position else self._player.options.mix
        return after(self.ranges(state), state.actor, self._likely(state, action), mix)

    def _likely(self, state: State, action: Action) -> NDArray[np.float64]:
        return likelihood(self.rows(state), state, action)

    def subgame(self, state: State) -> Subgame | None:
        """The subgame in whose tree `state` is, solved now if it was not; None where the blueprint plays."""
        key = state.betting, state.board
        if key not in self._subgames:
            self._subgames[key] = self._find(state)
        return self._subgames[key]

    def _find(self, state: State) -> Subgame | None:
        plan = self._player.plans.get(state.round)
        if plan is not None:
            root = street_root(state)
            key = root.betting, root.board
            if key not in self._subgames:  # nobody has been answered on this street yet: his bets go into the tree
                made = raises_made(root, state, [fitted.menu for fitted in plan.menus])
                self._subgames[key] = self._solve(root, plan, made)
                return self.subgame(state)
        if state.parent is None:
            return None
        before = state.parent.with_board(state.board)
        above = self.subgame(before)
        if above is None or above.node(state) != OFF_TREE:
            return above
        plan = self._player.plan(state)
        if self._player.options.nested == "after" or before.actor == self._position or above.node(before) == OFF_TREE:
            return self._solve(state, plan, {})
        found = self._solve(before, plan, raises_made(before, state))
        if found is not None:  # which also knows who makes such a bet
            self._rows[before.betting, before.board] = found.rows(before)
        return found

    def _solve(self, root: State, plan: Plan, made: dict[str, int]) -> Subgame | None:
        """A subgame, solved once for this hand and its forks."""
        key = root.betting, root.board, tuple(made.items())
        if key not in self._solves:
            self._solves[key] = self._solved_in_time(root, plan, made)
        return self._solves[key]

    def _solved_in_time(self, root: State, plan: Plan, made: dict[str, int]) -> Subgame | None:
        """A subgame solved as far as there is time; None, with the reason in the log, where that cannot be done."""
        with self._thinking(root) as thought:
            reason = ""
            fitting = plan.fitting(root)
            try:
                promise = self._promise(root)
                for place, index in enumerate(fitting):
                    last = place == len(fitting) - 1
                    try:
                        menu = with_bets(plan.menus[index].menu, made)
                        return self._solved(root, menu, index, plan, thought, promise, FEWEST if last else ENOUGH)
                    except (MemoryError, OutOfTime) as error:  # a smaller menu may do
                        reason = str(error) or type(error).__name__
            except Exception as error:  # noqa: BLE001 - whatever it is, the hand is played on
                reason = f"{type(error).__name__}: {error}"
            thought.failed(root.betting, reason)
            return None

    def _solved(
        self, root: State, menu: BetMenu, index: int, plan: Plan, thought: Thought, promise: Promise | None, least: int
    ) -> Subgame:
        """Raises `OutOfTime` where there is no time for `least` iterations, and `MemoryError`."""
        player, pace = self._player, self._player.pace
        ranges = self.ranges(root)
        size = 0.0
        if thought.clock is not None and plan.leaves is None:
            least, left = min(least, plan.iterations), thought.left(plan.seconds)
            size = entries(root, menu, pace.largest(left, least))
            if math.isinf(size):
                raise OutOfTime(f"{least} iterations do not fit into {max(0, left):.3g} s")
        began = thought.elapsed
        if plan.leaves is None:
            stop = thought.stop(pace.seconds(size, 1), plan.seconds)
            subgame = Subgame(root, menu, ranges, player.options.threads, promise)
        else:
            continued, left = player._continued(self._position, self._blueprint), thought.left(plan.seconds)
            enough = time_for_leaves(thought.clock, left)
            subgame = DepthLimited(root, menu, ranges, continued, plan.leaves, player.options.threads, promise, enough)
            stop = thought.stop(0.0, left - ((thought.elapsed or 0.0) - (began or 0.0)))
        effort = subgame.solve(plan.iterations, plan.target, CHECK_EVERY, stop)
        ended = thought.elapsed
        took = None if began is None or ended is None else ended - began
        if took is not None:
            pace.measured(size, effort.iterations, took)
        if effort.iterations < min(FEWEST, plan.iterations):
            raise OutOfTime(
                f"the time ran out after {effort.iterations} iterations; {FEWEST} are the fewest worth playing"
            )
        thought.solved.append(
            Solved(root.betting, effort.decisions, effort.iterations, effort.percent, index, subgame.gadget, took)
        )
        return subgame

    def _promise(self, root: State) -> Promise | None:
        """What the subgame before this one promised the opponent, or the blueprint where there was none; None where nobody
        can tell."""
        options, other = self._player.options, 1 - self._position
        ranges, above = self.ranges(root), None  # ranges first: they find the subgames on the way
        if root.parent is not None:
            before = root.parent.with_board(root.board)
            above = self._subgames.get((before.betting, before.board))
        if above is not None:
            return above.promise(root, other, options.gadget)
        plan = self._player.plans.get(root.round)
        limited = plan is not None and plan.leaves is not None  # whole flops are too much to promise
        if options.first_gadget == "unsafe" or limited or not self._blueprint.places(root):
            return None
        hands = self._blueprint, self._blueprint
        return played_promise(root, ranges, hands, other, options.first_gadget, options.first_promise, options.threads)
