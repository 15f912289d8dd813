"""Work that is shared out over processes, and what is left of it when a signal ends the one that shared it out."""

import signal
import subprocess
import sys
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
