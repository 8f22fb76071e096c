"""Pictures of the numbers that a program has computed, for its notebook.

A function has the name of its program, "neighbors/neighbors" as `neighbors_neighbors`, and its
parameters have the names of what it takes from that program. `fill.drawing_of` copies it into the
last cell. A program without one shows the page's own picture there.
"""

from typing import Any

import numpy as np
import plotly.graph_objects as go
import torch
from plotly.subplots import make_subplots
from transformers import PreTrainedTokenizerBase


def embeddings_input_embeddings(
    tokenizer: PreTrainedTokenizerBase,
    inputs: dict[str, torch.Tensor],
    word: torch.Tensor,
    segment: torch.Tensor,
    position: torch.Tensor,
    output: torch.Tensor,
) -> go.Figure:
    """The five matrices as heatmaps, one row a token, red above zero and blue below."""
    parts = {
        "token": word,
        "segment": segment,
        "position": position,
        "sum": word + segment + position,
        "after LayerNorm": output,
    }
    tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"][0].tolist())
    figure = make_subplots(rows=len(parts), cols=1, subplot_titles=list(parts))
    for row, part in enumerate(parts.values(), start=1):
        values = part.detach().numpy()
        limit = float(np.quantile(abs(values), 0.99))
        figure.add_heatmap(
            z=values,
            y=[f"{i} {token}" for i, token in enumerate(tokens)],
            colorscale="RdBu_r",
            zmin=-limit,
            zmax=limit,
            showscale=False,
            row=row,
            col=1,
        )
    figure.update_yaxes(autorange="reversed")
    return figure.update_layout(height=240 * len(parts))


def neighbors_neighbors(
    metric: str, tokens: list[str], scores: np.ndarray, found: list[int], answers: list[int]
) -> go.Figure:
    """The nearest rows as bars, best first; in grey what is left out as part of the query."""
    shown = found[: found.index(answers[-1]) + 1]
    figure = go.Figure(
        go.Bar(
            x=[scores[i] for i in shown],
            y=[f"{rank} {tokens[i]}" for rank, i in enumerate(shown, start=1)],
            marker_color=["#0072B2" if i in answers else "#999999" for i in shown],
            orientation="h",
        )
    )
    figure.update_yaxes(autorange="reversed", type="category")
    return figure.update_layout(xaxis_title=metric, height=120 + 26 * len(shown))


def positions_table(similarity: np.ndarray, row: int, column: int) -> go.Figure:
    """The cosines of all positions, with a ring at the two that are asked for."""
    figure = go.Figure(go.Heatmap(z=similarity.astype(np.float32), colorscale="Viridis"))
    figure.add_scatter(
        x=[column], y=[row], mode="markers", marker={"symbol": "circle-open", "size": 14}
    )
    figure.update_yaxes(autorange="reversed", scaleanchor="x", title="position i")
    return figure.update_layout(xaxis_title="position j", height=700)


def senses_map(words: list[tuple[Any, str, int, int]], points: np.ndarray) -> go.Figure:
    """The occurrences on the map, one colour a sense."""
    figure = go.Figure()
    for sense in dict.fromkeys(word[0] for word in words):
        rows = [i for i, word in enumerate(words) if word[0] == sense]
        figure.add_scatter(
            x=points[rows, 0],
            y=points[rows, 1],
            mode="markers",
            name=sense or "no label",
            text=[words[i][1].replace("<", "&lt;") for i in rows],
            hoverinfo="text",
        )
    return figure.update_layout(height=600)
