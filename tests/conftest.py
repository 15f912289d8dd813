"""The reactor the project runs on, and where the recorded facts lie."""

from pathlib import Path

import pytest
from twisted.internet import asyncioreactor

asyncioreactor.install()

VECTORS = Path(__file__).parent / "vectors"
SHARED_VECTORS = Path(__file__).parents[2] / "shared" / "vectors"


def vector_folders() -> list[Path]:
    """The committed recordings, and a developer's larger set beside the checkout where there is one."""
    return [folder for folder in (VECTORS, SHARED_VECTORS) if folder.is_dir()]


@pytest.fixture(scope="session")
def vectors() -> Path:
    """The folder of recorded facts of the reference dealer."""
    return VECTORS
