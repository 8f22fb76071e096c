"""Links to prepared views: a page with its inputs in the URL.

They are plain links that load the page anew. Streamlit's own links keep the page's present inputs
where the address already carries them, and then show another state than the address says.
"""

from html import escape
from urllib.parse import urlencode

import streamlit as st

from bertviz_core.ui.models import offer
from bertviz_core.ui.present import presenting


def view(page: str, **inputs: str | int) -> str:
    """The address of a prepared view, relative to any page of the app.

    Args:
        page: Name of the page in its URL, such as "Nearest_Neighbors".
        inputs: Values of its widgets by key. The model in use is kept unless one is given.
    """
    chosen = st.session_state.get("model")
    if chosen and chosen != offer().default:
        inputs = {"model": chosen} | inputs
    if presenting():
        inputs = inputs | {"present": 1}
    return f"{page}?{urlencode(inputs)}" if inputs else page


def here(**changes: str | int) -> str:
    """The address of the page that is shown, with some of its inputs changed.

    Args:
        changes: Values by key; all other inputs of the address stay as they are.
    """
    return "?" + urlencode(st.query_params.to_dict() | changes)


def action(label: str, address: str) -> None:
    """Show one prepared view as a button."""
    st.html(
        f'<nav class="bx"><a class="bx-action" href="{escape(address)}" target="_self">'
        f"{escape(label)}</a></nav>"
    )


def examples(page: str, title: str, prepared: dict[str, dict[str, str | int]]) -> None:
    """Show a row of prepared views of one page; labels are ours, not a user's."""
    row(title, {label: view(page, **inputs) for label, inputs in prepared.items()})


def row(title: str, addresses: dict[str, str]) -> None:
    """Show a row of links by their labels, which are ours, not a user's."""
    links = "".join(
        f'<a href="{escape(address)}" target="_self">{escape(label)}</a>'
        for label, address in addresses.items()
    )
    st.html(f'<nav class="bx bx-links"><span>{escape(title)}</span>{links}</nav>')


def steps(entries: dict[str, tuple[str, str]]) -> None:
    """Show a row of links that also follow a key: key ("ArrowRight" or "") and address by label.

    The keys are heard by browser.js.
    """
    shown = "".join(
        f'<a href="{escape(address)}" target="_self" data-key="{escape(key)}">{escape(label)}</a>'
        for label, (key, address) in entries.items()
    )
    st.html(f'<nav class="bx bx-links">{shown}</nav>')


def cards(entries: list[tuple[str, str, str]]) -> None:
    """Show large links: title, sentence and address of each."""
    shown = "".join(
        f'<a class="bx-card" href="{escape(address)}" target="_self">'
        f"<strong>{escape(title)}</strong><p>{escape(text)}</p></a>"
        for title, text, address in entries
    )
    st.html(f'<nav class="bx bx-cards">{shown}</nav>')
