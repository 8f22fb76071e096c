"""The cosines of positions by their distance, and how much of them the distance predicts."""

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.figures.curves import distance_curves
from bertviz_core.positions.table import explained_by_chance, explained_by_smoothness
from bertviz_core.shared import once
from bertviz_core.views.declare import view
from bertviz_core.views.parts import caption, picture, program, say, table
from bertviz_core.views.positions_and_segments.analyses import (
    MODEL,
    SINUSOIDS,
    analysis_of,
    both_curves,
    percent_range,
)
from bertviz_core.views.view import View

FAR = 50  # positions apart


@once
def _of_random_tables(bert: Bert) -> tuple[float, Array]:
    """What the distance explains in random numbers, and in random tables as smooth as this one."""
    table = bert.tables.position_embeddings
    return explained_by_chance(*table.shape), explained_by_smoothness(table)


@view("is it only the distance?", page="Positions and Segments", rank=20)
def distance(bert: Bert) -> View:
    """How well the distance of two positions predicts how similar they are."""
    by_chance, by_smoothness = _of_random_tables(bert)
    profile, computed = (analysis_of(bert, one).by_distance for one in (MODEL, SINUSOIDS))
    count = len(profile.mean)
    far, middle = min(FAR, count), count // 2 + 1
    return View(
        say(
            "Knowing only how far apart two positions are predicts <b>{explained}</b> of how their "
            "similarities differ. In random tables as smooth as this one it predicts "
            "{by_smoothness}, in sinusoids {explained_sinusoids}.",
            method="what-the-distance-of-two-positions-predicts",
            explained=f"{profile.explained:.0%}",
            by_smoothness=percent_range(by_smoothness),
            explained_sinusoids=f"{computed.explained:.0%}",
        ),
        caption(
            "Next-door positions have a mean cosine of {next_door_cosine:.3f}, positions {far} "
            "apart {far_cosine:.3f}. What the distance does not predict depends on where in the "
            "text a pair is. In a table of random numbers the distance predicts {by_chance}, and "
            "{next_door_by_chance} of the positions are most similar to a direct neighbour.",
            next_door_cosine=float(profile.mean[0]),
            far=far,
            far_cosine=float(profile.mean[far - 1]),
            by_chance=f"{by_chance:.1%}",
            # All but the two at the ends have two neighbours among n - 1 others: 2 / n in all.
            next_door_by_chance=f"{2 / (count + 1):.1%}",
        ),
        picture(
            distance_curves(both_curves(profile.mean, computed.mean), profile.low, profile.high),
            alt=f"Mean cosine by distance: {profile.mean[0]:.3f} at distance 1, "
            f"{profile.mean[middle - 1]:.3f} at {middle}, of sinusoids {computed.mean[0]:.3f} and "
            f"{computed.mean[middle - 1]:.3f}; the mean at its distance predicts "
            f"{profile.explained:.1%} of how the cosines of pairs differ, by chance "
            f"{by_chance:.1%}.",
            name="by-distance",
        ),
        table(
            lambda: profile.columns() | {"sinusoids mean": computed.mean},
            name="cosine-by-distance",
            fold="Table",
        ),
        program("positions/distance", bert),
    )
