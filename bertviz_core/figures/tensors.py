"""The numbers of one tensor: how they are spread."""

import numpy as np

from bertviz_core.arrays import Exact, Ids
from bertviz_core.figures.axes import titled
from bertviz_core.figures.colors import TOKEN
from bertviz_core.figures.drawing import Figure, bars, draw


def tensor_histogram(counts: Ids, edges: Exact, *, color: str = TOKEN, log: bool = True) -> Figure:
    """Draw how many numbers fall into each bin.

    Args:
        counts: int64 (bins,).
        edges: float64 (bins + 1,), rising.
        color: The colour of the tensor's part of the model.
        log: Whether heights are on a logarithmic scale, where single outliers are seen.

    Raises:
        ValueError: There is not one bin between each two edges.

    Example:
        >>> figure = tensor_histogram(np.array([3, 5]), np.array([-1.0, 0.0, 1.0]))
        >>> figure.data[0].y.tolist()
        [3, 5]
    """
    if edges.shape != (len(counts) + 1,):
        raise ValueError(f"counts have shape {counts.shape}, edges {edges.shape}")
    ends = np.stack([edges[:-1], edges[1:]], axis=1).astype(np.float32)
    hover = "%{customdata[0]:.4f} to %{customdata[1]:.4f}<br>%{y:,} numbers"
    width = float(edges[1] - edges[0])
    drawn = bars(counts, hover, color, x=ends.mean(axis=1), width=width, customdata=ends)
    heights = titled("how many", zeroline=True)
    if log:
        highest = float(np.log10(max(int(counts.max(initial=1)), 2)))
        # From below 1, so that a bin with a single number is seen; powers of ten as labels.
        span = [float(np.log10(0.6)), highest * 1.04 + 0.05]
        heights |= {"type": "log", "range": span, "dtick": 1, "tickformat": ",d"}
    return draw(
        [drawn],
        height=320,
        bargap=0,
        xaxis=titled("value of a number in the tensor"),
        yaxis=heights,
    )
