"""A fast reader of plain hands in PokerStars' format: no-limit hold'em as most sites and converters write it.

It refuses every other text, and leaves that to `read_pokerstars`, which decides. Betting is remembered as a tree whose
states have no end of chips, so that hands with other stacks share it; a hand's own states differ in the game alone.
"""

import re
from datetime import datetime
from functools import lru_cache
from itertools import chain, permutations
from typing import NamedTuple

from limpet.protocol.archives.betting import asked_for_nothing
from limpet.protocol.archives.deep_betting import DEEP, Node, deep
from limpet.protocol.archives.payoffs import odd_chips, right_values
from limpet.protocol.archives.write_pokerstars import hand_number, told_time
from limpet.protocol.cards import CARD_TEXT
from limpet.protocol.errors import IllegalAction
from limpet.protocol.gamedef import MAX_PLAYERS
from limpet.protocol.handhistory import uncalled
from limpet.protocol.holdem import holdem
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.messages import Hole
from limpet.protocol.state import CALL, FOLD, State, raise_to

KNOWN_GAMES = 1 << 12
"""Number of definitions that are remembered."""
KNOWN_STATES = 1 << 17
"""Number of states that are remembered; when there are more, all are forgotten."""
KNOWN_TEXTS = 1 << 16
"""Number of texts of actions and cards that are remembered."""

_HEAD = re.compile(
    r"PokerStars (?:\w+ )?(?:Hand|Game) #(\d{1,18}): [^\n~]*?Hold'em No Limit[^\n~]*?\(([$€£]?)([\d.]+)/[$€£]?([\d.]+)"
    r"(?: [A-Z]{3})?\) - (\d{4}/\d\d?/\d\d? \d\d?:\d\d:\d\d)[^\n~(]*\n"
    r"Table '([^\n~]*)' [^\n]*Seat #(\d+) is the button\n"
    r"((?:Seat \d+: [^\n~]+ \([$€£]?[\d.]+ in chips\)\n)+)"
    r"([^\n]+): posts small blind [$€£]?([\d.]+)\n([^\n]+): posts big blind [$€£]?([\d.]+)\n"
)
_SEATS = re.compile(r"Seat (\d+): (.+) \([$€£]?([\d.]+) in chips\)\n")
_MOVE = re.compile(r"(folds|checks|calls|bets|raises)(?: [$€£]?([\d.]+))?(?: to [$€£]?([\d.]+))?(?: and is all-in)?")
_SHOWN = re.compile(r"shows \[(.. ..)\](?: \(.*\))?")
_BACK = re.compile(r"Uncalled bet \([$€£]?([\d.]+)\) returned to (.+)")
_COLLECTED = re.compile(r"(.+) collected [$€£]?([\d.]+) from (?:pot|main pot|side pot.*)")
_TOTAL = re.compile(r"Total pot [$€£]?([\d.]+)[^\n]*\| Rake [$€£]?([\d.]+)")
_SEEN = re.compile(r"Seat (\d+): .*?(?:showed|mucked) \[(.*?)\]")
_DEALT = "Dealt to "
_END = re.compile(r"\n(?!\0\d: [fcbr]|\*\*\* [FTR])")
"""Beginning of the first line that is neither an action nor a street. In actions, a zero byte and a position name a player."""
_STREETS = (("FLOP *** [", 8), ("TURN *** [", 11), ("RIVER *** [", 14), ("no street", 0))
"""Beginnings of the lines of streets, and the number of characters of the board."""
_FIRST = "*** HOLE CARDS ***\n"
_SHOWDOWNS = ("*** SHOW DOWN ***", "*** SHOWDOWN ***")
_SILENT = ("doesn't show hand", "mucks hand")
_SPOKEN = [f"\n\0{position}: " for position in range(MAX_PLAYERS)]
"""Beginnings of lines by position, in place of the names."""
_CARDS = {text: card for card, text in enumerate(CARD_TEXT)}
_HOLES = {f"{one} {two}": (_CARDS[one], _CARDS[two]) for one, two in permutations(CARD_TEXT, 2)}


class Move(NamedTuple):
    """An action in words. Amounts are chips."""

    verb: str
    chips: int
    to: int


