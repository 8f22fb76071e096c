"""What one cosine is worth: a claim that a model's percentile scales settle."""

import numpy as np

from bertviz_core.calibration import Scales
from bertviz_core.calibration.percentiles import percent
from bertviz_core.claims.claim import Claim, Verdict

COSINE = 0.6
RARE = 95  # percent of unrelated pairs that are to have less, at every layer


def _high_cosine(scales: Scales) -> Verdict:
    found = scales.percentiles(COSINE)
    if not found:
        return Verdict(None, {"given": COSINE})
    by_layer = np.stack(list(found.values()))
    numbers: dict[str, str | int | float] = {"given": COSINE}
    for end, place in (("low", by_layer.argmin()), ("high", by_layer.argmax())):
        kind, layer = np.unravel_index(place, by_layer.shape)
        numbers |= {f"worth_{end}": percent(by_layer[kind, layer]), f"layer_{end}": int(layer)}
    return Verdict(bool(by_layer.min() >= RARE), numbers)


_RARE_IS_NOT_ALIKE = (
    " A rare cosine does not mean the same meaning: opposites such as hot and cold are used in "
    "the same sentences, so their vectors can be near, too."
)
_WORTH = (
    "At layer {layer_low} it is higher than <b>{worth_low}%</b> of pairs of unrelated words, at "
    "layer {layer_high} than <b>{worth_high}%</b>."
)
HIGH_COSINE = Claim(
    "high cosine",
    _high_cosine,
    "In this model a cosine of {given} is rare among unrelated words. "
    + _WORTH
    + _RARE_IS_NOT_ALIKE,
    "What a cosine of {given} is worth depends on the layer. " + _WORTH + _RARE_IS_NOT_ALIKE,
    "This model cannot be judged: its tokenizer leaves too few whole words in the app's "
    "sentences." + _RARE_IS_NOT_ALIKE,
    needs="calibration",
    on_base="not known here. In the BERT that Ethayarajh (2019) measured, vectors of words "
    "are not spread evenly at any layer",
)
