"""How far a sum added in other orders lies from the first."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bertviz_core.figures.axes import compact, named_rows
from bertviz_core.figures.colors import OUTPUT


def order_bars(orders: Sequence[str], differences: NDArray[np.float64]) -> go.Figure:
    """Draw the largest difference of each order as a bar with its number.

    Args:
        orders: n names, the library's order first.
        differences: float64 (n,), at least 0.

    Returns:
        n horizontal bars, the first on top; zero is written as "0, bit for bit".

    Raises:
        ValueError: There is not one difference an order.
    """
    if differences.shape != (len(orders),):
        raise ValueError(f"differences have shape {differences.shape}, orders {(len(orders),)}")
    rows = np.arange(len(orders))
    figure = go.Figure(
        go.Bar(
            x=differences,
            y=rows,
            orientation="h",
            marker_color=OUTPUT,
            text=[f"{value:.1e}" if value else "0, bit for bit" for value in differences],
            textposition="outside",
            cliponaxis=False,
            customdata=list(orders),
            hovertemplate="%{customdata}<br>%{x:.2e}<extra></extra>",
        )
    )
    figure.update_xaxes(
        title_text="largest difference",
        range=[0, float(differences.max(initial=0)) * 1.35 or 1e-6],
        exponentformat="e",
        nticks=5,
    )
    figure.update_yaxes(zeroline=False, **named_rows(orders))
    return compact(figure, 30 * len(orders) + 100)
