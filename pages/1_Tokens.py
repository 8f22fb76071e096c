"""Text -> WordPiece tokens, ids, segments, positions; and how each came about."""

from bertviz_core.tokens import tokenize
from bertviz_core.ui import frame, inputs, links, slots
from bertviz_core.ui.chips import token_chips
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.tokens import wordpieces as wordpiece_views

bert = frame.page(
    "Tokens",
    "How does BERT read a text?",
    "As WordPieces: whole words where the vocabulary has them, else the longest pieces it has, "
    "each continuation marked by `##`. What the model gets of the text are their ids.",
)

with slots.panel("texts"):
    left, right = slots.row("texts", [3, 2])
    with left:
        first = inputs.sentence("Text A", "Sinan loves awesomesauce at the café!", key="a")
    with right:
        second = inputs.sentence("Text B (optional)", "", key="b", placeholder="none")
    links.examples(
        "Tokens",
        "Try",
        {
            "awesomesauce": {"a": "awesomesauce"},
            "I am Sinan": {"a": "I am Sinan", "closer": "is it in the vocabulary?"},
            "a pair": {
                "a": "I am Sinan",
                "b": "She is Zoe",
                "closer": "two texts, two segments",
            },
            "accents and emoji": {"a": "Crème brûlée 🐍 at the naïve café❤", "follow": "café❤"},
            "a typed [SEP]": {
                "a": "I am Sinan [SEP] She is Zoe",
                "closer": "two texts, two segments",
            },
        },
    )

pair = second if second.strip() else None
with errors_shown():
    text = tokenize(bert, first, pair)
    wordpiece_views.reading_finding(bert, text)
    token_chips(text, by_word=True)
    wordpiece_views.token_table(text, first, pair)
    wordpiece_views.show_code(bert, first, pair)
    wordpiece_views.look_closer(bert, first, pair, text)
