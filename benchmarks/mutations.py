"""Mutations of money, clocks, ranges, secrecy and results: each is made in a copy of the tree, and tests must fail there.

``python benchmarks/mutations.py`` works through the lists of ``benchmarks/mutants``, prints every mutation that lives,
and exits with 1 if any does. ``mutmut`` and ``cosmic-ray`` change every operator of a program and need days here; these
lists are chosen by people, who name the promise that each mutation breaks and the tests that keep it.

A verdict is kept in ``--done`` and holds while the list's entry, the file and the tests keep their text, so that a run
that was interrupted goes on where it was. Tests are first run without mutations: what fails there proves nothing.
"""

import argparse
import compileall
import hashlib
import json
import os
import py_compile
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

import yaml

from limpet.common.kernel_cache import cache_folder

ROOT = Path(__file__).parents[1]
LISTS = Path(__file__).parent / "mutants"
DONE = Path(tempfile.gettempdir()) / "limpet-mutations.jsonl"
SECONDS = 240.0
"""Wall-clock limit of one run of tests. A mutation that reaches it has not been seen to die."""
VERDICTS = {0: "lives", 1: "dies"}
"""What pytest's exit status says. Any other means that tests could not run, as after a typing error in a mutation."""


@dataclass(frozen=True)
class Mutation:
    """One change of one file, and the tests that must fail after it."""

    subject: str
    """Name of the list: money, clocks, ranges, secrecy or results."""
    file: str
    promise: str
    """What holds in the program and no longer holds in the mutation; unique in all lists."""
    old: str
    """Text that occurs once in the file."""
    new: str
    tests: tuple[str, ...]
    """Arguments for pytest: folders or files of tests, or single tests."""

    def text(self, source: str) -> str:
        """Return the file's text with the mutation made."""
        if source.count(self.old) != 1:
            raise ValueError(f"{self.file}: {self.old!r} is there {source.count(self.old)} times, where once is wanted")
        return source.replace(self.old, self.new)

    def key(self, root: Path) -> str:
        """Return the digest of all that decides the verdict as far as a list can say: the entry, the file, the tests."""
        files = [root / self.file]
        for path in (root / name.partition("::")[0] for name in self.tests):
            files += sorted(path.rglob("*.py")) if path.is_dir() else [path]
        said = [self.old, self.new, *self.tests, *(path.read_text() for path in files)]
        return hashlib.sha256("\0".join(said).encode()).hexdigest()[:20]


def read_mutations(folder: Path = LISTS) -> list[Mutation]:
    """Return the mutations of all lists; an entry's own tests go before its file's."""
    found = []
    for path in sorted(folder.glob("*.yaml")):
        for group in yaml.safe_load(path.read_text()):
            for entry in group["mutations"]:
                tests = tuple(entry.get("tests", group.get("tests", "")).split())
                found.append(Mutation(path.stem, group["file"], entry["promise"], entry["old"], entry["new"], tests))
    return found


