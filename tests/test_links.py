"""No link leads nowhere: in the documents, and in the reference made of the docstrings."""

import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = [
    *(path for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
      if (path := ROOT / name).is_file()),
    *sorted((ROOT / "docs").glob("*.md")),
]  # fmt: skip
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)", re.MULTILINE)
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
FETCHED = re.compile(r'<(?:script|img|iframe)[^>]*src="https?:|<link[^>]*href="https?:')


class Page(HTMLParser):
    """The links of a page, and what can be linked to in it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.names: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.names.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)


def within(links: list[str]) -> Iterator[tuple[str, str, str]]:
    """Of links to other files, or into the same one: the link, its path and its name in there."""
    for link in links:
        parts = urlsplit(link)
        if not parts.scheme and not parts.netloc:
            yield link, unquote(parts.path), unquote(parts.fragment)


def headings(document: Path) -> set[str]:
    """The names by which headings of a Markdown file are linked to."""
    text = re.sub(r"```.*?```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL)
    titles = re.findall(r"(?m)^#+ (.+?)\s*$", text)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_documents(document: Path) -> None:
    text = CODE.sub("", document.read_text(encoding="utf-8"))
    links = ["".join(found) for found in LINK.findall(text)]
    dead = []
    for link, path, name in within(links):
        target = document.parent / path if path else document
        if not target.exists() or (name and name not in headings(target)):
            dead.append(link)
    assert not dead


@pytest.mark.slow
def test_the_reference(tmp_path: Path) -> None:
    """Made by the command of `make docs`, into another folder. A page for each file takes long."""
    assert "$(BIN)/python -m tests.reference " in (ROOT / "Makefile").read_text(encoding="utf-8")
    command = [sys.executable, "-m", "tests.reference", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, timeout=300)
    pages = {path: Page(path) for path in tmp_path.rglob("*.html")}
    core = [path for path in (ROOT / "bertviz_core").rglob("*.py")
            if not {"ui", "snippets"} & set(path.parts)]  # fmt: skip
    assert len(pages) == len(core) + 1  # and the list of all
    dead, fetched = [], []
    for page, found in pages.items():
        for link, path, name in within(found.links):
            target = (page.parent / path).resolve() if path else page
            if not target.is_file() or (name and name not in pages[target].names):
                dead.append(f"{page.relative_to(tmp_path)}: {link}")
        fetched += FETCHED.findall(page.read_text(encoding="utf-8"))
    assert not dead
    assert not fetched  # it is read without a network
    assert {"load_bert", "Bert"} <= pages[tmp_path / "bertviz_core" / "bert.html"].names
