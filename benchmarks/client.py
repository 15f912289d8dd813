"""What the client adds to a decision: microseconds from the dealer's line to its answer, without the strategy's time.

    python benchmarks/client.py [--hands N] [--runs N]

A blocking socket in this process plays the dealer: it sends recorded states over loopback TCP to the real client in a
process of its own and waits for each answer. A bare Twisted protocol that answers without reading gives the floor.

    machine     lines to events and the answer's bytes, no sockets (`Conversation`, `response`)
    round trip  line sent, answer received, over loopback
    echo        the same with a Twisted protocol that does nothing but answer
"""

import argparse
import multiprocessing
import socket
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

VECTORS = Path(__file__).parents[1] / "tests" / "vectors"
GAME = VECTORS / "holdem.nolimit.2p.reverse_blinds.game"
RECORDING = VECTORS / "holdem.nolimit.2p.reverse_blinds.wire"


def recorded() -> list[tuple[bytes, bool]]:
    """Lines sent to seat 1, each with whether it asks for an answer; ends at the end of a hand."""
    rows = RECORDING.read_text().splitlines()
    answered = {row.split(" ", 2)[2].rpartition(":")[0] for row in rows if row.startswith("< 1 ")}
    lines = [row.split(" ", 2)[2] for row in rows if row.startswith("> 1 ")]
    return [(f"{line}\r\n".encode(), line in answered) for line in lines]


def machine_us(runs: int) -> list[float]:
    """Microseconds of the pure machine for each decision, in each of `runs`: all lines read, one answer composed."""
    from limpet.bot.client.protocol import Conversation, Decide, response
    from limpet.protocol.gamedef import GameDef
    from limpet.protocol.state import CALL

    game, lines = GameDef.load(GAME), recorded()
    results = []
    for _ in range(runs):
        conversation, decisions, began = Conversation(game), 0, time.perf_counter()
        for _ in range(50):
            for line, _ in lines:
                for event in conversation.receive(line):
                    if isinstance(event, Decide):
                        response(event, CALL)
                        decisions += 1
        results.append((time.perf_counter() - began) / decisions * 1e6)
    return results


def serve_client(port: int) -> None:
    """A process: a real match of a strategy that has its answer ready."""
    from limpet.dealer.table.reactor import install_reactor, run

    reactor = install_reactor()
    from limpet.bot.client.matches import Matches
    from limpet.bot.client.prepare import start_log
    from limpet.protocol.gamedef import GameDef
    from limpet.protocol.state import CALL, State
    from limpet.strategies.base.strategy import HandKey, HandStrategy, Rows, Strategy, same_for_all

    class Calls(HandStrategy):
        rows_for_all = same_for_all({CALL: 1.0}, 1326)

        def rows(self, state: State) -> Rows:
            return self.rows_for_all

    class Calling(Strategy):
        def start_hand(self, key: HandKey) -> HandStrategy:
            return Calls()

    start_log("error")
    matches = Matches(Calling(GameDef.load(GAME), Strategy.Options(), Path()), 0, reactor)

    async def main() -> int:
        matches.join(f"tcp:127.0.0.1:{port}")
        await matches.all_over()
        await matches.stop("over")
        return matches.lost

    raise SystemExit(run(reactor, main))


def serve_echo(port: int) -> None:
    """A process: the least that Twisted can do with a line that asks for an answer."""
    from limpet.dealer.table.reactor import install_reactor

    reactor = install_reactor()
    from twisted.internet.protocol import ClientFactory, Protocol, connectionDone
    from twisted.python.failure import Failure

    asked = {line: line.replace(b"\r\n", b":c\r\n") for line, asks in recorded() if asks}

    class Echo(Protocol):
        transport: Any

        def connectionMade(self) -> None:
            self.transport.setTcpNoDelay(True)
            self.transport.write(b"VERSION:2.0.0\r\n")

        def dataReceived(self, data: bytes) -> None:
            for line in data.splitlines(keepends=True):
                if line in asked:
                    self.transport.write(asked[line])

        def connectionLost(self, reason: Failure = connectionDone) -> None:
            reactor.stop()

    factory = ClientFactory()
    factory.protocol = Echo
    factory.noisy = False
    reactor.connectTCP("127.0.0.1", port, factory)
    reactor.run()


def answers(sock: socket.socket) -> Iterator[bytes]:
    buffer = b""
    while data := sock.recv(65536):
        *lines, buffer = (buffer + data).split(b"\n")
        yield from lines


def round_trip_us(client: Callable[[int], None], repeats: int) -> list[float]:
    """Microseconds from sending a state that asks to having its answer, for every decision of one run."""
    lines = recorded()
    with socket.create_server(("127.0.0.1", 0)) as server:
        process = multiprocessing.get_context("spawn").Process(target=client, args=(server.getsockname()[1],))
        process.start()
        sock, _ = server.accept()
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    replies, times = answers(sock), []
    next(replies)  # VERSION
    for _ in range(repeats):
        for line, asks in lines:
            began = time.perf_counter()
            sock.sendall(line)
            if asks:
                assert next(replies).startswith(line.rstrip()), "the echo differs"
                times.append((time.perf_counter() - began) * 1e6)
    sock.close()
    process.join()
    assert process.exitcode == 0, "the client did not see the match as finished"
    return times


def show(name: str, runs: list[list[float]]) -> None:
    medians = [statistics.median(run) for run in runs]
    line = (
        f"{name:<11}{statistics.median(medians):7.1f} us  ({len(runs)} runs, {min(medians):.1f} to {max(medians):.1f}"
    )
    times = sorted(time for run in runs for time in run)
    if len(times) > 1000:
        line += f"; p99 {times[len(times) * 99 // 100]:.0f} us of {len(times)} decisions"
    print(line + ")")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hands", type=int, default=1500, help="hands of one run over TCP")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    repeats = max(1, options.hands // sum(1 for line, _ in recorded() if b"::" in line))
    client, echo = [], []
    for _ in range(options.runs):  # by turns, so that a busy machine is busy for both
        client.append(round_trip_us(serve_client, repeats))
        echo.append(round_trip_us(serve_echo, repeats))
    show("machine", [[us] for us in machine_us(options.runs)])
    show("round trip", client)
    show("echo", echo)
    print("the aim is a round trip of at most 150 us; what is above the echo is the client's own")


if __name__ == "__main__":
    main()
