"""A five-card-draw client that shares no code with Limpet: it knows only what docs/protocol.md says.

    python draw_client.py HOST PORT [SEED]

It plays draw5-pl-hu, checks every line that it is sent, settles each hand itself, and prints the hands and chips as JSON.
"""

import json
import random
import re
import socket
import sys
from collections import Counter

RANKS = "23456789TJQKA"
FOLD_CHANCE, RAISE_CHANCE = 0.1, 0.4


class Hand:
    """What one line says: MATCHSTATE:position:hand:betting:cards."""

    def __init__(self, line: str) -> None:
        word, position, number, self.betting, cards = line.split(":")
        assert word == "MATCHSTATE", line
        self.me, self.number = int(position), int(number)
        parts = self.betting.split("/")
        assert len(parts) <= 3, line
        first, draws, second = (*parts, "", "")[:3]
        self.spent, self.raises, self.over, self.turn = [100, 50], 0, False, 1
        self.level = 100
        self.drawing = False
        self.counts = [int(count) for count in re.findall(r"d(\d)", draws)]
        closed = self.bets(first, 1)
        assert closed == (len(parts) > 1) or self.over, line
        if len(parts) > 1:
            self.drawing, self.turn = len(parts) == 2, len(self.counts)
            assert (len(self.counts) == 2) == (len(parts) == 3), line
        if len(parts) == 3:
            closed = self.bets(second, 0)
            self.over = self.over or closed
        self.round = 1 if len(parts) == 3 else 0
        self.showdown = self.over and "f" not in self.betting
        self.read_cards(cards, len(parts) > 1)

    def bets(self, text: str, actor: int) -> bool:
        """Follow the betting of a round. Returns whether it is closed by a call or checks."""
        self.raises, self.turn = 0, actor
        for acted, (action, size) in enumerate(re.findall(r"([fcr])(\d*)", text), 1):
            if action == "f":
                self.over = True
                self.folder = actor
                return False
            if action == "r":
                assert int(size) in (2 * self.level, 3 * self.level)
                self.level = int(size)
                self.raises += 1
            self.spent[actor] = self.level
            actor = 1 - actor
            self.turn = actor
            if action == "c" and acted > 1:
                return True
        return False

    def read_cards(self, cards: str, drawn: bool) -> None:
        dealt, _, sections = cards.partition("/")
        assert bool(_) == drawn
        holes = dealt.split("|")
        news = sections.split("|") if drawn else ["", ""]
        assert len(holes) == len(news) == 2
        self.dealt = [re.findall("..", hole) for hole in holes]
        self.hands = []
        for position, (hole, new) in enumerate(zip(self.dealt, news, strict=True)):
            came = re.findall("..", new)
            hand = hole[: len(hole) - len(came)] + came
            if hole and position < len(self.counts):
                assert len(set(hand) - set(hole)) == self.counts[position], cards
            self.hands.append(hand)
            seen = position == self.me or self.showdown
            assert (len(hole) == 5) == seen and (seen or not came), cards
        every = [card for hand in self.hands for card in hand]
        assert len(set(every)) == len(every)

    def won(self) -> float:
        """Chips that this seat wins, by the ranking of five cards."""
        if not self.showdown:
            return -self.spent[self.me] if self.folder == self.me else self.spent[1 - self.me]
        mine, theirs = strength(self.hands[self.me]), strength(self.hands[1 - self.me])
        return self.spent[0] * ((mine > theirs) - (mine < theirs))


def strength(hand: list[str]) -> tuple[int, list[int]]:
    """Return a value that orders hands of five cards."""
    counts = Counter(RANKS.index(card[0]) for card in hand)
    ranks = sorted(counts, key=lambda rank: (counts[rank], rank), reverse=True)
    shape = sorted(counts.values(), reverse=True)
    straight = len(counts) == 5 and (max(counts) - min(counts) == 4 or ranks == [12, 3, 2, 1, 0])
    if straight and ranks[:2] == [12, 3]:
        ranks = [3]
    flush = len({card[1] for card in hand}) == 1
    if straight or flush:
        return (8 if straight and flush else 4 if straight else 5), ranks
    shapes = [[1] * 5, [2, 1, 1, 1], [2, 2, 1], [3, 1, 1], None, None, [3, 2], [4, 1]]
    return shapes.index(shape), ranks


def answer(state: Hand, rng: random.Random) -> str:
    """Throw single cards away in a draw; fold, call and raise at random otherwise."""
    if state.drawing:
        hand = state.hands[state.me]
        counts = Counter(card[0] for card in hand)
        single = [card for card in hand if counts[card[0]] == 1]
        rng.shuffle(single)
        return "d" + "".join(single[: rng.randint(0, 5)])
    draw = rng.random()
    if draw < FOLD_CHANCE and state.spent[state.me] < state.level:
        return "f"
    if draw > 1 - RAISE_CHANCE and state.raises < (2, 3)[state.round]:
        return f"r{state.level * (3 if state.round == 0 else rng.choice((2, 3)))}"
    return "c"


def play(host: str, port: int, rng: random.Random) -> None:
    hands, chips = 0, 0.0
    with socket.create_connection((host, port)) as wire, wire.makefile("r", newline="\n") as lines:
        wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        wire.sendall(b"VERSION:2.0.0\r\n")
        for text in lines:
            line = text.rstrip("\r\n")
            if line.startswith(("#", ";")):
                continue
            state = Hand(line)
            if state.over:
                assert state.number == hands
                hands += 1
                chips += state.won()
            elif state.turn == state.me:
                wire.sendall(f"{line}:{answer(state, rng)}\r\n".encode())
    print(json.dumps({"hands": hands, "chips": chips}))


if __name__ == "__main__":
    play(sys.argv[1], int(sys.argv[2]), random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 0))
