"""Write hands in the poker hand history format (PHH): https://phh.readthedocs.io, as PokerKit and others read it.

A file ``.phh`` is the TOML of one hand, a file ``.phhs`` has a numbered section for each. Players stand in position
order. The format has codes for eleven games; of ours these are the `VARIANTS`. Any other game has the code `OWN`, and its
definition stands in a field of our own, whose name begins with an underscore as the format asks.
"""

import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise, product
from typing import Any

from limpet.protocol import handhistory
from limpet.protocol.archives.hand_file import known_holdem, shared_board, shown_positions, without_ante
from limpet.protocol.cards import cards_text
from limpet.protocol.chip_sums import MAX_CHIPS
from limpet.protocol.draws import exchange
from limpet.protocol.gamedef import DRAW, NO_STACK_LIMIT, Betting, GameDef
from limpet.protocol.handhistory import Street, Unsupported, antes, can_be_answered, has_new_posts, is_idle, streets
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.ranking import Ranking
from limpet.protocol.settlement import chips_text
from limpet.protocol.state import State

MOST_LIMIT_RAISES = 4
"""Most bets and raises in a round of fixed-limit hold'em."""

_OMAHA = {"num_hole_cards": 4, "hole_cards_used": 2}
_TRIPLE_DRAW = {"num_board_cards": (0, 0, 0, 0), "num_draws": (0, 1, 1, 1), "max_raises": (MOST_LIMIT_RAISES,) * 4}
_LOWBALL = {"ranking": Ranking.DEUCE_TO_SEVEN, "num_hole_cards": 5, "max_discard": 5}
VARIANTS: dict[str, dict[str, Any]] = {
    "NT": {},
    "FT": {},
    "PO": {"betting": Betting.POT_LIMIT, **_OMAHA},
    "NS": {"ranking": Ranking.SHORT_DECK, "num_ranks": 9},
    "FO/8": {"ranking": Ranking.HIGH_LOW, "max_raises": (MOST_LIMIT_RAISES,) * 4, **_OMAHA},
    "N2L1D": {"num_rounds": 2, "num_board_cards": (0, 0), "num_draws": (0, 1), **_LOWBALL},
    "F2L3D": {**_TRIPLE_DRAW, **_LOWBALL},
    "FB": {"ranking": Ranking.BADUGI, "num_hole_cards": 4, "max_discard": 4, **_TRIPLE_DRAW},
}
"""The format's codes, each with what tells its game from no-limit Texas hold'em, or from limit hold'em where it begins with F."""
PLAIN = ("NT", "FT", "PO")
"""Codes of games whose antes may stand in the blinds."""
OWN = "ACPC"
"""Variant code of games that the format has none for: draws of high hands, pot-limit hold'em, Kuhn and Leduc, for example."""
DEFINITION = "_definition"
"""User-defined field with the ACPC definition of such a game, draws included. Hands are replayed by its rules.

It also stands in hold'em with true antes, straddles or new players' posts, which other programs read from the other fields.
"""


def variant(game: GameDef) -> str:
    """Return the format's code of a game."""
    holdem = replace(
        known_holdem(game.stack, game.blind, (game.raise_size * 4)[:4]),
        first_player=(game.first_player[0], 0, 0, 0),
        max_raises=(game.max_raises * 4)[:4],
        num_suits=game.num_suits,
        raise_fractions=game.raise_fractions,
        ante=game.ante,
        dead=game.dead,
        min_bet=game.min_bet,
        whole_antes=game.whole_antes,
    )
    codes = (code for code in VARIANTS if (code[0] != "F") == game.no_limit and as_variant(holdem, code) == game)
    code, sizes, hidden = next(codes, OWN), holdem.raise_size, antes(game)
    if handhistory.other_than_holdem(holdem, hidden) or sizes and (sizes[0] != sizes[1] or sizes[2] != sizes[3]):
        return OWN
    if code not in PLAIN and any(hidden):
        return OWN
    short = [chips for have, chips in zip(game.stack, game.dead, strict=False) if not have]
    if not _trims(game) and not game.whole_antes and min(short, default=MAX_CHIPS) < max(game.dead):
        return OWN  # where antes differ, the format has short stacks win whole ones
    return code


def as_variant(holdem: GameDef, code: str) -> GameDef:
    """Return the game that the format calls `code` with the stacks, posts and bets of Texas hold'em."""
    fields = VARIANTS[code]
    rounds = fields.get("num_rounds", holdem.num_rounds)
    each = {"first_player": holdem.first_player[:rounds], "max_raises": holdem.max_raises[:rounds]}
    return replace(holdem, **(each | fields)) if fields else holdem


def _trims(game: GameDef) -> bool:
    """Return whether true antes are everybody's alike, and a short stack wins no more of each than its own."""
    return not game.dead or (not game.whole_antes and without_ante(game.dead, game.starting_stack) is None)


