"""One word in two sentences: the rows that add up to what enters BERT, and where its paths part."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.contextual.marks import pieces_of
from bertviz_core.embeddings import InputEmbeddings, input_embeddings
from bertviz_core.figures import colors
from bertviz_core.figures.drawing import (
    Figure,
    draw,
    heatmap,
    label,
    named_rows,
    outline,
    panel_title,
    width_of,
)
from bertviz_core.figures.matrices import saturation_limit
from bertviz_core.figures.paths import layer_frames, parting
from bertviz_core.views.declare import view
from bertviz_core.views.parts import Part, Picture
from bertviz_core.views.view import View, beside, caption, joined, note, picture, program, table
from bertviz_core.views.word_in_context.comparison import Comparison, not_followed, not_read
from bertviz_core.views.word_in_context.paths import (
    LEADER,
    band_of,
    by_itself,
    by_layer,
    paths_of,
    paths_program,
    taken_alone,
    what_leans,
)
from bertviz_core.views.word_in_context.reading import Line

DIMENSIONS = 48  # of a row that are drawn
MAX_ROWS = 12  # tokens of a sentence, around the followed word
HEIGHT = 300  # pixels of the paths
HEIGHT_LARGE = 326  # with the bands above, whose rows take of it
MIN_LARGE = 210
BANDS = {
    "token": colors.TOKEN,
    "+ segment": colors.SEGMENT,
    "+ position": colors.POSITION,
    "= input": colors.OUTPUT,
}
STEPS = ("words", *BANDS)  # what is seen one after another, before the layers
ROW = 15  # pixels of a row of the bands
ROW_LARGE = 12
TITLE = 22  # pixels above the bands, and below them
BELOW = 4
GAP = 0.02  # between two bands, as a share of the width


class Summed(NamedTuple):
    """A sentence, the embeddings of its tokens, and which of them are drawn."""

    line: Line
    parts: InputEmbeddings
    followed: list[tuple[int, ...]]  # positions of the pieces of each followed word
    rows: range

    def values(self, rows: Sequence[int]) -> list[Array]:
        """The first numbers of each of the `BANDS`, float32 (rows, dimensions)."""
        parts = self.parts
        bands = (parts.word, parts.token_type, parts.position, parts.output)
        return [band[list(rows), :DIMENSIONS] for band in bands]


@view("one word in two sentences", page="Home", rank=0)
def sums(bert: Bert, lines: Sequence[Line], large: bool = False) -> View:
    """How a word enters BERT: in each sentence, three rows are added and brought to one scale."""
    summed = [_summed(bert, line) for line in lines]
    bands = [one.values(one.rows) for one in summed]
    # Of both sentences: equal colours are equal numbers. LayerNorm has a scale of its own.
    added = max(saturation_limit(part) for *parts, _ in bands for part in parts)
    normalized = max(saturation_limit(output) for *_, output in bands)
    limits = [added] * 3 + [normalized]
    # Words are outlined in the colours of their paths: a blank sentence has none.
    outlines = iter(colors.SENTENCE_COLORS)
    pictures = []
    for number, one in enumerate(summed, start=1):
        outline_color = next(outlines) if one.followed else colors.MUTED
        figure = _bands(one, limits, outline_color, bert.num_hidden_layers, large=large)
        alt = (
            f"Sentence {number}: {len(one.rows)} tokens by {DIMENSIONS} dimensions, as "
            f"four heatmaps: {', '.join(BANDS)} embedding. Outlined words: {len(one.followed)}."
        )
        pictures.append(picture(figure, alt=alt, name=f"bands-{number}"))
    words = [(mark.text, mark.start, mark.end) for line in lines for mark in line.followed]
    return View(
        _notes(bert, summed),
        beside(*pictures),
        table(lambda: _numbers(summed), name="sums", decimals=4, fold="Table of the sums"),
        [program(SUMS_PROGRAM, bert, about="the sums", words=words, shown=DIMENSIONS, name="sums")]
        if words
        else [],
    )


@view("where its paths part", page="Home", rank=0)
def paths(comparison: Comparison, bert: Bert, large: bool = False) -> View:
    """How context moves the word apart, layer by layer: what it is nearer to in each sentence."""
    rows = max(min(len(word.text), MAX_ROWS) for word in comparison.words)
    height = max(HEIGHT_LARGE - ROW_LARGE * rows, MIN_LARGE) if large else HEIGHT
    anchors = comparison.uses[0].anchors
    drawn = _between(comparison, height, large) if anchors else by_itself(comparison, STEPS, height)
    return View(
        what_leans(comparison, short=large),
        drawn,
        taken_alone(comparison),
        caption(
            "Red is above zero, blue below; {shown} of {size} dimensions. Input: LayerNorm of the "
            "sum, on its own scale. Paths: cosine {to}.",
            shown=min(DIMENSIONS, bert.hidden_size),
            size=bert.hidden_size,
            to=f"to {' less that to '.join(anchors)}" if anchors else "of the word to itself",
        ),
        table(lambda: by_layer(comparison), name="paths", fold="Table of the paths"),
        paths_program(comparison, bert, name="paths", about="the paths"),
    )


def _between(comparison: Comparison, height: int, large: bool) -> Picture:
    """The words as paths over the layers, by how much nearer to one of two anchors they are."""
    # What the first word leans to is above.
    order = [1, 0] if comparison.uses[0].leans_to[0] == comparison.axes[1] else [0, 1]
    names = [comparison.axes[axis] for axis in order]
    leans, of_sentences = (
        np.stack(comparison.by_word(attrgetter(name)))[:, order]
        for name in ("leans", "sentence_leans")
    )
    cosines = comparison.to_axes[:, order]
    heights = cosines[:, 0] - cosines[:, 1]
    middle = (heights - (leans[:, 0] - leans[:, 1])).mean(axis=0)
    layers = np.arange(len(middle))
    words = [
        path._replace(
            x=layers,
            y=heights[number],
            hints=comparison.hints(number),
            end=names[int(leans[number, 0, -1] < leans[number, 1, -1])],
            mark=np.stack([layers, middle + of_sentences[number, 0] - of_sentences[number, 1]]),
        )
        for number, path in enumerate(paths_of(comparison))
    ]
    if len(comparison.groups) > 1:  # different words have no common middle
        middle = np.full_like(middle, np.nan)
        words = [path._replace(mark=None) for path in words]
    last = len(layers) - 1
    half = band_of(comparison)
    return picture(
        parting(
            words,
            (middle, "" if large else "leans to neither"),
            steps=STEPS,
            height=height,
            sides=names,
            band=None if half is None else (middle - half, middle + half),
        ),
        alt=f"Words ({len(words)}) as paths over the layers, by their similarity to "
        f"{' less that to '.join(names)}, at layer 0 and at layer {last}: "
        + "; ".join(f"{path.y[0]:.2f} and {path.y[-1]:.2f}" for path in words)
        + ".",
        name="paths",
    )


def _bands(
    summed: Summed,
    limits: Sequence[float],
    color: str,
    layers: int,
    *,
    large: bool,
) -> Figure:
    """Draw the `BANDS` of a sentence side by side, the rows of its words outlined in `color`.

    There is a frame for each of `STEPS` and of the `layers` behind them.
    """
    rows = summed.rows
    values = summed.values(rows)
    names = [f"{at} {label(summed.line.tokens.tokens[at], 12)}" for at in rows]
    followed = [[at - rows[0] for at in word if at in rows] for word in summed.followed]
    bold = {row for word in followed for row in word}
    texts = [f"<b>{name}</b>" if row in bold else name for row, name in enumerate(names)]
    traces = []
    titles = []
    shapes = []
    axis_of_rows: dict[str, Any] = {"automargin": False, "ticklabelstandoff": 4, "fixedrange": True}
    layout: dict[str, Any] = {"yaxis": named_rows(names, ticktext=texts, **axis_of_rows)}
    for number, (title, color_of_band) in enumerate(BANDS.items()):
        axis = f"{number + 1}" if number else ""  # the end of its name, "x2" or "xaxis2"
        size = values[number].shape[1]
        left, right = number / len(BANDS), (number + 1) / len(BANDS)
        cells = heatmap(
            values[number],
            f"%{{y}}, dimension %{{x}}: {title} <b>%{{z:.4f}}</b>",
            colors.DIVERGING_SCALE,
            (-limits[number], limits[number]),
            y=names,
            showscale=False,
            name=title,
        )
        traces.append(cells | {"xaxis": f"x{axis}"})
        titles.append(panel_title(f"<b>{title}</b>", x=left, y=1))
        edge = {"type": "line", "x0": -0.5, "x1": size - 0.5, "y0": -0.5, "y1": -0.5}
        edge |= {"line": {"color": color_of_band, "width": 4}}
        shapes.append(edge | {"xref": f"x{axis}"})
        layout[f"xaxis{axis}"] = {
            "domain": [left, right - GAP * (number < len(BANDS) - 1)],
            "range": [-0.5, size - 0.5],
            "showticklabels": False,
            "fixedrange": True,
        }
        for word in filter(None, followed):
            shapes.append(outline((0, size - 1), (word[0], word[-1]), color) | {"xref": f"x{axis}"})
    changes = [
        [{"type": "heatmap", "opacity": int(band < step)} for band in range(len(BANDS))]
        for step in range(len(STEPS) + layers)
    ]
    height = TITLE + len(names) * (ROW_LARGE if large else ROW) + BELOW
    margin = {"l": width_of(names), "t": TITLE, "b": BELOW, "r": 4, "pad": 0}
    return draw(
        traces,
        height=height,
        frames=layer_frames(changes),
        margin=margin,
        dragmode=False,
        annotations=titles,
        shapes=shapes,
        meta=LEADER,
        **layout,
    )


def _summed(bert: Bert, line: Line) -> Summed:
    text = line.tokens
    followed = [pieces_of(mark, text) for mark in line.followed]
    middle = followed[0][0] if followed else 0
    first = max(min(middle - MAX_ROWS // 2, len(text) - MAX_ROWS), 0)
    rows = range(first, min(first + MAX_ROWS, len(text)))
    return Summed(line, input_embeddings(bert, text), followed, rows)


def _notes(bert: Bert, summed: Sequence[Summed]) -> list[Part]:
    """Notes on tokens that are cut, not drawn or unknown, and on different words."""
    followed = {line.text for line, *_ in summed if line.followed}
    notes: list[Part] = [*not_followed((line.text for line, *_ in summed), followed)]
    notes += not_read(bert, ((line.text, line.tokens) for line, *_ in summed))
    for number, (line, *_, rows) in enumerate(summed, start=1):
        if len(rows) < len(line.tokens):
            cut = "The bands show tokens {first} to {last} of the {count} in sentence {number}."
            count = len(line.tokens)
            notes.append(note(cut, number=number, first=rows[0], last=rows[-1], count=count))
    words = [
        list(dict.fromkeys(mark.name for mark in line.followed))
        for line, *_ in summed
        if line.followed
    ]
    if len(words) == 2 and not set(words[0]) & set(words[1]):
        two = "The sentences follow different words: {words}. Tap a word that both have."
        notes.append(note(two, words=joined([*words[0], *words[1]])))
    return notes


def _numbers(summed: Sequence[Summed]) -> dict[str, object]:
    """The numbers of the first piece of each sentence's word."""
    columns: dict[str, object] = {
        "dimension": range(min(DIMENSIONS, summed[0].parts.word.shape[1]))
    }
    for number, one in enumerate(summed, start=1):
        position = one.followed[0][0] if one.followed else 0
        token = one.line.tokens.tokens[position]
        for band, (values,) in zip(BANDS, one.values([position]), strict=True):
            columns[f"{number} {token} {band}"] = values
    return columns


SUMS_PROGRAM = '''
"""What is added up to a word's input embedding in each of its sentences: of its first token."""

words = ...  # of each its sentence, the first character of the word, one past its last
shown = ...  # dimensions
read, embedding_parts = ...
tokenizer, model = ...
for word in words:
    ids, positions = read(tokenizer, *word)
    parts = embedding_parts(model, {"input_ids": ids, "token_type_ids": torch.zeros_like(ids)})
    with torch.no_grad():
        output = model.embeddings.LayerNorm(parts.sum(dim=0))
    names = ["token", "segment", "position", "input embedding"]
    for name, part in zip(names, [*parts, output], strict=True):
        print(name, *(f"{number:.4f}" for number in part[positions[0], :shown].tolist()))
'''
