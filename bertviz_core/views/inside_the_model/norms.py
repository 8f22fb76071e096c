"""The length of every row of the token table, by kind of token."""

from collections.abc import Sequence

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import KIND_NAMES, KINDS
from bertviz_core.figures.colors import FRAME
from bertviz_core.figures.drawing import Figure, draw, named_rows, titled
from bertviz_core.figures.points import OF_KINDS
from bertviz_core.saved_files import Columns
from bertviz_core.views.card import card
from bertviz_core.views.declare import view
from bertviz_core.views.parts import Sentence
from bertviz_core.views.view import View, caption, note, program, say

UNUSED_SHARE = 0.99  # of the rows that no text reaches: a trained row should be longer than so many
# Columns of the table that the picture draws, by the share of rows that are shorter.
QUANTILES = {"1%": 0.01, "25%": 0.25, "median length": 0.5, "75%": 0.75, "99%": UNUSED_SHARE}
ROW = 36  # pixels of a kind


@view("norms of the token table", page="Inside the Model", rank=20)
def token_norms(bert: Bert) -> View:
    """How long the rows of words, subwords and tokens that no text reaches are."""
    words, norms = bert.vocabulary, bert.tables.word_norms
    kinds = np.unique(words.kinds).tolist()
    of_kinds = [norms[words.kinds == kind].astype(np.float64) for kind in kinds]
    columns: Columns = {
        "kind": [KIND_NAMES[kind] for kind in kinds],
        "rows": [lengths.size for lengths in of_kinds],
        "shortest": [lengths.min() for lengths in of_kinds],
        **{
            title: [np.quantile(lengths, share) for lengths in of_kinds]
            for title, share in QUANTILES.items()
        },
        "longest": [lengths.max() for lengths in of_kinds],
    }
    medians = zip(columns["kind"], columns["median length"], strict=True)
    return card(
        _about_unused(bert),
        name="token-norms",
        columns=columns,
        chart=norms_figure(columns, [OF_KINDS[kind].color for kind in kinds]),
        alt=f"Lengths of {len(norms):,} rows of the token table, a box for each kind of token. "
        "Medians: " + ", ".join(f"{name} {median:.3f}" for name, median in medians) + ".",
        below=caption(
            "A box holds the middle half of the rows of a kind, its line is their median; the "
            "thin lines leave out the shortest 1% and the longest 1%."
        ),
        program=program(PROGRAM, bert, name="norms"),
    )


def _about_unused(bert: Bert) -> Sentence:
    """Compare words with the rows that no text reaches."""
    kinds, norms = bert.vocabulary.kinds, bert.tables.word_norms
    words, untrained = (norms[kinds == KINDS.index(kind)] for kind in ("word", "unused"))
    if not untrained.size:
        return note("Texts reach all rows of {name}.", name=bert.name)
    longer = np.mean(words > np.quantile(untrained, UNUSED_SHARE))
    return say(
        "Median length: words <b>{median_words:.3f}</b>, the {count} rows that no text reaches "
        "<b>{median_unused:.3f}</b>; <b>{share}</b> of the words are longer than {most} of those.",
        count=f"{len(untrained):,}",
        median_unused=float(np.median(untrained)),
        median_words=float(np.median(words)),
        share=f"{longer:.2%}",
        most=f"{UNUSED_SHARE:.0%}",
        method="norms-of-the-token-table",
    )


def norms_figure(columns: Columns, colors: Sequence[str]) -> Figure:
    """Draw a box for each row of the table, the first on top."""
    names = list(columns["kind"])
    ends = dict(zip(("lowerfence", "q1", "median", "q3", "upperfence"), QUANTILES, strict=True))
    boxes = [
        {
            "type": "box",
            "orientation": "h",
            "name": name,
            "y": [row],
            **{end: [columns[title][row]] for end, title in ends.items()},
            "line": {"color": color},
            "hoverinfo": "x",
        }
        for row, (name, color) in enumerate(zip(names, colors, strict=True))
    ]
    return draw(
        boxes,
        height=ROW * len(names) + FRAME,
        boxgap=0.4,
        xaxis=titled("length of the row", rangemode="tozero", showgrid=True),
        yaxis=named_rows(names),
    )


PROGRAM = r'''
"""The rows of the token table by kind: how many, and their median length."""

reached = ...
tokenizer, model = ...
special = set(tokenizer.all_special_tokens)
prefix = tokenizer.backend_tokenizer.model.continuing_subword_prefix  # ##
read = reached(tokenizer)


def kind(row: int, token: str) -> str:
    """What a token is made of, by Unicode's classes: letters L and M, numerals N."""
    if token in special:
        return "special"
    if row not in read:
        return "no text reaches it"
    if prefix and token.startswith(prefix) and token != prefix:
        return "subword"
    classes = {unicodedata.category(letter)[0] for letter in token}
    if not classes & {"L", "M", "N"}:
        return "sign"
    if classes == {"N"}:
        return "digit"
    names = [
        unicodedata.name(letter, "")
        for letter in token
        if not letter.isascii() and unicodedata.category(letter)[0] in "LM"
    ]
    if not all(name.startswith(("LATIN ", "COMBINING ")) for name in names):
        return "other script"
    return "one letter" if len(token) == 1 else "word"


lengths = model.embeddings.word_embeddings.weight.detach().double().norm(dim=1)
tokens = {row: token for token, row in tokenizer.get_vocab().items()}
rows: dict[str, list[int]] = {}
for row in range(len(lengths)):
    rows.setdefault(kind(row, tokens.get(row, "")), []).append(row)
for name, of_kind in rows.items():
    print(name, len(of_kind), f"{lengths[of_kind].quantile(0.5):.5f}")
'''
