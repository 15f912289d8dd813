"""Turns and rivers drawn for a flop so that no card, and with it no draw, comes more often than another."""

from collections.abc import Iterator

import numpy as np

LEFT = 49
"""Cards left after a flop: the run-outs of one round."""


def run_outs(flop: tuple[int, ...], rounds: int, seed: int) -> Iterator[tuple[int, int]]:
    """(turn, river) pairs: `rounds` times 49, in each round every card once as the turn and once as the river.

    The cards lie in a circle, in an order drawn by the seed; a round takes for each card the one so many places on. No
    pair comes twice, and 48 rounds are all there are. Plain draws would bring in a flush of nine outs 2.2 ± 1.3 times on
    twelve turns, which is an error of all its hands at once. Raises `ValueError` for more rounds.
    """
    if rounds >= LEFT:
        raise ValueError(f"after a flop there are {LEFT - 1} rounds of {LEFT} run-outs, not {rounds}; ask for fewer")
    draw = np.random.Generator(np.random.Philox(key=[seed, sum(card * 52**place for place, card in enumerate(flop))]))
    circle = draw.permutation([card for card in range(52) if card not in flop]).tolist()
    for step in draw.permutation(LEFT - 1)[:rounds].tolist():
        for place, turn in enumerate(circle):
            yield turn, circle[(place + step + 1) % LEFT]
