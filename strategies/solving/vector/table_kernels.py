"""Tables of float32, or of int16 with one scale for each decision: all that kernels need to know of the difference.

Float32 rows are read and written where they lie. Int16 rows are read times their decision's scale; the new ones are
first put into `fresh`, float32 ``[actions * stride]``, and moved into the table once the largest is known.
Chosen when a kernel is compiled, by the type of its table. Callable from compiled code only.
"""

# Overloads must carry the bare argument names, so they have no annotations.
# mypy: allow-untyped-defs

import numpy as np
from numba.core import types
from numba.extending import overload

from limpet.strategies.solving.lanes_kernels import WIDTH, largest, load, maximum, spread, store

_TINY = np.float32(1e-30)
_MOST = np.float32(32767)


def old_entries(table, at, scale):
    """Eight entries of a table, from `at`."""


def new_entries(table, at, entries, fresh, place):
    """Put eight entries into a table at `at`, or keep them in `fresh` at `place`."""


def settle_entries(table, row, actions, stride, lanes, scales, decision, fresh):
    """Move a decision's rows from `fresh` into the table from `row` on, if that is where they are."""


@overload(old_entries)
def _old_entries(table, at, scale):
    if table.dtype == types.float32:
        return lambda table, at, scale: load(table, at)
    return lambda table, at, scale: load(table, at) * spread(scale)


@overload(new_entries)
def _new_entries(table, at, entries, fresh, place):
    if table.dtype == types.float32:
        return lambda table, at, entries, fresh, place: store(table, at, entries)
    return lambda table, at, entries, fresh, place: store(fresh, place, entries)


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
