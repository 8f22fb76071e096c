"""What the followed word attends to, beside what taking words away changes."""

from typing import Annotated

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.contextual.attention import (
    FEWEST_WORDS,
    HeadAgreement,
    WordAttention,
    agreement_with_changes,
    word_attention,
)
from bertviz_core.contextual.occlusion import Removal
from bertviz_core.contextual.occlusion import influence as influence_of
from bertviz_core.encoder import Encoder
from bertviz_core.figures.axes import MOST_UPRIGHT, label, named, numbered, titled
from bertviz_core.figures.colors import MARK, MUTED, TOKEN
from bertviz_core.figures.drawing import Figure, bars, draw, frame
from bertviz_core.figures.matrices import head_map
from bertviz_core.shared import once
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Slider
from bertviz_core.views.parts import caption, note, picture, program, say, table
from bertviz_core.views.sentences import rounded, share
from bertviz_core.views.view import Part, Picture, View
from bertviz_core.views.word_in_context.influence import REMOVAL, occluded_contexts
from bertviz_core.views.word_in_context.words import AGAINST, PAGE, TARGET, Comparison, compared

SHARES = ("to other words", "to [CLS]", "to [SEP]", "to itself")  # of attention, as `TARGETS`


@once
def _attention(encoder: Encoder, comparison: Comparison, number: int) -> WordAttention:
    return word_attention(encoder, compared(encoder, comparison).words[number])


@view(
    "what does it attend to?",
    page=PAGE,
    rank=15,
    doing="Running the sentence once more for its attention …",
)
def attention(
    encoder: Encoder,
    comparison: Comparison,
    layer: int,
    target: Annotated[str, TARGET] = "",
    against: Annotated[str, AGAINST] = "",
    without: Annotated[Removal, REMOVAL] = "mask",
    head: Annotated[
        int,
        Slider(
            "Head",
            1,
            lambda bert: int(bert.settings.get("num_attention_heads", 12)),
            when=lambda bert: bert.settings.get("num_attention_heads", 12) > 1,
            about="the attention head",
        ),
    ] = 1,
) -> View:
    """What a word attends to, head by head, beside what taking the other words away changes."""
    if not layer:
        return View(
            note("Layer 0 is the input: it has no attention heads. Choose layer 1 or higher.")
        )
    found = compared(encoder, comparison)
    number, other = comparison.pair(target, against)
    word, tokens = found.words[number], found.words[number].text.tokens
    attended = _attention(encoder, comparison, number)
    changed = occluded_contexts(encoder, comparison, number, without)
    changes = influence_of(word, changed, found.everything[other])[layer]
    agreement = agreement_with_changes(
        attended.to_words(changed.others)[:layer], changes, changed.others, word
    )
    weights = attended.weights[layer - 1, head - 1]
    most = int(weights.argmax())
    change_of = {
        position: value
        for one, value in zip(changed.others, changes.tolist(), strict=True)
        for position in one.positions
    }
    layers, count = attended.weights.shape[:2]
    # A head above the chosen layer has no part in what is changed there.
    correlations = np.full((layers, count), np.nan)
    if agreement is not None:
        correlations[:layer] = agreement.correlations
    return View(
        say(
            "In head <b>{head}</b> of layer <b>{layer}</b>, {word} attends most to <b>{most}</b> "
            "({weight}); {to_others} of its attention goes to other words.",
            method="attention-of-a-word",
            head=head,
            layer=layer,
            word=word.word,
            most=tokens[most],
            weight=rounded(float(weights[most])),
            to_others=f"{attended.shares[0, layer - 1, head - 1]:.0%}",
        ),
        picture(
            _bars(
                weights,
                tokens,
                word.token_positions,
                [i for i, one in enumerate(word.text.word_ids) if one is None],
            ),
            alt=f"Bars over the tokens: attention from {word.word} in head {head} of layer "
            f"{layer}; the largest is {weights[most]:.3f}, for {tokens[most]}.",
            name="attention",
        ),
        table(
            {
                "position": range(len(tokens)),
                "token": tokens,
                "attention": weights,
                "change without its word": [change_of.get(i) for i in range(len(tokens))],
            },
            name="attention",
            fold="Table",
        ),
        _agreement(agreement, len(changed.others), word.word, layer, head),
        caption("The share of its attention that each head gives to other words"),
        _map(attended.shares[0], layer, head),
        table(
            {
                "layer": np.repeat(np.arange(1, layers + 1), count),
                "head": np.tile(np.arange(1, count + 1), layers),
                **{name: row.ravel() for name, row in zip(SHARES, attended.shares, strict=True)},
                f"agreement at layer {layer}": correlations.ravel(),
            },
            name="heads",
            fold="Every head as a table",
        ),
        program(
            "influence/attention",
            encoder.bert,
            word=word.span,
            anchor=found.everything[other].span,
            others=[(one.word, list(one.positions)) for one in changed.others],
            change=without,
            pooling=comparison.pooling,
            layer=layer,
            head=head,
        ),
        made={**comparison.made(layer), "head": head},
    )


