"""How many parameters there are, as areas and as a table: what the page opens with."""

import re
from collections.abc import Callable

import numpy as np
import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.parameters import BERT_BASE, Census, Parameter, counts_by_formula
from bertviz_core.csv_files import Columns
from bertviz_core.figures import colors
from bertviz_core.figures.inside.parameters import parameter_treemap
from bertviz_core.ui import links, sections, slots
from bertviz_core.ui.html import finding, verdict
from bertviz_core.ui.inside_the_model.results import census_of
from bertviz_core.ui.show import chart, code, folded_table

GROUP_COLORS = {"embedding": "#7FB2D6", "encoder layers": "#B9BEC6", "pooler": colors.OUTPUT}
WHOLE = "#5B6470"  # stands out from a light page and from a dark one
HALVES = ("attention", "feed-forward")
# What the three tables are called and how they are coloured, by the name of their parameter.
TABLE_LOOKS = {
    "embeddings.word_embeddings.weight": ("token table", colors.TOKEN),
    "embeddings.position_embeddings.weight": ("position table", colors.POSITION),
    "embeddings.token_type_embeddings.weight": ("segment table", colors.SEGMENT),
}
QUOTED = "bert-base-uncased"
QUOTED_FROM = "Devlin et al. (2019) give its sizes and 110M; its config.json gives the same sizes"


def parameters(bert: Bert) -> None:
    """Count every parameter of the file, as areas and as a table."""
    census = census_of(bert.name)
    with slots.part("try"):
        _examples()
    _say_totals(bert, census)
    _treemap(bert, census)
    _color_key(census)
    folded_table(
        "Table",
        census.columns,
        key="every-parameter",
        name="parameters",
        files=_left_aside(census),
    )
    code("inside/parameters", bert, pooler=bool(census.by_group["pooler"]))
    _side_by_side(bert, census)


def _examples() -> None:
    links.examples(
        "Inside_the_Model",
        {
            "the segment table": {
                "inside": sections.TENSOR,
                "tensor": "embeddings.token_type_embeddings.weight",
            },
            "[unused] rows against words": {"inside": sections.NORMS},
            "the pooler": {"inside": sections.POOLER, "pooled": "I am Sinan"},
            "king and queen": {"inside": sections.TRAINING},
            "both segments": {
                "inside": sections.TRAINING,
                "alike": "My [dog] sleeps beside the [cat]",
                "beside": "They are friends",
            },
        },
    )


def _say_totals(bert: Bert, census: Census) -> None:
    finding(
        "{name} has <b>{total}</b> parameters, {in_matrices} of them in matrices; "
        "<b>{share_embedding}</b> are the embedding layer."
        + ("" if census.by_group["pooler"] else " The file has no pooler."),
        name=bert.name,
        total=f"{census.total:,}",
        in_matrices=f"{census.two_dimensional:,}",
        share_embedding=f"{census.by_group['embedding'] / census.total:.0%}",
        method="parameters",
    )


def _color_key(census: Census) -> None:
    """Name every part by its colour: some are too thin for a label."""
    counts = {p.name: p.count for p in census.parameters}
    parts = [(look, counts.get(weight, 0)) for weight, look in TABLE_LOOKS.items()]
    tables = sum(count for _, count in parts)
    groups = census.by_group
    parts += [
        (("embedding LayerNorm", GROUP_COLORS["embedding"]), groups["embedding"] - tables),
        (("encoder layers", GROUP_COLORS["encoder layers"]), groups["encoder layers"]),
        (("pooler", GROUP_COLORS["pooler"]), groups["pooler"]),
    ]
    verdict(
        '<span class="bx-key">'
        + " ".join(
            f'<span class="bx-part"><span class="bx-swatch" style="background:{color}"></span>'
            f"{name} {{{name.replace(' ', '-')}}}</span>"
            for (name, color), count in parts
            if count
        )
        + "</span>",
        **{
            name.replace(" ", "-"): f"{count:,} ({_percent(count / census.total)})"
            for (name, _), count in parts
        },
    )


