"""The headline: how alike sentences are, each as one vector, beside unrelated sentences."""

from itertools import product
from typing import Annotated, Any

import numpy as np

from bertviz_core.arrays import Array, cosine_matrix, frozen
from bertviz_core.bert import Bert
from bertviz_core.calibration.influence import LENGTHS, length_of
from bertviz_core.calibration.sentences import (
    NAMED,
    in_one_frame,
    unrelated_pairs,
    unrelated_texts,
)
from bertviz_core.checkpoints.checkpoint import origin_of
from bertviz_core.contextual.sentence_vectors import (
    BY_LAYER,
    POOLER,
    TABLE,
    WAYS,
    sentence_vectors,
)
from bertviz_core.encoder import Encoder
from bertviz_core.errors import shortened
from bertviz_core.figures.colors import SIMILARITY
from bertviz_core.figures.drawing import Figure, draw, heatmap, label, named, named_rows
from bertviz_core.shared.models import AnyEncoder
from bertviz_core.shared.results import once, once_in_turn
from bertviz_core.tokens import TokenizedText, tokenize
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Choice, Slider
from bertviz_core.views.inside_the_model.parameters import census_of
from bertviz_core.views.parts import Part
from bertviz_core.views.view import (
    View,
    caption,
    joined,
    note,
    picture,
    program,
    rounded,
    say,
    table,
    truncated,
)

LAST = 10_000  # the last layer of any model
METHOD = "one-vector-for-a-sentence"
MAX_WITH_NUMBERS = 8  # sentences whose cosines are printed in the cells
FRAMED = " Pairs that open or close alike have no scale."
_unrelated_texts = once(unrelated_texts)
_unrelated = once_in_turn(unrelated_pairs)


def ways_of(bert: Bert) -> tuple[str, ...]:
    """The ways that a checkpoint has: not every one has a pooler."""
    has_pooler = census_of(bert).by_group["pooler"]
    return tuple(way for way in WAYS if way != POOLER or has_pooler)


def described(way: str, layer: int) -> str:
    """A way, and its layer if it has layers."""
    if way in BY_LAYER:
        return f"{way} at layer {layer}"
    return "mean of the token table" if way == TABLE else way


@once_in_turn
def texts_and_vectors(
    encoder: Encoder, sentences: tuple[str, ...]
) -> tuple[list[TokenizedText], dict[str, Array]]:
    """Sentences as tokens, and as vectors by way; see `sentence_vectors`."""
    texts = tokenize(encoder.bert, sentences)
    return texts, sentence_vectors(encoder, texts)


