"""Mistakes that programs make: each is told by name and with a remedy, and what is meant anyway is taken."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import limpet
from limpet import CALL, FOLD, ConfigError, ProtocolError, Rows, State, Stateless, WrongRows
from limpet.strategies.base.strategy import same_for_all

DOOR: Any = limpet
"""The door without types: most mistakes are those that a type checker sees."""
LEDUC = {"name": "mine", "game": "leduc.nolimit.2p"}
LIMIT, DEEP = limpet.load_game("holdem.limit.2p.reverse_blinds"), limpet.load_game("holdem.nolimit.2p.reverse_blinds")
RIVER = {"board": "KsTh7s4d2c", "pot": 10, "stack": 20, "ranges": ("AA", "KK"), "iterations": 2}


@pytest.mark.parametrize(
    ("mistake", "kind", "told"),
    [
        (lambda: DOOR.raise_to(2.5), TypeError, "a raise to 2.5: chips are a whole number; round it"),
        (lambda: DOOR.play_match(["leduc", "random"], hands=0), ConfigError, "<match>: hands: .*>= 1"),
        (lambda: DOOR.play_match(["leduc", "random"], hands="50"), ConfigError, "<match>: hands: '50' does not fit"),
        (lambda: DOOR.play_match(["leduc", "random"], seed=-1), ConfigError, "<match>: seed: .*>= 0"),
        (lambda: DOOR.play_match(["leduc", "random"], seatings="foo"), ConfigError, "<match>: seatings: .*rotations"),
        (
            lambda: DOOR.play_match(["leduc", "random"], fixed_button="no"),
            ConfigError,
            "fixed_button: 'no' does not fit",
        ),
        (lambda: DOOR.play_match("leduc"), ConfigError, "<match>: players: .*2"),
        (lambda: DOOR.solve(**RIVER | {"pot": object()}), ConfigError, "<spot>: pot: .*no plain data"),
        (lambda: DOOR.register("mine", 5), ValueError, "5 is no subclass of Strategy"),
        (lambda: DOOR.register("call", Stateless), ValueError, "there already"),
        (lambda: DOOR.pushfold([10, 10], outcomes="products"), ProtocolError, "there are exact, product"),
        (lambda: DOOR.range_text(np.ones(1326), "PIO"), ProtocolError, "there are limpet, pio"),
        (lambda: DOOR.parse_range("AK:50", "percentage"), ProtocolError, "there are share and percent"),
        (
            lambda: DOOR.local_best_response("call", start="pre-flop"),
            ConfigError,
            "there are preflop, flop, turn, river",
        ),
        (lambda: DOOR.local_best_response("call", sizes="pot"), ConfigError, "there are fc, fcpa, many"),
        (lambda: DOOR.local_best_response("call", sets=0), ConfigError, "at least one"),
        (lambda: DOOR.local_best_response("leduc"), ConfigError, "not leduc.*; name a bot of heads-up hold'em"),
        (lambda: DOOR.exploitability("nope"), ConfigError, "neither in"),
        (lambda: DOOR.icm([], []), ValueError, "there is no stack; give at least one"),
        (lambda: DOOR.icm([1, 2], []), ValueError, "there is no payout"),
        (lambda: DOOR.icm([1, 2], [0, 0]), ValueError, "give finite prizes of 0 or more, with one above 0"),
        (
            lambda: limpet.load_strategy("hunl-200bb").probabilities(State.start(LIMIT), "AsAh"),
            ValueError,
            "another game \\(2 players, 52 cards, a limit",
        ),
    ],
)
def test_a_mistake_is_told_by_its_name(mistake: Callable[[], object], kind: type[Exception], told: str) -> None:
    with pytest.raises(kind, match=told):
        mistake()


def test_numbers_of_numpy_and_texts_where_lists_are_meant_are_taken() -> None:
    played = DOOR.play_match(["leduc", "random"], hands=np.int64(20), seed=np.arange(3)[1])
    assert played.players == DOOR.play_match(["leduc", "random"], hands=20, seed=1).players
    assert len(DOOR.solve(**RIVER | {"pot": np.float64(10)}, at="check").decisions) == 2
    locked = DOOR.pushfold([10, 10], locks="SB=22+")
    assert locked.ranges()["SB"] == "22+"
    assert limpet.load_bot("leduc", "leduc.limit.2p").build().game == limpet.load_game("leduc.limit.2p")


def test_a_match_is_not_mixed_with_other_files(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ConfigError, match="holds something already; name a new folder"):
        DOOR.play_match(["leduc", "random"], hands=5, folder=tmp_path)
    with pytest.raises(ConfigError, match="seed"):
        DOOR.play_match(["leduc", "random"], hands=5, seed=-1, folder=tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_trained_strategy_is_opened_by_the_path_that_training_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (folder,) = limpet.train("kuhn", output="tr")
    assert folder == Path("tr") and DOOR.exploitability(folder).exact
    assert limpet.load_strategy(folder).game == limpet.load_game("kuhn.limit.2p")
    (tmp_path / "p2.py").write_text("mine")
    with pytest.raises(ConfigError, match=r"p2.py is a file; name another folder"):
        limpet.train("kuhn", output="p2.py")


def test_a_player_defined_anew_takes_its_own_place() -> None:
    for answer in (CALL, FOLD):

        class Again(Stateless):
            """A player in a cell that is run twice."""

            said = answer

            def rows(self, state: State) -> Rows:
                return same_for_all({self.said if state.can_fold else CALL: 1.0}, 6)

        DOOR.register("test-again", Again)
    assert limpet.testing.check_player(LEDUC | {"player": "test-again"}, hands=5)
    won = DOOR.play_match([limpet.load_bot(LEDUC | {"player": "test-again"}), "random"], hands=20)
    assert won.players[0].chips != 0


def rows_of(made: Callable[[State], Any], name: str) -> dict[str, str]:
    """Return the config of a player with such rows."""

    class Made(Stateless):
        def rows(self, state: State) -> Rows:
            rows: Rows = made(state)
            return rows

    Made.__qualname__ = name
    DOOR.register(name, Made)
    return LEDUC | {"player": name}


@pytest.mark.parametrize(
    ("name", "made", "told"),
    [
        ("test-none", lambda state: None, "NoneType is no Rows"),
        (
            "test-text",
            lambda state: DOOR.Rows(("c",), np.ones((1, 6), np.float32)),
            "are no actions; those are FOLD, CALL and",
        ),
        ("test-half", lambda state: DOOR.Rows((DOOR.Action("r", 2.5),), np.ones((1, 6), np.float32)), "whole number"),
        ("test-list", lambda state: DOOR.Rows((CALL,), [[1.0] * 6]), "are a list, no array"),
        ("test-fails", lambda state: 1 / 0, "mine after '' on no board: ZeroDivisionError"),
    ],
)
def test_rows_that_are_none_are_told_with_the_state(name: str, made: Callable[[State], Any], told: str) -> None:
    bot = rows_of(made, name)
    with pytest.raises(AssertionError, match=told):
        limpet.testing.check_player(bot)
    if name != "test-fails":
        agent = limpet.Agent(limpet.load_bot(bot).build(), 1)
        with pytest.raises((WrongRows, limpet.MatchFailed), match="rows after ''"):
            agent.decide(limpet.parse_match_state("MATCHSTATE:1:0::|Ks", limpet.load_game("leduc.nolimit.2p")))
