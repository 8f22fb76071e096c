"""The length of every row of the token table, by kind of token."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Ids
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import KIND_NAMES, KINDS
from bertviz_core.figures.drawing import Figure, draw, label, marks
from bertviz_core.figures.points import OF_KINDS, Span, image, points_png, ruled
from bertviz_core.shared.results import once
from bertviz_core.views.card import card
from bertviz_core.views.declare import view
from bertviz_core.views.parts import Sentence
from bertviz_core.views.view import View, caption, note, program, say, table

EXTREMES = 10  # rows at each end
FEW = 200  # rows of a kind that are marks, each of them
# Between a wide screen's shape and a phone's, as the picture is stretched to either.
SIZE = (800, 400)
UNUSED_SHARE = 0.99  # of the rows that no text reaches: a trained row should be longer than so many
Kinds = NDArray[np.int8]


@once
def _picture(bert: Bert) -> str:
    return norms_picture(bert.tables.word_norms, bert.vocabulary.kinds)


@view("norms of the token table", page="Inside the Model", rank=20)
def token_norms(bert: Bert) -> View:
    """How long the rows of words, subwords and tokens that no text reaches are."""
    words, norms = bert.vocabulary, bert.tables.word_norms
    kinds = np.unique(words.kinds).tolist()
    of_kinds = [norms[words.kinds == kind].astype(np.float64) for kind in kinds]
    medians = [np.median(lengths) for lengths in of_kinds]
    names = [KIND_NAMES[kind] for kind in kinds]
    rising = np.argsort(norms, kind="stable")
    ends = np.concatenate([rising[:EXTREMES], rising[-EXTREMES:]])
    every = table(
        lambda: {
            "token id": np.arange(len(norms)),
            "token": words.tokens,
            "kind": [KIND_NAMES[k] for k in words.kinds],
            "length": norms,
        },
        name="token-lengths",
        fold=f"Table of all {len(norms):,} rows",
    )
    return card(
        _about_unused(bert),
        name="token-norms",
        columns={
            "kind": names,
            "rows": [lengths.size for lengths in of_kinds],
            "median length": medians,
            "mean": [lengths.mean() for lengths in of_kinds],
            "standard deviation": [lengths.std() for lengths in of_kinds],
            "shortest": [lengths.min() for lengths in of_kinds],
            "longest": [lengths.max() for lengths in of_kinds],
        },
        chart=norms_figure(norms, words.kinds, words.tokens, ends, _picture(bert)),
        alt=f"Length of {len(norms):,} rows of the token table against their id. Medians: "
        + ", ".join(f"{name} {median:.3f}" for name, median in zip(names, medians, strict=True))
        + ".",
        below=[
            caption(
                "One point for each token; drag to zoom. Point at one for its name: the {ends} "
                "longest and shortest have one, and all kinds with at most {few} rows. The table "
                "below names all.",
                ends=EXTREMES,
                few=FEW,
            ),
            every,
        ],
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


def norms_figure(norms: Array, kinds: Kinds, tokens: Sequence[str], ends: Ids, png: str) -> Figure:
    """Draw every row's length against its number: `png` for large kinds, marks on some rows."""
    across, up = _spans(norms)
    is_mark = ~_in_picture(kinds)
    is_mark[ends] = True
    traces = []
    for kind in np.unique(kinds).tolist():
        of_kind = kinds == kind
        name = KIND_NAMES[kind]
        rows = np.flatnonzero(of_kind & is_mark)
        traces.append(
            marks(
                rows.astype(np.int32),
                norms[rows],
                OF_KINDS[kind].marker,
                f"{name}<br>median {np.median(norms[of_kind]):.3f}<br>"
                "%{text}<br>id %{x}<br>length %{y:.3f}",
                name=f"{name} ({of_kind.sum():,})",
                text=[label(tokens[row]) for row in rows.tolist()],
            )
        )
    return draw(
        traces,
        height=520,
        # The picture would not follow a click.
        legend={"itemsizing": "constant", "itemclick": False, "itemdoubleclick": False},
        images=[image(png, across=across, up=up)],
        hoverdistance=10,  # pixels: the nearest mark, and not one far from the pointer
        xaxis=ruled("token id", across, tickformat="d"),
        yaxis=ruled("length of the row", up),
    )


def norms_picture(norms: Array, kinds: Kinds) -> str:
    """Draw the many rows of `norms_figure` as a PNG; it takes longest to make."""
    across, up = _spans(norms)
    many = np.where(_in_picture(kinds), kinds, -1)
    rows = np.arange(len(norms))
    return points_png(rows, norms, many, OF_KINDS, across=across, up=up, size=SIZE)


def _spans(norms: Array) -> tuple[Span, Span]:
    """What the axes reach over, with room for the marks at the edges."""
    beside = max(len(norms) / 50, 1.0)
    return (-beside, len(norms) - 1 + beside), (0.0, 1.06 * max(float(norms.max()), 1e-6))


def _in_picture(kinds: Kinds) -> NDArray[np.bool]:
    """Whether each row is of a kind that has more rows than marks should be."""
    many: NDArray[np.bool] = np.bincount(kinds)[kinds] > FEW
    return many


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
