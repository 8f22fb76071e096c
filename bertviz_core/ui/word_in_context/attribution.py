"""Why two words are alike: what the rows of their sentences add to the similarity."""

from typing import Any

import numpy as np
import streamlit as st

from bertviz_core.contextual import WordInContext
from bertviz_core.contextual.attention import FEWEST_WORDS
from bertviz_core.contextual.attribution import added_by_words, correlation_with_masking
from bertviz_core.contextual.influence import MASK, Removal, influence, other_words
from bertviz_core.encoder.path_gradients import PathGradients
from bertviz_core.figures.contextual.attribution import attribution_strip, gradients_and_masking
from bertviz_core.ui import inputs
from bertviz_core.ui.html import caption, finding, note
from bertviz_core.ui.show import chart, code, folded_table, waiting
from bertviz_core.ui.word_in_context.compared import Compared, span
from bertviz_core.ui.word_in_context.influence import WITHOUT
from bertviz_core.ui.word_in_context.numbers import percent, rounded, signed
from bertviz_core.ui.word_in_context.results import attribution, changed_contexts
from bertviz_core.ui.word_in_context.words import choose_pair

MOVING = {"both sentences": False, "only the word's": True}


def why_alike(compared: Compared) -> None:
    """Share a similarity out among token, segment and position rows, beside masking."""
    number, anchor_number, beside = choose_pair(compared, "attribution")
    with beside:
        hold = inputs.choice(
            "Mean rows at the start in",
            MOVING,
            key="moving",
            help="Both sentences: what makes the two words alike or unlike. Only the word's: what "
            "in its sentence brings it nearer to the other word, which stays as it is. Where both "
            "stand in one sentence, all of it moves.",
        )
    word, anchor = compared.words[number], compared.everything[anchor_number]
    hold &= word.sentence != anchor.sentence
    pair = (number, anchor_number)
    with waiting("Following the gradients from the mean rows to the sentence …", height=420):
        found = attribution(
            compared.bert.name, compared.comparison, pair, compared.layer, hold, word, anchor
        )
    texts, own = [word.text.tokens], [set(word.token_positions)]
    if len(found.shares) > 1:
        texts.append(anchor.text.tokens)
        own.append(set())
    own[-1] |= set(anchor.token_positions)
    _finding(compared, found, word, anchor, texts)
    tokens = [token for sentence in texts for token in sentence]
    shares = np.concatenate(found.shares, axis=1)
    together = shares.sum(axis=0)
    strongest = int(np.abs(together).argmax())
    difference = found.cosine - found.baseline
    error = "hardly any difference"
    if abs(difference) > 1e-3:
        error = f"{abs(found.missing / difference):.2%}"
    drawn = slice(1) if hold else slice(None)  # a sentence that is held has no shares
    chart(
        attribution_strip(found.shares[drawn], texts[drawn], own[drawn]),
        alt=f"Stacked bars over the tokens: what token, segment and position rows add to the "
        f"similarity of {word.word} and {anchor.word} at layer {compared.layer}; the largest "
        f"sum is {together[strongest]:+.3f}, of {tokens[strongest]}.",
        name="attribution",
        of=compared.made,
    )
    caption(
        "Above zero: the rows make the two more alike than mean rows in their place do. [CLS], "
        "[SEP] and the like keep their rows, so they have no share. The shares add up to the "
        "difference {difference} within {missing} ({error}; {nodes} points of the way).",
        difference=signed(difference),
        missing=f"{abs(found.missing):.4f}",
        error=error,
        nodes=found.nodes,
    )
    columns: dict[str, Any] = {
        "sentence": np.concatenate(
            [np.full(len(sentence), i) for i, sentence in enumerate(texts, start=1)]
        ),
        "position": np.concatenate([np.arange(len(sentence)) for sentence in texts]),
        "token": tokens,
    }
    columns |= dict(zip(("token row", "segment row", "position row"), shares, strict=True))
    folded_table(
        "Table",
        lambda: columns | {"together": together},
        key="attribution-numbers",
        name="attribution",
        of=compared.made,
    )
    _beside_masking(compared, found, number, word, anchor)
    code(
        "contextual/attribution",
        compared.bert,
        word=span(word),
        anchor=span(anchor),
        hold_anchor=hold,
        pooling=compared.comparison.pooling,
        layer=compared.layer,
        nodes=found.nodes,
    )


