"""What a word would be with another row of the token table than its own."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from bertviz_core.arrays import Exact, cosine
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.checkpoint import origin_of
from bertviz_core.contextual import another_row as core
from bertviz_core.contextual import word_in_context
from bertviz_core.contextual.lens import Predictions, predictions_by_layer
from bertviz_core.contextual.marks import with_marks
from bertviz_core.encoder import Encoder
from bertviz_core.encoder.masked_words import lacking
from bertviz_core.errors import UserInputError
from bertviz_core.figures.axes import label, layers, titled
from bertviz_core.figures.colors import MARK, MUTED, TOKEN, faint
from bertviz_core.figures.drawing import Figure, Trace, bars, draw, line, marks, vertical_line
from bertviz_core.figures.playing import SCRUBBER, layer_frames, layer_scrubber, play_menu
from bertviz_core.figures.similarity import span
from bertviz_core.shared import once
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Line
from bertviz_core.views.parts import caption, note, picture, program, say, table
from bertviz_core.views.sentences import rounded, share
from bertviz_core.views.view import Sentence, View
from bertviz_core.views.word_in_context.followed import nearest_in_matrix
from bertviz_core.views.word_in_context.words import PAGE, TARGET, Comparison, compared

STEPS = 11  # from its own row to the other's
PERCENT = [f"{round(100 * at / (STEPS - 1))} %" for at in range(STEPS)]
PREDICTED = 5
HEIGHT = 400


def another_word(bert: Bert, comparison: Comparison, target: str) -> str:
    """Whose row a word gets where nothing is typed: the first anchor's, or the nearest word's."""
    own = comparison.marked[comparison.followed(target)].word if comparison.marked else ""
    offered = [*comparison.anchors, *nearest_in_matrix(bert, own)]
    return next((one for one in offered if one.casefold() != own.casefold()), "")


OTHER = Line(
    "Give it the row of",
    about="the word whose row the followed one gets",
    placeholder=lambda bert, comparison, target: another_word(bert, comparison, target),
)


class Ran(NamedTuple):
    """Cosines of a word on its way from its own row to another."""

    to_own: Exact  # (STEPS, layers + 1), with itself at the first step
    to_other: Exact  # the same, with itself at the last step
    to_words: Exact  # (STEPS, layers + 1, n), with n words that are put in its place
    names: tuple[str, ...]  # of these words: those near the word, then those near the other
    first: int  # how many of them are near the word
    alone: Exact | None  # (layers + 1,), of the word without its sentence, with the first step
    change: float  # the largest change of any number
    split: dict[str, int]  # how many pieces each of the two words has
    predicted: Predictions | None  # by step, where there is a head


@once
def _ran(encoder: Encoder, comparison: Comparison, number: int, other: str) -> Ran:
    bert, word = encoder.bert, compared(encoder, comparison, least=1).words[number]
    one = core.as_one_token(bert, word.text, word.token_positions)
    pieces, last = core.row_of(bert, other)
    name = other if len(pieces) > 1 else pieces[0]  # [UNK] where it has no row of its own
    own_side = [near for near in nearest_in_matrix(bert, word.word) if near != name]
    other_side = [
        near for near in nearest_in_matrix(bert, other) if near not in (word.word, *own_side)
    ]
    near = [[core.row_of(bert, near)[1] for near in side] for side in (own_side, other_side)]
    rows = np.stack([*core.rows_between(one.row, last, STEPS), one.row, *near[0], last, *near[1]])
    # In one run: what has the same row then has the same vectors, to the last bit.
    vectors = core.vectors_with_rows(encoder, one, rows)[:, :, 0]
    path, put_in, alone = vectors[:STEPS], vectors[STEPS:], None
    if not word.alone:
        lone = word_in_context(encoder, with_marks(word.word, [(0, len(word.word))]))
        by_itself = core.as_one_token(bert, lone.text, lone.token_positions)
        alone = core.vectors_with_rows(encoder, by_itself, one.row[None])[0, :, 0]
    own_ids = word.text.input_ids[list(word.token_positions)].tolist()
    return Ran(
        to_own=cosine(path, path[:1]),
        to_other=cosine(path, path[-1:]),
        to_words=np.stack([cosine(path, words) for words in put_in], axis=-1),
        names=(word.word, *own_side, name, *other_side),
        first=1 + len(own_side),
        alone=None if alone is None else cosine(alone, path[0]),
        change=float(np.abs(path[-1] - path[0]).max()),
        split={word.word: len(word.tokens), name: len(pieces)},
        predicted=None
        if lacking(bert)
        else predictions_by_layer(bert, path[:, -1], own_ids, PREDICTED),
    )


@view(
    "what if its row were another?", page=PAGE, rank=22, doing="Running the word with other rows …"
)
def another_row(
    encoder: Encoder,
    comparison: Comparison,
    layer: int,
    target: Annotated[str, TARGET] = "",
    other: Annotated[str, OTHER] = "",
) -> View:
    """A word goes from its own row of the token table to that of another one, in its sentence."""
    bert, number = encoder.bert, comparison.followed(target)
    word = compared(encoder, comparison, least=1).words[number]
    other = other.strip() or another_word(bert, comparison, target)
    if not other:
        raise UserInputError("Type the word whose row it gets.")
    ran = _ran(encoder, comparison, number, other)
    lacks = "" if ran.predicted else " The file of {model} has no head that predicts words."
    columns = {
        "row of the other": np.repeat(PERCENT, ran.to_own.shape[1]),
        "layer": np.tile(np.arange(ran.to_own.shape[1]), STEPS),
        "similarity to itself": ran.to_own.ravel(),
        "similarity to the other": ran.to_other.ravel(),
    }
    return View(
        [
            note(
                "{split} is in {count} pieces and has no row of its own. Here it is one new "
                "token, with the mean of their rows.",
                split=name,
                count=count,
            )
            for name, count in ran.split.items()
            if count > 1
        ],
        _moved(ran, layer),
        picture(
            _figure(ran, layer),
            alt=f"With the row of {ran.names[ran.first]}, the similarity of {word.word} to itself "
            f"is {ran.to_own[-1, 0]:.3f} at the input, {ran.to_own[-1, -1]:.3f} at the end.",
            name="another-row",
        ),
        caption(
            "Bars: the words nearest in the token table to {word} (blue) and to {other} (orange), "
            f"each put in its place. Nothing else of the sentence changes.{lacks}",
            word=word.word,
            other=ran.names[ran.first],
            model=bert.name,
        ),
        caption(origin_of(bert.checkpoint).upper),
        table(columns, name="another-row", fold="Table"),
        program("contextual/another_row", bert, word=word.span, other=other),
        made=comparison.made(layer),
    )


def _moved(ran: Ran, layer: int) -> Sentence:
    """What the other row makes of the word at a layer, beside what its sentence does."""
    kept, method = rounded(float(ran.to_own[-1, layer])), "with-another-row"
    values: dict[str, Any] = {"word": ran.names[0], "other": ran.names[ran.first], "layer": layer}
    if np.allclose(ran.to_own[-1], 1, rtol=0, atol=1e-6):
        text = "The row of <b>{other}</b> changes no number of {word} by more than <b>{change}</b>."
        return say(text, method=method, change=f"{ran.change:.1g}", **values)
    text = (
        "With the row of <b>{other}</b>, {word} in this sentence has similarity <b>{kept}</b> to "
        "itself at layer {layer}."
    )
    if ran.alone is not None:
        alone = rounded(float(ran.alone[layer]))
        text += " With its own row, but without the sentence, it has <b>{alone}</b>"
        if alone != kept:
            text += ": here the {stronger} matters more than the {weaker}"
        text += "."
        order = ("row", "sentence") if ran.to_own[-1, layer] < ran.alone[layer] else None
        stronger, weaker = order or ("sentence", "row")
        values |= {"alone": alone, "stronger": stronger, "weaker": weaker}
    if ran.predicted is not None:
        text += (
            "<br>The head for masked words reads <b>{own_token}</b> ({own_share}) from it, and "
            "<b>{other_token}</b> ({other_share}) with the other row."
        )
        for step, whose in ((0, "own"), (-1, "other")):
            values[f"{whose}_token"] = ran.predicted.tokens[step][0]
            values[f"{whose}_share"] = share(float(ran.predicted.probabilities[step, 0]))
    return say(text, method=method, kept=kept, **values)


def _figure(ran: Ran, layer: int) -> Figure:
    """Curves over the layers, beside them bars at one; the slider goes from row to row."""
    at_layers, count = np.arange(ran.to_own.shape[1]), len(ran.names)
    names = [label(name, 18) for name in ran.names]
    own, other = names[0], names[ran.first]
    names[0], names[ran.first] = f"<b>{own}</b>", f"<b>{other}</b>"
    colors = [faint(TOKEN if at < ran.first else MARK, 0.45) for at in range(count)]
    groups: list[tuple[Any, list[list[str]], list[str], str]]
    groups = [(ran.to_words[:, layer], [names] * STEPS, colors, f"similarity at layer {layer}")]
    heights = [(0.0, 1.0)]
    if ran.predicted is not None:
        tokens = [[label(token, 18) for token in row] for row in ran.predicted.tokens]
        grey = [faint(MUTED, 0.45)] * len(tokens[0])
        groups.append((ran.predicted.probabilities, tokens, grey, "probability at the last layer"))
        heights = [(0.56, 1.0), (0.0, 0.36)]
    frames: list[list[Trace]] = [
        [{"type": "scatter", "y": curve[step]} for curve in (ran.to_own, ran.to_other)]
        for step in range(STEPS)
    ]
    axes: dict[str, Any] = {}
    for axis, (sizes, written, shades, title) in enumerate(groups, start=2):
        low, rows = min(0.0, float(sizes.min())), np.arange(sizes.shape[1])
        axes[f"xaxis{axis}"] = titled(title, domain=[0.66, 1], range=[low, 1], anchor=f"y{axis}")
        axes[f"yaxis{axis}"] = {"range": [len(rows) - 0.5, -0.5], "domain": heights[axis - 2]}
        axes[f"yaxis{axis}"] |= {"visible": False, "anchor": f"x{axis}"}
        place = {"xaxis": f"x{axis}", "yaxis": f"y{axis}", "showlegend": False}
        for step, traces in enumerate(frames):
            pairs = zip(written[step], sizes[step], strict=True)
            text = [f" {name}  {size:.2f}" for name, size in pairs]
            traces.append(bars(sizes[step], "%{x:.3f}", shades, across=True) | place)
            beside = marks(0 * rows, rows, {}, mode="text", text=text)
            traces.append(beside | place | {"textposition": "middle right"})
    hover, curves = "layer %{x}<br>%{y:.3f}", [ran.to_own[-1], ran.to_other[-1]]
    titles = [f"to {own} with its own row", f"to {other} in its place"]
    drawn = [line(at_layers, curves[n], titles[n], hover, n) for n in range(2)] + frames[-1][2:]
    if ran.alone is not None:
        look = {"line": {"color": MUTED, "dash": "dot", "width": 1.5}, "mode": "lines"}
        drawn.append(line(at_layers, ran.alone, f"{own} alone", hover) | look)
        curves.append(ran.alone)
    return draw(
        drawn,
        height=HEIGHT + SCRUBBER + 140 * (len(groups) - 1),
        legend={"y": -0.28},
        frames=layer_frames(frames),
        shapes=[vertical_line(layer)],
        updatemenus=[play_menu(STEPS, STEPS - 1, redraw=True)],
        sliders=[layer_scrubber(STEPS, STEPS - 1, prefix=f"Row of {other}: ", labels=PERCENT)],
        margin={"t": SCRUBBER + 6},
        xaxis=layers(domain=[0, 0.56], range=[-0.2, len(at_layers) - 0.8]),
        yaxis=titled(f"similarity of {own}", range=span([ran.to_own, ran.to_other, *curves[2:]])),
        **axes,
    )
