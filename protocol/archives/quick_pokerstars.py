"""A fast reader of plain hands in PokerStars' format: no-limit hold'em as most sites and converters write it.

It refuses every other text, and leaves that to `read_pokerstars`, which decides. Betting is remembered as a tree whose
states have no end of chips, so that hands with other stacks share it; a hand's own states differ in the game alone.
"""

import re
from functools import lru_cache
from itertools import chain, permutations

from limpet.protocol.archives.blocks import header_time
from limpet.protocol.archives.hand_file import ended, known_holdem, whole_chips
from limpet.protocol.archives.pokerstars_grammar import ACTION, COLLECTED, SUMMARY_SEAT, TOTAL, UNCALLED, Payout
from limpet.protocol.archives.read_pokerstars import net_chips
from limpet.protocol.archives.write_pokerstars import hand_number, recorded_time
from limpet.protocol.cards import CARD_TEXT
from limpet.protocol.chip_sums import MAX_CHIPS
from limpet.protocol.gamedef import MAX_PLAYERS, GameDef
from limpet.protocol.handhistory import street_base
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.messages import Hole
from limpet.protocol.state import CALL, FOLD, State, raise_to

DEEP = MAX_CHIPS // 2 // MAX_PLAYERS
"""Stack that no hand's bets come near to."""
KNOWN_STATES = 1 << 17
"""Number of states that are remembered; when there are more, all are forgotten."""
KNOWN_TEXTS = 1 << 16
"""Number of texts of actions that are remembered."""

_HEAD = re.compile(
    r"PokerStars (?:\w+ )?(?:Hand|Game) #(\d{1,18}): [^\n~]*?Hold'em No Limit[^\n~]*?\(([$€£]?)([\d.]+)/[$€£]?([\d.]+)"
    r"(?: [A-Z]{3})?\) - (\d{4}/\d\d?/\d\d? \d\d?:\d\d:\d\d[^\n~(]*)\n"
    r"Table '([^\n~]*)' [^\n]*Seat #(\d+) is the button\n"
    r"((?:Seat \d+: [^\n~]+ \([$€£]?[\d.]+ in chips\)\n)+)"
    r"([^\n]+): posts small blind [$€£]?([\d.]+)\n([^\n]+): posts big blind [$€£]?([\d.]+)\n"
)
_SEATS = re.compile(r"Seat (\d+): (.+) \([$€£]?([\d.]+) in chips\)\n")
_SHOWN = re.compile(r"shows \[(.. ..)\](?: \(.*\))?")
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


class KnownState:
    """A state of a betting tree. `children` are by the text of the next action, or of all that is left of the street."""

    __slots__ = ("children", "own", "parent", "state")

    def __init__(self, state: State, parent: "KnownState | None") -> None:
        self.state, self.parent = state, parent
        self.children: dict[str, KnownState] = {}
        self.own: State | None = None
        """The state in the game that `in_game` was asked for last."""

    def in_game(self, game: GameDef) -> State:
        """Return the state, and with it all before it, in a game with other stacks, which nobody's chips have reached."""
        if self.own is None or self.own.game.stack != game.stack:
            before = self.parent.in_game(game) if self.parent is not None else None
            self.own = State(game, *self.state[1:12], before, self.state.action)
        return self.own


class NotPlain(ValueError):
    """A text that is not plain."""


def _chips(text: str, unit: int) -> int:
    return int(text) if unit == 1 else whole_chips(float(text), unit)


@lru_cache(KNOWN_TEXTS)
def _move(text: str, unit: int) -> tuple[str, int, int]:
    """Return the verb of an action in words, its chips, and the chips that it raises to. Raises `ValueError`."""
    match = ACTION.fullmatch(text)
    if match is None:
        raise NotPlain
    return match[1], _chips(match[2] or "0", unit), _chips(match[3] or "0", unit)


