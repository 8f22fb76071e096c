"""Padding: a text alone and with [PAD] behind it, with attention_mask and without."""

from typing import Annotated

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.contextual.padding import PaddedText, padded_text
from bertviz_core.csv_files import Column
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError
from bertviz_core.figures.axes import MOST_UPRIGHT, layers, named, numbered, titled
from bertviz_core.figures.colors import SENTENCES
from bertviz_core.figures.drawing import Figure, bars, draw, horizontal_line, line
from bertviz_core.shared import once
from bertviz_core.tokens import InputText
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Slider
from bertviz_core.views.parts import beside, caption, picture, program, say, table
from bertviz_core.views.sentences import share
from bertviz_core.views.view import Sentence, View

WAYS = ("with attention_mask", "without it")
MOST_TOKENS = 128  # with the padding: the attention of all tokens grows with their square


@once
def _padded(encoder: Encoder, typed: InputText, count: int) -> PaddedText:
    return padded_text(encoder, typed.tokenize(encoder.bert), count)


def _room(bert: Bert, typed: InputText) -> int:
    """How many [PAD] can be added."""
    return min(bert.max_position_embeddings, MOST_TOKENS) - len(typed.tokenize(bert))


@view("padding", page="Tokens", rank=50, doing="Running the text alone and padded …")
def padding(
    encoder: Encoder,
    typed: InputText,
    pads: Annotated[
        int,
        Slider("How many [PAD] are added", 1, lambda bert, typed: max(2, _room(bert, typed))),
    ] = 4,
) -> View:
    """What padding changes: a text alone and padded, with attention_mask and without."""
    bert, count = encoder.bert, min(pads, _room(encoder.bert, typed))
    if count < 1:
        raise UserInputError("The text leaves no room for padding in this section. Shorten it.")
    found = _padded(encoder, typed, count)
    text, (masked, unmasked), to_padding = found.text, found.differences, found.to_padding[1]
    token, tokens, looks = text.tokens[-1], text.tokens, found.from_padding
    most = tokens[looks[0].argmax()]
    by_layer = picture(
        _by_layer(found.differences, found.rounding),
        alt=f"Largest difference: {masked.max():.1e} with the mask, {unmasked.max():.2g} without.",
        name="padding",
    )
    by_token = picture(
        _by_token(looks, tokens),
        alt=f"Attention of {token} to {len(tokens)} tokens: with the mask most to {most}.",
        name="padding-attention",
    )
    below = "Largest difference from the text alone; below the dotted line: rounding"
    title = caption("What {token} attends to, mean over layers and heads", token=token)
    return View(
        _finding(found, count),
        beside([caption(below), by_layer], [title, by_token]),
        say(
            "Without the mask, the text gives {token} {lowest} to <b>{highest}</b> of its "
            "attention, depending on the layer (equal shares: {equal}). With the mask it gives "
            "none. {token} still attends to the text, most to <b>{most}</b>; the text does not "
            "attend to {token}.",
            method="padding",
            token=token,
            lowest=share(float(to_padding.min())),
            highest=share(float(to_padding.max())),
            equal=share(count / len(tokens)),
            most=most,
        ),
        _row(bert, token, int(text.input_ids[-1])),
        table(
            {
                "position": text.position_ids,
                "token": tokens,
                "input_ids": text.input_ids,
                "token_type_ids": text.token_type_ids,
                "attention_mask": text.attention_mask,
                f"attention of {token} with the mask": looks[0],
                "without the mask": looks[1],
            },
            name="padded",
            fold="Table by token, with attention_mask",
        ),
        table(
            {
                "layer": range(len(masked)),
                f"largest difference {WAYS[0]}": Column(masked, None),
                WAYS[1]: Column(unmasked, None),
                f"attention to {token} without it": [None, *to_padding.tolist()],
            },
            name="padding",
            fold="Table by layer",
        ),
        program("tokens/padding", bert, typed, length=len(tokens)),
        made={"pads": count},
    )


def _finding(found: PaddedText, count: int) -> Sentence:
    """Whether the mask keeps the text's vectors as they are, and what happens without it."""
    masked, unmasked = found.differences.max(axis=1).tolist()
    kept = [difference < found.rounding for difference in (masked, unmasked)]
    return say(
        "{count} {token} behind {tokens} tokens. With <code>attention_mask</code> the text's "
        + ("vectors stay as they are without padding" if kept[0] else "vectors change")
        + ": largest difference <b>{masked}</b>"
        + (", which is rounding. " if kept[0] and masked else ". ")
        + ("Without the mask they stay, too: " if kept[1] else "Without the mask they change: ")
        + "largest difference <b>{unmasked}</b>.",
        method="padding",
        count=count,
        token=found.text.tokens[-1],
        tokens=len(found.text) - count,
        masked=np.format_float_positional(masked, 2, fractional=False, trim="-"),
        unmasked=np.format_float_positional(unmasked, 2, fractional=False, trim="-"),
    )


def _row(bert: Bert, token: str, row: int) -> Sentence:
    """How long the padding's row of the token table is."""
    norms = bert.tables.word_norms
    return caption(
        "The row of {token} in the token table is "
        + ("not 0: its length is <b>{length:.3f}</b>" if norms[row] else "0, as in a fresh BERT")
        + "; the mean of all rows is {mean_length:.3f}. Where the row is looked up, it gets no "
        "gradient (<code>padding_idx</code>). It gets one where the table is also the output "
        "matrix of a head for masked words.",
        method="padding",
        token=token,
        length=float(norms[row]),
        mean_length=float(norms.mean()),
    )


def _by_layer(differences: Array, rounding: float) -> Figure:
    numbers = np.arange(differences.shape[1])
    drawn = np.where(differences > 0, differences, np.nan)  # a log scale has no 0
    hover = "layer %{x}<br>largest difference %{y:.1e}"
    return draw(
        [line(numbers, row, WAYS[i], hover, i) for i, row in enumerate(drawn)],
        height=320,
        legend=True,
        shapes=[horizontal_line(rounding)],
        xaxis=layers(numbers=range(len(numbers))),
        yaxis=titled("largest difference", type="log", dtick=1, exponentformat="power"),
    )


def _by_token(attention: Array, tokens: tuple[str, ...]) -> Figure:
    names, hover = numbered(tokens), "%{customdata}<br>%{y:.4f}"
    pairs = zip(attention, SENTENCES, WAYS, strict=False)
    return draw(
        [bars(row, hover, color, name=way, customdata=names) for row, color, way in pairs],
        height=320,
        legend={"y": -0.5},
        xaxis=named(names, MOST_UPRIGHT, range=[-0.5, len(tokens) - 0.5]),
        yaxis=titled("attention", rangemode="tozero"),
    )
