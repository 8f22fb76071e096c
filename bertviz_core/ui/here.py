"""The page that is shown, and how its files are named."""

from typing import NamedTuple

import streamlit as st

from bertviz_core.csv_files import Made
from bertviz_core.file_names import file_name as named

_HERE = "_page_and_model"
# The field with the sentence of a page, which is part of the names of its files.
SENTENCES = {
    "Home": "a",
    "Tokens": "a",
    "Input Embeddings": "a",
    "Nearest Neighbors": "q",
    "Word in Context": "s",
}


class Here(NamedTuple):
    """The page that is shown: its title, the name of its model, and its question."""

    page: str = ""
    model: str = ""
    question: str = ""


def shown_on(page: str, model: str, question: str = "") -> None:
    """Name the page and its model on what is saved from it; `frame.page` does."""
    st.session_state[_HERE] = Here(page, model, question)


def here() -> Here:
    """The page that is shown."""
    return Here(*st.session_state.get(_HERE, ()))


def file_name(name: str, made: Made, *, typed: bool = True) -> str:
    """Name what is saved by the page, `name`, the model and how it was made.

    With `typed` it depends on the page's sentence, which is then part of the name.
    """
    page, model, _ = here()
    sentence = _sentence(page, made) if typed else ""
    return named(page.lower(), name, model, made=made, sentence=sentence)


def _sentence(page: str, made: Made) -> str:
    """What was typed on a page, of several lines the first, without its marks."""
    if page not in SENTENCES or "word" in made:
        return ""
    typed = st.session_state.get(SENTENCES[page]) or ""
    first = next((line for line in typed.splitlines() if line.strip()), "")
    return first.replace("[", "").replace("]", "")
