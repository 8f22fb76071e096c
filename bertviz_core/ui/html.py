"""Our own small pieces of HTML; whatever a user typed is escaped here and nowhere else."""

import json
from collections.abc import Mapping
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import streamlit as st

from bertviz_core.ui.present import embedded, is_left_out
from bertviz_core.views.sentences import filled, plain
from bertviz_core.views.view import Sentence

LOOKS = {
    "finding": 'class="bx bx-finding"',
    "note": 'class="bx bx-note" role="note"',
    "caption": 'class="bx bx-key"',
    "verdict": 'class="bx"',
    "alert": 'class="bx bx-alert" role="alert"',
}


def sentence(said: Sentence) -> None:
    """Show a sentence of ours with values in it, and a "?" that leads to its method."""
    if not (said.kind == "finding" and embedded() and is_left_out("finding")):
        st.html(written(said))


def written(said: Sentence) -> str:
    """A sentence as HTML."""
    link = ""
    if said.method:
        link = (
            f'&nbsp;<a class="bx-method" href="Methods?find={said.method}" target="_blank" '
            'aria-label="What these numbers mean" title="What these numbers mean">?</a>'
        )
    shown = filled(said.template, said.values)
    return f"<div {LOOKS[said.kind]}>{shown}{link}</div>"


def note(template: str, **values: object) -> None:
    """Say something the viewer should know before reading on: what was cut, what is not shown."""
    sentence(Sentence("note", template, values))


def caption(template: str, **values: object) -> None:
    """A small line of what else is known."""
    sentence(Sentence("caption", template, values))


def verdict(template: str, **values: object) -> None:
    """HTML of ours with values in it, at the size of a text."""
    sentence(Sentence("verdict", template, values))


def alert(message: str) -> None:
    """Show an error's message."""
    sentence(Sentence("alert", "{problem}", {"problem": message}))


def claim(text: str) -> None:
    """Show one of the tour's claims, to be read from the back row; the text is ours."""
    st.html(f'<h1 class="bx bx-claim">{plain(text)}</h1>')


def slide() -> None:
    """A button that saving.js hears."""
    button = '<button type="button" data-slide>Picture for a slide</button>'
    st.html(f'<nav class="bx bx-links">{button}</nav>')


def quiet(text: str) -> None:
    """A small line that guides the eye."""
    st.html(f'<div class="bx bx-key">{plain(text)}</div>')


def at_work(doing: str) -> None:
    """Say what is being done, beside a wheel that turns."""
    st.html(f'<div class="bx bx-at-work" role="status">{plain(doing)}</div>')


def entry(title: str, text: str, *, is_open: bool) -> None:
    """A part of a file of docs/, which is ours, folded below its title."""
    with st.expander(title, expanded=is_open):
        st.markdown(text.replace("](#", "](Methods?find="))


def style(*names: str) -> None:
    """Files of browser/ as the rules of a page that has no frame."""
    folder = Path(__file__).parent / "browser"
    rules = "".join((folder / name).read_text(encoding="utf-8") for name in names)
    st.html(f"<style>{rules}</style>")


def beside_chart(chart: str, given: Mapping[str, Any]) -> None:
    """Put traces and changes of the layout on a chart; see `views.view.Overlay`.

    They hold numbers and our own words; other text went through `figures.axes.label`.
    """
    text = escape(json.dumps(given, separators=(",", ":")))
    st.html(
        f'<span hidden data-chart="chart_{chart}" data-lines="{text}"></span>'
        f"<script>{_script('lines')}</script>",
        unsafe_allow_javascript=True,
    )


def component(name: str, key: str, box: str, given: Mapping[str, Any], **events: Any) -> None:
    """Put a piece of the page that tells what is done in it: browser/NAME.js gets what is given."""
    # Registered anew each time, which costs nothing: a server that starts has another register.
    mount = st.components.v2.component(name, html=box, js=_script(name), isolate_styles=False)
    # Given anything but bytes, Streamlit imports pandas (0.3 s) to see whether it is a table.
    mount(key=key, data=json.dumps(given).encode(), **events)


@cache
def _script(name: str) -> str:
    return (Path(__file__).parent / "browser" / f"{name}.js").read_text(encoding="utf-8")
