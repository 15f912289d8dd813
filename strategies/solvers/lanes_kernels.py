"""Eight float32 numbers as one value inside kernels: ``Lanes``.

The compiler runs a loop eight hands at a time only if it can prove that rows do not overlap, and rows of one array defeat
it. Kernels that must be fast therefore load, combine and store eight numbers explicitly. On processors without 256-bit
registers the same code is compiled to narrower instructions.

    load(array, i)      the eight numbers array[i:i + 8] of a contiguous float32 array, or of an int16 array, converted
    store(array, i, x)  array[i:i + 8] = x; into int16, rounded to the nearest and clipped to -32767 .. 32767
    spread(x)           eight times the float32 x
    x + y, x - y, x * y, x / y, maximum(x, y)
    select(x, y, u, v)  u where x > y, v elsewhere, number by number
    total(x), largest(x)   the sum and the maximum of the eight, as float32
    interleave(array, r0, …, r7, target, t)   target[t + 8 * i + k] = array[rk + i] for i, k in 0 .. 7
    part(array, a, target, r)   target[r + k * step + i] = array[a + 8 * i + k]: the way back, rows `step` apart
    write_rows(target, rows, r, h, x0, …, x7)   target[rows[r + k] + h + i] = number k of xi: the same into any eight rows
    take(counter)       counter[0] before 1 is added to it, a number that no other thread gets
    at(array, i)        array[i] of an array of whole numbers; numba would look whether i counts from the end

Indices are not checked. Only `in_lanes` can be called from Python; all else exists in compiled code only.
"""

import operator
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, models, overload, register_jitable, register_model

# The functions are typed for numba by the intrinsics below, not by annotations.


WIDTH = 8


@register_jitable
def in_lanes(count: int) -> int:
    """Return the next multiple of eight."""
    return -(-count // WIDTH) * WIDTH


Table = Lanes = Any
"""For type checkers: a float32 or an int16 array, and eight numbers."""

_F32 = ir.FloatType()
_I16 = ir.IntType(16)
_I32 = ir.IntType(32)
_VECTOR = ir.VectorType(_F32, WIDTH)


class LanesType(types.Type):
    """The numba type of eight float32 numbers."""

    def __init__(self):
        super().__init__(name="Lanes(float32, 8)")


LANES = LanesType()


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager, numba_type):
        super().__init__(manager, numba_type, _VECTOR)


def _pointer(context, builder, array_type, array, index, element):
    """Return the address of element `index` as a pointer to eight elements."""
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), ir.VectorType(element, WIDTH).as_pointer())


def _constant(value):
    return ir.Constant(_VECTOR, [value] * WIDTH)


@intrinsic
def load(typing, array, index):
    """Return array[index:index + 8] as lanes."""
    narrow = array.dtype == types.int16

    def build(context, builder, signature, arguments):
        element = _I16 if narrow else _F32
        loaded = builder.load(_pointer(context, builder, signature.args[0], *arguments, element))
        loaded.align = 2 if narrow else 4
        return builder.sitofp(loaded, _VECTOR) if narrow else loaded

    if isinstance(array, types.Array) and array.dtype in (types.float32, types.int16):
        return LANES(array, types.intp), build
    return None


@intrinsic
def store(typing, array, index, lanes):
    """Write lanes to array[index:index + 8]."""
    narrow = array.dtype == types.int16

    def build(context, builder, signature, arguments):
        array_value, at, value = arguments
        if narrow:
            value = _call(builder, "llvm.rint", [value])
            value = _call(builder, "llvm.minnum", [value, _constant(32767.0)])
            value = _call(builder, "llvm.maxnum", [value, _constant(-32767.0)])
            wide = builder.fptosi(value, ir.VectorType(_I32, WIDTH))
            value = builder.trunc(wide, ir.VectorType(_I16, WIDTH))
        address = _pointer(context, builder, signature.args[0], array_value, at, _I16 if narrow else _F32)
        builder.store(value, address).align = 2 if narrow else 4
        return context.get_dummy_value()

    if isinstance(array, types.Array) and array.dtype in (types.float32, types.int16) and lanes == LANES:
        return types.void(array, types.intp, LANES), build
    return None


