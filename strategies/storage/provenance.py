"""What identifies the code and the packages that a strategy was made with, and whether this installation repeats it.

The digest of the code covers every module that can decide a result: those that a trainer imports, directly or through
others, and the files of the run itself. It is taken of what Python makes of them, so that comments, docstrings and line
breaks do not count. Code that only measures, reports or plays does not count either. Data that a module reads and that
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
CLUSTER = "played by the workers of a cluster"
"""What manifests say instead of a digest where no single one describes the run."""

_HOUSE = Path(__file__).resolve().parents[2]
_DIGEST = re.compile(r"[0-9a-f]{16}")
_RUN = ("training", "training_config", "training_output", "measuring", "warm_start")
_SAMPLING = ("abstraction.card_tables", "cards.preflop_matrix")
_SOLVERS = {"mccfr": ("solving.sampled.mccfr", *_SAMPLING), "pcs": ("solving.public.public_sampling", *_SAMPLING)}
_FULL_WIDTH = ("solving.tabular.tabular",)
_TRAINED = ("trees.betting", "abstraction.lossless", "solving.tabular.deals", "blueprint.quantise")


def training_code(algorithm: str) -> str:
    """Digest of the code of a training run. `algorithm`: as manifests have it, ``cgh (constant = 0)``."""
    solver = _SOLVERS.get(algorithm.partition(" ")[0], _FULL_WIDTH)
    return _digest((*_TRAINED, *solver), tuple(f"training.{name}" for name in _RUN))


def solving_code() -> str:
    """Digest of the code that solves spots."""
    return _digest(("solving.vector.vector_solver", "solutions.spot"), ("solutions.run", "solutions.solution_file"))


def versions() -> dict[str, str]:
    """Packages, Python and kind of processor here, as manifests have them."""
    import platform
    from importlib.metadata import version  # slow to import, and nobody plays with it

    python = ".".join(platform.python_version_tuple()[:2])
    return {name: version(name) for name in PACKAGES} | {"python": python, "machine": platform.machine()}


def resumed(before: str, code: str) -> str:
    """What describes a run that went on with `code` from a checkpoint of `before`: `code` if it is the same."""
    return before if not before or before in (code, CLUSTER) else CHANGED


def repeatable(made_by: str, made_with: Mapping[str, str], code: str, threads: int) -> tuple[bool | None, str]:
    """Whether training again here gives the same bits (None: not known), and a sentence about it for users.

    Arguments:
        made_by, made_with: digest and versions out of a manifest; ``""`` in those from before there was one.
        code: the digest here.
        threads: of the run, 1 where the result does not depend on them.
    """
    if not made_by:
        return None, "which code made it was not recorded, so nobody can say whether this installation repeats it"
    if not _DIGEST.fullmatch(made_by):
        return None, f"{made_by}, so this installation may not repeat it"
    different = [f"code {made_by} (here {code})"] if made_by != code else []
    here = versions()
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
    """16 hex digits. roots: modules of strategies, followed to all that they import; files: taken alone."""
    found: dict[str, str] = {}
    names = [f"limpet.strategies.{name}" for name in (*files, *roots)]
    while names:
        name = names.pop()
        path = _HOUSE.joinpath(*name.split(".")[1:]).with_suffix(".py")
        if name in found or not path.is_file():  # a package, which holds no code, or no module at all
            continue
        data = path.with_suffix(".npz")
        imported, found[name] = _read(path.read_bytes(), data.read_bytes() if data.is_file() else b"")
        if name.removeprefix("limpet.strategies.") not in files:
            names += imported
    return hashlib.sha256("\n".join(f"{name} {found[name]}" for name in sorted(found)).encode()).hexdigest()[:16]


@lru_cache(maxsize=256)
def _read(source: bytes, data: bytes) -> tuple[tuple[str, ...], str]:
    """What a module imports of ours, and the digest of its code and of its data."""
    tree = ast.parse(source)
    return tuple(_imported(tree)), hashlib.sha256(_plain(tree).encode() + data).hexdigest()


def _imported(tree: ast.AST) -> Iterator[str]:
    """Names of ours that a module imports anywhere, but for those that only type checkers see."""
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
    """A syntax tree as text, without docstrings, and without empty fields, which differ between versions of Python."""
    if isinstance(node, list):
        return f"[{','.join(_plain(item) for item in node if not _is_text(item))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = ((name, value) for name, value in ast.iter_fields(node) if value is not None and value != [])
    return f"{type(node).__name__}({','.join(f'{name}={_plain(value)}' for name, value in fields)})"


def _is_text(statement: object) -> bool:
    """A docstring, of whatever."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )
