"""Hands of any state of a hand come back from every format, and damaged texts are skipped, whatever the damage."""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from limpet.protocol.archives import pokerstars_grammar
from limpet.protocol.archives.blocks import blocks
from limpet.protocol.archives.convert import FORMATS, Converted, Format, scaled
from limpet.protocol.archives.hand_file import BadHand, Skip
from limpet.protocol.archives.hands import open_hands, read_hands
from limpet.protocol.archives.quick_pokerstars import QuickPokerStars
from limpet.protocol.archives.read_pokerstars import read_hand
from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.settlement import settle
from limpet.protocol.situation import holdem
from tests.protocol.archives.test_hands import ARCHIVE
from tests.protocol.archives.test_read_pokerstars import CASH, FIRST, SECOND
from tests.protocol.random_hands import random_hand
from tests.protocol.walks import play, random_deal

SLOW = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]


@st.composite
def games(draw: st.DrawFn) -> GameDef:
    """A game of hold'em with uneven stacks, and perhaps antes."""
    players = draw(st.integers(2, 10))
    big = draw(st.integers(2, 200))
    small = draw(st.integers(1, big))
    limit = draw(st.booleans())
    # In limit games a raise from a short stack lowers the bet, which no other format tells.
    ante = draw(st.sampled_from([0, 0, 1, 30])) if players > 2 else 0
    least = 40 * big if limit else big + 1
    stack = tuple(draw(st.integers(least, 41 * big)) + ante for _ in range(players))
    blind = tuple(post + ante for post in (small, big, *[0] * players)[:players]) if players > 2 else (big, small)
    sizes = (big, big, 2 * big, 2 * big) if limit else ()
    if not limit and draw(st.booleans()):  # a short stack for the big blind
        seat = 1 if players > 2 else 0
        short = draw(st.integers(ante + 1, ante + big))
        stack = (*stack[:seat], short, *stack[seat + 1 :])
        blind = (*blind[:seat], short, *blind[seat + 1 :])
    return holdem(stack, blind, sizes)


@st.composite
def hands(draw: st.DrawFn) -> HandRecord:
    """A finished hand."""
    game = draw(games())
    holes, board = random_deal(game, draw(st.integers(0, 2**32 - 1)))
    state = play(game, draw(st.binary(max_size=60)) + b"\0" * 400, board)
    names = tuple(f"Player {draw(st.sampled_from(['x', '(1)', ': folds', 'ž']))} {n}" for n in range(game.num_players))
    return HandRecord(draw(st.integers(0, 10**12)), state, holes, settle(state, holes), names)


def converted(path: Path, target: Format, to: Path) -> Path:
    files = [open_hands(path)]
    with to.open("w", encoding="utf-8", errors="surrogateescape") as file:
        texts = Converted(files, target)
        file.writelines(text for _, text in texts)
    assert texts.left_out == 0, texts.messages
    return to


@given(st.lists(hands(), min_size=1, max_size=3), st.permutations(FORMATS))
@settings(max_examples=30, suppress_health_check=SLOW, deadline=None)
def test_hands_come_back_from_every_format(tmp_path: Path, played: list[HandRecord], order: list[Format]) -> None:
    from limpet.protocol.archives.acpc import LogWriter
    from limpet.protocol.archives.write_phh import hand_text
    from limpet.protocol.handhistory import Unsupported

    sayable = []
    for hand in played:
        try:
            hand_text(hand)
        except Unsupported:
            continue
        sayable.append(hand)
    if not sayable:
        return
    at, log = tmp_path / "begin.log", LogWriter()
    at.write_text("".join(log.hand_text(hand, "some match") for hand in sayable), encoding="utf-8")
    formats: list[Format] = [*order, "acpc"]
    for number, target in enumerate(formats):
        at = converted(at, target, tmp_path / f"{number}.{target}")
    back = list(read_hands([at]))
    assert [str(hand) for hand in back] == [str(hand) for hand in sayable]
    assert [hand.state.game for hand in back] == [hand.state.game for hand in sayable]


