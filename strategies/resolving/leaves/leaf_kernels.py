"""Kernels of leaf values: sums over hands become sums over classes, and values of classes become values of hands."""

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.jit import njit
from limpet.strategies.solving.lanes_kernels import WIDTH, load, spread, store

F0 = np.float32(0)
CARDS = 56
"""Number of columns of `by_cards`: one for each card, one for all hands (`ALL`), and some to fill up a register."""
ALL = 52
"""Column of `by_cards` that has the sum over all hands."""


@njit(cache=True, nogil=True, error_model="numpy")
def add_lines(
    ours: NDArray[np.float32],
    theirs: NDArray[np.float32],
    our_shows: NDArray[np.float32],
    their_shows: NDArray[np.float32],
    our_folds: NDArray[np.float32],
    their_folds: NDArray[np.float32],
    wins: NDArray[np.float32],
    group: NDArray[np.int64],
    of_class: NDArray[np.int64],
    worth: NDArray[np.float32],
    by_class: NDArray[np.float32],
    by_group: NDArray[np.float32],
    sums: NDArray[np.float32],
) -> None:
    """Add our values of pairs of classes on one runout, over L lines and K ways of the opponent to play on.

        sums[k, c, c'] += Σ_l Σ_h∈c Σ_i∈c' ours[l, h] · theirs[k, l, i] · worth_kl[group(i), group(h)]
        worth_kl[g', g] = Σ_folds their_folds · our_folds - wins[g', g] Σ_shows their_shows · our_shows

    ours ``[L, H]`` and theirs ``[K, L, H]`` are by cell of hands; shows and folds are by group: ours ``[L, ends, G]``
    times the stakes, theirs ``[K, L, ends, G]``; wins is ``[G, G]``. worth ``[G, G]``, by_class ``[C, G]`` and by_group
    ``[G, C]`` are scratch. G and the columns of classes are whole lanes; by_group has zeros where there is no class.
    """
    groups, classes, width, cells = wins.shape[0], by_class.shape[0], sums.shape[2], len(group)
    ways, lines, shows, folds = theirs.shape[0], theirs.shape[1], our_shows.shape[1], our_folds.shape[1]
    flat_ours, flat_folds = our_shows.reshape(-1), our_folds.reshape(-1)
    flat_worth, flat_class, flat_group, flat_sums = (
        worth.reshape(-1),
        by_class.reshape(-1),
        by_group.reshape(-1),
        sums.reshape(-1),
    )
    flat_wins = wins.reshape(-1)
    for k in range(ways):
        for line in range(lines):
            for i in range(groups):
                for g in range(0, groups, WIDTH):
                    shown, folded = spread(F0), spread(F0)
                    at = line * shows * groups + g
                    for end in range(shows):
                        shown = shown + spread(their_shows[k, line, end, i]) * load(flat_ours, at + end * groups)
                    at = line * folds * groups + g
                    for end in range(folds):
                        folded = folded + spread(their_folds[k, line, end, i]) * load(flat_folds, at + end * groups)
                    at = i * groups + g
                    store(flat_worth, at, folded - load(flat_wins, at) * shown)
            by_class[:] = F0
            for i in range(cells):
                if theirs[k, line, i] > F0:
                    _add_row(
                        flat_class, of_class[i] * groups, theirs[k, line, i], flat_worth, group[i] * groups, groups
                    )
            for g in range(groups):
                for c in range(classes):
                    by_group[g, c] = by_class[c, g]
            for h in range(cells):
                if ours[line, h] != F0:
                    target = (k * classes + of_class[h]) * width
                    _add_row(flat_sums, target, ours[line, h], flat_group, group[h] * width, width)


@njit(cache=True, nogil=True, error_model="numpy")
def _add_row(
    target: NDArray[np.float32], at: int, factor: np.float32, source: NDArray[np.float32], start: int, count: int
) -> None:
    """Add ``factor * source[start : start + count]`` to ``target[at : at + count]``; `count` is in whole lanes."""
    times = spread(factor)
    for i in range(0, count, WIDTH):
        store(target, at + i, load(target, at + i) + times * load(source, start + i))