@intrinsic
def at(typing, array, index):
    """Return array[index] of an array of whole numbers without looking whether the index counts from the end."""

    def build(context, builder, signature, arguments):
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        number = builder.load(builder.gep(data, [arguments[1]]))
        signed = signature.args[0].dtype.signed
        return (builder.sext if signed else builder.zext)(number, ir.IntType(64)) if number.type.width < 64 else number

    if isinstance(array, types.Array) and isinstance(array.dtype, types.Integer):
        return types.intp(array, types.intp), build
    return None


@intrinsic
def take(typing, counter):
    """Return counter[0] of an array of int64 and add 1 to it, so that no two threads get the same number."""

    def build(context, builder, signature, arguments):
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.atomic_rmw("add", data, ir.Constant(ir.IntType(64), 1), "monotonic")

    if isinstance(counter, types.Array) and counter.dtype == types.int64:
        return types.int64(counter), build
    return None


def _call(builder, name, operands):
    function_type = ir.FunctionType(_VECTOR, [_VECTOR] * len(operands))
    function = cgutils.get_or_insert_function(builder.module, function_type, f"{name}.v{WIDTH}f32")
    return builder.call(function, operands)


@intrinsic
def spread(typing, number):
    """Return lanes that all hold one number."""

    def build(context, builder, signature, arguments):
        one = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), arguments[0], ir.Constant(_I32, 0))
        mask = ir.Constant(ir.VectorType(_I32, WIDTH), [0] * WIDTH)
        return builder.shuffle_vector(one, ir.Constant(_VECTOR, ir.Undefined), mask)

    return LANES(types.float32), build


def _binary(emit):
    @intrinsic
    def combine(typing, left, right):
        def build(context, builder, signature, arguments):
            return emit(builder, *arguments)

        return LANES(LANES, LANES), build

    return combine


_add = _binary(lambda builder, x, y: builder.fadd(x, y))
_subtract = _binary(lambda builder, x, y: builder.fsub(x, y))
_multiply = _binary(lambda builder, x, y: builder.fmul(x, y))
_divide = _binary(lambda builder, x, y: builder.fdiv(x, y))
maximum = _binary(lambda builder, x, y: builder.select(builder.fcmp_ordered(">", x, y), x, y))


def _operator(symbol, combine):
    @overload(symbol)
    def apply(left, right):
        if left == LANES and right == LANES:
            return lambda left, right: combine(left, right)
        return None

    return apply


_operator(operator.add, _add)
_operator(operator.sub, _subtract)
_operator(operator.mul, _multiply)
_operator(operator.truediv, _divide)


@intrinsic
def select(typing, left, right, above, otherwise):
    """Return `above` where left > right and `otherwise` elsewhere, number by number."""

    def build(context, builder, signature, arguments):
        x, y, u, v = arguments
        return builder.select(builder.fcmp_ordered(">", x, y), u, v)

    return LANES(LANES, LANES, LANES, LANES), build


def _fold(combine):
    @intrinsic
    def reduce(typing, lanes):
        def build(context, builder, signature, arguments):
            parts = [builder.extract_element(arguments[0], ir.Constant(_I32, i)) for i in range(WIDTH)]
            while len(parts) > 1:
                parts = [combine(builder, x, y) for x, y in zip(parts[::2], parts[1::2], strict=True)]
            return parts[0]

        return types.float32(LANES), build

    return reduce


total = _fold(lambda builder, x, y: builder.fadd(x, y))
largest = _fold(lambda builder, x, y: builder.select(builder.fcmp_ordered(">", x, y), x, y))


