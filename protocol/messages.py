"""Lines of the ACPC protocol: bytes cut into lines, match states and responses, read and printed.

There are two readers. The tolerant one accepts the lines that the reference dealer accepts (missing separators, any case,
text after the action). The strict one accepts a line only if printing it again gives the same text.
"""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from limpet.protocol.cards import card_id, cards_text, parse_cards
from limpet.protocol.draws import (
    Draws,
    all_cards,
    check_draws,
    distinct_cards_of,
    draws_text,
    hand_after,
    hands_after,
    sections_of,
    shown_draws,
)
from limpet.protocol.errors import IllegalAction, ProtocolError
from limpet.protocol.gamedef import DRAW, GameDef
from limpet.protocol.state import CALL, FOLD, RAISE, Action, State, discard, raise_to

VERSION_LINE = "VERSION:2.0.0"
KNOWS_ANTES = "antes"
"""Word behind the version by which a client says that it knows the keys ``ante``, ``minBet`` and ``wholeAntes``."""

Hole = tuple[int, ...]
"""One player's hole cards; empty when they are not visible."""

_KINDS = {"f": "f", "F": "f", "c": "c", "C": "c", "k": "c", "K": "c", "r": "r", "R": "r", "b": "r", "B": "r"}
# The reference holds no line longer than 4,096 characters, and Python reads no int of more than 4,300 digits.
_SIZE = re.compile(r"\s*([+-]?\d{1,4096})", re.ASCII)
_HEADER = re.compile(r"MATCHSTATE:\s*([+-]?\d{1,4096}):\s*([+-]?\d{1,4096}):", re.ASCII)
_DISCARDS = re.compile(r"[dD]((?:\s*[2-9TJQKAtjqka][cdhsCDHS])*)0?(?!\w)", re.ASCII)
_DRAW_COUNT = re.compile(r"d(\d{1,3})", re.ASCII)
_LOG_HEADER = re.compile(r"STATE:\s*\+?(\d{1,4096}):", re.ASCII)


class MatchState(NamedTuple):
    """A hand as one seat sees it: its position, the public state, and the hole cards, as dealt, and draws it may see."""

    position: int
    hand: int
    state: State
    holes: tuple[Hole, ...]
    draws: Draws = ()

    def __str__(self) -> str:
        return f"MATCHSTATE:{self.position}:{self.hand}:{state_text(self.state, self.holes, self.draws)}"

    @property
    def my_turn(self) -> bool:
        return self.state.actor == self.position

    @property
    def own_hand(self) -> Hole:
        """The private cards that this seat holds now, after its draws."""
        hole = self.holes[self.position]
        return hand_after(hole, sections_of(self.draws, self.position)) if self.draws else hole

    @property
    def hands(self) -> tuple[Hole, ...]:
        """The private cards that are held now, per position; empty where this seat may not see them."""
        return hands_after(self.holes, self.draws)

    def allows(self, action: Action) -> bool:
        """Return whether this seat, whose turn it is, may take `action`. Discards must be of its own cards."""
        if not self.state.is_legal(action):
            return False
        named = len(action.cards) == action.size and distinct_cards_of(action.cards, self.own_hand)
        return action.kind != "d" or named


def state_text(state: State, holes: Sequence[Hole], draws: Draws = ()) -> str:
    """Return ``betting:cards`` as match states and logs print it, with the given private cards (empty ones stay empty)."""
    held = "|".join([cards_text(hole) for hole in holes])
    if state.game.num_draws:
        return f"{state.betting}:{held}{draws_text(shown_draws(state, draws))}"
    return f"{state.betting}:{held}{board_text(state.game, state.board, state.round)}"


def board_text(game: GameDef, board: tuple[int, ...], round_: int) -> str:
    """Return the text of the board as it is in a round. A slash precedes the cards of each round but the first."""
    ends = game.board_sizes[: round_ + 1]
    return "/".join([cards_text(board[start:end]) for start, end in zip((0, *ends), ends, strict=False)])


def visible_holes(state: State, holes: Sequence[Hole], position: int) -> tuple[Hole, ...]:
    """Return the hole cards that `position` may see: its own, and at a showdown those of all who have not folded."""
    shown = state.showdown
    return tuple(hole if p == position or (shown and not state.folded >> p & 1) else () for p, hole in enumerate(holes))


