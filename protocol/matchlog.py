"""The match log and the transaction log, read and printed.

The log (``NAME.log``) is the record of a match: a header, one ``STATE`` line a hand, one ``SCORE`` line. Values and names
stand in position order in a hand and in seat order in the score. The transaction log (``NAME.tlog``) holds one line an
action, enough to play an interrupted match on.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, pairwise
from typing import NamedTuple

from limpet.protocol.cards import CARD_TEXT
from limpet.protocol.draws import Draws, exchange, hands_after
from limpet.protocol.errors import IllegalAction, ProtocolError
from limpet.protocol.gamedef import BET, GameDef
from limpet.protocol.messages import Hole, read_action, read_log_state, state_text
from limpet.protocol.settlement import values_text
from limpet.protocol.state import Action, State

_HEADER = re.compile(r"# name/game/hands/seed (\S+) (.+) (\d{1,20}) (\d{1,39})", re.ASCII)  # 39: secrets of 129 bits
_STAMPS = re.compile(r" (\d{1,20}) (\d{1,20})\.(\d{6}) (\d{1,20})\.(\d{6})", re.ASCII)
_CHIPS = re.compile(r"-?\d{1,15}(?:\.\d{1,15})?", re.ASCII)


class Header(NamedTuple):
    """The first four lines of a log. Times are milliseconds; `game` is the text the dealer was given."""

    name: str
    game: str
    hands: int
    seed: int
    t_response: int = 600_000
    t_hand: int = 600_000
    t_per_hand: int = 7_000

    def __str__(self) -> str:
        return (
            f"# name/game/hands/seed {self.name} {self.game} {self.hands} {self.seed}\n"
            f"#--t_response {self.t_response}\n#--t_hand {self.t_hand}\n#--t_per_hand {self.t_per_hand}"
        )


class HandRecord(NamedTuple):
    """A ``STATE`` line: a finished hand. `holes`, `values` (net chips) and `names` are per position.

    `holes` are the cards that were dealt, `hands` those that are held in the end. `runs` are the whole boards of further runs,
    where the cards after an all-in were dealt more than once: each board then pays its part of the pots. No log can say them.
    """

    hand: int
    state: State
    holes: tuple[Hole, ...]
    values: tuple[float, ...]
    names: tuple[str, ...]
    draws: Draws = ()
    runs: tuple[Hole, ...] = ()

    def __str__(self) -> str:
        values = values_text(self.values)
        return f"STATE:{self.hand}:{state_text(self.state, self.holes, self.draws)}:{values}:{'|'.join(self.names)}"

    @property
    def hands(self) -> tuple[Hole, ...]:
        """Private cards by position after all draws."""
        return hands_after(self.holes, self.draws)

    @property
    def boards(self) -> tuple[Hole, ...]:
        """The board, and behind it those of further runs."""
        return self.state.board, *self.runs

    def decisions(self) -> Iterator[tuple[State, Action, tuple[Hole, ...]]]:
        """Yield every state in which somebody acted, its board dealt, the action, and everybody's private cards then.

        A draw names its discards where they are known.
        """
        hands = list(self.holes)
        for state, after in pairwise(self.state.path()):
            action, actor = after.action, state.actor
            assert action is not None
            if state.phase is BET:
                yield state.with_board(self.state.board), action, tuple(hands)
                continue
            drawn = exchange(self.holes, self.draws, state.round, actor)
            yield state, action._replace(cards=drawn.discards), tuple(hands)
            hands[actor] = drawn.hand


class Score(NamedTuple):
    """The ``SCORE`` line: total net chips and names per seat."""

    values: tuple[float, ...]
    names: tuple[str, ...]

    def __str__(self) -> str:
        return f"SCORE:{values_text(self.values)}:{'|'.join(self.names)}"


class Transaction(NamedTuple):
    """A line of the transaction log: an action, and in microseconds since 1970 when it was asked for and `received`."""

    action: Action
    hand: int
    sent: int
    received: int

    def __str__(self) -> str:
        return f"{self.action} {self.hand} {stamp(self.sent)} {stamp(self.received)}"


Entry = str | HandRecord | Score
"""A line of a log; comments are strings."""


def stamp(micros: int) -> str:
    """Return microseconds as ``seconds.micros``.

    >>> stamp(1795236160000042)
    '1795236160.000042'
    """
    return f"{micros // 1_000_000}.{micros % 1_000_000:06d}"


def read_transactions(text: str, game: GameDef, source: str = "transaction log") -> tuple[Transaction, ...]:
    """Read a transaction log. Raises `ProtocolError`; does not check that actions are legal."""
    return tuple(parse_transaction(line, game, f"{source}:{number}") for number, line in numbered_lines(text))


def parse_transaction(line: str, game: GameDef, where: str = "transaction") -> Transaction:
    """Read one line of a transaction log. Raises `ProtocolError` that begins with `where`."""
    try:
        action, at = read_action(line, 0, game)
    except ProtocolError as error:
        raise ProtocolError(f"{where}: {error}") from error
    stamps = _STAMPS.fullmatch(line, at)
    if stamps is None:
        raise ProtocolError(
            f"{where}: {line[:200]!r} is not ACTION HAND SENT RECEIVED, such as 'c 3 12.000001 12.000002'"
        )
    hand, sent, sent_micros, received, received_micros = map(int, stamps.groups())
    return Transaction(action, hand, sent * 1_000_000 + sent_micros, received * 1_000_000 + received_micros)


def whole_lines(text: str) -> str:
    """Return `text` up to its last newline: the lines that a kill has not cut off."""
    return text[: text.rfind("\n") + 1]


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Return the lines of a log with their numbers from 1, without a last line that a kill has cut off."""
    return enumerate(text.split("\n")[:-1], 1)


