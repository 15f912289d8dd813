"""Strategies written on the way, so that strength can be measured against training time."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from msgspec import UnsetType

Snapshots = Literal["doubling"] | tuple[float, ...] | UnsetType


def passed(snapshots: Snapshots, before: float, now: float) -> Iterator[float]:
    """Yield the minutes asked for that lie above `before` and not above `now`, both seconds of training."""
    if not snapshots:
        return
    if snapshots == "doubling":
        minutes = 1.0
        while 60 * minutes <= now:
            if before < 60 * minutes:
                yield minutes
            minutes *= 2
        return
    yield from sorted({float(minutes) for minutes in snapshots if before < 60 * float(minutes) <= now})


def snapshot_folder(output: Path, minutes: float) -> Path:
    """Return the folder of a snapshot: ``hunl.15m`` beside ``hunl``."""
    return output.with_name(f"{output.name}.{minutes:g}m")


def snapshots_of(folder: Path) -> list[Path]:
    """Return the folders of the snapshots beside a strategy."""
    manifests = folder.resolve().parent.glob(f"{folder.resolve().name}.*m/manifest.yaml")
    return sorted(manifest.parent for manifest in manifests)