def _finding(
    compared: Compared,
    found: PathGradients,
    word: WordInContext,
    anchor: WordInContext,
    texts: list[tuple[str, ...]],
) -> None:
    totals = sum(shares.sum(axis=1) for shares in found.shares)
    token, segment, position = totals
    sizes = [np.abs(shares.sum(axis=0)) for shares in found.shares]
    text = int(np.argmax([size.max() for size in sizes]))
    most = int(sizes[text].argmax())
    finding(
        "At layer {layer}, {word} and {anchor} have similarity <b>{cosine}</b>, with mean rows "
        "<b>{baseline}</b>: token rows add <b>{by-token}</b>, position rows <b>{by-position}</b>, "
        "segment rows <b>{by-segment}</b>; most comes from <b>{most}</b> ({most-adds}).",
        method="why-this-similarity",
        layer=compared.layer,
        word=word.word,
        anchor=anchor.word,
        cosine=rounded(found.cosine, 3),
        baseline=rounded(found.baseline, 3),
        most=texts[text][most],
        **{
            "by-token": signed(token),
            "by-position": signed(position),
            "by-segment": signed(segment),
            "most-adds": signed(found.shares[text][:, most].sum()),
        },
    )
    if not found.complete:
        note(
            "With {nodes} points the shares still lack more than 1% of the difference: read them "
            "as rough.",
            nodes=found.nodes,
        )


def _beside_masking(
    compared: Compared,
    found: PathGradients,
    number: int,
    word: WordInContext,
    anchor: WordInContext,
) -> None:
    """Show the same words as masking sees them."""
    st.subheader("Beside taking words away", anchor=False)
    if not other_words(word):
        note("The sentence of {word} has no other word to take away.", word=word.word)
        return
    removal: Removal = "mask" if MASK in compared.bert.vocabulary.ids else "drop"
    with waiting("Running the sentence without each other word …", height=340):
        changed = changed_contexts(compared.bert.name, compared.comparison, number, removal, word)
    lost = -influence(word, changed, anchor)[compared.layer]
    added = added_by_words(found.shares[0], changed.others)
    both = correlation_with_masking(added, -lost)
    if both is not None:
        finding(
            "What its rows add and what is lost when it is {done} have rank correlation "
            "<b>{correlation}</b> over {others} words; by chance as high in <b>{chance}</b> of "
            "shuffles.",
            method="why-this-similarity",
            others=len(changed.others),
            done=WITHOUT[removal],
            correlation=rounded(both.value),
            chance=percent(both.chance),
        )
    elif len(added) < FEWEST_WORDS:
        note(
            "The sentence has {others} other words; with fewer than {fewest} no rank correlation "
            "is shown.",
            others=len(added),
            fewest=FEWEST_WORDS,
        )
    else:
        note("No rank correlation: one of the two is the same for all words.")
    words = [other.word for other in changed.others]
    top = int(np.abs(lost).argmax())
    chart(
        gradients_and_masking(added, lost, words),
        alt=f"Two bars for each other word of the sentence: what its rows add by their gradients, "
        f"and the similarity lost when it is {WITHOUT[removal]}; most is lost without "
        f"{words[top]}, {lost[top]:+.3f}.",
        name="gradients-and-masking",
        of=compared.made,
    )
    folded_table(
        "Table",
        lambda: {
            "word": words,
            "position": [other.positions[0] for other in changed.others],
            "added by its rows": added,
            "lost without it": lost,
        },
        key="masking-numbers",
        name="gradients-and-masking",
        of=compared.made,
    )
