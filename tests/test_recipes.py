"""The recipes of CONTRIBUTING.md, followed in a copy of the app: a page, a figure, a stop."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bertviz_core.ui.tour.stops import STOPS
from tests.recipes import follow, recipe

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PAGE, FIGURE, STOP = (
    recipe(TEXT, f"How to add a {what}") for what in ("page", "figure", "stop to the tour")
)
SCRIPT = "pages/8_Row_Lengths.py"
OPENED = f"""
from tests.headless import charts, open_page, value
home = open_page("app.py")
assert "Row_Lengths" in " ".join(part.proto.body for part in home.get("html"))
page = open_page({SCRIPT!r}, a="the cat")
assert any("Row Lengths" in link.proto.label for link in page.sidebar.get("page_link"))
assert page.dataframe[0].value["token"].tolist() == ["[CLS]", "the", "cat", "[SEP]"]
assert value(page, "token") in ("[CLS]", "the", "cat", "[SEP]")
assert len(charts(page)) == 1
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the app in which all three have been followed."""
    copy = tmp_path_factory.mktemp("recipes") / "project"
    for name in ("bertviz_core", "pages", "tests", "benchmarks"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("app.py", "pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, copy)
    for step in [*PAGE, *FIGURE, *STOP]:
        follow(step, copy)
    return copy


def test_one_new_room_and_one_new_file_are_a_page(project: Path) -> None:
    assert [step.way for step in PAGE] == ["", "", ""]
    assert len({Path(step.path).parent for step in PAGE}) == 2
    assert PAGE[-1].path == SCRIPT
    succeeds(project, "-c", OPENED)
    passes(project, "tests/ui/test_pages.py", "tests/ui/test_every_view.py", "-k", SCRIPT)


def test_one_new_file_and_its_test_are_a_figure(project: Path) -> None:
    assert [step.way for step in FIGURE] == ["", ""]
    passes(project, *(step.path for step in FIGURE if step.path.startswith("tests/")))


def test_a_claim_and_where_it_is_settled_are_a_stop(project: Path) -> None:
    """On Home, on its view, and both sentences of its claim for two models."""
    assert [step.path for step in STOP if not step.way] == ["bertviz_core/claims/lengths.py"]
    new = f"[{len(STOPS) + 1}]"
    only = f"{new} or settled_by_its_claim or score_at_the_end or row-lengths or own"
    passes(project, "tests/ui/test_tour.py", "tests/claims/test_claims.py", "-k", only)


def test_what_they_add_keeps_the_rules_of_the_house(project: Path) -> None:
    passes(project, "tests/test_layers.py")
    changed = sorted({step.path for step in [*PAGE, *FIGURE, *STOP]})
    succeeds(project, "-m", "ruff", "check", *changed)
    succeeds(project, "-m", "ruff", "format", "--check", *changed)


def passes(project: Path, *arguments: str) -> None:
    succeeds(project, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments)


def succeeds(folder: Path, *command: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
