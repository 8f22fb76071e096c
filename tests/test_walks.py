"""How much of our own code a change of a sentence walks through, in a process of its own."""

import os
import subprocess
import sys

from benchmarks.app_server import EMBEDDED, ROOT
from benchmarks.calls import CHANGES

WALK = """
from benchmarks import calls, report
for page in {pages!r}:
    calls.main(page)
report.end()
"""


def test_walks_are_within_their_bounds() -> None:
    """They are in `benchmarks.calls`; whoever raises one says why in the changelog."""
    pages = [change.page for change in CHANGES if change.functions]
    done = subprocess.run(
        [sys.executable, "-c", WALK.format(pages=pages)],
        cwd=ROOT, env={**os.environ, "BERTVIZ_MODEL": EMBEDDED},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
