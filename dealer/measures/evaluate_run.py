"""Measures a bot part by part; what has been measured is kept, so that a stopped evaluation goes on."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec

from limpet.configs.loading import ConfigError
from limpet.dealer.matches.match import TERMS_FILE
from limpet.dealer.measures.evaluate_parts import Part
from limpet.dealer.table.files import replace_text
from limpet.strategies.botconfig import Bot

EVALUATION_FILE = "evaluation.json"

Ask = Callable[[Part, Path], Any]
"""Runs a part's command and returns the JSON that it printed."""


class Done(msgspec.Struct, frozen=True):
    """A part that was measured."""

    command: str
    seconds: float
    answer: Any
    """What the command printed."""
    against: str = ""
    """As the part says."""


class Evaluation(msgspec.Struct, frozen=True):
    """``evaluation.json``."""

    bot: str
    config: str
    fingerprint: str
    """Of the config and of the strategy that it named when it was measured."""
    parts: dict[str, Done] = {}

    def done(self, part: Part) -> Done | None:
        """A part, if it was measured by the same command and against the same bot."""
        found = self.parts.get(part.name)
        return found if found is not None and (found.command, found.against) == (part.told, part.against) else None


class Failed(Exception):
    """A command that did not answer. The message says which, and what it said."""


def open_evaluation(bot: Bot, folder: Path) -> Evaluation:
    """What the folder holds of this bot, else an empty one. Raises `ConfigError` for a folder of another bot."""
    mark = bot.fingerprint()
    path = folder / EVALUATION_FILE
    if not path.exists():
        return Evaluation(bot.name, str(bot.path), mark)
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Evaluation)
    except (OSError, msgspec.DecodeError) as error:
        raise ConfigError(f"{path}: cannot read it: {error}; name another folder with --output") from error
    if found.fingerprint != mark:
        raise ConfigError(
            f"{path}: {found.bot} was another bot when it was measured: its config or its strategy has changed; "
            "name another folder with --output"
        )
    return found


def missing(evaluation: Evaluation, wanted: Iterable[Part]) -> list[Part]:
    """Those not yet measured."""
    return [part for part in wanted if evaluation.done(part) is None]


def measure(evaluation: Evaluation, part: Part, folder: Path, ask: Ask) -> Evaluation:
    """Measure one part and write the file. Raises `Failed`."""
    began = time.monotonic()
    answer = ask(part, folder)
    done = Done(part.told, round(time.monotonic() - began, 3), answer, part.against)
    measured = msgspec.structs.replace(evaluation, parts={**evaluation.parts, part.name: done})
    replace_text(folder / EVALUATION_FILE, json.dumps(msgspec.to_builtins(measured), indent=2) + "\n")
    return measured


def ask(part: Part, folder: Path) -> Any:
    """Run a part's command in a process of its own, which shows its progress on the terminal. Raises `Failed`."""
    command = [
        sys.executable,
        "-P",  # what lies in the folder that this is run from is none of its modules
        "-c",
        "from limpet.bot.cli import main; main(prog_name='limpet')",
        *part.command,
        "--json",
    ]
    if part.output:
        played = folder / part.output
        command += ["--output", str(played)]
        if "--compiled" in part.command:
            (played / TERMS_FILE).unlink(missing_ok=True)  # of a run that was stopped: it begins anew
        elif (played / TERMS_FILE).exists():
            command.append("--resume")
    watched = sys.stderr.isatty()
    run = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=None if watched else subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    try:
        if run.returncode == 0:
            return json.loads(run.stdout)
    except ValueError:
        pass
    said = (run.stderr or b"").decode("utf-8", "replace").strip().splitlines()
    raise Failed(f"{part.told}: exit status {run.returncode}" + (f": {said[-1]}" if said else ""))
