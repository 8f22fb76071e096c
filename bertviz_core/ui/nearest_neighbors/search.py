"""The fields of a search and its results, which run again without the rest of the page."""

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import KEEPS
from bertviz_core.neighbors.search import MOST, Metric
from bertviz_core.ui import inputs, links, slots
from bertviz_core.ui.errors import fragment
from bertviz_core.ui.nearest_neighbors.neighbors import Asked, side_by_side
from bertviz_core.ui.nearest_neighbors.token_map import map_inputs, map_of_tokens

METRIC_CHOICES: dict[str, Metric] = {"cosine": "cosine", "dot": "dot", "Euclidean": "euclidean"}


@fragment
def search(bert: Bert) -> None:
    """Ask for up to three queries and show their neighbours; without any, the whole table."""
    with slots.panel("search", "q", "q2", "q3", "find"):
        first = inputs.sentence(
            "Query", "king - man + woman", key="q", placeholder="none: the map of the whole table"
        )
        with slots.options("search", beside=_examples), slots.cells("controls", 3) as controls:
            second = inputs.sentence("Second query", "", key="q2", placeholder="none")
            third = inputs.sentence("Third query", "", key="q3", placeholder="none")
            k = inputs.number("How many", 1, MOST, 10, key="k")
            metric = inputs.choice("Similarity measure", METRIC_CHOICES, key="metric")
            keep = inputs.choice("Show", KEEPS, key="keep")
            with controls.cell():
                unused = inputs.switch(
                    "Include [unused] rows",
                    key="unused",
                    help="Rows of the table that no text ever looks up.",
                )
                count_own = inputs.switch(
                    "Include the query's own rows",
                    key="own",
                    help="king - man + woman is often nearest to king itself. Usually the rows "
                    "that make up a query are left out; they then stand in grey.",
                )
        queries = [query.strip() for query in (first, second, third) if query.strip()]
        shown = None if queries else map_inputs(bert, {})
    if shown is None:
        side_by_side(bert, queries, Asked(k, metric, keep, unused, count_own))
    else:
        map_of_tokens(bert, shown, {})


def _examples() -> None:
    links.examples(
        "Nearest_Neighbors",
        {
            "dog": {"q": "dog"},
            "##ing ##ed ##ly": {"q": "##ing", "q2": "##ed", "q3": "##ly"},
            "paris - france + italy": {"q": "paris - france + italy"},
            "awesomesauce": {"q": "awesomesauce"},
            "python, snake": {"q": "python", "q2": "snake"},
            "all tokens": {"q": ""},
        },
    )
