"""The how-tos of CONTRIBUTING.md, followed in a copy of the app: a section, a page, a stop."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bertviz_core.ui.tour.stops import STOPS

ROOT = Path(__file__).parents[1]
HOW_TOS = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("\n## How to add")[2]
# A new file; or what is put in below a line, or last in a tuple, set or dict.
STEP = re.compile(r"^`([\w/]+\.\w+)`(?:, (below|last in) `([^`]+)`)?\n\n```\w+\n(.*?)```",
                  re.DOTALL | re.MULTILINE)  # fmt: skip
# Where `make test` looks at each page, view and stop, and at what lists all of them.
FILES = [f"tests/{name}" for name in (
    "test_layers.py", "test_docs.py", "views", "ui/test_pages.py",
    "ui/test_every_view.py", "ui/test_fields.py", "ui/test_stops.py", "ui/test_tour.py",
)]  # fmt: skip
NEW = "token_freq or row_len or row-len or test_layers or leads_nowhere or up_to_date or its_row"
NEW += f" or is_led_to or listed or [{len(STOPS) + 1}]"


@pytest.mark.slow
def test_what_they_add_passes_the_tests_and_is_written_as_the_house_writes(tmp_path: Path) -> None:
    project = tmp_path / "project"
    left_out = shutil.ignore_patterns(".git", ".venv", ".*_cache", "__pycache__", "dist")
    shutil.copytree(ROOT, project, ignore=left_out)
    steps = STEP.findall(HOW_TOS)
    for path, way, where, code in steps:
        file = project / path
        file.parent.mkdir(exist_ok=True)
        assert file.exists() == bool(way), f"{path} is not as the how-to takes it to be"
        before = file.read_text(encoding="utf-8") if way else ""
        at = place(before, way, where) if way else 0
        file.write_text(before[:at] + code + before[at:], encoding="utf-8")
    succeeds(project, "-m", "scripts.write_docs")  # `make links`
    changed = sorted({path for path, *_ in steps if path.endswith(".py")})
    succeeds(project, "-m", "ruff", "check", *changed)
    succeeds(project, "-m", "ruff", "format", "--check", *changed)
    succeeds(project, "-m", "pytest", "-q", "-p", "no:cacheprovider", *FILES, "-k", NEW)


def place(text: str, way: str, where: str) -> int:
    """Below a line; or before what closes a bracket, as far to the right as the line before it."""
    rest = r"[^\n]*\n" if way == "below" else r"(?!\w)[^\n]*[(\[{]\n.*?(?=^\1[)\]}])"
    (found,) = re.finditer(rf"(?ms)^( *){re.escape(where)}{rest}", text)
    return found.end()


def succeeds(folder: Path, *command: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
