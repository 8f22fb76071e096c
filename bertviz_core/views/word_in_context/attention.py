"""What the followed word attends to, head by head."""

from typing import Annotated

import numpy as np

from bertviz_core.contextual.attention import WordAttention, word_attention
from bertviz_core.encoder import Encoder
from bertviz_core.figures.axes import titled
from bertviz_core.figures.colors import TOKEN
from bertviz_core.figures.drawing import frame
from bertviz_core.figures.matrices import head_map
from bertviz_core.figures.tokens import word_bars
from bertviz_core.shared import once
from bertviz_core.views.card import card
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Slider
from bertviz_core.views.parts import caption, note, picture, program, say, table
from bertviz_core.views.sentences import rounded
from bertviz_core.views.view import Links, View
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
    weights, shares = attended.weights[layer - 1, head - 1], attended.shares[0]
    layers, heads = shares.shape
    most, (top_layer, top_head) = int(weights.argmax()), divmod(int(shares.argmax()), heads)
    made = {"layer": layer, "head": head}
    hints = [f"position {at}: {weight:.4f}" for at, weight in enumerate(weights.tolist())]
    return card(
        say(
            "In head <b>{head}</b> of layer <b>{layer}</b>, {word} attends most to <b>{most}</b> "
            "({weight}); {to_others} of its attention goes to other words.",
            method="attention-of-a-word",
            word=word.word,
            most=tokens[most],
            weight=rounded(float(weights[most])),
            to_others=f"{shares[layer - 1, head - 1]:.0%}",
            **made,
        ),
        name="attention",
        columns={"position": range(len(tokens)), "token": tokens, "attention": weights},
        chart=word_bars(weights, tokens, word.token_positions, hints, TOKEN, **titled("attention")),
        alt=f"Bars over the tokens: attention from {word.word} in head {head} of layer {layer}; "
        f"the largest is {weights[most]:.3f}, for {tokens[most]}.",
        below=[
            ELSEWHERE,
            caption("The share of its attention that each head gives to other words"),
            picture(
                head_map(shares, "share to other words", [frame((head, head), (layer, layer))]),
                alt=f"Heatmap over {layers} layers and {heads} heads: share to other words; the "
                f"highest is {shares.max():.3f}, in head {top_head + 1} of layer {top_layer + 1}.",
                name="heads",
            ),
            table(
                {
                    "layer": np.repeat(np.arange(1, layers + 1), heads),
                    "head": np.tile(np.arange(1, heads + 1), layers),
                    **{
                        name: row.ravel() for name, row in zip(SHARES, attended.shares, strict=True)
                    },
                },
                name="heads",
                fold="Every head as a table",
            ),
        ],
        program=program(
            PROGRAM, encoder.bert, word=word.span, layer=layer, head=head, name="attention"
        ),
        made=made,
    )


PROGRAM = '''
"""What a word attends to in one head."""

word = ...  # sentence, first character of the word, one past its last
layer = ...  # counted from 1
head = ...  # counted from 1
read = ...
tokenizer, model = ...
model.set_attn_implementation("eager")  # the one that gives its weights
ids, positions = read(tokenizer, *word)
with torch.no_grad():
    attentions = model(ids, output_attentions=True).attentions
weights = attentions[layer - 1][0, head - 1, positions].mean(dim=0)
for i, token in enumerate(tokenizer.convert_ids_to_tokens(ids[0])):
    print(i, f"{weights[i]:.4f}", token)
'''
