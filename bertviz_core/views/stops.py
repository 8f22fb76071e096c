"""What settles each claim of the tour: one sentence and one picture, which are framed together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.calibration import Scales
from bertviz_core.calibration.percentiles import percent
from bertviz_core.checkpoints.parameters import BERT_BASE, parameter_shapes
from bertviz_core.claims.layers import ANCHORS, PET_AND_CODE, WORD
from bertviz_core.contextual import similarity_by_layer, word_in_context
from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.embedding_layer import PART_NAMES, part_shares
from bertviz_core.encoder import Encoder
from bertviz_core.figures.axes import label, named_rows, titled
from bertviz_core.figures.colors import SEGMENT, SENTENCE_COLORS, TOKEN
from bertviz_core.figures.drawing import bars, draw, vertical_line
from bertviz_core.shared import once, shared_encoder
from bertviz_core.tokens import InputText, tokenize
from bertviz_core.views.card import Curves, chart_picture
from bertviz_core.views.input_embeddings.library_layer import proof
from bertviz_core.views.input_embeddings.shares import shares
from bertviz_core.views.inside_the_model.parameters import count_by_part
from bertviz_core.views.inside_the_model.pooler_and_training import pooler
from bertviz_core.views.nearest_neighbors.nearest_rows import Search
from bertviz_core.views.parts import beside, say
from bertviz_core.views.positions_and_segments.sinusoids import position_tables
from bertviz_core.views.tokens.words import pieces
from bertviz_core.views.view import Part, Picture, View
from bertviz_core.views.word_in_context.paths import paths
from bertviz_core.views.word_in_context.words import compare

CONTROL = "pencil"  # beside python
MAX_HEIGHT = 290  # pixels, before they are enlarged for a projector


@dataclass(frozen=True)
class StopInput:
    """What a stop is given: the model, and by which numbers its claim was judged."""

    bert: Bert
    numbers: Mapping[str, Any]
    scales: Scales | None = None  # where the claim is about percentiles
    large: bool = False  # for a projector

    @property
    def encoder(self) -> Encoder:
        """The model itself, for what is computed once."""
        return shared_encoder(self.bert)

    def framed(self, template: str, *parts: Part, **values: object) -> View:
        """One sentence, and what it is read from; no visitor's sentence is part of it."""
        named = [replace(one, typed=False) if isinstance(one, Picture) else one for one in parts]
        method = "sentences-and-their-conditions"
        view = View(say(template, method=method, **values, **self.numbers), named)
        for one in view.pictures.values():
            if self.large and not one.figure.played:  # all of it below the verdict
                one.figure.layout.height = min(one.figure.layout.height, MAX_HEIGHT)
        return view


@once
def _by_layer(encoder: Encoder, first: str, second: str) -> Array:
    return similarity_by_layer(*(word_in_context(encoder, text) for text in (first, second)))


def _rows(
    name: str,
    names: Sequence[str],
    title: str,
    numbers: Any,
    color: Any = TOKEN,
    *,
    form: str = ".3~f",
    line: float | None = None,
    axis: Mapping[str, Any] = {},
) -> Picture:
    """A bar for each named number, below each other."""
    labels = [label(one, 40) for one in names]
    hover = f"%{{customdata}}<br>%{{x:{form}}}"
    trace = bars(np.array(numbers, dtype=np.float32), hover, color, across=True, customdata=labels)
    figure = draw(
        [trace],
        height=22 * max(len(names), 8) + 110,
        shapes=[] if line is None else [vertical_line(line)],
        xaxis=titled(title, tickformat=form, zeroline=True) | dict(axis),
        yaxis=named_rows(labels),
    )
    listed = ", ".join(f"{one} {number:.3g}" for one, number in zip(names, numbers, strict=True))
    return Picture(figure, alt=f"{title.capitalize()}, a bar for each: {listed}.", name=name)


def first_vector(judged: StopInput) -> View:
    """The shares of three parts in [CLS], beside those of words."""
    bert, text = judged.bert, tokenize(judged.bert, "I am Sinan")
    return judged.framed(
        "Position makes up <b>{of_position:.0%}</b> of {first}, and {of_word:.0%} of {word}. A "
        "part below zero works against the sum.",
        shares(bert, "I am Sinan").pictures["shares"],
        word=text.tokens[1],
        of_word=part_shares(bert, input_embeddings(bert, text)).shares[2, 1],
    )


def unknown_word(judged: StopInput) -> View:
    """Which pieces were looked up for a word, and which of them were found."""
    return judged.framed(
        "Each bar is a piece that was looked up, the longest first. Filled ones are in the "
        "vocabulary: <b>{pieces}</b>.",
        *pieces(judged.bert, "awesomesauce").pictures.values(),
    )


def one_sum(judged: StopInput) -> View:
    """The sum by hand, and what the library's layer gives."""
    text = InputText("I love my pet python")
    return judged.framed(
        "Two heatmaps of {count:,} numbers that agree: the largest difference is "
        "<b>{difference:.1e}</b>.",
        proof(judged.encoder, text, position=5, large=judged.large).pictures["proof"],
    )


def positions(judged: StopInput) -> View:
    """The model's positions beside sinusoids."""
    return judged.framed(
        "Sinusoids are regular waves; rotated, they explain <b>{rotation:.0%}</b> of this table.",
        beside(*position_tables(judged.bert).values()),
    )


