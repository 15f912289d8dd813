"""Identifies the code and the packages that a strategy was made with, and says whether this installation repeats it.

The code has a revision, which is raised by hand with a change after which a run gives other bits; tests make the small
strategies that ship again, and fail when their bytes differ.

On one thread a run gives the same bits wherever revision, packages and kind of processor are the same. Kernels are
compiled for the very processor, with whatever vectors it has, but without fast-math and without merging products and
sums, so that its model does not matter.
"""

import re
from collections.abc import Mapping
from functools import cache

PACKAGES = ("limpet", "numpy", "numba", "llvmlite")
CHANGED = "resumed after the code had changed"
"""Entry of manifests instead of a digest, for a run that went on with other code."""
CLUSTER = "played by the workers of a cluster"
"""Entry of manifests instead of a digest, for a run that workers shared out."""

TRAINING = "revision 1"
"""Revision of the code that trains strategies of board games. Raise it when a training run gives other bits than before."""
SOLVING = "revision 3"
"""Revision of the code that solves spots."""
DRAW_TRAINING = "revision 1"
"""Revision of the code that trains strategies of five-card draw."""

_CODE = re.compile(r"revision \d+|[0-9a-f]{16}")
"""Identifies code in manifests; older ones have a digest of it instead of a revision."""


def versions(algorithm: str = "") -> dict[str, str]:
    """Return the packages, Python and kind of processor here that decide a result of `algorithm`, as manifests have them."""
    import platform

    solver = ("scipy",) if algorithm == "linear-program" else ()
    python = ".".join(platform.python_version_tuple()[:2])
    packages = {name: _installed(name) for name in (*PACKAGES, *solver)}
    return packages | {"python": python, "machine": platform.machine()}


@cache
def _installed(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version  # slow to import, and nobody plays with it

    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


def resumed(before: str, code: str) -> str:
    """Return the manifest's entry for a run that went on with `code` from a checkpoint made with `before`."""
    return before if not before or before in (code, CLUSTER) else CHANGED


def repeatable(made_by: str, made_with: Mapping[str, str], code: str, threads: int) -> tuple[bool | None, str]:
    """Return whether training again here gives the same bits (None: not known), and a sentence about it for users.

    Arguments:
        made_by: the code as a manifest names it; ``""`` in manifests from before they did.
        made_with: versions out of the manifest.
        code: the revision of the code here.
        threads: number of threads of the run, 1 where the result does not depend on them.
    """
    if not made_by:
        return None, "which code made it was not recorded, so nobody can say whether this installation repeats it"
    if not _CODE.fullmatch(made_by):
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
