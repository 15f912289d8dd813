"""A fast reader of the match states of one seat: each is read from where the last one stopped.

Within a hand every match state repeats the one before it and adds an action, so the last state is kept and only the
added actions are applied. A line that does not fit this quick way exactly is left to `parse_match_state`, which decides.
"""

import re

from limpet.protocol.cards import CARD_TEXT
from limpet.protocol.errors import IllegalAction
from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import Hole, MatchState, parse_match_state
from limpet.protocol.state import CALL, FOLD, RAISE, State, raise_to

_HEADER = re.compile(r"MATCHSTATE:(0|[1-9][0-9]{0,8}):(0|[1-9][0-9]{0,8}):")
_SIZE = re.compile(r"[1-9][0-9]{0,9}")


class MatchReader:
    """Reads the lines of one seat. Every state that it returns, and every state on its path, has its board dealt."""

    def __init__(self, game: GameDef) -> None:
        self._game = game
        self._start = State.start(game)
        self._card = {CARD_TEXT[card]: card for card in game.deck}
        self._hole_text = 2 * game.num_hole_cards
        # A board dealt in round 0 follows the hole cards without a separator: such games are read by `parse_match_state`.
        self._quick = game.num_board_cards[0] == 0
        self._header = ""
        self._cards = ""
        self._match = MatchState(0, 0, self._start, ())

    def read(self, line: str) -> MatchState:
        """Read a match state. Raises `ProtocolError` exactly where `parse_match_state` does."""
        match = self._read_on(line) if self._quick else None
        return match if match is not None else self._read_plainly(line)

    def _read_on(self, line: str) -> MatchState | None:
        """Read a line that continues the hand or starts one. Returns None for a line that may be wrong."""
        header, last = self._header, self._match
        if not (header and line.startswith(header)):
            found = _HEADER.match(line)
            if found is None or int(found[1]) >= self._game.num_players:
                return None
            header = found[0]
            last = MatchState(int(found[1]), int(found[2]), self._start, ())
        betting, colon, cards = line[len(header) :].partition(":")
        if not colon:
            return None
        if not betting.startswith(last.state.betting):
            last = last._replace(state=self._start, holes=())
        if last.holes and cards == self._cards:
            holes, board = last.holes, last.state.board
        else:
            dealt = self._read_cards(cards)
            if dealt is None:
                return None
            holes, board = dealt
            if not holes[last.position]:
                return None
        known = last.state if last.state.board == board[: len(last.state.board)] else self._start
        state = self._apply(known, betting, board)
        if state is None or len(board) != self._game.board_sizes[state.round] or cards.count("/") != state.round:
            return None
        match = MatchState(last.position, last.hand, state, holes)
        self._header, self._cards, self._match = header, cards, match
        return match

    def _apply(self, state: State, betting: str, board: tuple[int, ...]) -> State | None:
        """Apply the actions by which `betting` is longer than the state's. Returns None if they are spelt otherwise."""
        no_limit = self._game.no_limit
        at, end = len(state.betting), len(betting)
        while at < end:
            letter = betting[at]
            at += 1
            if letter == "c":
                action = CALL
            elif letter == "f":
                action = FOLD
            elif letter == "/":
                continue
            elif letter == "r" and not no_limit:
                action = RAISE
            elif letter == "r" and (size := _SIZE.match(betting, at)):
                action = raise_to(int(size[0]))
                at = size.end()
            else:
                return None
            try:
                state = state.apply(action).with_board(board)
            except IllegalAction:
                return None
        return state if state.betting == betting else None

    def _read_cards(self, text: str) -> tuple[tuple[Hole, ...], tuple[int, ...]] | None:
        """Read hole cards per position and the board of ``2c3d|/4h5h6h``. Returns None for an impossible deal."""
        game = self._game
        first, *rounds = text.split("/")
        hole_texts = first.split("|")
        if len(rounds) >= game.num_rounds or len(hole_texts) != game.num_players:
            return None
        for round_, cards in enumerate(rounds, 1):
            if len(cards) != 2 * game.num_board_cards[round_]:
                return None
        try:
            board = self._ids("".join(rounds))
            holes = tuple([self._ids(hole) if hole else () for hole in hole_texts])
        except KeyError:
            return None
        seen = set(board)
        dealt = len(board)
        for hole, hole_text in zip(holes, hole_texts, strict=True):
            if hole_text:
                if len(hole_text) != self._hole_text:
                    return None
                seen.update(hole)
                dealt += len(hole)
        return (holes, board) if len(seen) == dealt else None

    def _ids(self, text: str) -> tuple[int, ...]:
        card = self._card
        return tuple([card[text[i : i + 2]] for i in range(0, len(text), 2)])

    def _read_plainly(self, line: str) -> MatchState:
        match = parse_match_state(line, self._game)
        board = match.state.board
        state = self._start.with_board(board)
        for step in match.state.path():
            if step.action is not None:
                state = state.apply(step.action).with_board(board)
        return match._replace(state=state)
