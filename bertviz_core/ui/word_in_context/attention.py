"""What the followed word attends to, beside what taking words away changes."""

from typing import Any

import numpy as np
import streamlit as st

from bertviz_core.arrays import Array
from bertviz_core.contextual import WordInContext
from bertviz_core.contextual.attention import (
    FEWEST_WORDS,
    TARGETS,
    HeadAgreement,
    WordAttention,
    agreement_with_changes,
)
from bertviz_core.contextual.occlusion import OccludedContexts
from bertviz_core.figures.contextual.attention import attention_bars, head_map
from bertviz_core.ui import inputs, slots
from bertviz_core.ui.errors import fragment
from bertviz_core.ui.html import caption, finding, note
from bertviz_core.ui.show import chart, code, folded_table
from bertviz_core.ui.waiting import waiting
from bertviz_core.ui.word_in_context.compared import Compared, span
from bertviz_core.ui.word_in_context.numbers import percent, rounded
from bertviz_core.ui.word_in_context.results import word_attention

AGREEMENT = "agreement"
TO = dict(
    zip(TARGETS, ("to other words", "to [CLS]", "to [SEP]", "to itself"), strict=True)
)  # what the shares are called
QUANTITIES = {name: target for target, name in TO.items()} | {AGREEMENT: AGREEMENT}


@fragment
def what_it_attends_to(
    compared: Compared,
    number: int,
    anchor: int,
    changed: OccludedContexts,
    changes: Array,
) -> None:
    """Show one head over the sentence, all heads, and how they go with the changes.

    Args:
        compared: The words of the page, at the layer to look at.
        number: Of the word that is followed.
        anchor: Of what it is compared with, in `compared.everything`.
        changed: Its sentence without each other word.
        changes: float32 (num_hidden_layers + 1, n), what that changes.
    """
    word, layer = compared.words[number], compared.layer
    st.subheader("What the word attends to", anchor=False)
    if not layer:
        note("Layer 0 is what enters the first layer; nothing has attended yet. Choose layer 1.")
        return
    with waiting("Running the sentence once more for its attention …", height=320):
        attention = word_attention(compared.bert.name, compared.comparison, number, word)
    agreement = agreement_with_changes(
        attention.to_words(changed.others)[:layer], changes[layer], changed.others, word
    )
    head, quantity = _choices(attention.weights.shape[1])
    _one_head(word, attention, changed, changes[layer], layer, head)
    _finding(word, agreement, changed, layer, head)
    _all_heads(attention, agreement, quantity, layer, head)
    code(
        "contextual/attention",
        compared.bert,
        word=span(word),
        anchor=span(compared.everything[anchor]),
        others=[(other.word, list(other.positions)) for other in changed.others],
        change=changed.removal,
        pooling=compared.comparison.pooling,
        layer=layer,
        head=head,
    )


def _choices(heads: int) -> tuple[int, str]:
    """The head to look at, from 1, and what the map shows of all."""
    left, right = slots.row("attention", 2)
    with left:
        head = inputs.number("Head", 1, heads, 1, key="head") if heads > 1 else 1
    with right:
        quantity = inputs.choice(
            "The map of all heads shows attention",
            QUANTITIES,
            key="heads",
            help="How much of a head's attention goes to the other words, to the token before the "
            "text, to the one after it, and to the word itself; or how well its weights agree "
            "with what taking the words away changes.",
        )
    return head, quantity