def _agreement(
    agreement: HeadAgreement | None, count: int, word: str, layer: int, head: int
) -> list[Part]:
    """What attention is worth, measured by what taking words away changes."""
    if count < FEWEST_WORDS:
        return [
            caption(
                "With {fewest} or more other words, this section also compares attention with "
                "what changes when each word is taken away.",
                fewest=FEWEST_WORDS,
            )
        ]
    if agreement is None:
        return [note("No rank correlation: all words have the same change or the same weight.")]
    best_layer, best_head = agreement.highest
    return [
        say(
            "Does attention show which words matter? Its rank correlation with the changes is "
            "<b>{median}</b> in the median head of layers 1 to {layer}, {own} in this head, and "
            "<b>{highest}</b> in the best one (layer {best_layer}, head {best_head}). Shuffled "
            "weights reach that in <b>{chance}</b> of cases.",
            method="attention-against-masking",
            layer=layer,
            median=rounded(agreement.median),
            own=rounded(agreement.correlations[layer - 1, head - 1]),
            highest=rounded(agreement.correlations[best_layer, best_head]),
            chance=share(agreement.chance),
            best_layer=best_layer + 1,
            best_head=best_head + 1,
        ),
        caption(
            "Over {others} words. Nearness in the sentence alone gives {nearness} for {word}. An "
            "attention weight says what a head reads. Values, other heads and later layers "
            "decide what comes of it (Jain & Wallace 2019; Wiegreffe & Pinter 2019).",
            others=count,
            word=word,
            nearness=rounded(agreement.nearness),
        ),
    ]


def _bars(
    weights: Array, tokens: tuple[str, ...], own: tuple[int, ...], special: list[int]
) -> Figure:
    """One bar a token; the word's own pieces in a colour of their own, special tokens grey."""
    names = [label(token, 16) for token in tokens]
    colors = [MARK if i in own else MUTED if i in special else TOKEN for i in range(len(tokens))]
    drawn = bars(weights, "%{customdata}<br>%{y:.4f}", colors, customdata=numbered(tokens))
    ticks = [f"<b>{name}</b>" if i in own else name for i, name in enumerate(names)]
    return draw(
        [drawn],
        height=320,
        bargap=0.25,
        xaxis=named(ticks, MOST_UPRIGHT, range=[-0.5, len(tokens) - 0.5]),
        yaxis=titled("attention", rangemode="tozero"),
    )


def _map(values: Array, layer: int, head: int) -> Picture:
    """The share of its attention that each head of each layer gives to other words."""
    figure = head_map(values, "share to other words", [frame((head, head), (layer, layer))])
    layers, heads = values.shape
    best_layer, best_head = divmod(int(values.argmax()), heads)
    return picture(
        figure,
        alt=f"Heatmap over {layers} layers and {heads} heads: share to other words; the highest is "
        f"{values.max():.3f}, in head {best_head + 1} of layer {best_layer + 1}.",
        name="heads",
    )