def _side_by_side(bert: Bert, census: Census) -> None:
    """Show this checkpoint's two totals beside the two numbers people quote."""
    quoted_total, quoted_in_matrices = counts_by_formula(BERT_BASE)
    with st.expander("Which number counts what?", icon=":material/help:"):
        left, right = st.columns(2, gap="medium")
        for column, title, total, in_matrices in (
            (left, f"This checkpoint, {bert.name}", census.total, census.two_dimensional),
            (right, f"{QUOTED}, worked out from its sizes", quoted_total, quoted_in_matrices),
        ):
            with column.container(border=True):
                st.caption(title)
                first, second = st.columns(2)
                first.metric("All parameters", f"{total:,}")
                second.metric("Two-dimensional ones only", f"{in_matrices:,}")
        st.caption(f"{QUOTED_FROM}. No file of it was read for the two numbers on the right.")
        st.markdown(
            "People quote two totals for the same model. One adds up tables and weight matrices "
            "only: the parameters with two dimensions. The other adds the vectors too: the bias "
            "of every dense layer, and scale and shift of every LayerNorm. Both are right about "
            "what they count; *the number of parameters* is the larger one."
        )
        _say_formula(bert, census)


def _say_formula(bert: Bert, census: Census) -> None:
    """Check the count of the file against the sizes in config.json."""
    # A size that config.json leaves out has the value of BERT-base, as in transformers.
    sizes = {name: bert.settings.get(name, default) for name, default in BERT_BASE.items()}
    if not all(isinstance(size, int) and size > 0 for size in sizes.values()):
        return
    expected, _ = counts_by_formula(sizes, pooler=census.by_group["pooler"] > 0)
    st.caption(
        "The sizes in config.json alone give the same by "
        "(V + P + T)·H + 2·H + L·(4·H² + 2·H·I + 9·H + I) + H² + H, "
        "with V tokens, P positions, T segments, H dimensions, L layers and I inner dimensions, "
        f"and without the last H² + H where there is no pooler: {expected:,}"
        + (
            ", equal to the count of the file."
            if expected == census.total
            else f"; the file holds {census.total:,}."
        )
    )


def _treemap(bert: Bert, census: Census) -> None:
    grey = GROUP_COLORS["encoder layers"]
    # Of each area: its id, name, parent, number of parameters, colour, and what it is.
    areas = [("all", bert.name, "", census.total, WHOLE, "the whole model")]
    for group, count in census.by_group.items():
        if count:
            areas.append((group, group, "all", count, GROUP_COLORS[group], "part of the model"))
    for layer in range(bert.num_hidden_layers):
        of_layer = [p for p in census.parameters if p.layer == layer]
        name = f"layer {layer + 1}"
        count = sum(p.count for p in of_layer)
        areas.append((name, name, "encoder layers", count, grey, "a layer"))
        for half in HALVES:
            count = sum(p.count for p in of_layer if half == _half(p))
            areas.append((f"{name}, {half}", half, name, count, grey, f"part of {name}"))
    for p in census.parameters:
        name, color = TABLE_LOOKS.get(p.name, (_short(p), GROUP_COLORS[p.group]))
        parent = p.group if p.layer is None else f"layer {p.layer + 1}, {_half(p)}"
        areas.append((p.name, name, parent, p.count, color, f"{p.name}, {_shape(p)}"))
    ids, names, parents, counts, shades, notes = zip(*areas, strict=True)
    largest = max(census.parameters, key=lambda p: p.count)
    chart(
        parameter_treemap(ids, names, parents, np.array(counts, np.int64), shades, notes),
        alt=f"Nested areas of {census.total:,} parameters in {len(census.parameters)} tensors: "
        + ", ".join(f"{group} {count:,}" for group, count in census.by_group.items())
        + f". The largest tensor is {largest.name} with {largest.count:,}.",
        name="parameter-areas",
    )


def _left_aside(census: Census) -> dict[str, tuple[str, Callable[[], Columns]]]:
    """The tensors of the file that are no parameters, as a further file."""
    left = census.ignored
    if not left:
        return {}
    return {
        f"Not counted, {len(left)} of the file's tensors, as CSV": (
            "left-aside",
            lambda: {
                "left aside": [tensor.stored_as for tensor in left],
                "shape": [" × ".join(map(str, tensor.shape)) for tensor in left],
                "why": [tensor.reason for tensor in left],
            },
        )
    }


def _percent(share: float) -> str:
    return "under 0.1%" if 0 < share < 0.001 else f"{share:.1%}"


def _short(parameter: Parameter) -> str:
    """A tensor's name within its part."""
    part = r"^(embeddings|encoder\.layer\.\d+(\.attention)?|pooler)\."
    return re.sub(part, "", parameter.name)


def _half(parameter: Parameter) -> str:
    """The half of its layer that a tensor belongs to."""
    return HALVES[0 if ".attention." in parameter.name else 1]


def _shape(parameter: Parameter) -> str:
    return " × ".join(f"{size:,}" for size in parameter.shape)
