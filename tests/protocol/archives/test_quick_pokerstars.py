"""The quick reader's betting is that of the rules. That it reads what the careful one reads is tested in `test_convert`."""

from hypothesis import given
from hypothesis import strategies as st

from limpet.protocol.archives.deep_betting import DEEP, deep
from limpet.protocol.archives.quick_pokerstars import QuickPokerStars
from limpet.protocol.archives.read_pokerstars import read_hand
from limpet.protocol.holdem import holdem
from limpet.protocol.state import CALL, FOLD, State, raise_to
from tests.protocol.archives.test_read_pokerstars import ANTE, CASH, FIRST, SECOND


@given(st.integers(2, 10), st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3000)), max_size=60))
def test_deep_betting_is_that_of_the_rules(players: int, luck: list[tuple[int, int]]) -> None:
    blinds = (50, 100, *[0] * players)[:players] if players > 2 else (100, 50)
    state = State.start(holdem((DEEP,) * players, blinds))
    for kind, more in luck:
        bounds = state.raise_bounds()
        if state.finished:
            break
        action = CALL
        if kind < 3 and state.can_fold:
            action = FOLD
        elif kind > 6 and bounds is not None:
            action = raise_to(bounds[0] + more)
        after = state.apply(action)
        assert tuple(deep(state, action)) == tuple(after)
        state = after


def test_plain_hands_are_read_and_others_left_to_the_careful_reader() -> None:
    reader = QuickPokerStars()
    for text in (SECOND, FIRST.replace("\nUSD", " USD").replace("~", " ").replace("-\n2011", "- 2011")):
        assert reader.read(text) == reader.read(text) == read_hand(text)
    assert reader.read(CASH) is None and reader.read(ANTE) is None and reader.read("") is None
