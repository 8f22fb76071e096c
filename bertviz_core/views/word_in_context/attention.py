"""What the followed word attends to, head by head."""

from typing import Annotated

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.contextual.attention import WordAttention, word_attention
from bertviz_core.encoder import Encoder
from bertviz_core.figures.axes import MOST_UPRIGHT, label, named, numbered, titled
from bertviz_core.figures.colors import MARK, MUTED, TOKEN
from bertviz_core.figures.drawing import Figure, bars, draw, frame
from bertviz_core.figures.matrices import head_map
from bertviz_core.shared import once
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Slider
from bertviz_core.views.parts import caption, note, picture, program, say, table
from bertviz_core.views.sentences import rounded
from bertviz_core.views.view import Links, Picture, View
from bertviz_core.views.word_in_context.words import PAGE, TARGET, Compared

SHARES = ("to other words", "to [CLS]", "to [SEP]", "to itself")  # of attention, as `TARGETS`
ELSEWHERE = Links(
    "Does attention show which words matter?",
    {"over many sentences": {"section": "do heads use what they look at?"}},
    page="Word_Senses",
)


@once
def _attention(encoder: Encoder, found: Compared, number: int) -> WordAttention:
    return word_attention(encoder, found.words[number])


@view("what does it attend to?", page=PAGE, rank=15, doing="Running the sentence once more …")
def attention(
    encoder: Encoder,
    found: Compared,
    layer: int,
    target: Annotated[str, TARGET] = "",
    head: Annotated[
        int,
        Slider(
            "Head",
            1,
            lambda bert: int(bert.settings["num_attention_heads"]),
            when=lambda bert: bert.settings["num_attention_heads"] > 1,
            about="the attention head",
        ),
    ] = 1,
) -> View:
    """What a word attends to in one head, and how much each head gives to other words."""
    if not layer:
        return View(
            note("Layer 0 is the input: it has no attention heads. Choose layer 1 or higher.")
        )
    number = found.followed(target)
    word = found.words[number]
    tokens, attended = word.text.tokens, _attention(encoder, found, number)
    weights = attended.weights[layer - 1, head - 1]
    most = int(weights.argmax())
    layers, count = attended.weights.shape[:2]
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
            {"position": range(len(tokens)), "token": tokens, "attention": weights},
            name="attention",
            fold="Table",
        ),
        ELSEWHERE,
        caption("The share of its attention that each head gives to other words"),
        _map(attended.shares[0], layer, head),
        table(
            {
                "layer": np.repeat(np.arange(1, layers + 1), count),
                "head": np.tile(np.arange(1, count + 1), layers),
                **{name: row.ravel() for name, row in zip(SHARES, attended.shares, strict=True)},
            },
            name="heads",
            fold="Every head as a table",
        ),
        program("influence/attention", encoder.bert, word=word.span, layer=layer, head=head),
        made={"layer": layer, "head": head},
    )


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
