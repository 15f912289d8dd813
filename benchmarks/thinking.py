"""Thinking at the table: the first decision after warm-up, times by street, and how long a solve holds up the reactor.

    python benchmarks/thinking.py [CONFIG]
    python benchmarks/thinking.py THOUGHTS.jsonl …

With logs of players that think (`log` in their configs), it prints what they took and reached by street instead.

The reactor's thread is played by one that wants to run every millisecond while another thread decides, as in a match; a
gap is how much later than that it ran. Both share the cores, so on a busy machine gaps are those of the machine.
"""

import argparse
import sys
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import msgspec
import numpy as np

from limpet.bot.client.prepare import Ready, prepare
from limpet.bot.client.safe_agent import SWITCH_SECONDS
from limpet.configs.loading import load_game
from limpet.protocol.messages import MatchState
from limpet.protocol.state import CALL, State, raise_to
from limpet.strategies.abstraction.menu import STREETS
from limpet.strategies.base.agent import Agent

EXAMPLE = """
name: thinker
player: resolve
game: holdem.nolimit.2p.reverse_blinds
seed: 1
options:
  blueprint: {strategy: hunl-200bb}
  bank: {hands: 100}
  streets:
    turn:
      menus: [{menu: {sizes: [[[0.5, 1], [1]]]}, spr: 10}, {menu: {sizes: [[[1], []]]}}]
      seconds: 1
    river:
      menus: [{menu: {sizes: [[[0.5, 1], [1]]]}}]
      seconds: 0.5
"""
STEP = 0.001


def gaps(stop: threading.Event, found: list[float]) -> None:
    while not stop.is_set():
        before = time.perf_counter()
        time.sleep(STEP)
        found.append(time.perf_counter() - before - STEP)


def shown(name: str, seconds: list[float]) -> str:
    ms = 1000 * np.array(seconds)
    return (
        f"{name:<28}{len(ms):6d}   p50 {np.median(ms):8.2f}   p99 {np.percentile(ms, 99):8.2f}   max {ms.max():8.2f} ms"
    )


def idle(seconds: float) -> list[float]:
    """Gaps while nobody decides: what the machine itself does."""
    stop = threading.Event()
    found: list[float] = []
    watcher = threading.Thread(target=gaps, args=(stop, found))
    watcher.start()
    time.sleep(seconds)
    stop.set()
    watcher.join()
    return found


class Spread(NamedTuple):
    """Percentiles of some numbers."""

    median: float
    percentile_95: float
    largest: float


class StreetSummary(NamedTuple):
    """All decisions of a street.

    Attributes:
        ms: milliseconds of a decision, those looked up in an earlier solve included; None without a bank.
        solves: number of subgames solved.
        fallbacks: number of decisions for which a subgame could not be solved, so that the blueprint played.
        iterations: iterations of a solve.
        percent: exploitability that solves reached, in % of their subgame's pot; None where it was never measured.
    """

    street: str
    decisions: int
    ms: Spread | None
    solves: int
    fallbacks: int
    iterations: Spread | None
    percent: Spread | None


class Solve(msgspec.Struct):
    """A subgame of a logged decision."""

    iterations: int
    percent: float | None


class LoggedDecision(msgspec.Struct):
    """A line of the log of a resolving player."""

    street: str
    ms: float | None
    fallback: str | None
    solves: list[Solve]


def summaries(logs: Iterable[Path]) -> list[StreetSummary]:
    """Return the streets that decisions were logged on, in order. Raises `ValueError` naming a line of another kind."""
    found: dict[str, list[LoggedDecision]] = {street: [] for street in STREETS}
    for log in logs:
        for number, line in enumerate(log.read_text(encoding="utf-8").splitlines(), start=1):
            try:
                decision = msgspec.json.decode(line, type=LoggedDecision)
                found[decision.street].append(decision)
            except (msgspec.DecodeError, KeyError) as error:
                raise ValueError(
                    f"{log}, line {number}: not a decision of a resolving player ({error}); name a file that "
                    "'log' of its config names"
                ) from None
    return [summary(street, decisions) for street, decisions in found.items() if decisions]


