"""Samples of lines have the exact mean, whatever they draw."""

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest

from limpet.configs.loading import load_game
from limpet.protocol.state import CALL, Action, State
from limpet.strategies.base.strategy import HandKey, HandStrategy
from limpet.strategies.cards.equity import versus_range
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.measures import line_play
from limpet.strategies.holdem.measures.full_ranges import RangePlay, chances_ahead, equities
from limpet.strategies.holdem.measures.line_play import OVER, BettingLine, Kind, LinePlay, lbr_hands
from limpet.strategies.players.lbr import LocalBestResponse
from tests.strategies.base.resolve_players import BOARD, called_to, resolver

FOLLOW = (1.0, 1.0, 1.0)
START = Kind("limped", OVER)


class Exhaustive(LinePlay):
    """Follows every line to every river: the mean over all draws."""

    def _drawn(self, root: BettingLine, ends: Sequence[BettingLine]) -> Iterator[tuple[BettingLine, BettingLine]]:
        rivers = [card for card in range(52) if card not in root.state.board]
        for line, card in product(ends, rivers):
            if not line.state.finished:
                yield line, self._dealt(line, (card,), 1 / len(rivers))


@pytest.mark.parametrize("position", [pytest.param(0, marks=pytest.mark.slow), 1])
def test_the_mean_over_all_draws_is_exact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, position: int) -> None:
    """From a turn on, against all lines and all rivers summed up by `RangePlay`."""
    bot = resolver(tmp_path, monkeypatch, stacks=(600, 600), streets={})
    player = LocalBestResponse(bot.game, LocalBestResponse.Options(opponent="call", start="turn"), tmp_path)
    player.opponent = bot
    turn = called_to(bot, 2)
    reach = np.random.default_rng(1).random((2, 1326)) * ~hand_space().blocked(turn.board)
    key = HandKey(1, 2, position)

    def hands() -> tuple[HandStrategy, HandStrategy]:
        mine, other = lbr_hands(player, bot, "call")(key)
        return (mine, other) if position == 0 else (other, mine)

    def found(kind: type[LinePlay]) -> float:
        play = kind(key._replace(hand=0), FOLLOW, 2)
        pairs = float(hand_space().compatible(reach[0]) @ reach[1])
        return play.play(turn, hands(), reach) * pairs * bot.game.big_blind

    mine, other = lbr_hands(player, bot, "call")(key)
    walk = RangePlay(1 - position, [card for card in range(52) if card not in turn.board])
    exact = float(walk.opponent_values(turn, other, mine, reach)[0] @ reach[position])
    assert found(LinePlay) != pytest.approx(exact, rel=1e-4)
    monkeypatch.setattr(line_play, "FAINT", 0)  # leaves nothing within a street to chance
    assert found(Exhaustive) == pytest.approx(exact, rel=1e-4)


def test_lines_stand_for_as_many_as_they_are_drawn_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over an even grid of random numbers each line's weights add up to one."""
    bot = resolver(tmp_path, monkeypatch, stacks=(1000, 1000), streets={})
    turn = called_to(bot, 2)
    live = np.tile(~hand_space().blocked(turn.board), (2, 1)).astype(float)
    hands = bot.start_hand(HandKey(1, 1, 0)), bot.start_hand(HandKey(1, 1, 1))
    bets = [turn.apply(Action("r", chips)).apply(CALL) for chips in (200, 350, 900)]
    lines = [
        BettingLine(state, hands, live * share, 1.0, START)
        for state, share in zip((turn.apply(CALL).apply(CALL), *bets), (0.9, 0.7, 0.2, 0.03), strict=True)
    ]
    pots = np.array([line.pot for line in lines])
    total, steps = np.zeros(4), 4000
    for step in range(steps):
        monkeypatch.setattr(line_play, "uniform", lambda *_, u=(step + 0.5) / steps: u)
        play = LinePlay(HandKey(1, 1, 0), (1, 1, float(pots.sum() / 2.5)))
        for before, line in play._drawn(BettingLine(turn, hands, live, 1.0, START), lines):
            assert before.state.betting == line.state.betting
            same = [before is each for each in lines].index(True)
            total[same] += line.weight * (44 / 48) / steps
    assert total == pytest.approx(np.ones(4), rel=0.02)


