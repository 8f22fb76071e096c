"""The tokens of the page's sentences that are nearest to a word."""

from typing import Any

import numpy as np

from bertviz_core.calibration.percentiles import columns_with_centred
from bertviz_core.contextual.neighbors import ContextNeighbors
from bertviz_core.figures.contextual.layers import token_layers
from bertviz_core.tokens import TokenizedText
from bertviz_core.ui.html import caption, finding
from bertviz_core.ui.show import chart, code, folded_table
from bertviz_core.ui.waiting import waiting
from bertviz_core.ui.word_in_context.compared import Compared, span
from bertviz_core.ui.word_in_context.numbers import rounded
from bertviz_core.ui.word_in_context.results import neighbors_in_context
from bertviz_core.ui.word_in_context.words import choose_word_and_centring

K = 12
CONTEXT = 2  # tokens shown on each side


def in_context(compared: Compared) -> None:
    """Show which tokens of all sentences are nearest to the chosen word, by layer."""
    number, centred = choose_word_and_centring(
        compared,
        "neighbors",
        "Order by mean-centred similarity",
        help="Takes away what all vectors of a layer share.",
        until_then="the order is that of plain cosines",
    )
    word, layer = compared.words[number], compared.layer
    sentences = {other.sentence: other.text for other in compared.words}
    texts = list(sentences.values())
    with waiting("Comparing with every token of the sentences …", height=420):
        neighbors = neighbors_in_context(
            compared.bert.name,
            compared.comparison,
            number,
            compared.calibration is not None,
            word,
            texts,
        )
    shown = neighbors.cosines
    if centred and neighbors.centred is not None:
        shown = neighbors.centred
    best = neighbors.nearest(layer, K, centred=centred)
    nearest = float(shown[layer, best[0]])
    around = [_around(neighbors, texts, i) for i in best.tolist()]
    own_sentence = neighbors.texts[best] == list(sentences).index(word.sentence)
    finding(
        "At layer {layer}, {word} in <i>{sentence}</i> is nearest to <b>{nearest}</b> in "
        "<i>{around}</i> ({kind} <b>{cosine}</b>).",
        method="nearest-tokens-of-the-sentences",
        layer=layer,
        word=word.word,
        sentence=compared.shortened(number),
        nearest=neighbors.tokens[best[0]],
        around=around[0],
        kind="mean-centred similarity" if centred else "similarity",
        cosine=rounded(nearest),
    )
    names = [
        f"{neighbors.tokens[i]} ({neighbors.texts[i] + 1}, {neighbors.positions[i]})"
        for i in best.tolist()
    ]
    chart(
        token_layers(shown[:, best].T, names, layer=layer, hints=around),
        alt=f"Heatmap of the {len(best)} tokens nearest to {word.word} at layer {layer}, over all "
        f"layers: {', '.join(names[:4])} first; at layer {layer} from "
        f"{shown[layer, best[-1]]:.3f} to {nearest:.3f}.",
        name="context-neighbors",
        of=compared.made,
    )
    caption(
        "Beside each token: the number of its sentence, and its position there. {same} of the "
        "{count} shown stand in the word's own sentence. They are the nearest of {all} tokens; "
        "special tokens and the word's own pieces are left out.",
        same=np.count_nonzero(own_sentence),
        count=len(best),
        all=f"{len(neighbors.tokens):,}",
    )
    columns: dict[str, Any] = {
        "token": [neighbors.tokens[i] for i in best],
        "sentence": neighbors.texts[best] + 1,
        "position": neighbors.positions[best],
        "around it": around,
    }
    columns |= columns_with_centred(
        "similarity",
        neighbors.cosines[layer, best],
        None if neighbors.centred is None else neighbors.centred[layer, best],
        compared.scale_to_tokens(number),
        layer,
    )
    folded_table(
        "Table",
        lambda: columns,
        key="neighbors-numbers",
        name="context-neighbors",
        of=compared.made,
    )
    code(
        "contextual/neighbors",
        compared.bert,
        word=span(word),
        sentences=list(sentences),
        pooling=compared.comparison.pooling,
        layer=layer,
        k=K,
        name="context-neighbors",
    )


def _around(neighbors: ContextNeighbors, texts: list[TokenizedText], number: int) -> str:
    """A token with the tokens to its left and right."""
    tokens = texts[neighbors.texts[number]].tokens
    position = int(neighbors.positions[number])
    first, last = max(position - CONTEXT, 1), min(position + CONTEXT + 1, len(tokens) - 1)
    cut = ("… " if first > 1 else "", " …" if last < len(tokens) - 1 else "")
    return f"{cut[0]}{' '.join(tokens[first:last])}{cut[1]}".replace(" ##", "")
