"""Jobs on the page: listed by names that it can ask for, paused, resumed and taken from the list."""

from pathlib import Path

import pytest

from limpet.bot.browser.queue import Jobs
from limpet.bot.browser.views.messages import Refused
from tests.bot.browser.rooms import answered, room
from tests.bot.browser.test_queue import Processes, started_queue


def test_jobs_are_paused_resumed_and_forgotten_by_name(tmp_path: Path) -> None:
    made = room(tmp_path)
    processes, folder = Processes(), tmp_path / "tables" / "reviews" / "a"
    folder.mkdir(parents=True)
    queue = started_queue(processes, made.folder)
    jobs, name = Jobs(made, queue), "tables/reviews/a"
    queue.add(folder, "review", ["review"])
    (job,) = answered(jobs, "jobs.list")
    assert job == {"folder": name, "kind": "review", "state": "running", "said": "", "active": True}
    (job,) = answered(jobs, "jobs.pause", folder=name)
    assert job["state"] == "paused" and job["active"]
    (job,) = answered(jobs, "jobs.resume", folder=name)
    assert job["state"] == "waiting"
    processes.end()
    processes.end()
    folder.rename(folder.with_name("b"))  # whether it is still there does not matter
    assert answered(jobs, "jobs.forget", folder=name) == []
    with pytest.raises(Refused, match="not among the jobs any more"):
        answered(jobs, "jobs.pause", folder="../../etc")
