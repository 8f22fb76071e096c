"""The frame around every page: the list of pages, title, styles, and the model in use."""

import re
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.process import (
    APP_FOLDER,
    SWITCH,
    keep_tidy,
    map_large_arrays,
    open_more_files,
)
from bertviz_core.shared import results
from bertviz_core.ui import links, slots
from bertviz_core.ui.address import HERE, OPENS, PAGE, read_address
from bertviz_core.ui.html import browser_files
from bertviz_core.ui.models import model_in_use
from bertviz_core.ui.present import LOOKS, SHOWN, embedded, look, present_switch, presenting
from bertviz_core.views.files import Page

NAME = "BERT embedding explorer"
SHARE = "The address of this view, its QR code, and a frame with its picture"

# This file is imported before the first page computes anything.
map_large_arrays()
open_more_files()
sys.setswitchinterval(SWITCH)
keep_tidy(results.let_go_of_unused)


def page(title: str, question: str, lead: str, *, icon: str) -> Bert:
    """Set up a page, and return the model that it shows. Call it first.

    `title` is that of the sidebar and the browser's tab, `question` the heading, `lead` one
    sentence under it in Markdown, never the user's text. `pages` reads the title and the icon, a
    name among Material symbols, from the script, so both are written out there.
    """
    # The sidebar's links drop a lecturer's hall from the address.
    if kept := st.query_params.get(links.LECTURE) or st.session_state.get(links.LECTURE):
        st.session_state[links.LECTURE] = st.query_params[links.LECTURE] = kept
    st.session_state[OPENS] = st.session_state.get(PAGE) != title or OPENS in st.session_state
    st.session_state.update({PAGE: title, SHOWN: []})
    read_address()
    tour: ModuleType | None = None
    if title != "Home" and "tour" in st.query_params and not embedded():
        from bertviz_core.ui.tour import tour as stops  # a sixth of what a first page imports

        tour = stops if stops.reached() else None
    tab = NAME if title == "Home" else f"{title} · {NAME}"
    st.set_page_config(
        page_title=tab,
        page_icon=Path(__file__).parent / "browser" / "icon.svg",
        layout="wide",
        initial_sidebar_state="collapsed" if presenting() else "auto",
    )
    st.html(_style_and_script(look(), embedded()), unsafe_allow_javascript=True)
    with st.sidebar:
        for entry in pages():
            st.page_link(entry.script, label=entry.title, icon=entry.icon)
        sidebar_model = slots.part("model")
        present_switch()
        if st.button("Share", icon=":material/share:", help=SHARE, key="share"):
            links.share(tab)
    if not tour and not embedded():
        st.title(question, anchor=False)
    if not tour and not presenting():
        st.markdown(lead)
    bert = model_in_use(sidebar_model)
    st.session_state[HERE] = Page(title, bert.name, question)
    if tour:  # in place of the page
        tour.show(bert)
        st.stop()
    if embedded():
        links.way_back()
    return bert


@cache
def _style_and_script(look: str, embedded: bool) -> str:
    """Files of ours alone: nothing a user typed is ever put into them."""
    rules = ["style.css"]
    if look:
        rules.append("present.css")
    if embedded:
        rules.append("embed.css")
    script = browser_files("look.js", "browser.js", "frames.js", "gif.js", "saving.js")
    script = script.replace("PAGE_NAMES", ",".join(page.address for page in pages()))
    script = script.replace("LOOK_IN_USE", look.title() if look in LOOKS else "System")
    return f"<style>{browser_files(*rules)}</style><script>{script}</script>"


@dataclass(frozen=True)
class PageEntry:
    """A page, as its script describes it."""

    script: str  # path from the root of the app
    title: str
    icon: str
    about: str  # what Home says of it: the first line of the script
    address: str  # its name in the URL; "" for Home


@cache
def pages() -> tuple[PageEntry, ...]:
    """Home, then the scripts of `pages/` by their numbers. Read once; nothing is run."""
    scripts = [APP_FOLDER / "app.py", *sorted((APP_FOLDER / "pages").glob("*.py"))]
    return tuple(entry for script in scripts if (entry := _read(script)))


def _read(script: Path) -> PageEntry | None:
    """What a page's script says of it; None for the hall, which is not in the sidebar."""
    source = script.read_text(encoding="utf-8")
    about, _, called = source.removeprefix('"""').partition("\n")
    if "phone_page(" in called:
        return None
    found = re.search(r'frame\.page\(\s*"([^"]+)".*?\bicon="([^"]+)"', called, re.DOTALL)
    if found is None:
        raise ValueError(f"{script} does not call frame.page with its title and icon written out.")
    address = "" if script.name == "app.py" else script.stem.partition("_")[2]
    path = script.relative_to(APP_FOLDER).as_posix()
    return PageEntry(path, found[1], found[2], about.removesuffix('"""'), address)
