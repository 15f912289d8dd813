"""A player's line becomes an action, with the warnings of the reference dealer."""

import re
from typing import NamedTuple

from limpet.protocol.chip_sums import MAX_ACTIONS_PER_ROUND
from limpet.protocol.draws import sections_of
from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import BET
from limpet.protocol.messages import MatchState, MissingSize, read_action, read_match_state
from limpet.protocol.state import CALL, PAT, Action, discard

BAD_STATE = "WARNING: bad state format in response"
UNREQUESTED = "WARNING: ignoring un-requested response"
BAD_ACTION = "WARNING: bad action format in response, changed to call"
INVALID_ACTION = "WARNING: invalid action, changed to call"
INVALID_DRAW = "WARNING: invalid draw, changed to standing pat"
TOO_MANY_ACTIONS = "WARNING: #actions in round is too close to MAX_NUM_ACTIONS, forcing call/fold"

_NUMBER = r"\s*([+-]?\d{1,4096})"  # Python refuses to read longer ones
_VERSION = re.compile(rf"VERSION:{_NUMBER}\.{_NUMBER}\.{_NUMBER}", re.ASCII)


class Response(NamedTuple):
    """The action to play (None if the line is ignored) and the warnings to print."""

    action: Action | None
    warnings: tuple[str, ...] = ()


def read_response(line: str, sent: str, sent_state: MatchState) -> Response:
    """Read a player's line (without its newline; a carriage return may remain), the answer to the line `sent`.

    sent_state: the state that was sent. It may hold cards that the player does not see.

    The line must echo the state: position, hand, betting with sizes, board, and the player's own hole cards. Text after
    the action is ignored. An illegal raise becomes the nearest legal one, any other illegal action a call. In a draw,
    whatever is no draw of the player's own cards stands pat.
    """
    state = sent_state.state
    game = state.game
    end = len(sent)
    if not line.startswith(f"{sent}:"):  # usually the dealer's own line comes back
        try:
            echo, end = read_match_state(line, game)
        except ProtocolError:
            return Response(None, (BAD_STATE,))
        if (
            echo.position != sent_state.position
            or echo.hand != sent_state.hand
            or echo.state.betting != state.betting
            or echo.state.board != state.board
            or echo.holes[sent_state.position] != sent_state.holes[sent_state.position]
            or sections_of(echo.draws, sent_state.position) != sections_of(sent_state.draws, sent_state.position)
        ):
            return Response(None, (UNREQUESTED,))
    if state.phase is not BET:
        return _read_draw(line, end, sent_state)
    if line[end : end + 1] != ":":
        return Response(CALL, (BAD_ACTION,))
    try:
        action, _ = read_action(line, end + 1, game)
    except MissingSize:
        return Response(CALL, (BAD_ACTION,))
    except ProtocolError:
        return Response(CALL, (INVALID_ACTION,))
    if state.is_legal(action):
        return Response(action)
    fixed = state.fixed(action)
    if fixed.kind == "r":
        moved = "increased" if fixed.size > action.size else "decreased"
        return Response(fixed, (f"WARNING: raise of {action.size} {moved} to {fixed.size}",))
    # The reference refuses a raise with which the round could outgrow its 64 actions.
    full = state.actions + game.num_players > MAX_ACTIONS_PER_ROUND and state.raises < game.max_raises[state.round]
    if action.kind == "r" and full:
        return Response(CALL, (TOO_MANY_ACTIONS, INVALID_ACTION))
    return Response(CALL, (INVALID_ACTION,))


def _read_draw(line: str, end: int, sent_state: MatchState) -> Response:
    """Read the discards behind the state that ends at index `end`. They are put in the order of the hand."""
    if line[end : end + 1] == ":":
        try:
            action, _ = read_action(line, end + 1, sent_state.state.game)
        except ProtocolError:
            return Response(PAT, (INVALID_DRAW,))
        if sent_state.allows(action):
            return Response(discard(tuple(card for card in sent_state.own_hand if card in action.cards)))
    return Response(PAT, (INVALID_DRAW,))


def read_version(line: str) -> tuple[int, int, int] | None:
    """Return the numbers of a ``VERSION:`` line, None for another line. Text after them is ignored."""
    match = _VERSION.match(line)
    if match is None:
        return None
    major, minor, revision = (int(number) & 0xFFFFFFFF for number in match.groups())
    return major, minor, revision
