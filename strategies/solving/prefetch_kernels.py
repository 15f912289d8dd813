"""Fetches memory into caches before kernels need it: ``prefetch(array, i)`` fetches the cache line of array[i].

A prefetch changes nothing but time, and the index need not exist. Callable from compiled code only.
"""

# Typed for numba by the intrinsic below, not by annotations.

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

_I32 = ir.IntType(32)
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
