"""Two texts, two segments: the segment follows from the text, not from counting [SEP]."""

import numpy as np
import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.figures.tokens import segment_strip
from bertviz_core.tokens import InputText, TokenizedText
from bertviz_core.tokens.segments import SEPARATOR, SegmentReading, segments_two_ways
from bertviz_core.ui.html import finding, note
from bertviz_core.ui.show import chart, code, table


def two_segments(bert: Bert, typed: InputText, text: TokenizedText) -> None:
    """Show the segment of every token, and what counting [SEP] would have said."""
    reading = segments_two_ways(bert, text)
    _say(reading)
    ways = {"by the text": reading.by_text, "by counting [SEP]": reading.by_counting}
    pair = _cut_at_the_separator(typed)
    if pair is not None:
        cut = pair.tokenize(bert)
        if np.array_equal(cut.input_ids, text.input_ids):
            ways["typed as texts A and B"] = cut.token_type_ids
            note(
                "Typed as two texts, “{text_a}” and “{text_b}”, the same {tokens} ids come out, "
                "but <b>{in_segment_b}</b> of them are in segment B. The ids alone do not tell.",
                text_a=pair.text.strip(),
                text_b=(pair.text_pair or "").strip(),
                tokens=len(cut),
                in_segment_b=int(cut.token_type_ids.sum()),
            )
    chart(
        segment_strip(np.stack(list(ways.values())), list(ways), text.tokens),
        alt=f"Segments of {len(text)} tokens. By the text they come from, "
        f"{int((reading.by_text == 0).sum())} are in A and {int(reading.by_text.sum())} in B; "
        f"by counting [SEP], {reading.differing} would be elsewhere.",
        name="pair-segments",
    )
    if typed.text_pair is None:
        st.caption("Type a text B at the top of the page: its tokens will be in segment B.")
    table(
        {"position": text.position_ids, "token": text.tokens, "token id": text.input_ids} | ways,
        name="pair-segments",
    )
    with st.expander("Where segments come from", icon=":material/help:"):
        st.markdown(
            "The tokenizer is given one text or two. It puts `[CLS]` before the first and a "
            "`[SEP]` after each, and writes down for every token which of the two texts it came "
            "from: `token_type_ids`, 0 or 1. The model sees nothing else of the border. A "
            "`[SEP]` typed inside a text becomes the same token, but starts no new segment. "
            "Without `token_type_ids`, the model takes everything as segment A."
        )
    code("tokens/segments", bert, typed, name="pair-segments")


def _say(reading: SegmentReading) -> None:
    sentences = "<b>{in_segment_a}</b> tokens are in segment A and <b>{in_segment_b}</b> in B. "
    if reading.differing:
        sentences += "Counting the [SEP] before each token would put <b>{differing}</b> elsewhere"
        if reading.without_row:
            sentences += ", {without_row} of them in a segment that has no row"
        sentences += "."
    else:
        sentences += "Counting the [SEP] before each token gives the same here."
    if reading.typed:
        sentences += " The [SEP] typed at position <b>{typed}</b> starts no segment."
    finding(
        sentences,
        in_segment_a=f"{int((reading.by_text == 0).sum()):,}",
        in_segment_b=f"{int(reading.by_text.sum()):,}",
        differing=f"{reading.differing:,}",
        without_row=f"{reading.without_row:,}",
        typed=", ".join(map(str, reading.typed[:5])) + (" …" if len(reading.typed) > 5 else ""),
        method="two-segments",
    )


def _cut_at_the_separator(typed: InputText) -> InputText | None:
    """A single text cut in two at its first typed [SEP]; None where there is nothing to cut."""
    before, _, after = typed.text.partition(SEPARATOR)
    if typed.text_pair is not None or not before.strip() or not after.strip():
        return None
    return InputText(before, after)
