"""What was missed comes again until it is learnt; answers are kept whole, summed up and sorted by their cost."""

from collections import Counter
from pathlib import Path
from threading import Thread

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.configs.loading import ConfigError
from limpet.dealer.measures.drill_questions import Question
from limpet.dealer.measures.drill_session import (
    GAPS,
    DrillAnswer,
    DrillSession,
    due,
    judged,
    mistake,
    most_expensive,
    read_answers,
    score,
)


def question(number: int) -> Question:
    return Question(
        line=f"line {number}", hand="AsKs", said="", seat="SB", street="river", board="", pot=10.0, facing=True,
        names=("fold", "call", "raise 5", "all-in"), labels=("fold", "call", "raise 5", "all-in"),
        frequencies=(0.0, 1.0, 0.0, 0.0), values=(0.0, 1.0, 0.5, 0.25),
    )  # fmt: skip


class Numbers:
    """A drill that asks about ever new numbers, except those that it no longer has."""

    def __init__(self, gone: tuple[int, ...] = ()) -> None:
        self.drawn, self.gone = 0, gone

    def draw(self, random: np.random.Generator) -> Question:
        self.drawn += 1
        return question(self.drawn)

    def again(self, line: str, hand: str) -> Question:
        number = int(line.removeprefix("line "))
        if number in self.gone:
            raise ValueError("gone")
        return question(number)


@given(st.lists(st.booleans(), max_size=150))
def test_missed_questions_come_again_after_their_gaps_until_learnt(right: list[bool]) -> None:
    answers: list[DrillAnswer] = []
    drill = Numbers()
    waits: dict[tuple[str, str], tuple[int, int]] = {}  # what is to come again: its last answer, and right ones since
    for is_right in right:
        wanted = due(answers)
        ready = {key: at for key, (at, rights) in waits.items() if len(answers) - 1 - at >= GAPS[rights]}
        if answers and answers[-1].question in {answer.question for answer in answers[:-1]}:
            ready = {}  # a new question follows a repetition
        assert wanted == min(ready, key=lambda key: ready[key], default=None)
        asked = drill.again(*wanted) if wanted else drill.draw(np.random.default_rng())
        key = asked.line, asked.hand
        rights = waits[key][1] + 1 if key in waits else None
        if not is_right:
            waits[key] = len(answers), 0
        elif rights is not None and rights < len(GAPS):
            waits[key] = len(answers), rights
        else:
            waits.pop(key, None)
        answers.append(_given(asked, is_right))


def _given(asked: Question, is_right: bool) -> DrillAnswer:
    return judged(asked, 1 if is_right else 0)


def test_a_new_session_begins_with_what_was_missed(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "answers.json"
    first = DrillSession(Numbers(), path, 1)
    for action in (0, 0, 1):
        first.answer(first.ask()[0], action)
    later = DrillSession(Numbers(gone=(2,)), path, 1)
    assert later.ask() == (question(1), True)
    later.answer(question(1), 1)
    assert later.ask() == (question(1), False)  # a new one follows a repetition
    later.answer(question(9), 1)
    assert later.ask() == (question(2), False)  # line 2 was missed, but is gone, and a new one is drawn
    assert [answer.line for answer in later.here] == ["line 1", "line 9"]
    assert len(DrillSession(Numbers(), path, 1).answers) == 5


def test_answers_of_two_sessions_at_once_all_count(tmp_path: Path) -> None:
    path = tmp_path / "answers.json"
    one, other = DrillSession(Numbers(), path, 1), DrillSession(Numbers(), path, 1)
    answering = [Thread(target=session.answer, args=(question(n), 1)) for n in range(20) for session in (one, other)]
    for thread in answering:
        thread.start()
    for thread in answering:
        thread.join()
    assert (len(one.here), len(other.here)) == (20, 20)
    assert Counter(answer.line for answer in read_answers(path)) == {f"line {n}": 2 for n in range(20)}


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff", b'{"format":"limpet-drill/9","answers":[]}', b'{"answers":[]}']
)
def test_a_damaged_file_is_named_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "answers.json"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match="answers.json: these answers cannot be read"):
        DrillSession(Numbers(), path, 1)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("value", "frequency", "kind"), [(0.95, 0.1, ""), (0.95, 0.09, "folded too much"), (0.89, 0.7, "folded too much")]
)
def test_what_the_strategy_does_is_no_mistake_unless_it_is_missed(value: float, frequency: float, kind: str) -> None:
    """The pot is 10: a loss of 0.05 is half a percent of it, one of 0.11 is missed."""
    mixed = msgspec.structs.replace(
        question(1), values=(value, 1.0, 0.0, 0.0), frequencies=(frequency, 1 - frequency, 0.0, 0.0)
    )
    assert mistake(mixed, 0) == kind
    assert judged(mixed, 0).lost_bb == pytest.approx(1 - value)


def test_mistakes_have_kinds() -> None:
    asked = question(1)
    assert [mistake(asked, action) for action in range(4)] == ["folded too much", "", "bet too much", "bet too much"]
    bets = msgspec.structs.replace(asked, values=(0.0, 1.0, 2.0, 1.5))
    assert [mistake(bets, action) for action in range(4)] == ["folded too much", "bet too little", "", "bet too large"]
    folds = msgspec.structs.replace(asked, values=(0.0, -1.0, -2.0, -1.5))
    assert [mistake(folds, action) for action in range(3)] == ["", "called too much", "bet too much"]


def test_sums_have_intervals_and_the_dearest_kind_comes_first() -> None:
    answers = [_given(question(number), number % 2 == 0) for number in range(4)]
    whole = score(answers)
    assert whole is not None
    assert (whole.answers, whole.missed, whole.lost_bb, whole.lost_percent) == (4, 2, 0.5, 5.0)
    assert whole.lost_bb_half == pytest.approx(3.182446 * 0.57735 / 2, rel=1e-4)
    alone = score(answers[:1])
    assert alone is not None
    assert alone.lost_bb_half is None
    assert score([]) is None
    assert [(kind.kind, kind.answers, kind.lost_bb) for kind in most_expensive(answers)] == [
        ("folded too much", 2, 2.0)
    ]
