"""The types of the page's scripts, as TypeScript infers them, fit; checked where there is a compiler.

TypeScript 7 takes 0.7 s of a processor. No Python package carries it, so that a machine without it skips the test.
"""

import shutil
import subprocess
from pathlib import Path

import pytest


def test_the_types_of_all_scripts_fit() -> None:
    compiler = shutil.which("tsc")
    if compiler is None:
        pytest.skip("no tsc: npm install --global typescript")
    checked = subprocess.run([compiler, "-p", Path(__file__).parent], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout
