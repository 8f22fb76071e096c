"""Questions people ask, from docs/questions.md: searched on Home, each with its number and view."""

import re
from functools import cache
from typing import NamedTuple
from urllib.parse import parse_qsl

import streamlit as st

from bertviz_core.app_folder import APP_FOLDER
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.catalog import EMBEDDED
from bertviz_core.ui import inputs, links
from bertviz_core.ui.html import caption

KEY = "ask"
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


def ask(bert: Bert) -> None:
    """Offer the questions, which typing searches, and answer the one that is chosen."""
    st.subheader("Questions people ask", anchor=False)
    asked = questions()
    inputs.reset_unless(KEY, lambda kept: kept in list(asked), None)
    label = f"{len(asked)} answers, each with a number and the view that shows it"
    chosen = st.selectbox(
        label,
        list(asked),
        index=None,
        key=KEY,
        placeholder="Type a word: padding, layer, cosine, [CLS] …",
        **inputs.BOUND,
    )
    if chosen is None:
        return
    entry = asked[chosen]
    st.text(entry.answer)
    if bert.name != EMBEDDED:
        caption("The numbers are those of {embedded}; the view has those of {model}.",
                embedded=EMBEDDED, model=bert.name)  # fmt: skip
    view = ": ".join([entry.page.replace("_", " "), *filter(None, [entry.inputs.get("section")])])
    links.row("See it", {view: links.view(entry.page, **entry.inputs)})
    st.code(f"{entry.program}  # {entry.prints}", language="python", wrap_lines=True)
