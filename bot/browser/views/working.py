"""The process behind `worker.Worker`: it reads orders from standard input and answers them on standard output."""

import os
import random
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeVar

import msgspec

from limpet.bot.browser.views.charts import BotLuck, hand_view, push_fold_view, slot_grid
from limpet.bot.browser.views.grid import json_number
from limpet.bot.browser.views.inside import LookedInto, SmallHand, warm_up
from limpet.bot.browser.views.messages import TRAINED, WorkerOrder
from limpet.bot.browser.views.reviewing import JudgedFile, players_view
from limpet.bot.browser.views.solving import (
    by_equity,
    compared_nodes,
    lock_of,
    next_cards,
    solve_spot,
    solved_view,
    spot_node,
    with_raise,
)
from limpet.bot.browser.views.spot_form import read_form, shipped_form, spot_cost, spot_form, spot_of, spot_text
from limpet.bot.browser.views.strategy_tree import choice_folder, facts_view, node_view
from limpet.common.folders import shipped_strategies
from limpet.configs.loading import ConfigError
from limpet.dealer.measures.drill_questions import Question
from limpet.dealer.measures.drill_session import DrillAnswer, DrillSession, read_answers
from limpet.dealer.measures.named_drills import find_drill
from limpet.dealer.measures.review import DecisionFilter
from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import parse_match_state
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.cards.handspace import is_holdem
from limpet.strategies.cards.isomorphism import preflop_classes
from limpet.strategies.holdem.blueprint.look import look
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from limpet.strategies.holdem.solutions.solve import TABLES, Solve, load_solve, save_solve
from limpet.strategies.shortstacks.depth_charts import depth_charts, title
from limpet.strategies.shortstacks.icm import icm, icm_data
from limpet.strategies.shortstacks.solve import Solution, pushfold

K = TypeVar("K", int, str, tuple[str, str, str | None])
T = TypeVar("T")

NICENESS = 5
"""Lower priority of the process, so that pages and tables stay quick while it takes all cores."""
MOST_TABS = 4
"""Number of browser tabs whose hands and charts are kept, of bots whose luck is taken out, and of reviews."""

ANSWER = ("frequencies", "values", "ranges")
"""Fields of a drill's question that answer it."""


