"""The grammar of PokerStars' text: what the lines of one hand say, before any rule of the game is applied.

GGPoker's and Winamax's texts are put into its words.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from limpet.protocol.archives.blocks import header_time
from limpet.protocol.archives.hand_file import BadHand
from limpet.protocol.cards import parse_cards
from limpet.protocol.errors import ProtocolError
from limpet.protocol.messages import Hole

CUT_OFF = "the hand is cut off, and another one begins here"
BEGINNING = re.compile(r"PokerStars (?<=^PokerStars )(?:\w+ )?(?:Hand|Game) #", re.MULTILINE)
"""Beginning of a hand's first line. It begins with its plain word, which is found ten times as fast as a line's beginning."""

GGPOKER = re.compile(r"Poker (?<=^Poker )Hand #[A-Z]*\d", re.MULTILINE)
WINAMAX = re.compile(r"Winamax Poker (?<=^Winamax Poker )- ", re.MULTILINE)

_AMOUNT = r"[$€£]?([\d,]+(?:\.\d+)?)"
_NUMBER = re.compile(r"PokerStars (?:\w+ )?(?:Hand|Game) #(\d{1,19}):")
_KIND = re.compile(r"Hold'em (No Limit|Limit|Pot Limit)")
_STAKES = re.compile(r"\(([$€£]?)([\d,.]+)/[$€£]?([\d,.]+)(?: [A-Z]{3})?\)")
_TABLE = re.compile(r"Table '(.*)' .*Seat #(\d+) is the button")
_SEAT = re.compile(rf"Seat (\d+): (.+) \({_AMOUNT} in chips(?:,[^)]*)?\)(.*)")
_CHAIR = re.compile(r"Seat \d+: ")
_POST = re.compile(
    rf"posts (?:the )?(ante|small blind|big blind|small & big blinds|straddle|.*?) ?{_AMOUNT}( and is all-in)?"
)
ACTION = re.compile(rf"(folds|checks|calls|bets|raises)(?: {_AMOUNT})?(?: to {_AMOUNT})?( and is all-in)?(?: \[.*\])?")
_STREET = re.compile(r"\*\*\* (.+?) \*\*\*(.*)")
_DEALT = re.compile(r"Dealt to (.+) \[(.*?)\]")
_SHOWN = re.compile(r"(?:shows|mucks|mucked|showed)(?: hand)? \[(.*?)\]")
UNCALLED = re.compile(rf"Uncalled bet \({_AMOUNT}\) returned to (.+)")
COLLECTED = re.compile(rf"(.+) collected {_AMOUNT} from (?:pot|main pot|side pot.*)")
TOTAL = re.compile(rf"Total pot {_AMOUNT}.*\| Rake {_AMOUNT}")
_BOARD = re.compile(r"(?:([A-Z]+) )?Board \[(.*)\]")
SUMMARY_SEAT = re.compile(r"Seat (\d+): .*?(?:showed|mucked) \[(.*?)\]")
_OTHER_HAND = re.compile(r"\*{4,}|<|.*\b(?:Hand|Game) ?(?:#|No\b|History\b)|#?Game ?(?:#|No\b)")
"""Beginning of a line that begins a hand of another room: no line of a hand here looks like it, but what players say."""
_STREETS = {"HOLE CARDS": 0, "FLOP": 1, "TURN": 2, "RIVER": 3}
_BOARD_SIZES = (0, 3, 4, 5)
RUNS = ("FIRST", "SECOND", "THIRD")
"""Words before streets, showdowns and boards of hands that were run several times after an all-in."""
_KINDS = {"folds": "f", "checks": "c", "calls": "c", "bets": "r", "raises": "r"}


class Chair(NamedTuple):
    """A chair with a player. `out` is true for a player who sits out or was not dealt in."""

    number: int
    name: str
    stack: float
    out: bool


class Post(NamedTuple):
    """A blind or an ante. `kind` has the text's words, such as ``ante``, ``small blind`` or ``small & big blinds``."""

    name: str
    kind: str
    chips: float
    line: int


