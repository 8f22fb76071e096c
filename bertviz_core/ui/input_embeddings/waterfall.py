"""One number of one token, from the three tables to the output."""

from typing import TYPE_CHECKING

import streamlit as st

from bertviz_core.embeddings.shares import Waterfall, waterfall
from bertviz_core.figures.embeddings.waterfall import contributions_figure, waterfall_figure
from bertviz_core.snippets.fill import filled
from bertviz_core.ui import inputs, slots
from bertviz_core.ui.html import finding
from bertviz_core.ui.input_embeddings.dimension_input import dimension_input
from bertviz_core.ui.show import chart, code, table

if TYPE_CHECKING:
    from bertviz_core.bert import Bert
    from bertviz_core.embeddings import InputEmbeddings
    from bertviz_core.tokens import TokenizedText

STEPS = ("token", "+ segment", "+ position", "− mean", "÷ deviation", "× weight", "+ bias")


def one_number(
    bert: "Bert", text: "TokenizedText", parts: "InputEmbeddings", first: str, pair: str | None
) -> None:
    """Ask for a token and a dimension and show how its number comes about."""
    st.subheader("One number, step by step", anchor=False)
    left, right = slots.row("number", 2)
    with left:
        place = inputs.number(
            "Token at position", 0, max(len(text) - 1, 1), min(1, len(text) - 1), key="token"
        )
    with right:
        dimension = dimension_input(bert)
    found = waterfall(bert, parts, place, dimension)
    _say(text.tokens[place], place, found)
    left, right = st.columns([5, 3])
    with left:
        st.caption("As it is computed; the sum and LayerNorm each on a scale of its own")
        chart(
            waterfall_figure(found.changes, found.running),
            alt=f"Waterfall of token {place} in dimension {dimension}: "
            + ", ".join(
                f"{step} to {value:.4g}" for step, value in zip(STEPS, found.running, strict=True)
            )
            + ".",
            name="waterfall",
        )
    own = found.contributions
    with right:
        st.caption("The same number as a sum of four: three parts and the bias")
        chart(
            contributions_figure(own),
            alt=f"Waterfall of what is brought to the output {found.output:.4g}: token "
            f"{own[0]:.4g}, segment {own[1]:.4g}, position {own[2]:.4g}, bias {own[3]:.4g}.",
            name="contributions",
        )
    drawn = float(parts.output[place, dimension])
    st.caption(
        "Computed in double precision, the steps add up exactly. The heatmap above holds "
        f"{drawn:.7g}, rounded to single precision: {abs(drawn - found.output):.0e} away."
    )
    import pandas as pd

    left, right = st.columns([5, 3])
    with left:
        table(
            pd.DataFrame(
                {
                    "step": STEPS,
                    "by": found.operands,
                    "change": found.changes,
                    "number after it": found.running,
                }
            ),
            name="waterfall",
            decimals=5,
        )
    with right:
        table(
            pd.DataFrame(
                {
                    "part": ["token", "segment", "position", "bias", "output"],
                    "brought to the output": [*own, found.output],
                }
            ),
            name="contributions",
            decimals=5,
        )
    code(
        lambda: filled(
            "embeddings/waterfall", bert, text=first, text_pair=pair, position=place,
            dimension=dimension,
        ),
        name="waterfall",
    )


def _say(token: str, place: int, found: Waterfall) -> None:
    word, segment, position, mean, deviation, weight, bias = (
        f"{value:.3g}".replace("-", "−") for value in found.operands
    )
    centred, divided, scaled, output = (
        f"{value:.3g}".replace("-", "−") for value in found.running[3:]
    )
    finding(
        "<b>{place} {token}</b>, dimension <b>{dimension}</b>: token {word}, segment {segment} and "
        "position {position}, less the mean {mean}, make {centred}. Divided by the deviation "
        "{deviation} this is {divided}, times the weight {weight} it is {scaled}, and with the "
        "bias {bias} <b>{output}</b>.",
        place=place,
        token=token,
        dimension=found.dimension,
        word=word,
        segment=segment,
        position=position,
        mean=mean,
        centred=centred,
        deviation=deviation,
        divided=divided,
        weight=weight,
        scaled=scaled,
        bias=bias,
        output=output,
    )
