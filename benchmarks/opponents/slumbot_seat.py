#!/usr/bin/env python3
"""Seats what slumbot2019 trained: Limpet's adapter, which reads its files, as a program that speaks the protocol and as a player.

    limpet match blueprint 'exec:benchmarks/opponents/slumbot_seat.py FOLDER CARDS BETTING BATCH'

FOLDER holds slumbot2019's files (its betting tree, its buckets and its sums of probabilities) and the program `buckets`. The
strategy is the average one, as slumbot2019's own players play it. A bet that its tree does not have is read as one of its two
neighbours, as fractions of the pot and by the pseudo-harmonic mapping; one below the smallest as the smallest. What the tree takes
for all-in while there are chips behind is called down. See the README in this folder.
"""

import argparse
import socket
import struct
import subprocess
from bisect import bisect_right
from collections.abc import Callable
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.configs.loading import load_game
from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import parse_match_state
from limpet.protocol.state import CALL, FOLD, Action, State, action_order, raise_to
from limpet.strategies.base.agent import DECISION
from limpet.strategies.base.sampling import is_below, pick, uniform
from limpet.strategies.base.strategy import HandKey, HandStrategy, Rows, Strategy, same_for_all
from limpet.strategies.holdem.blueprint.blueprint_hand import TRANSLATION

HANDS = 1326
BLOCK = 4096
"""Number of hands that the program `buckets` is asked about at once."""
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


class Averages:
    """The average strategy: for each decision and bucket, how often training took each successor."""

    def __init__(self, root: Node, sums: dict[tuple[int, int], NDArray[np.int32]], buckets: tuple[int, ...]) -> None:
        self.root = root
        self._sums = sums
        self._buckets = buckets
        self._offsets = offsets(root, buckets)

    @classmethod
    def load(cls, folder: Path, cards: str, betting: str, algorithm: str, batch: int) -> "Averages":
        root = read_tree((folder / f"betting_tree.holdem.2.{betting}").read_bytes())
        trained = folder / f"holdem.2.{cards}.13.4.3.{betting}.{algorithm}"
        sums: dict[tuple[int, int], NDArray[np.int32]] = {
            (player, street): np.memmap(trained / f"sumprobs.x.0.0.{street}.{batch}.p{player}.i", np.dtype("<i4"), "r")
            for player in range(2)
            for street in range(4)
        }
        named = [folder / f"num_buckets.holdem.13.4.3.{cards if street else 'null'}.{street}" for street in range(4)]
        return cls(root, sums, tuple(int.from_bytes(path.read_bytes()[:4], "little") for path in named))

    def of(self, node: Node) -> NDArray[np.float32]:
        """Return the shares ``[successor, bucket]`` of a decision. What training never met checks or calls, as in slumbot2019."""
        choices, buckets = len(node.after), self._buckets[node.street]
        if choices == 1:
            return np.ones((1, buckets), np.float32)
        start = self._offsets[node.player, node.street, node.number]
        sums = self._sums[node.player, node.street][start : start + buckets * choices].reshape(buckets, choices).T
        total = sums.sum(axis=0, dtype=np.float64)
        shares: NDArray[np.float32] = (sums / np.maximum(total, 1)).astype(np.float32)
        shares[0, total == 0] = 1
        return shares


