"""The push-or-fold tree (thesis, section 6.2)."""

import pytest

from limpet.strategies.shortstacks.spot import seat_names, slot_name, slot_numbers, slots


@pytest.mark.parametrize(("players", "count"), [(2, 3), (3, 7), (4, 14), (6, 41), (9, 129), (10, 175)])
def test_section_6_2_slots_are_one_fewer_than_leaves(players: int, count: int) -> None:
    assert len(slots(players)) == count - 1
    assert len(set(slots(players))) == count - 1


def test_section_6_2_at_most_three_are_all_in_and_the_big_blind_does_not_push() -> None:
    assert max(map(len, slots(10))) == 3
    assert (9,) not in slots(10)
    assert all(slot == tuple(sorted(slot)) for slot in slots(10))
    assert slot_name((7, 8, 9), 10) == "BTN,SB,BB"
    assert slot_numbers(3)[0, 1, 2] == 5


def test_seats_have_different_names_and_end_with_the_blinds() -> None:
    for players in range(2, 11):
        names = seat_names(players)
        assert len(set(names)) == players
        assert names[-2:] == ("SB", "BB")
    assert seat_names(10) == ("UTG", "UTG1", "UTG2", "UTG3", "LJ", "HJ", "CO", "BTN", "SB", "BB")
    assert seat_names(4) == ("UTG", "BTN", "SB", "BB")
