"""The recipes of CONTRIBUTING.md, followed in a copy of the app: a section, a page, a stop."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from bertviz_core.ui.tour.stops import STOPS

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
STEP = re.compile(r"^`([\w/]+\.py)`(?:, (instead of|last in) `([^`]+)`)?\n\n```python\n(.*?)```",
                  re.DOTALL | re.MULTILINE)  # fmt: skip


class Step(NamedTuple):
    """One step of a recipe: a new file, or a change of one that is there."""

    path: str
    way: str  # "" for a new file; "instead of" a line, or "last in" a tuple or set
    where: str  # that line, or what stands before the opening bracket
    code: str


def recipe(what: str) -> list[Step]:
    """The steps below a heading, in their order."""
    (part,) = re.findall(rf"(?ms)^## How to add a {what}\n(.*?)(?=^## |\Z)", TEXT)
    return [Step(*found) for found in STEP.findall(part)]


SECTION, PAGE, STOP = map(recipe, ("section", "page", "stop to the tour"))
SCRIPT = "pages/8_Row_Lengths.py"
FOLLOWED = f"""
from bertviz_core.ui.tour.stops import STOPS
from tests.claims import test_claims
from tests.headless import charts, open_page, value

def test_the_page(fresh_caches):
    home = open_page("app.py")
    assert "Row_Lengths" in " ".join(part.proto.body for part in home.get("html"))
    page = open_page({SCRIPT!r}, a="the cat")
    assert any("Row Lengths" in link.proto.label for link in page.sidebar.get("page_link"))
    assert page.dataframe[0].value["token"].tolist() == ["[CLS]", "the", "cat", "[SEP]"]
    assert value(page, "token") in ("[CLS]", "the", "cat", "[SEP]")
    assert len(charts(page)) == 1

def test_the_section(fresh_caches):
    page = open_page("pages/3_Nearest_Neighbors.py", q="dog", section="token frequency", most="5")
    assert int(value(page, "id")) == page.dataframe[0].value["token id"].max()

def test_the_claim(minilm, tiny):
    claim = STOPS[-1].settled
    assert claim.name == "row lengths"
    test_claims.test_which_hold_and_what_is_said(
        claim, lambda claim, bert: claim.condition(bert), minilm, tiny
    )
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the app in which all three have been followed."""
    copy = tmp_path_factory.mktemp("recipes") / "project"
    for name in ("bertviz_core", "pages", "tests", "benchmarks"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("app.py", "pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, copy)
    (copy / "docs").mkdir()
    for name in ("questions.md", "methods.md"):  # Home has the first, findings lead to the other
        shutil.copy(ROOT / "docs" / name, copy / "docs")
    for step in [*SECTION, *PAGE, *STOP]:
        follow(step, copy)
    return copy


def test_what_they_add_works(project: Path) -> None:
    """The section and its program, the page, any text in both, the claim for two models, and the
    stop on Home and on its view; and the layers of the house. One process: each would import
    everything anew.
    """
    (project / "tests" / "test_followed.py").write_text(FOLLOWED, encoding="utf-8")
    (own,) = (step.path for step in SECTION if step.path.startswith("tests/"))
    files = [
        "tests/test_followed.py",
        own,
        "tests/test_layers.py",
        "tests/test_methods.py",
        "tests/views/test_programs.py",
    ]
    files += [f"tests/ui/{name}.py" for name in ("test_pages", "test_every_view", "test_tour")]
    stop = f"[{len(STOPS) + 1}] or score_at_the_end"
    only = f"test_followed or {Path(own).stem} or test_layers or test_methods or {SCRIPT}"
    only += f" or token_freq or {stop}"
    succeeds(project, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files, "-k", only)


def test_what_they_add_is_written_as_the_house_writes(project: Path) -> None:
    changed = sorted({step.path for step in [*SECTION, *PAGE, *STOP]})
    succeeds(project, "-m", "ruff", "check", *changed)
    succeeds(project, "-m", "ruff", "format", "--check", *changed)


def follow(step: Step, project: Path) -> None:
    """Do what a step says; an AssertionError if the project is not as the recipe takes it to be."""
    file = project / step.path
    if not step.way:
        assert not file.exists(), f"{step.path} is there already"
        file.parent.mkdir(exist_ok=True)
        file.write_text(step.code, encoding="utf-8")
        return
    before = file.read_text(encoding="utf-8")
    if step.way == "instead of":
        assert before.count(f"{step.where}\n") == 1, f"{step.path} has no line {step.where}"
        after = before.replace(f"{step.where}\n", step.code)
    else:
        # From the line that opens the bracket to the one that closes it, as far to the right.
        opened = re.search(
            rf"(?ms)^( *){re.escape(step.where)}(?!\w)[^\n]*[(\[{{]\n.*?(?=^\1[)\]}}])", before
        )
        assert opened is not None, f"{step.path} has no list {step.where}"
        after = before[: opened.end()] + step.code + before[opened.end() :]
    file.write_text(after, encoding="utf-8")


def succeeds(folder: Path, *command: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
