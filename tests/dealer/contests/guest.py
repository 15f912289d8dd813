#!/usr/bin/env python3
"""A player of tournaments that shares no code with Limpet: it connects for every hand, and jams with an ace or a pair.

guest.py GAME HOST PORT [once]: GAME is the file of the hand's definition; with `once` it plays one hand and ends.
"""

import re
import socket
import sys
import time

Game = dict[str, list[int]]


def read_game(path: str) -> Game:
    with open(path) as text:
        lines = [line.split("=") for line in text if re.match("stack|blind|firstPlayer", line)]
    return {key.strip(): [int(word) for word in values.split()] for key, values in lines}


def actor(betting: str, game: Game) -> int:
    """Return the position to act, or -1 if all but one have folded."""
    stack, spent, folded = game["stack"], list(game["blind"]), set[int]()

    def able(position: int) -> int:
        while position % len(stack) in folded or spent[position % len(stack)] == stack[position % len(stack)]:
            position += 1
        return position % len(stack)

    for street, actions in enumerate(betting.split("/")):
        turn = able(game["firstPlayer"][street] - 1)
        for action in re.findall(r"[fc]|r\d+", actions):
            if action == "f":
                folded.add(turn)
                if len(folded) == len(stack) - 1:
                    return -1
            else:
                spent[turn] = min(max(spent), stack[turn]) if action == "c" else int(action[1:])
            if any(p not in folded and spent[p] < stack[p] for p in range(len(stack))):
                turn = able(turn + 1)
    return turn


def play(path: str, host: str, port: int) -> bool:
    """Play the hand that is dealt on the port. Returns False if none is, or if the dealer hung up."""
    try:
        _play(path, host, port)
    except OSError:  # also where the port was just closing after the last hand
        return False
    return True


def _play(path: str, host: str, port: int) -> None:
    dealer = socket.create_connection((host, port))
    with dealer, dealer.makefile("r", newline="\n") as lines:
        dealer.sendall(b"VERSION:2.0.0\r\n")
        game = read_game(path)
        for line in lines:
            if not line.startswith("MATCHSTATE"):
                continue
            state = line.strip()
            position, betting, cards = int(state.split(":")[1]), state.split(":")[3], state.split(":")[4]
            holes = cards.split("/")[0].split("|")
            if sum(map(bool, holes)) > 1 or actor(betting, game) != position:  # a showdown, or another's turn
                continue
            good = "A" in holes[position] or holes[position][0] == holes[position][2]
            action = f"r{game['stack'][position]}" if good and "r" not in betting else "c"
            dealer.sendall(f"{state}:{action}\r\n".encode())


def is_over(path: str) -> bool:
    try:
        with open(path) as text:
            return text.read().startswith("# tournaments over")
    except OSError:
        return False


if __name__ == "__main__":
    path, host, port = sys.argv[1], sys.argv[2], int(sys.argv[3])
    if sys.argv[4:] == ["once"]:
        play(path, host, port)
    else:
        while not is_over(path):
            if not play(path, host, port):
                time.sleep(0.02)
