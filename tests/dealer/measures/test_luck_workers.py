"""Logs evaluated by several processes."""

from collections.abc import Callable
from itertools import count
from multiprocessing import active_children
from pathlib import Path

import pytest
from click.testing import CliRunner

from limpet.bot.commands.match import match
from limpet.dealer.measures.luck_question import LuckQuestion
from limpet.dealer.measures.luck_workers import DEALS, shared_out
from limpet.dealer.measures.match_luck import FIRST_LESSON, LuckTaker
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
    """To the last bit, with what is learned on the way."""
    alone = [opened(question).take(deal) for deal in range(HANDS)]
    taker, taken = opened(question), []
    taker.take = lambda deal: taken.append(deal) or LuckTaker.take(taker, deal)  # type: ignore[method-assign, func-returns-value]
    together = list(shared_out(question, taker, range(HANDS), 2, slow()))
    assert sorted(together, key=lambda found: found.deal) == alone
    assert taken == [0], "the rest was given away"


def test_deals_may_be_missing(question: LuckQuestion) -> None:
    """Others have found them before; what is learned of them counts all the same."""
    every = list(shared_out(question, opened(question), range(HANDS), 1))
    late = [3, FIRST_LESSON, *range(2 * FIRST_LESSON - 3, HANDS)]
    for jobs in (1, 2):
        found = sorted(shared_out(question, opened(question), late, jobs, slow()), key=lambda found: found.deal)
        assert found == [every[deal] for deal in late]


def test_nobody_works_on_for_one_who_has_stopped(question: LuckQuestion) -> None:
    found = shared_out(question, opened(question), range(HANDS), 2, slow())
    for _ in range(2):
        next(found)
    assert len(active_children()) == 2
    found.close()  # type: ignore[attr-defined]
    assert not active_children()


@pytest.mark.parametrize(("jobs", "clock"), [(2, lambda: 0.0), (1, slow())])
def test_what_is_soon_done_is_done_here(
    question: LuckQuestion, monkeypatch: pytest.MonkeyPatch, jobs: int, clock: Callable[[], float]
) -> None:
    monkeypatch.setattr("limpet.dealer.measures.luck_workers.by_processes", None)
    found = shared_out(question, opened(question), range(HANDS), jobs, clock)
    assert [deal.deal for deal in found] == [*range(HANDS)]


def test_a_mistake_that_another_process_finds_is_named(question: LuckQuestion, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text(
        "name: leduc\nplayer: blueprint\ngame: leduc.limit.2p\nseed: 9\noptions: {strategy: leduc}\n", encoding="utf-8"
    )
    with pytest.raises(ProtocolError, match=r"seating-\d\.log:\d+: hand \d+: .* is what this bot plays"):
        list(shared_out(question._replace(bot=str(other)), opened(question), range(HANDS), 2, slow()))
