"""What the page on tokens shows: the tokens of the text, then one thing looked at more closely."""

import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.snippets.tokens import tokens_code
from bertviz_core.tokens import TokenizedText
from bertviz_core.tokens.line_counts import count_words
from bertviz_core.tokens.tokenized_text import without_lone_surrogates
from bertviz_core.ui import inputs
from bertviz_core.ui.html import finding
from bertviz_core.ui.show import code, table
from bertviz_core.ui.slots import slot_for
from bertviz_core.ui.tokens.line_counts import many_lines
from bertviz_core.ui.tokens.lookup import ids_to_text, in_the_vocabulary
from bertviz_core.ui.tokens.segments import two_texts
from bertviz_core.ui.tokens.word_search import word_by_steps

STEPS, VOCABULARY, IDS, SEGMENTS, LINES = (
    "a word, step by step",
    "is it in the vocabulary?",
    "ids to text",
    "two texts, two segments",
    "many lines",
)
CLOSER = {section: section for section in (STEPS, VOCABULARY, IDS, SEGMENTS, LINES)}


def reading_finding(bert: Bert, text: TokenizedText) -> None:
    """Say how many tokens the text became, and how far its words were split."""
    counts = count_words(bert, text)
    if not counts.words:
        finding(
            "No word: BERT reads <b>{tokens}</b> alone. Type a text above.",
            tokens=" ".join(text.tokens),
        )
        return
    said = (
        "<b>{tokens}</b> tokens: <b>{words}</b> {nouns} in <b>{pieces}</b> {kind}, "
        "<b>{ratio}</b> pieces a word, and {added} special tokens put around. {unknown}"
    )
    finding(
        said,
        tokens=f"{len(text):,}",
        words=f"{counts.words:,}",
        nouns="word or sign" if counts.words == 1 else "words and signs",
        pieces=f"{counts.pieces:,}",
        kind="piece" if counts.pieces == 1 else "pieces",
        ratio=f"{counts.pieces_per_word:.2f}",
        added=len(text) - counts.pieces,
        unknown=(
            "None is unknown."
            if not counts.unknown
            else f"{counts.unknown:,} [UNK]: a word with a character that no piece has becomes "
            "unknown as a whole."
        ),
    )


def token_table(text: TokenizedText, first: str, second: str | None) -> None:
    """Show every token with all that is known of it."""
    import pandas as pd

    texts = [without_lone_surrogates(one) for one in (first, second or "")]
    inside = [word is not None for word in text.word_ids]
    spans = text.offsets.tolist()
    frame = pd.DataFrame(
        {
            "position": text.position_ids,
            "token": text.tokens,
            "id": text.input_ids,
            "segment": ["AB"[segment] for segment in text.token_type_ids.tolist()],
            "from character": _if_inside([start for start, _ in spans], inside),
            "to character": _if_inside([end for _, end in spans], inside),
            "word": _if_inside(text.word_ids, inside),
            "stands for": [
                texts[segment][start:end] if known else ""
                for segment, (start, end), known in zip(
                    text.token_type_ids.tolist(), spans, inside, strict=True
                )
            ],
        }
    )
    table(frame, name="tokens", height=min(38 + 35 * len(text), 388))
    with st.expander("What the columns mean", icon=":material/help:"):
        st.markdown(
            "- **id**: the row of the token table that is looked up.\n"
            "- **segment**: A for the first text, B for the second (`token_type_ids` 0 and 1).\n"
            "- **from character, to character**: where the token stands in its own text, counted "
            "from 0; the last one is no longer part of it.\n"
            "- **word**: which word or sign of its text the token belongs to, counted from 0. "
            "Pieces of one word share it.\n"
            "- **stands for**: those characters, as they were typed."
        )


def show_code(bert: Bert, first: str, second: str | None) -> None:
    """Offer the code that prints the same table."""
    code(lambda: tokens_code(bert, first, second), name="tokens")


def look_closer(bert: Bert, first: str, second: str | None, text: TokenizedText) -> None:
    """Let the visitor choose one thing to look at; only that one is computed."""
    st.divider()
    section = inputs.choice("Look closer at", CLOSER, key="closer")
    with slot_for(section, CLOSER):
        _show(section, bert, first, second, text)


def _show(section: str, bert: Bert, first: str, second: str | None, text: TokenizedText) -> None:
    if section == STEPS:
        word_by_steps(bert, first, second)
    elif section == VOCABULARY:
        in_the_vocabulary(bert)
    elif section == IDS:
        ids_to_text(bert, first)
    elif section == SEGMENTS:
        two_texts(bert, first, second, text)
    else:
        many_lines(bert)


def _if_inside(values: object, inside: list[bool]) -> object:
    """Whole numbers with gaps where a token comes from no text."""
    import pandas as pd

    shown = [
        value if known else None
        for value, known in zip(values, inside, strict=True)  # type: ignore[call-overload]
    ]
    return pd.array(shown, dtype="Int64")
