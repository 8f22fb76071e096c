"""The section "what is left of it in the layers?": what predicts a token's vector, by layer."""

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.contextual.explained import ExplainedVariance, most_tokens
from bertviz_core.figures.contextual.explained import explained_areas
from bertviz_core.ui import jobs
from bertviz_core.ui.html import finding, note
from bertviz_core.ui.input_embeddings.results import explain_variance, explained, shipped_sentences
from bertviz_core.ui.results import ready_or_asked
from bertviz_core.ui.show import chart, code, table


def what_survives(bert: Bert) -> None:
    """Show how much of a vector still follows from the input embedding, once it may be run."""
    st.markdown(
        "Layer 0 is the input embedding: token row + position row + segment row, after LayerNorm. "
        "Here a linear map tries to tell a token's vector at each layer from what went in, in "
        "sentences it has not seen. The sentences are those of this project, not the text above."
    )
    if bert not in explained and not ready_or_asked(
        bert, "Run the model on all sentences", key="run_survives"
    ):
        return
    while bert not in explained:  # again if the job was given up
        job = explain_variance(bert)
        jobs.follow(job, lambda _: "Running all sentences, then predicting their vectors, once")
    found = explained[bert]
    _finding(found)
    added, last = found.added, found.added.shape[1] - 1
    chart(
        explained_areas(added, found.rest),
        alt="Areas over the layers, share of the variance of the vectors: at layer 0 the token row "
        f"{added[0, 0]:.0%}, position {added[1, 0]:.0%}, sentence {added[2, 0]:.0%}; at layer "
        f"{last} {added[0, last]:.0%}, {added[1, last]:.0%}, {added[2, last]:.0%}.",
        name="explained",
    )
    st.caption(
        "Each area is what a part adds to those below it. What two parts share counts for the "
        "lower one; the table has each part alone as well."
    )
    table(found.columns(), name="explained")
    code(
        "contextual/explained",
        bert,
        sentences=shipped_sentences(),
        most=most_tokens(bert),
    )


def _finding(found: ExplainedVariance) -> None:
    last = found.added.shape[1] - 1
    finding(
        "At layer 0 a linear map of the token row explains <b>{token_first}</b> of the variance of "
        "the vectors, its position a further {position_first}. After the last layer the row "
        "explains <b>{token_last}</b>, the position {position_last} and the rest of the sentence "
        "{sentence_last}; <b>{rest_last}</b> could not be read off, on these sentences.",
        method="what-is-left-of-the-input-embedding",
        token_first=f"{found.added[0, 0]:.0%}",
        position_first=f"{found.added[1, 0]:.0%}",
        token_last=f"{found.added[0, last]:.0%}",
        position_last=f"{found.added[1, last]:.0%}",
        sentence_last=f"{found.added[2, last]:.0%}",
        rest_last=f"{found.rest[last]:.0%}",
    )
    note(
        "{tokens} tokens of {sentences} sentences, each predicted from the other sentences. A part "
        "that is no help has 0% or a little less.",
        tokens=f"{found.tokens:,}",
        sentences=found.sentences,
    )