def parse_match_state(line: str, game: GameDef) -> MatchState:
    """Read a match state strictly: exact spelling, distinct cards of the game's deck, and the seat's own cards are there.

    Raises `ProtocolError` for anything else. It does not check whether other players must show their cards.
    """
    match, end = read_match_state(line, game)
    if end != len(line) or str(match) != line:
        raise ProtocolError(f"{line!r}: reads as {str(match)!r}; strict reading allows no other spelling")
    cards = all_cards(match.state, match.holes, match.draws) + list(match.state.board)
    if len(set(cards)) != len(cards):
        raise ProtocolError(f"{line!r}: a card appears twice")
    if not game.card_set.issuperset(cards):
        raise ProtocolError(f"{line!r}: a card is not in the game's deck ({cards_text(game.deck)})")
    if not match.holes[match.position]:
        raise ProtocolError(f"{line!r}: position {match.position} is not shown its own cards")
    if game.num_draws:
        own = tuple(tuple(s if p == match.position else () for p, s in enumerate(each)) for each in match.draws)
        try:
            check_draws(match.state, match.holes, own, shown=match.position)
        except ProtocolError as error:
            raise ProtocolError(f"{line!r}: {error}") from error
    return match


def read_match_state(line: str, game: GameDef) -> tuple[MatchState, int]:
    """Read a match state tolerantly; return it with its end. Raises `ProtocolError` where the reference reports one."""
    header = _HEADER.match(line)
    if header is None:
        raise ProtocolError(f"{line[:80]!r}: not MATCHSTATE:position:hand:betting:cards")
    position, hand = int(header[1]) & 0xFF, int(header[2]) & 0xFFFFFFFF
    if position >= game.num_players:
        raise ProtocolError(f"{line[:80]!r}: position {position}, but the game has {game.num_players} players")
    state, holes, draws, end = _read_state(line, header.end(), game)
    return MatchState(position, hand, state, holes, draws), end


def read_log_state(line: str, game: GameDef) -> tuple[int, State, tuple[Hole, ...], Draws, int]:
    """Read ``STATE:hand:betting:cards`` of a log: hand, state, hole cards, draws, and the index where they end."""
    header = _LOG_HEADER.match(line)
    if header is None:
        raise ProtocolError(f"{line[:80]!r}: not STATE:hand:betting:cards")
    return int(header[1]), *_read_state(line, header.end(), game)


def parse_state(betting: str, game: GameDef, board: str = "") -> State:
    """Return the public state after a line of betting, as in ``parse_state("r300c/cr600", game, "Kh7h2d")``.

    Raises `ProtocolError` for a line that cannot be played, and for a board that is not the one dealt by then: too few
    or too many cards, one twice, or one that the game's deck lacks.
    """
    state, at = _read_betting(betting, 0, game)
    cards = parse_cards(board.replace("/", "").replace(" ", ""))
    wanted = game.board_sizes[state.round]
    if at < len(betting):
        raise ProtocolError(f"{betting!r}: {betting[at:]!r} is no action; cards are the third argument")
    if len(cards) != wanted or len(set(cards)) < wanted or not game.card_set.issuperset(cards):
        raise ProtocolError(
            f"board {board!r}: after {betting!r} it has {wanted} different cards of {cards_text(game.deck)}"
        )
    return state.with_board(cards)


def _read_betting(line: str, at: int, game: GameDef) -> tuple[State, int]:
    """Play the betting of a line up to a colon or the line's end, and return the index there."""
    state = State.start(game)
    while at < len(line) and line[at] != ":":
        if line[at] == "/":
            at += 1
            continue
        action, at = read_action(line, at, game) if state.phase is not DRAW else _read_draw_count(line, at)
        try:
            state = state.apply(action)
        except IllegalAction as error:
            raise ProtocolError(f"{line[:200]!r}: {error}") from error
    return state, at


def _read_state(line: str, at: int, game: GameDef) -> tuple[State, tuple[Hole, ...], Draws, int]:
    state, at = _read_betting(line, at, game)
    if at < len(line):
        at += 1  # the colon
    holes: list[Hole] = []
    for position in range(game.num_players):
        if position and line[at : at + 1] == "|":
            at += 1
        hole, behind = _read_cards(line, at, game.num_hole_cards)
        if position == game.num_players - 1 and _only_board_follows(line, at, game):
            hole, behind = (), at
        at = behind
        if hole and len(hole) != game.num_hole_cards:
            raise ProtocolError(f"{line[:200]!r}: position {position} has {len(hole)} of {game.num_hole_cards} cards")
        holes.append(hole)
    if game.num_draws:
        draws, at = _read_draws(line, at, state, holes)
        return state, tuple(holes), draws, at
    board: tuple[int, ...] = ()
    for round_ in range(state.round + 1):
        if round_ and line[at : at + 1] == "/":
            at += 1
        num_cards = game.num_board_cards[round_]
        cards, at = _read_cards(line, at, num_cards)
        if len(cards) != num_cards:
            raise ProtocolError(f"{line[:200]!r}: round {round_} has {len(cards)} of {num_cards} board cards")
        board += cards
    return state.with_board(board), tuple(holes), (), at


