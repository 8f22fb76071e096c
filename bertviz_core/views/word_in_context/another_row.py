"""What a word would be with the row of another one, step by step from its own row."""

from collections.abc import Sequence
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
from bertviz_core.views.view import Part, View
from bertviz_core.views.word_in_context.followed import nearest_in_matrix
from bertviz_core.views.word_in_context.words import PAGE, TARGET, Comparison, compared

STEPS = 11  # from its own row to the other's
PERCENT = [f"{round(100 * at / (STEPS - 1))} %" for at in range(STEPS)]
PREDICTED = 5
HEIGHT = 400
ROUNDING = 1e-6


def another_word(bert: Bert, comparison: Comparison, target: str) -> str:
    """Whose row a word gets where nothing is typed: the first anchor's, or the nearest word's."""
    own = comparison.marked[comparison.followed(target)].word
    offered = [*comparison.anchors, *nearest_in_matrix(bert, own)]
    return next((one for one in offered if one.casefold() != own.casefold()), "")


OTHER = Line(
    "Give it the row of",
    about="the word whose row the followed one gets",
    placeholder=lambda bert, comparison, target: another_word(bert, comparison, target),
)


class Ran(NamedTuple):
    """Cosines of a word on its way from its own row to another, each with itself unchanged."""

    to_own: Exact  # (STEPS, layers + 1)
    to_other: Exact  # the same, with itself at the last step
    to_words: Exact  # (STEPS, layers + 1, n), with n words that are put in its place
    names: tuple[str, ...]  # of these words: those near the word, then those near the other
    first: int  # how many of them are near the word
    alone: Exact | None  # (layers + 1,), of the word without its sentence
    change: float  # the largest change of any number
    pieces: tuple[str, ...]  # what the other word is cut into
    predicted: Predictions | None  # by step, where there is a head


@once
def _ran(encoder: Encoder, comparison: Comparison, number: int, other: str) -> Ran:
    bert, word = encoder.bert, compared(encoder, comparison, least=1).words[number]
    one = core.as_one_token(bert, word)
    pieces, last = core.row_of(bert, other)
    own_side = [name for name in nearest_in_matrix(bert, word.word) if name != other]
    other_side = [name for name in nearest_in_matrix(bert, other) if name not in own_side]
    near = [[core.row_of(bert, name)[1] for name in side] for side in (own_side, other_side)]
    rows = np.stack([*core.rows_between(one.row, last, STEPS), one.row, *near[0], last, *near[1]])
    # In one run: what has the same row then has the same vectors, to the last bit.
    vectors = core.vectors_with_rows(encoder, one, rows)[:, :, 0]
    path, put_in = vectors[:STEPS], vectors[STEPS:]
    alone = None
    if not word.alone:
        mark = with_marks(word.word, [(0, len(word.word))])
        by_itself = core.as_one_token(bert, word_in_context(encoder, mark))
        alone = core.vectors_with_rows(encoder, by_itself, one.row[None])[0, :, 0]
    own_ids = word.text.input_ids[list(word.token_positions)].tolist()
    return Ran(
        to_own=cosine(path, path[:1]),
        to_other=cosine(path, path[-1:]),
        to_words=np.stack([cosine(path, words) for words in put_in], axis=-1),
        names=(word.word, *own_side, other, *other_side),
        first=1 + len(own_side),
        alone=None if alone is None else cosine(alone, path[0]),
        change=float(np.abs(path[-1] - path[0]).max()),
        pieces=pieces,
        predicted=None
        if lacking(bert)
        else predictions_by_layer(bert, path[:, -1], own_ids, PREDICTED),
    )


