"""Search the token table, and add and subtract words."""

from functools import partial

import streamlit as st

from bertviz_core.checkpoints.vocabulary import KEEPS
from bertviz_core.neighbors.search import MAX_K, Metric
from bertviz_core.ui import computed, draw, fields, html, page
from bertviz_core.views.nearest_neighbors.nearest_rows import Search, nearest_rows
from bertviz_core.views.nearest_neighbors.token_map import token_map

bert = page.begin(
    "Nearest Neighbors",
    "Which tokens live next to each other?",
    "Find the rows of BERT's token table nearest to a token, a piece like `##ing`, or a sum.",
)

METRICS: dict[str, Metric] = {"cosine": "cosine", "dot": "dot", "Euclidean": "euclidean"}
EXAMPLES: dict[str, dict[str, str | int]] = {
    "dog": {"q": "dog"},
    "##ing ##ed ##ly": {"q": "##ing", "q2": "##ed", "q3": "##ly"},
    "paris - france + italy": {"q": "paris - france + italy"},
    "awesomesauce": {"q": "awesomesauce"},
    "python, snake": {"q": "python", "q2": "snake"},
    "all tokens": {"q": ""},
}


def search() -> None:
    """Ask for up to three queries and show their neighbours; without any, the whole table."""
    with page.panel("search", "q", "q2", "q3"):
        first = fields.sentence(
            "Query", "king - man + woman", key="q", placeholder="empty: the map of all tokens"
        )
        examples = partial(html.examples, EXAMPLES)
        with (
            page.options("search", beside=examples),
            st.grid(3, key="cells-controls") as controls,
        ):
            second = fields.sentence("Second query", "", key="q2", placeholder="none")
            third = fields.sentence("Third query", "", key="q3", placeholder="none")
            k = fields.number("How many", 1, MAX_K, 10, key="k")
            metric = fields.choice("Similarity measure", METRICS, key="metric")
            keep = fields.choice("Show", KEEPS, key="keep")
            with controls.cell():
                unused = fields.switch(
                    "Include rows that no text reaches",
                    key="unused",
                    help="[unused0] and the like were kept free. A piece with a sign, such as ##!, "
                    "is never found: a sign is a word by itself.",
                )
    queries = tuple(query.strip() for query in (first, second, third) if query.strip())
    given = {"search": Search(queries, k, metric, keep, unused)}
    lazy = {"others": partial(computed.OTHER_TOKENS.of, bert)}
    if queries:
        draw.show(nearest_rows, bert, given, lazy)
    else:
        draw.show(token_map, bert, given)
    draw.show_fragment(draw.sections, bert, given, lazy)
    if queries and computed.OTHER_TOKENS.of(bert) is None:
        computed.OTHER_TOKENS.offer(bert)  # last: when it goes, nothing moves


draw.show_fragment(search)
