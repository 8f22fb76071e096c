"""What is around a page's views: the list of pages, title, styles, panels, the model in use.

Fields that write to the address stand in containers with a key. Without one the browser knows a
container by its number among its neighbours. When something above it goes, the browser builds the
container anew one place higher, then removes the old one. The fields in it stop writing to the
address and lose the focus.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import streamlit as st
from streamlit.elements.lib.grid_container import GridContainer

from bertviz_core.bert import Bert
from bertviz_core.errors import shortened
from bertviz_core.process import set_up_process
from bertviz_core.shared.results import results
from bertviz_core.showable import plain
from bertviz_core.ui import html, links, state
from bertviz_core.ui.draw import errors_shown
from bertviz_core.ui.models import model_in_use
from bertviz_core.ui.state import LOOKS, OFF, PRESENT, PRESENTING

NAME = "BERT embedding explorer"
SHARE = "The address of this view, its QR code, and a frame with its picture"
# A line to click on; what is below it is hidden until then.
FOLD = '<details class="bx bx-fold bx-{}"><summary>{}</summary></details>'
MAX_VALUE = 70  # characters of a value in the line of a folded panel


class PageEntry(NamedTuple):
    """A page, as the sidebar and Home list it."""

    script: str  # path from the root of the app
    icon: str  # a name among Material symbols
    about: str  # what Home says of it
    title: str
    address: str  # its name in the URL; "" for Home


def _entry(script: str, icon: str, about: str) -> PageEntry:
    address = Path(script).stem.partition("_")[2]
    title = address.replace("_", " ") or "Home"
    return PageEntry(script, f":material/{icon}:", about, title, address)


# In the order of the sidebar. A phone of a hall is shown one question, and no list.
PAGES = (
    _entry("app.py", "home", "One word in two sentences, questions, the tour."),
    _entry("pages/1_Tokens.py", "segment", "How a text becomes WordPieces, ids and segments."),
    _entry(
        "pages/2_Input_Embeddings.py", "layers",
        "The three embeddings that are added for each token, as heatmaps, and the proof.",
    ),
    _entry(
        "pages/3_Nearest_Neighbors.py", "hub",
        "Search the token table, and add and subtract words.",
    ),
    _entry(
        "pages/4_Word_in_Context.py", "compare_arrows",
        "Follow one word through every layer, in sentences that use it differently.",
    ),
    _entry(
        "pages/5_Word_Senses.py", "scatter_plot",
        "Many occurrences of one word on a map, layer by layer, and whether its senses come apart.",
    ),
    _entry(
        "pages/6_Sentence_Vectors.py", "compress",
        "How a whole sentence becomes one vector, and whether a cosine of two is high.",
    ),
    _entry(
        "pages/7_Positions_and_Segments.py", "view_week",
        "The two small tables of positions and segments, and what changing them does.",
    ),
    _entry(
        "pages/8_Inside_the_Model.py", "account_tree",
        "Every parameter, the pooler, and what one step of training changes.",
    ),
    _entry(
        "pages/9_Methods.py", "menu_book",
        "What each number is, what it is compared with, and what it cannot tell.",
    ),
)  # fmt: skip


@cache  # a page calls it at each run
def set_up() -> None:
    """Prepare the process, once; `app.py` does it as the server starts, else the first page."""
    set_up_process(results.drop_unused)


def begin(title: str, question: str, lead: str) -> Bert:
    """Set up a page, and return the model that it shows. Call it first.

    `title` is that of its entry in `PAGES`, `question` the heading, `lead` one sentence under it in
    Markdown, never the user's text.
    """
    set_up()
    visit = state.read(title, question)
    tour: ModuleType | None = None
    if title != "Home" and "tour" in st.query_params and not visit.is_embedded:
        from bertviz_core.ui.tour import tour as stops  # a sixth of what a first page imports

        tour = stops if stops.reached() else None
    tab = NAME if title == "Home" else f"{title} · {NAME}"
    st.set_page_config(
        page_title=tab,
        page_icon=Path(__file__).parent / "browser" / "icon.svg",
        layout="wide",
        initial_sidebar_state="collapsed" if visit.presenting else "auto",
    )
    st.html(_style_and_script(visit.look, visit.is_embedded), unsafe_allow_javascript=True)
    with st.sidebar:
        for entry in PAGES:
            st.page_link(entry.script, label=entry.title, icon=entry.icon)
        sidebar_model = st.container(key="part-model")
        _offer_presenter_mode(visit.look)
        if st.button("Share", icon=":material/share:", help=SHARE, key="share"):
            links.share(tab)
    if not tour and not visit.is_embedded:
        st.title(question, anchor=False)
    if not tour and not visit.presenting:
        st.markdown(lead)
    with errors_shown():
        bert = model_in_use(sidebar_model)
    if tour:  # in place of the page
        tour.show(bert)
        st.stop()
    if visit.is_embedded:
        links.way_back()
    return bert


def _offer_presenter_mode(look: str) -> None:
    """Offer presenter mode, for a projector, and keep it in the address while it is on.

    `?present=light` or `dark`; `?present=1` takes the look of the visitor's system. A field bound
    to the address would write `presenting=dark`; this one is written by hand.
    """
    if look:
        st.query_params[PRESENT] = look
    of_the_system = st.context.theme.type or LOOKS[0]  # nothing else is on
    st.session_state[PRESENTING] = {"": OFF, "1": of_the_system}.get(look, look)

    def switched() -> None:
        chosen = st.session_state[PRESENTING]
        if chosen != OFF:
            st.query_params[PRESENT] = chosen
        else:
            st.query_params.pop(PRESENT, None)

    st.segmented_control(
        "Presenter mode",
        [OFF, *LOOKS],
        required=True,
        key=PRESENTING,
        persist_state="session",
        on_change=switched,
        help="For a projector, or for tired eyes: large type, thick lines, no code, no tables.",
    )


@cache
def _style_and_script(look: str, is_embedded: bool) -> str:
    """Files of ours alone: nothing a user typed is ever put into them.

    A frame of another site (`?embed=true`) has one picture with its finding: Streamlit leaves its
    own menus out, `embed.css` hides the rest of ours.
    """
    rules = ["style.css"]
    if look:
        rules.append("present.css")
    if is_embedded:
        rules.append("embed.css")
    script = html.browser_files("look.js", "browser.js", "frames.js", "gif.js", "saving.js")
    script = script.replace("PAGE_NAMES", ",".join(page.address for page in PAGES))
    script = script.replace("LOOK_IN_USE", look.title() if look in LOOKS else "System")
    return f"<style>{html.browser_files(*rules)}</style><script>{script}</script>"


@contextmanager
def panel(name: str, *keys: str) -> Iterator[list[str]]:
    """A container with a border for the inputs of a page; `name` is unique there.

    In presenter mode it is folded into one line with the values of the fields of these `keys`, and
    those that are put into the list that it gives.
    """
    further: list[str] = []
    if not state.now().presenting:
        with st.container(border=True, key=f"panel-{name}"):
            yield further
        return
    with st.container(key=f"inputs-{name}"):
        line = st.empty()
        with st.container(border=True, key=f"panel-{name}"):
            yield further
        values = [*(str(st.session_state.get(key) or "") for key in keys), *further]
        texts = (shortened(value.replace("\n", ", "), MAX_VALUE) for value in values if value)
        line.html(FOLD.format("inputs", " · ".join(map(plain, texts))))


@contextmanager
def options(name: str, *, beside: Callable[[], None]) -> Iterator[None]:
    """Inputs that most visitors leave alone, folded away below the word "Options".

    `beside` draws what is left of that word. Not `st.popover`: Streamlit 1.67 takes its fields off
    the page while it is closed. Not `st.expander`: it needs a row of its own.
    """
    with st.container(key=f"options-{name}"):
        with st.container(horizontal=True, vertical_alignment="center", key=f"line-{name}"):
            beside()
            st.html(FOLD.format("options", "Options"), width="content")
        with st.container(key=f"folded-{name}"):
            yield


@contextmanager
def cells_for_anchors() -> Iterator[GridContainer]:
    """Two cells, for the words to compare with and for nouns to tap.

    A narrow screen folds them into a line, so that the picture is in view.
    """
    with st.container(key="options-narrow-anchors"):
        st.html(FOLD.format("narrow", "Compare it with other words"))
        with st.container(key="folded-anchors"), st.grid(2, key="cells-anchors") as cells:
            yield cells
