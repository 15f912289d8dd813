"""Signals that end a process, made to stop work in order."""

import os
import signal

import pytest

from limpet.common.workers import ended_by_signals, interruptible, stopped_by_signals

ENDING = [signal.SIGTERM, signal.SIGHUP]


@pytest.mark.parametrize("number", ENDING)
def test_a_signal_that_would_end_the_process_lets_it_clean_up(number: signal.Signals) -> None:
    before = signal.signal(number, signal.SIG_DFL)
    try:
        with pytest.raises(SystemExit) as ended, ended_by_signals():
            os.kill(os.getpid(), number)
        assert ended.value.code == 128 + number
        assert signal.getsignal(number) == signal.SIG_DFL
    finally:
        signal.signal(number, before)


@pytest.mark.parametrize("number", ENDING)
def test_a_signal_stops_as_ctrl_c_does_and_nothing_inside_changes_that(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with pytest.raises(KeyboardInterrupt), stopped_by_signals(), ended_by_signals():
        os.kill(os.getpid(), number)
    assert signal.getsignal(number) == before


def test_the_first_ctrl_c_is_told_and_the_second_interrupts() -> None:
    with pytest.raises(KeyboardInterrupt), interruptible() as interrupted:
        assert not interrupted()
        os.kill(os.getpid(), signal.SIGINT)
        assert interrupted()
        os.kill(os.getpid(), signal.SIGINT)
