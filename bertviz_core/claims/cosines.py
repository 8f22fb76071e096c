"""What one cosine is worth: a claim that a model's percentile scales settle."""

import numpy as np

from bertviz_core.arrays import Exact
from bertviz_core.calibration import Scales
from bertviz_core.calibration.percentiles import percent
from bertviz_core.claims.claim import Claim, Verdict

COSINE = 0.6
RARE = 95  # percent of unrelated pairs that are to have less, on every scale at every layer


def _span(percents: Exact) -> str:
    low, high = percent(percents.min()), percent(percents.max())
    return low if low == high else f"{low}% to {high}"


def _high_cosine(scales: Scales) -> Verdict:
    found = scales.percentiles(COSINE)
    if not found:
        return Verdict(None, {"given": COSINE})
    by_layer = np.stack(list(found.values()))
    kinds = [pair.description for pair in found]
    low, high = (
        np.unravel_index(extreme, by_layer.shape)
        for extreme in (by_layer.argmin(), by_layer.argmax())
    )
    return Verdict(
        bool(by_layer.min() >= RARE),
        {
            "given": COSINE,
            "worth_high": percent(by_layer[high]),
            "kind_high": kinds[high[0]],
            "layer_high": int(high[1]),
            "worth_low": percent(by_layer[low]),
            "kind_low": kinds[low[0]],
            "layer_low": int(low[1]),
            # Words that are one token need no pooling: the scales most pairs are read on.
            "usual": "; ".join(
                f"{_span(row)}% of pairs of {kind}"
                for pair, kind, row in zip(found, kinds, by_layer, strict=True)
                if not pair.pooling
            ) or "not measured",
        },
    )  # fmt: skip


_RARE_IS_NOT_ALIKE = (
    " A rare cosine does not mean the same meaning: opposites such as hot and cold are used in "
    "the same sentences, so their vectors can be near, too."
)
_WORTH = (
    "At layer {layer_low} it is higher than <b>{worth_low}%</b> of pairs of {kind_low}, at layer "
    "{layer_high} than <b>{worth_high}%</b> of pairs of {kind_high}. Without pooling, over all "
    "layers: {usual}."
)
HIGH_COSINE = Claim(
    "high cosine",
    _high_cosine,
    "In this model a cosine of {given} is rare among unrelated pairs, whatever is compared. "
    + _WORTH
    + _RARE_IS_NOT_ALIKE,
    "What a cosine of {given} is worth depends on what is compared, and at which layer. "
    + _WORTH
    + _RARE_IS_NOT_ALIKE,
    "This model cannot be judged: its tokenizer leaves too few whole words in the app's "
    "sentences." + _RARE_IS_NOT_ALIKE,
    needs="calibration",
    on_base="not known here. In the BERT that Ethayarajh (2019) measured, vectors of words "
    "are not spread evenly at any layer",
)
