"""Work that is shared out over processes, and what is left of it when a signal ends the one that shared it out."""

import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from operator import neg

import pytest

from limpet.common.workers import by_processes


def test_all_pieces_are_worked_on() -> None:
    assert sorted(by_processes(neg, [1, 2, 3], 2)) == [-3, -2, -1]


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGTERM")
def test_a_signal_that_ends_the_process_leaves_nothing_to_complain_of() -> None:
    """The tracker of what processes share would warn of leaked semaphores."""
    code = (
        "import time; from itertools import repeat; from limpet.common.workers import by_processes\n"
        "if __name__ == '__main__':\n"
        "    for _ in by_processes(time.sleep, repeat(0.01), 2):\n"
        "        print('x', flush=True)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "x\n"
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=60)
    assert (process.returncode, stderr) == (128 + signal.SIGTERM, "")


def test_a_signal_that_arrives_while_a_piece_is_handed_over_is_raised_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pool whose piece was half handed over waited for it for ever."""
    kept = signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # another test of this process may have had it ignored
    submit = ProcessPoolExecutor.submit
    handed_over: list[Future[int]] = []

    def interrupted(pool: ProcessPoolExecutor, work: Callable[[int], int], piece: int) -> Future[int]:
        signal.raise_signal(signal.SIGINT)
        handed_over.append(submit(pool, work, piece))
        return handed_over[-1]

    monkeypatch.setattr(ProcessPoolExecutor, "submit", interrupted)
    try:
        with pytest.raises(KeyboardInterrupt):
            list(by_processes(neg, [1, 2, 3], 2))
    finally:
        signal.signal(signal.SIGINT, kept)
    assert [future.result() for future in handed_over] == [-1]
