"""Shows that a rearrangement changed nothing: a list of commands is run twice, and what they print and write is compared.

Both runs must lie in the same folder, because fingerprints of bots hold the paths of their files.
``python benchmarks/unchanged.py before.json`` runs the list in the checkout at hand and keeps a digest of each command's
output, exit status and files; run in the changed checkout with ``--against before.json`` it names the commands that differ.
Times, speeds and folder names are left out, because they differ between two runs of one checkout.
"""

import argparse
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
TIMES = re.compile(
    r'"(?:\w*seconds\w*|hands_per_second|decision_ms|\w+_ms|made_on|\w+_per_second)": [^,}\n]+|'
    r"\b\w*(?:seconds|_on): .*|[\d.,]+ (?:ms|s|hands/s|iterations/s|MB|seconds|tournaments/s)\b|[\d,]+ hands a second|\b\d{4}-\d\d-\d\d\S*|/tmp/\S+"
)
"""What two runs of one checkout print differently."""
WHOLE = (
    ".log",
    ".game",
    ".phh",
    ".phhs",
    ".safetensors",
    ".yaml",
    ".txt",
    ".json",
    ".jsonl",
    ".html",
    ".csv",
    ".svg",
)
TIMED = ("curve.jsonl", "times.json", "checkpoint.npz", ".tlog", ".err", ".out")
"""Endings of files that hold times on the clock."""

STATES = ("MATCHSTATE:1:0::|AsKd", "MATCHSTATE:0:7:r300:QhQs|", "MATCHSTATE:0:7:r300c/:KsQs|/Kh7h2d")
GAMES = ("leduc.limit.2p", "leduc.nolimit.2p", "kuhn.limit.3p", "draw5-pl-hu", "omaha-pl-hu")
BOTS = [
    "blueprint",
    "call",
    "fold",
    "chart",
    "draw5",
    "draw5-blueprint",
    "draw5-formula",
    "draw5-thesis",
    "expert-loose",
    "expert-tight",
    "expert",
    "formula",
    "holdem-limit-3p",
    "hulh",
    "jam-any",
    "jam",
    "kuhn",
    "kuhn3p",
    "leduc-nolimit",
    "leduc",
    "limpet-competition",
    "limpet-fast",
    "limpet",
    "profile-thesis",
    "profile",
    "pushfold",
    "raise",
    "random",
    "simulation",
    "solved",
    "tournament",
]
LOG = "m/seating-1.log"
MATCH = "limpet match {} --hands {} --seed 3 --in-process --duplicate --output m"