def damaged(text: str, draw: Callable[[st.SearchStrategy[Any]], Any]) -> str:
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 6)))
        new = draw(st.text(st.sampled_from("0123456789AKc[]():*. \n$'\"=pdbrf"), max_size=4))
        text = text[:start] + new + text[end:]
    return text


@st.composite
def damaged_texts(draw: st.DrawFn) -> str:
    return damaged(draw(st.sampled_from([FIRST, SECOND, CASH])), draw)


@given(damaged_texts())
@settings(max_examples=200, deadline=None)
def test_the_quick_reader_reads_what_the_careful_one_reads(text: str) -> None:
    quick = QuickPokerStars().read(text)
    try:
        careful = read_hand(text)
    except BadHand:
        careful = None
    if quick is not None:
        assert careful == quick and careful[0].state.game == quick[0].state.game


@pytest.mark.parametrize("target", FORMATS)
@given(st.data())
@settings(max_examples=40, suppress_health_check=SLOW, deadline=None)
def test_damage_is_skipped_and_counted(tmp_path: Path, target: Format, data: st.DataObject) -> None:
    source = tmp_path / "source.txt"
    if not source.exists():
        source.write_text(FIRST + "\n" + SECOND + "\n" + SECOND.replace("506978", "506979"))
        converted(source, target, tmp_path / "whole")
    whole = (tmp_path / "whole").read_text()
    path = tmp_path / "damaged"
    path.write_text(damaged(whole, data.draw), encoding="utf-8")
    skipped: list[Skip] = []
    read = list(read_hands([path], skipped=skipped, game=next(iter(read_hands([source]))).state.game))
    assert len(read) + len(skipped) <= 12
    assert all(skip.line >= 1 and skip.reason for skip in skipped)


# --- real hands


def real_texts() -> Iterator[str]:
    for path in sorted(ARCHIVE.iterdir())[::10]:
        yield from (text for _, text in blocks(path, pokerstars_grammar.BEGINNING))


@pytest.mark.skipif(not ARCHIVE.is_dir(), reason="the archive of real hands is not beside the checkout")
def test_real_hands_are_read_alike_by_both_readers() -> None:
    quick = QuickPokerStars()
    for text in real_texts():
        assert quick.read(text) == read_hand(text)


@pytest.mark.skipif(not ARCHIVE.is_dir(), reason="the archive of real hands is not beside the checkout")
@pytest.mark.parametrize("target", FORMATS)
def test_real_hands_come_back_from_other_formats(tmp_path: Path, target: Format) -> None:
    for number, path in enumerate(sorted(ARCHIVE.iterdir())[::10]):
        there = converted(path, target, tmp_path / f"{number}.{target}")
        assert list(map(str, read_hands([there]))) == list(map(str, read_hands([path])))


# --- Hands at other blinds are the same hands with other chips


@pytest.mark.parametrize("times", [2, 10])
def test_scaling_up_and_back_is_the_identity(times: int) -> None:
    source = random.Random(times)
    for number in range(50):
        hand = random_hand(source, number, uneven=True)
        game = hand.state.game
        table = replace(game, blind=tuple(times * chips for chips in game.blind), stack=(10**6,) * 6)
        large = scaled(hand, table)
        assert large is not None
        assert large.state.game.stack == tuple(times * chips for chips in game.stack)
        assert large.values == tuple(times * chips for chips in hand.values) == settle(large.state, large.holes)
        back = scaled(large, game)
        assert back == hand and [state.spent for state in back.state.path()] == [s.spent for s in hand.state.path()]


def test_other_blinds_and_broken_chips_are_not_scaled() -> None:
    hand = random_hand(random.Random(1), 0, uneven=True)
    game = hand.state.game
    assert scaled(hand, replace(game, blind=(100, 300, 0, 0, 0, 0))) is None
    odd = hand._replace(state=hand.state._replace(game=replace(game, stack=(9999, *game.stack[1:]))))
    assert scaled(odd, replace(game, blind=(25, 50, 0, 0, 0, 0))) is None
