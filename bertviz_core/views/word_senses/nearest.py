"""The occurrences on the map that are nearest to the chosen one."""

from bertviz_core import senses
from bertviz_core.bert import Bert
from bertviz_core.calibration.percentiles import percentiles_among, rounded
from bertviz_core.csv_files import Column
from bertviz_core.senses.projection import map_ranks
from bertviz_core.views.declare import view
from bertviz_core.views.parts import caption, table
from bertviz_core.views.view import View
from bertviz_core.views.word_senses.mapped import PAGE, Mapped, listed, placed


@view("nearest occurrences", page=PAGE, rank=40, doing="Comparing with the chosen one …")
def nearest(bert: Bert, mapped: Mapped, layer: int, near: int, kind: str) -> View:
    """The occurrences nearest to the chosen one, with their sentences."""
    count = len(mapped.occurrences)
    rows, cosines = senses.nearest_occurrences(mapped.at(layer), near - 1)
    percentiles, pairs = percentiles_among(mapped.at(layer), cosines)
    return View(
        table(
            listed(
                mapped,
                rows,
                **{
                    "cosine similarity": cosines,
                    "cosine similarity, percentile": Column(rounded(percentiles).tolist(), None),
                    "rank on the map": map_ranks(placed(mapped, layer, kind)[0], near - 1)[rows],
                },
            ),
            name=f"senses-nearest-{near}",
            presented=True,
        ),
        caption(
            "Nearest to number {number}. Percentiles compare with {pairs} pairs of occurrences of "
            "this word, of any sense."
            + (" The pairs are drawn at random." if pairs < count * (count - 1) // 2 else ""),
            method="percentiles-among-occurrences",
            number=near,
            pairs=f"{pairs:,}",
        ),
        mapped.program("senses/nearest", bert, layer, layer=layer, number=near),
        made=mapped.made(layer),
    )
