"""Solves stop before the time of their decision is over."""

from pathlib import Path

import pytest

from limpet.strategies.holdem.resolving.resolver import Search
from tests.strategies.base.resolve_players import Clock, called_to, resolver


def test_a_solve_stops_before_another_iteration_would_end_too_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = called_to(resolver(tmp_path, monkeypatch), 3)
    clock = Clock()
    stop = Search(state, clock, 1.0, clock.now).stop(0.1)
    played = 0
    while not stop():
        clock.now += 0.1
        played += 1
    assert 8 <= played <= 9  # the look at what was reached takes as long as an iteration
    for thought in (1e-6, 0.4):  # what an iteration takes is soon known better
        stop, played = Search(state, clock, 1.0, clock.now).stop(thought), 0
        while not stop():
            clock.now += 0.1
            played += 1
        assert 8 <= played <= 9
    stop = Search(state, clock, 1.0, clock.now).stop(0.1)
    clock.now += 0.5  # laying out is no iteration
    played = 0
    while not stop():
        clock.now += 0.1
        played += 1
    assert 3 <= played <= 4
    assert not Search(state).stop(1e9)()


def test_the_fewest_iterations_may_take_the_whole_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = called_to(resolver(tmp_path, monkeypatch), 3)
    for share, expected in ((10.0, 6), (0.5, 4)):
        clock = Clock()
        stop, played = Search(state, clock, share, clock.now).stop(0.1, most=0.2, fewest=6), 0
        while not stop():
            clock.now += 0.1
            played += 1
        assert expected - 1 <= played <= expected, share
