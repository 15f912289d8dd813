"""A soak: matches killed at random moments, fuzzed lines at everything that reads, hidden cards looked for on the wire.

    python benchmarks/soak.py FOLDER
    python benchmarks/soak.py FOLDER --part kills --kills 50

Kills: matches of random games and player counts, duplicate or not, are killed with SIGKILL at random moments, several times
each, and resumed: `limpet dealer -T -a` with clients over TCP, `limpet match --resume` over TCP and in one process. Each is
compared with the same match unbroken. Logs and scores must be equal byte for byte, transactions but for their time stamps.

Lines: real lines, most of them damaged at random, go to the dealer's table, the client, the readers of logs and the reader
of definitions, a quarter each. Only the documented errors may come of them, and the table must hold every hand once.

Cards: every line that the dealer sends is compared with what its seat may see, by a check that reads the text alone.

FOLDER holds what was done, in progress.json. The same command goes on there after Ctrl-C or a kill; with larger numbers it
goes on beyond them. What is found is written to FOLDER/findings with the unit's number, and --unit does that one again.
Random numbers depend on --seed, the part and the unit only; the moments of kills are as exact as the machine's clock.

Exit status: 0 nothing was found, 1 something was.
"""

import json
import os
import random
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

import click
from soak_kills import Forks, killed_match
from soak_lines import READERS
from soak_wire import checked_match

from limpet.bot.commands.progress import progress

UNIT_SECONDS = 900
"""Longest time of one unit, a match or some thousand lines: beyond it something hangs."""
MOST_FINDINGS = 20
"""Of one job, after which it is given up."""


@dataclass
class Done:
    """What one job has done so far."""

    units: int = 0
    done: int = 0
    seconds: float = 0.0
    """Wall time."""
    findings: int = 0
    counts: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Job:
    """A kind of work of which `goal` is to be done. `run` does one unit and returns how much that was, in numbers by name;
    the one called `what` counts."""

    name: str
    what: str
    goal: int
    run: Callable[[random.Random, Path], dict[str, int]]


