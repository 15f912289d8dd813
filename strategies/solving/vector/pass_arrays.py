"""The arrays that a vector solver's pass reads and writes.

Row r of a street's working space starts at ``offset[street] + r * stride[street]``; slot s of board b at
``base[b] + s * stride[street]`` in a table. Forests and boards have files of their own.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.solving.lanes_kernels import Table


class Visit(NamedTuple):
    """A visit of a pass to one board."""

    p: int  # player whose values the pass computes
    street: int  # street of the board, 0 at the root
    board: int  # number of the board
    hands: int  # number of hands on the board
    lanes: int  # length of the part of a row that is in use: the hands and one more, in whole lanes
    stride: int  # length of the street's rows


class Tables(NamedTuple):
    """Regrets and average strategies of all decisions on B boards: float32, or int16 with a scale for each decision."""

    base: NDArray[np.int64]  # [B]: index at which each board's slots start
    play: Table  # weights of actions. Negative weights count as 0, and a row without weight is played uniformly.
    regret: Table  # the same array as `play`; with predictions (PCFR+) `play` is regret plus the prediction
    average: Table  # weighted sum of strategies; empty where the answer is the last strategy
    decision_base: NDArray[np.int64]  # [B]: index at which each board's decisions start in the arrays below
    regret_scale: NDArray[np.float32]  # [decision]: factor of int16 regrets; unused with float32
    average_scale: NDArray[np.float32]  # [decision]: factor of int16 sums of strategies; unused with float32
    locked: NDArray[np.bool_]  # [decision]: whether the decision keeps the strategy it has


class Step(NamedTuple):
    """The weights of one iteration; a float32 row of a schedule holds them in this order, then whether to restart."""

    keep_positive: np.float32  # factor of regrets above 0 before the new ones are added
    keep_negative: np.float32  # factor of regrets below 0 before the new ones are added
    average_weight: np.float32  # weight of the iteration's strategies in the average; 0 leaves the average alone
    iteration: np.float32  # number of the iteration, from 1


MEASURE = np.array([[1, 1, 0, 1, 0]], np.float32)
"""The schedule of a pass that changes no table."""


class Space(NamedTuple):
    """Working space of one thread for the streets below the root's; the root street's own rows are shared."""

    reach: NDArray[np.float32]  # reach of the other player's hands, by reach row of each street
    value: NDArray[np.float32]  # counterfactual values of the player's hands, by node of each street
    offset: NDArray[np.int64]  # [street]: start of each street in `reach` and `value`; 0 for the root's
    below: NDArray[np.float32]  # values summed over the next card, by leaf of each street
    below_offset: NDArray[np.int64]  # [street]: start of each street in `below`
    mixed: NDArray[np.float32]  # [stride * 8]: reach of eight terminals, hand by hand; later the values of their folds
    shown: NDArray[np.float32]  # [stride * 8]: values of eight showdowns, hand by hand
    apart: NDArray[np.float32]  # [16 * stride]: values of eight showdowns and then of eight folds, terminal by terminal
    cards: NDArray[np.float32]  # [54 * 8]: reach of the hands passed that hold each card; 52 and 53 are padding's
    fresh: NDArray[np.float32]  # [actions * stride]: new rows of a decision before they are rounded to int16


class Capture(NamedTuple):
    """Copies of one board's rows, which a pass makes for a reader."""

    board: int  # number of the board; -1 for none
    reach: NDArray[np.float32]  # rows of the board's street, as in `Space.reach`
    value: NDArray[np.float32]  # rows of the board's street, as in `Space.value`


class Root(NamedTuple):
    """Arrays that all threads of a pass share: the root street's rows, and the values that come up from below it."""

    ranges: NDArray[np.float32]  # [2 * stride]: weights of both players' hands
    reach: NDArray[np.float32]  # [node * stride]: reach of the other player's hands
    value: NDArray[np.float32]  # [node * stride]: counterfactual values; row 0 is the game's value of every hand
    chunks: NDArray[np.float32]  # [chunk * leaf * stride]: values of the boards of each chunk, summed by leaf
    chunk_start: NDArray[np.int64]  # [chunks + 1]: first board of each chunk
