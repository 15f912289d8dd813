"""slumbot2019 in the match engine: every hand as the agents play it, and rivers by full ranges as a plain sum has them."""

import importlib
from itertools import islice
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from limpet.common.statistics import estimate
from limpet.configs.loading import load_game
from limpet.dealer.matches.inprocess import play_hands
from limpet.dealer.table.deals import Deals
from limpet.protocol.cards import cards_text
from limpet.protocol.messages import parse_state
from limpet.protocol.state import State
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.strategy import HandKey, HandStrategy, Rows, Strategy
from limpet.strategies.cards.equity import versus_range
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.measures.joint_betting import engine_seats
from limpet.strategies.players.simple import Call, Raise
from tests.benchmarks.opponents.test_slumbot_seat import averages, in_turn, seat

__all__ = ("averages", "seat")  # fixtures
BOARD = (0, 5, 22, 35, 51)


@pytest.fixture(scope="module")
def many(seat: ModuleType) -> ModuleType:
    return importlib.import_module("opponents.slumbot_many")


class Trained(Strategy):
    """slumbot2019 with a tree and buckets of our own making."""

    def __init__(self, seat: ModuleType, averages: Any) -> None:
        super().__init__(load_game(seat.GAME), Strategy.Options(), Path())
        self._seat, self.averages = seat, averages
        self.buckets = SimpleNamespace(of_hands=lambda boards, holes: np.array([self.bucket(row) for row in holes]))

    def bucket(self, hole: Any) -> int:
        return hand_space().index(tuple(map(int, hole))) % 2

    def start_hand(self, key: HandKey) -> HandStrategy:
        hand: HandStrategy = self._seat.Hand(self.averages, in_turn, key)
        return hand


@pytest.mark.parametrize("size", ["min", 0.7, "max"])
def test_hands_end_as_the_agents_play_them(many: ModuleType, seat: ModuleType, averages: Any, size: Any) -> None:
    trained = Trained(seat, averages)
    raises = Raise(trained.game, Raise.Options(size), Path())
    ours = many.SlumbotSeat(trained)
    engine = many.Engine(trained.game, (engine_seats(raises), (ours, ours)), (3, 5), trained.buckets)
    agents, parts = (Agent(raises, 3), Agent(trained, 5)), many.Parts()
    won, _ = many.play(engine, agents, 150, 7, parts)
    for position in range(2):
        hands = play_hands(
            trained.game, agents[:: 1 - 2 * position], islice(Deals(trained.game, 7), 150), fixed_button=True
        )
        assert won[:, position].tolist() == [hand.values[position] / 100 for hand in hands]
    streets = [line for line in parts.lines(300) if line.startswith("street")]
    assert sum(float(line.split()[-2]) for line in streets) == pytest.approx(won.mean() * 1000, abs=0.3)


class Shoves(HandStrategy):
    """Checks and calls until the river, and goes all-in there; its blueprint goes on calling."""

    def __init__(self, call: Call, shove: Raise) -> None:
        self.blueprint, self._shove = call, shove

    def rows(self, state: State) -> Rows:
        return (self._shove if state.round == 3 else self.blueprint).rows(state)


def test_a_rivers_gain_is_that_of_all_pairs_of_hands(many: ModuleType, seat: ModuleType, averages: Any) -> None:
    """In the big blind against a raise, which every other hand makes five times as often as the rest, then checks to the river.

    There the opponent folds to a shove half of the time and calls the other half; checked to, it checks in one of four
    cases, and all of its bets are called. All of this is worked out here without its rows.
    """
    trained = Trained(seat, averages)
    call, shove = Call(trained.game, Call.Options(), Path()), Raise(trained.game, Raise.Options("max"), Path())
    start = parse_state("r300c/cc/cc/", trained.game, cards_text(BOARD))
    bot = SimpleNamespace(start_hand=lambda key: Shoves(call, shove))
    win = many.spot_win(bot, trained, (1, 1), many.Spot(0, 0, start), 0.5)

    live = ~hand_space().blocked(BOARD)
    theirs = np.where(np.arange(1326) % 2, 1.0, 0.2) * live
    scores = versus_range(theirs, BOARD)
    ahead = float((scores.win - scores.lose) @ live) / float(hand_space().compatible(theirs) @ live)
    shoved = 0.5 * 3 + 0.5 * 200 * ahead
    checked = np.mean([3, 6, 9, 200]) * ahead
    assert (win.solved, win.rows) == pytest.approx((shoved, checked), abs=1e-4)
    assert win.gain == pytest.approx(500 * (shoved - checked), abs=0.1)


def test_from_flops_the_same_lines_are_drawn_with_and_without_solving(
    many: ModuleType, seat: ModuleType, averages: Any
) -> None:
    """Who solves nothing wins nothing more, and who shoves rivers something else. `LinePlay` has its own exact tests."""
    trained = Trained(seat, averages)
    call, shove = Call(trained.game, Call.Options(), Path()), Raise(trained.game, Raise.Options("max"), Path())
    spot = many.Spot(0, 0, parse_state("r300c/", trained.game, cards_text(BOARD[:3])))
    wins = [
        many.spot_win(SimpleNamespace(start_hand=lambda key, last=last: Shoves(call, last)), trained, (1, 1), spot, 1.0)
        for last in (call, shove)
    ]
    assert wins[0].gain == 0 != wins[1].gain
    assert wins[1].streets[:3] == (0, 0, 0) and 1000 * wins[1].streets[3] == pytest.approx(wins[1].gain)


def test_spots_are_drawn_by_their_pots_without_bias(many: ModuleType) -> None:
    """What is won in proportion to the pot is known from one draw; anything else from many."""
    game = load_game("holdem.nolimit.2p.reverse_blinds")
    states = [
        parse_state(betting, game, cards_text(BOARD)) for betting in ("cc/cc/cc/", "r300c/cc/cc/", "r900c/cc/cc/")
    ]
    rivers = [many.Spot(number, 0, state) for number, state in enumerate(states)]
    for spot, share in many.drawn_spots(rivers, 10, 5, 1):
        assert share * spot.start.pot == pytest.approx((200 + 600 + 1800) / 10)
    worth = (1.0, -2.0, 4.0)
    found = estimate([share * worth[spot.number] for spot, share in many.drawn_spots(rivers, 10, 20_000, 1)])
    assert abs(found.mean - 0.3) < 2 * found.half_width < 0.02


def test_the_summary_tells_how_much_hangs_on_few_spots(many: ModuleType) -> None:
    """One of twenty wins 101: drawn again it comes none to three times in 95 of 100 cases."""

    def win(solved: float) -> Any:
        return many.SpotWin(0, 0, "cc/", "", 2.0, 0.01, solved, 0.0, 0.0, (), 0.0)

    assert (
        many.summary([win(1.0)] * 19 + [win(101.0)])
        == "+60.0 ± 104.7 (drawn again +10.0 … +160.0) mbb/g; the 5 % farthest spots are 95 % of the variance"
    )
