"""Random hands of no-limit hold'em for six players, as archives hold them."""

import random

from limpet.protocol.matchlog import HandRecord
from limpet.protocol.settlement import settle
from limpet.protocol.situation import holdem
from limpet.protocol.state import CALL, FOLD, State, raise_to

BLINDS = (50, 100, 0, 0, 0, 0)
PLAYERS = 200
"""Number of players who sit down at the tables."""


def random_hand(source: random.Random, number: int, uneven: bool) -> HandRecord:
    """Return a hand of six players who fold, call and bet about as often as people do."""
    stack = tuple(source.randrange(2_000, 25_000) if uneven else 10_000 for _ in BLINDS)
    cards = source.sample(range(52), 17)
    state = State.start(holdem(stack, BLINDS))
    while not state.finished:
        luck, bounds = source.random(), state.raise_bounds()
        if state.can_fold and luck < (0.65 if state.round == 0 else 0.4):
            state = state.apply(FOLD)
        elif luck > 0.85 and bounds is not None:
            size = state.max_spent + int((state.pot + state.to_call) * source.choice((0.33, 0.5, 0.66, 0.75, 1, 1.2)))
            state = state.apply(raise_to(min(max(size, bounds[0]), bounds[1])))
        else:
            state = state.apply(CALL)
    state = state.with_board(tuple(cards[12:]))
    holes = tuple((cards[2 * position], cards[2 * position + 1]) for position in range(6))
    names = tuple(f"player {name}" for name in source.sample(range(PLAYERS), 6))
    return HandRecord(number, state, holes, settle(state, holes), names)
