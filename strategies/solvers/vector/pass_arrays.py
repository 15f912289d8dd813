"""The arrays and numbers that a vector solver's pass reads and writes, as its kernels take them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.solvers.lanes_kernels import Table


class Visit(NamedTuple):
    """A visit of a pass to one board.

    Attributes:
        p: player whose values the pass computes.
        street: street of the board, 0 at the root.
        board: number of the board.
        hands: number of hands on the board.
        begin: column at which rows of the player's hands begin: that of the first one, rounded down to whole lanes.
        lanes: length of the part of such a row that is in use: to the player's last hand and one more, in whole lanes.
        stride: length of such rows on the street.
        seen_begin: the same for rows of the other player's hands.
        seen_lanes: the same for rows of the other player's hands.
        seen_stride: the same for rows of the other player's hands.
    """

    p: int
    street: int
    board: int
    hands: int
    begin: int
    lanes: int
    stride: int
    seen_begin: int
    seen_lanes: int
    seen_stride: int


class BoardTables(NamedTuple):
    """Regrets and average strategies of all decisions on B boards: float32, or int16 with a scale for each decision.

    Attributes:
        base: int64 ``[B]``: index at which each board's entries start.
        row: int64 ``[N]``: entries of a board before the first row of each decision, which has its player's hands.
        play: weights of actions. Negative weights count as 0, and a row without weight is played uniformly.
        regret: the same array as `play`; with predictions (PCFR+) `play` is regret plus the prediction.
        average: weighted sum of strategies; empty where the answer is the last strategy.
        decision_base: int64 ``[B]``: index at which each board's decisions start in the arrays below.
        regret_scale: float32 ``[decision]``: factor of int16 regrets; unused with float32.
        average_scale: float32 ``[decision]``: factor of int16 sums of strategies; unused with float32.
        locked: bool_ ``[decision]``: whether the decision keeps the strategy it has.
    """

    base: NDArray[np.int64]
    row: NDArray[np.int64]
    play: Table
    regret: Table
    average: Table
    decision_base: NDArray[np.int64]
    regret_scale: NDArray[np.float32]
    average_scale: NDArray[np.float32]
    locked: NDArray[np.bool_]


class BoardHandGroups(NamedTuple):
    """Card abstraction: the hands that a player must treat alike on each of B boards.

    Attributes:
        start: int64 ``[B]``: index at which each board's hands start in `group` and `share`.
        group: int16 ``[H]``: group of each hand, in the board's order of hands.
        number: int64 ``[B]``: number of groups on the board.
        share: float32 ``[2, H]``: share of each hand in its group, by player; the shares of a group sum to 1.
    """

    start: NDArray[np.int64]
    group: NDArray[np.int16]
    number: NDArray[np.int64]
    share: NDArray[np.float32]


class PassRule(NamedTuple):
    """How a pass treats the decisions of its player, with all that Kujath's thesis lets one choose.

    Attributes:
        kind: one of the kinds of `decision_kernels`.
        by_reach: whether averages are weighted by the player's reach; not in the thesis's algorithm 3.
        constant: `GREEDY`: its constant c.
        ties_stay: `GREEDY`: whether equal actions leave the strategy; if not, the last one counts as best.
        returns_new: `GREEDY`: whether the value passed up is that of the new strategy.
        grouped: whether values are averaged over the player's hand groups at the bottom of each street.
        groups: the hand groups; empty without.
    """

    kind: int
    by_reach: bool
    constant: np.float32
    ties_stay: bool
    returns_new: bool
    grouped: bool
    groups: BoardHandGroups


class IterationWeights(NamedTuple):
    """The weights of one round of an iteration, see `Step`.

    Attributes:
        keep_positive: factor of regrets above 0 before the new ones are added.
        keep_negative: factor of regrets below 0 before the new ones are added.
        average_weight: weight of the iteration's strategies in the average; 0 leaves the average alone.
        iteration: number of the iteration, from 1.
    """

    keep_positive: np.float32
    keep_negative: np.float32
    average_weight: np.float32
    iteration: np.float32


class Step(NamedTuple):
    """One round of an iteration. A float32 row of a schedule holds its numbers in this order.

    Attributes:
        early: weights on the streets before the last.
        late: weights on the last street of L > 1; a single street is an early one.
        round: number of the round, from 0: the boards of the last street that it visits, see `Root.round`.
        rounds: number of rounds of the iteration. Every round visits all boards of the streets before the last.
    """

    early: IterationWeights
    late: IterationWeights
    round: np.float32
    rounds: np.float32


class PassSpace(NamedTuple):
    """Working space of one thread for the streets below the root's; the root street's own rows are shared.

    Attributes:
        reach: reach of the other player's hands, by reach row of each street, as long as the other player's rows.
        value: counterfactual values of the player's hands, by node of each street, as long as the player's rows; and a row more.
        offset: int64 ``[street]``: start of each street in `reach` and `value`; 0 for the root's.
        below: values summed over the next card, by leaf of each street.
        below_offset: int64 ``[street]``: start of each street in `below`.
        mixed: float32 ``[stride * 8]``: reach of eight terminals, hand by hand.
        runs: float32 ``[(runs + 1) * 8]``: reach passed at each run of hands, see `terminal_kernels.sum_by_card`.
        parts: float32 ``[(parts + 1) * 8]``: the same of one card's hands at each of its parts.
        cards: float32 ``[54 * 8]``: reach of the hands that hold each card; 52 and 53 are padding's.
        rows: int64 ``[16]``: where the rows of eight showdowns and then of eight folds start.
        stakes: float32 ``[32]``: stakes of eight showdowns and of eight folds; half the house's shares of each.
        fresh: float32 ``[actions * stride]``: new rows of a decision before they are rounded to int16.
    """

    reach: NDArray[np.float32]
    value: NDArray[np.float32]
    offset: NDArray[np.int64]
    below: NDArray[np.float32]
    below_offset: NDArray[np.int64]
    mixed: NDArray[np.float32]
    runs: NDArray[np.float32]
    parts: NDArray[np.float32]
    cards: NDArray[np.float32]
    rows: NDArray[np.int64]
    stakes: NDArray[np.float32]
    fresh: NDArray[np.float32]


class Capture(NamedTuple):
    """Copies of one board's rows of `PassSpace.reach` and `value`, made by a pass for a reader; -1 is no board."""

    board: int
    reach: NDArray[np.float32]
    value: NDArray[np.float32]


class Root(NamedTuple):
    """Arrays that all threads of a pass share: the root street's rows, and the values that come up from below it.

    Attributes:
        ranges: float32 ``[2, hands]``, flat and padded to lanes: weights of both players' hands.
        reach: float32 ``[node * stride]``: reach of the other player's hands.
        value: float32 ``[(node + 1) * stride]``: counterfactual values; row 0 is the game's value of every hand.
        chunks: float32 ``[chunk * leaf * stride]``: values of the boards of each chunk, summed by leaf.
        chunk_start: int64 ``[chunks + 1]``: first board of each chunk.
        next_chunk: int64 ``[1]``: first chunk that no thread has begun.
        round: int8 ``[B]``: round of an iteration that visits each board of the last street.
    """

    ranges: NDArray[np.float32]
    reach: NDArray[np.float32]
    value: NDArray[np.float32]
    chunks: NDArray[np.float32]
    chunk_start: NDArray[np.int64]
    next_chunk: NDArray[np.int64]
    round: NDArray[np.int8]
