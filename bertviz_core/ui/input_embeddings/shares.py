"""Which part contributes how much to a token's vector: token, segment, position, LayerNorm."""

import numpy as np
import streamlit as st

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.embeddings import InputEmbeddings
from bertviz_core.embeddings.shares import (
    LAYER_NORM_STEPS,
    PART_NAMES,
    STEPS,
    PartShares,
    Waterfall,
    layer_norm_lengths,
    part_shares,
    waterfall,
)
from bertviz_core.figures.embeddings.orders import lines_over_tokens
from bertviz_core.figures.embeddings.shares import shares_figure
from bertviz_core.figures.embeddings.waterfall import contributions_figure, waterfall_figure
from bertviz_core.tokens import InputText, TokenizedText
from bertviz_core.ui import slots
from bertviz_core.ui.html import finding
from bertviz_core.ui.input_embeddings.dimension import dimension_input
from bertviz_core.ui.input_embeddings.outliers import outliers
from bertviz_core.ui.show import chart, code, table

# What the sentence on one number names: what each step does it with, and what comes out.
NUMBERS = (
    *("token_number", "segment_number", "position_number", "mean", "deviation", "weight", "bias"),
    *("centred", "divided", "scaled", "output"),
)


def contributions(
    bert: Bert, typed: InputText, text: TokenizedText, parts: InputEmbeddings, position: int
) -> None:
    """Show shares of all tokens, one number step by step, LayerNorm, and outlier dimensions."""
    st.subheader("Which part contributes how much?", anchor=False)
    _shares(text, part_shares(bert, parts))
    code("embeddings/shares", bert, typed)
    _one_number(bert, typed, text, parts, position)
    _layer_norm(bert, text, parts)
    code("embeddings/shares", bert, typed, name="layer-norm")
    outliers(bert, typed, parts)


def _shares(text: TokenizedText, measured: PartShares) -> None:
    token, segment, position = measured.shares.mean(axis=1)
    furthest = int(measured.shares[2].argmax())
    finding(
        "Without LayerNorm's bias, the token embedding makes up <b>{token_share}</b> of the input "
        "embedding on average over these {tokens} tokens, the position <b>{position_share}</b> "
        "and the segment <b>{segment_share}</b>. The share of the position is largest in "
        "<b>{position} {token}</b>: {largest_share}. The bias is a fourth part, the same for every "
        "token; it makes up <b>{bias_share}</b> of the whole.",
        tokens=len(text),
        token_share=f"{token:.0%}",
        segment_share=f"{segment:.0%}",
        position_share=f"{position:.0%}",
        position=furthest,
        token=text.tokens[furthest],
        largest_share=f"{measured.shares[2, furthest]:.0%}",
        bias_share=f"{measured.bias_shares.mean():.0%}",
        method="contribution-of-each-part",
    )
    chart(
        shares_figure(
            text.tokens, measured.shares, measured.norms, measured.summed_norms, measured.cosines
        ),
        alt=f"Stacked columns of {len(text)} tokens: shares of token, segment and position in the "
        f"input embedding less the bias of LayerNorm, {token:.1%}, {segment:.1%} and "
        f"{position:.1%} on average; below, "
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
            "100%; one is negative where its part points against the rest. The share of the bias "
            "is ⟨*bias*, *output*⟩ / ‖*output*‖²: of the whole output, the bias included."
        )
    table(
        {"position": text.position_ids, "token": text.tokens, **measured.columns()},
        name="shares",
    )