def _one_head(
    word: WordInContext,
    attention: WordAttention,
    changed: OccludedContexts,
    changes: Array,
    layer: int,
    head: int,
) -> None:
    tokens, weights = word.text.tokens, attention.weights[layer - 1, head - 1]
    most = int(weights.argmax())
    to_others = float(attention.shares[0, layer - 1, head - 1])
    finding(
        "In head <b>{head}</b> of layer <b>{layer}</b>, {word} attends most to <b>{most}</b> "
        "({weight}); {to-others} of its attention goes to other words.",
        method="attention-of-a-word",
        head=head,
        layer=layer,
        word=word.word,
        most=tokens[most],
        weight=rounded(float(weights[most])),
        **{"to-others": f"{to_others:.0%}"},
    )
    special_positions = [i for i, number in enumerate(word.text.word_ids) if number is None]
    chart(
        attention_bars(weights, tokens, word.token_positions, special_positions),
        alt=f"Bars over the tokens: attention from {word.word} in head {head} of layer {layer}; "
        f"the largest is {weights[most]:.3f}, for {tokens[most]}.",
        name="attention",
        of={"layer": layer, "head": head},
    )
    change_of = {
        position: value
        for other, value in zip(changed.others, changes.tolist(), strict=True)
        for position in other.positions
    }
    folded_table(
        "Table",
        lambda: {
            "position": range(len(tokens)),
            "token": tokens,
            "attention": weights,
            "change without its word": [change_of.get(i) for i in range(len(tokens))],
        },
        key="attention-numbers",
        name="attention",
        of={"layer": layer, "head": head},
    )


def _finding(
    word: WordInContext,
    agreement: HeadAgreement | None,
    changed: OccludedContexts,
    layer: int,
    head: int,
) -> None:
    """Say what attention is worth, measured by what taking words away changes."""
    count = len(changed.others)
    if count < FEWEST_WORDS:
        note(
            "The sentence has {others} other words. With fewer than {fewest}, some head agrees "
            "with any order of them, so attention is not compared with what taking them away "
            "changes.",
            others=count,
            fewest=FEWEST_WORDS,
        )
        return
    if agreement is None:
        note("No rank correlation: the changes, or the weights, are the same for all words.")
        return
    best_layer, best_head = agreement.highest
    finding(
        "Attention and what taking words away changes have rank correlation <b>{median}</b> in the "
        "median head of layer {layer}, {own} in this one, <b>{highest}</b> in the best (layer "
        "{best-layer}, head {best-head}); by chance as high in <b>{chance}</b> of shuffles.",
        method="attention-against-masking",
        layer=layer,
        median=rounded(agreement.median),
        own=rounded(agreement.correlations[layer - 1, head - 1]),
        highest=rounded(agreement.correlations[best_layer, best_head]),
        chance=percent(agreement.chance),
        **{"best-layer": best_layer + 1, "best-head": best_head + 1},
    )
    caption(
        "Over {others} words; how near a word stands to {word} alone gives {nearness}. An "
        "attention weight says what a head reads, not what becomes of it: values, the other heads "
        "and the layers after it decide that (Jain & Wallace 2019; Wiegreffe & Pinter 2019).",
        others=count,
        word=word.word,
        nearness=rounded(agreement.nearness),
    )


def _all_heads(
    attention: WordAttention,
    agreement: HeadAgreement | None,
    quantity: str,
    layer: int,
    head: int,
) -> None:
    layers, heads = attention.weights.shape[:2]
    # A head above the chosen layer has no say in what is changed there.
    correlations = np.full((layers, heads), np.nan)
    if agreement is not None:
        correlations[:layer] = agreement.correlations
    shares: dict[str, Any] = dict(zip(TARGETS, attention.shares, strict=True))
    if quantity != AGREEMENT or agreement is not None:
        signed = quantity == AGREEMENT
        values = correlations if signed else shares[quantity]
        title = "rank correlation" if signed else f"share {TO[quantity]}"
        highest = divmod(int(np.nanargmax(values)), heads)
        chart(
            head_map(values, title, layer=layer, head=head, signed=signed),
            alt=f"Heatmap over {layers} layers and {heads} heads: {title}; the highest is "
            f"{values[highest]:.3f}, in head {highest[1] + 1} of layer {highest[0] + 1}.",
            name="heads",
        )
        if signed and layer < layers:
            st.caption(
                "Heads of layers after the chosen one have no say in its change: their cells are "
                "empty."
            )
    folded_table(
        "Every head as a table",
        lambda: {
            "layer": np.repeat(np.arange(1, layers + 1), heads),
            "head": np.tile(np.arange(1, heads + 1), layers),
            **{TO[target]: share.ravel() for target, share in shares.items()},
            f"agreement at layer {layer}": correlations.ravel(),
        },
        key="head-numbers",
        name="heads",
    )
