"""Logs evaluated by several processes."""

from collections.abc import Callable
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from limpet.dealer.evaluation.luck_question import LuckQuestion
from limpet.dealer.evaluation.luck_workers import DEALS, shared_out
from limpet.dealer.evaluation.match_luck import FIRST_LESSON, LuckTaker, take_luck_out
from limpet.dealer.matches.match_cli import match
from limpet.protocol.errors import ProtocolError

HANDS = 3 * FIRST_LESSON + DEALS // 2


@pytest.fixture(scope="module")
def question(tmp_path_factory: pytest.TempPathFactory) -> LuckQuestion:
    """Leduc's equilibrium against somebody of whom there is much to learn, in duplicate."""
    folder = tmp_path_factory.mktemp("matches") / "leduc"
    words = ["leduc", "call", "--hands", str(HANDS), "--duplicate", "--in-process", "--output", str(folder)]
    assert CliRunner().invoke(match, words).exit_code == 0
    return LuckQuestion((folder,), "leduc")


def opened(question: LuckQuestion) -> LuckTaker:
    return question.open(lambda done, total: None)


def slow() -> Callable[[], float]:
    """A clock by which every deal takes a minute."""
    ticks = count(step=60)
    return lambda: next(ticks)


def test_they_find_what_one_finds(question: LuckQuestion) -> None:
    """To the last bit, with what is learned on the way; and progress only grows."""
    alone = take_luck_out(opened(question))
    reports: list[tuple[int, int]] = []
    together = shared_out(question, opened(question), 2, lambda done, total: reports.append((done, total)), slow())
    for one, other in zip(alone, together, strict=True):
        np.testing.assert_array_equal(one, other)
    assert reports[0] == (0, HANDS) and reports[-1] == (HANDS, HANDS)
    assert [done for done, _ in reports] == sorted(done for done, _ in reports)
    assert len(reports) < HANDS / 4, "most deals were given away"


def test_what_is_soon_done_is_done_here(question: LuckQuestion, monkeypatch: pytest.MonkeyPatch) -> None:
    taker = opened(question)
    monkeypatch.setattr("limpet.dealer.evaluation.luck_workers.ProcessPoolExecutor", None)
    reports: list[int] = []
    shared_out(question, taker, 2, lambda done, total: reports.append(done), lambda: 0.0)
    assert reports == [*range(HANDS + 1)]


def test_one_process_is_one(question: LuckQuestion) -> None:
    reports: list[int] = []
    shared_out(question, opened(question), 1, lambda done, total: reports.append(done), slow())
    assert reports == [*range(HANDS + 1)]


def test_a_mistake_that_another_process_finds_is_named(question: LuckQuestion, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text(
        "name: leduc\nplayer: blueprint\ngame: leduc.limit.2p\nseed: 9\noptions: {strategy: leduc}\n", encoding="utf-8"
    )
    with pytest.raises(ProtocolError, match=r"seating-\d\.log:\d+: hand \d+: .* is what this bot plays"):
        shared_out(question._replace(bot=str(other)), opened(question), 2, clock=slow())
