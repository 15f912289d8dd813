"""Compiled functions of which those that only others call are translated, and optimised within their callers alone.

numba makes machine code of every function by itself and of each again within all that call it, level by level: half of the
time that our kernels take to compile goes into code that nobody calls.
"""

# The inside of numba has hardly any types.
# mypy: disable-error-code="no-untyped-call,attr-defined,assignment,misc"

import atexit
import gc
import importlib.util
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import numba
from numba.core import compiler, event, sigutils, typing
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.typed_passes import NativeLowering, register_pass
from numba.np import linalg

from limpet.common.kernel_cache import compiled_in_turn, kept_cache_folder, wanted_cache_folder

ANNOUNCE = "LIMPET_ANNOUNCE_COMPILING"
"""Environment variable under which the first kernel that is compiled is announced; the command line sets it."""
EVERY = 5.0
"""Seconds between two lines about compiling."""


@register_pass(mutates_CFG=True, analysis_only=False)
class _PartLowering(NativeLowering):
    """Makes the code that LLVM optimises, linked with that of the functions it calls, and leaves it at that."""

    _name = "part_lowering"

    def run_pass(self, state: Any) -> bool:
        super().run_pass(state)
        library, lowered = state.library, state["cr"]
        key = object()  # callers find a function by a key: numba's is its machine code
        for called in dict.fromkeys(library._linking_libraries):
            library._reload_init.update(called._reload_init)
            library._final_module.link_in(called._get_module_for_linking(), preserve=True)
        library._finalized = True
        state.targetctx.insert_user_function(key, lowered.fndesc, [library])
        state.reload_init.extend(library._reload_init)
        state["cr"] = lowered._replace(cfunc=key)
        return True


class _PartCompiler(compiler.CompilerBase):
    def define_pipelines(self) -> list[PassManager]:
        manager = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.passes = [(_PartLowering if each is NativeLowering else each, text) for each, text in manager.passes]
        manager.finalize()
        return [manager]


class Kernel(CPUDispatcher):
    """A compiled function. Called from Python it is numba's, and what it calls is compiled once, as a part of it."""

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        # Nothing hands a kernel to foreign code by its address, which numba would make a second entry for.
        super().__init__(function, targetoptions={"no_cfunc_wrapper": True, **options})
        self.parts: dict[tuple[Any, ...], compiler.CompileResult] = {}

    def compile(self, sig: Any) -> Any:
        collects = gc.isenabled()
        gc.disable()  # looking for garbage among numba's many small objects is a tenth of the time, and finds little
        try:
            # numba's own lock comes first: a thread that holds it may want the kernel that this one compiles.
            with global_compiler_lock, compiled_in_turn(f"{self.py_func.__module__}.{self.py_func.__name__}"):
                entry = super().compile(sig)
        finally:
            if collects:
                gc.enable()
        result = self.overloads[tuple(sigutils.normalize_signature(sig)[0])]
        if not result.library._disable_inspection:  # else it comes from the cache, and numba has done it
            for environment in result._find_referenced_environments():
                result.library.codegen.set_env(environment.env_name, environment)
        return entry

    def get_call_template(self, args: Any, kws: Any) -> tuple[Any, ...]:
        signature, args = self._compiler.fold_argument_types(args, kws)
        self._compile_part(tuple(args))
        signatures = [part.signature for part in self.parts.values()]
        template = typing.make_concrete_template(self.py_func.__name__, self.py_func.__name__, signatures)
        return template, signature, args, {}

    def get_overload(self, sig: Any) -> Any:
        return self.parts[tuple(sigutils.normalize_signature(sig)[0])].entry_point

    def _compile_part(self, args: tuple[Any, ...]) -> None:
        if args in self.parts:
            return
        flags = compiler.Flags()
        cpu_target.options.parse_as_flags(flags, self.targetoptions)
        flags.no_compile = flags.no_cpython_wrapper = True
        with global_compiler_lock, self._compiling_counter:
            self.parts[args] = compiler.compile_extra(
                self.typingctx,
                self.targetctx,
                self.py_func,
                args,
                None,
                flags,
                self.locals,
                pipeline_class=_PartCompiler,
            )


def kernel(function: Callable[..., Any], cache: bool, options: dict[str, Any]) -> Any:
    """Return the kernel of a function, or the function itself where numba is told to compile nothing."""
    if numba.config.DISABLE_JIT:
        return function
    made = Kernel(function, nopython=True, boundscheck=None, **options)
    if cache:
        made.enable_caching()
    return made


# --- What is said while kernels are compiled.


class _Announcer(event.Listener):
    """Says on standard error that kernels are compiled, and every few seconds how many: a silent minute looks like a fault."""

    def __init__(self) -> None:
        self._began = self._told = self._spent = 0.0
        self._compiled = self._within = 0

    def on_start(self, event: event.Event) -> None:
        if not self._within:  # else a part of a kernel that is being compiled
            self._began = time.monotonic()
        self._within += 1
        if os.environ.pop(ANNOUNCE, None):
            self._told = self._began
            is_kept = kept_cache_folder() == wanted_cache_folder()
            then = (
                "they are kept, and the next start is fast"
                if is_kept
                else "let NUMBA_CACHE_DIR name a folder to keep them in"
            )
            atexit.register(self._tell, f"; {then}")
            print("compiling for this machine, once; it takes 1 to 25 s …", file=sys.stderr, flush=True)

    def on_end(self, event: event.Event) -> None:
        now = time.monotonic()
        self._spent, self._began = self._spent + now - self._began, now
        self._compiled += 1
        self._within -= 1
        if self._told and now - self._told >= EVERY:
            self._told = now
            self._tell(" …")

    def _tell(self, then: str) -> None:
        kernels = f"{self._compiled} kernel{'' if self._compiled == 1 else 's'}"
        print(f"compiled {kernels} in {self._spent:.0f} s{then}", file=sys.stderr, flush=True)


def defer_scipy() -> None:
    """Let numba believe once that scipy's linear algebra is there, where scipy is installed.

    At the first call of any kernel numba imports it to see whether matrices can be multiplied, which takes a fifth of the
    time of a small command. No kernel of ours multiplies matrices; numba looks again for one that does.
    """
    imports_scipy = linalg.ensure_blas

    def assume_blas() -> None:
        linalg.ensure_blas = imports_scipy

    linalg.ensure_blas = assume_blas


if importlib.util.find_spec("scipy"):
    defer_scipy()
if os.environ.get(ANNOUNCE):
    event.register("numba:compile", _Announcer())
