"""Two sentences, row by row: which rows of their embeddings are the same."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Ids
from bertviz_core.bert import Bert
from bertviz_core.embeddings.embedding_layer import STAGES, compare_rows
from bertviz_core.errors import shortened
from bertviz_core.figures import colors
from bertviz_core.figures.axes import CELL_LIMIT, named, named_rows, numbered
from bertviz_core.figures.drawing import Figure, draw, heatmap
from bertviz_core.tokens import InputText, TokenizedText, tokenize
from bertviz_core.views.declare import view
from bertviz_core.views.parts import caption, note, picture, program, say, table, truncated
from bertviz_core.views.sentences import joined
from bertviz_core.views.view import Links, Part, Sentence, Text, View

MOST_NAMED, MOST_PAIRS = 6, 2_000
MOST_NUMBERED = 400  # squares with the number of their stage
# Light to dark, so that it reads without colour; the first is nearly the ground.
STAGE_COLORS = (colors.faint(colors.MUTED, 0.15), *("#C6DBEF", "#6BAED6", "#2171B5", "#08306B"))
Equal = NDArray[np.bool_]  # (4, rows of A, rows of B), by stage


@view("two sentences, row by row", page="Input Embeddings", rank=60)
def rows(bert: Bert, typed: InputText) -> View:
    """Sentence A and sentence B, each an input of its own: which of their rows are equal."""
    other, example = typed.text_pair, list[Part]()
    if other is None:
        other = _another_order(typed.text)
        example = [
            caption("B is empty above: here it holds “{other}”.", other=shortened(other)),
            Links("Or open", {"I am Sinan / She is Zoe": {"a": "I am Sinan", "b": "She is Zoe"}}),
        ]
    a, b = tokenize(bert, typed.text), tokenize(bert, other)
    compared = compare_rows(bert, a, b)
    return View(
        Text(
            "Here A and B are two inputs, `[CLS] A [SEP]` and `[CLS] B [SEP]`, both in segment A; "
            "the heatmaps above show them as one pair. Equal means equal to the last bit."
        ),
        example,
        truncated(a, "Sentence A"),
        truncated(b, "Sentence B"),
        _finding(a, b, compared),
        _equal_pairs(a, b, compared),
        program("embeddings/rows", bert, text=typed.text, other_text=other),
    )


def _another_order(text: str) -> str:
    words = text.split()
    backwards = " ".join(reversed(words))
    return backwards if words != words[::-1] else f"the {backwards}".strip()


def _finding(a: TokenizedText, b: TokenizedText, compared: Equal) -> Sentence:
    looked_up, _, with_position, _ = compared
    shared = np.flatnonzero(looked_up.any(axis=1))
    kept = [f"{i} {a.tokens[i]}" for i, _ in np.argwhere(with_position)]
    moved = {
        a.tokens[i]: f"{a.tokens[i]} (A {i}, B {int(looked_up[i].argmax())})"
        for i in shared
        if not with_position[i].any()
    }
    sentences = (
        "The token rows of <b>{shared}</b> are the same in both. With positions added, "
        "<b>{kept}</b> {verb} the same."
    )
    if moved:
        sentences += " These move to another position, so they differ: {moved}."
    return say(
        sentences,
        shared=_named(dict.fromkeys(a.tokens[i] for i in shared)),
        kept=_named(kept) or "no row",
        verb="stays" if len(kept) < 2 else "stay",
        moved=_named(moved.values()),
        method="two-sentences-row-by-row",
    )


def _equal_pairs(a: TokenizedText, b: TokenizedText, compared: Equal) -> list[Part]:
    # How many stages two rows stay equal, from the first: 0 to 4.
    kept, parts = np.cumprod(compared, axis=0).sum(axis=0), list[Part]()
    if kept.size <= CELL_LIMIT:
        counts = [int(stage.any(axis=1).sum()) for stage in compared]
        parts += [
            caption(
                "Each square is the last stage at which a row of A (down) and a row of B (across) "
                "are equal: 1 token rows, 2 + segment, 3 + position, 4 after LayerNorm"
            ),
            picture(
                _squares(kept, a, b),
                alt=f"Squares for {len(a)} rows of A by {len(b)} rows of B. Rows of A with "
                "an equal row in B: "
                + ", ".join(f"{n} ({stage})" for stage, n in zip(STAGES, counts, strict=True))
                + ".",
                name="equal-rows",
            ),
        ]
    else:
        too_many = "{pairs} pairs are too many for a chart. The table lists the equal ones."
        parts.append(note(too_many, pairs=f"{kept.size:,}"))
    pairs = np.argwhere(compared.any(axis=0))
    if len(pairs) > MOST_PAIRS:
        cut = "{equal_pairs} pairs of rows are equal; the table lists the first {most}."
        parts.append(note(cut, equal_pairs=f"{len(pairs):,}", most=f"{MOST_PAIRS:,}"))
    of_a, of_b = pairs[:MOST_PAIRS].T
    columns = {
        "position in A": of_a,
        "token in A": [a.tokens[i] for i in of_a],
        "position in B": of_b,
        "token in B": [b.tokens[j] for j in of_b],
    } | {
        stage: np.where(identical[of_a, of_b], "equal", "differs")
        for stage, identical in zip(STAGES, compared, strict=True)
    }
    return [*parts, table(columns, name="equal-rows")]


def _squares(kept: Ids, a: TokenizedText, b: TokenizedText) -> Figure:
    """A square for each pair of rows, darker the longer they stay equal."""
    named_stages = {"tickvals": list(range(len(STAGE_COLORS))), "ticktext": ["never", *STAGES]}
    cells = heatmap(
        kept.astype(np.int8),
        "A: %{y}<br>B: %{x}<br>equal for %{z} of 4 stages",
        colors.steps(STAGE_COLORS),
        (-0.5, len(STAGES) + 0.5),
        xgap=1,
        ygap=1,
        colorbar={"tickmode": "array"} | named_stages,
    )
    if kept.size <= MOST_NUMBERED:
        numbers = [[str(stage or "") for stage in row] for row in kept]
        cells |= {"text": numbers, "texttemplate": "%{text}"}
    return draw(
        [cells],
        height=int(np.clip(30 * len(a) + 110, 200, 620)),
        xaxis=named(numbered(b.tokens), 40, range=[-0.5, len(b) - 0.5]),
        yaxis=named_rows(numbered(a.tokens), 40),
    )


def _named(names: Iterable[str]) -> str:
    """Join at most six names and say how many more there are; "" if there are none."""
    shown = list(names)
    if len(shown) > MOST_NAMED:
        shown[MOST_NAMED:] = [f"{len(shown) - MOST_NAMED} more"]
    return joined(shown)
