"""Two sentences, row by row: which rows of their embeddings are the same."""

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from bertviz_core.embeddings.rows import RowComparison, compare_rows
from bertviz_core.figures import colors
from bertviz_core.figures.axes import CELL_LIMIT
from bertviz_core.figures.embeddings.equal_rows import equal_rows_heatmap
from bertviz_core.figures.heatmaps.embeddings import Panel, embedding_stack, saturation_limit
from bertviz_core.snippets.fill import filled
from bertviz_core.tokens import TokenizedText, tokenize
from bertviz_core.ui import links
from bertviz_core.ui.html import finding, joined, note
from bertviz_core.ui.input_embeddings.sections import ROWS
from bertviz_core.ui.input_embeddings.shares import table_height
from bertviz_core.ui.show import chart, code, table

if TYPE_CHECKING:
    from bertviz_core.bert import Bert

STAGES = ("token rows", "+ segment", "+ position", "after LayerNorm")
PANELS = {0: colors.TOKEN, 2: colors.OUTPUT, 3: colors.OUTPUT}  # segment A twice: no change at 1
MOST_NAMED, MOST_PAIRS = 6, 2_000


def two_sentences(bert: "Bert", first: str, second: str | None) -> None:
    """Compare sentence A and sentence B, each an input of its own."""
    st.subheader("Two sentences, row by row", anchor=False)
    if second is None:
        note("Type a sentence B above: its rows are compared with those of sentence A.")
        links.examples(
            "Input_Embeddings",
            "Or open",
            {"I am Sinan / She is Zoe": {"a": "I am Sinan", "b": "She is Zoe", "look": ROWS}},
        )
        return
    st.markdown(
        "Here A and B are two inputs, `[CLS] A [SEP]` and `[CLS] B [SEP]`, both in segment A; the "
        "heatmaps above show them as one pair. Equal means equal to the last bit."
    )
    a, b = tokenize(bert, first), tokenize(bert, second)
    for name, text in (("A", a), ("B", b)):
        if text.truncated:
            note(
                "Sentence {name} has {all} tokens; the model has positions for {room}. The last "
                "<b>{cut}</b> were left out.",
                name=name,
                all=f"{len(text) + text.truncated:,}",
                room=f"{len(text):,}",
                cut=f"{text.truncated:,}",
            )
    found = compare_rows(bert, a, b)
    _say(a, b, found)
    _equal_pairs(a, b, found)
    _differences(bert, a, b, found)
    code(lambda: filled("embeddings/rows", bert, text=first, other_text=second), name="rows")


def _say(a: TokenizedText, b: TokenizedText, found: RowComparison) -> None:
    same_rows = np.flatnonzero(found.identical[0].any(axis=1))
    same_tokens = list(dict.fromkeys(a.tokens[i] for i in same_rows))
    kept = np.argwhere(found.identical[2])
    moved = [i for i in same_rows if not found.identical[2, i].any()]
    elsewhere = {
        a.tokens[i]: f"{a.tokens[i]} (A {i}, B {int(found.identical[0, i].argmax())})"
        for i in moved
    }
    finding(
        "The token rows of <b>{tokens}</b> are the same in both. With positions added, "
        "<b>{kept}</b> {verb}{moved}.",
        tokens=_named(same_tokens),
        kept=_named([f"{i} {a.tokens[i]}" for i, _ in kept]) if len(kept) else "no row",
        verb="stays the same" if len(kept) < 2 else "stay the same",
        moved=f"; at another index, and so no longer the same: {_named(list(elsewhere.values()))}"
        if elsewhere
        else "",
    )


def _equal_pairs(a: TokenizedText, b: TokenizedText, found: RowComparison) -> None:
    kept = found.stages_kept
    counts = [int(stage.any(axis=1).sum()) for stage in found.identical]
    if kept.size <= CELL_LIMIT:
        st.caption(
            "How many stages a row of A (down) stays equal to a row of B (across): 1 token rows, "
            "2 + segment, 3 + position, 4 after LayerNorm"
        )
        chart(
            equal_rows_heatmap(kept, a.tokens, b.tokens, stages=STAGES),
            alt=f"Squares for {len(a)} rows of A by {len(b)} rows of B. Rows of A with an equal "
            "row in B: "
            + ", ".join(f"{n} ({stage})" for stage, n in zip(STAGES, counts, strict=True))
            + ".",
            name="equal-rows",
        )
    else:
        note(
            "{pairs} pairs are more than a chart shows; the table lists the equal ones.",
            pairs=f"{kept.size:,}",
        )
    import pandas as pd

    pairs = np.argwhere(found.identical.any(axis=0))
    if len(pairs) > MOST_PAIRS:
        note(
            "{count} pairs of rows are equal; the table lists the first {most}.",
            count=f"{len(pairs):,}",
            most=f"{MOST_PAIRS:,}",
        )
    rows, columns = pairs[:MOST_PAIRS].T
    listed: dict[str, object] = {
        "position in A": rows,
        "token in A": [a.tokens[i] for i in rows],
        "position in B": columns,
        "token in B": [b.tokens[j] for j in columns],
    }
    for stage, identical in zip(STAGES, found.identical, strict=True):
        listed[stage] = np.where(identical[rows, columns], "equal", "differs")
    table(pd.DataFrame(listed), name="equal-rows", height=table_height(len(rows)))


def _differences(bert: "Bert", a: TokenizedText, b: TokenizedText, found: RowComparison) -> None:
    both = found.differences.shape[1]
    names = [f"{left} − {right}" for left, right in zip(a.tokens, b.tokens, strict=False)]
    lengths = np.linalg.norm(found.differences.astype(np.float64), axis=2)  # (4, both)
    longest = lengths[3].argmax()
    finding(
        "A minus B at the same position: after LayerNorm the difference is longest at "
        "<b>{place} {name}</b> ({most}); rows without any: {zero} of {count}.",
        place=longest,
        name=names[longest],
        most=f"{lengths[3, longest]:.2f}",
        zero=int((lengths[3] == 0).sum()),
        count=both,
    )
    if len(a) != len(b):
        st.caption(
            f"A has {len(a)} rows, B {len(b)}; the first {both} stand beside each other. Rows "
            f"without a partner at their position: {abs(len(a) - len(b))}."
        )
    panels = [
        Panel(f"A − B, {STAGES[stage]}", values, saturation_limit(values), color)
        for stage, color in PANELS.items()
        for values in (found.differences[stage],)
    ]
    chart(
        embedding_stack(panels, names, range(bert.hidden_size)),
        alt=f"Heatmaps of A minus B for {both} positions by {bert.hidden_size} dimensions: token "
        "rows, with segment and position added, after LayerNorm; white rows are equal. Lengths "
        f"after LayerNorm {lengths[3].min():.2f} to {lengths[3].max():.2f}.",
        name="row-differences",
    )
    import pandas as pd

    columns: dict[str, object] = {
        "position": np.arange(both),
        "token in A": a.tokens[:both],
        "token in B": b.tokens[:both],
    }
    for stage, row in zip(STAGES, lengths, strict=True):
        columns[f"length of A − B, {stage}"] = row
    table(pd.DataFrame(columns), name="row-differences", height=table_height(both))


def _named(names: list[str]) -> str:
    """Join at most six names and say how many more there are."""
    more = len(names) - MOST_NAMED
    return joined([*names[:MOST_NAMED], f"{more} more"] if more > 0 else names)
