"""Draws in 16 bits: what is kept of a strategy, and that a mask means the same cards in every hand of a class."""

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.base.strategy import discards_of
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.draw.draw_file import merged_masks, pack_draws, unpack_draws
from limpet.strategies.draw.hands import CLASSES, DISCARDS, all_hands
from limpet.strategies.draw.second_round import draw_rows, ordered_hands


def some_play(seed: int = 1) -> NDArray[np.float32]:
    rng = np.random.default_rng(seed)
    play: NDArray[np.float32] = rng.random((CLASSES, 32), np.float32) ** 8
    play /= play.sum(axis=1, keepdims=True)
    return play


def test_two_masks_are_kept_to_less_than_a_percent() -> None:
    rng = np.random.default_rng(2)
    play = np.zeros((CLASSES, 32), np.float32)
    share = rng.random(CLASSES, np.float32)
    play[:, 31], play[:, 0] = share, 1 - share
    assert np.abs(unpack_draws(pack_draws(play)).dense() - play).max() < 1 / 126


def test_masks_that_keep_the_same_cards_are_one() -> None:
    play, kept = some_play(), all_hands().kept
    merged = merged_masks(play)
    np.testing.assert_allclose(merged.sum(axis=1), 1, rtol=1e-5)
    for mask in (3, 14, 24):
        for smaller in range(mask):
            same = (kept[:, smaller] == kept[:, mask]) & (DISCARDS[smaller] == DISCARDS[mask])
            assert (merged[same, mask] == 0).all()


def test_rows_throw_the_same_canonical_cards_away_in_every_hand() -> None:
    """By enumeration for some hands: what a hand keeps is, up to suits, what its class's hand keeps."""
    codes = pack_draws(some_play())
    rows, play, hands = draw_rows(codes), unpack_draws(codes), all_hands()
    assert rows.discards is not None and rows.classes is not None
    np.testing.assert_allclose(rows.probabilities.sum(axis=0), 1, rtol=1e-6)
    for hand in np.random.default_rng(3).integers(0, hand_space(k=5).size, 200).tolist():
        cards, number = hand_space(k=5).cards(hand), int(hands.class_of[hand])
        column = rows.column(hand)
        wanted: dict[int, float] = {}
        for mask, share in ((play.first[number], 1 - play.share[number]), (play.second[number], play.share[number])):
            wanted[int(hands.kept[number, mask])] = wanted.get(int(hands.kept[number, mask]), 0) + float(share)
        for positions, probability in zip(rows.discards, column, strict=True):
            if probability > 0:
                kept = [card for card in cards if card not in discards_of(cards, positions)]
                ours = [i for i, card in enumerate(cards) if card in kept]
                mask = sum(1 << int(ordered_hands().positions[ordered_hands().of_hand[hand]][i]) for i in ours)
                ranks = sorted(card >> 2 for card in kept)
                assert ranks == sorted(int(hands.cards[number, i]) >> 2 for i in range(5) if mask >> i & 1)
                assert wanted[int(hands.kept[number, mask])] > 0
                suits = [card & 3 for card in kept]
                theirs = [int(hands.cards[number, i]) & 3 for i in range(5) if mask >> i & 1]
                assert len(set(suits)) == len(set(theirs))