class Move(NamedTuple):
    """An action of a player, ``f``, ``c`` or ``r``.

    `chips` are those of a call or bet, or those by which a raise exceeds the bet before; `to` is the player's total on the
    street after a bet or raise. Either is 0 where there are none.
    """

    line: int
    round: int
    name: str
    kind: str
    chips: float
    to: float


@dataclass(slots=True)
class Payout:
    """The chips that players got back, by a hand's text, in its unit: cents are not yet chips. `total` is all pots' chips."""

    uncalled: float = 0
    uncalled_to: str = ""
    collected: dict[str, float] = field(default_factory=dict)
    total: float | None = None
    rake: float = 0


@dataclass(slots=True)
class HandText(Payout):
    """The facts of a hand's text.

    `time` is in seconds since 1970, see `header_time`. `money` is true where amounts have a currency or cents. `stakes` are the
    header's blinds, in limit games bets. `boards` are the board and behind it those of further runs.
    """

    number: int = 0
    table: str = ""
    time: float | None = None
    limit: bool = False
    money: bool = False
    stakes: tuple[float, float] = (0, 0)
    button: int = 0
    seats: list[Chair] = field(default_factory=list)
    posts: list[Post] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    holes: dict[str, Hole] = field(default_factory=dict)
    boards: list[Hole] = field(default_factory=lambda: [()])


