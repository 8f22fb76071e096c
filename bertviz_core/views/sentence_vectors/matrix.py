"""The headline: how alike sentences are, each as one vector, beside unrelated sentences."""

from typing import Annotated, Any

import numpy as np

from bertviz_core.arrays import Array, Exact, cosine_matrix, frozen
from bertviz_core.calibration import Baseline
from bertviz_core.calibration.percentiles import column, hints, in_words
from bertviz_core.calibration.sentences import (
    KIND,
    LENGTHS,
    length_of,
    unrelated_texts,
    unrelated_vectors,
)
from bertviz_core.calibration.words import MIN_WORDS
from bertviz_core.checkpoints.checkpoint import origin_of
from bertviz_core.contextual.sentence_vectors import BY_LAYER, at_layer, sentence_vectors
from bertviz_core.encoder import Encoder
from bertviz_core.errors import shortened
from bertviz_core.figures.axes import label, named, named_rows
from bertviz_core.figures.colors import SIMILARITY
from bertviz_core.figures.drawing import Figure, draw, heatmap
from bertviz_core.shared import once
from bertviz_core.tokens import TokenizedText, tokenize
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Choice, Slider
from bertviz_core.views.parts import caption, note, picture, program, rounded, say, table, truncated
from bertviz_core.views.sentence_vectors.ways import PAGE, described, ways_of
from bertviz_core.views.view import Part, View

LAST = 10_000  # the last layer of any model
METHOD = "one-vector-for-a-sentence"
MAX_WITH_NUMBERS = 8  # sentences whose cosines are printed in the cells
_texts_by_length, _unrelated = once(unrelated_texts), once(unrelated_vectors)


@once
def _read(
    encoder: Encoder, sentences: tuple[str, ...]
) -> tuple[list[TokenizedText], dict[str, Array]]:
    texts = tokenize(encoder.bert, sentences)
    return texts, sentence_vectors(encoder, texts)


@once
def _scale(encoder: Encoder, way: str, first: int | None, second: int | None) -> Baseline | None:
    return _unrelated(encoder).scale(way, first, second)


@view("sentence vectors", page=PAGE, rank=0, doing="Comparing the sentences …")
def matrix(
    encoder: Encoder,
    sentences: tuple[str, ...],
    way: Annotated[
        str,
        Choice(
            "One vector by",
            lambda page: ways_of(page["bert"]),
            about="how a sentence becomes one vector",
            help="The mean or the largest value of all its tokens' vectors, the vector of [CLS], "
            "what the pooler makes of it, or the mean of the rows of the token table.",
        ),
    ] = "mean",
    layer: Annotated[
        int,
        Slider(
            "Layer",
            0,
            lambda page: page["bert"].num_hidden_layers,
            when=lambda page: page["way"] in BY_LAYER,
        ),
    ] = LAST,
) -> View:
    """Every sentence with every other, and how alike unrelated sentences are."""
    if len(sentences) < 2:
        return View(note("Type two or more sentences, one per line."))
    bert, layer = encoder.bert, min(layer, encoder.bert.num_hidden_layers)
    texts, by_way = _read(encoder, sentences)
    vectors = by_way[way]
    at = at_layer(vectors, layer)
    cosines = frozen(cosine_matrix(vectors[at], vectors[at]))
    first, second = np.triu_indices(len(sentences), 1)
    pairs = cosines[first, second]
    nearest = int(pairs.argmax())
    lengths = [length_of(len(text)) for text in texts]
    all_equal = way == "[CLS]" and not layer  # the rows of [CLS], segment 0 and position 0
    scales = [
        None if all_equal else _scale(encoder, way, lengths[i], lengths[j])
        for i, j in zip(first, second, strict=True)
    ]
    percentiles = np.full(cosines.shape, np.nan)
    for i, j, scale in zip(first, second, scales, strict=True):
        if scale is not None:
            percentiles[i, j] = percentiles[j, i] = scale.percentile(float(cosines[i, j]), at)
    columns: dict[str, Any] = {
        "first": [sentences[i] for i in first],
        "second": [sentences[i] for i in second],
        "cosine": pairs,
    }
    if any(scales):
        columns["percentile"] = column(percentiles[first, second])
    cut_at = origin_of(bert.checkpoint).cut_at
    drawn = zip(range(len(LENGTHS)), LENGTHS, _texts_by_length(bert), strict=True)
    return View(
        *(truncated(text, f"Sentence {i}") for i, text in enumerate(texts, start=1)),
        say(
            "By <b>{by}</b>, every sentence has the same vector: it has seen none of the words.",
            by=described(way, layer),
            method=METHOD,
        )
        if all_equal
        else _finding(
            (sentences[first[nearest]], sentences[second[nearest]]),
            float(pairs[nearest]),
            scales[nearest],
            at,
            described(way, layer),
        ),
        picture(
            _matrix(sentences, cosines, percentiles),
            alt=f"Cosines of {len(sentences)} sentences with each other, {pairs.min():.3f} to "
            f"{pairs.max():.3f}; nearest are {first[nearest] + 1} and {second[nearest] + 1}.",
            name="sentence-cosines",
        ),
        note(
            "This model is published with sentence-transformers, which reads only the first "
            "{cut_at} tokens of a text (max_seq_length); here all are read.",
            cut_at=cut_at,
        )
        if 0 < cut_at < max(map(len, texts))
        else [],
        caption(
            "The model on the screen is {model}: {short}. A percentile is the share of "
            "{pairs} that are less alike.",
            pairs=KIND,
            model=bert.name,
            short=origin_of(bert.checkpoint).short,
        ),
        table(columns, name="sentence-pairs", fold="Table"),
        program(
            PROGRAM,
            bert,
            sentences=list(sentences),
            unrelated=[
                [*limits, *map(list, zip(*own, strict=True))]
                for i, limits, own in drawn
                if i in lengths and len(own) >= MIN_WORDS
            ],
            way=way,
            layer=layer,
            name="matrix",
            arrays=lambda: {"vectors": vectors[at], "labels": sentences},
            vectors=lambda: (vectors[at], {"sentence": sentences}),
        ),
        made={"way": way} | ({"layer": layer} if way in BY_LAYER else {}),
    )


