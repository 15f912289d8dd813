"""Runs the parts of an evaluation one by one. What has been measured is kept, so that a stopped evaluation goes on."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from limpet.configs.loading import ConfigError
from limpet.dealer.matches.match import TERMS_FILE
from limpet.dealer.measures.evaluate_parts import Part
from limpet.dealer.table.files import json_text
from limpet.strategies.botconfig import Bot
from limpet.strategies.storage.folders import replace_file

EVALUATION_FILE = "evaluation.json"

Ask = Callable[[Part, Path], Any]
"""Runs a part's command and returns the JSON that it printed."""


class Done(msgspec.Struct, frozen=True):
    """A part that was measured."""

    command: str
    seconds: float
    answer: Any
    """The JSON that the command printed."""
    against: str = ""
    """See `Part.against`."""


class Evaluation(msgspec.Struct, frozen=True):
    """The content of ``evaluation.json``."""

    bot: str
    config: str
    fingerprint: str
    """Fingerprint of the config and of the strategy that it named when it was measured."""
    parts: dict[str, Done] = {}

    def done(self, part: Part) -> Done | None:
        """Return a part, if it was measured by the same command and against the same bot."""
        found = self.parts.get(part.name)
        same = found is not None and (found.command, found.against) == (part.command_line, part.against)
        return found if same else None


class Failed(Exception):
    """A command that did not answer. The message names it and repeats what it said."""


def open_evaluation(bot: Bot, folder: Path) -> Evaluation:
    """Return what the folder holds of this bot, else an empty evaluation. Raises `ConfigError` for another bot's folder."""
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


def measure(evaluation: Evaluation, part: Part, folder: Path, ask: Ask) -> Evaluation:
    """Measure one part, write the file and return the evaluation with it. Raises `Failed`."""
    began = time.monotonic()
    answer = ask(part, folder)
    done = Done(part.command_line, round(time.monotonic() - began, 3), answer, part.against)
    measured = msgspec.structs.replace(evaluation, parts={**evaluation.parts, part.name: done})
    replace_file(folder / EVALUATION_FILE, json_text(measured))
    return measured


def ask(part: Part, folder: Path) -> Any:
    """Run a part's command in a process of its own, which shows its progress on the terminal. Raises `Failed`."""
    command = [
        sys.executable,
        "-P",  # no module is taken from the folder that this is run from
        "-c",
        "from limpet.bot.cli import main; main(prog_name='limpet')",
        *part.command,
        "--json",
    ]
    if part.output:
        played = folder / part.output
        command += ["--output", str(played)]
        if "--compiled" in part.command:
            (played / TERMS_FILE).unlink(missing_ok=True)  # a compiled match that was stopped begins anew
        elif (played / TERMS_FILE).exists():
            command.append("--resume")
    stderr = None if sys.stderr.isatty() else subprocess.PIPE
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=stderr, stdin=subprocess.DEVNULL, check=False)
    try:
        if run.returncode == 0:
            return json.loads(run.stdout)
    except ValueError:
        pass
    said = (run.stderr or b"").decode("utf-8", "replace").strip().splitlines()
    raise Failed(f"{part.command_line}: exit status {run.returncode}" + (f": {said[-1]}" if said else ""))
