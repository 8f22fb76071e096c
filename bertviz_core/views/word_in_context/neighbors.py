"""The tokens of the page's sentences that are nearest to a word."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.calibration import Scales
from bertviz_core.calibration.percentiles import columns_with_centred
from bertviz_core.contextual.neighbors import ContextNeighbors, neighbors_in_context
from bertviz_core.encoder import Encoder
from bertviz_core.figures.axes import label, layers, named_rows
from bertviz_core.figures.colors import SIMILARITY
from bertviz_core.figures.drawing import Figure, draw, frame, heatmap
from bertviz_core.shared import once
from bertviz_core.tokens import TokenizedText
from bertviz_core.views.declare import view
from bertviz_core.views.parts import caption, picture, program, say, table
from bertviz_core.views.sentences import rounded
from bertviz_core.views.view import View
from bertviz_core.views.word_in_context.words import PAGE, TARGET, Comparison, compared

K = 12
CONTEXT = 2  # tokens shown on each side


@once
def _neighbors(
    encoder: Encoder, comparison: Comparison, number: int, scales: Scales | None
) -> ContextNeighbors:
    words = compared(encoder, comparison, least=1).words
    texts = {word.sentence: word.text for word in words}
    means = None if scales is None else scales.means
    return neighbors_in_context(encoder, words[number], list(texts.values()), means)


def nearest_words(encoder: Encoder, comparison: Comparison) -> list[str]:
    """The words of one piece of all sentences, those first that the first word is nearest to."""
    alone = replace(comparison, anchors=())  # one result for all anchors
    found = _neighbors(encoder, alone, 0, None)
    best = found.nearest(encoder.bert.num_hidden_layers, len(found.tokens))
    return list(dict.fromkeys(found.tokens[number] for number in best.tolist()))


@view("neighbours in context", page=PAGE, rank=30, doing="Comparing with every token …")
def neighbors(
    encoder: Encoder,
    comparison: Comparison,
    layer: int,
    scales: Scales | None = None,
    target: Annotated[str, TARGET] = "",
) -> View:
    """The tokens of all sentences on the page that are nearest to a word, by layer."""
    words, number = compared(encoder, comparison, scales), comparison.followed(target)
    word, sentences = words.words[number], {one.sentence: one.text for one in words.words}
    texts = list(sentences.values())
    found = _neighbors(encoder, comparison, number, scales)
    best, shown = found.nearest(layer, K), found.cosines
    around = [_around(found, texts, i) for i in best.tolist()]
    names = [
        f"{found.tokens[i]} ({found.texts[i] + 1}, {found.positions[i]})" for i in best.tolist()
    ]
    scale = None
    if scales is not None:
        how, alone = comparison.pooling, word.alone
        scale = scales.between(1, len(word.tokens), how, alone=alone)
    return View(
        say(
            "At layer {layer}, {word} in <i>{sentence}</i> is nearest to <b>{nearest}</b> in "
            "<i>{around}</i> (similarity <b>{cosine}</b>).",
            method="nearest-tokens-of-the-sentences",
            layer=layer,
            word=word.word,
            sentence=words.sentence(number),
            nearest=found.tokens[best[0]],
            around=around[0],
            cosine=rounded(float(shown[layer, best[0]])),
        ),
        picture(
            _by_layer(shown[:, best].T, names, around, layer),
            alt=f"Heatmap of the {len(best)} tokens nearest to {word.word} at layer {layer}, over "
            f"all layers: {', '.join(names[:4])} first; at layer {layer} from "
            f"{shown[layer, best[-1]]:.3f} to {shown[layer, best[0]]:.3f}.",
            name="context-neighbors",
        ),
        caption(
            "In brackets: the number of the sentence, and the position there. {same} of the "
            "{count} nearest are in the word's own sentence. Searched are {all} tokens, without "
            "special tokens and the word's own pieces.",
            same=np.count_nonzero(found.texts[best] == list(sentences).index(word.sentence)),
            count=len(best),
            all=f"{len(found.tokens):,}",
        ),
        table(
            {
                "token": [found.tokens[i] for i in best],
                "sentence": found.texts[best] + 1,
                "position": found.positions[best],
                "around it": around,
                **columns_with_centred(
                    "similarity",
                    shown[layer, best],
                    None if found.centred is None else found.centred[layer, best],
                    scale,
                    layer,
                ),
            },
            name="context-neighbors",
            fold="Table",
        ),
        program(
            "contextual/neighbors",
            encoder.bert,
            word=word.span,
            sentences=list(sentences),
            pooling=comparison.pooling,
            layer=layer,
            k=K,
            name="context-neighbors",
        ),
        made=comparison.made(layer),
    )


def _around(found: ContextNeighbors, texts: list[TokenizedText], number: int) -> str:
    """A token with the tokens to its left and right."""
    tokens = texts[found.texts[number]].tokens
    position = int(found.positions[number])
    first, last = max(position - CONTEXT, 1), min(position + CONTEXT + 1, len(tokens) - 1)
    cut = ("… " if first > 1 else "", " …" if last < len(tokens) - 1 else "")
    return f"{cut[0]}{' '.join(tokens[first:last])}{cut[1]}".replace(" ##", "")


def _by_layer(cosines: Array, names: Sequence[str], hints: Sequence[str], layer: int) -> Figure:
    """How near some tokens are to a word: one row a token, one column a layer."""
    pointed = [[label(hint, 80)] * cosines.shape[1] for hint in hints]
    hover = "%{y}<br>%{customdata}<br>layer %{x}: %{z:.3f}"
    return draw(
        [heatmap(cosines, hover, SIMILARITY, customdata=pointed)],
        height=26 * len(names) + 110,
        shapes=[frame((layer, layer), (0, len(names) - 1))],
        xaxis=layers(),
        yaxis=named_rows([label(name, 22) for name in names]),
    )