@view("sentence vectors", page="Sentence Vectors", rank=0, doing="Comparing the sentences …")
def matrix(
    encoder: AnyEncoder,
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
    bert = encoder.bert
    layer = min(layer, bert.num_hidden_layers)
    texts, vectors_by_way = texts_and_vectors(encoder, sentences)
    by_layer = vectors_by_way[way]
    index = layer if len(by_layer) > 1 else 0  # the pooler and the token table have no layers
    vectors = by_layer[index]
    cosines = frozen(cosine_matrix(vectors, vectors))
    lengths = np.array([length_of(len(text)) for text in texts])
    unrelated = _unrelated(encoder)
    in_frame = in_one_frame(bert, texts)
    first, second = np.triu_indices(len(sentences), 1)  # of each pair
    pairs = cosines[first, second]
    nearest = int(pairs.argmax())
    i, j = int(first[nearest]), int(second[nearest])
    middles = [
        unrelated.middles(way, index, (lengths[a], lengths[b])) if not in_frame[a, b] else {}
        for a, b in zip(first, second, strict=True)
    ]
    columns: dict[str, Any] = {
        "first": [sentences[row] for row in first],
        "second": [sentences[row] for row in second],
        "cosine": pairs,
    }
    if any(middles):
        for style, (end, below) in product(NAMED, enumerate((5, 95))):
            columns[f"{below}% of {style} below"] = [
                middle[style][end] if middle else None for middle in middles
            ]
    cut_at = origin_of(bert.checkpoint).cut_at
    return View(
        *(truncated(text, f"Sentence {number}") for number, text in enumerate(texts, start=1)),
        say(
            "By <b>{by}</b>, every sentence has the same vector: it has seen none of the words.",
            by=described(way, layer),
            method=METHOD,
        )
        if way == "[CLS]" and not layer  # the rows of [CLS], segment 0 and position 0
        else _finding(
            (sentences[i], sentences[j]),
            (len(texts[i]), len(texts[j])),
            float(pairs[nearest]),
            bool(in_frame[i, j]),
            middles[nearest],
            described(way, layer),
        ),
        picture(
            _matrix(sentences, cosines),
            alt=f"Cosines of {len(sentences)} sentences with each other, {pairs.min():.3f} to "
            f"{pairs.max():.3f}; nearest are {i + 1} and {j + 1}.",
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
            "The model on the screen is {model}: {short}. Unrelated sentences of one topic, or in "
            "another style, may be nearer." + FRAMED * bool(in_frame[first, second].any()),
            method="scales-and-other-texts",
            model=bert.name,
            short=origin_of(bert.checkpoint).short,
        ),
        table(columns, name="sentence-pairs", fold="Table"),
        program(
            PROGRAM,
            bert,
            sentences=list(sentences),
            unrelated={
                style: [
                    [*LENGTHS[length], texts]
                    for length, texts in enumerate(_unrelated_texts(bert, style))
                    if texts and length in lengths
                ]
                for style in NAMED
            },
            way=way,
            layer=layer,
            name="matrix",
            arrays=lambda: {"vectors": vectors, "labels": sentences},
        ),
        made={"way": way} | ({"layer": layer} if way in BY_LAYER else {}),
    )


def _finding(
    nearest: tuple[str, str],
    lengths: tuple[int, int],
    cosine: float,
    in_frame: bool,
    middles: dict[str, list[float]],
    by: str,
) -> Part:
    """The nearest pair, and whether unrelated sentences are as near by this way and layer."""
    first, second = map(shortened, nearest)
    finding = (
        "By <b>{by}</b>, <i>{first}</i> and <i>{second}</i> are nearest: cosine <b>{cosine}</b>"
    )
    values: dict[str, Any] = {}
    if in_frame:
        finding += ". There is no scale, since they {frame}: that alone brings sentences nearer."
        values["frame"] = "open or close alike"
    elif middles:
        finding += (
            ". Nine of ten pairs of unrelated plain sentences as long have <b>{low_news} to "
            "{high_news}</b> in news, <b>{low_stories} to {high_stories}</b> in stories."
        )
        for style, ends in middles.items():
            values |= {f"{end}_{style}": rounded(ends[end == "high"]) for end in ("low", "high")}
        if cosine <= max(high for _, high in middles.values()):
            finding += " So unrelated sentences may be as near."
    else:
        finding += ". There is no scale for {tokens} tokens, only for {shortest} to {longest}."
        without_scale = [tokens for tokens in lengths if length_of(tokens) < 0] or lengths
        values |= {"tokens": joined(map(str, without_scale))}
        values |= {"shortest": LENGTHS[0][0], "longest": LENGTHS[-1][1]}
    values |= {"by": by, "first": first, "second": second, "cosine": rounded(cosine, 3)}
    return say(finding, method=METHOD, **values)


def _matrix(sentences: tuple[str, ...], cosines: Array) -> Figure:
    count = len(sentences)
    cells = np.where(np.eye(count, dtype=bool), np.nan, cosines).astype(np.float32)
    printed = count <= MAX_WITH_NUMBERS
    traces = heatmap(
        cells,
        "%{y}<br>with %{x}<br>%{z:.4f}",
        SIMILARITY,
        (min(0.0, float(np.nanmin(cells))), 1.0),
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
        yaxis=named_rows([f"{i} {label(text, 26)}" for i, text in enumerate(sentences, start=1)]),
    )


PROGRAM = '''
"""Cosines of sentences, and those of nine of ten pairs of unrelated sentences as long."""

sentences = ...
unrelated = ...  # by style and length: from and to how many tokens, sentences of this length
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
vectors_by_style = {
    style: [(low, high, vectors_of(texts)[0]) for low, high, texts in groups]
    for style, groups in unrelated.items()
}
for first, second in zip(*np.triu_indices(len(sentences), 1), strict=True):
    print(first + 1, "and", second + 1, f"{cosine_similarity(vectors)[first, second]:.4f}", end="")
    for style, groups in vectors_by_style.items():
        sides = [
            others
            for length in (tokens[first], tokens[second])
            for low, high, others in groups
            if low <= length <= high
        ]
        if len(sides) == 2:
            among = cosine_similarity(*sides)
            # Of one length both sides are the same sentences: each pair once.
            pairs = among[np.triu_indices(len(among), 1)] if sides[0] is sides[1] else among
            low, high = np.percentile(pairs, [5, 95])
            print(f", {style} {low:.4f} to {high:.4f}", end="")
    print()
'''
