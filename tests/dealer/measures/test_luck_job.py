"""Logs evaluated by several processes."""

from collections.abc import Callable
from itertools import count
from multiprocessing import active_children
from pathlib import Path

import pytest

from limpet.dealer.measures.luck_job import DEALS, LuckJob, evaluated
from limpet.dealer.measures.match_luck import FIRST_LESSON, DealEvaluator
from limpet.protocol.errors import ProtocolError
from tests.commands import printed

HANDS = 3 * FIRST_LESSON + DEALS // 2


@pytest.fixture(scope="module")
def question(tmp_path_factory: pytest.TempPathFactory) -> LuckJob:
    """Leduc's equilibrium against somebody of whom there is much to learn, in duplicate."""
    folder = tmp_path_factory.mktemp("matches") / "leduc"
    words = ["leduc", "call", "--hands", str(HANDS), "--duplicate", "--in-process", "--output", str(folder)]
    printed("match", *words)
    return LuckJob((folder,), "leduc")


def opened(question: LuckJob) -> DealEvaluator:
    return question.open(lambda done, total: None)


def slow() -> Callable[[], float]:
    """A clock by which every deal takes a minute."""
    ticks = count(step=60)
    return lambda: next(ticks)


def test_they_find_what_one_finds(question: LuckJob) -> None:
    """To the last bit, with what is learned on the way."""
    one = opened(question)
    alone = [one.evaluate(deal) for deal in range(HANDS)]
    assert [opened(question).evaluate(deal) for deal in range(0, HANDS, 10)] == alone[::10]  # whatever came before
    taker, taken = opened(question), []
    taker.evaluate = lambda deal: taken.append(deal) or DealEvaluator.evaluate(taker, deal)  # type: ignore[method-assign, func-returns-value]
    together = list(evaluated(question, taker, range(HANDS), 2, slow()))
    assert sorted(together, key=lambda found: found.deal) == alone
    assert taken == [0], "the rest was given away"


@pytest.mark.slow
def test_deals_may_be_missing(question: LuckJob) -> None:
    """Others have found them before; what is learned of them counts all the same."""
    every = list(evaluated(question, opened(question), range(HANDS), 1))
    late = [3, FIRST_LESSON, *range(2 * FIRST_LESSON - 3, HANDS)]
    for jobs in (1, 2):
        found = sorted(evaluated(question, opened(question), late, jobs, slow()), key=lambda found: found.deal)
        assert found == [every[deal] for deal in late]


@pytest.mark.slow
def test_nobody_works_on_for_one_who_has_stopped(question: LuckJob) -> None:
    found = evaluated(question, opened(question), range(HANDS), 2, slow())
    for _ in range(2):
        next(found)
    assert len(active_children()) == 2
    found.close()  # type: ignore[attr-defined]
    assert not active_children()


@pytest.mark.parametrize(("jobs", "clock"), [(2, lambda: 0.0), (1, slow())])
def test_what_is_soon_done_is_done_here(
    question: LuckJob, monkeypatch: pytest.MonkeyPatch, jobs: int, clock: Callable[[], float]
) -> None:
    monkeypatch.setattr("limpet.dealer.measures.luck_job.by_processes", None)
    found = evaluated(question, opened(question), range(HANDS), jobs, clock)
    assert [deal.deal for deal in found] == [*range(HANDS)]


@pytest.mark.slow
def test_a_mistake_that_another_process_finds_is_named(question: LuckJob, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text(
        "name: leduc\nplayer: blueprint\ngame: leduc.limit.2p\nseed: 9\noptions: {strategy: leduc}\n", encoding="utf-8"
    )
    with pytest.raises(ProtocolError, match=r"seating-\d\.log:\d+: hand \d+: .* is what this bot plays"):
        list(evaluated(question._replace(bot=str(other)), opened(question), range(HANDS), 2, slow()))
