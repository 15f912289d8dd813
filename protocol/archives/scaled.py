"""Hands with other chips: a hand that was played at one table's blinds as it would have gone at another's."""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from limpet.protocol.chip_sums import MAX_CHIPS
from limpet.protocol.gamedef import NO_STACK_LIMIT, GameDef
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.state import State, raise_to


class _Inexact(Exception):
    """An amount that is no whole number of chips, or too many, after scaling."""


def scaled(hand: HandRecord, table: GameDef) -> HandRecord | None:
    """Return a hand with all its chips multiplied so that its blinds are those of the game `table`.

    Its stacks stay as many big blinds as they were. None where the blinds differ in more than their size, or where an
    amount would be no whole number of chips.
    """
    own, factor = hand.state.game, Fraction(table.big_blind, hand.state.game.big_blind)
    try:
        rules = [_scaled(amounts, factor) for amounts in (own.blind, own.raise_size)]
        if (own.betting, rules) != (table.betting, [table.blind, table.raise_size]):
            return None
        game = replace(own, stack=_scaled(own.stack, factor), blind=rules[0], raise_size=rules[1], comments=())
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