def casino_posts(
    posts: Sequence[Post], names: Sequence[str], chips: Callable[[float], int], big: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the dead chips and the live posts per position; posts that do not move the turn have a minus sign.

    The small blind of a player who is not the one behind the button is dead, and so is what exceeds the big blind, of `big`
    chips, where both are posted. Of several big blinds the first behind the button is the blind. Raises `BadHand`.
    """
    players = len(names)
    dead, live = [0] * players, [0] * players
    blinds = [names.index(post.name) for post in posts if post.kind == "big blind"]
    for post in posts:
        position, paid = names.index(post.name), chips(post.chips)
        small = post.kind == "small blind" and position == (0 if players > 2 else 1)
        if small or post.kind == "straddle" or (post.kind == "big blind" and position == min(blinds)):
            live[position] += paid
        elif post.kind in ("big blind", "small & big blinds"):
            live[position] -= min(paid, big)
            dead[position] += max(0, paid - big)
        elif post.kind == "small blind" or post.kind.startswith("dead") or post.kind.endswith("ante"):
            dead[position] += paid
        else:
            raise BadHand(
                f"{post.name} posts {post.kind} {post.chips:g}, which is none of the posts that are read", post.line
            )
    return tuple(dead), tuple(live)


def read_text(text: str) -> HandText:
    """Return the facts of one hand's text. Raises `BadHand`."""
    lines = [line.strip().replace("~", " ") for line in text.split("\n")]
    table = next((at for at, line in enumerate(lines) if line.startswith("Table '")), None)
    if table is None:
        raise BadHand("no line with the table; the hand may be cut off")
    hand = HandText()
    if other := next((at for at in range(1, table) if _OTHER_HAND.match(lines[at])), None):
        raise BadHand(CUT_OFF, other)
    _read_header(hand, " ".join(lines[:table]))
    named = _TABLE.match(lines[table])
    if named is None:
        raise BadHand(f"{lines[table][:120]!r} does not tell the button's seat", table)
    hand.table, hand.button = named[1], int(named[2])
    _Lines(hand).read(lines, table + 1)
    if hand.total is None:
        raise BadHand("the hand is cut off before its summary", len(lines) - 1)
    return hand


_GGPOKER_NUMBER = re.compile(r"Poker Hand #[A-Z]*")
_ANTE_IN_STAKES = re.compile(r"(\([^()]*)\([^()]*\)\)")
_FEES = re.compile(rf"^(Total pot {_AMOUNT})((?: \| [A-Za-z ]+ {_AMOUNT})+)", re.MULTILINE)
_FEE = re.compile(rf"\| [A-Za-z ]+ {_AMOUNT}")
_CASHOUT = re.compile(r": (?:Chooses to EV Cashout|(?:Pays|Receives) .*\()")


def of_ggpoker(text: str) -> str:
    """Return GGPoker's text in PokerStars' words: other first line and fees. Raises `BadHand` for pay beside the pot."""
    head, end, lines = text.partition("\n")
    if paid := _CASHOUT.search(lines):
        raise BadHand(
            "a player was paid beside the pot (EV cashout or insurance)", 1 + lines.count("\n", 0, paid.start())
        )
    head = _ANTE_IN_STAKES.sub(r"\1)", _GGPOKER_NUMBER.sub("PokerStars Hand #", head, count=1))
    return (
        head + end + _FEES.sub(lambda total: f"{total[1]} | Rake {sum(map(amount, _FEE.findall(total[3]))):.2f}", lines)
    )


_WINAMAX_HEAD = re.compile(
    r"Winamax Poker - .*HandId: #\d+-(\d+)-(\d+) - Holdem (no|fixed) limit \((?:[\d.]+€?/)?([\d.]+€?/[\d.]+€?)\) - (.*)"
)
_WINAMAX_SEAT = re.compile(r"Seat (\d+): (.+) \(([\d.]+€?)(?:, [^)]*)?\)(.*)")
_EUROS = re.compile(r"(\d+(?:\.\d+)?)€")
_DECIMAL_COMMA = re.compile(r"\d,\d\d?€|€\d+,\d\d?\b")
_WINAMAX_DEED = re.compile(
    r"(posts|folds|checks|calls|bets|raises|shows|collected)\b(?:.*?€?([\d.]+))?(?: to €?([\d.]+))?.*"
)
_WINAMAX_TOTAL = re.compile(r"Total pot €?([\d.]+) \| (?:No rake|Rake €?([\d.]+))")


def _currency_first(text: str) -> str:
    return _EUROS.sub(r"€\1", text)


def of_winamax(text: str) -> str:
    """Return Winamax's text of a hand as PokerStars would write it. Raises `BadHand`.

    What nobody called is not returned there, but collected with the pot, whose total is told without the rake.
    """
    with_points = _DECIMAL_COMMA.sub(lambda euros: euros[0].replace(",", "."), text)
    head, *lines = [line.strip() for line in with_points.split("\n")]
    told = _WINAMAX_HEAD.fullmatch(head)
    if told is None:
        raise BadHand(f"{head[:120]!r} is no first line of a hand of limit or no-limit hold'em")
    count, time, kind, stakes, date = told.groups()
    limit = "No Limit" if kind == "no" else "Limit"
    written = [f"PokerStars Hand #{time}{int(count) % 1000:03}: Hold'em {limit} ({_currency_first(stakes)}) - {date}"]
    names, street, paid, collected = list[str](), dict[str, float](), dict[str, float](), dict[str, float]()
    for line in lines:
        name = max((name for name in names if line.startswith(f"{name} ")), key=len, default=None)
        rest = _currency_first(line[len(name) + 1 :] if name is not None else line)
        deed = _WINAMAX_DEED.fullmatch(rest) if name is not None else None
        if seat := _WINAMAX_SEAT.fullmatch(line) if "*** SUMMARY ***" not in written else None:
            names.append(seat[2])
            written.append(f"Seat {seat[1]}: {seat[2]} ({_currency_first(seat[3])} in chips){seat[4]}")
        elif name is not None and deed is not None and deed[1] == "collected":
            collected[name] = collected.get(name, 0) + amount(deed[2])
        elif name is not None and deed is not None:
            written.append(f"{name}: {rest}")
            more = amount(deed[2]) if deed[2] and deed[1] in ("posts", "calls", "bets", "raises") else 0
            if deed[1] == "raises" and deed[3]:
                more = amount(deed[3]) - street.get(name, 0)
            if not rest.startswith("posts ante"):
                street[name] = street.get(name, 0) + more
            paid[name] = paid.get(name, 0) + more
        elif total := _WINAMAX_TOTAL.fullmatch(rest):
            rake = amount(total[2] or "0")
            first, second = sorted([*paid.values(), 0, 0], reverse=True)[:2]
            back = round(first - second, 2)
            if back:
                name = max(paid, key=paid.__getitem__)
                collected[name] = collected.get(name, 0) - back
                written.insert(-1, f"Uncalled bet ({back:.2f}) returned to {name}")
            for name, chips in collected.items():
                if chips > 0.001:
                    written.insert(-1, f"{name} collected {chips:.2f} from pot")
            written.append(f"Total pot {amount(total[1]) + rake - back:.2f} | Rake {rake:.2f}")
        elif line.startswith("Table: "):
            written.append(line.replace("Table: ", "Table ", 1))
        elif line.startswith("*** "):
            street = street if line == "*** PRE-FLOP ***" else {}
            written.append(line.replace("PRE-FLOP", "HOLE CARDS") if "ANTE/BLINDS" not in line else "")
        else:
            written.append(line.replace("Board: ", "Board ", 1))
    return "\n".join(written)


def amount(text: str) -> float:
    """Return an amount that may have commas between thousands."""
    try:
        return float(text.replace(",", ""))
    except ValueError as error:
        raise BadHand(f"{text[:40]!r} is no amount") from error


def _read_header(hand: HandText, header: str) -> None:
    number, kind, stakes = _NUMBER.match(header), _KIND.search(header), _STAKES.findall(header)
    if number is None:
        raise BadHand(f"{header[:120]!r} is no first line of a hand")
    if kind is None or kind[1] == "Pot Limit":
        raise BadHand(f"the game is neither limit nor no-limit hold'em: {header[:120]!r}")
    if not stakes:
        raise BadHand(f"no blinds such as (10/20) in {header[:120]!r}")
    currency, low, high = stakes[-1]
    hand.number, hand.limit = int(number[1]), kind[1] == "Limit"
    hand.stakes = amount(low), amount(high)
    hand.money = bool(currency) or "." in low + high
    hand.time = header_time(header)


class _Lines:
    """Reads the lines after the table's into a hand."""

    def __init__(self, hand: HandText) -> None:
        self.hand = hand
        self.round: int | None = None
        """Round of the actions that follow; None before the hole cards."""
        self.over = False
        """True in the summary."""

    def read(self, lines: list[str], first: int) -> None:
        for at in range(first, len(lines)):
            if self.is_other_hand(lines[at]):
                if self.over:
                    return
                raise BadHand(CUT_OFF, at)
            if lines[at]:
                try:
                    self.line(lines[at], at)
                except BadHand as error:
                    raise BadHand(str(error), at) from error
                except ProtocolError as error:
                    raise BadHand(f"{lines[at][:120]!r}: {error}", at) from error

    def line(self, line: str, at: int) -> None:
        hand = self.hand
        if street := _STREET.fullmatch(line):
            self.street(street[1], street[2])
        elif self.over:
            self.summary(line)
        elif self.round is None and (seat := _SEAT.fullmatch(line)):
            out = "sitting out" in seat[4] or "out of hand" in seat[4]
            hand.seats.append(Chair(int(seat[1]), seat[2], amount(seat[3]), out))
        elif dealt := _DEALT.fullmatch(line):
            self.hole(dealt[1], dealt[2])
        elif back := UNCALLED.fullmatch(line):
            hand.uncalled, hand.uncalled_to = amount(back[1]), back[2]
        elif (won := COLLECTED.fullmatch(line)) and any(seat.name == won[1] for seat in hand.seats):
            hand.collected[won[1]] = hand.collected.get(won[1], 0) + amount(won[2])
        elif name := self.speaker(line):
            self.player_line(name, line[len(name) + 2 :], at)

    def is_other_hand(self, line: str) -> bool:
        """Return whether a line is of another hand: one of another room, which begins in words of its own."""
        if self.over:
            return bool(_OTHER_HAND.match(line) or _STREET.fullmatch(line))
        again = line.startswith("*** HOLE CARDS") or _CHAIR.match(line)
        if not (_OTHER_HAND.match(line) or (again and self.round is not None)):
            return False
        return self.speaker(line) is None and " said, " not in line

    def speaker(self, line: str) -> str | None:
        """Return the player whose name and a colon begin the line, the longest name if several do."""
        names = [seat.name for seat in self.hand.seats if line.startswith(f"{seat.name}: ")]
        return max(names, key=len, default=None)

    def street(self, name: str, cards: str) -> None:
        first, _, rest = name.partition(" ")
        run, name = (RUNS.index(first), rest) if first in RUNS else (0, name)
        if name == "SUMMARY":
            self.over = True
        elif name in _STREETS and not (run and name == "HOLE CARDS"):
            self.round = _STREETS[name]
            if self.round:
                self.board("".join(re.findall(r"\[(.*?)\]", cards)), run, whole=True)
        elif name not in ("SHOW DOWN", "SHOWDOWN"):
            raise BadHand(f"*** {name} *** is no street that is read")

    def board(self, text: str, run: int, whole: bool = False) -> None:
        cards, boards = parse_cards(text.replace(" ", "")), self.hand.boards
        if whole and run == len(boards):
            boards.append(cards[: _BOARD_SIZES[(self.round or 1) - 1]])
        if run >= len(boards) or cards[: len(boards[run])] != boards[run]:
            raise BadHand(f"the board {text!r} does not continue the one before")
        if whole and len(cards) != _BOARD_SIZES[self.round or 0]:
            raise BadHand(f"{len(cards)} cards are on the board of round {self.round}")
        boards[run] = cards

    def hole(self, name: str, text: str) -> None:
        cards = parse_cards(text.replace(" ", ""))
        if len(cards) != 2:
            raise BadHand(f"{name} holds {len(cards)} cards: {text!r}")
        held = self.hand.holes.setdefault(name, cards)
        if set(held) != set(cards):
            raise BadHand(f"{name} shows other cards than were dealt: {text!r}")

    def player_line(self, name: str, rest: str, at: int) -> None:
        hand = self.hand
        if post := _POST.fullmatch(rest):
            hand.posts.append(Post(name, post[1], amount(post[2]), at))
        elif action := ACTION.fullmatch(rest):
            if self.round is None or len(hand.boards) > 1:
                when = "before the hole cards are dealt" if self.round is None else "where two boards lie"
                raise BadHand(f"{name} acts {when}")
            chips, to = (amount(text) if text else 0 for text in (action[2], action[3]))
            if action[1] == "bets":
                to = chips
            hand.moves.append(Move(at, self.round, name, _KINDS[action[1]], chips, to))
        elif (shown := _SHOWN.match(rest)) and len(shown[1]) == 5:
            # A player who shows one of two cards, as after everybody has folded, is taken to show none.
            self.hole(name, shown[1])

    def summary(self, line: str) -> None:
        hand = self.hand
        if total := TOTAL.match(line):
            hand.total, hand.rake = amount(total[1]), amount(total[2])
        elif board := _BOARD.fullmatch(line):
            self.board(board[2], RUNS.index(board[1]) if board[1] in RUNS else 0)
        elif seat := SUMMARY_SEAT.match(line):
            name = next((other.name for other in hand.seats if other.number == int(seat[1])), None)
            if name is not None and len(seat[2]) == 5:
                self.hole(name, seat[2])
