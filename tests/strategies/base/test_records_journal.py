"""The files that a resolving player keeps of its decisions."""

import json
import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from limpet.configs.loading import ConfigError
from limpet.protocol.cards import cards_text
from limpet.protocol.state import CALL, raise_to
from limpet.strategies.base.records import RowsFile
from limpet.strategies.base.strategy import HandKey
from limpet.strategies.cards.handspace import game_hands
from tests.strategies.base.resolve_players import BOARD, SMALL, called_to, resolver

PLAIN: dict[str, Any] = {"streets": {}}
"""Options of a player that solves nothing."""


def test_each_decision_is_a_line_and_its_rows_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player = resolver(tmp_path, monkeypatch, log="log.jsonl", rows="kept.rows")
    hand = player.start_hand(HandKey(1, 7, 0))
    turn = called_to(player, 2)
    rows = hand.rows(turn)
    hand.took(turn, CALL)
    river = turn.apply(CALL).apply(CALL).with_board(BOARD)
    hand.rows(river)
    hand.rows(river.apply(CALL).apply(raise_to(300)))  # nobody has said what was done before
    first, second = (json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines())
    assert (first["hand"], first["position"], first["street"], first["betting"]) == (7, 0, "turn", "cc/cc/")
    assert first["solves"][0]["root"] == "cc/cc/"
    assert first["action"] == "c"
    assert first["deadline_ms"] is None
    assert first["pot_bb"] == 2
    assert first["subgame"] == first["solves"][0]["root"] and first["iterations"] == SMALL["iterations"]
    assert sum(first["frequencies"].values()) == pytest.approx(1, abs=1e-3)
    assert second["street"] == "river"
    assert "action" not in second
    kept = RowsFile(tmp_path / "kept.rows", player.game)
    assert len(kept) == 3
    space = game_hands(player.game)
    played = kept.played(7, turn, 0, tuple(int(card) for card in space.cards(100)), CALL)
    np.testing.assert_allclose(played.probabilities, rows.dense(space.blocked(turn.board)), atol=1e-6)


def test_nothing_is_written_unless_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player = resolver(tmp_path, monkeypatch)
    before = sorted(tmp_path.iterdir())
    hand = player.start_hand(HandKey(1, 7, 0))
    hand.rows(called_to(player, 3))
    hand.took(called_to(player, 3), CALL)
    assert sorted(tmp_path.iterdir()) == before


def test_matches_at_once_keep_their_lines_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server's matches all have a hand 0 of the same seed: the action goes to the decision it was drawn in."""
    player = resolver(tmp_path, monkeypatch, log="deep/log.jsonl")
    states = [called_to(player, 3, board) for board in (BOARD, BOARD[::-1])]
    hands = [player.start_hand(HandKey(1, 0, 0)) for _ in states]
    for hand, state in zip(hands, states, strict=True):
        hand.rows(state)
    for hand, state, action in zip(hands, states, (raise_to(300), CALL), strict=True):
        hand.took(state, action)
        hand.took(state, action)  # nothing waits any more
    told = [json.loads(line) for line in (tmp_path / "deep" / "log.jsonl").read_text().splitlines()]
    assert [(line["board"], line["action"]) for line in told] == [
        (cards_text(states[0].board), "r300"),
        (cards_text(states[1].board), "c"),
    ]


@pytest.mark.parametrize("option", ["log", "rows"])
def test_a_journal_that_cannot_be_written_is_refused_before_the_first_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "notes.txt").write_text("not rows")
    player = resolver(tmp_path, monkeypatch, **{**PLAIN, option: "folder"})
    with pytest.raises(ConfigError, match=rf"folder: Is a directory; name a file .* as '{option}', or leave that out"):
        player.warm_up()
    player = resolver(tmp_path, monkeypatch, **{**PLAIN, option: "notes.txt/under"})
    with pytest.raises(ConfigError, match=r"under: (Not a directory|File exists); name a file"):
        player.warm_up()
    with pytest.raises(ConfigError, match=r"notes.txt: not a file of rows; name another one"):
        resolver(tmp_path, monkeypatch, streets={}, rows="notes.txt").warm_up()
    assert (tmp_path / "notes.txt").read_text() == "not rows"
    before = sorted(tmp_path.iterdir())
    player = resolver(tmp_path, monkeypatch, **{**PLAIN, option: "fine"})
    assert sorted(tmp_path.iterdir()) == before  # nothing is written by a bot that is only looked at
    player.warm_up()
    assert (tmp_path / "fine").exists()


def test_a_journal_that_fails_later_costs_no_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    player = resolver(tmp_path, monkeypatch, log="log.jsonl", rows="kept.rows")
    state, silent = called_to(player, 2), resolver(tmp_path, monkeypatch).start_hand(HandKey(1, 0, 0))
    for name in ("log.jsonl", "kept.rows"):
        (tmp_path / name).mkdir()
    with caplog.at_level(logging.WARNING):
        for number in range(2):
            hand = player.start_hand(HandKey(1, number, 0))
            np.testing.assert_array_equal(hand.rows(state).probabilities, silent.rows(state).probabilities)
            hand.took(state, CALL)
    told = "Is a directory; nothing more is written there, and play goes on"
    assert caplog.messages == [f"{tmp_path / name}: {told}" for name in ("kept.rows", "log.jsonl")]
