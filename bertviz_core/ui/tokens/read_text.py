"""The fields of the page and what BERT makes of the text: they run again without the rest."""

from bertviz_core.bert import Bert
from bertviz_core.ui import inputs, links, sections, slots
from bertviz_core.ui.chips import token_chips
from bertviz_core.ui.errors import fragment
from bertviz_core.ui.show import code, folded_table
from bertviz_core.ui.tokens.line_counts import many_lines
from bertviz_core.ui.tokens.lookup import ids_to_text, in_the_vocabulary
from bertviz_core.ui.tokens.segments import two_segments
from bertviz_core.ui.tokens.word_search import (
    choose_word,
    follow,
    search_picture,
    tries,
    word_by_steps,
)
from bertviz_core.ui.tokens.wordpieces import all_tokens, word_counts


@fragment
def read_text(bert: Bert) -> None:
    """Ask for a text, or a pair, and show its tokens and the search for the pieces of a word."""
    with slots.panel("texts", "a", "b"):
        typed = inputs.text_and_pair("Text", "Sinan loves awesomesauce at the café!", live=True)
        text = typed.tokenize(bert)
        with slots.options("texts", beside=_examples):
            word = choose_word(bert, typed, text)
    word_counts(bert, typed, text)
    token_chips(
        text,
        by_word=True,
        selected=word.positions,
        on_tap=lambda position: follow(typed, text, position),
    )
    search_picture(word)
    folded_table(
        "Table of the tokens",
        lambda: all_tokens(typed, text),
        key="all-tokens",
        name="tokens",
        files={"Tries for the word as CSV": ("tries", lambda: tries(word.search))},
    )
    code("tokens/tokens", bert, typed)
    sections.below(
        {
            sections.WORD_STEPS: lambda: word_by_steps(bert, word),
            sections.VOCABULARY: lambda: in_the_vocabulary(bert),
            sections.IDS: lambda: ids_to_text(bert, typed),
            sections.TWO_SEGMENTS: lambda: two_segments(bert, typed, text),
            sections.LINES: lambda: many_lines(bert),
        },
        key="closer",
    )


def _examples() -> None:
    links.examples(
        "Tokens",
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