def segments(judged: StopInput) -> View:
    """The lengths of the two segment rows, and that of a fresh row."""
    lengths = np.linalg.norm(judged.bert.tables.token_type_embeddings, axis=1)
    names = [f"segment {chr(ord('A') + number)}" for number in range(len(lengths))]
    fresh = judged.numbers["fresh"]
    return judged.framed(
        "The dotted line is a fresh row, <b>{fresh:.3f}</b> ± {deviation:.3f} long; these are "
        "<b>{lengths}</b>.",
        _rows("segment-rows", names, "length of the row", lengths, SEGMENT, line=fresh),
        lengths=" and ".join(f"{length:.3f}" for length in lengths),
    )


def parameters(judged: StopInput) -> View:
    """The parts of bert-base-uncased, as its sizes give them."""
    shapes = parameter_shapes(BERT_BASE)
    counts = count_by_part({name: prod(shape) for name, shape in shapes.items()})
    names = [f"{part}: {count:,}" for part, count in counts.items()]
    return judged.framed(
        "The parts of bert-base-uncased add up to <b>{total:,}</b>.",
        _rows("parts", names, "parameters", [*counts.values()], form=".3~s"),
    )


def nearest(judged: StopInput) -> View:
    """The three tokens nearest to each of three words."""
    found = Search(("dog", "left", "monday"), k=3).answered(judged.bert)
    pairs = [f"{word} → {token}" for word, one in found.items() for token in one.tokens]
    shades = [SENTENCE_COLORS[row] for row, one in enumerate(found.values()) for _ in one.tokens]
    scores = np.concatenate([one.scores for one in found.values()])
    return judged.framed(
        "The three nearest of each: <b>{dog}</b>, <b>{left}</b> and <b>{monday}</b> come first.",
        _rows("nearest", pairs, "cosine", scores, shades),
    )


def two_meanings(judged: StopInput) -> View:
    """Python, and a word with one meaning, as paths between two words."""
    sentences = [text.format(word) for word in (WORD, CONTROL) for text in PET_AND_CODE]
    found, last = compare(judged.encoder, sentences, ANCHORS), judged.bert.num_hidden_layers
    return judged.framed(
        "On both sides of the dotted line, <b>python</b> ends <b>{apart:.2f}</b> apart; "
        "<b>{control_word}</b>, in the same sentences, {control:.2f}.",
        paths(found, last, judged.bert).pictures["plane"],
        control_word=CONTROL,
        control=float(np.ptp(found.leans[2:, 0, -1] - found.leans[2:, 1, -1])),
    )


def no_context(judged: StopInput) -> View:
    """How alike the two vectors of a word are, layer by layer."""
    cosines = _by_layer(judged.encoder, "My [bank] is a river", "My [bank] is a building")
    title = "cosine of the two vectors of bank"
    columns = {"layer": range(len(cosines)), title: cosines}
    return judged.framed(
        "At layer 0 both are the same vector (cosine <b>{first:.3f}</b>); then they part: "
        "<b>{second}</b>, at the last layer <b>{last:.3f}</b>.",
        chart_picture(columns, Curves(title, {title: TOKEN}), name="bank"),
        last=float(cosines[-1]),
    )


def pooled(judged: StopInput) -> View:
    """Each number of the pooled output over the same one of [CLS]."""
    return judged.framed(
        "Each point is a dimension; if both were equal, all would be on the dotted line (cosine "
        "<b>{cosine:.2f}</b>).",
        pooler(judged.encoder).pictures["pooler"],
    )


def high_cosine(judged: StopInput) -> View:
    """A pair of opposites beside unrelated words, at the last layer."""
    opposites = _by_layer(judged.encoder, "The soup is [hot]", "The soup is [cold]")
    unrelated = judged.scales and judged.scales.between()
    assert unrelated, "without a scale the claim is not judged"
    cosine = float(opposites[-1])
    cosines = {"hot – cold": cosine} | {
        name: float(unrelated.exceeded(share)[-1])
        for name, share in (("95% of unrelated words have less", 95), ("half of them", 50))
    }
    return judged.framed(
        "<b>hot</b> and <b>cold</b>, opposites, have <b>{opposites:.2f}</b> in “The soup is …”: "
        "more than {above}% of mixed unrelated words.",
        _rows("opposites", [*cosines], "cosine, last layer", [*cosines.values()]),
        opposites=cosine,
        above=percent(unrelated.percentile(cosine, len(opposites) - 1)),
    )


def one_step(judged: StopInput) -> View:
    """The share of each table's rows that one step would move."""
    counts = [
        [judged.numbers[f"{name}_{what}"] for what in ("moved", "rows")] for name in PART_NAMES
    ]
    names = [f"{name}: {a:,} of {b:,}" for name, (a, b) in zip(PART_NAMES, counts, strict=True)]
    shares_moved = [moved / rows for moved, rows in counts]
    title, axis = "share of the rows with a gradient", {"range": [0, 1]}
    return judged.framed(
        "<b>{token_moved}</b> of {token_rows:,} token rows would move: those of the text.",
        _rows("moved-rows", names, title, shares_moved, form=".1~%", axis=axis),
    )
