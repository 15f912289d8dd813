"""A fast reader of the match states of one seat, which repeat each other but for an action or a card."""

import re

from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import MatchState, parse_match_state
from limpet.protocol.quick_reader import QuickReader
from limpet.protocol.state import State

KNOWN_STATES = 1 << 10
"""Number of states that are remembered with their boards, so that lines of one hand share their path."""

_HEADER = re.compile(r"MATCHSTATE:(0|[1-9][0-9]{0,8}):(0|[1-9][0-9]{0,8}):")


class MatchReader:
    """Reads the lines of one seat. Every state that it returns, and every state on its path, has its board dealt."""

    def __init__(self, game: GameDef) -> None:
        self._game = game
        self._quick = QuickReader(game)
        self._dealt_states: dict[tuple[str, tuple[int, ...]], State] = {}

    def read(self, line: str) -> MatchState:
        """Read a match state. Raises `ProtocolError` exactly where `parse_match_state` does."""
        match = self._read_quickly(line)
        if match is None:
            match = parse_match_state(line, self._game)
            match = match._replace(state=self._dealt(match.state, match.state.board))
        return match

    def _read_quickly(self, line: str) -> MatchState | None:
        """Read a line that is spelt as usual. Returns None for one that may be wrong."""
        header = _HEADER.match(line)
        if header is None or int(header[1]) >= self._game.num_players:
            return None
        betting, _, cards = line[header.end() :].partition(":")
        read = self._quick.read(betting, cards)
        if read is None:
            return None
        state, dealt = read
        position = int(header[1])
        if not dealt.holes[position]:
            return None
        return MatchState(position, int(header[2]), self._dealt(state, dealt.board), dealt.holes)

    def _dealt(self, state: State, board: tuple[int, ...]) -> State:
        """Return the state with the board of its round, and so on its path."""
        key = state.betting, board
        dealt = self._dealt_states.get(key)
        if dealt is None:
            before = state.parent
            if before is not None:
                before = self._dealt(before, board[: self._game.board_sizes[before.round]])
            if len(self._dealt_states) >= KNOWN_STATES:
                self._dealt_states.clear()
            dealt = self._dealt_states[key] = State(*state[:11], board, before, *state[13:])
        return dealt
