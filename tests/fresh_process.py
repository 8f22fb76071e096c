"""A Python process that has imported nothing yet: what a page loads, and what it does not."""

import subprocess
import sys

from tests.headless import ROOT

# Streamlit's harness would read what all installed packages say of themselves, at every page.
_OPENED = f"""
import sys
from streamlit.components.v2 import manifest_scanner
from streamlit import config
from streamlit.testing.v1 import AppTest

config.set_option("client.showErrorDetails", "full")
manifest_scanner.scan_component_manifests = list
def heavy():
    return {{"torch", "transformers", "sklearn", "sentence_transformers"}} & set(sys.modules)
app = AppTest.from_file({str(ROOT / "app.py")!r}, default_timeout=60)
"""


def printed_by(program: str) -> str:
    """Run a program in a process of its own; what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip()


def drive_app(steps: str) -> None:
    """Run steps on `app`, which shows nothing yet; `heavy()` names the large libraries loaded."""
    printed_by(_OPENED + steps)