class PlainHand(NamedTuple):
    """A plain hand, checked, whose parts `HandRecord` names; a sum over hands needs no more. `record` returns all of it."""

    state: State
    """Last state, without the board. Its game may have other stacks, and hands with the same betting share it."""
    names: tuple[str, ...]
    values: tuple[float, ...]
    holes: tuple[Hole, ...]
    board: Hole
    stack: tuple[int, ...]
    end: Node
    """Node of `state` in the betting tree."""
    number: int
    """Number in the text."""
    table: str
    time: str

    def record(self) -> HandRecord:
        """Return the hand in its own game."""
        state = self.state
        if state.game.stack != self.stack:
            state = self.end.in_game(_game(self.stack, state.game.blind))
        if self.board:
            state = state._replace(board=self.board)
        return HandRecord(hand_number(self.number, self.table), state, self.holes, self.values, self.names)


class Refused(Exception):
    """A text that is not plain."""


def _chips(text: str, unit: int) -> int:
    if unit == 1:
        if "." in text:
            raise Refused
        return int(text)
    value = float(text) * unit
    chips = round(value)
    if abs(chips - value) > 1e-6:
        raise Refused
    return chips


@lru_cache(KNOWN_TEXTS)
def _move(text: str, unit: int) -> Move | None:
    match = _MOVE.fullmatch(text)
    if match is None:
        return None
    try:
        chips, to = (_chips(part, unit) if part else 0 for part in (match[2], match[3]))
    except (Refused, ValueError):
        return None
    return Move(match[1], chips, to)


_game = lru_cache(KNOWN_GAMES)(holdem)
_uncalled = lru_cache(KNOWN_TEXTS)(uncalled)


class QuickPokerStars:
    """Reads the plain hands of archives, the faster the more of their betting it has read before: see `quick_reader`."""

    def __init__(self) -> None:
        self._roots: dict[tuple[tuple[int, ...], tuple[int, ...], int], Node] = {}
        """Beginnings of the betting by the stacks, the blinds and the chips for an amount of 1."""
        self._states = 0

    def read(self, text: str) -> tuple[HandRecord, str, float | None] | None:
        """Return the hand of a text, its table and time, as `read_pokerstars.read_hand` does; None for other texts."""
        hand = self.plain(text)
        if hand is None:
            return None
        record = hand.record()
        try:
            return record, hand.table, told_time(record.hand, hand.number, _seconds(hand.time))
        except ValueError:
            return None

    def plain(self, text: str) -> PlainHand | None:
        """Return the hand of a text, None for a text that is not plain."""
        head = _HEAD.match(text)
        if head is None:
            return None
        try:
            return self._plain(text, head)
        except (Refused, KeyError, ValueError, IllegalAction):
            return None

    def _plain(self, text: str, head: re.Match[str]) -> PlainHand:
        number, currency, low, high, time, table, button, seats_text, small, posted, big, posted_big = head.groups()
        unit = 100 if currency or "." in low + high else 1
        chairs, seated, stacks = zip(*_SEATS.findall(seats_text), strict=True)
        order = _order(chairs, button)
        names = tuple([seated[at] for at in order])
        players = len(names)
        at_small, at_big = (0, 1) if players > 2 else (1, 0)
        # A colon within a name could make one player's line look like another's.
        if len(set(names)) != players or (names[at_small], names[at_big]) != (small, big) or ": " in "\n".join(names):
            raise Refused
        stack = tuple([int(stacks[at]) if unit == 1 else _chips(stacks[at], unit) for at in order])
        blind = [0] * players
        blind[at_small], blind[at_big] = _chips(posted, unit), _chips(posted_big, unit)
        blinds = tuple(blind)
        if not blind[at_small] or not blind[at_big] or any(map(int.__ge__, blinds, stack)):
            raise Refused
        # Where somebody is all in, the turns depend on the stacks.
        shared = "all-in" not in text
        root = self._root((DEEP,) * players if shared else stack, blinds, unit)
        play = _Play(self, names, unit)
        play.read(text[head.end() :], root)
        if play.seen:
            numbers = {chairs[at]: position for position, at in enumerate(order)}
            for seat, shown in play.seen:
                play.hold(numbers[seat], shown)
        state = play.finished(stack if shared else None)
        board = tuple([_CARDS[card] for card in play.board.split(" ")]) if play.board else ()
        holes = tuple(play.holes)
        cards = [*board, *chain.from_iterable(holes)]
        if len(board) != state.game.board_sizes[state.round] or len(set(cards)) != len(cards):
            raise Refused
        values = play.values(state, holes, board)
        return PlainHand(state, names, values, holes, board, stack, play.node, int(number), table, time)

    def _root(self, stack: tuple[int, ...], blinds: tuple[int, ...], unit: int) -> Node:
        root = self._roots.get((stack, blinds, unit))
        if root is None:
            root = self._roots[stack, blinds, unit] = Node(State.start(_game(stack, blinds)), None)
        return root

    def after(self, node: Node, actions: str, unit: int) -> Node:
        """Return the node after the actions of a street, each with a line end before it."""
        found = node.children.get(actions)
        if found is None:
            found, street = node, node.state.round
            for line in actions.split("\n")[1:]:
                if found.state.round != street:
                    raise Refused
                following = found.children.get(line)
                if following is None:
                    following = found.children[line] = self._child(found, int(line[1]), line[4:], unit)
                found = following
            if found is not node:
                node.children[actions] = found
        return found

    def _child(self, node: Node, position: int, words: str, unit: int) -> Node:
        """Return the node after an action. Raises `Refused` and `IllegalAction` where it cannot be."""
        state, move = node.state, _move(words, unit)
        if move is None or state.actor != position:
            raise Refused
        if move.verb in ("bets", "raises"):
            base = state.round_start().max_spent if state.round else 0
            action = raise_to(base + (move.to or move.chips))
            paid = action.size - state.max_spent
        else:
            action = FOLD if move.verb == "folds" else CALL
            paid = state.to_call if action is CALL else 0
        if paid != move.chips or not state.is_legal(action):
            raise Refused
        after = deep(state, action) if state.game.stack[0] == DEEP else state.apply(action)
        if self._states >= KNOWN_STATES:
            self._roots.clear()
            self._states = 0
        self._states += 1
        return Node(after, node)


