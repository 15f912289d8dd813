"""Identifies the code and the packages that a strategy was made with, and says whether this installation repeats it.

The digest of the code covers every module that can decide a result: those that a trainer imports, directly or through
others, and the files of the run itself. It is taken of their syntax trees, so that comments, docstrings and line breaks do
not count. Code that only measures, reports or plays does not count either. Data that a module reads and that
is named like it (``preflop_matrix.npz``) does.

On one thread a run gives the same bits wherever digest, packages and kind of processor are the same. Kernels are
compiled for the very processor, with whatever vectors it has, but without fast-math and without merging products and
sums, so that its model does not matter.
"""

import ast
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

PACKAGES = ("limpet", "numpy", "numba", "llvmlite")
CHANGED = "resumed after the code had changed"
"""Entry of manifests instead of a digest, for a run that went on with other code."""
CLUSTER = "played by the workers of a cluster"
"""Entry of manifests instead of a digest, for a run that workers shared out."""

_HOUSE = Path(__file__).resolve().parents[2]
_DIGEST = re.compile(r"[0-9a-f]{16}")
_RUN = ("training", "training_config", "solvers", "measuring", "warm_start")
_SAMPLING = ("abstraction.card_tables", "cards.preflop_matrix")
_SOLVERS = {
    "linear-program": ("solving.tabular.linear_program",),
    "mccfr": ("solving.sampled.mccfr", *_SAMPLING),
    "outcome-sampling": ("solving.sampled.outcome_sampling", *_SAMPLING),
    "pcs": ("solving.public.public_sampling", *_SAMPLING),
}
_FULL_WIDTH = ("solving.tabular.tabular",)
_TRAINED = ("trees.betting", "abstraction.lossless", "solving.tabular.deals", "blueprint.quantise")

_DRAW_ROUNDS = (
    "draw.first_round.depth_limited",
    "draw.first_round.hand_draws",
    "draw.playing.draw_codes",
    "draw.playing.draw_game",
    "draw.card_removal",
    "value_network.learning",
    "value_network.range_draws",
    "value_network.round_examples",
)


def training_code(algorithm: str) -> str:
    """Return the digest of the code of a training run. `algorithm`: as manifests have it, ``cgh (constant = 0)``."""
    solver = _SOLVERS.get(algorithm.partition(" ")[0], _FULL_WIDTH)
    return _digest((*_TRAINED, *solver), tuple(f"training.{name}" for name in _RUN))


def solving_code() -> str:
    """Return the digest of the code that solves spots."""
    return _digest(("solving.vector.vector_solver", "solutions.spot"), ("solutions.run", "solutions.solution_file"))


def draw_training_code() -> str:
    """Return the digest of the code of a training run of five-card draw."""
    return _digest(_DRAW_ROUNDS, ("training.draw_training", "training.draw_config", "training.stored_rounds"))


def versions(algorithm: str = "") -> dict[str, str]:
    """Return the packages, Python and kind of processor here that decide a result of `algorithm`, as manifests have them."""
    import platform
    from importlib.metadata import PackageNotFoundError, version  # slow to import, and nobody plays with it

    def installed(package: str) -> str:
        try:
            return version(package)
        except PackageNotFoundError:
            return "none"

    solver = ("scipy",) if algorithm == "linear-program" else ()
    python = ".".join(platform.python_version_tuple()[:2])
    packages = {name: installed(name) for name in (*PACKAGES, *solver)}
    return packages | {"python": python, "machine": platform.machine()}


def resumed(before: str, code: str) -> str:
    """Return the manifest's entry for a run that went on with `code` from a checkpoint made with `before`."""
    return before if not before or before in (code, CLUSTER) else CHANGED


def repeatable(made_by: str, made_with: Mapping[str, str], code: str, threads: int) -> tuple[bool | None, str]:
    """Return whether training again here gives the same bits (None: not known), and a sentence about it for users.

    Arguments:
        made_by: digest out of a manifest; ``""`` in manifests from before there was one.
        made_with: versions out of the manifest.
        code: the digest of the code here.
        threads: number of threads of the run, 1 where the result does not depend on them.
    """
    if not made_by:
        return None, "which code made it was not recorded, so nobody can say whether this installation repeats it"
    if not _DIGEST.fullmatch(made_by):
        return None, f"{made_by}, so this installation may not repeat it"
    different = [f"code {made_by} (here {code})"] if made_by != code else []
    here = versions("linear-program" if "scipy" in made_with else "")
    different += [
        f"{name} {made_with.get(name, 'not recorded')} (here {here[name]})"
        for name in here
        if name != "limpet" and made_with.get(name) != here[name]
    ]
    if different:
        return False, f"made with {', '.join(different)}: made again here, its numbers may differ"
    if threads > 1:
        return False, f"code and packages are those here, but {threads} threads made it: again, only statistically"
    return True, "this installation repeats it bit by bit (one thread)"


@lru_cache(maxsize=8)
def _digest(roots: Sequence[str], files: Sequence[str]) -> str:
    """Return 16 hex digits for `roots`, modules followed to all that they import, and `files`, modules taken alone."""
    digests: dict[str, str] = {}
    names = [f"limpet.strategies.{name}" for name in (*files, *roots)]
    while names:
        name = names.pop()
        path = _HOUSE.joinpath(*name.split(".")[1:]).with_suffix(".py")
        if name in digests or not path.is_file():  # a package, which holds no code, or no module at all
            continue
        data = path.with_suffix(".npz")
        imported, digests[name] = _read(path.read_bytes(), data.read_bytes() if data.is_file() else b"")
        if name.removeprefix("limpet.strategies.") not in files:
            names += imported
    return hashlib.sha256("\n".join(f"{name} {digests[name]}" for name in sorted(digests)).encode()).hexdigest()[:16]


@lru_cache(maxsize=256)
def _read(source: bytes, data: bytes) -> tuple[tuple[str, ...], str]:
    """Return the modules of ours that a module imports, and the digest of its code and of its data."""
    tree = ast.parse(source)
    return tuple(_imported(tree)), hashlib.sha256(_plain(tree).encode() + data).hexdigest()


def _imported(tree: ast.AST) -> Iterator[str]:
    """Yield the names of ours that a module imports anywhere, but for those that only type checkers see."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("limpet."))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("limpet."):
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        else:
            yield from _imported(node)


def _plain(node: object) -> str:
    """Return a syntax tree as text, without docstrings and empty fields, which differ between versions of Python."""
    if isinstance(node, list):
        return f"[{','.join(_plain(item) for item in node if not _is_text(item))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = ((name, value) for name, value in ast.iter_fields(node) if value is not None and value != [])
    return f"{type(node).__name__}({','.join(f'{name}={_plain(value)}' for name, value in fields)})"


def _is_text(statement: object) -> bool:
    """Return whether a statement is a string alone, such as a docstring."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )
