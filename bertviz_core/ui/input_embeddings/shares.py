"""Whose vector is it: what token, segment, position and LayerNorm put into each token's vector."""

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from bertviz_core.embeddings.shares import PartShares, layer_norm_lengths, part_shares
from bertviz_core.figures.embeddings.lines import lines_over_tokens
from bertviz_core.figures.embeddings.shares import shares_figure
from bertviz_core.snippets.fill import filled
from bertviz_core.ui.html import finding
from bertviz_core.ui.input_embeddings import outliers as outlier_views
from bertviz_core.ui.input_embeddings import waterfall as waterfall_views
from bertviz_core.ui.show import chart, code, table

if TYPE_CHECKING:
    from bertviz_core.bert import Bert
    from bertviz_core.embeddings import InputEmbeddings
    from bertviz_core.tokens import TokenizedText

STEPS = ("sum of the three", "− mean", "÷ deviation", "× weight", "+ bias")
TALLEST = 390


def whose_vector(
    bert: "Bert", text: "TokenizedText", parts: "InputEmbeddings", first: str, pair: str | None
) -> None:
    """Show shares of all tokens, one number step by step, LayerNorm, and outlier dimensions."""
    st.subheader("Whose vector is it?", anchor=False)
    _shares(text, part_shares(bert, parts))
    code(lambda: filled("embeddings/shares", bert, text=first, text_pair=pair), name="shares")
    waterfall_views.one_number(bert, text, parts, first, pair)
    _layer_norm(bert, text, parts)
    code(lambda: filled("embeddings/shares", bert, text=first, text_pair=pair), name="layer-norm")
    outlier_views.outliers(bert, parts, first, pair)


def _shares(text: "TokenizedText", found: PartShares) -> None:
    means = found.shares.mean(axis=1)
    place = int(found.shares[2].argmax())
    finding(
        "On average over these {count} tokens, the token embedding makes <b>{token}</b> of the "
        "input embedding, the position <b>{position}</b> and the segment <b>{segment}</b>. "
        "Position weighs most in <b>{place} {name}</b>: {most}.",
        count=len(text),
        token=f"{means[0]:.0%}",
        segment=f"{means[1]:.0%}",
        position=f"{means[2]:.0%}",
        place=place,
        name=text.tokens[place],
        most=f"{found.shares[2, place]:.0%}",
    )
    chart(
        shares_figure(text.tokens, found.shares, found.norms, found.summed_norms, found.cosines),
        alt=f"Stacked columns of {len(text)} tokens: shares of token, segment and position in the "
        f"input embedding, {means[0]:.1%}, {means[1]:.1%} and {means[2]:.1%} on average; below, "
        "the length of each part and its cosine with the sum.",
        name="shares",
    )
    with st.expander("How a share is computed"):
        st.markdown(
            "LayerNorm subtracts the mean, divides by the deviation, multiplies by its weight and "
            "adds its bias. With the deviation of a token held fixed, all but the bias is linear: "
            "*output − bias* is the sum of three vectors, one for each part, "
            "*v = weight · (part − mean of part) / deviation*. The share of a part is "
            "⟨*v*, *output − bias*⟩ / ‖*output − bias*‖². The three shares of a token add up to "
            "100%; one is negative where its part points against the rest."
        )
    import pandas as pd

    columns = {"position": text.position_ids, "token": text.tokens}
    for title, rows in (
        ("share", found.shares),
        ("length", found.norms),
        ("cosine with sum", found.cosines),
    ):
        for part, row in zip(("token", "segment", "position"), rows, strict=True):
            columns[f"{part}: {title}"] = row
    columns["sum: length"] = found.summed_norms
    columns["output: length"] = found.output_norms
    table(pd.DataFrame(columns), name="shares", height=table_height(len(text)))


def _layer_norm(bert: "Bert", text: "TokenizedText", parts: "InputEmbeddings") -> None:
    st.subheader("What LayerNorm does to it", anchor=False)
    found = layer_norm_lengths(bert, parts)
    weight, bias = bert.tables.layer_norm_weight, bert.tables.layer_norm_bias
    lengths = found.lengths
    finding(
        "Dividing by its deviation gives every token the length √{size} = <b>{divided}</b>. The "
        "weights ({low} to {high}, median {median}) bring that to {scaled}; the bias, itself "
        "{bias} long, to <b>{output}</b>. Over all steps the direction turns: the cosine "
        "between sum and output is <b>{turned}</b>.",
        size=bert.hidden_size,
        divided=f"{lengths[2].mean():.1f}",
        low=f"{weight.min():.2f}",
        high=f"{weight.max():.2f}",
        median=f"{np.median(weight):.2f}",
        scaled=_range(lengths[3], ".1f"),
        bias=f"{np.linalg.norm(bias):.2f}",
        output=_range(lengths[4], ".1f"),
        turned=_range(found.turned, ".2f"),
    )
    chart(
        lines_over_tokens(
            dict(zip(STEPS, lengths, strict=True)), text.tokens, title="length of the vector"
        ),
        alt=f"Length of each token's vector after each step of LayerNorm: "
        f"{_range(lengths[0], '.2f')} before, {lengths[2].mean():.1f} after dividing, "
        f"{_range(lengths[3], '.2f')} after the weight, {_range(lengths[4], '.2f')} at the end.",
        name="layer-norm",
    )
    import pandas as pd

    columns = {
        "position": text.position_ids,
        "token": text.tokens,
        "mean": found.means,
        "deviation": found.deviations,
    }
    columns |= {f"length: {step}": row for step, row in zip(STEPS, lengths, strict=True)}
    columns["cosine of sum and output"] = found.turned
    table(pd.DataFrame(columns), name="layer-norm", decimals=4, height=table_height(len(text)))


def table_height(rows: int) -> int | str:
    """Of a table: as its rows need while they are few, else one that scrolls."""
    return "auto" if rows <= 10 else TALLEST


def _range(values: "np.typing.NDArray[np.float32]", digits: str) -> str:
    low, high = format(values.min(), digits), format(values.max(), digits)
    return low if low == high else f"{low} to {high}"
