"""Replayed hands: every step adds up, and the last one says what the file says."""

from pathlib import Path
from typing import Any

import pytest

from limpet.bot.browser.views.replay import betting_text, replay_view, row_view
from limpet.protocol.archives.hand_file import HandPlace
from limpet.protocol.archives.hands import open_hands
from limpet.protocol.cards import CARD_TEXT, parse_cards
from limpet.protocol.gamedef import NO_STACK_LIMIT
from limpet.protocol.handhistory import streets
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.messages import parse_state
from limpet.protocol.situation import holdem
from tests.dealer.helpers import recordings
from tests.protocol.test_matchlog_draw_logs import LINE, record


def view(line: HandPlace, hand: HandRecord) -> dict[str, Any]:
    return replay_view("a.log", 3, 9, "a", line, hand)


@pytest.mark.parametrize("log", recordings(".seed0.log"), ids=lambda path: path.name)
def test_steps_add_up(log: Path) -> None:
    for line, hand in open_hands(log).hands():
        made, end, game = view(line, hand), hand.state, hand.state.game
        assert sum(step["decision"] for step in made["steps"]) == end.actions_in_hand
        dealt = sum(bool(street.cards) for street in streets(end))
        assert len(made["steps"]) == end.actions_in_hand + dealt + 2
        for step in made["steps"][:-1]:
            spent = [stack - player["stack"] for stack, player in zip(game.stack, step["players"], strict=True)]
            if NO_STACK_LIMIT not in game.stack:
                assert step["pot"] == sum(spent)
            assert sum(player["acts"] for player in step["players"]) <= 1
            assert all(player["bet"] >= 0 and player["won"] is None for player in step["players"])
        last = made["steps"][-1]
        assert tuple(player["won"] for player in last["players"]) == hand.values
        assert last["board"] == [CARD_TEXT[card] for card in end.board]
        assert [player["folded"] for player in last["players"]] == [end.has_folded(p) for p in range(game.num_players)]
        assert made["text"].startswith(f"Hand {hand.hand}\n") and "Result" in made["text"]


def test_a_draw_changes_the_hand_of_who_drew() -> None:
    made = view(HandPlace(1, LINE, record()), record())
    held = ["".join(step["players"][0]["cards"]) for step in made["steps"]]
    at = next(number for number, step in enumerate(made["steps"]) if "draws 3 cards" in step["text"])
    assert held[at - 1] == "4sAsJh2s4d" and held[at] == held[-1] == "4sQhAcTc4d"
    assert {"".join(step["players"][1]["cards"]) for step in made["steps"]} == {"5sKd8s3cAh"}


def test_the_result_tells_the_boards_of_further_runs() -> None:
    state = parse_state("r20000c///", holdem((20_000, 20_000), (100, 50)), "2c7dTh3s9c")
    hand = HandRecord(1, state, (), (0.0, 0.0), ("a", "b"), runs=(parse_cards("2d7hTc3h9s"),))
    made = view(HandPlace(1, "", hand), hand._replace(holes=(parse_cards("AsAh"), parse_cards("KsKh"))))
    assert made["steps"][-1]["text"].startswith("Run again: 2d 7h Tc 3h 9s. Result: ")


def test_a_row_of_the_list(tmp_path: Path) -> None:
    log = next(iter(recordings("holdem.nolimit.2p.reverse_blinds.seed0.log")))
    line, hand = next(open_hands(log).hands())
    row = row_view(line, hand)
    assert (row["line"], row["hand"]) == (line.number, hand.hand)
    assert row["names"] == hand.names and row["won"] == hand.values and len(row["cards"][0]) == 2


@pytest.mark.parametrize(
    ("betting", "board", "words"),
    [
        ("f", "", "folds"),
        ("r250c/cr600f", "2c7dTh", "raises to 250, calls 150; flop: checks, bets 350, folds"),
        ("r20000c///", "2c7dTh3s9c", "raises to 20000, calls 19900"),
    ],
)
def test_betting_is_told_in_words(betting: str, board: str, words: str) -> None:
    assert betting_text(parse_state(betting, holdem((20_000, 20_000), (100, 50)), board)) == words