def copy_tree(target: Path) -> None:
    """Copy what git knows of, and what it would be told of: no environments, no outputs."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if not (ROOT / name).exists():
            continue  # deleted, and not yet committed
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target / name, follow_symlinks=False)
    # By their text: by time and size, bytecode would hide a mutation of equal length made within a second.
    compileall.compile_dir(target, quiet=2, invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH)


def run_tests(copy: Path, tests: Sequence[str], seconds: float, cache: Path) -> tuple[str, str]:
    """Return the verdict of tests in a copy of the tree, and the last line that names a failure."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(copy), str(copy / "benchmarks")]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "NUMBA_CACHE_DIR": str(cache),
    }
    command = ["nice", sys.executable, "-m", "pytest", "-x", "-q", "--tb=no", "-p", "no:cacheprovider", *tests]
    process = subprocess.Popen(
        command,
        cwd=copy,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        said, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return "too slow", f"{seconds:g} s"
    failed = [line for line in said.splitlines() if line.startswith(("FAILED", "ERROR"))]
    last = (failed or said.splitlines() or [""])[-1]
    return VERDICTS.get(process.returncode, "broken"), last


def try_one(mutation: Mutation, copy: Path, seconds: float, cache: Path) -> tuple[str, str]:
    """Return the verdict of a mutation and what was said; the copy is as before afterwards."""
    path = copy / mutation.file
    source = path.read_text()
    path.write_text(mutation.text(source))
    try:
        return run_tests(copy, mutation.tests, seconds, cache)
    finally:
        path.write_text(source)


def read_done(path: Path) -> dict[str, dict[str, str]]:
    """Return what earlier runs found, by key; a last line that was cut off is not taken."""
    done = {}
    for line in path.read_text().splitlines() if path.exists() else ():
        try:
            done[json.loads(line)["key"]] = json.loads(line)
        except ValueError:
            continue
    return done


def judge(mutations: Sequence[Mutation], done_file: Path, jobs: int, seconds: float) -> Iterator[dict[str, str]]:
    """Yield a row for each mutation as its verdict comes, first those that are known."""
    done = read_done(done_file)
    keys = {mutation: mutation.key(ROOT) for mutation in mutations}
    open_ones = [mutation for mutation in mutations if keys[mutation] not in done]
    yield from (done[keys[mutation]] for mutation in mutations if keys[mutation] in done)
    if not open_ones:
        return
    with tempfile.TemporaryDirectory(prefix="limpet-mutations-") as folder, ThreadPoolExecutor(jobs) as pool:
        cache = Path(folder) / "kernels"
        if cache_folder().is_dir():
            shutil.copytree(cache_folder(), cache)
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(jobs):
            copy_tree(Path(folder) / str(number))
            copies.put(Path(folder) / str(number))

        def sound(tests: tuple[str, ...]) -> tuple[str, str]:
            copy = copies.get()
            try:
                return run_tests(copy, tests, seconds, cache)
            finally:
                copies.put(copy)

        def row(mutation: Mutation) -> dict[str, str]:
            began = time.monotonic()
            verdict, said = unchanged[mutation.tests].result()
            if verdict == "lives":
                copy = copies.get()
                try:
                    verdict, said = try_one(mutation, copy, seconds, cache)
                finally:
                    copies.put(copy)
            else:
                verdict = "unproved: its tests fail without it"
            took = f"{time.monotonic() - began:.0f}"
            named = {"subject": mutation.subject, "file": mutation.file, "promise": mutation.promise}
            return {"key": keys[mutation], "verdict": verdict, **named, "seconds": took, "said": said}

        # Tests run without mutations right before their first mutation, so that verdicts come from the beginning on.
        unchanged: dict[tuple[str, ...], Future[tuple[str, str]]] = {}
        waiting = []
        for mutation in sorted(open_ones, key=lambda m: m.tests):
            if mutation.tests not in unchanged:
                unchanged[mutation.tests] = pool.submit(sound, mutation.tests)
            waiting.append(pool.submit(row, mutation))
        try:
            for future in waiting:
                found = future.result()
                with done_file.open("a") as file:
                    file.write(json.dumps(found) + "\n")
                yield found
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="", metavar="TEXT", help="mutations whose subject, file or promise has this")
    parser.add_argument("--done", type=Path, default=DONE, help=f"verdicts that are known [default: {DONE}]")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="copies at work [default: all cores]")
    parser.add_argument("--seconds", type=float, default=SECONDS, help=f"limit of one run [default: {SECONDS:g}]")
    parser.add_argument("--json", action="store_true", help="one line of JSON for each mutation")
    options = parser.parse_args()
    mutations = [m for m in read_mutations() if options.only in f"{m.subject} {m.file} {m.promise}"]
    if not mutations:
        parser.error(f"no mutation has {options.only!r} in its subject, file or promise")
    alive = 0
    for number, row in enumerate(judge(mutations, options.done, options.jobs, options.seconds), 1):
        alive += row["verdict"] != "dies"
        if options.json:
            print(json.dumps(row), flush=True)
        elif row["verdict"] != "dies":
            print(
                f"\r{row['verdict']:<8} {row['subject']}: {row['file']}: {row['promise']} ({row['said']})", flush=True
            )
        if sys.stderr.isatty():
            print(f"\r{number} of {len(mutations)}, {alive} not dead", end="", file=sys.stderr, flush=True)
    print(f"{len(mutations) - alive} of {len(mutations)} mutations die", file=sys.stderr)
    sys.exit(alive > 0)


if __name__ == "__main__":
    main()