def _read_draws(line: str, at: int, state: State, holes: Sequence[Hole]) -> tuple[Draws, int]:
    """Read the cards of all rounds from the second on in a game with draws, and return the index after them."""
    game = state.game
    draws: list[tuple[Hole, ...]] = []
    for round_ in range(1, state.round + 1):
        if line[at : at + 1] == "/":
            at += 1
        sections: list[Hole] = []
        for position in range(game.num_players if game.num_draws[round_] else 0):
            if position and line[at : at + 1] == "|":
                at += 1
            section, at = _read_cards(line, at, game.num_hole_cards)
            sections.append(section)
        draws.append(tuple(sections))
    try:
        check_draws(state, holes, tuple(draws))
    except ProtocolError as error:
        raise ProtocolError(f"{line[:200]!r}: {error}") from error
    return tuple(draws), at


def _read_draw_count(line: str, at: int) -> tuple[Action, int]:
    """Read a draw of the betting, ``d`` and the number of cards, and return the index after it."""
    count = _DRAW_COUNT.match(line, at)
    if count is None:
        raise ProtocolError(f"{line[at : at + 20]!r} is not a draw; the betting has d and the number of cards")
    return Action("d", int(count[1])), count.end()


def _only_board_follows(line: str, at: int, game: GameDef) -> bool:
    """Return whether round 0's board directly follows hidden cards of the last position, which the reference misreads."""
    first_board = game.num_board_cards[0]
    if not first_board:
        return False
    cards, _ = _read_cards(line, at, game.num_hole_cards + first_board)
    return len(cards) == first_board


def _read_cards(line: str, at: int, most: int) -> tuple[tuple[int, ...], int]:
    cards: list[int] = []
    while len(cards) < most and (card := card_id(line[at : at + 2])) is not None:
        cards.append(card)
        at += 2
    return tuple(cards), at


def read_action(text: str, at: int, game: GameDef) -> tuple[Action, int]:
    """Read one action tolerantly at index `at`, and return it with the index after it.

    A draw names its discards, ``d7s2h``; a bare ``d``, or ``d0``, exchanges none. Sizes wrap to 32 bits as they do in the
    reference. Raises `ProtocolError` for an unknown letter and for a no-limit
    raise without a number (`MissingSize`).
    """
    kind = _KINDS.get(text[at : at + 1])
    if kind is None and game.num_draws and (draw := _DISCARDS.match(text, at)):
        named = "".join(draw[1].split())
        cards = [card_id(named[i : i + 2]) for i in range(0, len(named), 2)]
        return discard(tuple(card for card in cards if card is not None)), draw.end()
    if kind is None:
        raise ProtocolError(f"{text[at : at + 20]!r} is not an action; write f, c, or r (no-limit: r and a size)")
    if kind != "r":
        return (FOLD if kind == "f" else CALL), at + 1
    if not game.no_limit:
        return RAISE, at + 1
    size = _SIZE.match(text, at + 1)
    if size is None:
        raise MissingSize(f"{text[at : at + 20]!r}: a no-limit raise needs a size: the total over the whole hand")
    saturated = min(max(int(size[1]), -(2**63)), 2**63 - 1)
    return raise_to((saturated + 2**31) % 2**32 - 2**31), size.end()


class MissingSize(ProtocolError):
    """A no-limit raise without a number."""


# --- Bytes into lines, however the bytes were cut into segments: never more memory than one line.

MAX_LINE = 65_536
"""Bytes of the longest line that is kept. The reference cuts lines at 4,095 bytes and reads the pieces as lines."""


class LineSplitter:
    """Splits a stream of bytes at LF. A carriage return stays on its line."""

    def __init__(self, max_line: int = MAX_LINE) -> None:
        self._max_line = max_line
        self._part = b""  # the beginning of a line whose end has not come
        self._dropping = False

    def feed(self, data: bytes) -> list[bytes | None]:
        """Return the lines that `data` completes, without their newline, and None for each line that is too long.

        The None comes as soon as the line exceeds the limit; the rest of that line is dropped.
        """
        data = self._part + data if self._part else data
        lines: list[Any] = data.split(b"\n")
        part = lines.pop()
        if self._dropping and lines:
            del lines[0]
            self._dropping = False
        if len(data) > self._max_line:
            lines = [line if len(line) <= self._max_line else None for line in lines]
        if self._dropping or len(part) > self._max_line:
            if not self._dropping:
                lines.append(None)
            self._dropping, part = True, b""
        self._part = part
        return lines

    def end(self) -> list[bytes | None]:
        """Return the line that the end of the stream left without a newline, if there is one."""
        part, self._part = self._part, b""
        return [part] if part else []
