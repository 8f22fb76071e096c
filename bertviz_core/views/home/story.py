"""From typed text to the layers in six steps: one picture, whose columns move from step to step."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from bertviz_core.arrays import Array, Exact
from bertviz_core.bert import Bert
from bertviz_core.embeddings import InputEmbeddings
from bertviz_core.embeddings.shares import scaled_parts
from bertviz_core.figures import colors
from bertviz_core.figures.axes import label, layers, titled
from bertviz_core.figures.drawing import Figure, Trace, bars, buttons, draw, line
from bertviz_core.tokens import TokenizedText

SHOWN = 32  # dimensions: columns
HEIGHT = 400
SLIDE = 700  # milliseconds from step to step
STAY = 1_600  # of a step, while it plays
PARTS = {
    "token": colors.TOKEN,
    "segment": colors.SEGMENT,
    "position": colors.POSITION,
    "bias, or layer": colors.OUTPUT,
}


def story(
    bert: Bert,
    text: TokenizedText,
    parts: InputEmbeddings,
    at: int,
    states: Array | None = None,
    paths: Mapping[str, Exact] = MappingProxyType({}),
) -> Figure:
    """Draw what becomes of one token step by step, with `states` also through the layers."""
    steps = _steps(bert, text, parts, at, states)
    names = [str(number) for number in range(len(steps))]
    shown = 5 - 1  # what goes into the first layer
    frames = [
        {
            "name": name,
            "data": [{"y": row} for row in columns] + _grown(paths, number - shown),
            "traces": list(range(len(PARTS) + len(paths))),
            "layout": _layout(title, columns, steps, number, names),
        }
        for number, (name, (title, columns)) in enumerate(zip(names, steps, strict=True))
    ]
    title, columns = steps[shown]
    traces = [
        bars(row, f"{part}, dimension %{{x}}: %{{y:.4f}}", color, name=part)
        for row, (part, color) in zip(columns, PARTS.items(), strict=True)
    ]
    panels: dict[str, Any] = {"xaxis": titled("dimension", fixedrange=True)}
    if states is not None:
        for number, (name, curve) in enumerate(paths.items()):
            path = line(np.arange(len(states)), curve, name, "layer %{x}: %{y:.3f}", number)
            traces.append(path | {"xaxis": "x2", "yaxis": "y2"})
        panels["xaxis"] |= {"domain": [0, 0.62]}
        panels["xaxis2"] = layers("layer", domain=[0.72, 1], anchor="y2", fixedrange=True)
        low = min(0, *(curve.min(initial=0) for curve in paths.values()))
        panels["yaxis2"] = {"range": [low, 1.05], "anchor": "x2", "fixedrange": True}
    return draw(
        traces,
        height=HEIGHT,
        legend={"y": -0.33},
        frames=frames,
        barmode="relative",
        bargap=0.15,
        margin={"t": 64},
        **panels,
        **_layout(title, columns, steps, shown, names),
    )


def _steps(
    bert: Bert, text: TokenizedText, parts: InputEmbeddings, at: int, states: Array | None
) -> list[tuple[str, Array]]:
    """What each step says, and its columns: float32 (parts, SHOWN)."""
    token, segment = label(text.tokens[at]), "AB"[int(text.token_type_ids[at])]
    rows = np.stack([part[at, :SHOWN] for part in (parts.word, parts.token_type, parts.position)])
    nothing = np.zeros((1, rows.shape[1]), np.float32)

    def first(count: int) -> Array:
        kept = np.arange(len(rows))[:, None] < count
        return np.concatenate([np.where(kept, rows, 0), nothing]).astype(np.float32)

    scaled, bias = scaled_parts(bert, parts)
    normed = np.concatenate([scaled[:, at, :SHOWN], bias[None, :SHOWN]]).astype(np.float32)
    steps = [
        (f"You type: {label(_around(text, at), 60)}", first(0)),
        (f"<b>{token}</b> is row {text.input_ids[at]:,} of the token table", first(1)),
        (f"+ the row of segment {segment}", first(2)),
        (f"+ the row of position {at}", first(3)),
        ("LayerNorm brings the sum to one scale", normed),
    ]
    for number, state in enumerate(() if states is None else states[1:], start=1):
        whole = np.concatenate([np.zeros_like(rows), state[None, :SHOWN]])
        steps.append((f"Layer {number}: the other words flow in", whole.astype(np.float32)))
    return steps


def _around(text: TokenizedText, at: int) -> str:
    return " ".join(text.tokens[max(at - 6, 0) : at + 7])


def _layout(
    title: str,
    columns: Array,
    steps: Sequence[tuple[str, Array]],
    number: int,
    names: Sequence[str],
) -> dict[str, Any]:
    """What a step changes beside its columns: its sentence, its scale, and where Next leads."""
    alike = [one for _, one in (steps[:4] if number < 4 else steps[4:])]
    reach = 1.05 * max(_reach(one) for one in alike) or 1.0
    said = {
        "text": f"{min(number + 1, 6)} of 6  {title}",
        "x": 0, "xref": "paper", "xanchor": "left", "y": 1, "yref": "paper", "yanchor": "bottom",
        "yshift": 36, "font": {"size": 14},
    }  # fmt: skip
    return {
        "annotations": [said],
        "updatemenus": [_menu(number, names)],
        "yaxis": titled("value", range=[-reach, reach], fixedrange=True),
    }


def _reach(columns: Array) -> float:
    """How far stacked columns reach from zero."""
    up, down = np.maximum(columns, 0).sum(axis=0), np.maximum(-columns, 0).sum(axis=0)
    return float(max(up.max(initial=0), down.max(initial=0)))


def _menu(number: int, names: Sequence[str]) -> Trace:
    last = number == len(names) - 1
    # Sentence and scale change only in a picture that is drawn anew after each step.
    moves = {
        "frame": {"duration": SLIDE, "redraw": True},
        "transition": {"duration": SLIDE, "easing": "cubic-in-out"},
        "mode": "immediate",
    }
    plays = moves | {"frame": {"duration": STAY, "redraw": True}}
    following = [names[0 if last else number + 1]]
    return buttons([
        {"label": "▶ Play", "method": "animate", "args": [list(names), plays]},
        {"label": "Again" if last else "Next", "method": "animate", "args": [following, moves]},
    ])  # fmt: skip


def _grown(paths: Mapping[str, Exact], layer: int) -> list[Trace]:
    """The paths up to a layer, their beginnings before the first."""
    return [
        {"y": np.where(np.arange(len(curve)) <= max(layer, 0), curve, np.nan)}
        for curve in paths.values()
    ]
