"""A fast reader of plain hands in PokerStars' format: no-limit hold'em as most sites and converters write it.

It refuses every other text, and leaves that to `read_pokerstars`, which decides. Betting is remembered as a tree whose
states have no end of chips, so that hands with other stacks share it; a hand's own states differ in the game alone.
"""

import re
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from limpet.protocol.archives.betting import asked_for_nothing
from limpet.protocol.archives.payoffs import odd_chips, right_values
from limpet.protocol.archives.write_pokerstars import hand_number, told_time
from limpet.protocol.cards import CARD_TEXT
from limpet.protocol.errors import IllegalAction
from limpet.protocol.gamedef import MAX_CHIPS, MAX_PLAYERS, GameDef
from limpet.protocol.handhistory import uncalled
from limpet.protocol.holdem import holdem
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.messages import Hole
from limpet.protocol.state import CALL, FOLD, Action, State, raise_to

KNOWN_GAMES = 1 << 12
"""Number of definitions that are remembered."""
KNOWN_STATES = 1 << 15
"""Number of states that are remembered; when there are more, all are forgotten."""
KNOWN_TEXTS = 1 << 16
"""Number of texts of actions and cards that are remembered."""
DEEP = MAX_CHIPS // 2 // MAX_PLAYERS
"""Stack that no hand's bets come near to."""

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
_BOARDS = {"*** FLOP *** [": 3, "*** TURN *** [": 4, "*** RIVER *** [": 5}
_SILENT = ("doesn't show hand", "mucks hand")
_CARDS = {text: card for card, text in enumerate(CARD_TEXT)}


class Move(NamedTuple):
    """An action in words. Amounts are chips."""

    verb: str
    chips: int
    to: int


class Node:
    """A state of a betting tree. `children` are by the words of the next action and the position that acts."""

    __slots__ = ("children", "own", "parent", "round", "stack", "state")

    def __init__(self, state: State, parent: "Node | None") -> None:
        self.state, self.parent = state, parent
        self.round = state.round
        self.children: dict[tuple[int, str], Node] = {}
        self.stack: tuple[int, ...] = ()
        self.own: State | None = None
        """The state in the game of the stacks `stack`, which was asked for last."""

    def in_game(self, game: GameDef) -> State:
        """Return the state, and with it all before it, in a game with other stacks, which nobody's chips have reached."""
        if self.stack != game.stack or self.own is None:
            before = self.parent.in_game(game) if self.parent is not None else None
            self.own = State(game, *self.state[1:12], before, self.state.action)
            self.stack = game.stack
        return self.own


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


@lru_cache(KNOWN_TEXTS)
def _hole(text: str) -> Hole:
    """Return the cards of a text such as ``Ah Kd``. Raises `KeyError`."""
    return tuple([_CARDS[card] for card in text.split(" ")])


_game = lru_cache(KNOWN_GAMES)(holdem)


class QuickPokerStars:
    """Reads the plain hands of an archive."""

    def __init__(self) -> None:
        self._roots: dict[tuple[int, ...], Node] = {}
        self._states = 0

    def read(self, text: str) -> tuple[HandRecord, str, float | None] | None:
        """Return the hand of a text, its table and time, as `read_pokerstars.read_hand` does; None for other texts."""
        head = _HEAD.match(text)
        if head is None:
            return None
        try:
            return self._read(text, head)
        except (Refused, KeyError, ValueError, IllegalAction):
            return None

    def _read(self, text: str, head: re.Match[str]) -> tuple[HandRecord, str, float | None]:
        number, currency, low, high, time, table, button, seats_text, small, posted, big, posted_big = head.groups()
        unit = 100 if currency or "." in low + high else 1
        seats = _SEATS.findall(seats_text)
        order = _order(seats, int(button))
        names = tuple([seats[at][1] for at in order])
        places = {name: position for position, name in enumerate(names)}
        players = len(names)
        at_small, at_big = (0, 1) if players > 2 else (1, 0)
        if len(places) != players or places.get(small) != at_small or places.get(big) != at_big:
            raise Refused
        stack = tuple([_chips(seats[at][2], unit) for at in order])
        blind = [0] * players
        blind[at_small], blind[at_big] = _chips(posted, unit), _chips(posted_big, unit)
        blinds = tuple(blind)
        if not blind[at_small] or not blind[at_big] or any(map(int.__ge__, blinds, stack)):
            raise Refused
        game = _game(stack, blinds)
        # Where somebody is all in, the turns depend on the stacks.
        root = Node(State.start(game), None) if "all-in" in text else self._root(blinds)
        numbers = {int(seats[at][0]): position for position, at in enumerate(order)}
        play = _Play(self, places, numbers, unit, root, game)
        play.lines(text, head.end())
        state = play.finished()
        cards = [card for hole in play.holes for card in hole]
        cards += state.board
        if len(set(cards)) != len(cards):
            raise Refused
        holes = tuple(play.holes)
        hand = hand_number(int(number), table)
        record = HandRecord(hand, state, holes, play.values(state, holes), names)
        return record, table, told_time(hand, int(number), _seconds(time))

    def _root(self, blinds: tuple[int, ...]) -> Node:
        root = self._roots.get(blinds)
        if root is None:
            root = self._roots[blinds] = Node(State.start(holdem((DEEP,) * len(blinds), blinds)), None)
        return root

    def child(self, node: Node, position: int, words: str, unit: int) -> Node:
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


