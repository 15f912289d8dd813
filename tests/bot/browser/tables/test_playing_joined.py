"""A person sits down at a dealer elsewhere, as any ACPC client."""

import socket
import subprocess
import threading
from contextlib import ExitStack
from pathlib import Path

from limpet.protocol.messages import parse_match_state
from tests.bot.browser.memory import HEADS_UP
from tests.bot.browser.wire import host_socket, serving
from tests.processes import LIMPET


def caller(port: int) -> None:
    """Check and call to the end of the match."""
    with socket.create_connection(("127.0.0.1", port)) as wire, wire.makefile("rw", newline="\r\n") as lines:
        lines.write("VERSION:2.0.0\r\n")
        lines.flush()
        for line in lines:
            text = line.rstrip("\r\n")
            if parse_match_state(text, HEADS_UP).my_turn:
                lines.write(f"{text}:c\r\n")
                lines.flush()


def test_two_hands_at_a_dealer_of_somebody_else(tmp_path: Path) -> None:
    words = ("joined", "holdem.nolimit.2p.reverse_blinds", "2", "7", "Alice", "Bob", "-q")
    command = [*LIMPET, "dealer", *words]
    with ExitStack() as ended:
        dealer = ended.enter_context(
            subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        )
        ended.callback(dealer.kill)
        play_two_hands(dealer, tmp_path, ended)


def play_two_hands(dealer: "subprocess.Popen[str]", folder: Path, ended: ExitStack) -> None:
    assert dealer.stdout is not None
    ports = dealer.stdout.readline().split()
    other = threading.Thread(target=caller, args=(int(ports[1]),), daemon=True)
    other.start()
    served = ended.enter_context(serving(folder, "--join", "127.0.0.1", ports[0]))
    tab = host_socket(served)
    (table,) = tab.ask(kind="play.hello", id=1)["value"]["tables"]
    tab.ask(kind="play.sit", id=2, key=table["key"])
    hands = 0
    while hands < 2:
        tab.ask(kind="play.deal", id=3, key=table["key"])
        while True:
            event = tab.next()
            hand = event.get("hand")
            if hand and hand["over"] and event["between"] and event["result"]["hands"] > hands:
                break
            if hand and hand["choice"]:
                tab.ask(kind="play.act", id=4, key=table["key"], hand=hand["hand"], betting=hand["betting"], action="c")
        assert [player["name"] for player in hand["players"]] == ["You", "Opponent"]
        hands += 1
    dealer.communicate(timeout=60)
    assert dealer.returncode == 0
    other.join(60)
    assert (folder / "joined.log").read_text().splitlines()[-1].startswith("SCORE:")
    tab.close()