@dataclass
class Work:
    """State of the process between orders. `report` and `stopped` are those of the current job."""

    report: Callable[[Any], None] = lambda value: None
    stopped: Callable[[], bool] = lambda: False
    files: dict[str, StrategyFile] = field(default_factory=dict)
    solve: Solve | None = None
    kept_solves: dict[tuple[Path, float], Solve] = field(default_factory=dict)
    drill: DrillSession | None = None
    question: Question | None = None
    solutions: dict[int, Solution] = field(default_factory=dict)
    hands: dict[int, LookedInto | SmallHand] = field(default_factory=dict)
    reviews: dict[str, JudgedFile] = field(default_factory=dict)
    luck_of: dict[tuple[str, str, str | None], BotLuck] = field(default_factory=dict)

    def warm_up(self) -> object:
        """Load what the first strategy needs, and compile it where this machine has not."""
        look(StrategyFile.open(shipped_strategies() / "kuhn"))
        preflop_classes()
        return None

    def open_strategy(self, name: str) -> object:
        file = self._file(name)
        return {"facts": facts_view(file), "node": node_view(file, "", "")}

    def strategy_node(self, name: str, line: str, board: str) -> object:
        return node_view(self._file(name), line, board)

    def _file(self, name: str) -> StrategyFile:
        if name not in self.files:
            self.files[name] = StrategyFile.open(choice_folder(name))
        return self.files[name]

    def solve_spot(self, form: dict[str, Any]) -> object:
        """Solve a spot, and return its answer with the first decision."""
        return self._taken_up(partial(solve_spot, spot_of(form), self.report, self.stopped))

    def solve_with_bet(self, line: str, percent: float) -> object:
        """Solve the spot at hand again with one more bet, and return the decision after that bet."""
        spot, after = with_raise(_solved(self).spot, line, percent)
        return self._taken_up(partial(solve_spot, spot, self.report, self.stopped), line) | {"after": after}

    def keep_solve(self, folder: str) -> object:
        """Write the solve at hand into a folder, as `limpet solve --save` does."""
        if type(_solved(self).spot.menu) is not BetMenu:
            raise ConfigError(
                "a bet at one decision alone is in no spot's file; write it into the bets and solve again"
            )
        save_solve(Path(folder), _solved(self))
        return None

    def open_solve(self, folder: str) -> object:
        """Take up a kept solve, and return its spot and its answer with the first decision."""
        return self._taken_up(partial(load_solve, Path(folder))) | {"spot": spot_form(_solved(self).spot)}

    def _taken_up(self, make: Callable[[], Solve], line: str = "") -> dict[str, Any]:
        """Put another solve in place of the one at hand, whose memory is free by then; return its answer and a decision."""
        self.solve = None
        self.solve = make()
        return {"answer": solved_view(self.solve), "node": spot_node(self.solve, line)}

    def compare_nodes(self, folders: list[str], lines: list[str]) -> object:
        """Return two decisions side by side, each of the solve in a folder, of the one at hand where that is empty, or of a strategy."""
        versions = {folder: _version(Path(folder)) for folder in folders if folder and not folder.startswith(TRAINED)}
        self.kept_solves = {key: solve for key, solve in self.kept_solves.items() if key in versions.values()}
        for key in versions.values():
            if key not in self.kept_solves:
                self.kept_solves[key] = load_solve(key[0])

        def side(folder: str) -> Solve | StrategyFile:
            if folder.startswith(TRAINED):
                return self._file(folder.removeprefix(TRAINED))
            return self.kept_solves[versions[folder]] if folder else _solved(self)

        return compared_nodes([side(folder) for folder in folders], lines)

    def drill_begin(self, name: str) -> object:
        """Begin a session of a drill, solved if need be, and return its first question."""
        found = find_drill(name)
        read_answers(found.path)  # a damaged file is found before the solve

        def look(solve: Solve) -> None:
            seconds = solve.checks[-1].seconds
            self.report({"seconds": seconds, "left": solve.seconds_left()})

        self.drill = self.question = None
        self.drill = DrillSession(found.begin(look, self.stopped), found.path, random.getrandbits(32))
        return self.drill_next()

    def drill_next(self) -> object:
        if self.drill is None:
            raise ConfigError("no drill has begun; begin one first")
        self.question, again = self.drill.ask()
        return asked_view(self.question, again)

    def drill_answer(self, action: int) -> object:
        """Judge the answer to the question that was asked last, once."""
        if self.drill is None or self.question is None or not 0 <= action < len(self.question.names):
            raise ConfigError("there is no such question or action; ask for the next question")
        question, self.question = self.question, None
        return judged_view(self.drill, question, self.drill.answer(question, action), action)

    def icm(self, stacks: tuple[float, ...], payouts: tuple[float, ...]) -> object:
        equity, all_ins = icm(tuple(stacks), tuple(payouts))
        return icm_data(stacks, payouts, equity.tolist(), all_ins)

    def pushfold(
        self,
        tab: int,
        stacks: list[float],
        blinds: tuple[float, float],
        ante: float,
        payouts: list[float],
        locks: list[str],
    ) -> object:
        solution = pushfold(stacks, blinds, ante, payouts or None, locks)
        _keep(self.solutions, tab, solution)
        return push_fold_view(solution)

    def pushfold_slot(self, tab: int, name: str) -> object:
        """Return a decision of the push-or-fold spot that was solved for a browser tab."""
        return slot_grid(self._solution(tab), name)

    def pushfold_hand(self, tab: int, name: str, hand: str) -> object:
        return hand_view(self._solution(tab), name, hand)

    def pushfold_depths(
        self,
        name: str,
        depths: list[float],
        stacks: list[float],
        blinds: tuple[float, float],
        ante: float,
        payouts: list[float],
        locks: list[str],
    ) -> object:
        """Return how deep each hand goes all-in at a decision: a heading, rows of text, and a picture as SVG."""
        terms: dict[str, Any] = {"ante": ante, "payouts": payouts or None, "locks": locks}
        charts = depth_charts(depths, stacks, blinds, [name], **terms)
        (decision,) = charts.frequencies
        return {"title": title(decision), "rows": charts.grid(decision), "svg": charts.svg()}

    def _solution(self, tab: int) -> Solution:
        if tab not in self.solutions:
            raise ConfigError("no push-or-fold spot is solved; solve one first")
        return self.solutions[tab]

    def warm_up_bot(self, config: str, game: str) -> object:
        """Load what looking inside needs of a bot, before it is asked."""
        warm_up(config, GameDef.parse(game, "game"))
        return None

    def luck(self, config: str, game: str, name: str, lines: list[str], rows: str | None) -> object:
        """Return what a bot called `name` wins in hands of a log, in chips, with the luck taken out by AIVAT.

        rows: file in which a bot that thinks against the clock keeps what it plays by, None for other bots.
        """
        key = config, game, rows
        luck = self.luck_of.get(key) or BotLuck(
            config, GameDef.parse(game, "game"), None if rows is None else Path(rows)
        )
        _keep(self.luck_of, key, luck)
        return luck.won(lines, name)

    def review(
        self, folder: str, streets: list[str], positions: list[str], pots: tuple[float, float | None], shown: int
    ) -> object:
        """Return what is judged so far of the review in a folder; pots: smallest and largest in big blinds."""
        review = self.reviews.get(folder) or JudgedFile(Path(folder))
        _keep(self.reviews, folder, review)
        review.look()
        return review.view(DecisionFilter(streets, positions, *pots), shown)

    def look_into(self, tab: int, config: str, game: str, state: str, position: int) -> object:
        """Work out a hand of a bot at `position` again for a browser tab. `state` is the MATCHSTATE line of its opponent."""
        match = parse_match_state(state, GameDef.parse(game, "game"))._replace(position=position)
        hand = (LookedInto if is_holdem(match.state.game) else SmallHand).of(config, match)
        _keep(self.hands, tab, hand)
        return hand.view()

    def inside_decision(self, tab: int, number: int) -> object:
        return self._hand(tab, number).decision(number)

    def inside_what_if(self, tab: int, number: int, percent: float) -> object:
        return self._hand(tab, number).what_if(number, percent)

    def _hand(self, tab: int, number: int) -> LookedInto | SmallHand:
        hand = self.hands.get(tab)
        if hand is None or not 0 <= number < len(hand.decisions):
            raise ConfigError("there is no such decision; look into a hand first")
        hand.report = lambda done, total: self.report({"done": done, "total": total})
        return hand


