"""The fields of a search and its results, which run again without the rest of the page."""

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import KEEPS, Keep
from bertviz_core.neighbors.search import MOST, Metric
from bertviz_core.ui import inputs, links, slots
from bertviz_core.ui.nearest_neighbors.neighbors import side_by_side

METRIC_CHOICES: dict[str, Metric] = {"cosine": "cosine", "dot": "dot", "Euclidean": "euclidean"}
KEEP_CHOICES: dict[str, Keep] = {keep: keep for keep in KEEPS}


@st.fragment
def search(bert: Bert) -> None:
    """Ask for one to three queries and show the neighbours of each."""
    with slots.panel("search"):
        with slots.cells("queries", 3):
            first = inputs.sentence("Query", "king - man + woman", key="q")
            second = inputs.sentence("Second query (optional)", "", key="q2", placeholder="none")
            third = inputs.sentence("Third query (optional)", "", key="q3", placeholder="none")
        with slots.cells("controls", 3) as controls:
            metric = inputs.choice("Nearness", METRIC_CHOICES, key="metric")
            with controls.cell():
                keep = inputs.choice("Answers", KEEP_CHOICES, key="keep")
                unused = inputs.switch(
                    "Include [unused] rows",
                    key="unused",
                    help="Rows of the table that no text ever uses; they were hardly trained.",
                )
                count_own = inputs.switch(
                    "Count the query's own rows in",
                    key="own",
                    help="king - man + woman is often nearest to king itself. By custom the rows "
                    "that make up a query are left out; they then stand in grey.",
                )
            k = inputs.number("How many", 1, MOST, 10, key="k")
        links.examples(
            "Nearest_Neighbors",
            "Try",
            {
                "dog": {"q": "dog"},
                "##ing, ##ed, ##ly": {"q": "##ing", "q2": "##ed", "q3": "##ly"},
                "paris - france + italy": {"q": "paris - france + italy"},
                "awesomesauce, which splits": {"q": "awesomesauce"},
                "python against snake": {"q": "python", "q2": "snake"},
            },
        )
    queries = [query for query in (first, second, third) if query.strip()]
    side_by_side(bert, queries or [""], k, metric, keep, unused=unused, count_own=count_own)