def _transposed(builder, rows):
    """Return eight vectors transposed, by three rounds of exchanges between neighbours 1, 2 and 4 apart."""
    undefined = ir.Constant(_VECTOR, ir.Undefined)
    for distance in (1, 2, 4):
        low = [i if not i & distance else WIDTH + i - distance for i in range(WIDTH)]
        high = [i + distance if not i & distance else WIDTH + i for i in range(WIDTH)]
        masks = [ir.Constant(ir.VectorType(_I32, WIDTH), mask) for mask in (low, high)]
        mixed = [undefined] * WIDTH
        for i in range(WIDTH):
            if not i & distance:
                for target, mask in ((i, masks[0]), (i + distance, masks[1])):
                    mixed[target] = builder.shuffle_vector(rows[i], rows[i + distance], mask)
        rows = mixed
    return rows


@intrinsic
def interleave(typing, array, r0, r1, r2, r3, r4, r5, r6, r7, target, t):
    """Write eight numbers of eight rows, number by number: target[t + 8 * i + k] = array[rk + i]."""

    def build(context, builder, signature, arguments):
        source, starts, out, at = arguments[0], arguments[1:9], arguments[9], arguments[10]
        rows = []
        for start in starts:
            rows.append(builder.load(_pointer(context, builder, signature.args[0], source, start, _F32)))
            rows[-1].align = 4
        for i, row in enumerate(_transposed(builder, rows)):
            index = builder.add(at, ir.Constant(at.type, WIDTH * i))
            builder.store(row, _pointer(context, builder, signature.args[9], out, index, _F32)).align = 4
        return context.get_dummy_value()

    return types.void(array, *[types.intp] * 8, target, types.intp), build


@intrinsic
def part(typing, array, a, target, r, step):
    """Invert `interleave`, into rows `step` apart: target[r + k * step + i] = array[a + 8 * i + k]."""

    def build(context, builder, signature, arguments):
        source, at, out, first, step_value = arguments
        rows = []
        for i in range(WIDTH):
            index = builder.add(at, ir.Constant(at.type, WIDTH * i))
            rows.append(builder.load(_pointer(context, builder, signature.args[0], source, index, _F32)))
            rows[-1].align = 4
        index = first
        for k, row in enumerate(_transposed(builder, rows)):
            index = builder.add(index, step_value) if k else first
            builder.store(row, _pointer(context, builder, signature.args[2], out, index, _F32)).align = 4
        return context.get_dummy_value()

    return types.void(array, types.intp, target, types.intp, types.intp), build


@intrinsic
def write_rows(typing, target, rows, r, h, x0, x1, x2, x3, x4, x5, x6, x7):
    """Write eight lanes of eight hands to eight rows: target[rows[r + k] + h + i] = xi[k]."""

    def build(context, builder, signature, arguments):
        out, starts, first, at = arguments[:4]
        data = context.make_array(signature.args[1])(context, builder, starts).data
        for k, row in enumerate(_transposed(builder, arguments[4:])):
            start = builder.load(builder.gep(data, [builder.add(first, ir.Constant(first.type, k))]))
            address = _pointer(context, builder, signature.args[0], out, builder.add(start, at), _F32)
            builder.store(row, address).align = 4
        return context.get_dummy_value()

    return types.void(target, rows, types.intp, types.intp, *[LANES] * WIDTH), build


# --- Fetches memory into caches before kernels need it: ``prefetch(array, i)`` fetches the cache line of array[i].

# Typed for numba by the intrinsic below, not by annotations.


_POINTER = ir.IntType(8).as_pointer()
_WRITE, _KEEP, _DATA = 1, 3, 1


@intrinsic
def prefetch(typing, array, index):
    """Fetch the cache line of array[index], to be written, into all caches."""

    def build(context, builder, signature, arguments):
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        address = builder.bitcast(builder.gep(data, [arguments[1]]), _POINTER)
        function_type = ir.FunctionType(ir.VoidType(), [_POINTER, _I32, _I32, _I32])
        fetch = builder.module.declare_intrinsic("llvm.prefetch", [_POINTER], function_type)
        builder.call(fetch, [address, _I32(_WRITE), _I32(_KEEP), _I32(_DATA)])
        return context.get_dummy_value()

    return types.void(array, types.intp), build


# --- Reads and writes of tables of float32, or of int16 with one scale for each decision.

# Overloads must carry the bare argument names, so they have no annotations.


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
