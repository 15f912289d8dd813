"""Questions of drills cost what `limpet solve --at` and `limpet pushfold --hand` say, and come as often as in play."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from limpet.configs.loading import ConfigError
from limpet.dealer.measures.drill_questions import AskedAbout, PushFoldDrill, Question, SpotDrill
from limpet.dealer.measures.drill_session import DrillSession
from limpet.dealer.measures.named_drills import NAMED
from limpet.strategies.holdem.solutions.answer import Answer, hand_text, solve
from limpet.strategies.holdem.solutions.decision_reports import answer_data
from limpet.strategies.shortstacks.solve import hand_answer, pushfold, slot_hands
from limpet.strategies.shortstacks.spot import named_slot


@pytest.fixture(scope="module")
def solved() -> Answer:
    return solve("river-bluffcatch", target=0.5, threads=1)


RIVER = {"spot": "f1", **NAMED["rivers"].fields}


@pytest.mark.parametrize(
    ("fields", "lines"), [(RIVER, 6), pytest.param({"spot": "turn-flush-draw"}, 30, marks=pytest.mark.slow)]
)
def test_200_random_answers_lose_what_a_solve_says(fields: dict[str, Any], lines: int, tmp_path: Path) -> None:
    """The other path solves the spot anew, and writes the decisions as `limpet solve --at --json` does."""
    fields = {**fields, "target": 0.5, "threads": 1}
    session = DrillSession(SpotDrill(solve(**fields).solve), tmp_path / "answers.json", 7)
    random = np.random.default_rng(7)
    asked: list[tuple[Question, int, float]] = []
    for _ in range(200):
        question, _ = session.ask()
        action = int(random.integers(len(question.names)))
        asked.append((question, action, session.answer(question, action).lost_bb))
    after = sorted({question.line for question, _, _ in asked if question.line})
    by_line = dict(zip(["", *after], answer_data(solve(at=after, **fields))["decisions"], strict=True))
    assert len(by_line) >= lines
    for question, action, lost in asked:
        told = by_line[question.line]
        values = told["combos"][question.hand]["action_net_bb"]
        assert lost == pytest.approx(max(values) - values[action], abs=3e-6)
        assert question.pot == told["pot_bb"]
        assert question.frequencies == pytest.approx(told["combos"][question.hand]["frequencies"], abs=1e-6)
    assert sum(lost for _, _, lost in asked) > 50


def test_hands_come_as_often_as_in_play(solved: Answer) -> None:
    """The first decision comes up in every hand, with the hands of the first range by their weights."""
    drill, random = SpotDrill(solved.solve, AskedAbout(position=0, facing=False)), np.random.default_rng(1)
    drawn = Counter(drill.draw(random).hand for _ in range(600))
    combos = solved.decisions[0].weights
    often = {hand_text(hand): 600 * float(combos[hand]) for hand in np.flatnonzero(combos).tolist()}
    assert set(drawn) <= set(often)
    squares = sum((drawn[hand] - mean) ** 2 / mean for hand, mean in often.items())
    assert squares < len(often) + 4 * (2 * len(often)) ** 0.5  # chi-square, within four standard deviations


def test_only_wanted_decisions_are_asked(solved: Answer) -> None:
    drill, random = SpotDrill(solved.solve, AskedAbout("river", 1, True)), np.random.default_rng(1)
    for _ in range(20):
        question = drill.draw(random)
        assert question.facing
        assert question.seat == "in position"
        assert question.names[:2] == ("fold", "call")
        own, other = question.ranges
        assert own.equity + other.equity == pytest.approx(1)
        assert own.share + other.share == pytest.approx(1, abs=1e-5)
    with pytest.raises(ConfigError, match="no such decision came up"):
        SpotDrill(solved.solve, AskedAbout("turn")).draw(random)


def test_a_question_is_asked_again_by_its_line_and_hand(solved: Answer) -> None:
    drill = SpotDrill(solved.solve)
    question = drill.draw(np.random.default_rng(3))
    assert drill.again(question.line, question.hand) == question
    with pytest.raises(ValueError, match="does not come"):
        drill.again("", "3c2c")


def test_actions_are_named_in_several_ways(solved: Answer) -> None:
    question = SpotDrill(solved.solve).again("", "AsKs")
    assert [question.action(text) for text in ("check", " CHE ", "1", question.names[-1], str(len(question.names)))] == [
        0, 0, 0, len(question.names) - 1, len(question.names) - 1,
    ]  # fmt: skip
    for wrong in ("", "b", "0", "99", "fold"):
        with pytest.raises(ValueError, match="is no action here"):
            question.action(wrong)


def class_of(hand: str) -> str:
    first, second = hand[:2], hand[2:]
    return first[0] + second[0] + ("" if first[0] == second[0] else "s" if first[1] == second[1] else "o")


def test_pushes_and_calls_lose_what_pushfold_says() -> None:
    solution = pushfold((10.0, 10.0))
    drill, random = PushFoldDrill(solution), np.random.default_rng(2)
    seen = set()
    for _ in range(100):
        question = drill.draw(random)
        told = hand_answer(solution, named_slot(question.line, 2), class_of(question.hand))
        assert question.lost(0) == max(0.0, told["gain"])
        assert question.lost(1) == max(0.0, -told["gain"])
        seen.add((question.seat, question.pot, question.facing))
    assert seen == {("SB", 1.5, False), ("BB", 11.0, True)}


def test_three_stacks_lose_what_pushfold_says_in_shares_of_the_prizes() -> None:
    """30 big blinds are exchanged for prizes of 100."""
    solution = pushfold((8.0, 12.0, 10.0), ante=0.125, payouts=(50, 30, 20))
    drill, random = PushFoldDrill(solution), np.random.default_rng(2)
    asked = [drill.draw(random) for _ in range(300)]
    gains = {line: slot_hands(solution, named_slot(line, 3)) for line in {question.line for question in asked}}
    for question in asked:
        gain = gains[question.line][class_of(question.hand)]["gain"]
        assert gain is not None and question.lost(0) - question.lost(1) == pytest.approx(0.3 * gain)
    seats = Counter(question.seat for question in asked)
    assert set(seats) == {"BTN (8 bb)", "SB (12 bb)", "BB (10 bb)"} and min(seats.values()) > 70
    lines = Counter(question.line for question in asked)
    chances = (
        solution.values.chances
    )  # BTN, SB, then the calls of the button's push, the big blind's of the small blind's
    assert lines["SB"] / seats["SB (12 bb)"] == pytest.approx(chances[1] / (chances[1] + chances[2]), abs=0.15)
    by_line = {question.line: (question.said, question.pot) for question in asked}
    assert by_line["BTN"] == ("nobody; behind you SB (12 bb), BB (10 bb)", 1.875)
    assert by_line["BTN,BB"] == ("BTN (8 bb) all-in, SB (12 bb) folds", 8 + 0.625 + 1.125)
    assert by_line["SB,BB"] == ("BTN (8 bb) folds, SB (12 bb) all-in", 0.125 + 10 + 1.125)
