#!/usr/bin/env python3
"""Seats what slumbot2019 trained at a dealer: Limpet's adapter, which reads its files and speaks the protocol.

    exec:'benchmarks/opponents/slumbot_seat.py FOLDER CARDS BETTING ALGORITHM BATCH'

FOLDER holds slumbot2019's files (its betting tree, its buckets and its sums of probabilities) and the program `buckets`. The
strategy is the average one, as slumbot2019's own players play it. A bet that its tree does not have is read as one of its two
neighbours, as fractions of the pot and by the pseudo-harmonic mapping; one below the smallest as the smallest. What the tree takes
for all-in while there are chips behind is called down. See the README in this folder.
"""

import argparse
import random
import socket
import struct
import subprocess
from bisect import bisect_right
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.configs.loading import load_game
from limpet.protocol.messages import MatchState, parse_match_state
from limpet.protocol.state import CALL, FOLD, Action, State, raise_to

GAME = "holdem.nolimit.2p.reverse_blinds"
_RECORD = struct.Struct("<IHHHBB")  # number, bet to, successors, flags, who acts, who is left
_HAS_CALL, _HAS_FOLD, _STREET = 1, 2, 3


class Node(NamedTuple):
    """A decision of the betting tree, or its end (without successors).

    Attributes:
        number: within its player and street.
        bet_to: what a call matches, in small blinds.
        after: the successors, in the order of the strategy's numbers: call, fold, bets ascending.
    """

    number: int
    bet_to: int
    street: int
    player: int
    call: "Node | None"
    fold: "Node | None"
    bets: tuple["Node", ...]

    @property
    def after(self) -> tuple["Node", ...]:
        return (*(node for node in (self.call, self.fold) if node is not None), *self.bets)


def read_tree(data: bytes) -> Node:
    """Read a betting tree: a record for each node, its successors after it."""
    records = _RECORD.iter_unpack(data)

    def read() -> Node:
        number, bet_to, successors, flags, player, _ = next(records)
        after = [read() for _ in range(successors)]
        call = after.pop(0) if flags & _HAS_CALL else None
        fold = after.pop(0) if flags & _HAS_FOLD else None
        return Node(number, bet_to, flags >> _STREET & 3, player, call, fold, tuple(after))

    return read()


Place = tuple[int, int, int]
"""Player, street and number of a decision."""


def offsets(root: Node, buckets: tuple[int, ...]) -> dict[Place, int]:
    """Return where each decision's numbers begin in the file of its player and street. Forced moves have none."""
    found: dict[Place, int] = {}
    ends: dict[tuple[int, int], int] = {}

    def visit(node: Node) -> None:
        if len(node.after) > 1:
            file = (node.player, node.street)
            found[*file, node.number] = ends.get(file, 0)
            ends[file] = ends.get(file, 0) + buckets[node.street] * len(node.after)
        for successor in node.after:
            visit(successor)

    visit(root)
    return found


class Strategy:
    """The average strategy: sums of probabilities for each decision and bucket."""

    def __init__(self, root: Node, sums: dict[tuple[int, int], NDArray[np.int32]], buckets: tuple[int, ...]) -> None:
        self.root = root
        self._sums = sums
        self._offsets = offsets(root, buckets)

    @classmethod
    def load(cls, folder: Path, cards: str, betting: str, algorithm: str, batch: int) -> "Strategy":
        root = read_tree((folder / f"betting_tree.holdem.2.{betting}").read_bytes())
        trained = folder / f"holdem.2.{cards}.13.4.3.{betting}.{algorithm}"
        sums: dict[tuple[int, int], NDArray[np.int32]] = {
            (player, street): np.memmap(trained / f"sumprobs.x.0.0.{street}.{batch}.p{player}.i", np.dtype("<i4"), "r")
            for player in range(2)
            for street in range(4)
        }
        named = [folder / f"num_buckets.holdem.13.4.3.{cards if street else 'null'}.{street}" for street in range(4)]
        return cls(root, sums, tuple(int.from_bytes(path.read_bytes()[:4], "little") for path in named))

    def weights(self, node: Node, bucket: int) -> list[int]:
        """Return how often each successor is to be taken. What training never met checks or calls, as in slumbot2019."""
        choices = len(node.after)
        if choices == 1:
            return [1]
        start = self._offsets[node.player, node.street, node.number] + bucket * choices
        weights = [int(weight) for weight in self._sums[node.player, node.street][start : start + choices]]
        return weights if any(weights) else [1] + [0] * (choices - 1)


class Buckets:
    """The program `buckets`, which knows how slumbot2019 numbers boards and hands."""

    def __init__(self, folder: Path, cards: str) -> None:
        command = ["./buckets", "holdem_params", cards]
        self._process = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        if self._process.stdout.readline() != "ready\n":
            raise SystemExit("buckets: it did not start")

    def __call__(self, street: int, hole: tuple[int, ...], board: tuple[int, ...]) -> int:
        assert self._process.stdin is not None and self._process.stdout is not None
        print(street, *hole, *board, file=self._process.stdin, flush=True)
        return int(self._process.stdout.readline())


