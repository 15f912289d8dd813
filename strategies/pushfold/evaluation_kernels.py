"""Compiled values of push-or-fold decisions by contraction over the classes of the players all-in.

The game behind it deals a class to each seat when it acts, given the classes of those who are all-in; the cards of seats
that folded go back into the deck. Letters: a, b, d are the classes of pusher, caller and overcaller; i is any seat.
"""

import numpy as np
import numpy.typing as npt

from limpet.protocol.jit import njit


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def values_after_call(
    pusher: int,
    caller: int,
    pairs: npt.NDArray[np.float64],
    scale: npt.NDArray[np.float64],
    where: npt.NDArray[np.int64],
    called: npt.NDArray[np.float64],
    overcalled: npt.NDArray[np.float64],
    is_overcalled: npt.NDArray[np.bool_],
    sums: npt.NDArray[np.float32],
    is_pushed: npt.NDArray[np.bool_],
    is_called: npt.NDArray[np.bool_],
    values: npt.NDArray[np.float32],
    overcalls: npt.NDArray[np.float32],
    folded: npt.NDArray[np.float32],
) -> None:
    """Write what every seat wins after one push and one call, given both classes, over all answers of the seats behind.

    pairs, scale: as in `DealTables`; where: `outcome_shares`; called: float64[n, 3] and overcalled: float64[k, n, 13], the
    leaves' values, k = n - 1 - caller; is_overcalled: bool[k], whether each seat behind overcalls with any class;
    sums: float32[k, C, C, 9], shares summed over the overcaller's range; is_pushed, is_called: bool[C], classes that
    are played.

    Written: values float32[n, C, C], for each seat; overcalls float32[k, C, C], the probability that seat caller + 1 + j
    overcalls if all before it folded; folded float32[k, C, C], what that seat wins if it folds. Seats other than pusher and
    caller have values only where both play their classes.
    """
    behind = len(is_overcalled)
    seats, classes = called.shape[0], pairs.shape[1]
    z = np.empty(seats, np.float64)
    outcome = np.empty(13, np.float64)
    for a in range(classes):
        for b in range(classes):
            is_played = is_pushed[a] and is_called[b]
            for i in range(seats):
                z[i] = pairs[0, a, b] * called[i, 0] + pairs[1, a, b] * called[i, 1] + pairs[2, a, b] * called[i, 2]
            for j in range(behind - 1, -1, -1):
                folded[j, a, b] = z[caller + 1 + j]
                overcalls[j, a, b] = 0
                if not is_overcalled[j]:
                    continue
                for m in range(13):
                    if where[m, 1]:
                        outcome[m] = scale[a, b] * sums[j, b, a, where[m, 0]]
                    else:
                        outcome[m] = scale[a, b] * sums[j, a, b, where[m, 0]]
                chance = scale[a, b] * sums[j, a, b, 8]
                overcalls[j, a, b] = chance
                for i in range(seats):
                    if is_played or i in (pusher, caller):
                        won = 0.0
                        for m in range(13):
                            won += outcome[m] * overcalled[j, i, m]
                        z[i] = (1 - chance) * z[i] + won
            for i in range(seats):
                values[i, a, b] = z[i]


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def values_of_answers(
    pusher: int,
    start: npt.NDArray[np.float64],
    given: npt.NDArray[np.float64],
    pushed: npt.NDArray[np.float64],
    calls: npt.NDArray[np.float64],
    after: npt.NDArray[np.float32],
    act: npt.NDArray[np.float64],
    fold: npt.NDArray[np.float64],
    open_reach: npt.NDArray[np.float64],
    values: npt.NDArray[np.float64],
) -> None:
    """Write the values of calling and folding behind a pusher, and what every seat wins after the push.

    start: float64[C], probability that the pusher pushes with class a; given: `DealTables.given`; pushed: float64[n], value
    if all fold; calls: float64[k, C], frequencies of the seats behind, k = n - 1 - pusher; after: float32[k, n, C, C],
    values after each seat's call.

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
                total += given[a, b] * calls[j, b]
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
                    at = reach * given[a, b]
                    act[j, b] += at * after[j, seat, a, b]
                    fold[j, b] += at * kept
            for b in range(classes):
                weight[b] = given[a, b] * calls[j, b]
            for i in range(seats):
                if i == pusher or start[a] > 0:
                    won = 0.0
                    for b in range(classes):
                        won += weight[b] * after[j, i, a, b]
                    values[i, a] = (1 - chance[j, a]) * values[i, a] + won


@njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
def values_of_overcall(
    reach: npt.NDArray[np.float64],
    triples: npt.NDArray[np.float32],
    where: npt.NDArray[np.int64],
    overcalled: npt.NDArray[np.float64],
    folded: npt.NDArray[np.float32],
    act: npt.NDArray[np.float64],
    fold: npt.NDArray[np.float64],
) -> None:
    """Write the values of overcalling and of folding at one decision.

    reach: float64[C, C], probability that pusher and caller hold (a, b) and the overcaller is still to answer, times
    `DealTables.scale`; triples, where: as in `values_after_call`; overcalled: float64[13], value to the overcaller of each
    outcome; folded: float32[C, C], its value if it folds.

    Written: act, fold float64[C], values times the probability of the decision with class d.
    """
    classes = reach.shape[0]
    worth = np.zeros((2, 8), np.float32)
    for m in range(13):
        worth[where[m, 1], where[m, 0]] = overcalled[m]
    won = np.empty(classes, np.float32)
    kept = np.empty(classes, np.float32)
    act[:] = 0
    fold[:] = 0
    for a in range(classes):
        won[:] = 0
        kept[:] = 0
        for b in range(classes):
            if reach[a, b] <= 0:
                continue
            at = np.float32(reach[a, b])
            for turn in range(2):
                shares = triples[b, a] if turn else triples[a, b]
                for s in range(8):
                    if worth[turn, s] != 0:
                        weight = at * worth[turn, s]
                        for d in range(classes):
                            won[d] += weight * shares[s, d]
            weight = at * folded[a, b]
            for d in range(classes):
                kept[d] += weight * triples[a, b, 8, d]
        for d in range(classes):
            act[d] += won[d]
            fold[d] += kept[d]