class Buckets:
    """The program `buckets`, which knows how slumbot2019 numbers boards and hands. It is started by the first question."""

    def __init__(self, folder: Path, cards: str) -> None:
        self._folder, self._cards = folder, cards
        self._lock = Lock()
        self.of_board = lru_cache(maxsize=1000)(self._asked)

    @cached_property
    def _process(self) -> "subprocess.Popen[bytes]":
        command = ["./buckets", "holdem_params", self._cards]
        process = subprocess.Popen(command, cwd=self._folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert process.stdout is not None
        if process.stdout.readline() != b"ready\n":
            raise ValueError(f"{self._folder / 'buckets'} did not start")
        return process

    def _asked(self, board: tuple[int, ...]) -> NDArray[np.int16]:
        with self._lock:
            process = self._process
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write(f"{' '.join(map(str, board))}\n".encode())
            process.stdin.flush()
            return np.frombuffer(process.stdout.read(2 * HANDS), np.dtype("<i2"))

    def of_hands(self, boards: NDArray[np.int8], holes: NDArray[np.int8]) -> NDArray[np.int16]:
        """Return the bucket of one hand on each board. boards: ``[n, cards]``, holes: ``[n, 2]``."""
        with self._lock:
            process = self._process
            assert process.stdin is not None and process.stdout is not None
            found = []
            for start in range(0, len(boards), BLOCK):
                block = np.hstack((boards[start : start + BLOCK], holes[start : start + BLOCK])).astype(np.int8)
                process.stdin.write(f"hands {boards.shape[1]} {len(block)}\n".encode() + block.tobytes())
                process.stdin.flush()
                found.append(process.stdout.read(2 * len(block)))
            return np.frombuffer(b"".join(found), np.dtype("<i2"))


def fraction(before: int, after: int) -> float:
    """Return a bet as a fraction of the pot, if both are at `before` in the hand and one goes to `after`."""
    return (after - before) / (2 * before)


def chance_of_smaller(smaller: float, larger: float, bet: float) -> float:
    """Return the pseudo-harmonic chance that `bet` is read as the smaller of two fractions of the pot."""
    return (larger - bet) * (1 + smaller) / ((larger - smaller) * (1 + bet))


def translated(node: Node, chosen: Node, state: State) -> Action:
    """Return the legal action that a successor stands for: a bet is the same fraction of the pot, and all-in is all-in."""
    if chosen is node.fold or chosen is node.call:
        return state.fixed(FOLD if chosen is node.fold else CALL)
    stack = state.game.stack[state.actor]
    if chosen.bet_to * min(blind for blind in state.game.blind if blind) >= stack:
        return state.fixed(raise_to(stack))
    return state.fixed(raise_to(round(state.max_spent * (1 + 2 * fraction(node.bet_to, chosen.bet_to)))))


Readings = tuple[tuple[float, Node | None], ...]
"""What an action may be taken for, one or two successors with their chances; None where the tree has ended."""


def readings(node: Node, state: State, action: Action) -> Readings:
    """Return what an action is taken for, the seat's own or the opponent's; of two the smaller bet comes first."""
    if action.kind == "c":
        return ((1.0, node.call),)
    if action.kind == "f" or not node.bets:
        return ((1.0, None),)
    if action.size >= state.game.stack[state.actor]:
        return ((1.0, node.bets[-1]),)
    for bet in node.bets:
        if translated(node, bet, state) == action:
            return ((1.0, bet),)
    fractions = [fraction(node.bet_to, bet.bet_to) for bet in node.bets]
    size = fraction(state.max_spent, action.size)
    larger = bisect_right(fractions, size)
    if larger in (0, len(fractions)):
        return ((1.0, node.bets[min(larger, len(fractions) - 1)]),)
    chance = chance_of_smaller(fractions[larger - 1], fractions[larger], size)
    return (chance, node.bets[larger - 1]), (1 - chance, node.bets[larger])


def taken_for(node: Node, state: State, action: Action, key: HandKey) -> Node | None:
    """Return the successor that an action is taken for in a hand: one coin of the hand decides between two."""
    (chance, first), *more = readings(node, state, action)
    return more[0][1] if more and not is_below(key, chance, TRANSLATION, state.actions_in_hand) else first


class Hand(HandStrategy):
    """One hand: its betting is followed in the tree, and the bucket of each hand says what is done there."""

    def __init__(
        self, strategy: Averages, buckets: Callable[[tuple[int, ...]], NDArray[np.int16]], key: HandKey
    ) -> None:
        self._strategy = strategy
        self._buckets = buckets
        self._key = key

    def node_at(self, state: State) -> Node | None:
        """Return the decision of the tree that a state is taken for; None where the tree has ended."""
        node: Node | None = self._strategy.root
        for before, after in pairwise(state.path()):
            assert after.action is not None
            node = None if node is None else taken_for(node, before, after.action, self._key)
        return node if node and node.after else None

    def rows(self, state: State) -> Rows:
        node = self.node_at(state)
        if node is None:
            return same_for_all({CALL: 1.0}, HANDS)
        shares: dict[Action, NDArray[np.float32]] = {}
        for successor, share in zip(node.after, self._strategy.of(node), strict=True):
            action = translated(node, successor, state)
            shares[action] = shares[action] + share if action in shares else share
        ordered = sorted(shares, key=action_order)
        return Rows(tuple(ordered), np.array([shares[action] for action in ordered]), self._buckets(state.board))


class Slumbot(Strategy):
    """What slumbot2019 trained, for Limpet's commands."""

    class Options(Strategy.Options, frozen=True, forbid_unknown_fields=True):
        """Where the files of slumbot2019 are.

        Attributes:
            files: the folder that has them, and the program `buckets`.
            cards, betting, algorithm: the names of the abstractions and of the CFR parameters.
            batch: the number of the last batch that is played.
        """

        files: str
        cards: str
        betting: str
        batch: int
        algorithm: str = "tcfr"

    def __init__(self, game: GameDef, options: Options, folder: Path) -> None:
        super().__init__(game, options, folder)
        if game != load_game(GAME):
            raise ValueError(f"slumbot2019 plays {GAME} here, and no other game")
        files = folder / options.files
        self.averages = Averages.load(files, options.cards, options.betting, options.algorithm, options.batch)
        self.buckets = Buckets(files, options.cards)

    def start_hand(self, key: HandKey) -> Hand:
        return Hand(self.averages, self.buckets.of_board, key)


class Seat:
    """Answers a dealer's lines."""

    def __init__(self, strategy: Strategy, seed: int) -> None:
        self._strategy = strategy
        self._game = load_game(GAME)
        self._seed = seed

    def answer(self, line: str) -> str | None:
        """Return the response to a line, or None if it asks for none."""
        if not line.startswith("MATCHSTATE:"):
            return None
        match = parse_match_state(line, self._game)
        if not match.my_turn:
            return None
        key = HandKey(self._seed, match.hand, match.position)
        low, high = sorted(match.own_hand)
        actions, chances = self._strategy.start_hand(key).column(match.state, low + high * (high - 1) // 2)
        return f"{line}:{actions[pick(chances, uniform(key, DECISION, match.state.actions_in_hand))]}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("cards")
    parser.add_argument("betting")
    parser.add_argument("batch", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("host")
    parser.add_argument("port", type=int)
    args = parser.parse_args()
    options = Slumbot.Options(args.folder, args.cards, args.betting, args.batch)
    seat = Seat(Slumbot(load_game(GAME), options, Path()), args.seed)
    with socket.create_connection((args.host, args.port)) as dealer:
        dealer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        dealer.sendall(b"VERSION:2.0.0\r\n")
        for line in dealer.makefile(newline="\n"):
            response = seat.answer(line.rstrip("\r\n"))
            if response is not None:
                dealer.sendall(f"{response}\r\n".encode())


if __name__ == "__main__":
    main()
