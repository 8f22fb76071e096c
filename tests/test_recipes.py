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
STEP = re.compile(r"^`([\w/]+\.\w+)`(?:, (below|last in) `([^`]+)`)?\n\n```\w+\n(.*?)```",
                  re.DOTALL | re.MULTILINE)  # fmt: skip


class Step(NamedTuple):
    """One step of a recipe: a new file, or a change of one that is there."""

    path: str
    way: str  # "" for a new file; "below" a line, or "last in" a tuple, set or dict
    where: str  # how that line begins, or what stands before the opening bracket
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
    assert any("Row Lengths" in link.proto.label for link in home.sidebar.get("page_link"))
    page = open_page({SCRIPT!r}, a="the cat")
    assert any("Row Lengths" in link.proto.label for link in page.sidebar.get("page_link"))
    assert page.dataframe[0].value["token"].tolist() == ["[CLS]", "the", "cat", "[SEP]"]
    assert value(page, "token") in ("[CLS]", "the", "cat", "[SEP]")
    assert len(charts(page)) == 1

def test_the_section(fresh_caches):
    page = open_page("pages/3_Nearest_Neighbors.py", q="dog", section="token frequency", most="5")
    assert int(value(page, "id")) == page.dataframe[0].value["token id"].max()

def test_the_claim(minilm, tiny):
    claim = STOPS[-1].fact
    assert claim.name == "row lengths"
    test_claims.test_which_hold_and_what_is_said(
        claim, lambda claim, bert: claim.condition(bert), minilm, tiny
    )
"""


# Where a test is of each page, view and stop, or of the lists and documents that have all of them.
FILES = [f"tests/{name}.py" for name in (
    "test_followed", "test_layers", "test_methods", "test_readme", "test_links", "views/test_view",
    "views/test_pictures", "views/test_programs", "ui/test_link_keys", "ui/test_pages",
    "ui/test_every_view", "ui/test_embed", "ui/test_fields", "ui/test_tour",
)]  # fmt: skip
OF_THEM = "followed or token_freq or row_len or test_layers or test_methods or test_documents or"
OF_THEM += f" its_row or listed or says_what or the_same_table or [{len(STOPS) + 1}] or score_at"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project in which all three have been followed."""
    copy = tmp_path_factory.mktemp("recipes") / "project"
    left_out = shutil.ignore_patterns(".git", ".venv", ".*_cache", "__pycache__", "dist")
    shutil.copytree(ROOT, copy, ignore=left_out)
    for step in [*SECTION, *PAGE, *STOP]:
        follow(step, copy)
    succeeds(copy, "-m", "tests.write_links")  # `make links`
    return copy


def test_what_they_add_works(project: Path) -> None:
    """The section and its program, the page, any text in both, the claim for two models, and the
    stop on Home and on its view; and the documents. One process: each would import everything anew.
    """
    (project / "tests" / "test_followed.py").write_text(FOLLOWED, encoding="utf-8")
    (own,) = (step.path for step in SECTION if step.path.startswith("tests/"))
    succeeds(project, "-m", "pytest", "-q", "-p", "no:cacheprovider", own, *FILES, "-k", OF_THEM)


def test_what_they_add_is_written_as_the_house_writes(project: Path) -> None:
    changed = sorted({step.path for step in [*SECTION, *PAGE, *STOP] if step.path.endswith(".py")})
    succeeds(project, "-m", "ruff", "check", *changed)
    succeeds(project, "-m", "ruff", "format", "--check", *changed)
    typed = [path for path in changed if not path.startswith("tests/")]
    succeeds(project, "-m", "mypy", "--num-workers", "0", *typed)


def follow(step: Step, project: Path) -> None:
    """Do what a step says; an error if the project is not as the recipe takes it to be."""
    file = project / step.path
    if not step.way:
        assert not file.exists(), f"{step.path} is there already"
        file.parent.mkdir(exist_ok=True)
        file.write_text(step.code, encoding="utf-8")
        return
    before = file.read_text(encoding="utf-8")
    start = rf"(?ms)^( *){re.escape(step.where)}"
    # Below a line; or from one that opens a bracket to the one that closes it, as far to the right.
    rest = r"[^\n]*\n" if step.way == "below" else r"(?!\w)[^\n]*[(\[{]\n.*?(?=^\1[)\]}])"
    (found,) = re.finditer(start + rest, before)
    file.write_text(before[: found.end()] + step.code + before[found.end() :], encoding="utf-8")


def succeeds(folder: Path, *command: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
