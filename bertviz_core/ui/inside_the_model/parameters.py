"""What the page on the inside of a model shows of its parameters."""

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.parameters import BERT_BASE, Census, Parameter, counts_by_formula
from bertviz_core.figures import colors
from bertviz_core.figures.inside.treemap import parameter_treemap
from bertviz_core.snippets.fill import filled
from bertviz_core.ui.html import finding, note
from bertviz_core.ui.inside_the_model import results as inside_cache
from bertviz_core.ui.show import chart, code, table

if TYPE_CHECKING:
    import pandas as pd

VIEWS = {
    name: name
    for name in (
        "parameters",
        "one tensor",
        "norms of the token table",
        "pooler",
        "what training changes",
    )
}
GROUP_COLORS = {"embedding": "#7FB2D6", "encoder layers": "#B9BEC6", "pooler": colors.OUTPUT}
HALVES = ("attention", "feed-forward")
TABLES = {
    "embeddings.word_embeddings.weight": ("token table", colors.TOKEN),
    "embeddings.position_embeddings.weight": ("position table", colors.POSITION),
    "embeddings.token_type_embeddings.weight": ("segment table", colors.SEGMENT),
}
QUOTED = "bert-base-uncased"


def parameters(bert: Bert) -> None:
    """Count every parameter of the file, as areas and as a table."""
    census = inside_cache.census_of(bert.name)
    _say_totals(bert, census)
    _side_by_side(bert, census)
    _treemap(bert, census)
    st.subheader("Every parameter", anchor=False)
    table(_rows(census), name="parameters", decimals=3, height=360)
    pooler = bool(census.by_group["pooler"])
    code(lambda: filled("inside/parameters", bert, pooler=pooler), name="parameters")
    _say_left_aside(census)


def _say_totals(bert: Bert, census: Census) -> None:
    share = {group: count / census.total for group, count in census.by_group.items()}
    finding(
        "{name} has <b>{total}</b> parameters; <b>{flat}</b> of them are in matrices. The "
        "embedding layer holds <b>{embedding}</b> of all, the {layers} layers of the encoder "
        "<b>{encoder}</b>, {pooler}.",
        name=bert.name,
        total=f"{census.total:,}",
        flat=f"{census.two_dimensional:,}",
        embedding=f"{share['embedding']:.1%}",
        layers=bert.num_hidden_layers,
        encoder=f"{share['encoder layers']:.1%}",
        pooler=f"the pooler {share['pooler']:.1%}"
        if census.by_group["pooler"]
        else "and the file has no pooler",
    )