def summary(street: str, decisions: list[LoggedDecision]) -> StreetSummary:
    solves = [solve for decision in decisions for solve in decision.solves]
    return StreetSummary(
        street=street,
        decisions=len(decisions),
        ms=spread(decision.ms for decision in decisions),
        solves=len(solves),
        fallbacks=sum(decision.fallback is not None for decision in decisions),
        iterations=spread(solve.iterations for solve in solves),
        percent=spread(solve.percent for solve in solves),
    )


def spread(numbers: Iterable[float | None]) -> Spread | None:
    known = [number for number in numbers if number is not None]
    return Spread(*np.percentile(known, (50, 95, 100)).tolist()) if known else None


def table(logs: list[Path]) -> None:
    """Print decision times and the exploitability reached, by street, over whole matches."""
    streets = summaries(logs)
    print("50 % below / 95 % below / most")
    print(
        f"{'street':<8}{'decisions':>10}{'ms':>26}{'solves':>8}{'fallbacks':>10}{'iterations':>19}{'% of the pot':>26}"
    )
    for street in streets:
        print(
            f"{street.street:<8}{street.decisions:>10}{text(street.ms, 1):>26}{street.solves:>8}"
            f"{street.fallbacks:>10}{text(street.iterations, 0):>19}{text(street.percent, 2):>26}"
        )


def text(numbers: Spread | None, digits: int) -> str:
    return "-" if numbers is None else " / ".join(f"{number:.{digits}f}" for number in numbers)


def play(ready: Ready, hands: int = 40) -> None:
    """Print the times of a bot's decisions against an opponent who bets odd sizes."""
    sys.setswitchinterval(SWITCH_SECONDS)
    print(f"loaded and warm in {ready.load_s + ready.warm_up_s:.2f} s")
    agent, game = Agent(ready.strategy, ready.seed), load_game("holdem.nolimit.2p.reverse_blinds")
    rng = np.random.default_rng(1)
    times: dict[int, list[float]] = {}
    late: dict[int, list[float]] = {}
    first = None
    for number in range(hands):
        cards = [int(card) for card in rng.permutation(52)[:9]]
        board = tuple(cards[4:])
        state = State.start(game)
        while not state.finished:
            if state.actor == number % 2:
                stop = threading.Event()
                found: list[float] = []
                watcher = threading.Thread(target=gaps, args=(stop, found))
                watcher.start()
                holes = ((cards[0], cards[1]), (cards[2], cards[3]))
                before = time.perf_counter()
                agent.decide(MatchState(number % 2, number, state, holes))
                took = time.perf_counter() - before
                stop.set()
                watcher.join()
                if state.round >= 2 and first is None:
                    first = took
                times.setdefault(state.round, []).append(took)
                late.setdefault(state.round, []).extend(found)
                action = CALL
            else:  # odd bets now and then, so that subgames are nested
                bet = state.raises == 0 and rng.random() < 0.3
                action = state.fixed(raise_to(state.max_spent + 100 + 2 * state.pot // 5)) if bet else CALL
            state = state.apply(action).with_board(board)
    print(f"first decision that solves: {1000 * (first or 0):.0f} ms")
    for round_, name in enumerate(("preflop", "flop", "turn", "river")):
        print(shown(f"{name} decisions", times[round_]))
        print(shown(f"{name} gaps", late[round_]))
    print(shown("gaps without a decision", idle(2.0)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="a bot's config, or logs; without any, an example")
    names = parser.parse_args().names
    are_logs = bool(names) and all(name.endswith(".jsonl") for name in names)
    if len(names) > 1 and not are_logs:
        parser.error("give one config, or logs that end in .jsonl")
    try:
        if are_logs:
            return table([Path(name) for name in names])
        with TemporaryDirectory() as folder:
            example = Path(folder) / "thinker.yaml"
            example.write_text(EXAMPLE)
            ready = prepare(names[0] if names else str(example))
    except FileNotFoundError as error:
        parser.error(f"{error.filename}: no such file; 'log' in a bot's config names what it writes")
    except ValueError as error:
        parser.error(str(error))
    play(ready)


if __name__ == "__main__":
    main()
