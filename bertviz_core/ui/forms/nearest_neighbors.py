"""The fields of the page Nearest Neighbors, and what its scores are compared with."""

from functools import partial

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.calibration.token_table import NearestScores, nearest_scores
from bertviz_core.checkpoints.vocabulary import KEEPS
from bertviz_core.neighbors.search import MAX_K, Metric
from bertviz_core.shared import results
from bertviz_core.ui import inputs, jobs, links, slots, views
from bertviz_core.ui.errors import fragment
from bertviz_core.ui.forms.token_layout import layout_of, offer_layout
from bertviz_core.ui.jobs import Job
from bertviz_core.views.nearest_neighbors.neighbors import neighbors
from bertviz_core.views.nearest_neighbors.search import Search
from bertviz_core.views.nearest_neighbors.token_map import NAME, PCA, Corners, token_map

METRIC_CHOICES: dict[str, Metric] = {"cosine": "cosine", "dot": "dot", "Euclidean": "euclidean"}
EXAMPLES: dict[str, dict[str, str | int]] = {
    "dog": {"q": "dog"},
    "##ing ##ed ##ly": {"q": "##ing", "q2": "##ed", "q3": "##ly"},
    "paris - france + italy": {"q": "paris - france + italy"},
    "awesomesauce": {"q": "awesomesauce"},
    "python, snake": {"q": "python", "q2": "snake"},
    "all tokens": {"q": ""},
}


@fragment
def search(bert: Bert) -> None:
    """Ask for up to three queries and show their neighbours; without any, the whole table."""
    with slots.panel("search", "q", "q2", "q3"):
        first = inputs.sentence(
            "Query", "king - man + woman", key="q", placeholder="empty: the map of all tokens"
        )
        examples = partial(links.examples, "Nearest_Neighbors", EXAMPLES)
        with slots.options("search", beside=examples):
            with slots.cells("controls", 3) as controls:
                second = inputs.sentence("Second query", "", key="q2", placeholder="none")
                third = inputs.sentence("Third query", "", key="q3", placeholder="none")
                k = inputs.number("How many", 1, MAX_K, 10, key="k")
                metric = inputs.choice("Similarity measure", METRIC_CHOICES, key="metric")
                keep = inputs.choice("Show", KEEPS, key="keep")
                with controls.cell():
                    unused = inputs.switch(
                        "Include [unused] rows",
                        key="unused",
                        help="Rows of the table that no text ever looks up.",
                    )
                    own = inputs.switch(
                        "Include the query's own rows",
                        key="own",
                        help="king - man + woman is often nearest to king. So the words of a query "
                        "are left out, and drawn in grey.",
                    )
            queries = tuple(query.strip() for query in (first, second, third) if query.strip())
            wanted = Search(queries, k, metric, keep, unused, own)
            of_map = views.ask(token_map, {"bert": bert})
    layout = layout_of(bert)
    given = {"search": wanted, "layout": layout, "boxes": _boxes(), **of_map}
    lazy = {"others": lambda: other_tokens(bert)}
    if queries:
        views.show(neighbors, bert, given, lazy)
    else:
        views.show(token_map, bert, given, asked=of_map)
    if layout is None and of_map["mapby"] != PCA:
        offer_layout(bert)
    if queries:
        views.sections("Nearest Neighbors", bert, given, lazy)
        _follow(bert)  # last: when it goes, nothing moves


def _boxes() -> Corners:
    """The ends of what was drawn on the map last."""
    selection = (st.session_state.get(f"chart_{NAME}") or {}).get("selection", {})
    return tuple((tuple(one["x"]), tuple(one["y"])) for one in selection.get("box", []))


def other_tokens(bert: Bert) -> NearestScores | None:
    """What scores are compared with; None until it has been searched beside the page, once a
    model: one to four seconds of a processor.
    """
    key = _key(bert)
    found, job = results.find(key), jobs.find(key)
    if found is None and (job is None or job.state != "failed"):

        def work(job: Job) -> None:
            results.keep(key, nearest_scores(bert, job.report))

        jobs.begin(key, f"Comparing with other tokens of {bert.name}", work)
    return found


def _key(bert: Bert) -> tuple[object, ...]:
    return ("other tokens", bert.checkpoint, bert.stamp)


def _follow(bert: Bert) -> None:
    """Run the page again once there is something to compare with; nothing if there is."""
    if results.find(_key(bert)) is not None:
        return
    if not jobs.say_failed(jobs.find(_key(bert)), "No percentiles"):
        text = "Searching the neighbors of other tokens, once, to compare with."
        jobs.follow_beside(_key(bert), lambda _: text)
