"""Charts of short stacks are those of `limpet pushfold`."""

from pathlib import Path

import numpy as np
import pytest

from limpet.bot.browser.tables.bots import looks_at_clock
from limpet.bot.browser.views.charts import BotLuck, hand_view, push_fold_view, slot_grid
from limpet.configs.loading import ConfigError, load_game
from limpet.dealer.matches.match import run_match
from limpet.dealer.matches.matchconfig import MatchConfig, resolve
from limpet.protocol.matchlog import HandRecord, read_entry
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.records import RowsWriter
from limpet.strategies.base.strategy import HandKey
from limpet.strategies.shortstacks.solve import Solution, pushfold
from tests.commands import json_of


@pytest.fixture(scope="module")
def solution() -> Solution:
    return pushfold((10.0, 10.0))


def test_ten_big_blinds_heads_up(solution: Solution) -> None:
    view = push_fold_view(solution)
    assert [(slot["name"], slot["kind"]) for slot in view["slots"]] == [("SB", "push"), ("SB,BB", "call")]
    assert view["slots"][0]["percent"] == pytest.approx(58.28, abs=0.01)
    assert view["slots"][1]["percent"] == pytest.approx(37.38, abs=0.01)
    assert view["epsilon"] < 1e-6 and sum(view["ev"]) == pytest.approx(0, abs=1e-9)


def test_a_class_takes_the_better_of_all_in_and_fold(solution: Solution) -> None:
    grid = slot_grid(solution, "SB")
    fold, act = (np.array(row, float) for row in grid.cells.evs)
    pushes = np.array(grid.cells.frequencies[1])
    assert (pushes[act > fold + 0.002] > 0.99).all() and (pushes[act < fold - 0.002] < 0.01).all()


@pytest.mark.parametrize("hand", ["K2o", "k2O", "Kh2c", "2cKh"])
def test_one_hand_has_a_line(solution: Solution, hand: str) -> None:
    view = hand_view(solution, "SB", hand)
    assert view["hand"] == "K2o" and view["line"].startswith("SB with K2o: all-in 100.0 %; all-in -0.")


@pytest.mark.parametrize("hand", ["AK", "22+", "", "AA:0", "nonsense"])
def test_other_than_one_hand_is_refused(solution: Solution, hand: str) -> None:
    with pytest.raises(ValueError, match="write one hand|names no hand|is no hand"):
        hand_view(solution, "SB", hand)


def test_given_ranges_and_prizes() -> None:
    view = push_fold_view(pushfold((10.0, 10.0), payouts=(70.0, 30.0), locks=("SB=AA",)))
    assert view["unit"] == "payouts" and view["slots"][0]["locked"] and view["slots"][0]["range"] == "AA"


@pytest.mark.parametrize("locks", [("SB",), ("CO=AA",), ("SB=nonsense",)])
def test_a_wrong_range_is_refused(locks: tuple[str, ...]) -> None:
    with pytest.raises(ValueError):
        pushfold((10.0, 10.0), locks=locks)


# --- A session without its luck: the running total of the page, and that of ``limpet aivat`` on the same hands


GAME = load_game("holdem.nolimit.2p.reverse_blinds")


def test_hands_one_by_one_are_the_log_at_once(tmp_path: Path) -> None:
    asked = MatchConfig(name="luck", players=["call", "random"], game="holdem.nolimit.2p.reverse_blinds", hands=6)
    run_match(resolve(asked, tmp_path), tmp_path, "in-process", False, lambda logs: None)
    log = tmp_path / "seating-1.log"
    words = ["aivat", str(log), "--bot", "call", "--baseline", "equity", "--json", "--quiet", "--jobs", "1"]
    wanted = {row["estimator"]: row["mbb_per_game"] for row in json_of(*words)["estimators"]}
    luck = BotLuck("call", GAME)
    won = luck.won([line for line in log.read_text().splitlines() if line.startswith("STATE:")], "call")
    assert len(won) == 6
    assert 1000 * sum(won) / len(won) / GAME.big_blind == pytest.approx(wanted["AIVAT"], abs=0.01)
    assert wanted["AIVAT"] != pytest.approx(wanted["raw"])


def test_bots_that_think_against_the_clock_are_refused_without_their_rows(tmp_path: Path) -> None:
    assert looks_at_clock("limpet") and not looks_at_clock("limpet-fast") and not looks_at_clock("call")
    with pytest.raises(ConfigError, match="against the clock"):
        BotLuck("limpet", GAME)
    with pytest.raises(ConfigError, match="has kept no rows of these hands"):
        BotLuck("limpet", GAME, tmp_path / "none").won([], "limpet")


def test_kept_rows_stand_in_for_decisions_that_cannot_be_worked_out_again(tmp_path: Path) -> None:
    """Hands of a bot without a clock have one value: by the rows worked out again, and by those kept beside them."""
    asked = MatchConfig(name="luck", players=["call", "random"], game="holdem.nolimit.2p.reverse_blinds", hands=4)
    run_match(resolve(asked, tmp_path), tmp_path, "in-process", False, lambda logs: None)
    lines = [line for line in (tmp_path / "seating-1.log").read_text().splitlines() if line.startswith("STATE:")]
    kept = BotLuck("limpet", GAME, tmp_path / "table.rows")
    writer, strategy = RowsWriter(tmp_path / "table.rows", GAME), load_bot("call", GAME).build()
    for line in lines:
        record = read_entry(line, GAME, "x")
        assert isinstance(record, HandRecord)
        position = record.names.index("call")
        hand = strategy.start_hand(HandKey(0, record.hand, position))
        for state in record.state.path():
            if not state.finished and state.actor == position:
                seen = state.with_board(record.state.board)
                writer.record(record.hand, position, seen, hand.rows(seen))
        assert kept.won([line], "call") == pytest.approx(BotLuck("call", GAME).won([line], "call"))  # the file grows
