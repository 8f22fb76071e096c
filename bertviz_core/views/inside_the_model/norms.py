"""The length of every row of the token table, by kind of token."""

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from bertviz_core.arrays import Exact
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.tensors import extreme_rows, norms_by_kind
from bertviz_core.checkpoints.vocabulary import KIND_NAMES, KINDS
from bertviz_core.claims import Verdict
from bertviz_core.claims.tables import LOW_IDS, UNUSED_ROWS
from bertviz_core.figures.inside.norms import FEW, norms_by_kind_scatter, norms_picture
from bertviz_core.shared import once
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Several
from bertviz_core.views.inside_the_model.tensor import EXTREMES, extremes
from bertviz_core.views.parts import caption, note, picture, program, say, table
from bertviz_core.views.view import Sentence, View

MOST_UNUSED = 0.99  # the share of [unused] rows that a trained row should be longer than


@once
def _picture(bert: Bert, shown: tuple[int, ...]) -> str:
    return norms_picture(bert.tables.word_norms, bert.vocabulary.kinds, shown)


@once
def _verdicts(bert: Bert) -> tuple[Verdict, Verdict]:
    return UNUSED_ROWS.condition(bert), LOW_IDS.condition(bert)


def present_kinds(bert: Bert) -> dict[str, int]:
    """The kinds of tokens of a vocabulary, by name."""
    return {KIND_NAMES[kind]: int(kind) for kind in np.unique(bert.vocabulary.kinds)}


@view("norms of the token table", page="Inside the Model", rank=20)
def token_norms(
    bert: Bert,
    kinds: Annotated[
        Sequence[int],
        Several("Only these kinds", present_kinds, about="the kinds of tokens that are shown"),
    ] = (),
) -> View:
    """How long the rows of words, subwords and tokens that no text uses are."""
    words, norms = bert.vocabulary, bert.tables.word_norms
    lengths = norms_by_kind(norms, words.kinds, len(KINDS))
    present = list(present_kinds(bert).values())
    shown = tuple(kinds or present)
    ends = np.concatenate(extreme_rows(norms, min(EXTREMES, len(norms))))
    unused, ids = _verdicts(bert)
    return View(
        _about_unused(bert, lengths["median"]),
        picture(
            norms_by_kind_scatter(
                norms,
                words.kinds,
                KIND_NAMES,
                words.tokens,
                extremes=ends,
                shown=shown,
                png=_picture(bert, shown),
            ),
            alt=f"Length of {len(norms):,} rows of the token table against their id. Medians: "
            + ", ".join(f"{KIND_NAMES[k]} {lengths['median'][k]:.3f}" for k in present)
            + ".",
            name="token-norms",
            typed=False,
        ),
        caption(
            "One point for each token. The pointer names some of them, the {ends} longest and "
            "shortest, and every token of a kind with at most {few} rows; the file below names "
            "all. Drag to zoom.",
            ends=EXTREMES,
            few=FEW,
        ),
        caption(UNUSED_ROWS.template(unused), method="trained-or-fresh", **unused.numbers),
        caption(LOW_IDS.template(ids), method="norms-of-the-token-table", **ids.numbers),
        table(
            {
                "kind": [KIND_NAMES[k] for k in present],
                "rows": np.bincount(words.kinds, minlength=len(KINDS))[present],
                "median length": lengths["median"][present],
                "mean": lengths["mean"][present],
                "standard deviation": lengths["std"][present],
                "shortest": lengths["smallest"][present],
                "longest": lengths["largest"][present],
            },
            name="lengths-by-kind",
            fold="Table",
            files={
                f"The {EXTREMES} longest and shortest rows as CSV": (
                    "extreme-tokens",
                    lambda: extremes(norms, words.tokens),
                ),
                f"All {len(norms):,} rows as CSV": (
                    "token-lengths",
                    lambda: {
                        "token id": np.arange(len(norms)),
                        "token": words.tokens,
                        "kind": [KIND_NAMES[k] for k in words.kinds],
                        "length": norms,
                    },
                ),
            },
        ),
        program("inside/norms", bert),
    )


def _about_unused(bert: Bert, medians: Exact) -> Sentence:
    """Compare words with the rows that no text uses."""
    unused, word = KINDS.index("unused"), KINDS.index("word")
    kinds, norms = bert.vocabulary.kinds, bert.tables.word_norms
    untrained = norms[kinds == unused]
    if not untrained.size:
        return note(
            "{name} has no [unused] rows, so no group of rows belongs to no text.", name=bert.name
        )
    longer = np.mean(norms[kinds == word] > np.quantile(untrained, MOST_UNUSED))
    return say(
        "Median length: words <b>{median_words:.3f}</b>, the {count} [unused] rows "
        "<b>{median_unused:.3f}</b>; <b>{share}</b> of the words are longer than {most} of those.",
        count=f"{len(untrained):,}",
        median_unused=float(medians[unused]),
        median_words=float(medians[word]),
        share=f"{longer:.2%}",
        most=f"{MOST_UNUSED:.0%}",
        method="norms-of-the-token-table",
    )
