"""One tensor: how its numbers are spread, and its longest and shortest rows."""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.tensors import TensorStatistics, extreme_rows, tensor_statistics
from bertviz_core.figures import colors
from bertviz_core.figures.tensors import tensor_histogram
from bertviz_core.shared import once
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Choice, Listed
from bertviz_core.views.inside_the_model.parameters import TABLE_LOOKS, census_of
from bertviz_core.views.parts import picture, program, say, table
from bertviz_core.views.view import View

EXTREMES = 10
TOKEN_TABLE = "embeddings.word_embeddings.weight"


@once
def _statistics(bert: Bert, tensor: str) -> TensorStatistics:
    return tensor_statistics(bert.checkpoint, tensor)


@view("one tensor", page="Inside the Model", rank=10)
def one_tensor(
    bert: Bert,
    tensor: Annotated[
        str, Listed("Tensor", lambda bert: census_of(bert).names, about="the tensor")
    ] = TOKEN_TABLE,
    heights: Annotated[
        bool,
        Choice(
            "Heights",
            {"logarithmic": True, "linear": False},
            about="linear or logarithmic heights",
            help="Logarithmic heights show single outliers, linear ones where most numbers are.",
        ),
    ] = True,
) -> View:
    """How the numbers of one tensor are spread, and its longest and shortest rows."""
    found = _statistics(bert, tensor)
    count, lengths = found.parameter.count, found.row_norms
    fullest = int(found.counts.argmax())
    plain = tensor, colors.OUTPUT if "pooler" in tensor else colors.MUTED
    names = row_names(bert, tensor, len(lengths), vector=len(found.parameter.shape) == 1)
    return View(
        say(
            "<b>{count}</b> numbers from {smallest:.4f} to {largest:.4f}: mean {mean:.4f}, "
            "standard deviation <b>{std:.4f}</b>, length of all {length:.3f}"
            + ("; {zeros} exactly 0." if found.zeros else "."),
            count=f"{count:,}",
            smallest=float(found.smallest),
            largest=float(found.largest),
            mean=float(found.mean),
            std=float(found.std),
            length=float(found.norm),
            zeros=f"{found.zeros:,}",
            method="one-tensor",
        ),
        picture(
            tensor_histogram(
                found.counts, found.edges, color=TABLE_LOOKS.get(tensor, plain)[1], log=heights
            ),
            alt=f"Histogram of the {count:,} numbers of {tensor} in {len(found.counts)} bins from "
            f"{found.smallest:.4f} to {found.largest:.4f}; the fullest bin holds "
            f"{found.counts.max():,}, at {found.edges[fullest : fullest + 2].mean():.4f}.",
            name="tensor-histogram",
        ),
        table(
            lambda: extremes(lengths, names),
            name="extreme-rows",
            fold="Table: the longest and the shortest rows",
            files={
                f"All {len(lengths):,} lengths as CSV": (
                    "row-lengths",
                    lambda: {"row": names, "length": lengths},
                ),
                "The histogram as CSV": ("tensor-histogram", found.columns),
            },
        ),
        program(
            "inside/tensor",
            bert,
            parameter=tensor,
            bins=len(found.counts),
            k=min(EXTREMES, len(lengths)),
        ),
    )


def extremes(lengths: Array, names: Sequence[str]) -> dict[str, Any]:
    """Columns of the longest and the shortest rows."""
    longest, shortest = extreme_rows(lengths, min(EXTREMES, len(lengths)))
    return {
        "rank": np.arange(1, len(longest) + 1),
        "longest": [names[row] for row in longest],
        "its row": longest,
        "its length": lengths[longest],
        "shortest": [names[row] for row in shortest],
        "in row": shortest,
        "of length": lengths[shortest],
    }


def row_names(bert: Bert, tensor: str, rows: int, *, vector: bool) -> list[str]:
    """What the rows of a tensor belong to."""
    if tensor == TOKEN_TABLE:
        return list(bert.vocabulary.tokens)
    if tensor == "embeddings.token_type_embeddings.weight":
        return [f"segment {'AB'[row] if row < 2 else row}" for row in range(rows)]
    what = "dimension" if vector else "output dimension"
    if tensor == "embeddings.position_embeddings.weight":
        what = "position"
    return [f"{what} {row}" for row in range(rows)]