class QuickPokerStars:
    """Reads the plain hands of archives, the faster the more of their betting it has read before: see `quick_reader`."""

    def __init__(self) -> None:
        self._roots: dict[tuple[tuple[int, ...], tuple[int, ...], int], KnownState] = {}
        """Beginnings of the betting by the stacks, the blinds and the chips for an amount of 1."""
        self._states = 0

    def read(self, text: str, outline: bool = False) -> tuple[HandRecord, str, float | None] | None:
        """Return the hand of a text, its table and time, as `read_pokerstars.read_hand` does; None for other texts.

        An `outline` has no time, and its states may be in a game with other stacks: hands with the same betting share them.
        """
        head = _HEAD.match(text)
        if head is None:
            return None
        try:
            return self._plain(text, head, outline)
        except (KeyError, ValueError):
            return None

    def _plain(self, text: str, head: re.Match[str], outline: bool) -> tuple[HandRecord, str, float | None]:
        number, currency, low, high, time, table, button, seats_text, small, posted, big, posted_big = head.groups()
        unit = 100 if currency or "." in low + high else 1
        chairs, seated, stacks = zip(*_SEATS.findall(seats_text), strict=True)
        order = _order(chairs, button)
        names = tuple([seated[at] for at in order])
        players = len(names)
        at_small, at_big = (0, 1) if players > 2 else (1, 0)
        # A colon within a name could make one player's line look like another's.
        if len(set(names)) != players or (names[at_small], names[at_big]) != (small, big) or ": " in "\n".join(names):
            raise NotPlain
        stack = tuple([int(stacks[at]) if unit == 1 else _chips(stacks[at], unit) for at in order])
        blind = [0] * players
        blind[at_small], blind[at_big] = _chips(posted, unit), _chips(posted_big, unit)
        blinds = tuple(blind)
        if not blind[at_small] or not blind[at_big] or any(map(int.__ge__, blinds, stack)):
            raise NotPlain
        # Where somebody is all in, the turns depend on the stacks.
        shared = "all-in" not in text
        stacks_of_root = (DEEP,) * players if shared else stack
        root = self._roots.get((stacks_of_root, blinds, unit))
        if root is None:
            root = KnownState(State.start(known_holdem(stacks_of_root, blinds)), None)
            self._roots[stacks_of_root, blinds, unit] = root
        play = _Play(self, names, unit)
        play.read(text[head.end() :], root)
        if play.shown:
            numbers = {chairs[at]: position for position, at in enumerate(order)}
            for seat, shown in play.shown:
                play.hold(numbers[seat], shown)
        state = play.node.state
        if shared and any(map(int.__ge__, state.spent, stack)):
            raise NotPlain
        board = tuple([_CARDS[card] for card in play.board.split(" ")]) if play.board else ()
        holes = tuple(play.holes)
        state = ended(state, board, chain.from_iterable(holes))
        values = net_chips(state, holes, names, play.payout, unit)
        if not outline and state.game.stack != stack:
            state = play.node.in_game(known_holdem(stack, blinds)).with_board(state.board)
        hand = HandRecord(hand_number(int(number), table), state, holes, values, names)
        if outline:
            return hand, table, None
        return hand, table, recorded_time(hand.hand, int(number), header_time(time))

    def after(self, node: KnownState, actions: str, unit: int) -> KnownState:
        """Return the node after the actions of a street, each with a line end before it."""
        reached = node.children.get(actions)
        if reached is None:
            reached, street = node, node.state.round
            for line in actions.split("\n")[1:]:
                if reached.state.round != street:
                    raise NotPlain
                following = reached.children.get(line)
                if following is None:
                    following = reached.children[line] = self._child(reached, int(line[1]), line[4:], unit)
                reached = following
            if reached is not node:
                node.children[actions] = reached
        return reached

    def _child(self, node: KnownState, position: int, words: str, unit: int) -> KnownState:
        """Return the node after an action. Raises `ValueError` where it cannot be."""
        state, (verb, chips, to) = node.state, _move(words, unit)
        if verb in ("bets", "raises"):
            action = raise_to(street_base(state) + (to or chips))
            paid = action.size - state.max_spent
        else:
            action = FOLD if verb == "folds" else CALL
            paid = state.to_call if action is CALL else 0
        if state.actor != position or paid != chips:
            raise NotPlain
        after = state.apply(action)
        if self._states >= KNOWN_STATES:
            self._roots.clear()
            self._states = 0
        self._states += 1
        return KnownState(after, node)