@view(
    "what if its row were another?",
    page=PAGE,
    rank=22,
    doing="Running the sentence with rows between the two …",
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
    end = ran.to_own[-1]
    lacks = "" if ran.predicted else " The file of {model} has no head that predicts words."
    return View(
        [
            note(
                "{split} is in {count} pieces and has no row of its own. Here it is one new "
                "token, with the mean of their rows.",
                split=name,
                count=len(tokens),
            )
            for name, tokens in ((word.word, word.tokens), (other, ran.pieces))
            if len(tokens) > 1
        ],
        _findings({"word": word.word, "other": other, "layer": layer}, ran),
        picture(
            _figure(ran, layer),
            alt=f"{word.word} on its way to the row of {other}, in ten steps. With that row, its "
            f"similarity to itself is {end[0]:.3f} at the input, {end[-1]:.3f} at the end.",
            name="another-row",
        ),
        caption(
            "Bars: similarity to other words, each put in its place; nothing else of the sentence "
            f"is changed.{lacks}",
            model=bert.name,
        ),
        caption(origin_of(bert.checkpoint).upper),
        table(
            {
                "row of the other": np.repeat(PERCENT, len(end)),
                "layer": np.tile(np.arange(len(end)), STEPS),
                "similarity to itself": ran.to_own.ravel(),
                "similarity to the other": ran.to_other.ravel(),
            },
            name="another-row",
            fold="Table",
        ),
        program("another_row/another_row", bert, word=word.span, other=other),
        made=comparison.made(layer),
    )


def _findings(values: dict[str, Any], ran: Ran) -> list[Part]:
    """What the other row makes of the word at a layer, when it does, and what is predicted."""
    layer, method = values["layer"], "with-the-row-of-another-word"
    kept = float(ran.to_own[-1, layer])
    if kept > 1 - ROUNDING:
        text = (
            "The row of <b>{other}</b> makes no difference to {word} at layer {layer}: the "
            "largest change of any number is <b>{change}</b>."
        )
        return [say(text, method=method, change=f"{ran.change:.1g}", **values)]
    text = (
        "With the row of <b>{other}</b>, {word} in this sentence has similarity <b>{kept}</b> to "
        "itself at layer {layer}."
    )
    values["kept"] = rounded(kept)
    if ran.alone is not None:
        alone = float(ran.alone[layer])
        values["alone"] = rounded(alone)
        text += " With its own row, but alone, it has <b>{alone}</b>"
        names = ["row", "sentence"] if kept < alone else ["sentence", "row"]
        if values["alone"] != values["kept"]:
            text += ": here the {stronger} matters more than the {weaker}"
            values["stronger"], values["weaker"] = names
        text += "."
    nearer = int(np.argmax(ran.to_other[:, layer] > ran.to_own[:, layer]))
    values |= {"before": PERCENT[nearer - 1], "after": PERCENT[nearer]}
    text += " It comes nearer to {other} between {before} and {after} of the way."
    if ran.predicted is not None:
        text += (
            "<br>The head for masked words reads <b>{own_token}</b> ({own_share}) from it, and "
            "<b>{other_token}</b> ({other_share}) with the other row."
        )
        for step, name in ((0, "own"), (-1, "other")):
            values[f"{name}_token"] = ran.predicted.tokens[step][0]
            values[f"{name}_share"] = share(float(ran.predicted.probabilities[step, 0]))
    return [say(text, method=method, **values)]


def _figure(ran: Ran, layer: int) -> Figure:
    """Curves over the layers, beside them bars at one; the slider goes from row to row."""
    at_layers = np.arange(ran.to_own.shape[1])
    own, other = (label(name, 18) for name in (ran.names[0], ran.names[ran.first]))
    names = [label(name, 18) for name in ran.names]
    names[0], names[ran.first] = f"<b>{own}</b>", f"<b>{other}</b>"
    count = len(names)
    colors = [TOKEN] * ran.first + [MARK] * (count - ran.first)
    groups = [(ran.to_words[:, layer], [names] * STEPS, colors, f"similarity at layer {layer}")]
    if ran.predicted is not None:
        tokens = [[label(token, 18) for token in row] for row in ran.predicted.tokens]
        grey = [MUTED] * len(tokens[0])
        groups.append((ran.predicted.probabilities, tokens, grey, "probability"))
    frames = [
        [
            *({"type": "scatter", "y": curve[step]} for curve in (ran.to_own, ran.to_other)),
            *(
                trace
                for axis, (sizes, written, shades, _) in enumerate(groups, start=2)
                for trace in _bars(sizes[step], written[step], shades, axis)
            ),
        ]
        for step in range(STEPS)
    ]
    hover, curves = "layer %{x}<br>%{y:.3f}", [ran.to_own, ran.to_other]
    drawn = [
        line(at_layers, curve[-1], name, hover, number)
        for number, (curve, name) in enumerate(
            zip(curves, (f"to {own} with its own row", f"to {other} in its place"), strict=True)
        )
    ]
    drawn += frames[-1][2:]
    if ran.alone is not None:
        grey_line = {"line": {"color": MUTED, "dash": "dot", "width": 1.5}, "mode": "lines"}
        drawn.append(line(at_layers, ran.alone, f"{own} alone", hover, **grey_line))
        curves.append(ran.alone)
    axes: dict[str, Any] = {}
    parts = [1.0, 0.56, 0.36, 0.0] if len(groups) > 1 else [1.0, 0.0]
    for axis, (sizes, *_, title) in enumerate(groups, start=2):
        top, bottom = parts[2 * axis - 4 : 2 * axis - 2]
        low = min(0.0, float(sizes.min()))
        axes[f"xaxis{axis}"] = titled(title, domain=[0.66, 1], range=[low, 1], anchor=f"y{axis}")
        hidden = {"showticklabels": False, "showgrid": False, "anchor": f"x{axis}"}
        rows = {"range": [sizes.shape[1] - 0.5, -0.5], "domain": [bottom, top]}
        axes[f"yaxis{axis}"] = hidden | rows
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
        yaxis=titled(f"similarity of {own}", range=span(curves), tickformat=".1f"),
        **axes,
    )


def _bars(sizes: Any, names: Sequence[str], colors: Sequence[str], axis: int) -> list[Trace]:
    """Bars below each other, and on them their names."""
    place = {"xaxis": f"x{axis}", "yaxis": f"y{axis}", "showlegend": False}
    text = [f" {name}  {size:.2f}" for name, size in zip(names, sizes, strict=True)]
    at = np.zeros(len(names)), np.arange(len(names))
    written = marks(*at, {}, mode="text", text=text, textposition="middle right")
    faded = [faint(color, 0.45) for color in colors]
    return [bars(sizes, "%{x:.3f}", faded, across=True) | place, written | place]
