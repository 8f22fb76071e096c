"""Two texts, two segments: the segment follows from the text, not from counting [SEP]."""

from collections.abc import Mapping, Sequence

import numpy as np

from bertviz_core.arrays import Ids
from bertviz_core.bert import Bert
from bertviz_core.figures.axes import label, named, named_rows, numbered
from bertviz_core.figures.colors import SENTENCES, steps
from bertviz_core.figures.drawing import Figure, draw, heatmap
from bertviz_core.tokens import InputText
from bertviz_core.views.declare import view
from bertviz_core.views.parts import caption, picture, program, say, table
from bertviz_core.views.view import Part, Sentence, View

SEPARATOR = "[SEP]"
# Segment A and B as on the chips; a segment without a row is seen at once.
COLORS = (SENTENCES[0], SENTENCES[2], SENTENCES[1])
MOST_WRITTEN = 20  # up to so many tokens have their segment written in the cell


@view("two texts, two segments", page="Tokens", rank=40)
def two_segments(bert: Bert, typed: InputText) -> View:
    """The segment of every token, and what counting the [SEP] before it would have said."""
    words, example = typed.text.split(), list[Part]()
    if typed.text_pair is None and len(words) > 1 and SEPARATOR not in typed.text:
        half = (len(words) + 1) // 2
        typed = InputText(" ".join(words[:half]), " ".join(words[half:]))
        example.append(caption("B is empty above: here the words of A are cut in two."))
    text = typed.tokenize(bert)
    separators = np.array([token == SEPARATOR for token in text.tokens], dtype=np.int64)
    counted = np.cumsum(separators) - separators
    inside = np.array([word is not None for word in text.word_ids])
    ways = {"by the text": text.token_type_ids, "by counting [SEP]": counted}
    differing = int((text.token_type_ids != counted).sum())
    without_row = int((counted >= bert.type_vocab_size).sum())
    in_b = int(text.token_type_ids.sum())
    in_a, typed_out = len(text) - in_b, np.flatnonzero(separators & inside)
    return View(
        _finding(in_a, in_b, differing, without_row, typed_out),
        example,
        picture(
            segment_strip(ways, text.tokens),
            alt=f"Segments of {len(text)} tokens. By the text they come from, {in_a} are "
            f"in A and {in_b} in B; by counting [SEP], {differing} would be elsewhere.",
            name="pair-segments",
        ),
        table(
            {"position": text.position_ids, "token": text.tokens, "token id": text.input_ids}
            | ways,
            name="pair-segments",
        ),
        program("tokens/segments", bert, typed, name="pair-segments"),
    )


def _finding(in_a: int, in_b: int, differing: int, without_row: int, typed: Ids) -> Sentence:
    sentences = "<b>{in_segment_a:,}</b> tokens are in segment A and <b>{in_segment_b:,}</b> in B. "
    if differing:
        sentences += "Counting [SEP] instead would give <b>{differing:,}</b> tokens another segment"
        if without_row:
            sentences += ", {without_row:,} of them in a segment that the model does not have"
        sentences += "."
    else:
        sentences += "Counting [SEP] gives the same here."
    if len(typed):
        sentences += " The [SEP] typed at position <b>{typed}</b> starts no segment."
    return say(
        sentences,
        in_segment_a=in_a,
        in_segment_b=in_b,
        differing=differing,
        without_row=without_row,
        typed=", ".join(map(str, typed[:5])) + (" …" if len(typed) > 5 else ""),
        method="two-segments",
    )


def segment_strip(ways: Mapping[str, Ids], tokens: Sequence[str]) -> Figure:
    """A row of coloured cells for each way to tell the segment, a column for each token."""
    segments = np.stack(list(ways.values()))
    last = len(COLORS) - 1
    letters = np.array(["A", "B"], dtype=object)
    written = np.where(segments < 2, letters[np.minimum(segments, 1)], segments.astype(str))
    cells = heatmap(
        np.minimum(segments, last).astype(np.float32),
        "%{y}, token %{x}: segment %{customdata}",
        steps(COLORS),
        (-0.5, last + 0.5),
        customdata=written,
        showscale=False,
        xgap=1 if len(tokens) <= 100 else 0,  # gaps between many would hide them
        ygap=6,
    )
    if len(tokens) <= MOST_WRITTEN:
        cells |= {
            "text": written,
            "texttemplate": "<b>%{text}</b>",
            "textfont": {"color": "#FFFFFF", "size": 19},  # large: white on green has 3.4 : 1
        }
    return draw(
        [cells],
        height=52 * len(ways) + 110,
        xaxis=named(numbered(tokens), 40, tickangle=-45),
        yaxis=named_rows([label(way, 40) for way in ways]),
    )
