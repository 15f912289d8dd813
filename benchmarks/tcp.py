"""How fast our dealer and our clients play over TCP, and what an action costs each process.

    python benchmarks/tcp.py [--hands 3000] [--runs 3] [--game holdem.nolimit.6p] [--trees BEFORE AFTER ...]

Dealer and clients are the commands that users start, each a process of its own on this machine; the clients play `call`,
the dealer writes the log and the transaction log. Hands a second are from the first question to the last answer, by the
transaction log's stamps. Processor time is user + system from the first question on, in microseconds for each action of
the match; a client of two answers half of them and reads all. `--trees` names checkouts that play by turns, so that a busy
machine is as busy for each; without it this one plays. Medians of the runs.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from limpet.protocol.gamedef import GameDef

HERE = Path(__file__).parents[1]
GAMES = HERE / "configs" / "games"
DEALER = (sys.executable, "-c", "from limpet.bot.commands.playing.dealer import dealer; dealer()")
CLIENT = (sys.executable, "-m", "limpet.bot", "call", "--game")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hands", type=int, default=3000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--game", default="holdem.nolimit.2p.reverse_blinds", help="a game that ships")
    parser.add_argument(
        "--trees", type=Path, nargs="+", default=[HERE], help="checkouts to compare (default: this one)"
    )
    options = parser.parse_args()
    played: dict[Path, list[list[float]]] = {tree: [] for tree in options.trees}
    for _ in range(options.runs):
        for tree in options.trees:
            played[tree].append(match(tree.resolve(), options.game, options.hands))
    first = 0.0
    for tree, runs in played.items():
        rate, *costs = (statistics.median(values) for values in zip(*runs, strict=True))
        first = first or rate
        rates = [run[0] for run in runs]
        print(
            f"{tree}: {rate:,.0f} hands/s ({min(rates):,.0f} to {max(rates):,.0f}), {rate / first:.2f} times the first"
        )
        for number, (user, system) in enumerate(zip(costs[::2], costs[1::2], strict=True)):
            print(f"    {f'client {number}' if number else 'dealer':10}{user:6.1f} + {system:.1f} us an action")


def match(tree: Path, game: str, hands: int) -> list[float]:
    """Play a match with the code of a checkout. Returns hands a second, then user and system time of each process."""
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    with tempfile.TemporaryDirectory() as folder, open(Path(folder) / "stderr", "wb") as stderr:

        def start(*command: str) -> subprocess.Popen[str]:
            return subprocess.Popen(
                command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=stderr, text=True
            )

        file = GAMES / f"{game}.game"
        names = "ABCDEFGHIJ"[: GameDef.load(file).num_players]
        dealer = start(*DEALER, "m", str(file), str(hands), "1", *names, "-q", "-T")
        assert dealer.stdout is not None
        ports = dealer.stdout.readline().split()
        processes = [dealer, *(start(*CLIENT, game, "127.0.0.1", port) for port in ports)]
        transactions = Path(folder) / "m.tlog"
        while not transactions.stat().st_size and dealer.poll() is None:
            time.sleep(0.01)
        before = [times(process.pid) for process in processes]
        dealer.stdout.readline()  # the score, or nothing
        after = [times(process.pid) for process in processes]
        for process in processes:
            process.communicate()
            if process.returncode != 0:
                raise RuntimeError((Path(folder) / "stderr").read_text()[-2000:])
        lines = transactions.read_text().splitlines()
    began, ended = float(lines[0].split()[2]), float(lines[-1].split()[3])
    costs = [end - start for now, then in zip(after, before, strict=True) for end, start in zip(now, then, strict=True)]
    return [hands / (ended - began), *(cost / len(lines) * 1e6 for cost in costs)]


def times(process: int) -> tuple[float, float]:
    """User and system time of a running process in seconds (Linux)."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    tick = os.sysconf("SC_CLK_TCK")
    return int(fields[11]) / tick, int(fields[12]) / tick


if __name__ == "__main__":
    main()
