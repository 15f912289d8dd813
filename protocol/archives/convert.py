"""Hands of any format, written in another one."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import chain, islice
from typing import Literal, get_args

from limpet.protocol.archives.acpc import LogWriter
from limpet.protocol.archives.hand_file import HandFile, HandPlace, no_hands
from limpet.protocol.archives.write_phh import hand_text
from limpet.protocol.archives.write_pokerstars import PokerStarsTable
from limpet.protocol.chip_sums import MAX_CHIPS
from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import NO_STACK_LIMIT, GameDef
from limpet.protocol.handhistory import Unsupported
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.state import State, raise_to

Format = Literal["acpc", "phh", "pokerstars"]
FORMATS: tuple[Format, ...] = get_args(Format)
SHOWN_LEFT_OUT = 5
"""Number of hands whose messages are kept, of those that a format cannot express."""

Write = Callable[[HandFile, HandPlace, HandRecord], str]


class Converted:
    """The texts of hands in another format. While iterating, `written` and `left_out` count them."""

    def __init__(
        self, files: Iterable[HandFile], target: Format, hand: int | None = None, line: int | None = None
    ) -> None:
        """`hand` and `line` choose hands by number and line. A single chosen hand is written in PHH without a section."""
        self._files, self._target = list(files), target
        self._hand, self._line = hand, line
        self.written = 0
        self.left_out = 0
        """Number of hands that the format cannot express."""
        self.messages: list[str] = []
        """Messages about the first hands that were left out."""

    def __iter__(self) -> Iterator[tuple[HandFile, str]]:
        """Yield the text of each hand with its file. Raises `ProtocolError` if no hand can be read or none can be written."""
        texts = self._texts()
        if self._target == "phh":
            texts = _sections(texts, alone=self._hand is not None or self._line is not None)
        yield from texts
        if not self.written:
            skipped = [message for file in self._files for message in file.complaints]
            paths = [file.path for file in self._files]
            raise ProtocolError(self.messages[0] if self.messages else no_hands(*paths, skipped=skipped))

    def _texts(self) -> Iterator[tuple[HandFile, str]]:
        write = _writer(self._target)
        for file in self._files:
            for line, record in file.chosen(self._hand, self._line):
                try:
                    text = write(file, line, record)
                except Unsupported as error:
                    self.left_out += 1
                    if len(self.messages) < SHOWN_LEFT_OUT:
                        self.messages.append(f"{file.path}:{line.number}: {error}")
                    continue
                self.written += 1
                yield file, text


def _writer(target: Format) -> Write:
    if target == "acpc":
        log = LogWriter()
        return lambda file, line, hand: log.hand_text(hand, file.match, file.header)
    if target == "pokerstars":
        table = PokerStarsTable()
        return lambda file, line, hand: table.hand_text(hand, file.match, line.time)
    return lambda file, line, hand: hand_text(hand, file.match, line.time)


def _sections(texts: Iterator[tuple[HandFile, str]], alone: bool) -> Iterator[tuple[HandFile, str]]:
    """Yield hands of PHH with the headings of their sections; with `alone`, a single hand stands without one."""
    begun = list(islice(texts, 2 if alone else 0))
    if len(begun) == 1:
        yield begun[0]
        return
    for number, (file, text) in enumerate(chain(begun, texts), 1):
        yield file, f"[{number}]\n{text}\n"


# --- Hands with other chips: a hand that was played at one table's blinds as it would have gone at another's.


class _Inexact(Exception):
    """An amount that is no whole number of chips, or too many, after scaling."""


def scaled(hand: HandRecord, table: GameDef) -> HandRecord | None:
    """Return a hand with all its chips multiplied so that its blinds are those of the game `table`.

    Its stacks stay as many big blinds as they were. None where the blinds differ in more than their size, or where an
    amount would be no whole number of chips.
    """
    own, factor = hand.state.game, Fraction(table.big_blind, hand.state.game.big_blind)
    try:
        rules = [_scaled(amounts, factor) for amounts in (own.blind, own.raise_size, own.dead, (own.min_bet,))]
        blind, raise_size, dead, (min_bet,) = rules
        if (own.betting, rules) != (table.betting, [table.blind, table.raise_size, table.dead, (table.min_bet,)]):
            return None
        game = replace(
            own,
            stack=_scaled(own.stack, factor),
            blind=blind,
            raise_size=raise_size,
            dead=dead,
            min_bet=min_bet,
            comments=(),
        )
        state = State.start(game)
        for step in hand.state.path():
            action = step.action
            if action is None:
                continue
            if action.kind == "r" and own.no_limit:
                action = raise_to(*_scaled([action.size], factor))
            if not state.is_legal(action):
                return None
            state = state.apply(action)
    except _Inexact:
        return None
    values = tuple(value * float(factor) for value in hand.values)
    return hand._replace(state=state.with_board(hand.state.board), values=values)


def _scaled(amounts: Iterable[int], factor: Fraction) -> tuple[int, ...]:
    """Return amounts times a factor; a stack without limit stays so. Raises `_Inexact`."""
    products = [amount if amount == NO_STACK_LIMIT else amount * factor for amount in amounts]
    if any(product.denominator != 1 or product > MAX_CHIPS for product in products):
        raise _Inexact
    return tuple(map(int, products))
