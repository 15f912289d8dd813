"""Slumbot's hands as states, actions and records of ours: pure values, no network.

Slumbot plays heads-up no-limit hold'em with blinds of 50 and 100 and stacks of 20,000, which are full again in every hand.
Position 0 is the big blind there as in our game of reversed blinds. Actions are ``k`` (check), ``c`` (call), ``f`` (fold) and
``b`` with the player's chips *of the street*, where the ACPC writes those of the hand; ``/`` ends a street, and all those that
follow an all-in: ``b200c/kb400``, ``b20000c///``.
"""

import re
from functools import cache
from itertools import pairwise

import msgspec

from limpet.configs.loading import load_game
from limpet.protocol.cards import card_texts, parse_cards
from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import GameDef
from limpet.protocol.handhistory import street_base
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.messages import MatchState, parse_match_state
from limpet.protocol.settlement import settle
from limpet.protocol.state import CALL, FOLD, Action, State, raise_to

GAME_NAME = "holdem.nolimit.2p.reverse_blinds"
SITE = "Slumbot"
"""Name of the opponent in logs."""

_TOKENS = re.compile(r"b\d{1,9}|.", re.ASCII | re.DOTALL)


@cache
def slumbot_game() -> GameDef:
    """Return the game that Slumbot plays."""
    return load_game(GAME_NAME)


class SlumbotAnswer(msgspec.Struct):
    """An answer of the site. Fields that it has not told stay None or empty; others are not read.

    Attributes:
        token: names the session in the next request, where the answer has one.
        action, old_action: all actions of the hand, and those before the request.
        client_pos: 0 where the client is the big blind, 1 where it is the small blind and acts first before the flop.
        bot_hole_cards: the opponent's cards, after the hand.
        winnings: net chips of the client; None while the hand is played.
        won_pot: chips of the pot, negative where the client has lost it.
        baseline_winnings: net chips of the site's own player with the client's cards.
    """

    token: str | None = None
    old_action: str | None = None
    action: str = ""
    client_pos: int = 0
    hole_cards: list[str] = []
    board: list[str] = []
    bot_hole_cards: list[str] | None = None
    winnings: int | float | None = None
    won_pot: int | float | None = None
    baseline_winnings: int | float | None = None
    session_num_hands: int | None = None
    session_total: int | float | None = None
    error_msg: str | None = None


def action_text(state: State, action: Action) -> str:
    """Return an action as Slumbot writes it.

    >>> action_text(read_betting("b200c/k"), raise_to(600))
    'b400'
    """
    if action.kind == "r":
        return f"b{action.size - street_base(state)}"
    return "k" if action.kind == "c" and not state.to_call else action.kind


def betting_text(state: State) -> str:
    """Return the actions of a hand as Slumbot writes them."""
    text = ""
    for before, after in pairwise(state.path()):
        assert after.action is not None
        text += action_text(before, after.action) + "/" * (after.round - before.round)
    return text


def read_action(state: State, text: str) -> Action:
    """Return the action that one token of Slumbot's stands for. Raises `ProtocolError` where it is not legal."""
    kind = {"k": CALL, "c": CALL, "f": FOLD}.get(text)
    if kind is None and not (text[:1] == "b" and text[1:].isdecimal()):
        raise ProtocolError(f"{text!r} is no action; write k, c, f, or b and the chips of the street")
    action = kind or raise_to(int(text[1:]) + street_base(state))
    if not state.is_legal(action) or action_text(state, action) != text:
        raise ProtocolError(f"{text!r} is not legal after {betting_text(state)!r}")
    return action


def read_betting(text: str) -> State:
    """Return the state, without its board, after Slumbot's actions. Slashes at the end may be missing.

    >>> read_betting("b200c/kb400").betting
    'r200c/cr600'

    Raises `ProtocolError`.
    """
    state = State.start(slumbot_game())
    for token in _TOKENS.findall(text):
        if token != "/":
            if state.finished:
                raise ProtocolError(f"{text[:200]!r} goes on after the hand's end")
            state = state.apply(read_action(state, token))
    if betting_text(state).rstrip("/") != text.rstrip("/"):
        raise ProtocolError(f"{text[:200]!r} has its streets in other places than {betting_text(state)!r}")
    return state


def match_state(answer: SlumbotAnswer, hand: int) -> MatchState:
    """Return what the client sees of a hand: its own cards, and the opponent's where the site shows them.

    All states on its path have their boards. Raises `ProtocolError` for what cannot be.
    """
    state, position = read_betting(answer.action), answer.client_pos
    own, others, board = (
        parse_cards("".join(cards)) for cards in (answer.hole_cards, answer.bot_hole_cards or [], answer.board)
    )
    game, holes = state.game, (own, others)
    are_cards = len(own) == 2 and len(others) in (0, 2) and len(board) == game.board_sizes[state.round]
    if position not in (0, 1) or not are_cards:
        raise ProtocolError(f"the site's cards do not fit its actions: {answer}")
    if state.finished != (answer.winnings is not None):
        raise ProtocolError(f"the site says otherwise than its actions whether the hand is over: {answer}")
    holes = holes if position == 0 else holes[::-1]
    match = MatchState(position, hand, _dealt(state, board), holes)
    return parse_match_state(str(match), game)._replace(state=match.state)  # no card twice


def _dealt(state: State, board: tuple[int, ...]) -> State:
    """Return the state with the board of its round, and so on its path."""
    before = state.parent and _dealt(state.parent, board)
    return state.with_board(board)._replace(parent=before)


def hand_record(match: MatchState, answer: SlumbotAnswer, name: str) -> HandRecord:
    """Return the record of a finished hand for a log. Raises `ProtocolError` where the cards come to other chips."""
    assert answer.winnings is not None
    values, names = (answer.winnings, -answer.winnings), (name, SITE)
    if match.position:
        values, names = values[::-1], names[::-1]
    if all(match.holes) or not match.state.showdown:
        settled = settle(match.state, match.holes)
        if settled != values:
            paid = f"{answer.winnings:g} chips, the cards {settled[match.position]:g}"
            raise ProtocolError(f"the site pays {paid}: {match}")
    return HandRecord(match.hand, match.state, match.holes, values, names)


def hand_answer(match: MatchState, old_action: str) -> SlumbotAnswer:
    """Return what the site answers about a hand to the client at `match.position`; `match.holes` are everybody's cards."""
    state, position = match.state, match.position
    told = SlumbotAnswer(
        old_action=old_action,
        action=betting_text(state),
        client_pos=position,
        hole_cards=card_texts(match.holes[position]),
        board=card_texts(state.board),
    )
    if state.finished:
        told.winnings = int(settle(state, match.holes)[position])  # two equal stacks: no pot is odd where it is split
        told.won_pot = state.pot * ((told.winnings > 0) - (told.winnings < 0))
        told.bot_hole_cards = card_texts(match.holes[1 - position])
    return told
