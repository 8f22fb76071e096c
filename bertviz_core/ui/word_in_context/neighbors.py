"""The tokens of the page's sentences that are nearest to a word."""

from typing import Any

import numpy as np

from bertviz_core.calibration import Calibration
from bertviz_core.contextual.neighbors import ContextNeighbors
from bertviz_core.figures.contextual.neighbors import token_layers
from bertviz_core.snippets.fill import filled
from bertviz_core.tokens import TokenizedText
from bertviz_core.ui import inputs, slots
from bertviz_core.ui.html import finding, note
from bertviz_core.ui.percentiles import after, column
from bertviz_core.ui.show import chart, code, table
from bertviz_core.ui.waiting import waiting
from bertviz_core.ui.word_in_context import results as context_cache
from bertviz_core.ui.word_in_context.words import Compared, choose, span

K = 12
CONTEXT = 2  # tokens shown on each side


def neighbors(compared: Compared, layer: int, calibration: Calibration | None) -> None:
    """Show which tokens of all sentences are nearest to the chosen word, by layer."""
    fields = slots.row("neighbors", 1 + (len(compared.words) > 1), align="bottom")
    with fields[0]:
        place = choose("Word to follow", compared.names[: len(compared.words)], key="target")
    with fields[-1]:
        centred = inputs.switch(
            "Order by mean-centred similarity",
            key="centre",
            help="Takes away what all vectors of a layer share; the means come from the ruler.",
        )
    word = compared.words[place]
    with waiting("Comparing with every token of the sentences …", height=420):
        found = context_cache.neighbors_in_context(compared.bert.name, compared.asked, place)
    if centred and found.centred is None:
        note(
            "Centring needs each layer's mean vector, which the ruler measures: start it by the "
            "button above the curves. Until then the order is that of plain cosines."
        )
    centred = centred and found.centred is not None
    best = found.nearest(layer, K, centred=centred)
    cosines = found.centred if centred and found.centred is not None else found.cosines
    texts = list({id(one.text): one.text for one in compared.words}.values())
    names = [
        f"{found.tokens[i]} ({found.texts[i] + 1}, {found.positions[i]})" for i in best.tolist()
    ]
    nearest = float(cosines[layer, best[0]])
    same = int(np.count_nonzero(found.texts[best] == texts.index(word.text)))
    finding(
        "At layer {layer} the token nearest to <b>{word}</b> in “{sentence}” is <b>{token}</b> in "
        "“{there}”: {kind} <b>{cosine}</b>{worth}. {same} of the {count} nearest stand in its "
        "own sentence.",
        layer=layer,
        word=word.word,
        sentence=compared.sentence(place),
        token=found.tokens[best[0]],
        there=_around(found, texts, int(best[0])),
        kind="mean-centred similarity" if centred else "similarity",
        cosine=f"{nearest:.3f}",
        worth=after(calibration, nearest, layer, centred=centred),
        same=same,
        count=len(best),
    )
    said = [_around(found, texts, i) for i in best.tolist()]
    chart(
        token_layers(cosines[:, best].T, names, layer=layer, said=said),
        alt=f"Heatmap of the {len(best)} tokens nearest to {word.word} at layer {layer}, over all "
        f"layers: {', '.join(names[:4])} first; at layer {layer} from "
        f"{cosines[layer, best[-1]]:.3f} to {nearest:.3f}.",
        name="context-neighbors",
    )
    left_out = sum(len(text) for text in texts) - len(found.tokens)
    note(
        "Beside each token: the number of its sentence, and its position there. {shown} of {all} "
        "tokens are shown; the {out} special tokens and own pieces of the word are left out.",
        shown=len(best),
        all=f"{len(found.tokens):,}",
        out=left_out,
    )
    _table(found, texts, best, layer, calibration)
    sentences = list({word.sentence: None for word in compared.words})
    pooling, bert = compared.asked.pooling, compared.bert
    code(
        lambda: filled(
            "contextual/neighbors",
            bert,
            word=span(word),
            sentences=sentences,
            pooling=pooling,
            layer=layer,
            k=K,
        ),
        name="context-neighbors",
    )


def _around(found: ContextNeighbors, texts: list[TokenizedText], place: int) -> str:
    """A token with its neighbours to the left and right."""
    tokens, at = texts[found.texts[place]].tokens, int(found.positions[place])
    first, last = max(at - CONTEXT, 1), min(at + CONTEXT + 1, len(tokens) - 1)
    cut = ("… " if first > 1 else "", " …" if last < len(tokens) - 1 else "")
    return f"{cut[0]}{' '.join(tokens[first:last])}{cut[1]}".replace(" ##", "")


def _table(
    found: ContextNeighbors,
    texts: list[TokenizedText],
    best: np.ndarray[Any, np.dtype[np.int64]],
    layer: int,
    calibration: Calibration | None,
) -> None:
    import pandas as pd

    columns: dict[str, Any] = {
        "token": [found.tokens[i] for i in best],
        "sentence": found.texts[best] + 1,
        "position": found.positions[best],
        "around it": [_around(found, texts, int(i)) for i in best],
        "similarity": found.cosines[layer, best],
    }
    if calibration is not None:
        columns["percentile"] = column(calibration.percentiles(columns["similarity"], layer))
        if found.centred is not None:
            columns["mean-centred"] = found.centred[layer, best]
            columns["mean-centred, percentile"] = column(
                calibration.percentiles(columns["mean-centred"], layer, centred=True)
            )
    table(pd.DataFrame(columns), name=f"context-neighbors-layer-{layer}")
