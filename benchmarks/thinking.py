"""Thinking at the table: the first decision after warm-up, times by street, and how long a solve holds up the reactor.

    python benchmarks/thinking.py [CONFIG]

The reactor's thread is played by one that wants to run every millisecond while another thread decides, as in a match; a
gap is how much later than that it ran. Both share the cores, so on a busy machine gaps are those of the machine.
"""

import sys
import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from limpet.bot.prepare import prepare
from limpet.configs.loading import load_game
from limpet.protocol.messages import MatchState
from limpet.protocol.state import CALL, State, raise_to
from limpet.strategies.agent import Agent

EXAMPLE = """
name: thinker
player: resolve
game: holdem.nolimit.2p.reverse_blinds
seed: 1
options:
  blueprint: {strategy: hunl-200bb-first}
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


def main(config: str, hands: int = 40) -> None:
    began = time.perf_counter()
    ready = prepare(config)
    print(f"loaded and warm in {time.perf_counter() - began:.2f} s")
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


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(sys.argv[1])
    else:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "thinker.yaml"
            path.write_text(EXAMPLE)
            main(str(path))
