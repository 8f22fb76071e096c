"""What a score is compared with: other tokens' nearest neighbours, searched beside the page."""

from weakref import WeakKeyDictionary

import numpy as np

from bertviz_core.arrays import Exact
from bertviz_core.bert import Bert
from bertviz_core.calibration.percentiles import compared
from bertviz_core.calibration.token_table import NearestScores, nearest_scores
from bertviz_core.neighbors import Neighbors
from bertviz_core.ui import jobs
from bertviz_core.ui.html import note
from bertviz_core.ui.jobs import Job

# One a checkpoint, as long as it is open. Not in a cache of Streamlit's, because any visitor can
# have those emptied.
known: WeakKeyDictionary[Bert, NearestScores] = WeakKeyDictionary()


def find_scores(bert: Bert) -> NearestScores | None:
    """Give what scores are compared with, or begin to search it beside the page: one to four
    seconds of a processor, once a model.

    Returns:
        The scores; None while there are none, and then the page shows scores alone.
    """
    scores = known.get(bert)
    job = _job(bert.name)
    if scores is None and (job is None or job.state != "failed"):

        def work(job: Job) -> None:
            known[bert] = nearest_scores(bert, job.report)

        jobs.begin(_key(bert.name), f"Comparing with other tokens of {bert.name}", work)
    return scores


def follow(bert: Bert) -> None:
    """Run the page again once there is something to compare with; nothing if there is."""
    if bert in known:
        return
    job = _job(bert.name)
    if job is not None and job.state == "failed":
        note("No percentiles: {problem}", problem=job.message)
    else:
        jobs.follow_beside(_key(bert.name), _progress_text)


def _progress_text(_: Job) -> str:
    return "Searching the neighbours of other tokens, to compare with, once."


def _key(name: str) -> tuple[str, str]:
    return ("other tokens", name)


def _job(name: str) -> Job | None:
    return jobs.find(_key(name))


def closer_than(
    scores: NearestScores | None, neighbors: Neighbors, percentiles: Exact | None
) -> str:
    """What follows the best score: ", closer than 43% of other tokens' nearest neighbours", or "".

    Args:
        scores: What it is compared with.
        neighbors: The answers to a query.
        percentiles: Of each of its `ranked_ids`, NaN for the query's own; None where nothing
            compares.
    """
    if scores is None or percentiles is None:
        return ""
    percentile = float(percentiles[neighbors.ranked_ids == neighbors.token_ids[0]][0])
    if np.isnan(percentile):
        return ""
    others = f"{scores.of_others(neighbors).size:,} other tokens compared"
    words = compared(
        *(percentile, "other tokens' nearest neighbours"),
        *(f"the nearest neighbour of any of {others}", "closer", "less close"),
    )
    return f", {words}"
