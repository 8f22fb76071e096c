"""A view to take home: as a notebook, its arrays, its pictures as a web page. Made on a click."""

import platform
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.errors import ModelUnavailableError
from bertviz_core.npz_files import as_npz
from bertviz_core.snippets.fill import drawing_of
from bertviz_core.snippets.notebook import (
    NotebookHeader,
    as_notebook,
    literal,
    packages_of,
    versions,
)
from bertviz_core.ui.html import filled, plain
from bertviz_core.ui.models import FROM
from bertviz_core.ui.take_home.view import View, file_name, here
from bertviz_core.ui.take_home.web_page import as_plain, as_web_page

Arrays = Callable[[], Mapping[str, Any]]
APP = "bert-embedding-explorer"
ALWAYS = ("torch", "transformers", "tokenizers", "numpy", "plotly", "streamlit")
KINDS = {
    "ipynb": "application/x-ipynb+json",
    "npz": "application/octet-stream",
    "html": "text/html",
}


def take_home(
    name: str, template: str, program: str, bert: Bert, view: View, arrays: Arrays | None
) -> None:
    """Offer a view as files; each is made when somebody asks for it.

    Args:
        name: Of the view on its page.
        template: Name of the program.
        program: What prints its numbers.
        bert: The model in use.
        view: What is shown of it.
        arrays: Makes the arrays behind it, by name; its tables unless given.
    """
    page, file = here(), file_name(name, view.made)
    address = _address()

    def notebook() -> bytes:
        header = NotebookHeader(
            question=page.question,
            page=page.page,
            findings=[filled(*one, lambda text, _: literal(text)) for one in view.findings],
            address=address,
            facts=_facts(bert, view, program),
            pictures={key: alt for key, (_, alt) in view.figures.items()},
        )
        pictures = {key: as_plain(figure) for key, (figure, _) in view.figures.items()}
        return as_notebook(program, header, pictures, drawing_of(template) if pictures else "")

    def npz() -> bytes:
        about = {
            "page": page.page,
            "view": name,
            "address": address,
            "made": view.made,
            "facts": _facts(bert, view, program),
        }
        found = _columns(view) if arrays is None else arrays()
        return as_npz(found, _model(bert, view), about)

    def web_page() -> bytes:
        made = [f"{key} {value}" for key, value in view.made.items()]
        return as_web_page(
            {key: (as_plain(figure), alt) for key, (figure, alt) in view.figures.items()},
            title=page.question or page.page,
            findings=[filled(*one, lambda text, _: plain(text)) for one in view.findings],
            made=" · ".join([page.page, _model(bert, view), *made]),
            address=address,
        )

    with st.container(horizontal=True, key=f"home-{name}"):
        for offered, label, ending, made in (
            (True, "This view as a notebook", "ipynb", notebook),
            (arrays is not None or bool(view.tables), "Arrays (NPZ)", "npz", npz),
            (bool(view.figures), "Web page (HTML)", "html", web_page),
        ):
            if offered:
                st.download_button(
                    label,
                    made,
                    file_name=f"{file}.{ending}",
                    mime=KINDS[ending],
                    icon=":material/download:",
                    type="tertiary",
                    on_click="ignore",
                    key=f"{ending}_{name}",
                )


def _address() -> str:
    """Where the view is seen, without the fold that its program stands in."""
    kept = {key: value for key, value in st.query_params.items() if not key.startswith("code-")}
    return (st.context.url or "") + (f"?{urlencode(kept)}" if kept else "")


def _facts(bert: Bert, view: View, program: str) -> dict[str, str]:
    """The model, how the view was made, and the versions of what computed it."""
    facts = {"model": _model(bert, view)}
    if facts["model"] == bert.name:
        facts |= _files_of(bert)
    facts |= {key: str(value) for key, value in view.made.items()}
    packages = dict.fromkeys([APP, *packages_of(program), *ALWAYS])
    return facts | {"Python": platform.python_version()} | versions(list(packages))


def _model(bert: Bert, view: View) -> str:
    """The model that made the numbers: that of an opened file, or the one in use."""
    return str(view.made.get("vectors of", bert.name))


def _files_of(bert: Bert) -> dict[str, str]:
    """Where a model comes from, and what tells its weights from any others."""
    found = bert.checkpoint
    facts = {"where from": FROM[found.source]}
    if found.revision:
        facts |= {"repository": found.repo_id or "", "revision": found.revision}
    try:
        return facts | {"SHA-256 of its weights": found.weights_hash()}
    except ModelUnavailableError:
        return facts | {"SHA-256 of its weights": "unknown: the file cannot be read any more"}


def _columns(view: View) -> dict[str, Any]:
    """The columns of all tables; those of a second one say which it is."""
    if len(view.tables) == 1:
        return dict(next(iter(view.tables.values()))())
    return {
        f"{name}: {title}": values
        for name, columns in view.tables.items()
        for title, values in columns().items()
    }
