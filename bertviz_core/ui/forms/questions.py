"""Questions people ask, from docs/questions.md: searched on Home, each with its number and view."""

import re
from functools import cache
from typing import NamedTuple
from urllib.parse import parse_qsl

import streamlit as st

from bertviz_core.app_folder import APP_FOLDER
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.catalog import EMBEDDED
from bertviz_core.ui import frame, inputs, links
from bertviz_core.ui.errors import fragment
from bertviz_core.ui.forms.search import Index
from bertviz_core.ui.html import caption

KEY, EVERY = "ask", "every-question"
MOST = 5  # that are shown of what fits
_ENTRY = re.compile(
    r"^### (?P<question>.+)\n\n(?P<answer>.+)\n\n`(?P<address>.+)`\n\n"
    r"```python\n(?P<line>.+?)  # (?P<prints>.+)\n```$",
    re.MULTILINE,
)


class Question(NamedTuple):
    """One entry of the list."""

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


@cache
def _index() -> Index:
    """The questions and the pages, to be searched."""
    asked = {
        name: (name, f"{one.answer} {one.page} {one.inputs.get('section', '')}")
        for name, one in questions().items()
    }
    return Index(asked | {page.title: (page.title, page.about) for page in frame.pages()[1:]})


def matches(typed: str) -> list[str]:
    """The questions and the titles of pages that fit what was typed, best first."""
    return _index().best(typed, MOST)


@fragment
def ask(bert: Bert) -> None:
    """Search the questions and the pages: the best one is open, others are folded."""
    st.subheader("Questions people ask", anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom", key="part-asked"):
        typed = inputs.sentence(
            f"{len(questions())} answers, each with a number and the view that shows it",
            "",
            key=KEY,
            placeholder="Type a word: padding, layer, cosine, [CLS] …",
            live=True,
        )
        st.menu_button("All questions", list(questions()), key=EVERY, on_click=_take)
    best = matches(typed)
    if typed.strip() and not best:
        caption("Nothing here has “{typed}”. All questions are in the list.", typed=typed)
    pages = {page.title: page for page in frame.pages()}
    for name in best:
        if page := pages.get(name):
            links.cards([(name, page.about, links.view(page.address))])
        else:
            with st.expander(name, expanded=name == best[0]):
                _answer(questions()[name], bert)


def _take() -> None:
    st.session_state[KEY] = st.query_params[KEY] = st.session_state[EVERY]


def _answer(entry: Question, bert: Bert) -> None:
    st.text(entry.answer)
    if bert.name != EMBEDDED:
        caption("The numbers are those of {embedded}; the view has those of {model}.",
                embedded=EMBEDDED, model=bert.name)  # fmt: skip
    view = ": ".join([entry.page.replace("_", " "), *filter(None, [entry.inputs.get("section")])])
    links.row("See it", {view: links.view(entry.page, **entry.inputs)})
    st.code(f"{entry.program}  # {entry.prints}", language="python", wrap_lines=True)