def hand_text(hand: HandRecord, event: str = "", when: float | None = None) -> str:
    """Return the fields of one hand, with a line end after the last.

    `event` is the name of the match, `when` the time in seconds since 1970, which is written as UTC.

    Chips are whole numbers except in `finishing_stacks`, which are the log's: PHH may give the odd chip of a split pot to
    one of the winners, and the ACPC's dealer splits it. Raises `Unsupported` for a turn of the betting that PHH's rules of
    hold'em do not know, or a showdown of unknown cards.
    """
    game = hand.state.game
    code = variant(game)
    is_defined = code == OWN or has_new_posts(game)
    if is_defined:
        game = handhistory.with_ending_stacks(hand.state)
    # Heads-up, PHH lists the small blind first although the first player posts the big one.
    hidden = antes(game) if code != OWN else (0,) * game.num_players
    blinds = [post - part for post, part in zip(game.blind, hidden, strict=True)]
    if has_new_posts(game) and code != OWN:
        blinds = list(handhistory.signed_posts(game) or game.blind)
    ante = game.dead or hidden
    if game.num_players == 2:
        blinds.reverse()
        ante = ante[::-1]
    lines = [
        f'variant = "{code}"',
        # A short stack wins no more of another's ante than its own.
        *(["ante_trimming_status = true"] if any(ante) and _trims(game) else []),
        f"antes = {_array(map(str, ante))}",
        f"blinds_or_straddles = {_array(map(str, blinds))}",
    ]
    if game.no_limit:
        lines.append(f"min_bet = {game.big_blind - max(hidden)}")
    else:
        lines += [f"small_bet = {game.raise_size[0]}", f"big_bet = {game.raise_size[-1]}"]
    lines += [
        f"starting_stacks = {_array('inf' if stack == NO_STACK_LIMIT else str(stack) for stack in game.starting_stack)}",
        f"actions = [\n{''.join(f'  {json.dumps(action)},{chr(10)}' for action in _actions(hand))}]",
        f"hand = {hand.hand}",
        f"players = {_array(_string(name) for name in hand.names)}",
    ]
    if NO_STACK_LIMIT not in game.stack:
        finishing = [chips_text(stack + value) for stack, value in zip(game.starting_stack, hand.values, strict=True)]
        lines.append(f"finishing_stacks = {_array(finishing)}")
    if is_defined:
        lines.append(f"{DEFINITION} = '''\n{game}'''")
    if event:
        lines.append(f"event = {_string(event)}")
    if when is not None:
        day = datetime.fromtimestamp(when, UTC)
        lines += [f"time = {day:%H:%M:%S}", 'time_zone = "UTC"']
        lines += [f"day = {day.day}", f"month = {day.month}", f"year = {day.year}"]
    return "\n".join(lines) + "\n"


def _actions(hand: HandRecord) -> list[str]:
    game, end = hand.state.game, hand.state
    checked = variant(game) != OWN
    ante = antes(game) if checked else (0,) * game.num_players
    actions = [
        f"d dh p{position} {cards_text(hole) if hole else '??' * game.num_hole_cards}"
        for position, hole in enumerate(hand.holes, 1)
    ]
    shown = False
    for street in streets(end):
        if street.phase is DRAW:
            actions += _draws(hand, street)
            continue
        if street.cards and not street.steps and not shown:  # all in: the cards are turned up before the board is dealt
            actions += _showdown(hand)
            shown = True
        if street.cards:
            actions.append(f"d db {cards_text(street.cards)}")
        if checked:
            _check_raises(street.steps, hand.hand)
        for state in street.steps:
            assert state.parent is not None and state.action is not None
            if checked and is_idle(state.parent):
                continue
            actor, kind = state.parent.actor, state.action.kind
            base = street.base if street.round else ante[actor]
            text = {"f": "f", "c": "cc"}.get(kind) or f"cbr {state.spent[actor] - base}"
            actions.append(f"p{actor + 1} {text}")
    if end.showdown and not shown:
        actions += _showdown(hand)
    shared = len(shared_board(hand))
    for run, (before, size) in product(hand.runs, pairwise(game.board_sizes)):
        if size > shared:
            actions.append(f"d db {cards_text(run[before:size])}")
    return actions


def _draws(hand: HandRecord, draw: Street) -> list[str]:
    """Return the discards of a draw, and then the cards dealt for them: all players discard before any card is dealt."""
    discards, deals = [], []
    for state in draw.steps:
        assert state.parent is not None and state.action is not None
        actor, count = state.parent.actor, state.action.size
        gone, new, _ = exchange(hand.holes, hand.draws, draw.round, actor)
        discards.append(f"p{actor + 1} sd {cards_text(gone) or '??' * count}".rstrip())
        if count:
            deals.append(f"d dh p{actor + 1} {cards_text(new) or '??' * count}")
    return discards + deals


def _showdown(hand: HandRecord) -> list[str]:
    """Return the showdown of everybody left, as at the dealer's table. The order does not change who wins."""
    return [f"p{position + 1} sm {cards_text(hand.hands[position])}" for position in shown_positions(hand, "PHH")]


def _check_raises(steps: tuple[State, ...], hand: int) -> None:
    """Raise `Unsupported` where the dealer's rules differ from those by which PHH hands are replayed."""
    raises, short = 0, False
    for state in steps:
        assert state.parent is not None and state.action is not None
        if state.action.kind != "r":
            continue
        raises += 1
        if not can_be_answered(state.parent):
            raise Unsupported(
                f"hand {hand}: somebody raises though everybody else is all-in for no more, which PHH's rules forbid; "
                "leave the hand out"
            )
        if short:
            raise Unsupported(
                f"hand {hand}: somebody raised after an all-in below the minimum raise, which PHH's rules forbid; "
                "leave the hand out"
            )
        game, actor = state.game, state.parent.actor
        if game.no_limit:
            short = state.action.size < state.parent.min_raise_to
        else:
            short = state.spent[actor] < state.parent.max_spent + game.raise_size[state.parent.round]
            if raises > MOST_LIMIT_RAISES:
                raise Unsupported(
                    f"hand {hand}: {raises} bets and raises in a round, but PHH's limit hold'em ends at "
                    f"{MOST_LIMIT_RAISES}; leave the hand out"
                )


def _array(items: Iterable[str]) -> str:
    return f"[{', '.join(items)}]"


def _string(text: str) -> str:
    """Return a TOML basic string. Its escapes are those of JSON, and one for DEL."""
    return json.dumps(text.encode("utf-8", "replace").decode(), ensure_ascii=False).replace("\x7f", "\\u007f")
