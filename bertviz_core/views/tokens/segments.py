"""Two texts, two segments: the segment follows from the text, not from counting [SEP]."""

from collections.abc import Sequence

import numpy as np

from bertviz_core.arrays import Ids
from bertviz_core.bert import Bert
from bertviz_core.figures.axes import named, named_rows, numbered
from bertviz_core.figures.colors import SENTENCES, steps
from bertviz_core.figures.drawing import Figure, draw, heatmap
from bertviz_core.tokens import InputText
from bertviz_core.views.card import card
from bertviz_core.views.declare import view
from bertviz_core.views.parts import caption, program, say
from bertviz_core.views.view import Part, View

SEPARATOR = "[SEP]"
WAYS = ("by the text", "by counting [SEP]")
# Segment A and B as on the chips; a segment without a row is seen at once.
COLORS = (SENTENCES[0], SENTENCES[2], SENTENCES[1])


@view("two texts, two segments", page="Tokens", rank=40, card=True)
def two_segments(bert: Bert, typed: InputText) -> View:
    """The segment of every token, and what counting the [SEP] before it would have said."""
    words, example = typed.text.split(), list[Part]()
    if typed.text_pair is None and len(words) > 1 and SEPARATOR not in typed.text:
        half = (len(words) + 1) // 2
        typed = InputText(" ".join(words[:half]), " ".join(words[half:]))
        example.append(caption("B is empty above: here the words of A are cut in two."))
    text = typed.tokenize(bert)
    separators = np.array([token == SEPARATOR for token in text.tokens], dtype=np.int64)
    segments = np.stack([text.token_type_ids, np.cumsum(separators) - separators])
    inside = np.array([word is not None for word in text.word_ids])
    differing = int((segments[0] != segments[1]).sum())
    without_row = int((segments[1] >= bert.type_vocab_size).sum())
    typed_out = np.flatnonzero(separators & inside)
    said = "<b>{in_segment_a:,}</b> tokens are in segment A and <b>{in_segment_b:,}</b> in B. "
    said += (
        "Counting [SEP] instead would give <b>{differing:,}</b> tokens another segment"
        + ", {without_row:,} of them in a segment that the model does not have" * bool(without_row)
        + "."
        if differing
        else "Counting [SEP] gives the same here."
    )
    if len(typed_out):
        said += " The [SEP] typed at position <b>{typed}</b> starts no segment."
    return card(
        say(
            said,
            in_segment_a=len(text) - int(segments[0].sum()),
            in_segment_b=int(segments[0].sum()),
            differing=differing,
            without_row=without_row,
            typed=", ".join(map(str, typed_out[:5])) + " …" * (len(typed_out) > 5),
            method="two-segments",
        ),
        name="pair-segments",
        columns={"position": text.position_ids, "token": text.tokens, "token id": text.input_ids}
        | dict(zip(WAYS, segments, strict=True)),
        chart=_strip(segments, text.tokens),
        alt=f"Segments of {len(text)} tokens by the text they come from and by counting [SEP], "
        f"which gives {differing} of them another one.",
        below=example,
        program=program(PROGRAM, bert, typed, name="pair-segments"),
    )


def _strip(segments: Ids, tokens: Sequence[str]) -> Figure:
    """A row of coloured cells for each way to tell the segment, a column for each token."""
    last = len(COLORS) - 1
    written = np.where(segments < 2, np.where(segments, "B", "A"), segments.astype(str))
    cells = heatmap(
        np.minimum(segments, last).astype(np.float32),
        "%{y}, token %{x}: segment %{text}",
        steps(COLORS),
        (-0.5, last + 0.5),
        text=written,
        texttemplate="<b>%{text}</b>" * (len(tokens) <= 20),  # more have no room for it
        textfont={"color": "#FFFFFF", "size": 19},  # white on green has 3.4 : 1, so it is large
        showscale=False,
        xgap=1 if len(tokens) <= 100 else 0,  # gaps between many would hide them
        ygap=6,
    )
    return draw(
        [cells],
        height=52 * len(WAYS) + 110,
        xaxis=named(numbered(tokens), 40, tickangle=-45),
        yaxis=named_rows(WAYS),
    )


PROGRAM = '''
"""The segment of each token, and how many [SEP] come before it."""

text = ...
text_pair = ...  # or None
tokenizer = ...
inputs = tokenizer(text, text_pair, truncation=True)
tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"])
for position, token in enumerate(tokens):
    print(token, inputs["token_type_ids"][position], tokens[:position].count("[SEP]"))
'''