def fraction(before: int, after: int) -> float:
    """Return a bet as a fraction of the pot, if both are at `before` in the hand and one goes to `after`."""
    return (after - before) / (2 * before)


def chance_of_smaller(smaller: float, larger: float, bet: float) -> float:
    """Return the pseudo-harmonic chance that `bet` is read as the smaller of two fractions of the pot."""
    return (larger - bet) * (1 + smaller) / ((larger - smaller) * (1 + bet))


class Hand:
    """One hand: where in the betting tree it is, while the real one is played beside it."""

    def __init__(self, strategy: Strategy, chance: random.Random) -> None:
        self._node = strategy.root
        self._strategy = strategy
        self._chance = chance
        self._seen = 0
        self._beyond = False
        """Whether the tree has ended, because what it took for all-in was not."""

    def act(self, match: MatchState, bucket: int) -> Action:
        """Return this seat's action, whose turn it is. It is legal."""
        states = [*match.state.path()]
        for before, after in zip(states[self._seen :], states[self._seen + 1 :], strict=False):
            if before.actor != match.position and after.action is not None:
                self._follow(before, after.action)
        self._seen = len(states)
        node = self._node
        if self._beyond or not node.after:
            return CALL
        (chosen,) = self._chance.choices(node.after, self._strategy.weights(node, bucket))
        self._node = chosen
        action = self._translated(node, chosen, match.state)
        return match.state.fixed(action)

    def _translated(self, node: Node, chosen: Node, state: State) -> Action:
        """Return the real action that a successor stands for: the same fraction of the pot, or all-in."""
        if chosen is node.call:
            return CALL
        if chosen is node.fold:
            return FOLD
        stack = state.game.stack[state.actor]
        if self._all_in(chosen, state):
            return raise_to(stack)
        return raise_to(round(state.max_spent * (1 + 2 * fraction(node.bet_to, chosen.bet_to))))

    def _all_in(self, node: Node, state: State) -> bool:
        return node.bet_to * min(blind for blind in state.game.blind if blind) >= max(state.game.stack)

    def _follow(self, before: State, action: Action) -> None:
        """Follow the opponent's action, as far as the tree goes."""
        node = self._node
        if action.kind == "c" and node.call is not None:
            self._node = node.call
        elif action.kind == "r" and node.bets:
            self._node = self._nearest(node, before, action)
        else:
            self._beyond = True

    def _nearest(self, node: Node, before: State, action: Action) -> Node:
        if action.size >= before.game.stack[before.actor]:
            return node.bets[-1]
        bet = fraction(before.max_spent, action.size)
        fractions = [fraction(node.bet_to, other.bet_to) for other in node.bets]
        larger = bisect_right(fractions, bet)
        if larger in (0, len(fractions)):
            return node.bets[min(larger, len(fractions) - 1)]
        chance = chance_of_smaller(fractions[larger - 1], fractions[larger], bet)
        return node.bets[larger - 1 if self._chance.random() < chance else larger]


class Seat:
    """Answers a dealer's lines."""

    def __init__(self, strategy: Strategy, buckets: Buckets, seed: int) -> None:
        self._strategy = strategy
        self._buckets = buckets
        self._game = load_game(GAME)
        self._chance = random.Random(seed)
        self._hand: tuple[int, Hand] | None = None

    def answer(self, line: str) -> str | None:
        """Return the response to a line, or None if it asks for none."""
        if not line.startswith("MATCHSTATE:"):
            return None
        match = parse_match_state(line, self._game)
        if not match.my_turn:
            return None
        if self._hand is None or self._hand[0] != match.hand:
            self._hand = (match.hand, Hand(self._strategy, self._chance))
        state = match.state
        return f"{line}:{self._hand[1].act(match, self._buckets(state.round, match.own_hand, state.board))}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Seats what slumbot2019 trained at a dealer.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("cards")
    parser.add_argument("betting")
    parser.add_argument("algorithm")
    parser.add_argument("batch", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("host")
    parser.add_argument("port", type=int)
    args = parser.parse_args()
    strategy = Strategy.load(args.folder, args.cards, args.betting, args.algorithm, args.batch)
    seat = Seat(strategy, Buckets(args.folder, args.cards), args.seed)
    with socket.create_connection((args.host, args.port)) as dealer:
        dealer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        dealer.sendall(b"VERSION:2.0.0\r\n")
        for line in dealer.makefile(newline="\n"):
            response = seat.answer(line.rstrip("\r\n"))
            if response is not None:
                dealer.sendall(f"{response}\r\n".encode())


if __name__ == "__main__":
    main()
