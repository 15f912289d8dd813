"""The local best response by full ranges, against playing it hand by hand, and where the answer is known."""

from pathlib import Path

import numpy as np
import pytest

from limpet.configs.loading import load_game
from limpet.protocol.ranking import rank
from limpet.protocol.state import State
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.strategy import HandKey, HandStrategy, Rows, Strategy
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.measures import line_play
from limpet.strategies.holdem.measures.full_ranges import RangePlay, sampled_spots
from limpet.strategies.holdem.measures.line_play import OVER, Before, Kind, LineSet, gain_hands, lbr_hands, line_set
from limpet.strategies.players.lbr import LocalBestResponse, Start
from tests.strategies.base.resolve_players import resolver

HUNL = load_game("holdem.nolimit.2p.reverse_blinds")


class Remembered:
    """Rows of a hand strategy, asked once for each state."""

    def __init__(self, hand: HandStrategy) -> None:
        self.hand, self.known = hand, dict[str, Rows]()

    def rows(self, state: State) -> Rows:
        if state.betting not in self.known:
            self.known[state.betting] = self.hand.rows(state)
        return self.known[state.betting]


def chips(state: State, seats: list[Remembered], hands: list[int], position: int) -> float:
    """What one pair of hands wins for `position`, along every line that both really play."""
    if state.finished:
        if state.has_folded(position):
            return -state.spent[position]
        if state.has_folded(1 - position):
            return state.spent[1 - position]
        mine, theirs = (rank((*hand_space().holes[hands[p]].tolist(), *state.board)) for p in (position, 1 - position))
        return min(state.spent) * float(np.sign(mine - theirs))
    rows = seats[state.actor].rows(state)
    column = rows.column(hands[state.actor])
    below = (
        float(share) * chips(state.apply(action), seats, hands, position)
        for action, share in zip(rows.actions, column, strict=True)
        if share > 0
    )
    return sum(below)


@pytest.mark.parametrize("position", [0, 1])
def test_a_river_against_hand_by_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, position: int) -> None:
    bot = resolver(tmp_path, monkeypatch, stacks=(1000, 1000))
    player = LocalBestResponse(bot.game, LocalBestResponse.Options(opponent="call", start="river"), tmp_path)
    player.opponent = bot
    seats = (player, bot) if position == 0 else (bot, player)
    spot = next(s for s in sampled_spots(seats, 3, 5) if not s.state.finished)
    key = HandKey(player.bot.config.seed, spot.hand, 1 - position)  # whom it asks
    mine, other = bot.start_hand(key), player.start_hand(HandKey(9, spot.hand, position))
    found = RangePlay(1 - position, []).opponent_values(spot.state, mine, other, spot.reach)[0]
    walkers = [Remembered(bot.start_hand(key)), Remembered(player.start_hand(HandKey(9, spot.hand, position)))]
    walkers = walkers if position == 1 else walkers[::-1]
    live = np.flatnonzero(spot.reach[position])
    weights = spot.reach[1 - position]
    for hand in live[:: len(live) // 3].tolist():
        cards = set(hand_space().holes[hand].tolist())
        total = 0.0
        for theirs in np.flatnonzero(weights).tolist():
            if not cards & set(hand_space().holes[theirs].tolist()):
                hands = [hand, theirs] if position == 0 else [theirs, hand]
                total += float(weights[theirs]) * chips(spot.state, walkers, hands, position)
        assert found[hand] == pytest.approx(total, rel=1e-4, abs=1e-2)


def sample(player: LocalBestResponse, bot: Strategy, number: int, before: Before = "call") -> LineSet:
    hands = lbr_hands(player, bot, before)
    return line_set(hands, bot, 1, number, player.first_round)


def test_always_folding_gives_the_blinds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """750 mbb/g exactly (Lisý & Bowling 2017), whatever is dealt: the button folds at once, the big blind waits."""
    monkeypatch.setattr(line_play, "LOOK_UP", (2.0, 2.0, 2.0))  # the limped pot is always drawn
    bot = load_bot("fold")
    expected: dict[Start, tuple[float, ...]] = {
        "preflop": (0.75, 0, 0, 0), "flop": (0.25, 0.5, 0, 0), "turn": (0.25, 0, 0.5, 0)
    }  # fmt: skip
    for start, by_street in expected.items():
        options = LocalBestResponse.Options(opponent="fold", start=start)
        player = LocalBestResponse(HUNL, options, tmp_path)
        found = sample(player, bot.build(), 3)
        assert found.won == pytest.approx((0.5, 1.0), abs=1e-5)
        assert sum(found.kinds.values()) == pytest.approx(0.75, abs=1e-5)
        assert found.streets == pytest.approx(by_street, abs=1e-5)


def test_all_ins_before_the_street_are_run_out(tmp_path: Path) -> None:
    """Against a bot that always shoves everything is in before the turn, with any two cards on both sides."""
    shove = tmp_path / "shove.yaml"
    shove.write_text("name: shove\nplayer: raise\ngame: holdem.nolimit.2p.reverse_blinds\noptions: {size: max}\n")
    bot = load_bot(shove)
    player = LocalBestResponse(HUNL, LocalBestResponse.Options(opponent="shove.yaml", start="turn"), tmp_path)
    found = sample(player, bot.build(), 1)
    assert found.won == pytest.approx((0, 0), abs=1e-4) and found.come == (0, 0, 0)
    assert set(found.kinds) == {Kind("raised", OVER)}


def test_who_never_bets_wins_nothing_from_one_who_calls(tmp_path: Path) -> None:
    """Every line that is drawn is worth what was counted for it, so that nothing is left to chance."""
    options = LocalBestResponse.Options(opponent="call", sizes="fc", start="flop")
    player = LocalBestResponse(HUNL, options, tmp_path)
    found = sample(player, load_bot("call").build(), 2)
    assert found.won == pytest.approx((0, 0), abs=1e-6)
    assert found.come[0] == pytest.approx(1)
    assert set(found.kinds) == {Kind("limped", "over 40")}


def test_what_plays_as_the_bot_until_it_starts_wins_only_from_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both positions draw the same lines: up to the street one wins what the other loses."""
    monkeypatch.setattr(line_play, "THINK", (1.0, 2.0, 2.0))
    bot = resolver(tmp_path, monkeypatch, stacks=(1000, 1000), streets={})
    player = LocalBestResponse(bot.game, LocalBestResponse.Options(opponent="call", start="flop"), tmp_path)
    player.opponent = bot
    found = [sample(player, bot, number, "bot") for number in range(3)]
    for each in found:
        over = sum(won for kind, won in each.kinds.items() if kind.depth == OVER)
        assert over == pytest.approx(0, abs=1e-6)
    assert any(sum(each.won) > 0.1 for each in found)


def test_solving_nothing_wins_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bot = resolver(tmp_path, monkeypatch, stacks=(1000, 1000), streets={})
    for start in (0, 1):
        found = line_set(gain_hands(bot, start), bot, 1, 2, start)
        assert found.won[0] != 0 and sum(found.won) == pytest.approx(0, abs=1e-6)


def test_a_sample_is_fixed_by_its_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bot = resolver(tmp_path, monkeypatch, stacks=(1000, 1000))
    player = LocalBestResponse(bot.game, LocalBestResponse.Options(opponent="call", start="flop"), tmp_path)
    player.opponent = bot
    assert sample(player, bot, 4) == sample(player, bot, 4) != sample(player, bot, 5)
