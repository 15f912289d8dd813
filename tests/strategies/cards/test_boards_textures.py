"""Textures of boards: known boards, and the known numbers of flops of each kind."""

from collections import Counter

import pytest

from limpet.protocol.cards import parse_cards
from limpet.strategies.cards.boards import ORDERS, Texture, texture
from limpet.strategies.cards.isomorphism import canonical_boards


@pytest.mark.parametrize(
    ("board", "words"),
    [
        ("KsTh7s", ("two-tone", "unpaired", "K", "two to a straight")),
        ("2c5cAc", ("monotone", "unpaired", "A", "three to a straight")),
        ("7d7h2s", ("rainbow", "paired", "7", "apart")),
        ("9s9h9c", ("rainbow", "trips", "9", "apart")),
        ("KsQsJsTh", ("three of a suit", "unpaired", "K", "four to a straight")),
        ("8s8h3d3c2c", ("two-tone", "two pairs", "8", "two to a straight")),
        ("8s8h8d3c3s", ("two-tone", "full house", "8", "apart")),
        ("8s8h8d8c3s", ("two-tone", "quads", "8", "apart")),
        ("9c8c7c6c5c", ("monotone", "unpaired", "9", "straight")),
        ("9c8c7c6c5d", ("four of a suit", "unpaired", "9", "straight")),
    ],
)
def test_a_board_in_words(board: str, words: tuple[str, ...]) -> None:
    assert texture(parse_cards(board)) == Texture(*words)


def test_all_flops_fall_into_the_numbers_that_can_be_counted_by_hand() -> None:
    flops = canonical_boards(3)
    counts = {name: Counter[str]() for name in ORDERS}
    for board, times in zip(flops.boards.tolist(), flops.orbit.tolist(), strict=True):
        for name, word in texture(board)._asdict().items():
            counts[name][word] += times
    # 4 · 3 · 2 choices of suits for three ranks in order, 13³ ranks each, over 3! orders; four suits of 13 over 3 ranks.
    assert counts["suits"] == {"rainbow": 24 * 13**3 // 6, "monotone": 4 * 286, "two-tone": 22_100 - 8_788 - 1_144}
    assert counts["ranks"] == {"trips": 13 * 4, "paired": 13 * 12 * 6 * 4, "unpaired": 22_100 - 52 - 3_744}
    assert counts["high"]["2"] == 4 and counts["high"]["A"] == 22_100 - 48 * 47 * 46 // 6
    assert counts["connected"]["three to a straight"] == 64 * len(connected_ranks())


def connected_ranks() -> set[frozenset[int]]:
    """Return the sets of three ranks that one straight takes, aces as 1 and 14."""
    straights = [{low + step for step in range(5)} for low in range(1, 11)]
    ranks = [(a, b, c) for c in range(14) for b in range(c) for a in range(b)]
    high = {
        frozenset(r % 13 for r in trio) for trio in ranks for straight in straights if {r + 1 for r in trio} <= straight
    }
    return {ranks for ranks in high if len(ranks) == 3}
