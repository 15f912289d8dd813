"""A response that learns what betting brings after its next action, against samples of the local best response and by rule."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from limpet.dealer.measures import learnt_response, line_measure
from limpet.dealer.measures.lbr import ranges_file, ranges_terms
from limpet.dealer.measures.learnt_response import (
    LearningPlay,
    LearntValues,
    Vector,
    learn_set,
    learnt_hands,
)
from limpet.dealer.measures.line_measure import LearntSet, MeasureOrder, measured
from limpet.protocol.state import CALL, Action, State
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.strategy import HandKey
from limpet.strategies.holdem.measures import line_play
from limpet.strategies.holdem.measures.line_play import PAIRS, BettingLine, LinePlay, first_line, line_set
from limpet.strategies.players.lbr import LocalBestResponse
from limpet.strategies.players.resolve import Resolve
from tests import commands
from tests.commands import refused
from tests.strategies.base.resolve_players import resolver

FOLLOW = (2.0, 2.0, 2.0)


def bets_and_folds(betting: str, actions: tuple[str, ...], hand: str) -> Mapping[str, float]:
    """Limps or calls before the flop; after it bets the pot wherever it can, and folds to each bet and raise."""
    bet = next((action for action in actions if action[0] == "r"), "c")
    return {("c" if hand else "f" if "f" in actions else bet): 1.0}


def seats(folder: Path, patch: pytest.MonkeyPatch) -> tuple[LocalBestResponse, Resolve]:
    """The response to a bot by that rule with thirty big blinds, which looks up its rows."""
    bot = resolver(folder, patch, stacks=(3000, 3000), rule=bets_and_folds, streets={})
    player = LocalBestResponse(bot.game, LocalBestResponse.Options(opponent="call"), folder)
    player.opponent = bot
    return player, bot


def sample(player: LocalBestResponse, bot: Resolve, sums: Vector, position: int) -> tuple[HandKey, BettingLine]:
    """The beginning of a sample whose response has learnt the sums."""
    key = HandKey(3, 5, position)
    mine, other = learnt_hands(player, bot, sums)(key)
    return key, first_line(State.start(bot.game), (mine, other) if position == 0 else (other, mine))


@pytest.mark.parametrize("position", [0, 1])
def test_values_are_what_the_same_lines_win(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, position: int) -> None:
    """Without exploring, and with no line left out, a learner's sample is one of those that measure it."""
    for module in (line_play, learnt_response):
        monkeypatch.setattr(module, "FAINT", 1e-12)
    monkeypatch.setattr(learnt_response, "EXPLORE", 0.0)
    player, bot = seats(tmp_path, monkeypatch)
    random = np.random.default_rng(1)
    sums = np.stack(
        [np.full(LearntValues.shape(player)[1:], 30.0), random.normal(0, 9, LearntValues.shape(player)[1:])]
    )
    key, root = sample(player, bot, sums, position)
    won = LinePlay(key, FOLLOW).play(root.state, root.players)
    key, root = sample(player, bot, sums, position)
    chips = LearningPlay(key, FOLLOW, np.zeros(sums.shape)).values(root)
    assert float(chips @ root.reach[position]) / (PAIRS * bot.game.big_blind) == pytest.approx(won, abs=1e-9) != 0


def test_a_line_that_is_not_drawn_bends_no_mean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player, bot = seats(tmp_path, monkeypatch)
    sums = np.zeros(LearntValues.shape(player))

    def values(limped: float) -> Vector:
        """The values if the button's limp is drawn with a chance, or if it was not drawn."""

        def chance(_: LearningPlay, line: BettingLine, faint: float) -> float:
            return limped if line.state.betting == "c" else 1.0

        monkeypatch.setattr(LearningPlay, "_chance", chance)
        key, root = sample(player, bot, sums, 1)
        assert root.state.actor == 1
        return LearningPlay(key, (1e-3, 1e9, 1e9), sums.copy()).values(root)

    drawn, missed, always = values(0.25), values(0.0), values(1.0)
    assert np.allclose(0.25 * drawn + 0.75 * missed, always, atol=1e-6) and not np.allclose(missed, always)


def test_it_learns_to_check_and_raise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who looks one bet ahead takes the pot by a bet; to check first wins the bet of the other as well."""
    monkeypatch.setattr(learnt_response, "PRIOR", 1.0)  # few samples, and the bot always does the same
    player, bot = seats(tmp_path, monkeypatch)
    sums = np.zeros(LearntValues.shape(player))
    local = line_set(line_play.lbr_hands(player, bot, "call"), bot, 7, 0, 0)
    assert line_set(learnt_hands(player, bot, sums), bot, 7, 0, 0) == local
    for number in range(2):
        sums = sums + sum(learn_set(player, bot, sums, 7, 10 * (number + 1) + more) for more in range(4))
    learnt = line_set(learnt_hands(player, bot, sums), bot, 7, 0, 0)
    assert learnt.won[0] > local.won[0] + 0.3

    def checked(known: Vector) -> float:
        """The share of hands that check the flop after a raise before it."""
        _, root = sample(player, bot, known, 0)
        raised = root.state.apply(CALL).apply(Action("r", 300))
        rows = root.players[0].rows(raised.apply(CALL).with_board((0, 5, 22)))
        return float(rows.probabilities[rows.actions.index(CALL)].mean())

    assert checked(np.zeros(sums.shape)) < 0.2 and checked(sums) > 0.8


def test_learning_goes_on_after_the_last_whole_round(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bot, taken = load_bot("call"), list[int]()
    terms = ranges_terms(bot, "fc", "river", 1, learn=4)
    path = ranges_file(bot, tmp_path, terms)
    assert path.name == "call-fc-river-learnt-4-ranges-1.jsonl"
    real, told = line_measure.learn_one, list[tuple[int, int]]()
    monkeypatch.setattr(line_measure, "ROUNDS", 2)

    def watched(order: MeasureOrder, number: int) -> LearntSet:
        if len(taken) == 3:
            monkeypatch.setattr(line_measure, "learn_one", real)
            raise KeyboardInterrupt
        taken.append(number)
        return real(order, number)

    monkeypatch.setattr(line_measure, "learn_one", watched)
    with pytest.raises(KeyboardInterrupt):
        measured(bot, terms, 1, lambda *_: None, path)
    assert taken == [0, 1, 2] and len(path.with_suffix(".learnt").read_bytes().splitlines()) == 2
    stopped = measured(bot, terms, 1, lambda *done: told.append(done), path)
    assert told[0] == (2, 5) and told[-1] == (5, 5)
    assert stopped[0].won == measured(bot, terms, 1, lambda *_: None)[0].won


def test_the_table_says_from_how_many_sets_it_learnt(tmp_path: Path) -> None:
    """From fewer sets than there are rounds."""
    words = ("call", "--full-ranges", "--start", "river", "--learn", "3", "--hands", "2", "--jobs", "1")
    assert "fcpa, learnt from 3" in commands.run("lbr", *words, "--output", tmp_path).output
    assert "--learn goes with --full-ranges" in refused("lbr", "call", "--learn", "10")
