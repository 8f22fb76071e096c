"""The percentile scales of sentence pairs: cosines of unrelated texts that are as long."""

from collections.abc import Iterable

import numpy as np

from bertviz_core.arrays import Array, Exact
from bertviz_core.bert import Bert
from bertviz_core.calibration import Baseline
from bertviz_core.calibration.sentences import (
    UnrelatedVectors,
    length_of,
    unrelated_texts,
    unrelated_vectors,
)
from bertviz_core.contextual.sentence_vectors import at_layer
from bertviz_core.encoder import Encoder
from bertviz_core.shared import once
from bertviz_core.tokens import TokenizedText, tokenize

SAME = 1e-7  # so near to 1, vectors are equal


@once
def tokens_of(bert: Bert, sentence: str) -> TokenizedText:
    """A sentence as tokens."""
    return tokenize(bert, sentence)


@once
def texts_by_length(bert: Bert) -> list[list[tuple[int, str]]]:
    """The unrelated texts of each of the `LENGTHS`, with the number of what each was cut from."""
    return unrelated_texts(bert)


@once
def _unrelated(encoder: Encoder) -> UnrelatedVectors:
    return unrelated_vectors(encoder)


@once
def _scale(encoder: Encoder, way: str, first: int, second: int) -> Baseline | None:
    return _unrelated(encoder).scale(way, first, second)


def scales_for(
    encoder: Encoder, way: str, layer: int, pairs: Iterable[tuple[str, str]]
) -> list[Baseline | None]:
    """The percentile scale for each pair, by its lengths; None where all cosines are equal, too."""
    found = []
    for pair in pairs:
        first, second = (length_of(len(tokens_of(encoder.bert, one))) for one in pair)
        scale = None
        if first is not None and second is not None:
            scale = _scale(encoder, way, min(first, second), max(first, second))
        same = scale is not None and scale.quantiles[at_layer(scale.quantiles, layer)][0] > 1 - SAME
        found.append(None if same else scale)
    return found


def percentiles_of(scales: list[Baseline | None], cosines: Array, layer: int) -> Exact:
    """The percentile of each cosine on its own scale; NaN where it has none."""
    return np.array(
        [
            np.nan if scale is None else scale.percentile(cosine, at_layer(scale.quantiles, layer))
            for scale, cosine in zip(scales, cosines.tolist(), strict=True)
        ]
    )
