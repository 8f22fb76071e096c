"""The README's recipe "How to add a page", followed in a copy of the app."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
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


def test_one_new_room_and_one_new_file_are_a_page(tmp_path: Path) -> None:
    files = re.findall(r"`([\w/]+\.py)`\n\n```python\n(.*?)```", README, re.DOTALL)
    assert SCRIPT in dict(files)
    for name in ("bertviz_core", "pages", "tests", "benchmarks"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("app.py", "pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, tmp_path)
    for name, content in files:
        assert not (tmp_path / name).exists()
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    assert len({Path(name).parent for name, _ in files}) == 2
    _succeeds(tmp_path, "-c", OPENED)
    _succeeds(tmp_path, "-m", "pytest", "-q", "tests/test_layers.py", "-p", "no:cacheprovider")
    _succeeds(tmp_path, "-m", "pytest", "-q", "tests/ui/test_pages.py",
              "tests/ui/test_every_view.py", "-k", SCRIPT, "-p", "no:cacheprovider")  # fmt: skip
    _succeeds(tmp_path, "-m", "ruff", "check", *(name for name, _ in files))
    _succeeds(tmp_path, "-m", "ruff", "format", "--check", *(name for name, _ in files))


def _succeeds(folder: Path, *command: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