def _side_by_side(bert: Bert, census: Census) -> None:
    """This checkpoint's two totals beside the two figures people quote."""
    quoted_all, quoted_flat = counts_by_formula(BERT_BASE)
    ours, quoted = st.columns(2, gap="medium")
    for place, name, everything, flat in (
        (ours, f"This checkpoint, {bert.name}", census.total, census.two_dimensional),
        (quoted, f"As quoted for {QUOTED}", quoted_all, quoted_flat),
    ):
        with place.container(border=True):
            st.caption(name)
            first, second = st.columns(2)
            first.metric("All parameters", f"{everything:,}")
            second.metric("Two-dimensional ones only", f"{flat:,}")
    with st.expander("Which figure counts what?", icon=":material/help:"):
        st.markdown(
            "Two totals go round for the same model. One adds up tables and weight matrices "
            "only: the parameters with two dimensions. The other adds the vectors too: the bias "
            "of every dense layer, and scale and shift of every LayerNorm. Both are right about "
            "what they count; *the number of parameters* is the larger one."
        )
        finding(
            "For {quoted}: {flat} in matrices + {vectors} in vectors = <b>{all}</b>. "
            "Here: {our_flat} + {our_vectors} = <b>{our_all}</b>.",
            quoted=QUOTED,
            flat=f"{quoted_flat:,}",
            vectors=f"{quoted_all - quoted_flat:,}",
            all=f"{quoted_all:,}",
            our_flat=f"{census.two_dimensional:,}",
            our_vectors=f"{census.total - census.two_dimensional:,}",
            our_all=f"{census.total:,}",
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
    gray = GROUP_COLORS["encoder layers"]
    rows = [("all", bert.name, "", census.total, "#E9EBEF", "the whole model")]
    for group, count in census.by_group.items():
        if count:
            rows.append((group, group, "all", count, GROUP_COLORS[group], "part of the model"))
    for layer in range(bert.num_hidden_layers):
        of_layer = [p for p in census.parameters if p.layer == layer]
        name = f"layer {layer + 1}"
        for part in ("", *HALVES):
            count = sum(p.count for p in of_layer if part in ("", _half(p)))
            place = (f"{name}, {part}", part, name) if part else (name, name, "encoder layers")
            if count:
                rows.append((*place, count, gray, f"part of {name}" if part else "a layer"))
    for parameter in census.parameters:
        name, color = TABLES.get(parameter.name, (_short(parameter), GROUP_COLORS[parameter.group]))
        parent = (
            parameter.group
            if parameter.layer is None
            else f"layer {parameter.layer + 1}, {_half(parameter)}"
        )
        what = f"{parameter.name}, {_shape(parameter)}"
        rows.append((parameter.name, name, parent, parameter.count, color, what))
    ids, names, parents, counts, shades, notes = zip(*rows, strict=True)
    largest = max(census.parameters, key=lambda p: p.count)
    chart(
        parameter_treemap(ids, names, parents, np.array(counts, np.int64), shades, notes),
        alt=f"Nested areas of {census.total:,} parameters in {len(census.parameters)} tensors: "
        + ", ".join(f"{group} {count:,}" for group, count in census.by_group.items())
        + f". The largest tensor is {largest.name} with {largest.count:,}.",
        name="parameter-areas",
    )
    st.caption(
        "Areas are numbers of parameters. Click a part to look inside, the bar below to return."
    )


def _rows(census: Census) -> "pd.DataFrame":
    import pandas as pd

    return pd.DataFrame(
        {
            "name": list(census.names),
            "part": [
                p.group if p.layer is None else f"layer {p.layer + 1}" for p in census.parameters
            ],
            "shape": [_shape(p) for p in census.parameters],
            "parameters": [p.count for p in census.parameters],
            "share in %": [100 * p.count / census.total for p in census.parameters],
            "stored as": [p.dtype for p in census.parameters],
        }
    )


def _say_left_aside(census: Census) -> None:
    if not census.left_aside:
        return
    import pandas as pd

    count = len(census.left_aside)
    note(
        "The file holds {tensors} that {are} not counted, because {they} no parameter of BERT.",
        tensors="one more tensor" if count == 1 else f"{count} more tensors",
        are="is" if count == 1 else "are",
        they="it is" if count == 1 else "they are",
    )
    table(
        pd.DataFrame(
            {
                "left aside": [left.stored_as for left in census.left_aside],
                "shape": [" × ".join(map(str, left.shape)) for left in census.left_aside],
                "why": [left.reason for left in census.left_aside],
            }
        ),
        name="left-aside",
        height=min(38 + 35 * count, 300),
    )


def _short(parameter: Parameter) -> str:
    """A tensor's name within its part."""
    prefix = {
        "embedding": "embeddings.",
        "encoder layers": f"encoder.layer.{parameter.layer}.",
        "pooler": "pooler.",
    }[parameter.group]
    return parameter.name.removeprefix(prefix).removeprefix("attention.")


def _half(parameter: Parameter) -> str:
    """The half of its layer that a tensor belongs to."""
    return HALVES[0 if ".attention." in parameter.name else 1]


def _shape(parameter: Parameter) -> str:
    return " × ".join(f"{size:,}" for size in parameter.shape)
