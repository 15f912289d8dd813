"""Jobs wait in a queue on disk, run one at a time, and go on where a pause or the end of the server has stopped them."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from twisted.internet.error import ProcessDone, ProcessTerminated
from twisted.python.failure import Failure

from limpet.bot.browser.queue import FILE, PRINTED, JobQueue
from limpet.bot.browser.views.messages import Refused
from limpet.configs.loading import ConfigError


class Processes:
    """Takes down the processes that a server begins and the signals that they get."""

    def __init__(self) -> None:
        self.commands: list[list[str]] = []
        self.signals: list[str] = []
        self.refused = ""
        self.protocol: Any = None

    def spawnProcess(self, protocol: Any, _program: str, command: list[str], _env: Any, childFDs: Any) -> None:
        if self.refused and any(self.refused in word for word in command):
            raise TypeError("arguments contain a NUL byte")
        os.write(childFDs[1], b"printed")
        self.commands.append(command[3:])
        self.protocol = protocol
        protocol.transport = SimpleNamespace(signalProcess=self.signals.append)

    def end(self, well: bool = True) -> None:
        self.protocol.processEnded(Failure(ProcessDone(0) if well else ProcessTerminated(1)))


def started_queue(processes: Processes, folder: Path) -> JobQueue:
    """A queue of jobs in the folder of a page's tables, which runs."""
    queue = JobQueue(processes, folder)
    queue.start()
    return queue


@pytest.fixture
def processes() -> Processes:
    return Processes()


@pytest.fixture
def queue(processes: Processes, tmp_path: Path) -> JobQueue:
    for name in "abc":
        (tmp_path / name).mkdir()
    return again(processes, tmp_path)


def again(processes: Processes, folder: Path) -> JobQueue:
    made = JobQueue(processes, folder)
    made.start()
    return made


def states(queue: JobQueue) -> dict[str, str]:
    return {job.folder.name: job.state for job in queue.jobs()}


def test_jobs_run_one_after_the_other(queue: JobQueue, processes: Processes, tmp_path: Path) -> None:
    for name in "abc":
        queue.add(tmp_path / name, "review", ["review", name])
    assert states(queue) == {"a": "running", "b": "waiting", "c": "waiting"}
    assert processes.commands == [[str(tmp_path / "a"), "review", "a"]]
    assert (tmp_path / "a" / PRINTED).read_bytes() == b"printed"
    processes.protocol.errReceived(b"1 of 2\n2 of 2\n")
    assert queue.jobs()[0].said == "2 of 2" and queue.jobs()[0].active
    processes.end()
    processes.protocol.errReceived(b"wrong: that file\n")
    processes.end(well=False)
    assert states(queue) == {"c": "running", "b": "failed", "a": "done"}
    failed = queue.find(tmp_path / "b")
    assert failed is not None and failed.said == "wrong: that file" and not failed.active


def test_a_job_pauses_while_others_run_and_goes_on(queue: JobQueue, processes: Processes, tmp_path: Path) -> None:
    for name in "ab":
        queue.add(tmp_path / name, "review", [name])
    queue.pause(tmp_path / "a")
    assert processes.signals == ["INT"] and states(queue) == {"b": "waiting", "a": "paused"}
    with pytest.raises(Refused, match="pause it first"):
        queue.forget(tmp_path / "a")  # its process is still there
    processes.end(well=False)
    assert states(queue) == {"b": "running", "a": "paused"}
    queue.resume(tmp_path / "a")
    assert states(queue) == {"b": "running", "a": "waiting"}
    queue.pause(tmp_path / "a")
    assert processes.signals == ["INT"]  # b is left alone
    queue.resume(tmp_path / "a")
    processes.end()
    assert [command[1] for command in processes.commands] == ["a", "b", "a"]


def test_a_job_resumed_before_it_has_stopped_is_begun_again(
    queue: JobQueue, processes: Processes, tmp_path: Path
) -> None:
    queue.add(tmp_path / "a", "review", ["a"])
    queue.pause(tmp_path / "a")
    queue.resume(tmp_path / "a")
    assert len(processes.commands) == 1
    processes.end(well=False)
    assert len(processes.commands) == 2 and states(queue) == {"a": "running"}


@pytest.mark.parametrize("killed", [True, False])
def test_what_ran_and_waited_goes_on_with_the_next_server(
    queue: JobQueue, processes: Processes, tmp_path: Path, killed: bool
) -> None:
    for name in "abc":
        queue.add(tmp_path / name, "review", [name])
    queue.pause(tmp_path / "b")
    if not killed:
        queue.close()
        assert processes.signals == ["TERM"]
        processes.end(well=False)
    after = again(processes, tmp_path)
    assert states(after) == {"a": "running", "c": "waiting", "b": "paused"}
    assert processes.commands[1] == processes.commands[0]


def test_a_job_is_added_once_and_forgotten_when_it_is_over(
    queue: JobQueue, processes: Processes, tmp_path: Path
) -> None:
    queue.add(tmp_path / "a", "boards", ["a"])
    queue.add(tmp_path / "a", "boards", ["other"])
    assert processes.commands == [[str(tmp_path / "a"), "a"]] and len(queue.jobs()) == 1
    processes.end()
    queue.add(tmp_path / "a", "boards", ["a"])
    assert len(processes.commands) == 2
    processes.end()
    queue.forget(tmp_path / "a")
    assert queue.jobs() == [] and (tmp_path / "a").is_dir()
    for act in (queue.pause, queue.resume, queue.forget):
        with pytest.raises(Refused, match="not among the jobs any more"):
            act(tmp_path / "a")


def test_a_folder_that_is_gone_fails_alone(queue: JobQueue, processes: Processes, tmp_path: Path) -> None:
    queue.add(tmp_path / "gone", "review", ["x"])
    processes.refused = "\0"
    queue.add(tmp_path / "b", "review", ["a\0b"])
    queue.add(tmp_path / "a", "review", ["a"])
    assert states(queue) == {"a": "running", "b": "failed", "gone": "failed"}


def test_a_damaged_queue_is_named(processes: Processes, tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"no database" * 100)
    with pytest.raises(ConfigError, match=r"jobs.sqlite: cannot read it: .*; delete it"):
        JobQueue(processes, tmp_path)


@pytest.mark.slow
def test_a_process_waits_for_the_one_before_and_ends_with_its_input(tmp_path: Path) -> None:
    program = (
        "import sys, time; from limpet.bot.browser.queue import working_in\n"
        "with working_in(sys.argv[1]):\n    print('in', flush=True); time.sleep(600)"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as first:
        assert first.stdin is not None and first.stdout is not None
        assert first.stdout.readline() == b"in\n"
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as second:
            assert second.stdin is not None and second.stdout is not None
            os.set_blocking(second.stdout.fileno(), False)
            time.sleep(2)
            assert not second.stdout.read()
            first.stdin.close()
            assert first.wait(30) == -signal.SIGTERM
            os.set_blocking(second.stdout.fileno(), True)
            assert second.stdout.readline() == b"in\n"
            second.stdin.close()
            assert second.wait(30) == -signal.SIGTERM
