"""How a text becomes WordPieces, ids and segments, step by step."""

from bertviz_core.ui import frame, inputs, links, sections, slots
from bertviz_core.ui.chips import token_chips
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.tokens.line_counts import many_lines
from bertviz_core.ui.tokens.lookup import ids_to_text, in_the_vocabulary
from bertviz_core.ui.tokens.segments import two_segments
from bertviz_core.ui.tokens.word_search import word_by_steps
from bertviz_core.ui.tokens.wordpieces import token_table, word_counts

bert = frame.page(
    "Tokens",
    "How does BERT read a text?",
    "As WordPieces: whole words where the vocabulary has them, else the longest pieces it has, "
    "each continuation marked by `##`. Their ids are all that the model gets of the text.",
    icon=":material/segment:",
)

with slots.panel("texts"):
    typed = inputs.text_and_pair("Text", "Sinan loves awesomesauce at the café!")
    links.examples(
        "Tokens",
        "Try",
        {
            "awesomesauce": {"a": "awesomesauce"},
            "I am Sinan": {"a": "I am Sinan", "closer": sections.VOCABULARY},
            "a pair": {"a": "I am Sinan", "b": "She is Zoe", "closer": sections.TWO_SEGMENTS},
            "accents and emoji": {"a": "Crème brûlée 🐍 at the naïve café❤", "follow": "café❤"},
            "a typed [SEP]": {
                "a": "I am Sinan [SEP] She is Zoe",
                "closer": sections.TWO_SEGMENTS,
            },
        },
    )

with errors_shown():
    text = typed.tokenize(bert)
    word_counts(bert, text)
    token_chips(text, by_word=True)
    token_table(bert, typed, text)
    sections.below(
        {
            sections.WORD_STEPS: lambda: word_by_steps(bert, typed),
            sections.VOCABULARY: lambda: in_the_vocabulary(bert),
            sections.IDS: lambda: ids_to_text(bert, typed),
            sections.TWO_SEGMENTS: lambda: two_segments(bert, typed, text),
            sections.LINES: lambda: many_lines(bert),
        },
        key="closer",
    )
