"""Our own small pieces of HTML; whatever a user typed is escaped here and nowhere else."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import streamlit as st

from bertviz_core.app_folder import APP_FOLDER
from bertviz_core.ui.present import is_left_out
from bertviz_core.views.sentences import filled as filled
from bertviz_core.views.sentences import joined as joined
from bertviz_core.views.sentences import plain as plain

DOCS = APP_FOLDER / "docs"


def finding(template: str, *, method: str = "", **values: object) -> None:
    """State what the numbers say, above its picture, in a sentence of ours with `values` in it.

    `template` is HTML with `{names}` for the values, which are escaped; `{name:.2f}` formats one.
    `method` is a heading in docs/methods.md, as in its address: "percentile-scales". A "?" behind
    the sentence leads there.
    """
    if is_left_out("finding"):
        return
    st.html(f'<div class="bx bx-finding">{_sentence(template, values, method)}</div>')


def claim(text: str) -> None:
    """Show one of the tour's claims, to be read from the back row; the text is ours."""
    st.html(f'<blockquote class="bx bx-claim">{plain(text)}</blockquote>')


def verdict(template: str, **values: object) -> None:
    """Show HTML of ours with values in it, as for `finding`; files to take home leave it out."""
    st.html(f'<div class="bx">{_sentence(template, values)}</div>')


def quiet(text: str) -> None:
    """A small line that guides the eye."""
    st.html(f'<div class="bx bx-key">{plain(text)}</div>')


def caption(template: str, *, method: str = "", **values: object) -> None:
    """A small line of what else is known of a picture; as for `finding`."""
    st.html(f'<div class="bx bx-key">{_sentence(template, values, method)}</div>')


def at_work(doing: str) -> None:
    """Say what is being done, beside a wheel that turns."""
    st.html(f'<div class="bx bx-at-work" role="status">{plain(doing)}</div>')


def note(template: str, *, method: str = "", **values: object) -> None:
    """Say something the viewer should know before reading on: what was cut, what is not shown."""
    text = _sentence(template, values, method)
    st.html(f'<div class="bx bx-note" role="note">{text}</div>')


def alert(message: str) -> None:
    """Show an error's message."""
    st.html(f'<div class="bx bx-alert" role="alert">{plain(message)}</div>')


def document(name: str) -> None:
    """Show a file of docs/, which is ours, without its title: links to its sections, its text."""
    text = (DOCS / name).read_text(encoding="utf-8")
    sections = re.findall(r"^## (.+)$", text, re.MULTILINE)
    links = [f"[{section}](#{_anchor(section)})" for section in sections]
    st.markdown(f"On this page: {' · '.join(links)}")
    st.markdown(text.partition("\n")[2])


def _anchor(heading: str) -> str:
    """The name of a heading of plain English in the address, as Streamlit makes it."""
    return re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")


def chart_lines(
    chart: str, lines: Sequence[Mapping[str, Any]], labels: Sequence[Mapping[str, Any]] = ()
) -> None:
    """Put shapes and annotations of Plotly's on a chart; it keeps its zoom and its selection.

    They hold numbers and our own words; other text went through `figures.axes.label`.
    """
    given, named = (escape(json.dumps(s, separators=(",", ":"))) for s in (lines, list(labels)))
    st.html(
        f'<span hidden data-chart="chart_{chart}" data-lines="{given}" data-labels="{named}">'
        "</span>"
        f"<script>{_lines_script()}</script>",
        unsafe_allow_javascript=True,
    )


@cache
def _lines_script() -> str:
    return (Path(__file__).parent / "browser" / "lines.js").read_text(encoding="utf-8")


def _sentence(template: str, values: Mapping[str, object], method: str = "") -> str:
    """The HTML of a sentence: its values under their names, and behind it the way to its method."""
    said = filled(template, values)
    if not method:
        return said
    return (
        f'{said} <a class="bx-method" href="Methods#{method}" target="_blank" '
        'aria-label="What these numbers mean" title="What these numbers mean">?</a>'
    )