class _Play:
    """The lines of one hand from the hole cards on."""

    def __init__(
        self, reader: QuickPokerStars, places: dict[str, int], numbers: dict[int, int], unit: int, root: Node,
        game: GameDef,
    ) -> None:  # fmt: skip
        """Begin a hand. `places` has the positions by name, `numbers` those by seat, `unit` chips for an amount of 1."""
        self.reader, self.places, self.numbers, self.unit, self.game = reader, places, numbers, unit, game
        self.node = root
        self.holes: list[Hole] = [()] * len(places)
        self.collected = [0.0] * len(places)
        self.board = ""
        self.back, self.back_to = 0, -1
        self.total, self.rake = 0.0, 0.0

    def lines(self, text: str, start: int) -> None:
        play, mark, summary = text[start:].partition("*** SUMMARY ***\n")
        first, _, rest = play.partition("\n")
        if not mark or first != "*** HOLE CARDS ***":
            raise Refused
        street, places, unit, child = 0, self.places, self.unit, self.reader.child
        node = self.node
        for line in rest.split("\n"):
            name, colon, words = line.partition(": ")
            position = places.get(name, -1) if colon else -1
            after = node.children.get((position, words)) if position >= 0 else None
            if after is not None or (position >= 0 and not words.startswith(("shows", "doesn't", "mucks"))):
                if node.round != street:
                    raise Refused
                if after is None:
                    after = node.children[position, words] = child(node, position, words, unit)
                node = after
            elif line.startswith("*** "):
                street = self.street(line, street)
            elif line:
                self.other(line, position, words)
        self.node = node
        self.summary(summary)

    def street(self, line: str, street: int) -> int:
        """Take the board of a street's line, and return the street."""
        if line in ("*** SHOW DOWN ***", "*** SHOWDOWN ***"):
            return street
        mark = line[: line.index("[") + 1]
        board = line[len(mark) : -1].replace("] [", " ")
        count = _BOARDS[mark]
        if count != street + 3 or len(board) != 3 * count - 1 or not board.startswith(self.board) or line[-1] != "]":
            raise Refused
        self.board = board
        return street + 1

    def other(self, line: str, position: int, words: str) -> None:
        """Take a line that is neither an action nor a street."""
        if line.startswith("Dealt to "):
            name, _, cards = line[9:-1].rpartition(" [")
            self.hold(self.places[name], cards)
        elif position >= 0:
            if words not in _SILENT:
                shown = _SHOWN.fullmatch(words)
                if shown is None:
                    raise Refused
                self.hold(position, shown[1])
        elif back := _BACK.fullmatch(line):
            self.back, self.back_to = _chips(back[1], self.unit), self.places[back[2]]
        elif won := _COLLECTED.fullmatch(line):
            self.collected[self.places[won[1]]] += float(won[2]) * self.unit
        else:
            raise Refused

    def hold(self, position: int, text: str) -> None:
        cards, known = _hole(text), self.holes[position]
        if len(cards) != 2 or (known and known != cards):
            raise Refused
        self.holes[position] = cards

    def summary(self, text: str) -> None:
        total = _TOTAL.match(text)
        if total is None or "***" in text:
            raise Refused
        self.total, self.rake = float(total[1]) * self.unit, float(total[2]) * self.unit
        if self.board and f"\nBoard [{self.board}]\n" not in text and "\nBoard " in text:
            raise Refused
        if not self.board and "\nBoard " in text:
            raise Refused
        if "ed [" in text:
            for seat, cards in _SEEN.findall(text):
                self.hold(self.numbers[int(seat)], cards)

    def finished(self) -> State:
        """Return the last state in the hand's own game."""
        state = self.node.state
        if state.game is self.game:
            state = asked_for_nothing(state)
        elif any(map(int.__ge__, state.spent, self.game.stack)):
            raise Refused
        else:
            state = self.node.in_game(self.game)
        board = _hole(self.board) if self.board else ()
        if not state.finished or len(board) != self.game.board_sizes[state.round]:
            raise Refused
        return state._replace(board=board) if board else state

    def values(self, state: State, holes: tuple[Hole, ...]) -> tuple[float, ...]:
        """Return the net chips per position, checked against betting and cards."""
        most, back = uncalled(state.spent)
        if back != self.back or (back and self.back_to != most):
            raise Refused
        if abs(self.total - (sum(state.spent) - back)) > 1e-6:
            raise Refused
        if abs(sum(self.collected) + self.rake - self.total) > 0.01:
            raise Refused
        values = [got - spent for got, spent in zip(self.collected, state.spent, strict=True)]
        values[most] += back
        whole = tuple([float(round(value)) if abs(value - round(value)) < 1e-6 else value for value in values])
        if not state.showdown:
            if any(self.collected[position] for position in range(len(whole)) if state.has_folded(position)):
                raise Refused
            return whole
        right = right_values(state, holes)
        if right is not None and right != whole:
            spare = self.rake + odd_chips(state) * self.unit
            if any(abs(value - other) > spare for value, other in zip(whole, right, strict=True)):
                raise Refused
        return whole


