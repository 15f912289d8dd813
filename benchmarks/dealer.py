"""How fast the dealer is: deals, the match without a network, and a networked match of two bare callers.

    python benchmarks/dealer.py [--hands 3000] [--runs 5]

The network figures have the dealer in a process of its own and each caller, a blocking socket that echoes and calls
(8 actions a hand), in another. CPU is the dealer's own time per action, user and system, from the moment the players
can connect. The bars are 500 hands/s (aim 965) and 70 microseconds; the reference dealer with such callers made 1950
hands/s on an idle two-core machine. Medians of the runs with their ranges.
"""

import argparse
import multiprocessing
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from startup import processor_seconds

from limpet.dealer.table.deals import Deals
from limpet.dealer.table.table import Table
from limpet.dealer.table.terms import Terms
from limpet.protocol.gamedef import GameDef
from limpet.protocol.ranking import rank

GAME = Path(__file__).parents[1] / "configs" / "games" / "holdem.nolimit.2p.reverse_blinds.game"
ACTIONS = 8  # of two callers in a hand of this game
VARIANTS = {"quiet": ["-q"], "with transaction log": ["-q", "-T"], "with full stderr": []}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hands", type=int, default=3000, help="hands of each match (default 3000)")
    parser.add_argument("--runs", type=int, default=5, help="runs of each figure (default 5)")
    options = parser.parse_args()
    game = GameDef.load(GAME)
    rank(game.deck[:1])
    show("deals", "hands/s", [deals_rate(game, options.hands) for _ in range(options.runs)])
    show("table alone", "us/action", [table_us(game, options.hands) for _ in range(options.runs)])
    ways = [
        *((name, arguments, False) for name, arguments in VARIANTS.items()),
        ("every line is answered", ["-q"], True),
    ]
    for name, arguments, everything in ways:
        played = [network(options.hands, arguments, everything) for _ in range(options.runs)]
        show(f"network, {name}", "hands/s", [rate for rate, _ in played])
        show(f"network, {name}", "us CPU/action", [cpu for _, cpu in played])


def show(what: str, unit: str, figures: list[float]) -> None:
    low, middle, high = min(figures), statistics.median(figures), max(figures)
    print(f"{what:32}{middle:12,.1f} {unit:14} ({low:,.1f} to {high:,.1f})", flush=True)


def deals_rate(game: GameDef, hands: int) -> float:
    """Deals a second."""
    deals, start = Deals(game, 1), time.perf_counter()
    for _ in range(hands):
        next(deals)
    return hands / (time.perf_counter() - start)


def table_us(game: GameDef, hands: int) -> float:
    """Microseconds for an action in a match of callers without a network, stderr or files."""
    table = Table(Terms("m", game, "game", hands, 1, ("A", "B")), quiet=True)
    sends, last = table.outbox.sends, ["", ""]
    table.start(0)
    for seat in (0, 1):
        table.receive(0, seat, "VERSION:2.0.0")
    start = time.perf_counter()
    while (seat_to_act := table.awaited) is not None:
        for seat, lines in enumerate(sends):
            if lines:
                last[seat] = lines[-1]
        table.outbox.clear()
        table.receive(0, seat_to_act, f"{last[seat_to_act]}:c\r")
    return (time.perf_counter() - start) / hands / ACTIONS * 1e6


def network(hands: int, arguments: list[str], everything: bool) -> tuple[float, float]:
    """Hands a second from the first connection to the score, and microseconds of the dealer's CPU for an action."""
    command = [sys.executable, "-c", "from limpet.bot.commands.playing.dealer import dealer; dealer()"]
    with tempfile.TemporaryDirectory() as folder, open(Path(folder) / "stderr", "wb") as stderr:
        dealer = subprocess.Popen(
            [*command, "m", str(GAME), str(hands), "1", "A", "B", *arguments],
            cwd=folder, stdout=subprocess.PIPE, stderr=stderr, text=True,
        )  # fmt: skip
        assert dealer.stdout is not None
        ports = [int(port) for port in dealer.stdout.readline().split()]
        before = processor_seconds(dealer.pid)
        callers = [multiprocessing.Process(target=call, args=(port, everything)) for port in ports]
        start = time.perf_counter()
        for caller in callers:
            caller.start()
        assert dealer.stdout.readline().startswith("SCORE")
        seconds = time.perf_counter() - start
        for caller in callers:
            caller.join()
        dealer.stdout.close()
        _, status, usage = os.wait4(dealer.pid, 0)
        dealer.returncode = os.waitstatus_to_exitcode(status)
        if dealer.returncode != 0:
            raise RuntimeError(f"the dealer failed:\n{(Path(folder) / 'stderr').read_text()[-2000:]}")
    cpu = usage.ru_utime + usage.ru_stime - before
    return hands / seconds, cpu / hands / ACTIONS * 1e6


def call(port: int, everything: bool) -> None:
    """A player that calls. It finds out whose turn it is by counting, without reading the state.

    everything: it answers every line, as some programs do, and leaves the sending of short lines to its system.
    """
    with socket.create_connection(("127.0.0.1", port)) as connection:
        if not everything:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall(b"VERSION:2.0.0\r\n")
        part = b""
        while data := connection.recv(65536):
            *lines, part = (part + data).split(b"\r\n")
            for line in lines:
                _, position, _, betting, _ = line.split(b":", 4)
                calls = betting.count(b"c")
                turn = 1 - calls if calls < 2 else calls % 2  # reverse blinds: position 1 first, then 0
                if everything or (calls < ACTIONS and turn == int(position)):
                    connection.sendall(line + b":c\r\n")


if __name__ == "__main__":
    main()