@lru_cache(1)
def quick_reader() -> QuickPokerStars:
    """Return the reader that all files of this process share, so that each betting line is worked out once."""
    return QuickPokerStars()


class _Play:
    """The text of one hand from the hole cards on."""

    node: Node
    """Node of the betting tree after the last action."""

    def __init__(self, reader: QuickPokerStars, names: tuple[str, ...], unit: int) -> None:
        """Begin a hand. `unit` is the number of chips for an amount of 1."""
        self.reader, self.names, self.unit = reader, names, unit
        self.places = {name: position for position, name in enumerate(names)}
        self.holes: list[Hole] = [()] * len(names)
        self.collected = [0.0] * len(names)
        self.seen: list[tuple[str, str]] = []
        """Seats and cards that the summary shows."""
        self.board = ""
        self.street = 0
        self.back, self.back_to = 0, -1
        self.total, self.rake = 0.0, 0.0

    def read(self, text: str, root: Node) -> None:
        play, mark, summary = text.partition("*** SUMMARY ***\n")
        if not mark or not play.startswith(_FIRST) or "\0" in play:
            raise Refused
        start = play.rfind(f"\n{_DEALT}") + 1
        if start:
            start = play.index("\n", start)
            dealt = play[len(_FIRST) : start]
            if not dealt.startswith(_DEALT):
                raise Refused
            for line in dealt[len(_DEALT) :].split(f"\n{_DEALT}"):
                if line[-8:-6] != " [" or line[-1] != "]":
                    raise Refused
                self.hold(self.places[line[:-8]], line[-6:-1])
        else:
            start = len(_FIRST) - 1
        play = play[start:]
        for position, name in enumerate(self.names):
            play = play.replace(f"\n{name}: ", _SPOKEN[position])
        end = _END.search(play)
        if end is None:
            raise Refused
        first, *streets = play[: end.start()].split("\n*** ")
        node = self.reader.after(root, first, self.unit)
        for street in streets:
            actions = self.deal(street)
            if actions:
                if node.state.round != self.street:
                    raise Refused
                node = self.reader.after(node, actions, self.unit)
        self.node = node
        for line in play[end.end() :].split("\n"):
            if line:
                self.other(line)
        self.summary(summary)

    def deal(self, street: str) -> str:
        """Take the board of a street's text, and return the text of its actions."""
        head, count = _STREETS[self.street]
        line, end, actions = street.partition("\n")
        board = line[len(head) : -1].replace("] [", " ")
        if not line.startswith(head) or line[-1] != "]" or len(board) != count or not board.startswith(self.board):
            raise Refused
        self.board = board
        self.street += 1
        return end + actions

    def other(self, line: str) -> None:
        """Take a line after the betting."""
        if line[0] == "\0":
            words = line[4:]
            if words not in _SILENT:
                shown = _SHOWN.fullmatch(words)
                if shown is None:
                    raise Refused
                self.hold(int(line[1]), shown[1])
        elif line.startswith("*** "):
            if line not in _SHOWDOWNS and self.deal(line[4:]):
                raise Refused
        elif won := _COLLECTED.fullmatch(line):
            self.collected[self.places[won[1]]] += float(won[2]) * self.unit
        elif back := _BACK.fullmatch(line):
            self.back, self.back_to = _chips(back[1], self.unit), self.places[back[2]]
        else:
            raise Refused

    def hold(self, position: int, text: str) -> None:
        cards, known = _HOLES[text], self.holes[position]
        if known and known != cards:
            raise Refused
        self.holes[position] = cards

    def summary(self, text: str) -> None:
        total = _TOTAL.match(text)
        if total is None or "***" in text:
            raise Refused
        self.total, self.rake = float(total[1]) * self.unit, float(total[2]) * self.unit
        if "\nBoard " in text and not (self.board and f"\nBoard [{self.board}]\n" in text):
            raise Refused
        if "ed [" in text:
            lines = [line for line in text.split("\n") if "ed [" in line]
            self.seen = [(found[1], found[2]) for found in map(_SEEN.match, lines) if found]

    def finished(self, stack: tuple[int, ...] | None) -> State:
        """Return the last state. `stack` has the hand's chips where its betting is shared by hands with other stacks."""
        state = self.node.state
        if stack is None:
            state = asked_for_nothing(state)
        elif any(map(int.__ge__, state.spent, stack)):
            raise Refused
        if not state.finished:
            raise Refused
        return state

    def values(self, state: State, holes: tuple[Hole, ...], board: Hole) -> tuple[float, ...]:
        """Return the net chips per position, checked against betting and cards."""
        spent = state.spent
        most, back = _uncalled(spent)
        if back != self.back or (back and self.back_to != most):
            raise Refused
        if abs(self.total - (sum(spent) - back)) > 1e-6:
            raise Refused
        if abs(sum(self.collected) + self.rake - self.total) > 0.01:
            raise Refused
        values = [got - paid for got, paid in zip(self.collected, spent, strict=True)]
        values[most] += back
        if not all(map(float.is_integer, values)):
            values = [float(round(value)) if abs(value - round(value)) < 1e-6 else value for value in values]
        whole = tuple(values)
        if not state.showdown:
            if any(chips and state.has_folded(position) for position, chips in enumerate(self.collected)):
                raise Refused
            return whole
        right = right_values(state._replace(board=board), holes)
        if right is not None and right != whole:
            spare = self.rake + odd_chips(state) * self.unit
            if any(abs(value - other) > spare for value, other in zip(whole, right, strict=True)):
                raise Refused
        return whole


@lru_cache(KNOWN_GAMES)
def _order(chairs: tuple[str, ...], button: str) -> tuple[int, ...]:
    """Return the indices of the chairs in the order of the positions. Raises `Refused` where the careful reader may skip."""
    numbers = [int(chair) for chair in chairs]
    if not 2 <= len(chairs) <= MAX_PLAYERS or numbers != sorted(set(numbers)) or int(button) not in numbers:
        raise Refused
    first = numbers.index(int(button)) + 1
    return (*range(first, len(chairs)), *range(first))


def _seconds(time: str) -> float:
    """Return a time such as ``2019/07/12 03:13:20`` in seconds since 1970. Raises `ValueError`."""
    return datetime.fromisoformat(time.replace("/", "-") + "+00:00").timestamp()