def jobs(kills: int, lines: int, states: int, forks: Callable[[], Forks]) -> list[Job]:
    def kill(rng: random.Random, folder: Path) -> dict[str, int]:
        found = killed_match(rng, folder, forks())
        return {"kills": found.kills, "matches": found.matches, "hands": found.hands, **found.by_kind}

    def read(reader: Callable[[random.Random], int]) -> Callable[[random.Random, Path], dict[str, int]]:
        return lambda rng, _: {"lines": reader(rng)}

    return [
        *(Job(f"lines at the {name}", "lines", -(-lines // len(READERS)), read(run)) for name, run in READERS.items()),
        Job("cards", "states", states, lambda rng, _: {"states": checked_match(rng)}),
        Job("kills", "kills", kills, kill),
    ]


class Progress:
    """``progress.json``: what each job has done. A unit that was not finished is begun again."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._path = folder / "progress.json"
        self._seed = seed
        self.jobs: dict[str, Done] = {}
        if self._path.exists():
            held = json.loads(self._path.read_text())
            if held["seed"] != seed:
                raise click.UsageError(f"{folder} holds a soak of --seed {held['seed']}; go on with that one")
            self.jobs = {name: Done(**done) for name, done in held["jobs"].items()}

    def write(self) -> None:
        fresh = self._path.with_suffix(".new")
        held = {"seed": self._seed, "jobs": {name: asdict(done) for name, done in self.jobs.items()}}
        fresh.write_text(json.dumps(held, indent=2) + "\n")
        os.replace(fresh, self._path)


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """Raises `TimeoutError` after so many seconds."""

    def late(number: int, frame: object) -> None:
        raise TimeoutError(f"not done after {seconds} s")

    before = signal.signal(signal.SIGALRM, late)
    left, _ = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, left)  # of a test, which has a limit of its own


def run_unit(job: Job, unit: int, seed: int, folder: Path) -> tuple[dict[str, int], str]:
    """Do one unit. Returns its counts, and the traceback of what it found."""
    place = (folder / "now" / str(unit)).resolve()
    shutil.rmtree(place.parent, ignore_errors=True)
    try:
        with at_most(UNIT_SECONDS):
            return job.run(random.Random(f"{seed} {job.name} {unit}"), place), ""
    except Exception:  # noqa: BLE001 - whatever comes is what the soak looks for
        return {}, traceback.format_exc()


def soak(job: Job, done: Done, seed: int, folder: Path, save: Callable[[], None], quiet: bool) -> None:
    """Do what is left of one job."""
    saved = time.monotonic()
    with progress(job.name, job.what, quiet) as show:
        while done.done < job.goal and done.findings < MOST_FINDINGS:
            began = time.monotonic()
            counts, found = run_unit(job, done.units, seed, folder)
            if found:
                done.findings += 1
                kept = folder / "findings" / f"{job.name.replace(' ', '-')}-{done.units}"
                kept.mkdir(parents=True, exist_ok=True)
                (kept / "traceback.txt").write_text(found)
                if (folder / "now").exists():
                    shutil.copytree(folder / "now", kept, dirs_exist_ok=True)
                click.echo(f"{job.name}, unit {done.units}: {found.splitlines()[-1][:500]} ({kept})", err=True)
            for name, count in counts.items():
                done.counts[name] = done.counts.get(name, 0) + count
            done.units += 1
            done.done += counts.get(job.what, 0)
            now = time.monotonic()
            done.seconds += now - began
            show(min(done.done, job.goal), job.goal)
            if now - saved > 1 or done.done >= job.goal:
                save()
                saved = now
    save()
    shutil.rmtree(folder / "now", ignore_errors=True)


def table(all_jobs: list[Job], held: dict[str, Done]) -> str:
    """What was done, as a Markdown table."""
    lines = ["|job|done|of|units|wall time|found|", "|-|-|-|-|-|-|"]
    for job in all_jobs:
        done = held.get(job.name, Done())
        took = f"{done.seconds:,.0f} s"
        lines.append(
            f"|{job.name}|{done.done:,} {job.what}|{job.goal:,}|{done.units:,}|{took}|{done.findings or 'nothing'}|"
        )
    if kills := held.get("kills", Done()).counts:
        lines += [
            "",
            "kills: " + ", ".join(f"{name} {count:,}" for name, count in sorted(kills.items()) if name != "kills"),
        ]
    return "\n".join(lines)


@click.command(help=__doc__.replace("\n\n    python", "\n\n\b\n    python"))
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--kills", default=1_000, show_default=True)
@click.option("--lines", default=10_000_000, show_default=True, help="At the four readers together.")
@click.option("--states", default=1_000_000, show_default=True, help="Each of them is shown to all seats.")
@click.option("--seed", default=1, show_default=True)
@click.option("--part", "parts", multiple=True, type=click.Choice(["lines", "cards", "kills"]), help="Only these.")
@click.option(
    "--unit", type=int, help="Do only this unit of --part again (of lines: at each reader), and raise what it finds."
)
@click.option("--quiet", is_flag=True, help="No progress.")
def main(
    folder: Path, kills: int, lines: int, states: int, seed: int, parts: tuple[str, ...], unit: int | None, quiet: bool
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    forks: list[Forks] = []

    def warm() -> Forks:
        if not forks:
            forks.append(Forks())
        return forks[0]

    every = jobs(kills, lines, states, warm)
    chosen = [job for job in every if not parts or job.name.split(" ")[0] in parts]
    held = Progress(folder, seed)
    try:
        if unit is not None:
            for job in chosen:
                counts, found = run_unit(job, unit, seed, folder / "again")
                click.echo(f"{job.name}, unit {unit}: {found or counts}")
            return
        for job in chosen:
            soak(job, held.jobs.setdefault(job.name, Done()), seed, folder, held.write, quiet)
    except KeyboardInterrupt:
        held.write()
        click.echo(f"stopped; the same command goes on ({folder})", err=True)
        sys.exit(1)
    finally:
        for warm_process in forks:
            warm_process.close()
    click.echo(table(every, held.jobs))
    sys.exit(any(done.findings for done in held.jobs.values()))


if __name__ == "__main__":
    main()