@lru_cache(1)
def quick_reader() -> QuickPokerStars:
    """Return the reader that all files of this process share, so that each betting line is worked out once."""
    return QuickPokerStars()


class _Play:
    """The text of one hand from the hole cards on. `node` is that of the betting tree after the last action."""

    node: KnownState

    def __init__(self, reader: QuickPokerStars, names: tuple[str, ...], unit: int) -> None:
        """Begin a hand. `unit` is the number of chips for an amount of 1."""
        self.reader, self.names, self.unit = reader, names, unit
        self.position_of = {name: position for position, name in enumerate(names)}
        self.holes: list[Hole] = [()] * len(names)
        self.payout = Payout()
        self.shown: list[tuple[str, str]] = []
        """Seats and cards that the summary shows."""
        self.board = ""
        self.street = 0

    def read(self, text: str, root: KnownState) -> None:
        play, mark, summary = text.partition("*** SUMMARY ***\n")
        if not mark or not play.startswith(_FIRST) or "\0" in play:
            raise NotPlain
        start = play.rfind(f"\n{_DEALT}") + 1
        if start:
            start = play.index("\n", start)
            dealt = play[len(_FIRST) : start]
            if not dealt.startswith(_DEALT):
                raise NotPlain
            for line in dealt[len(_DEALT) :].split(f"\n{_DEALT}"):
                if line[-8:-6] != " [" or line[-1] != "]":
                    raise NotPlain
                self.hold(self.position_of[line[:-8]], line[-6:-1])
        else:
            start = len(_FIRST) - 1
        play = play[start:]
        for position, name in enumerate(self.names):
            play = play.replace(f"\n{name}: ", _SPOKEN[position])
        end = _END.search(play)
        if end is None:
            raise NotPlain
        first, *streets = play[: end.start()].split("\n*** ")
        node = self.reader.after(root, first, self.unit)
        for street in streets:
            actions = self.deal(street)
            if actions:
                if node.state.round != self.street:
                    raise NotPlain
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
            raise NotPlain
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
                    raise NotPlain
                self.hold(int(line[1]), shown[1])
        elif line.startswith("*** "):
            if line not in _SHOWDOWNS and self.deal(line[4:]):
                raise NotPlain
        elif won := COLLECTED.fullmatch(line):
            self.payout.collected[won[1]] = self.payout.collected.get(won[1], 0.0) + float(won[2])
        elif back := UNCALLED.fullmatch(line):
            self.payout.uncalled, self.payout.uncalled_to = float(back[1]), back[2]
        else:
            raise NotPlain

    def hold(self, position: int, text: str) -> None:
        cards, held = _HOLES[text], self.holes[position]
        if held and held != cards:
            raise NotPlain
        self.holes[position] = cards

    def summary(self, text: str) -> None:
        total = TOTAL.match(text)
        if total is None or "***" in text:
            raise NotPlain
        self.payout.total, self.payout.rake = float(total[1]), float(total[2])
        if "\nBoard " in text and not (self.board and f"\nBoard [{self.board}]\n" in text):
            raise NotPlain
        if "ed [" in text:
            lines = [line for line in text.split("\n") if "ed [" in line]
            self.shown = [(match[1], match[2]) for match in map(SUMMARY_SEAT.match, lines) if match]


@lru_cache(1 << 12)
def _order(chairs: tuple[str, ...], button: str) -> tuple[int, ...]:
    """Return the indices of the chairs in the order of the positions. Raises `NotPlain` where the careful reader may skip."""
    numbers = [int(chair) for chair in chairs]
    if not 2 <= len(chairs) <= MAX_PLAYERS or numbers != sorted(set(numbers)) or int(button) not in numbers:
        raise NotPlain
    first = numbers.index(int(button)) + 1
    return (*range(first, len(chairs)), *range(first))
