"""The headline: how many parameters there are, as areas within areas."""

import re
from collections import Counter
from typing import Any

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.parameters import (
    BERT_BASE,
    Census,
    count_parameters,
    counts_by_formula,
)
from bertviz_core.checkpoints.weights import StoredTensor
from bertviz_core.figures import colors
from bertviz_core.figures.drawing import Figure, draw, label
from bertviz_core.shared.results import once
from bertviz_core.views.declare import view
from bertviz_core.views.parts import Sentence
from bertviz_core.views.view import View, caption, picture, program, say, share, table

# Seen on both pages: at least 3 : 1 beside either.
GROUP_COLORS = {"embedding": "#579BCB", "encoder layers": colors.MUTED, "pooler": colors.OUTPUT}
# Of each part of a BERT: how the names of its parameters begin, and its colour.
PARTS = {
    "token table": ("embeddings.word_embeddings.", colors.TOKEN),
    "position table": ("embeddings.position_embeddings.", colors.POSITION),
    "segment table": ("embeddings.token_type_embeddings.", colors.SEGMENT),
    "embedding LayerNorm": ("embeddings.LayerNorm.", GROUP_COLORS["embedding"]),
    "encoder layers": ("encoder.", GROUP_COLORS["encoder layers"]),
    "pooler": ("pooler.", GROUP_COLORS["pooler"]),
}
WHOLE = "#5B6470"  # seen on a light page and on a dark one
HALVES = ("attention", "feed-forward")
QUOTED = "bert-base-uncased"
BAR = 24  # pixels
MAX_WITH_LINES = 5
INSIDE = re.compile(r"^(embeddings|encoder\.layer\.\d+(\.attention)?|pooler)\.")


@once
def census_of(bert: Bert) -> Census:
    """All parameters of the model's file."""
    return count_parameters(bert.checkpoint)


@view("every parameter", page="Inside the Model", rank=0)
def parameters(bert: Bert) -> View:
    """How many parameters the model has, and in which part."""
    census = census_of(bert)
    groups = census.by_group
    base_total, base_in_matrices = counts_by_formula(BERT_BASE)
    largest = max(census.parameters, key=lambda p: p.count)
    return View(
        say(
            "{name} has <b>{total}</b> parameters, {in_matrices} of them in matrices; "
            "<b>{share_embedding}</b> are the embedding layer."
            + ("" if groups["pooler"] else " The file has no pooler."),
            name=bert.name,
            total=f"{census.total:,}",
            in_matrices=f"{census.two_dimensional:,}",
            share_embedding=f"{groups['embedding'] / census.total:.0%}",
            method="parameters",
        ),
        picture(
            areas(bert, census),
            alt=f"Nested areas of {census.total:,} parameters in {len(census.parameters)} tensors: "
            + ", ".join(f"{group} {count:,}" for group, count in groups.items())
            + f". The largest tensor is {largest.name} with {largest.count:,}.",
            name="parameter-areas",
            typed=False,
        ),
        _color_key(census),
        caption(
            "By its sizes, {quoted} has {base_total:,}, {base_in_matrices:,} of them in matrices.",
            quoted=QUOTED,
            base_total=base_total,
            base_in_matrices=base_in_matrices,
        ),
        table(census.columns, name="parameters", fold="Table of all parameters"),
        program(
            PROGRAM, bert, arrays=census.columns, pooler=bool(groups["pooler"]), name="parameters"
        ),
    )


def _color_key(census: Census) -> Sentence:
    """Name every part by its colour: some are too thin for a label."""
    counts = Counter[str]()
    for parameter in census.parameters:
        counts[_part_of(parameter.name)] += parameter.count
    return caption(
        " ".join(
            '<span class="bx-part"><span class="bx-swatch" '
            f'style="background:{PARTS[part][1]}"></span>{part} {{{part}}}</span>'
            for part in counts
        ),
        **{part: f"{count:,} ({share(count / census.total)})" for part, count in counts.items()},
    )


def _part_of(name: str) -> str:
    return next(part for part, (start, _) in PARTS.items() if name.startswith(start))


def areas(bert: Bert, census: Census) -> Figure:
    """Draw counts as areas, areas within areas; a click on one zooms into it."""
    grey = GROUP_COLORS["encoder layers"]
    # Of each area: its id, name, parent, number of parameters, colour, and what it is.
    parts = [("all", bert.name, "", census.total, WHOLE, "the whole model")]
    for group, count in census.by_group.items():
        if count:
            parts.append((group, group, "all", count, GROUP_COLORS[group], "part of the model"))
    for layer in range(bert.num_hidden_layers):
        of_layer = [p for p in census.parameters if p.layer == layer]
        name = f"layer {layer + 1}"
        count = sum(p.count for p in of_layer)
        parts.append((name, name, "encoder layers", count, grey, "a layer"))
        for half in HALVES:
            count = sum(p.count for p in of_layer if half == _half(p))
            parts.append((f"{name}, {half}", half, name, count, grey, f"part of {name}"))
    for p in census.parameters:
        part = _part_of(p.name)
        name = part if part.endswith(" table") else INSIDE.sub("", p.name)
        parent = p.group if p.layer is None else f"layer {p.layer + 1}, {_half(p)}"
        shape = " × ".join(f"{size:,}" for size in p.shape)
        parts.append((p.name, name, parent, p.count, PARTS[part][1], f"{p.name}, {shape}"))
    ids, names, parents, counts, shades, notes = (list(c) for c in zip(*parts, strict=True))
    trace: dict[str, Any] = {
        "type": "treemap",
        "ids": ids,
        "labels": [label(str(name), 60) for name in names],
        "parents": parents,
        "values": np.array(counts, np.int64),
        "branchvalues": "total",
        "maxdepth": 3,
        "sort": False,
        # In the order given: groups side by side, what they hold from top to bottom.
        "tiling": {"packing": "slice-dice", "pad": 2},
        "marker": {"colors": shades, "line": {"width": 1, "color": colors.faint("#FFFFFF", 0.7)}},
        "textfont": {"color": [colors.ink(str(shade)) for shade in shades]},
        # One line where many parts lie under each other, else three.
        "texttemplate": [
            "%{label}: %{percentRoot:.2%}"
            if parents.count(parent) > MAX_WITH_LINES
            else "%{label}<br>%{value:,}<br>%{percentRoot:.1%}"
            for parent in parents
        ],
        "customdata": [label(str(note), 80) for note in notes],
        "hovertemplate": (
            "%{label}<br>%{customdata}<br>%{value:,} parameters, %{percentRoot:.2%} of all"
            "<extra></extra>"
        ),
        "pathbar": {"visible": True, "side": "bottom", "thickness": BAR},
    }
    # Room for the path bar below, which comes with the first click.
    return draw([trace], height=400, margin={"b": BAR + 8})


def _half(parameter: StoredTensor) -> str:
    return HALVES[0 if ".attention." in parameter.name else 1]


PROGRAM = '''
"""Every parameter with its shape, size and share; then both totals."""

pooler = ...  # whether the file has a pooler; transformers makes up a random one where not
model = ...
parameters = {
    name: tensor
    for name, tensor in model.named_parameters()
    if pooler or not name.startswith("pooler.")
}
total = sum(tensor.numel() for tensor in parameters.values())
for name, tensor in parameters.items():
    count = tensor.numel()
    print(f"{name:60} {tuple(tensor.shape)!s:15} {count:>12,} {count / total:7.3%}")
print("all parameters:", total)
print("two-dimensional:", sum(p.numel() for p in parameters.values() if p.dim() == 2))
'''
