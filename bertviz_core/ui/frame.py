"""The frame around every page: title, sidebar, styles, and the model in use."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.ui import heap, slots
from bertviz_core.ui.links import view
from bertviz_core.ui.models import model_in_use
from bertviz_core.ui.present import STYLE, present_switch, presenting
from bertviz_core.ui.tour.tour import tour_bar

_HERE = Path(__file__).parent
NAME = "BERT embedding explorer"


@dataclass(frozen=True)
class PageEntry:
    """A page: its script, its title and icon in the sidebar, and what Home says of it."""

    script: str
    title: str
    icon: str
    about: str = ""


PAGES = (
    PageEntry("app.py", "Home", ":material/home:"),
    PageEntry(
        "pages/1_Tokens.py",
        "Tokens",
        ":material/segment:",
        "How a text becomes WordPieces, ids and segments, step by step.",
    ),
    PageEntry(
        "pages/2_Input_Embeddings.py",
        "Input Embeddings",
        ":material/layers:",
        "The three embeddings that are added for each token, as heatmaps, and the proof.",
    ),
    PageEntry(
        "pages/3_Nearest_Neighbors.py",
        "Nearest Neighbors",
        ":material/hub:",
        "Search the token table, and add and subtract words.",
    ),
    PageEntry(
        "pages/4_Word_in_Context.py",
        "Word in Context",
        ":material/compare_arrows:",
        "Follow one word through every layer, in sentences that use it differently.",
    ),
    PageEntry(
        "pages/5_Word_Senses.py",
        "Word Senses",
        ":material/scatter_plot:",
        "Many occurrences of one word on a map, and the layer where its senses come apart.",
    ),
    PageEntry(
        "pages/6_Positions_and_Segments.py",
        "Positions and Segments",
        ":material/view_week:",
        "The two small tables: what BERT learned about places, and what changing them does.",
    ),
    PageEntry(
        "pages/7_Inside_the_Model.py",
        "Inside the Model",
        ":material/account_tree:",
        "Every parameter, the pooler, and what one step of training changes.",
    ),
)


def page(title: str, question: str, lead: str) -> Bert:
    """Set up a page: call it first.

    Args:
        title: The page's title in the sidebar and the browser's tab.
        question: The heading: what the page answers.
        lead: One sentence under it, in Markdown; never the user's text.

    Returns:
        The model the visitor chose, or the one in use before where that one is not ready.
    """
    heap.freeze()
    tab = NAME if title == "Home" else f"{title} · {NAME}"
    st.set_page_config(
        page_title=tab,
        page_icon=":material/grid_on:",
        layout="wide",
        initial_sidebar_state="collapsed" if presenting() else "auto",
    )
    _style_and_script()
    with st.sidebar:
        for entry in PAGES:
            st.page_link(entry.script, label=entry.title, icon=entry.icon)
        sidebar_model = slots.part("model")
        present_switch()
    if title != "Home":
        tour_bar()
    st.title(question, anchor=False)
    st.markdown(lead)
    return model_in_use(sidebar_model)


def ways_in() -> list[tuple[str, str, str]]:
    """Title, sentence and address of every page but Home."""
    pages = (entry for entry in PAGES if entry.about)
    return [
        (entry.title, entry.about, view(Path(entry.script).stem.partition("_")[2]))
        for entry in pages
    ]


def _style_and_script() -> None:
    style = (_HERE / "style.css").read_text(encoding="utf-8")
    if presenting():
        style += STYLE
    script = (_HERE / "browser.js").read_text(encoding="utf-8")
    script = script.replace("CHARTS_FILE", _charts_file())
    # Both files are ours alone; nothing a user typed is ever put into either.
    st.html(f"<style>{style}</style><script>{script}</script>", unsafe_allow_javascript=True)


@cache
def _charts_file() -> str:
    """Name of the file with Streamlit's Plotly charts, or "" where this release has another."""
    scripts = Path(st.__file__).parent / "static" / "static" / "js"
    return next((path.name for path in scripts.glob("PlotlyChart.*.js")), "")
