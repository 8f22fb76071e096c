"""Two texts, two segments: the segment follows from the text, not from counting [SEP]."""

import numpy as np
import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.figures.tokens.segment_strip import segment_strip
from bertviz_core.snippets.tokens import segments_code
from bertviz_core.tokens import TokenizedText, tokenize
from bertviz_core.tokens.segments import SEPARATOR, SegmentReading, segments_two_ways
from bertviz_core.ui.html import finding, note
from bertviz_core.ui.show import chart, code, table


def two_texts(bert: Bert, first: str, second: str | None, text: TokenizedText) -> None:
    """Show the segment of every token, and what counting [SEP] would have said."""
    import pandas as pd

    reading = segments_two_ways(bert, text)
    _say(reading)
    ways = {"by the text": reading.by_text, "by counting [SEP]": reading.by_counting}
    split = _as_two_texts(bert, first, second, text)
    if split is not None:
        ways["typed as texts A and B"] = split.token_type_ids
        note(
            "Typed as two texts, “{first}” and “{second}”, the same {count} ids come out; "
            "<b>{changed}</b> of them then stand in segment B. The ids alone do not tell.",
            first=first.partition(SEPARATOR)[0].strip(),
            second=first.partition(SEPARATOR)[2].strip(),
            count=len(split),
            changed=int(split.token_type_ids.sum()),
        )
    chart(
        segment_strip(np.stack(list(ways.values())), list(ways), text.tokens),
        alt=f"Segments of {len(text)} tokens. By the text they come from, "
        f"{int((reading.by_text == 0).sum())} are in A and {int(reading.by_text.sum())} in B; "
        f"by counting [SEP], {reading.differing} would be elsewhere.",
        name="pair-segments",
    )
    if second is None:
        st.caption("Type a text B at the top of the page, and its tokens stand in segment B.")
    columns = {"position": text.position_ids, "token": text.tokens, "id": text.input_ids}
    frame = pd.DataFrame(columns | ways)
    table(frame, name="pair-segments", height=min(38 + 35 * len(frame), 388))
    with st.expander("Where segments come from", icon=":material/help:"):
        st.markdown(
            "The tokenizer is given one text or two. It puts `[CLS]` before the first and a "
            "`[SEP]` after each, and writes down for every token which of the two texts it came "
            "from: `token_type_ids`, 0 or 1. The model sees nothing else of the border. A "
            "`[SEP]` typed inside a text becomes the same token, but starts no new segment, and "
            "leaving `token_type_ids` out puts everything into segment A."
        )
    code(lambda: segments_code(bert, first, second), name="pair-segments")


def _say(reading: SegmentReading) -> None:
    said = "<b>{a}</b> tokens are in segment A and <b>{b}</b> in segment B. "
    if reading.differing:
        said += "Counting the [SEP] before each token would put <b>{differing}</b> elsewhere"
        said += ", {lost} of them in a segment that has no row." if reading.without_row else "."
    else:
        said += "Counting the [SEP] before each token gives the same here."
    if reading.typed:
        said += " The [SEP] typed at position <b>{typed}</b> starts no segment."
    finding(
        said,
        a=f"{int((reading.by_text == 0).sum()):,}",
        b=f"{int(reading.by_text.sum()):,}",
        differing=f"{reading.differing:,}",
        lost=f"{reading.without_row:,}",
        typed=", ".join(map(str, reading.typed[:5])) + (" …" if len(reading.typed) > 5 else ""),
    )


def _as_two_texts(
    bert: Bert, first: str, second: str | None, text: TokenizedText
) -> TokenizedText | None:
    """The text cut at its one typed [SEP], where the same ids come out."""
    before, _, after = first.partition(SEPARATOR)
    if second is not None or not before.strip() or not after.strip():
        return None
    pair = tokenize(bert, before, after)
    return pair if np.array_equal(pair.input_ids, text.input_ids) else None