def commands() -> list[str]:
    """Return shell lines, each run in a folder of its own."""
    lines = [f"limpet check {bot}" for bot in BOTS]
    lines += [f"limpet list {kind} --json" for kind in ("bots", "spots", "games", "training", "strategies")]
    pairs = [
        "kuhn random",
        "leduc formula",
        "leduc-nolimit random",
        "blueprint formula",
        "expert chart",
        "raise profile",
    ]
    pairs += [
        "draw5-blueprint draw5-formula",
        "jam pushfold",
        "hulh call --game holdem.limit.2p.reverse_blinds",
        "blueprint chart",
    ]
    pairs += [f"random formula {'call ' * (game.endswith('3p'))}--game {game}" for game in GAMES]
    lines += [MATCH.format(pair, 200) + f" && cat {LOG}" for pair in pairs]
    lines += [
        MATCH.format("simulation call", 6),
        MATCH.format("limpet-fast call", 4),
        MATCH.format("draw5 draw5-formula", 4),
    ]
    lines += ["limpet match kuhn random --hands 30 --seed 2 --output m && cat m/seating-1.log"]
    lines += [
        f"limpet match {pair} --hands 2000 --compiled --log --output m"
        for pair in ("leduc kuhn --game leduc.limit.2p", "kuhn call")
    ]
    lines += [
        f"limpet move {bot} '{state}'"
        for bot in ("blueprint", "chart", "expert", "formula", "limpet-fast")
        for state in STATES
    ]
    lines += [f"limpet explain blueprint '{state}'" for state in STATES]
    played = MATCH.format("blueprint formula", 60)
    lines += [f"{played} && limpet explain blueprint {LOG} --hand 17"]
    lines += [f"{played} && limpet hands {what}" for what in (
        f"summary {LOG}", f"summary {LOG} --json", f"check {LOG}", f"replay {LOG} --hand 5", f"convert {LOG} --to phh -o a.phhs",
        f"convert {LOG} --to pokerstars -o a.txt", f"filter {LOG} --player blueprint --position button -o some.log",
    )]  # fmt: skip
    lines += [f"{played} && limpet {what}" for what in (
        "aivat m --bot blueprint --json", f"aivat {LOG} --cards-only --player formula", "report m",
        f"model {LOG} --player formula --output model", f"agree blueprint {LOG} --player formula --json",
    )]  # fmt: skip
    lines += [
        "limpet equity " + what
        for what in (
            "AsAh KdKc",
            "AsAh KdKc --board Ts9h2c",
            "QQ+,AK random",
            "77+,AJs+:0.5 A2s+ --board QhJh2c --by-class",
        )
    ]
    lines += ["limpet range " + what for what in ("77+,AKs:0.5,KhJd --board Kd7c2h", "20% --json", "55+,A9+,K8s+")]
    lines += [
        "limpet icm " + what
        for what in ("5000,3000,2000 50,30,20", "2400,1800,1500,1500,1200,600 20,20,20,20,20 --json")
    ]
    lines += ["limpet pushfold --stacks " + what for what in (
        "10,10", "10,10 --json", "10,10,10", "5000,3000,2000 --blinds 200,400 --ante 50 --payouts 50,30,20", "10,10,10 --lock BTN=22+,A2+,KT+",
        "10,10,10 --hands BTN --grids", "10,10,10,10 --payouts 65,35 --json",
    )]  # fmt: skip
    lines += [f"limpet solve {spot} --json -" for spot in ("river-bluffcatch", "clairvoyance", "r1", "river-locked")]
    lines += ["limpet solve river-bluffcatch --export e && limpet match solved call --hands 50 --in-process --output m"]
    lines += [f"limpet train {name} --output t" for name in ("kuhn", "kuhn3p", "leduc")]
    lines += [f"limpet strategy {what}" for what in (
        "show hunl-200bb", "show leduc", "show draw5", "verify kuhn leduc", "grid hunl-200bb", "grid hunl-200bb r300", "exploit leduc",
        "grid hunl-200bb r300c/ --board Ks7h2d", "exploit kuhn3p", "kuhn3p kuhn3p", "duel leduc call", "diff leduc leduc", "curve leduc --json",
        "preflop hunl-200bb --boards 0 --json", "show limped-flop", "duel hunl-200bb call --boards 5 --seed 1",
    )]  # fmt: skip
    lines += ["limpet lbr kuhn leduc --hands 20 --seed 1 --output l --json", "limpet evaluate leduc --quick --output e"]
    lines += [
        "limpet sng jam chart call --tournaments 5 --seed 2 --in-process --output s",
        "limpet tournament first --hands 40 --matches 2 --how in-process --output t",
    ]
    lines += [
        "limpet players",
        "limpet --help",
        "limpet train nosuch",
        "limpet match nosuch call",
        "limpet move blueprint nonsense",
    ]
    return lines


def outcome(line: str) -> str:
    """Run a line in a folder of its own, and return a digest of all that came of it."""
    with one_folder(line) as folder:
        limpet = f'limpet() {{ {shlex.quote(sys.executable)} -c "from limpet.bot.cli import main; main()" "$@"; }}'
        script = f"{limpet}; {line}"
        done = subprocess.run(
            ["bash", "-c", script], cwd=folder, capture_output=True, text=True, check=False, env=environment(folder)
        )
        parts = [str(done.returncode), TIMES.sub("", done.stdout)]
        if done.returncode:
            parts.append(TIMES.sub("", done.stderr))
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file() and path.suffix in WHOLE and not path.name.endswith(TIMED) and "data" not in path.parts:
                text = path.read_bytes()
                parts += [path.name, TIMES.sub("", text.decode("utf-8", "replace"))]
        return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:16] + f" {done.returncode}"


@contextmanager
def one_folder(line: str) -> Iterator[str]:
    """Yield an empty folder that is named by the line alone, because configs written there may hold its path."""
    folder = Path(tempfile.gettempdir()) / "limpet-unchanged" / hashlib.sha256(line.encode()).hexdigest()[:16]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        yield str(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def environment(folder: str) -> dict[str, str]:
    return {
        **os.environ,
        "LIMPET_DATA": f"{folder}/data",
        "PYTHONPATH": str(ROOT),
        "COLUMNS": "120",
        "OMP_NUM_THREADS": "1",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kept", type=Path, help="file for the digests")
    parser.add_argument("--against", type=Path, help="digests of another checkout")
    parser.add_argument("--only", default="", help="text that a command must hold")
    given = parser.parse_args()
    lines = [line for line in commands() if given.only in line]
    with ThreadPoolExecutor(2) as pool:
        found = dict(zip(lines, pool.map(outcome, lines), strict=True))
    given.kept.write_text(json.dumps(found, indent=1) + "\n")
    before = json.loads(given.against.read_text()) if given.against else found
    different = [line for line in lines if before.get(line) != found[line]]
    print(f"{len(lines)} commands, {len(different)} differ", *different, sep="\n")
    sys.exit(bool(different))


if __name__ == "__main__":
    main()
