"""The questions and the methods of docs/, entry by entry: Home and Methods search in them."""

import re
from functools import cache
from typing import NamedTuple
from urllib.parse import parse_qsl

from bertviz_core.process import APP_FOLDER
from bertviz_core.views.search import Index

MAX_QUESTIONS, MAX_METHODS = 5, 8  # that are shown of what fits
_ENTRY = re.compile(
    r"^### (?P<question>.+)\n\n(?P<answer>.+)\n\n`(?P<address>.+)`\n\n"
    r"```python\n(?P<line>.+?)  # (?P<prints>.+)\n```$",
    re.MULTILINE,
)


class Question(NamedTuple):
    """One entry of docs/questions.md."""

    question: str
    answer: str  # with its number, of the embedded model
    page: str  # that shows it, by its name in the address
    inputs: dict[str, str]  # of that page, by key
    program: str  # the line that prints the number, after what it needs
    prints: str


@cache
def questions() -> dict[str, Question]:
    """The entries in their order, by their question."""
    text = (APP_FOLDER / "docs" / "questions.md").read_text(encoding="utf-8")
    opening = text.partition("```python\n")[2].partition("```")[0]
    entries = []
    for found in _ENTRY.finditer(text):
        page, _, query = found["address"].partition("?")
        given = dict(parse_qsl(query, keep_blank_values=True))
        program = _after_opening(opening, found["line"])
        entries.append(Question(found[1], found[2], page, given, program, found["prints"]))
    return {entry.question: entry for entry in entries}


def _after_opening(opening: str, program: str) -> str:
    """A line after those of the document's first program whose names it needs."""
    for before in reversed(opening.split("\n")):
        name = before.partition(" = ")[0].rpartition(" ")[2]
        if name and re.search(rf"\b{name}\b", program):
            program = f"{before}\n{program}"
    return program


def best_questions(typed: str, pages: tuple[tuple[str, str], ...]) -> list[str]:
    """The questions and the titles of pages that fit what was typed, best first.

    `pages` are the titles of the app's pages, each with a sentence about it.
    """
    return _questions_and(pages).best(typed, MAX_QUESTIONS)


@cache
def _questions_and(pages: tuple[tuple[str, str], ...]) -> Index:
    texts = {
        name: (name, f"{one.answer} {one.page} {one.inputs.get('section', '')}")
        for name, one in questions().items()
    }
    return Index(texts | {title: (title, about) for title, about in pages})


@cache
def methods() -> dict[str, tuple[str, str]]:
    """The title and the text of each entry of docs/methods.md, by its name in the address."""
    text = (APP_FOLDER / "docs" / "methods.md").read_text(encoding="utf-8")
    _, *parts = re.split(r"^(###?) (.+)\n", text, flags=re.MULTILINE)
    page, found = "", {}
    for level, title, own in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        page = f"{title} · " if level == "##" else page
        if own.strip():  # the heading of a page has no text
            name = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
            found[name] = (title if level == "##" else page + title, own)
    return found


def best_methods(typed: str) -> list[str]:
    """The names of the methods that fit what was typed, best first; all for nothing."""
    return _methods_index().best(typed, MAX_METHODS) if typed.strip() else list(methods())


@cache
def _methods_index() -> Index:
    return Index(methods())
