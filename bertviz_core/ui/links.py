"""Links to prepared views: a page with its inputs in the URL.

They are plain links that load the page anew. Streamlit's own links keep the page's present inputs
where the address already carries them, and then show another state than the address says.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from html import escape
from typing import Literal
from urllib.parse import quote_plus, urlencode, urljoin

import streamlit as st

from bertviz_core.tokens.tokenized_text import without_lone_surrogates
from bertviz_core.ui.address import SECOND, SENTENCE, WITH_SECOND, own_sentences
from bertviz_core.ui.html import caption, note, site
from bertviz_core.ui.models import offer
from bertviz_core.ui.present import look

# Bytes of an address that each sentence may fill: servers take addresses of about 8,000, and a
# Chinese character fills 9.
CARRIED = 1_500
# Characters of one text, and letters of a whole address, that somebody may share: an emoji takes
# 12 letters, and a server refuses what is too long (docs/hosting.md).
MAX_SHARED_TEXT, MAX_SHARED_ADDRESS = 2_000, 32_000
# Keys that a frame in another page leaves out.
NOT_IN_FRAMES = re.compile(r"present|tour|guess\d+")
LECTURE = "lecture"  # the key of a hall, for its lecturer alone: no link to share has it


def view(page: str, **inputs: str | int) -> str:
    """The address of a prepared view: a page's name in its URL, with values of its widgets by key.

    The model in use is kept unless one is given. The visitor's own sentences go along to a page
    whose sentence is not given.
    """
    model = st.session_state.get("model")
    if model and model != offer().default:
        inputs = {"model": model} | inputs
    if presented := look():
        inputs["present"] = presented
    if SENTENCE not in inputs:
        for key, text in own_sentences().items():
            if text or (key == SECOND and page in WITH_SECOND):
                inputs[key] = cut_to_carry(text)
    return f"{page}?{urlencode(inputs)}" if inputs else page


@lru_cache(16)  # every link of a page asks for the same, and 1,500 emoji take 2 ms
def cut_to_carry(text: str) -> str:
    """As much of a sentence as a link carries."""
    text = without_lone_surrogates(text[:CARRIED])
    while (size := len(quote_plus(text))) > CARRIED:
        text = text[: len(text) * CARRIED // size]
    return text


def here(**changes: str | int) -> str:
    """The address of the page that is shown, with some of its inputs changed."""
    kept = {key: value for key, value in st.query_params.items() if key != LECTURE}
    return "?" + urlencode(kept | changes)


def examples(page: str, prepared: dict[str, dict[str, str | int]]) -> None:
    """Show a row of prepared views of one page; labels are ours, not a user's."""
    addresses = {label: view(page, **inputs) for label, inputs in prepared.items()}
    row("Try", addresses, kind="bx-examples")


def row(title: str, addresses: dict[str, str], *, kind: str = "") -> None:
    """Show a row of links by their labels, which are ours, not a user's."""
    links = "".join(
        f'<a href="{escape(address)}" target="_self">{escape(label)}</a>'
        for label, address in addresses.items()
    )
    st.html(f'<nav class="bx bx-links {kind}"><span>{escape(title)}</span>{links}</nav>')


def way_back() -> None:
    """Lead from a frame of another site to the same view as a page of its own."""
    st.html(  # `embed` is not in st.query_params
        f'<a class="bx bx-back" href="{escape(here())}" target="_blank" rel="noopener">'
        "Open in the BERT embedding explorer</a>"
    )


@st.dialog("Share this view")
def share(title: str) -> None:
    """Offer the address of the page, as text and as a QR code, and a frame with its picture."""
    query, url = st.query_params.to_dict(), st.context.url or ""
    query.pop(LECTURE, None)
    longest, address = max(map(len, query.values()), default=0), _with_query(url, query)
    if longest > MAX_SHARED_TEXT or len(address) > MAX_SHARED_ADDRESS:
        note(
            "This view is too long for a link: a text of {longest} characters, an address of "
            "{letters}. A link carries {text} and {most}. Shorten it, or take the view as a "
            "notebook: its program has the whole text.",
            longest=f"{longest:,}",
            letters=f"{len(address):,}",
            text=f"{MAX_SHARED_TEXT:,}",
            most=f"{MAX_SHARED_ADDRESS:,}",
        )
        return
    caption("Its address. Point at it, or tap it, for the button that copies it.")
    height: Literal["content"] | int = "content" if len(address) < 500 else 120
    st.code(address, language=None, wrap_lines=True, height=height)
    _qr_code(address)
    framed = {key: text for key, text in query.items() if not NOT_IN_FRAMES.fullmatch(key)}
    source = escape(_with_query(url, framed | {"embed": "true"}))
    caption("A frame with its picture, for a page of your own:")
    st.code(
        f'<iframe src="{source}" title="{escape(title)}" width="700" height="450" '
        'style="border:0"></iframe>',
        language=None,
        wrap_lines=True,
        height=height,
    )
    if gallery := site("gallery/index.html"):
        row("For any number of viewers", {"all views as static pages": gallery})


def _with_query(url: str, query: Mapping[str, str]) -> str:
    return f"{url}?{urlencode(query)}" if query else url


def _qr_code(address: str) -> None:
    import segno  # 20 ms

    try:
        code = segno.make_qr(address, error="l").svg_data_uri(scale=8, border=4, light="#fff")
    except segno.DataOverflowError:
        caption("The address is too long for a QR code.")
        return
    picture = f'<img src="{code}" alt="QR code of this address">'
    st.html(f'<figure class="bx bx-qr">{picture}</figure>')


def way_into_hall(page: str, code: str, ticket: str) -> None:
    """A hall's address for phones, with a ticket, as a QR code; its four letters for the eye."""
    import segno  # 20 ms

    address = urljoin(st.context.url or "", f"{page}?hall={code}&ticket={ticket}")
    picture = segno.make_qr(address, error="m").svg_data_uri(scale=8, border=3, light="#fff")
    st.html(
        f'<figure class="bx bx-hall"><img src="{picture}" alt="QR code of {escape(address)}">'
        f"<figcaption><strong>{escape(code)}</strong>{escape(address.partition('?')[0])}"
        "</figcaption></figure>"
    )


def card(title: str, text: str, address: str) -> None:
    """Show a large link: a title and a sentence."""
    st.html(
        f'<nav class="bx bx-cards"><a class="bx-card" href="{escape(address)}" target="_self">'
        f"<strong>{escape(title)}</strong><p>{escape(text)}</p></a></nav>"
    )