def _one_number(
    bert: Bert, typed: InputText, text: TokenizedText, parts: InputEmbeddings, position: int
) -> None:
    """Ask for a dimension and show how the chosen token's number comes about."""
    st.subheader("One number, step by step", anchor=False)
    with slots.part("number"):
        dimension = dimension_input(bert)
    steps = waterfall(bert, parts, position, dimension)
    _say_steps(text.tokens[position], position, steps)
    own = steps.contributions
    left, right = st.columns([5, 3])
    with left:
        st.caption("As it is computed; the sum and LayerNorm each on a scale of its own")
        chart(
            waterfall_figure(steps.changes, steps.running),
            alt=f"Waterfall of token {position} in dimension {dimension}: "
            + ", ".join(
                f"{step} to {value:.4g}" for step, value in zip(STEPS, steps.running, strict=True)
            )
            + ".",
            name="waterfall",
        )
    with right:
        st.caption("The same number as a sum of four: three parts and the bias")
        chart(
            contributions_figure(own),
            alt=f"Waterfall of what is brought to the output {steps.output:.4g}: token "
            f"{own[0]:.4g}, segment {own[1]:.4g}, position {own[2]:.4g}, bias {own[3]:.4g}.",
            name="contributions",
        )
    drawn = float(parts.output[position, dimension])
    st.caption(
        "Computed in double precision, the steps add up exactly. The heatmap above holds "
        f"{drawn:.7g}, rounded to single precision: {abs(drawn - steps.output):.0e} away."
    )
    left, right = st.columns([5, 3])
    with left:
        table(steps.columns(), name="waterfall", decimals=5)
    with right:
        table(
            {
                "part": [*PART_NAMES, "bias", "output"],
                "brought to the output": [*own, steps.output],
            },
            name="contributions",
            decimals=5,
        )
    code("embeddings/waterfall", bert, typed, position=position, dimension=dimension)


def _say_steps(token: str, position: int, steps: Waterfall) -> None:
    numbers = dict(zip(NUMBERS, [*steps.operands, *steps.running[3:]], strict=True))
    finding(
        "<b>{position} {token}</b>, dimension <b>{dimension}</b>: token {token_number}, segment "
        "{segment_number} and position {position_number}, less the mean {mean}, make {centred}. "
        "Divided by the deviation {deviation} this is {divided}, times the weight {weight} it is "
        "{scaled}, and with the bias {bias} <b>{output}</b>.",
        position=position,
        token=token,
        dimension=steps.dimension,
        **{name: f"{number:.3g}".replace("-", "−") for name, number in numbers.items()},
        method="layernorm-step-by-step",
    )


def _layer_norm(bert: Bert, text: TokenizedText, parts: InputEmbeddings) -> None:
    st.subheader("What LayerNorm does to it", anchor=False)
    measured = layer_norm_lengths(bert, parts)
    weight, bias = bert.tables.layer_norm_weight, bert.tables.layer_norm_bias
    summed, _, divided, scaled, output = measured.lengths
    finding(
        "Divided by its deviation, a token has the length <b>{divided_length}</b> on average: "
        "√{size}, but for the epsilon in the deviation. "
        "The weights ({low} to {high}, median {median}) bring that to {scaled_length}; the bias, "
        "itself {bias_length} long, to <b>{output_length}</b>. Over all steps the direction turns: "
        "the cosine between sum and output is <b>{cosine}</b>.",
        size=bert.hidden_size,
        divided_length=f"{divided.mean():.1f}",
        low=f"{weight.min():.2f}",
        high=f"{weight.max():.2f}",
        median=f"{np.median(weight):.2f}",
        scaled_length=_range(scaled, ".1f"),
        bias_length=f"{np.linalg.norm(bias):.2f}",
        output_length=_range(output, ".1f"),
        cosine=_range(measured.turned, ".2f"),
        method="layernorm-step-by-step",
    )
    lengths = dict(zip(LAYER_NORM_STEPS, measured.lengths, strict=True))
    chart(
        lines_over_tokens(lengths, text.tokens, title="length of the vector"),
        alt=f"Length of each token's vector after each step of LayerNorm: "
        f"{_range(summed, '.2f')} before, {divided.mean():.1f} after dividing, "
        f"{_range(scaled, '.2f')} after the weight, {_range(output, '.2f')} at the end.",
        name="layer-norm",
    )
    table(
        {"position": text.position_ids, "token": text.tokens, **measured.columns()},
        name="layer-norm",
        decimals=4,
    )


def _range(values: Array, digits: str) -> str:
    low, high = format(values.min(), digits), format(values.max(), digits)
    return low if low == high else f"{low} to {high}"