def _solved(work: Work) -> Solve:
    """Return the solve at hand. Raises `ConfigError`."""
    if work.solve is None:
        raise ConfigError("no spot is solved; solve one first")
    return work.solve


def _version(folder: Path) -> tuple[Path, float]:
    """Return a kept solve's folder and when it was written. Raises `ConfigError`."""
    try:
        return folder, (folder / TABLES).stat().st_mtime
    except OSError as error:
        raise ConfigError(f"{folder.name} holds no solve; choose another") from error


def _keep(kept: dict[K, T], key: K, value: T) -> None:
    """Keep the value of a tab or a bot, and those of a few others."""
    kept.pop(key, None)
    while len(kept) >= MOST_TABS:
        del kept[next(iter(kept))]
    kept[key] = value


CALLS: dict[str, Callable[..., object]] = {
    **{name: call for name, call in vars(Work).items() if not name.startswith("_") and callable(call)},
    **{
        call.__name__: lambda work, *given, call=call: call(*given)
        for call in (shipped_form, spot_text, spot_cost, read_form, players_view)
    },
    **{
        call.__name__: lambda work, line, call=call: call(_solved(work), line)
        for call in (lock_of, spot_node, next_cards, by_equity)
    },
}
"""What the process can be asked, by name: the methods of `Work`, and functions that need nothing of it, or its solve alone."""


def asked_view(question: Question, again: bool) -> dict[str, Any]:
    """Return a drill's question without its answer, and whether it was missed before."""
    fields: dict[str, Any] = msgspec.to_builtins(question)
    return {name: value for name, value in fields.items() if name not in ANSWER} | {"again": again}


def judged_view(session: DrillSession, question: Question, given: DrillAnswer, action: int) -> dict[str, Any]:
    """Return what an answer lost, the strategy and its values, range against range, and the session so far."""
    rows = zip(question.labels, question.frequencies, question.values, strict=True)
    return {
        **{name: getattr(given, name) for name in ("kind", "lost_bb", "lost_percent", "missed")},
        "actions": [
            {"label": label, "frequency": frequency, "value": value, "lost": question.lost(at), "taken": at == action}
            for at, (label, frequency, value) in enumerate(rows)
        ],
        "ranges": [{"equity": json_number(side.equity), "share": json_number(side.share)} for side in question.ranges],
        **session.summary(),
    }


def main() -> None:
    """Do the jobs that standard input orders until it ends."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    output = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # whatever prints must not come between the replies
    orders: SimpleQueue[WorkerOrder] = SimpleQueue()
    stopped: set[int] = set()
    threading.Thread(target=_read, args=(orders, stopped), daemon=True).start()
    encoder, work = msgspec.json.Encoder(), Work()
    while True:
        order = orders.get()
        job = order.job

        def reply(job: int = job, **part: Any) -> None:
            output.write(encoder.encode({"job": job, **part}) + b"\n")

        def report(progress: object, reply: Callable[..., None] = reply) -> None:
            reply(progress=progress)

        work.report, work.stopped = report, partial(stopped.__contains__, job)
        try:
            reply(value=CALLS[order.name](work, *order.arguments))
        except (ValueError, MemoryError) as error:
            reply(why=str(error))
        except Exception as error:  # noqa: BLE001 - the page is told, and the process goes on
            traceback.print_exc()
            reply(why=f"this failed in the server ({type(error).__name__}); its standard error says how")


def _read(orders: "SimpleQueue[WorkerOrder]", stopped: set[int]) -> None:
    """Hand orders on, take note of those that stop a job, and end the process with its input."""
    decoder = msgspec.json.Decoder(WorkerOrder)
    for line in sys.stdin.buffer:
        order = decoder.decode(line)
        if order.name:
            orders.put(order)
        else:
            stopped.add(order.job)
    os._exit(0)


if __name__ == "__main__":
    main()
