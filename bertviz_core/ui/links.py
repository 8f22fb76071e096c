"""Ways into the app from elsewhere: Share, a frame of another site, a hall's QR code."""

import re
from html import escape
from typing import Literal
from urllib.parse import urljoin, urlsplit

import streamlit as st
from streamlit.net_util import get_internal_ip

from bertviz_core.ui import html
from bertviz_core.ui.html import caption, links, note
from bertviz_core.ui.state import LECTURE, link_here, with_query

# Characters of one text, and letters of a whole address, that somebody may share: an emoji takes
# 12 letters, and a server refuses what is too long (docs/hosting.md).
MAX_SHARED_TEXT, MAX_SHARED_ADDRESS = 2_000, 32_000
# Keys that a frame in another page leaves out.
NOT_IN_FRAMES = re.compile(r"present|tour|guess\d+")
# Hosts by which every device means itself.
ITSELF = re.compile(r"(.+\.)?localhost\.?|(::ffff:)?127\.[\d.]+|::ffff:7f\w\w:\w+|::1?|0\.0\.0\.0")


def way_back() -> None:
    """Lead from a frame of another site to the same view as a page of its own."""
    st.html(  # `embed` is not in st.query_params
        f'<a class="bx bx-back" href="{escape(link_here())}" target="_blank" rel="noopener">'
        "Open in the BERT embedding explorer</a>"
    )


@st.dialog("Share this view")
def share(title: str) -> None:
    """Offer the address of the page, as text and as a QR code, and a frame with its picture."""
    query = st.query_params.to_dict()
    url = for_phones()
    query.pop(LECTURE, None)
    longest = max(map(len, query.values()), default=0)
    address = with_query(url, query)
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
    source = escape(with_query(url, framed | {"embed": "true"}))
    caption("A frame with its picture, for a page of your own:")
    st.code(
        f'<iframe src="{source}" title="{escape(title)}" width="700" height="450" '
        'style="border:0"></iframe>',
        language=None,
        wrap_lines=True,
        height=height,
    )
    if site := html.site():
        gallery = f"{site}/gallery/index.html"
        links("For any number of viewers", {"all views as static pages": gallery})


def for_phones() -> str:
    """The page's address, with this machine's own in place of "localhost"; a line says which.

    It is not known behind a proxy, or in a container: another port, or a browser elsewhere.
    """
    url = st.context.url or ""
    parts = urlsplit(url)
    if not ITSELF.fullmatch(parts.hostname or ""):
        return url
    way = "Open the app by the name or address that other devices have for this machine."
    own = get_internal_ip() or "localhost"  # the system is asked which way it would send
    serves = st.get_option("server.address") in (None, "", "0.0.0.0", "::")
    is_direct = parts.port == st.get_option("server.port")
    names = (st.context.ip_address or "localhost", own)
    if serves and is_direct and [bool(ITSELF.fullmatch(one)) for one in names] == [True, False]:
        url = parts._replace(netloc=f"{own}:{parts.port}").geturl()
        way = "The QR code has this machine's own address, <b>{own}</b>."
    opening = "No phone can open <b>{host}</b>: on a phone that is the phone. "
    note(opening + way, host=parts.hostname, own=own)
    return url


def _qr_code(address: str) -> None:
    import segno  # 20 ms

    try:
        code = segno.make_qr(address, error="l").svg_data_uri(scale=8, border=4, light="#fff")
    except segno.DataOverflowError:
        caption("The address is too long for a QR code.")
        return
    picture = f'<img src="{code}" alt="QR code of this address">'
    st.html(f'<figure class="bx bx-qr">{picture}</figure>')


def way_into_hall(url: str, page: str, code: str, ticket: str) -> None:
    """A hall's address below the app's `url`, with a ticket, as a QR code; its letters to read."""
    import segno  # 20 ms

    address = urljoin(url, f"{page}?hall={code}&ticket={ticket}")
    picture = segno.make_qr(address, error="m").svg_data_uri(scale=8, border=3, light="#fff")
    st.html(
        f'<figure class="bx bx-hall"><img src="{picture}" alt="QR code of {escape(address)}">'
        f"<figcaption><strong>{escape(code)}</strong>{escape(address.partition('?')[0])}"
        "</figcaption></figure>"
    )
