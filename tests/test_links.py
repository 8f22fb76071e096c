"""No link of the documents leads nowhere."""

import re
from collections.abc import Iterator
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