def read_header(comment: str) -> Header | None:
    """Read the header in a log's first line, with the usual time limits; None for any other comment."""
    match = _HEADER.fullmatch(comment)
    return Header(match[1], match[2], int(match[3]), int(match[4])) if match else None


def read_entry(line: str, game: GameDef, where: str) -> Entry:
    """Read one line of a log, without its newline. Raises `ProtocolError` that begins with `where`."""
    if line.startswith("#"):
        return line
    if line.startswith("SCORE:"):
        values, names = _values_and_names(line, len("SCORE"), game, where)
        return Score(values, names)
    try:
        hand, state, holes, draws, end = read_log_state(line, game)
    except ProtocolError as error:
        raise ProtocolError(f"{where}: {error}") from error
    values, names = _values_and_names(line, end, game, where)
    return HandRecord(hand, state, holes, values, names, draws)


def _values_and_names(line: str, at: int, game: GameDef, where: str) -> tuple[tuple[float, ...], tuple[str, ...]]:
    """Read ``:values:names`` at index `at`. A name may hold a colon, so the values end at the first one."""
    values_text, colon, names_text = line[at + 1 :].partition(":")
    values, names = values_text.split("|"), tuple(names_text.split("|"))
    players = game.num_players
    if line[at : at + 1] != ":" or not colon or len(values) != players or len(names) != players:
        raise ProtocolError(
            f"{where}: {line[at:][:200]!r} should be :values:names with {players} of each, separated by '|'"
        )
    for value in values:
        if not _CHIPS.fullmatch(value):
            raise ProtocolError(f"{where}: {value[:80]!r} is not a number of chips")
    return tuple(map(float, values)), names


# --- A fast reader of the states in match states and logs that are spelt as dealers spell them.

KNOWN_BETTING = 1 << 13
"""Number of betting sequences whose end is remembered, so that each action is applied once."""
KNOWN_HOLES = 1 << 16
"""Number of texts of hole cards that are remembered."""
KNOWN_DEALS = 1 << 7
"""Number of texts of all cards that are remembered: the lines of a hand repeat them."""
MOST_BETTING = 512
"""Characters of the longest betting that is read quickly; hands of more are hardly ever played."""


class DealtCards(NamedTuple):
    """All cards of a state, no card twice: hole cards per position, empty for hidden ones, and the board of a round."""

    holes: tuple[Hole, ...]
    board: tuple[int, ...]
    round: int


class QuickReader:
    """Reads the ``betting:cards`` of one game."""

    def __init__(self, game: GameDef) -> None:
        self.game = game
        self._start = State.start(game)
        self._ids = {CARD_TEXT[card]: card for card in game.deck}
        self._hole_lengths = (0, 2 * game.num_hole_cards)
        self._board_lengths = [2 * count for count in game.num_board_cards[1:]]
        self._played = lru_cache(KNOWN_BETTING)(self._play)
        self._cards = lru_cache(KNOWN_HOLES)(self._read_cards)
        self._dealt = lru_cache(KNOWN_DEALS)(self._deal)

    def read(self, betting: str, cards: str) -> tuple[State, DealtCards] | None:
        """Return the state, without its board, and the cards. None stands for another spelling and what cannot be."""
        dealt = self._dealt(cards)
        state = self._played(betting) if len(betting) <= MOST_BETTING else None
        return (state, dealt) if state is not None and dealt is not None and state.round == dealt.round else None

    def _play(self, betting: str) -> State | None:
        """Return the state after the betting, from the one before its last action."""
        if not betting:
            return self._start
        text = betting.rstrip("/")
        letters = text.rstrip("0123456789")
        size = text[len(letters) :]
        before = self._played(letters[:-1])
        if before is None or bool(size) != (letters[-1:] == "r" and self.game.no_limit):
            return None
        try:
            state = before.apply(Action(letters[-1:], int(size or 0)))
        except IllegalAction:
            return None
        return state if state.betting == betting else None

    def _deal(self, text: str) -> DealtCards | None:
        game = self.game
        holes_text, *boards = text.split("/")
        holes = holes_text.split("|")
        if (
            game.num_board_cards[0]  # such a board follows the hole cards without a separator
            or len(holes) != game.num_players
            or not set(map(len, holes)).issubset(self._hole_lengths)
            or list(map(len, boards)) != self._board_lengths[: len(boards)]
        ):
            return None
        try:
            dealt = DealtCards(tuple(map(self._cards, holes)), self._read_cards("".join(boards)), len(boards))
        except KeyError:
            return None
        cards = [*dealt.board, *chain.from_iterable(dealt.holes)]
        return dealt if len(set(cards)) == len(cards) else None

    def _read_cards(self, text: str) -> Hole:
        return tuple([self._ids[text[at : at + 2]] for at in range(0, len(text), 2)])
