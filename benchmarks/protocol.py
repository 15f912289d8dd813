"""How fast the protocol is: actions applied, lines read and lines printed each second of one core.

    python benchmarks/protocol.py [--seconds 2]

Every rate is the median of five runs with its range. The bar is 100,000 actions/s for `State.apply`.
"""

import argparse
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import MatchState, parse_match_state, read_action
from limpet.protocol.settlement import settle
from limpet.protocol.state import CALL, FOLD, RAISE, Action, State, raise_to

RUNS = 5
HANDS = 300
BAR = 100_000  # actions a second
GAMES = ("holdem.nolimit.2p.reverse_blinds", "holdem.nolimit.6p", "holdem.limit.2p.reverse_blinds", "leduc.limit.2p")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2.0, help="time spent on each rate (default 2)")
    seconds = parser.parse_args().seconds
    folder = Path(__file__).parents[1] / "configs" / "games"
    slowest = float("inf")
    print(f"{'game':34}{'what':18}{'median/s':>12}{'range':>24}")
    for name in GAMES:
        game = GameDef.load(folder / f"{name}.game")
        hands = [random_hand(game, random.Random(seed)) for seed in range(HANDS)]
        for what, work in workloads(hands):
            rates = [rate(work, seconds / RUNS) for _ in range(RUNS)]
            median = statistics.median(rates)
            if what == "apply":
                slowest = min(slowest, median)
            print(f"{name:34}{what:18}{median:12,.0f}{f'{min(rates):,.0f} - {max(rates):,.0f}':>24}", flush=True)
    print(f"State.apply, slowest game: {slowest:,.0f} actions/s; bar {BAR:,}: {'met' if slowest >= BAR else 'MISSED'}")
    raise SystemExit(slowest < BAR)


def random_hand(game: GameDef, rng: random.Random) -> tuple[State, tuple[tuple[int, ...], ...]]:
    """A finished hand and everybody's hole cards; folds are rare, so that hands have several rounds."""
    cards = rng.sample(game.deck, len(game.deck))
    holes = tuple(tuple(cards.pop() for _ in range(game.num_hole_cards)) for _ in range(game.num_players))
    board = tuple(cards[: game.board_sizes[-1]])
    state = State.start(game).with_board(board)
    while not state.finished:
        state = state.apply(random_action(state, rng)).with_board(board)
    return state, holes


def random_action(state: State, rng: random.Random) -> Action:
    draw, bounds = rng.random(), state.raise_bounds()
    if draw < 0.05 and state.can_fold:
        return FOLD
    if draw < 0.4 and bounds is not None:
        return raise_to(min(bounds[1], bounds[0] + rng.randrange(bounds[0]))) if state.game.no_limit else RAISE
    return CALL


def workloads(
    hands: list[tuple[State, tuple[tuple[int, ...], ...]]],
) -> list[tuple[str, Callable[[], int]]]:
    """Named pieces of work; each returns how many things it did."""
    game = hands[0][0].game
    histories = [[step.action for step in state.path() if step.action is not None] for state, _ in hands]
    views = [
        MatchState(0, 0, step, (holes[0], *(() for _ in holes[1:])))
        for state, holes in hands
        for step in state.path()
        if not step.finished
    ]
    lines = [str(view) for view in views]
    responses = [f"{line}:{CALL}" for line in lines]
    showdowns = [(state, holes) for state, holes in hands if state.showdown]

    def apply() -> int:
        for history in histories:
            state = State.start(game)
            for action in history:
                state = state.apply(action)
        return sum(map(len, histories))

    def choices() -> int:
        for view in views:
            view.state.raise_bounds()
        return len(views)

    def parse() -> int:
        for line in lines:
            parse_match_state(line, game)
        return len(lines)

    def show() -> int:
        for view in views:
            str(view)
        return len(views)

    def answer() -> int:
        for line, response in zip(lines, responses, strict=True):
            read_action(response, len(line) + 1, game)
        return len(lines)

    def value() -> int:
        for state, holes in showdowns:
            settle(state, holes)
        return len(showdowns)

    return [
        ("apply", apply),
        ("raise bounds", choices),
        ("read a line", parse),
        ("print a line", show),
        ("read an action", answer),
        ("settle a showdown", value),
    ]


def rate(work: Callable[[], int], seconds: float) -> float:
    """Things done each second of processor time, over at least `seconds`: others on the machine do not count."""
    work()
    done, start = 0, time.process_time()
    while (elapsed := time.process_time() - start) < seconds:
        done += work()
    return done / elapsed


if __name__ == "__main__":
    main()
