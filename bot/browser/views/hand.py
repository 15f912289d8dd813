"""A hand as one seat sees it, as JSON for the page: only what the dealer's line to that seat holds."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from limpet.protocol.cards import CARD_TEXT
from limpet.protocol.handhistory import street_names
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.messages import MatchState
from limpet.protocol.phases import BET
from limpet.protocol.settlement import settle
from limpet.protocol.state import State


def hand_view(match: MatchState, names: Sequence[str], record: HandRecord | None = None) -> dict[str, Any]:
    """Return a hand as the seat of `match` sees it. Places count clockwise from that seat, whose place is 0.

    Args:
        names: players by place.
        record: where it is given, everybody's cards are shown; that is for hands that are over.
    """
    hands = match.hands if record is None else record.hands
    state, own = match.state, match.position
    game, count = state.game, state.game.num_players
    base = street_base(state)
    won = settled(match) if state.finished else None
    players = []
    for place in range(count):
        position = (own + place) % count
        players.append(
            {
                "name": names[place] if place < len(names) else f"Player {place + 1}",
                "stack": game.stack[position] - state.spent[position],
                "bet": max(0, state.spent[position] - base),  # chips of this street, which lie before the player
                "cards": card_texts(hands[position]),
                "folded": state.has_folded(position),
                "button": position == count - 1,
                "acts": position == state.actor,
                "won": None if won is None else won[position],
                "after": None if won is None else game.stack[position] + won[position],
            }
        )
    return {
        "hand": match.hand,
        "betting": state.betting,
        "streets": street_names(game),
        "street": state.round,
        "board": card_texts(state.board),
        "pot": state.pot,
        "pots": pot_views(state, own),
        "players": players,
        "actions": _actions(state, own),
        "choice": _choice(state) if match.my_turn else None,
        "over": state.finished,
        "showdown": state.showdown,
        "big_blind": game.big_blind,
    }


def card_texts(cards: Sequence[int]) -> list[str]:
    """Return the names of cards: ``Ah``."""
    return [CARD_TEXT[card] for card in cards]


def settled(match: MatchState) -> tuple[float, ...]:
    """Return the net chips of a finished hand per position."""
    # The hands of players who have folded are hidden and not ranked, so that any hand can stand for them.
    return settle(match.state, [hand or match.own_hand for hand in match.hands])


def pot_views(state: State, own: int = 0) -> list[dict[str, Any]]:
    """Return main pot and side pots once somebody is all-in for less than another, with the places who may win each.

    The parts add up to the pot: bets that are not called yet are in the last one. own: position from which places are counted.
    """
    players, spent = state.game.num_players, state.spent
    inside = [p for p in range(players) if not state.has_folded(p)]
    most = max(spent)
    short = {p: spent[p] for p in inside if spent[p] == state.game.stack[p] and spent[p] < most}
    levels = sorted(set(short.values()))
    parts = []
    for below, level in pairwise([0, *levels, most] if levels else []):
        places = [(p - own) % players for p in inside if short.get(p, most) >= level]
        parts.append({"chips": sum(min(chips, level) - min(chips, below) for chips in spent), "places": places})
    return parts


def street_base(state: State) -> int:
    """Return the chips that each player had put in before this street, if it was not all-in by then."""
    before = state.round_start().parent if state.round else None
    return before.max_spent if before is not None else 0


def _choice(state: State) -> dict[str, Any]:
    """Return the legal actions of the actor of `state`. Sizes are chips put in on this street, as players say them."""
    base = street_base(state)
    bounds, sizes = state.raise_bounds(), state.raise_sizes()
    low, high = bounds or (0, 0)
    return {
        "fold": state.can_fold,
        "call": state.to_call,
        "raises": bounds is not None,
        "low": max(0, low - base),
        "high": max(0, high - base),
        "sizes": None if sizes is None else [size - base for size in sizes],
        # A fixed raise is sent without a size.
        "fixed": bounds is not None and not state.game.no_limit,
        # Pot after a call, which bets are fractions of.
        "pot": state.pot + state.to_call,
        "to": state.spent[state.actor] + state.to_call - base,
        # The protocol's size of a raise is `base` more than that of the street.
        "base": base,
        "discards": state.game.max_discard if state.phase is not BET else 0,
    }


def _actions(state: State, own: int) -> list[dict[str, Any]]:
    """Return the actions that led to `state`, places counted from the position `own`."""
    actions = []
    for before, after in pairwise(state.path()):
        action, actor = after.action, before.actor
        assert action is not None
        spent, base = after.spent[actor], street_base(before)
        actions.append(
            {
                "street": before.round,
                "place": (actor - own) % state.game.num_players,
                "kind": action.kind,  # f, c, r or d
                "to": spent - base,  # the player's chips of this street
                # Chips that the action has put in; of a draw, the number of cards exchanged.
                "chips": action.size if action.kind == "d" else spent - before.spent[actor],
                # Whether it is the first bet of its street.
                "opens": action.kind == "r" and before.max_spent == base,
            }
        )
    return actions
