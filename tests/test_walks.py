"""How much of our own code a change of a sentence walks through, in a process of its own."""

import os
import subprocess
import sys

import pytest

from benchmarks.app_server import EMBEDDED, ROOT
from benchmarks.calls import CHANGES


@pytest.mark.parametrize("page", [change.page for change in CHANGES if change.functions])
def test_a_walk_is_within_its_bounds(page: str) -> None:
    """They are in `benchmarks.calls`; whoever raises one says why in the changelog."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.calls", page],
        cwd=ROOT, env={**os.environ, "BERTVIZ_MODEL": EMBEDDED},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
