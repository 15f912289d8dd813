"""The quick reader reads plain hands as the careful one does. `test_convert` compares them on damaged and on real texts."""

import random

from limpet.protocol.archives.quick_pokerstars import QuickPokerStars
from limpet.protocol.archives.read_pokerstars import read_hand
from limpet.protocol.archives.write_pokerstars import PokerStarsTable
from limpet.protocol.state import State
from tests.protocol.archives.test_read_pokerstars import ANTE, CASH, FIRST, SECOND
from tests.protocol.random_hands import random_hand


def test_hands_with_other_stacks_share_betting_and_are_read_alike() -> None:
    reader, source, table = QuickPokerStars(), random.Random(1), PokerStarsTable()
    for number in range(300):
        text = table.hand_text(random_hand(source, 10**9 + number, uneven=True), "table")
        careful = read_hand(text)
        quick = reader.read(text)
        assert quick is not None and quick == careful
        assert all_fields(quick[0].state) == all_fields(careful[0].state)


def all_fields(end: State) -> list[tuple[object, ...]]:
    """All states of a hand, which otherwise compare by game, betting and board, without the state before each."""
    return [tuple(state._replace(parent=None)) for state in end.path()]


def test_plain_hands_are_read_and_others_left_to_the_careful_reader() -> None:
    reader = QuickPokerStars()
    for text in (SECOND, FIRST.replace("\nUSD", " USD").replace("~", " ").replace("-\n2011", "- 2011")):
        assert reader.read(text) == reader.read(text) == read_hand(text)
    assert reader.read(CASH) is None and reader.read(ANTE) is None and reader.read("") is None