@njit(cache=True, nogil=True, error_model="numpy")
def add_folds(
    ours: NDArray[np.float32],
    theirs: NDArray[np.float32],
    of_class: NDArray[np.int64],
    by_class: NDArray[np.float32],
    sums: NDArray[np.float32],
) -> None:
    """Add our values of pairs of classes where somebody folds on the turn, for F folds.

    ours ``[F, H]`` has the stakes, theirs is ``[K, F, H]``; sums as in `add_lines`; by_class ``[2, columns]`` is scratch.
    """
    mine, others = by_class[0], by_class[1]
    classes, width = sums.shape[1], sums.shape[2]
    flat = sums.reshape(-1)
    for end in range(len(ours)):
        mine[:] = F0
        for h in range(len(of_class)):
            mine[of_class[h]] += ours[end, h]
        for k in range(len(theirs)):
            others[:] = F0
            for h in range(len(of_class)):
                others[of_class[h]] += theirs[k, end, h]
            for c in range(classes):
                _add_row(flat, (k * classes + c) * width, mine[c], others, 0, width)


@njit(cache=True, nogil=True, error_model="numpy")
def by_cards(
    reach: NDArray[np.float32],
    starts: NDArray[np.int64],
    of_class: NDArray[np.int16],
    card_a: NDArray[np.uint8],
    card_b: NDArray[np.uint8],
    sums: NDArray[np.float32],
) -> None:
    """Write sums ``[N, C, CARDS]``: each class's reach with all its hands and with those that hold each card.

    starts: index in `reach` of each of N rows of reach.
    """
    for n in range(len(starts)):
        here = sums[n]
        here[:] = F0
        start = starts[n]
        for h in range(len(of_class)):
            own = reach[start + h]
            row = here[of_class[h]]
            row[ALL] += own
            row[card_a[h]] += own
            row[card_b[h]] += own


@njit(cache=True, nogil=True, error_model="numpy")
def by_hands(
    matrices: NDArray[np.float32],
    sums: NDArray[np.float32],
    row: NDArray[np.int64],
    reach: NDArray[np.float32],
    starts: NDArray[np.int64],
    of_class: NDArray[np.int16],
    card_a: NDArray[np.uint8],
    card_b: NDArray[np.uint8],
    worth: NDArray[np.float32],
    out: NDArray[np.float32],
    targets: NDArray[np.int64],
) -> None:
    """Write the values of all hands at N leaves to `out`, those of leaf n from ``targets[n]`` on.

    A hand's value is that of its class against all hands, less that against the hands that hold one of its two cards,
    plus that against the hand that holds both, which was taken off twice.

    matrices: ``[N, C, C]``; sums, starts: those of `by_cards`, of which leaf n has row ``row[n]``; worth: scratch
    ``[C * CARDS]``.
    """
    classes = matrices.shape[1]
    flat_sums = sums.reshape(-1)
    for n in range(len(targets)):
        matrix = matrices[n]
        first = row[n] * classes * CARDS
        for c in range(classes):
            z0, z1, z2, z3 = spread(F0), spread(F0), spread(F0), spread(F0)
            z4, z5, z6 = spread(F0), spread(F0), spread(F0)
            for i in range(classes):
                of_pair, at = spread(matrix[c, i]), first + i * CARDS
                z0 = z0 + of_pair * load(flat_sums, at)
                z1 = z1 + of_pair * load(flat_sums, at + 8)
                z2 = z2 + of_pair * load(flat_sums, at + 16)
                z3 = z3 + of_pair * load(flat_sums, at + 24)
                z4 = z4 + of_pair * load(flat_sums, at + 32)
                z5 = z5 + of_pair * load(flat_sums, at + 40)
                z6 = z6 + of_pair * load(flat_sums, at + 48)
            at = c * CARDS
            store(worth, at, z0)
            store(worth, at + 8, z1)
            store(worth, at + 16, z2)
            store(worth, at + 24, z3)
            store(worth, at + 32, z4)
            store(worth, at + 40, z5)
            store(worth, at + 48, z6)
        start, target = starts[row[n]], targets[n]
        for h in range(len(of_class)):
            c = int(of_class[h])
            won = worth[c * CARDS + ALL] - worth[c * CARDS + card_a[h]] - worth[c * CARDS + card_b[h]]
            out[target + h] = won + matrix[c, c] * reach[start + h]


@njit(cache=True, nogil=True, error_model="numpy")
def count_wins(ranks: NDArray[np.int16], first: int, end: int, wins: NDArray[np.int16]) -> None:
    """``wins[h, i]`` += boards on which hand h beats i, less those on which i beats h, for hands `first` to `end`.

    ranks: ``[B, H]``; a hand that a board blocks has a rank of its own, below all others.
    """
    hands = ranks.shape[1]
    for h in range(first, end):
        row = wins[h]
        for b in range(ranks.shape[0]):
            mine, others = ranks[b, h], ranks[b]
            for i in range(hands):
                row[i] += np.int16(mine > others[i]) - np.int16(mine < others[i])
