"""Compiled values of push-or-fold decisions by contraction over the classes of the players all-in.

The game behind it deals a class to each seat when it acts, given the classes of those who are all-in; the cards of seats
that folded go back into the deck. Letters: a, b, d are the classes of pusher, caller and overcaller; i is any seat.
"""

import numpy as np
import numpy.typing as npt

from limpet.common.jit import njit


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def values_after_call(
    pusher: int,
    caller: int,
    pairs: npt.NDArray[np.float64],
    scale: npt.NDArray[np.float64],
    share_of: npt.NDArray[np.int64],
    called: npt.NDArray[np.float64],
    overcalled: npt.NDArray[np.float64],
    is_overcalled: npt.NDArray[np.bool_],
    sums: npt.NDArray[np.float32],
    is_pushed: npt.NDArray[np.bool_],
    values: npt.NDArray[np.float32],
    overcalls: npt.NDArray[np.float32],
    folded: npt.NDArray[np.float32],
) -> None:
    """Write what every seat wins after one push and one call, given both classes, over all answers of the seats behind.

    pairs, scale: as in `DealTables`; share_of: `outcome_shares`; called: float64[n, 3] and overcalled: float32[k, n, 13],
    the leaves' values, k = n - 1 - caller; is_overcalled: bool[k], whether each seat behind overcalls with any class;
    sums: float32[k, 9, C, C], shares summed over the overcaller's range; is_pushed: bool[C], classes that are pushed.

    Written: values float32[n, C, C], for each seat; overcalls float32[k, C, C], the probability that seat caller + 1 + j
    overcalls if all before it folded; folded float32[k, C, C], what that seat wins if it folds. Seats other than pusher and
    caller have values only where the pusher plays its class.
    """
    behind = len(is_overcalled)
    seats, classes = called.shape[0], pairs.shape[1]
    mirrored = np.empty((behind, 8, classes, classes), np.float32)
    for j in range(behind):
        for m in range(13):
            if is_overcalled[j] and share_of[m, 1]:
                s = share_of[m, 0]
                for a in range(classes):
                    for b in range(classes):
                        mirrored[j, s, a, b] = sums[j, s, b, a]
    z = np.empty((seats, classes), np.float64)
    won = np.empty(classes, np.float32)
    for a in range(classes):
        for i in range(seats):
            for b in range(classes):
                z[i, b] = pairs[0, a, b] * called[i, 0] + pairs[1, a, b] * called[i, 1] + pairs[2, a, b] * called[i, 2]
        for j in range(behind - 1, -1, -1):
            for b in range(classes):
                folded[j, a, b] = z[caller + 1 + j, b]
                overcalls[j, a, b] = scale[a, b] * sums[j, 8, a, b] if is_overcalled[j] else 0
            if not is_overcalled[j]:
                continue
            for i in range(seats):
                if is_pushed[a] or i in (pusher, caller):
                    add_outcomes(overcalled[j, i], share_of, sums[j, :, a], mirrored[j, :, a], won)
                    for b in range(classes):
                        chance = scale[a, b] * sums[j, 8, a, b]
                        z[i, b] = (1 - chance) * z[i, b] + scale[a, b] * won[b]
        for i in range(seats):
            for b in range(classes):
                values[i, a, b] = z[i, b]


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def add_outcomes(
    values: npt.NDArray[np.float32],
    share_of: npt.NDArray[np.int64],
    sums: npt.NDArray[np.float32],
    mirrored: npt.NDArray[np.float32],
    won: npt.NDArray[np.float32],
) -> None:
    """Write what a seat wins over all outcomes with an overcaller, for one class of the pusher and each of the caller.

    values: float32[13], the seat's value of each outcome; share_of: `outcome_shares`; sums, mirrored: float32[9, C] and
    float32[8, C], shares summed over the overcaller's range, by the caller's class. Written: won float32[C].
    """
    classes = len(won)
    is_constant = True
    for m in range(1, 13):
        is_constant &= values[m] == values[0]
    if is_constant:
        for b in range(classes):
            won[b] = values[0] * sums[8, b]
        return
    won[:] = 0
    for m in range(13):
        s, value = share_of[m, 0], values[m]
        if share_of[m, 1]:
            for b in range(classes):
                won[b] += value * mirrored[s, b]
        else:
            for b in range(classes):
                won[b] += value * sums[s, b]


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def values_of_answers(
    pusher: int,
    start: npt.NDArray[np.float64],
    conditional: npt.NDArray[np.float64],
    pushed: npt.NDArray[np.float64],
    calls: npt.NDArray[np.float64],
    after: npt.NDArray[np.float32],
    act: npt.NDArray[np.float64],
    fold: npt.NDArray[np.float64],
    open_reach: npt.NDArray[np.float64],
    values: npt.NDArray[np.float64],
) -> None:
    """Write the values of calling and folding behind a pusher, and what every seat wins after the push.

    start: float64[C], probability that the pusher pushes with class a; conditional: `DealTables.conditional`; pushed:
    float64[n], value if all fold; calls: float64[k, C], frequencies of the seats behind, k = n - 1 - pusher; after:
    float32[k, n, C, C], values after each seat's call.

    Written: act, fold float64[k, C], value of calling and of folding times the probability of the decision with class b;
    open_reach float64[k, C], probability that the pusher holds class a and each seat is still to answer; values
    float64[n, C], what every seat wins after a push with class a (for seats other than the pusher, only where the pusher
    pushes).
    """
    behind, classes = calls.shape
    seats = len(pushed)
    chance = np.zeros((behind, classes), np.float64)
    for j in range(behind):
        for a in range(classes):
            total = 0.0
            for b in range(classes):
                total += conditional[a, b] * calls[j, b]
            chance[j, a] = total
    for a in range(classes):
        reach = start[a]
        for j in range(behind):
            open_reach[j, a] = reach
            reach *= 1 - chance[j, a]
    for i in range(seats):
        for a in range(classes):
            values[i, a] = pushed[i]
    weight = np.empty(classes, np.float64)
    act[:] = 0
    fold[:] = 0
    for j in range(behind - 1, -1, -1):
        seat = pusher + 1 + j
        for a in range(classes):
            reach = open_reach[j, a]
            if reach > 0:
                kept = values[seat, a]
                for b in range(classes):
                    at = reach * conditional[a, b]
                    act[j, b] += at * after[j, seat, a, b]
                    fold[j, b] += at * kept
            for b in range(classes):
                weight[b] = conditional[a, b] * calls[j, b]
            for i in range(seats):
                if i == pusher or start[a] > 0:
                    won = 0.0
                    for b in range(classes):
                        won += weight[b] * after[j, i, a, b]
                    values[i, a] = (1 - chance[j, a]) * values[i, a] + won


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def values_of_overcalls(
    reach: npt.NDArray[np.float32],
    triples: npt.NDArray[np.float32],
    share_of: npt.NDArray[np.int64],
    outcome_values: npt.NDArray[np.float32],
    folded: npt.NDArray[np.float32],
    cells: npt.NDArray[np.int64],
    values: npt.NDArray[np.float32],
) -> None:
    """Write the values of overcalling and of folding at some slots, summed over some classes of pusher and caller.

    Four pairs of classes are added at once, and each row of the table is read once for all slots.

    reach: float32[M, C, C], by slot, probability that pusher and caller hold (a, b), times `DealTables.scale`; triples:
    as in `DealTables`; share_of: `outcome_shares`; outcome_values: float32[M, 13], value of each outcome to the overcaller;
    folded: float32[M, C, C], its value if it folds; cells: int64[4 * K], numbers a * C + b of the classes, -1 for none.

    Written: values float32[2, M, C], of overcalling and of folding, times the probability of the decision with class d.
    """
    slots, classes = reach.shape[:2]
    count = len(cells)
    weight = np.zeros((3, slots, count), np.float32)
    for slot in range(slots):
        for k in range(count):
            if cells[k] >= 0:
                a, b = cells[k] // classes, cells[k] % classes
                weight[0, slot, k] = reach[slot, a, b]
                weight[1, slot, k] = reach[slot, b, a]
                weight[2, slot, k] = reach[slot, a, b] * folded[slot, a, b]
    by_share = np.zeros((2, slots, 9), np.float32)
    for m in range(13):
        for slot in range(slots):
            by_share[share_of[m, 1], slot, share_of[m, 0]] = outcome_values[slot, m]
    values[:] = 0
    for k in range(0, count, 4):
        a, b = np.maximum(cells[k : k + 4], 0) // classes, np.maximum(cells[k : k + 4], 0) % classes
        for s in range(9):
            first, second = triples[s, a[0], b[0]], triples[s, a[1], b[1]]
            third, fourth = triples[s, a[2], b[2]], triples[s, a[3], b[3]]
            for slot in range(slots):
                if s == 8:
                    w = weight[2, slot, k : k + 4]
                    w0, w1, w2, w3 = w[0], w[1], w[2], w[3]
                    total = values[1, slot]
                else:
                    own, mirrored = weight[0, slot, k : k + 4], weight[1, slot, k : k + 4]
                    x, y = by_share[0, slot, s], by_share[1, slot, s]
                    w0, w1 = x * own[0] + y * mirrored[0], x * own[1] + y * mirrored[1]
                    w2, w3 = x * own[2] + y * mirrored[2], x * own[3] + y * mirrored[3]
                    total = values[0, slot]
                if w0 != 0 or w1 != 0 or w2 != 0 or w3 != 0:
                    for d in range(classes):
                        total[d] += w0 * first[d] + w1 * second[d] + w2 * third[d] + w3 * fourth[d]
