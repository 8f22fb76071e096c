"""Whether a cosine is high, as data: its numbers are the core's."""

import numpy as np
import pytest

from bertviz_core.calibration import Scales
from bertviz_core.calibration.percentiles import in_words, rounded
from bertviz_core.contextual import similarity_by_layer
from bertviz_core.contextual.words import words_in_context
from bertviz_core.encoder import Encoder
from bertviz_core.views.word_in_context.percentiles import percentiles
from tests.views.reading import PET, PYTHON, SPLIT, drawn, made


def test_the_percentile_scale(scales: Scales, minilm_encoder: Encoder) -> None:
    view = made(percentiles, minilm_encoder, PYTHON, 6, scales)
    scale, inside = scales.between(alone=True), scales.between()
    table = view.to_frame()
    pet, snake = words_in_context(minilm_encoder, [PET, "snake"])
    by_layer = similarity_by_layer(pet, snake)
    assert (view.values["sentence"], view.values["other"]) == ("I love my pet python", "snake")
    assert view.values["percentile"] == in_words(scale, by_layer[6], 6) != ""
    expected = [scale.percentile(cosine, at) for at, cosine in enumerate(by_layer)]
    assert table["percentile"].tolist() == rounded(expected).tolist()
    assert table["50% below"].to_numpy() == pytest.approx(scale.quantiles[:, 59])
    # Over the layers, the pair on the middle 90% of unrelated ones.
    assert drawn(view, "percentile-scale", trace=2) == pytest.approx(by_layer, abs=1e-5)
    upper, lower = drawn(view, "percentile-scale").reshape(2, -1)
    below = [float(scale.percentile(one, at)) for at, one in enumerate(upper)]
    assert below == pytest.approx([95] * len(upper), abs=0.1)
    below = [float(scale.percentile(one, at)) for at, one in enumerate(lower[::-1])]
    assert below == pytest.approx([5] * len(lower), abs=0.1)
    assert np.array_equal(drawn(view, "percentile-scale", trace=1), scale.anisotropy)
    assert view.values["highest"] == f"{scale.anisotropy.max():.2f}"
    # Two words in sentences have a scale of their own.
    two = made(percentiles, minilm_encoder, PYTHON, 6, scales, against="2 python")
    assert two.to_frame()["mean cosine"].to_numpy() == pytest.approx(inside.anisotropy)
    split = made(percentiles, minilm_encoder, SPLIT, 6, scales)
    assert "one piece" in str(split.values["percentile"])
    assert not made(percentiles, minilm_encoder, PYTHON, 6).pictures, "not measured"
