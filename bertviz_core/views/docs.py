"""The questions and the methods of docs/, entry by entry, and a search in them.

In the search a rare word counts more than a frequent one, and most in a title. scikit-learn's
TfidfVectorizer takes longer to import than all searches of a visit.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from math import log
from typing import NamedTuple
from urllib.parse import parse_qsl

from bertviz_core.process import APP_FOLDER

MAX_QUESTIONS = 5  # that are shown of what fits
MAX_METHODS = 8
_ENTRY = re.compile(
    r"^### (?P<question>.+)\n\n(?P<answer>.+)\n\n`(?P<address>.+)`\n\n"
    r"```python\n(?P<line>[^`]+?)  # (?P<prints>.+)\n```$",
    re.MULTILINE,
)
TITLE = 5  # a word of a title counts as so many of the body
SYNONYM = 0.8  # what a word of ours counts for one that was typed
MIN_SCORE = 0.35  # of the best score; texts below are not shown
_PLAIN = frozenset(
    "a an and are as at be but by can do does for from get has have how i if in is it its me much "
    "my not of on or s should so that the them they this to was what when which why with".split()
)
# British spelling as American; both sides are changed alike, so "source" may become "sorce".
_SPELLING = {
    r"^meaning": "sense",
    r"our": "or",
    r"is(?=e|ing|ation)": "iz",
    r"ys(?=e|ing)": "yz",
    r"tre\b": "ter",
}
_ENDING = re.compile(r"(?<=\w{3})(?:ings?|ed|es|s|e)$|(?<=([a-z]))\1$")


def _document(name: str) -> str:
    return (APP_FOLDER / "docs" / f"{name}.md").read_text(encoding="utf-8")


def stems(text: str) -> list[str]:
    """The words of a text without accents and endings, and without those of every text."""
    letters = unicodedata.normalize("NFKD", text.lower().replace("_", " "))
    words = re.findall(r"\w\w+|##", letters.encode("ascii", "ignore").decode())
    return [_stem(word) for word in words if word not in _PLAIN]


@cache
def _stem(word: str) -> str:
    for british, american in _SPELLING.items():
        word = re.sub(british, american, word)
    while (shorter := _ENDING.sub("", re.sub(r"ies$", "y", word))) != word:
        word = shorter
    return word


@cache
def _synonyms() -> dict[str, list[str]]:
    """By what is typed, words of ours: a table of docs/questions.md."""
    text = _document("questions")
    rows = re.findall(r"^\| ([^|`]+) \| ([^|]+) \|$", text, re.MULTILINE)
    return {word: stems(ours) for typed, ours in rows for word in stems(typed)}


class Index:
    """Texts to search in, by their names: a title and a body each."""

    def __init__(self, texts: Mapping[str, tuple[str, str]]) -> None:
        self._counts = {
            name: Counter(stems(title) * TITLE + stems(body))
            for name, (title, body) in texts.items()
        }
        self._having = Counter(word for counts in self._counts.values() for word in counts)
        self._length = self._having.total() / len(texts)  # on average

    def best(self, typed: str, most: int) -> list[str]:
        """Top matches; an exact title wins."""
        if typed in self._counts:
            return [typed]
        wanted: dict[str, float] = {}
        for word in [ours for typed_word in stems(typed) for ours in self._as_written(typed_word)]:
            wanted = dict.fromkeys(_synonyms().get(word, []), SYNONYM) | wanted | {word: 1}
        scores = {name: self._score(counts, wanted) for name, counts in self._counts.items()}
        ranked = sorted(scores, key=lambda name: -scores[name])[:most]
        return [name for name in ranked if scores[name] > MIN_SCORE * scores[ranked[0]]]

    def _score(self, counts: Counter[str], wanted: Mapping[str, float]) -> float:
        enough = 1 + len(counts) / self._length  # of a word: of a long text there is more
        return sum(
            weight * log(1 + len(self._counts) / self._having[word]) / (1 + enough / counts[word])
            for word, weight in wanted.items()
            if counts[word]
        )

    def _as_written(self, word: str) -> list[str]:
        """A word as the texts have it: itself, else longer or shorter, else spelled nearly so."""
        known = {**self._having, **_synonyms()}
        if word in known or len(word) < 3:
            return [word]
        longer = [one for one in known if one.startswith(word)]
        shorter = [one for one in known if len(one) > 3 and word.startswith(one)]
        return longer or shorter or get_close_matches(word, known if len(word) > 4 else [], 1, 0.75)


class Question(NamedTuple):
    """One entry of docs/questions.md."""

    answer: str  # with its number, of the embedded model
    page: str  # that shows it, by its name in the address
    inputs: dict[str, str]  # of that page, by key
    program: str  # the lines that print the number, after what they need
    prints: str


@cache
def questions() -> dict[str, Question]:
    """The entries in their order, by their question."""
    text = _document("questions")
    opening = text.partition("```python\n")[2].partition("```")[0]
    entries = {}
    for entry in _ENTRY.finditer(text):
        page, _, query = entry["address"].partition("?")
        inputs = dict(parse_qsl(query, keep_blank_values=True))
        program = _after_opening(opening, entry["line"])
        entries[entry["question"]] = Question(
            entry["answer"], page, inputs, program, entry["prints"]
        )
    return entries


def _after_opening(opening: str, program: str) -> str:
    """Lines after those of the document's first program whose names they need."""
    for before in reversed(opening.split("\n")):
        name = before.partition(" = ")[0].rpartition(" ")[2]
        if name and re.search(rf"(?<![.\w]){name}\b", program):
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
    text = _document("methods")
    _, *parts = re.split(r"^(###?) (.+)\n", text, flags=re.MULTILINE)
    page = ""
    entries = {}
    for level, title, body in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        page = f"{title} · " if level == "##" else page
        if body.strip():  # the heading of a page has no text
            name = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
            entries[name] = (title if level == "##" else page + title, body)
    return entries


def best_methods(typed: str) -> list[str]:
    """The names of the methods that fit what was typed, best first; all for nothing."""
    return _methods_index().best(typed, MAX_METHODS) if typed.strip() else list(methods())


@cache
def _methods_index() -> Index:
    return Index(methods())