def _finding(
    nearest: tuple[str, str], cosine: float, scale: Baseline | None, at: int, by: str
) -> Part:
    """The nearest pair, and whether unrelated texts are as near by this way and layer."""
    first, second = (shortened(one) for one in nearest)
    said = "By <b>{by}</b>, <i>{first}</i> and <i>{second}</i> are nearest: cosine <b>{cosine}</b>"
    values: dict[str, str] = {}
    if scale is None:
        said += ". There is no percentile: too few unrelated texts have these lengths."
    else:
        low, high = (rounded(float(scale.exceeded(end)[at]), 3) for end in (5, 95))
        values = {"percentile": in_words(scale, cosine, at), "low": low, "high": high}
        said += ", {percentile}. Nine of ten such pairs have <b>{low} to {high}</b>"
        ordinary = scale.percentile(cosine, at) < 95
        said += ". So unrelated texts may be as near as these two." if ordinary else "."
    about = {"by": by, "first": first, "second": second, "cosine": rounded(cosine, 3)}
    return say(said, method=METHOD, **about, **values)


def _matrix(sentences: tuple[str, ...], cosines: Array, percentiles: Exact) -> Figure:
    """A cell a pair, with its cosine, and under the pointer its percentile."""
    count = len(sentences)
    cells = np.where(np.eye(count, dtype=bool), np.nan, cosines).astype(np.float32)
    printed = count <= MAX_WITH_NUMBERS
    traces = heatmap(
        cells,
        "%{y}<br>with %{x}<br>%{z:.4f}<br>%{customdata}",
        SIMILARITY,
        (min(0.0, float(np.nanmin(cells))), 1.0),
        customdata=hints(percentiles),
        texttemplate="<b>%{z:.2f}</b>" if printed else None,
        textfont={"size": 13},
        showscale=not printed,
        hoverongaps=False,
        xgap=2,
        ygap=2,
    )
    return draw(
        [traces],
        height=max(62 * count + 70, 250) if printed else 34 * count + 70,
        xaxis=named([str(number) for number in range(1, count + 1)]),
        yaxis=named_rows([f"{i} {label(one, 26)}" for i, one in enumerate(sentences, start=1)]),
    )


PROGRAM = '''
"""Cosines of sentences, and how many pairs of unrelated texts as long are less alike."""

sentences = ...
unrelated = ...  # by length: from and to how many tokens, numbers of sentences, texts of them
way = ...  # "mean", "[CLS]", "max", "pooler" or "token table"
layer = ...
sentence_vector = ...
tokenizer, model = ...


def vectors_of(texts):
    inputs = tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
    with torch.no_grad():
        result = model(**inputs, output_hidden_states=True)
    vectors = sentence_vector(model, inputs, result, way, layer).double().numpy()
    return vectors, inputs["attention_mask"].sum(dim=1).tolist()


vectors, tokens = vectors_of(sentences)
measured = [(*group[:3], vectors_of(group[3])[0]) for group in unrelated]
for first, second in zip(*np.triu_indices(len(sentences), 1), strict=True):
    cosine = cosine_similarity(vectors)[first, second]
    print(first + 1, "and", second + 1, f"{cosine:.4f}", end="")
    sides = [
        (np.array(numbers), others)
        for length in (tokens[first], tokens[second])
        for low, high, numbers, others in measured
        if low <= length <= high
    ]
    if len(sides) == 2:
        (left, a), (right, b) = sides
        among = cosine_similarity(a, b)[left[:, None] != right]
        print(f", above {int(100 * (among < cosine).mean())} percent", end="")
    print()
'''
