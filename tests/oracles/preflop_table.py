"""The generator of the shipped table of all-ins before the flop, `preflop_matrix.npz`.

``python -m tests.oracles.preflop_table FILE`` counts every pair of hands over all boards and writes the table.
"""

import sys
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import numpy as np
import numpy.typing as npt

from limpet.common.jit import njit
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import CanonicalBoards, canonical_boards, hand_permutation, preflop_classes
from limpet.strategies.cards.preflop_tables import BOARDS, pair_numbers
from limpet.strategies.cards.ranking_kernels import card_mask, hold_em_strengths

_BATCH = 1024  # boards at a time: their orbits, of 24 at most, add up to less than 2**15
_BEATS_ALL = np.int16(32767)  # strength of a hand that shares a card with the board: nobody beats it


def write_table(path: Path) -> None:
    """Count every pair over all boards (some 15 s) and write the table that `pair_counts` reads."""
    wins, ties = count_pairs(canonical_boards(5))
    # One plane for each byte, lowest first: high bytes vary little, and compress better side by side.
    planes = [counts.astype("<i4").view(np.uint8).reshape(-1, 4).T.copy() for counts in (wins, ties)]
    np.savez_compressed(path, wins=planes[0], ties=planes[1], equities=equities_against_random(wins, ties))


def equities_against_random(wins: npt.NDArray[np.int64], ties: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return float64[169]: P(win) + P(tie) / 2 of each class of hands, which meets 1,225 hands equally often."""
    leading, trailing = 2 * wins + ties, 2 * (BOARDS - wins) - ties
    counts = np.concatenate([[0], leading, trailing[::-1]])[pair_numbers()].sum(axis=1)
    _, first = np.unique(preflop_classes(), return_index=True)
    return np.asarray(counts[first] / (2 * 1225 * BOARDS))


def count_pairs(rivers: CanonicalBoards) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return (wins, ties), each int64[47008], from all canonical rivers.

    Every board and pair of hands turn into each other by the same suit permutation. So wins over canonical boards,
    weighted by orbit and summed over all pairs of hands of a class, are the wins of one pair over all boards times the
    number of pairs.
    """
    sums = np.zeros((1326, 1326), dtype=np.int32)
    strengths = np.empty((_BATCH, 1326), dtype=np.int16)
    scratch = np.empty(169, np.int32), np.empty(1326, np.int32), np.empty(1326, np.int16)
    holes = hand_space().holes
    for start in range(0, rivers.count, _BATCH):
        batch = slice(start, start + _BATCH)
        add_wins(rivers.boards[batch], rivers.orbit[batch].astype(np.int16), holes, strengths, *scratch, sums)
    numbers = pair_numbers()
    leading, trailing = numbers > 0, numbers < 0
    size = np.bincount(numbers[leading] - 1)
    wins = np.bincount(numbers[leading] - 1, sums[leading]).astype(np.int64)
    losses = np.bincount(-numbers[trailing] - 1, sums[trailing]).astype(np.int64)
    for pair in _mirrored_pairs():  # either hand may be said to lead, so both win equally often
        wins[pair] = losses[pair] = (wins[pair] + losses[pair]) // 2
    wins //= size
    return wins, BOARDS - wins - losses // size


def _mirrored_pairs() -> Iterator[int]:
    """Yield the numbers of the pairs whose hands a suit permutation exchanges, such as AcKc and AdKd."""
    moved = np.array([hand_permutation(permutation) for permutation in permutations(range(4))])
    hands = np.arange(1326)
    numbers = pair_numbers()
    for permutation in moved:
        back = permutation[permutation] == hands
        partners = numbers[hands, permutation]
        yield from np.unique(np.abs(partners[back & (partners != 0)]) - 1).tolist()


@njit(cache=True, nogil=True, error_model="numpy")
def add_wins(
    boards: npt.NDArray[np.int8],
    orbits: npt.NDArray[np.int16],
    holes: npt.NDArray[np.int8],
    strengths: npt.NDArray[np.int16],
    table: npt.NDArray[np.int32],
    row: npt.NDArray[np.int32],
    sums: npt.NDArray[np.int16],
    wins: npt.NDArray[np.int32],
) -> None:
    """Add to wins int32[1326, 1326] the orbits of those river boards on which one hand beats another.

    boards: int8[n, 5]; orbits: int16[n], with a sum below 2**15. Scratch: strengths int16[>= n, 1326], table int32[169],
    row int32[1326], sums int16[1326]. The sums of one row are kept short and close so that the innermost loop, where
    all the time goes, runs in vector registers.
    """
    for b in range(boards.shape[0]):
        hold_em_strengths(card_mask(boards[b], 5), holes, table, row)
        for h in range(1326):
            strengths[b, h] = row[h] if row[h] >= 0 else _BEATS_ALL
    for first in range(1326):
        sums[:] = 0
        for b in range(boards.shape[0]):
            strength = strengths[b, first]
            if strength == _BEATS_ALL:
                continue
            orbit = orbits[b]
            others = strengths[b]
            for second in range(1326):
                sums[second] += orbit if strength > others[second] else np.int16(0)
        for second in range(1326):
            wins[first, second] += sums[second]


if __name__ == "__main__":
    write_table(Path(sys.argv[1]))