def test_faint_lines_are_drawn_in_proportion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over an even grid of random numbers the ends of a river keep their probability."""
    bot = resolver(tmp_path, monkeypatch, stacks=(1000, 1000), streets={})
    river = called_to(bot, 3)
    live = np.tile(~hand_space().blocked(river.board), (2, 1)).astype(float)
    hands = bot.start_hand(HandKey(1, 1, 0)), bot.start_hand(HandKey(1, 1, 1))
    root = BettingLine(river, hands, live, 1.0, START)

    def ends(faint: float) -> dict[str, float]:
        found: list[BettingLine] = []
        LinePlay(HandKey(1, 1, 0), FOLLOW)._bet(root, faint, found)
        return {line.state.betting: line.pot for line in found}

    whole, mean, steps = ends(0), dict[str, float](), 50
    faint = sorted(whole.values())[len(whole) // 2]
    for step in range(steps):
        monkeypatch.setattr(line_play, "uniform", lambda *_, u=(step + 0.5) / steps: u)
        for betting, pot in ends(faint).items():
            mean[betting] = mean.get(betting, 0.0) + pot / steps
    # A line that is kept once by chance is then as large as `faint`, so that what follows it is drawn by the same number.
    assert sum(mean.values()) == pytest.approx(sum(whole.values()), rel=0.1) and set(mean) <= set(whole)
    assert len(ends(faint)) < len(whole)


def test_cards_to_come_change_nothing_in_the_mean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a line is worth checked down is the mean over its next cards."""
    bot = resolver(tmp_path, monkeypatch, stacks=(1000, 1000), streets={})
    flop = called_to(bot, 1)
    before = flop.apply(CALL).apply(CALL)
    reach = np.random.default_rng(2).random((2, 1326)) * ~hand_space().blocked(flop.board)
    hands = bot.start_hand(HandKey(1, 1, 0)), bot.start_hand(HandKey(1, 1, 1))
    play = LinePlay(HandKey(1, 1, 0), FOLLOW)
    line = BettingLine(before, hands, reach, 1.0, START)
    cards = [card for card in range(52) if card not in flop.board]
    dealt = [play._dealt(line, (card,), 1 / len(cards)) for card in cards]
    after = sum(line.weight * chips for line, chips in zip(dealt, play._checked_down(dealt), strict=True))
    assert after == pytest.approx(next(play._checked_down([line])), rel=1e-4)


def test_cards_of_all_streets_are_independent() -> None:
    """Any two cards of the board have one suit in 12 of 51 cases and one rank in 3, also those of different streets."""
    start, hands = State.start(load_game("holdem.nolimit.2p.reverse_blinds")), 4000
    states = [next(state for state in start.called_down() if state.round == round_) for round_ in range(3)]
    boards = []
    for hand in range(hands):
        play, board = LinePlay(HandKey(1, hand, 0), FOLLOW), tuple[int, ...]()
        for round_ in (1, 2, 3):
            board += play._cards(states[round_ - 1].with_board(board), round_)[0]
        boards.append(board)
    ranks, suits = np.divmod(np.array(boards), 4)
    for first, second in combinations(range(5), 2):
        for kind, chance in ((suits, 12 / 51), (ranks, 3 / 51)):
            deviation = (chance * (1 - chance) / hands) ** 0.5
            assert np.mean(kind[:, first] == kind[:, second]) == pytest.approx(chance, abs=4 * deviation)


@pytest.mark.parametrize("size", [0, 3, 4, 5])
def test_chances_are_those_of_equities(size: int) -> None:
    board, weights = BOARD[:size], np.random.default_rng(3).random((2, 1326))
    weights[1, 5:] = 0
    found, shares = chances_ahead(board, weights), equities(board, weights)
    live = ~hand_space().blocked(board)
    for row, ahead, equity in zip(weights, found, shares, strict=True):
        scores = versus_range(row, board)
        boards = np.divide(scores.total, hand_space().compatible(row * live), out=np.ones(1326), where=scores.total > 0)
        assert ahead == pytest.approx((scores.win - scores.lose) / boards, abs=1e-3)
        assert equity == pytest.approx(scores.equity, abs=1e-4)


def test_kinds_are_told_by_raises_and_by_pots_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bot = resolver(tmp_path, monkeypatch, streets={})
    hands = bot.start_hand(HandKey(1, 1, 0)), bot.start_hand(HandKey(1, 1, 1))
    play = LinePlay(HandKey(1, 1, 0), FOLLOW)

    def kind(betting: str) -> Kind:
        state = State.start(bot.game)
        for word in betting.split():
            state = state.apply(Action(word[0], int(word[1:] or 0)))
        return play._named(BettingLine(state, hands, np.ones((2, 1326)), 1.0, START)).kind

    assert kind("c c") == Kind("limped", "over 40")
    assert kind("r300 c") == Kind("raised", "13 to 40")
    assert kind("r300 r900 c") == Kind("3-bet", "4 to 13")
    assert kind("r300 r900 r2700 r8100 c") == Kind("4-bet", "under 1")
    assert kind("r300 r900 f") == Kind("3-bet", OVER) and kind("f") == Kind("limped", OVER)
