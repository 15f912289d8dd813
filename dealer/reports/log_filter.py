"""Picks hands out of a file."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from limpet.configs.loading import ConfigError
from limpet.protocol.archives.acpc import LogStream, definition_comment, shipped_file
from limpet.protocol.archives.hand_file import HandFile
from limpet.protocol.archives.hands import PokerStarsFile, RoomFile
from limpet.protocol.cards import parse_cards
from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import GameDef
from limpet.protocol.handhistory import big_blind, contested_pot, position_names, street_names
from limpet.protocol.matchlog import HandRecord, Score
from limpet.protocol.messages import Hole

Test = Callable[[HandRecord], bool]
HoleTest = Callable[[Hole], bool]

KNOWN_GAMES = 1 << 12
"""Number of games whose tests are remembered."""

_SHORT_NAMES = {"bb": "big blind", "sb": "small blind", "btn": "button", "bu": "button", "dealer": "button"}
_HANDS = re.compile(r"(\d{1,18})(?:-(\d{0,18}))?", re.ASCII)
_PATTERN = re.compile(r"([rd]\d{0,15}|[fc/.*$])", re.ASCII)


class Criteria(NamedTuple):
    """Conditions on a hand. None and empty text are no condition.

    Attributes:
        position: position of the player, as a number or a name.
        reached: street that was dealt.
        min_pot, max_pot: smallest and largest pot in big blinds, without uncalled chips.
        hands: hand numbers: ``7``, ``10-200``, ``3000-``, several with commas.
        action: beginning of the betting; see `betting_pattern`.
        won: true for hands in which the player won chips, False for those in which it lost some.
    """

    player: str | None = None
    position: str | None = None
    reached: str | None = None
    min_pot: float | None = None
    max_pot: float | None = None
    hands: str | None = None
    cards: str | None = None
    """Hole cards of the player, or of any player if none is named: some of the cards, or a range (hold'em)."""
    board: str | None = None
    action: str | None = None
    showdown: bool | None = None
    won: bool | None = None

    def test(self, game: GameDef) -> Test:
        """Return a function that tests a hand. Raises `ConfigError` for an impossible condition."""
        tests = list(self._tests(game))
        return lambda hand: all(test(hand) for test in tests)

    def _tests(self, game: GameDef) -> Iterator[Test]:
        if self.player is None and (self.position is not None or self.won is not None):
            raise ConfigError("a position and winning or losing are a player's: name one with --player")
        if self.hands is not None:
            ranges = hand_ranges(self.hands)
            yield lambda hand: any(first <= hand.hand <= last for first, last in ranges)
        if (name := self.player) is not None:
            yield lambda hand: name in hand.names
        if name is not None and self.position is not None:
            position = position_number(self.position, game)
            yield lambda hand: hand.names[position] == name
        if self.reached is not None:
            round_ = street_number(self.reached, game)
            yield lambda hand: hand.state.round >= round_
        if (least := self.min_pot) is not None:
            yield lambda hand: contested_pot(hand.state) >= least * big_blind(hand.state.game)
        if (most := self.max_pot) is not None:
            yield lambda hand: contested_pot(hand.state) <= most * big_blind(hand.state.game)
        if (showdown := self.showdown) is not None:
            yield lambda hand: hand.state.showdown == showdown
        if name is not None and self.won is not None:
            sign = 1 if self.won else -1
            yield lambda hand: hand.values[hand.names.index(name)] * sign > 0
        if self.action is not None:
            pattern = betting_pattern(self.action, game)
            yield lambda hand: pattern.match(hand.state.betting) is not None
        if self.board is not None:
            board = _board(self.board, game)
            yield lambda hand: any(board.issubset(each) for each in hand.boards)
        if self.cards is not None:
            held = hole_test(self.cards, game)
            if name is not None:
                yield lambda hand: held(hand.holes[hand.names.index(name)])
            else:
                yield lambda hand: any(held(hole) for hole in hand.holes)


def hand_ranges(text: str) -> list[tuple[int, int]]:
    """Return the first and last hand of each range in `text`. Raises `ConfigError`.

    >>> hand_ranges("7,10-200")
    [(7, 7), (10, 200)]
    """
    ranges = []
    for part in text.split(","):
        match = _HANDS.fullmatch(part.strip())
        if match is None:
            raise ConfigError(f"--hands {text}: {part.strip()!r} is not a hand or a range; write 7, 10-200 or 3000-")
        first = int(match[1])
        last = first if match[2] is None else int(match[2]) if match[2] else 2**63
        if last < first:
            raise ConfigError(f"--hands {text}: {part.strip()!r} ends before it begins; write the smaller number first")
        ranges.append((first, last))
    return ranges


def position_number(text: str, game: GameDef) -> int:
    """Return a position by its number from 0 or its name. Raises `ConfigError`."""
    names = position_names(game)
    known = ", ".join(f"{number} ({name})" for number, name in enumerate(names))
    told = f"--position {text}: this game has the positions {known}"
    return _number(_SHORT_NAMES.get(text.lower(), text.lower()), names, 0, told)


def street_number(text: str, game: GameDef) -> int:
    """Return a street by its name or its number from 1. Raises `ConfigError`."""
    names = street_names(game)
    return _number(text.lower(), names, 1, f"--reached {text}: this game has the streets {', '.join(names)}")


def _number(text: str, names: Sequence[str], first: int, told: str) -> int:
    """Return the index of a name, or of its number counted from `first`. Raises `ConfigError`, which says `told`."""
    for spellings in (names, [str(number) for number in range(first, first + len(names))]):
        if text in spellings:
            return spellings.index(text)
    raise ConfigError(told)


def betting_pattern(text: str, game: GameDef) -> re.Pattern[str]:
    """Return a pattern for the beginning of a hand's betting, written as in logs: ``r300c/``. Raises `ConfigError`.

    An ``r`` without a number is a raise of any size, a ``d`` without one a draw of any number of cards, ``.`` any action,
    ``*`` anything or nothing, and ``$`` at the end says that the betting ends there.

    >>> from limpet.configs.loading import load_game
    >>> bool(betting_pattern("r*/cr", load_game("holdem.nolimit.2p.reverse_blinds")).match("r300c/cr600f"))
    True
    """
    parts = [part for part in _PATTERN.split(text) if part]
    out = []
    for at, part in enumerate(parts):
        is_pattern = _PATTERN.fullmatch(part) and (part[0] != "d" or game.num_draws)
        if not is_pattern or (part == "$" and at != len(parts) - 1):
            raise ConfigError(
                f"--action {text}: {part!r} does not belong there; write f, c, r, r300 and / as the log does, . for any "
                "action, * for anything, $ at the end"
            )
        if part[0] == "r" and len(part) > 1 and not game.no_limit:
            raise ConfigError(f"--action {text}: raises have no size in a limit game; write r")
        if part[0] in "rd":
            out.append(f"{part}(?!\\d)" if len(part) > 1 else rf"{part}\d*")
        else:
            out.append({".": r"(?:[fc]|[rd]\d*)", "*": ".*", "$": r"\Z"}.get(part, part))
    return re.compile("".join(out), re.ASCII)


def hole_test(text: str, game: GameDef) -> HoleTest:
    """Return a test of hole cards for some of the cards in `text`, or for a range in hold'em. Raises `ConfigError`."""
    try:
        cards = _different_cards(text)
    except ProtocolError as error:
        from limpet.strategies.cards.handspace import is_holdem

        if not is_holdem(game):
            raise ConfigError(f"--cards {error}") from error
        from limpet.strategies.cards.ranges import parse_range

        weights = parse_range(text)
        return lambda hole: len(hole) == 2 and bool(weights[min(hole) + max(hole) * (max(hole) - 1) // 2] > 0)
    if len(cards) > game.num_hole_cards:
        raise ConfigError(f"--cards {text}: a player holds {game.num_hole_cards} in this game")
    return lambda hole: cards.issubset(hole)


def _board(text: str, game: GameDef) -> frozenset[int]:
    try:
        cards = _different_cards(text.replace("/", ""))
    except ProtocolError as error:
        raise ConfigError(f"--board {error}") from error
    if not cards <= game.card_set:
        raise ConfigError(f"--board {text}: not all of these are in this game's deck")
    return cards


def _different_cards(text: str) -> frozenset[int]:
    """Return cards written one after another, blanks left out. Raises `ProtocolError`, for a card named twice too."""
    cards = parse_cards(text.replace(" ", ""))
    if len(set(cards)) < len(cards):
        raise ProtocolError(f"{text!r} names a card twice; name each once")
    return frozenset(cards)


class Filtered:
    """The texts of the wanted hands of a file. After iterating, `kept` of `seen` hands were written."""

    def __init__(self, stream: HandFile, criteria: Criteria) -> None:
        self.stream, self.criteria = stream, criteria
        self.kept = self.seen = 0
        self.players: set[str] = set()
        """Players of all hands seen."""
        self._tests: dict[GameDef, Test] = {}

    def __iter__(self) -> Iterator[str]:
        """Yield the wanted hands unchanged; of a log also comments, and for each score one of the wanted hands before it.

        If the log's header names a game that does not ship, a comment with the game's definition comes first, so that the
        hands can be read in another folder.

        Raises `ProtocolError` as the file does, and `ConfigError` for an impossible condition.
        """
        if isinstance(self.stream, LogStream):
            yield from self._log(self.stream)
            return
        behind = "\n\n" if isinstance(self.stream, PokerStarsFile | RoomFile) else "\n"
        for line, hand in self.stream.hands():
            if self._keeps(hand):
                yield line.text + behind

    def _keeps(self, hand: HandRecord) -> bool:
        """Return whether a hand is wanted, and count it."""
        game = hand.state.game
        if game not in self._tests:
            if len(self._tests) >= KNOWN_GAMES:
                self._tests.clear()
            try:
                self._tests[game] = self.criteria.test(game)
            except ConfigError:
                if not self.seen:  # in later games of the file, no hand passes an impossible condition
                    raise
                self._tests[game] = lambda hand: False
        self.seen += 1
        self.players.update(hand.names)
        keeps = self._tests[game](hand)
        self.kept += keeps
        return keeps

    def _log(self, stream: LogStream) -> Iterator[str]:
        before: list[str] = []  # comments are held back until the conditions are known to be possible in this game
        totals: defaultdict[str, float] = defaultdict(float)
        for line in stream:
            if isinstance(line.entry, HandRecord):
                keeps, game = self._keeps(line.entry), line.entry.state.game
                is_foreign = self.seen == 1 and stream.header is not None and stream.header.game != shipped_file(game)
                if is_foreign and definition_comment(game) not in before:
                    yield definition_comment(game)
                yield from before
                before = []
                if keeps:
                    for name, value in zip(line.entry.names, line.entry.values, strict=True):
                        totals[name] += value
                    yield line.text
            elif isinstance(line.entry, Score):
                yield str(Score(tuple(totals[name] for name in line.entry.names), line.entry.names))
                totals.clear()
            elif line.text.startswith("#"):
                before.append(line.text)
                if self.seen:
                    yield from before
                    before = []
        yield from before
