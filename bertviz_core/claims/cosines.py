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


HIGH_COSINE = Claim(
    "high cosine",
    _high_cosine,
    "Of unrelated words, <b>{worth_low}%</b> or more have less than {given} at every layer. But "
    "opposites such as hot and cold are used alike, so they are near, too.",
    "At layer {layer_low}, <b>{worth_low}%</b> of unrelated words have less than {given}, at layer "
    "{layer_high} <b>{worth_high}%</b>. And opposites such as hot and cold are used alike, so they "
    "are near, too.",
    absent="This model cannot be judged: its tokenizer leaves too few whole words in the app's "
    "sentences.",
    needs="calibration",
)