def deep(state: State, action: Action) -> State:
    """Return the state after a legal action of a no-limit game in which nobody is ever all in, as `State.apply` does."""
    game, actor, kind = state.game, state.actor, action.kind
    spent, folded, most, least = state.spent, state.folded, state.max_spent, state.min_raise_to
    raises, actions, called, round_ = state.raises, state.actions + 1, state.called, state.round
    betting = f"{state.betting}{action}"
    if kind == "f":
        folded |= 1 << actor
    elif kind == "c":
        spent = (*spent[:actor], most, *spent[actor + 1 :])
        called += 1
    else:
        least, most = max(least, 2 * action.size - most), action.size
        spent = (*spent[:actor], most, *spent[actor + 1 :])
        raises += 1
        called = 1
    players = len(spent)
    acting = players - folded.bit_count()
    after, over = actor, acting == 1
    if called >= acting and not over:
        over = round_ + 1 == game.num_rounds
        if not over:
            round_, betting, least = round_ + 1, betting + "/", most + game.big_blind
            raises = actions = called = 0
            after = game.first_player[round_] - 1
    if over:
        after = -1
    else:
        after = (after + 1) % players
        while folded >> after & 1:
            after = (after + 1) % players
    return State(
        game, round_, after, betting, spent, folded, most, least, raises, actions, called, state.board, state, action
    )


def _order(seats: list[tuple[str, str, str]], button: int) -> list[int]:
    """Return the indices of the chairs in the order of the positions. Raises `Refused` where the careful reader may skip."""
    numbers = [int(seat[0]) for seat in seats]
    if not 2 <= len(seats) <= MAX_PLAYERS or numbers != sorted(set(numbers)) or button not in numbers:
        raise Refused
    first = numbers.index(button) + 1
    return [*range(first, len(seats)), *range(first)]


def _seconds(time: str) -> float:
    """Return a time such as ``2019/07/12 03:13:20`` in seconds since 1970. Raises `ValueError`."""
    return datetime.fromisoformat(time.replace("/", "-") + "+00:00").timestamp()
