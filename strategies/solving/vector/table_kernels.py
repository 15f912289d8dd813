"""Reads and writes of tables of float32, or of int16 with one scale for each decision.

Float32 rows are read and written in place. Int16 rows are read times their decision's scale; new ones are first written
to `fresh`, float32 ``[actions * stride]``, and rounded into the table once the largest is known. The type of the table
chooses the code when a kernel is compiled. Callable from compiled code only.
"""

# Overloads must carry the bare argument names, so they have no annotations.

import numpy as np
from numba.core import types
from numba.extending import overload

from limpet.strategies.solving.lanes_kernels import WIDTH, largest, load, maximum, spread, store

_TINY = np.float32(1e-30)
_MOST = np.float32(32767)


def old_entries(table, at, scale):
    """Return eight entries of a table, from `at`."""


def new_entries(table, at, entries, fresh, fresh_at):
    """Write eight entries to a table at `at`, or to `fresh` at `fresh_at`."""


def settle_entries(table, row, actions, stride, lanes, scales, decision, fresh):
    """Round the rows of a decision from `fresh` into an int16 table, from `row` on; do nothing for float32."""


@overload(old_entries)
def _old_entries(table, at, scale):
    if table.dtype == types.float32:
        return lambda table, at, scale: load(table, at)
    return lambda table, at, scale: load(table, at) * spread(scale)


@overload(new_entries)
def _new_entries(table, at, entries, fresh, fresh_at):
    if table.dtype == types.float32:
        return lambda table, at, entries, fresh, fresh_at: store(table, at, entries)
    return lambda table, at, entries, fresh, fresh_at: store(fresh, fresh_at, entries)


@overload(settle_entries)
def _settle_entries(table, row, actions, stride, lanes, scales, decision, fresh):
    if table.dtype == types.float32:
        return lambda table, row, actions, stride, lanes, scales, decision, fresh: None

    def settle(table, row, actions, stride, lanes, scales, decision, fresh):
        most = spread(np.float32(0))
        for a in range(actions):
            for h in range(0, lanes, WIDTH):
                entries = load(fresh, a * stride + h)
                most = maximum(most, maximum(entries, spread(np.float32(0)) - entries))
        scale = largest(most) / _MOST
        scales[decision] = scale
        inverse = spread(np.float32(1) / scale if scale > _TINY else np.float32(0))
        for a in range(actions):
            for h in range(0, lanes, WIDTH):
                store(table, row + a * stride + h, load(fresh, a * stride + h) * inverse)

    return settle
