"""Further sections of the page Word in Context, as data: their numbers are the core's."""

import numpy as np
import pytest

from bertviz_core.calibration import Scales
from bertviz_core.calibration.percentiles import in_words, rounded
from bertviz_core.claims.layers import HIGH_COSINE
from bertviz_core.contextual import similarity_by_layer
from bertviz_core.contextual.words import (
    words_in_context,
)
from bertviz_core.encoder import Encoder
from bertviz_core.views.word_in_context.percentiles import percentiles
from tests.views.reading import PET, PYTHON, SPLIT, drawn, made


def test_the_percentile_scale(scales: Scales, minilm_encoder: Encoder) -> None:
    view = made(percentiles, minilm_encoder, PYTHON, 6, scales)
    scale, inside = scales.between(alone=True), scales.between()
    marks = view.to_frame("scale")
    cosine = float(marks["similarity"][0])
    assert (view.values["sentence"], view.values["other"]) == ("I love my pet python", "snake")
    assert view.values["percentile"] == in_words(scale, cosine, 6) != ""
    assert marks["percentile"][0] == rounded(scale.percentile(cosine, 6))
    assert marks["to"].tolist() == ["snake", "programming", "2 python"]
    kinds = [f"{one.pairs:,} {one.kind}" for one in (scale, scale, inside)]
    assert marks["among"].tolist() == kinds
    # Over the layers, the pair on the middle 90% of unrelated ones.
    pet, snake = words_in_context(minilm_encoder, [PET, "snake"])
    pair = drawn(view, "percentile-scale-1", trace=2)
    assert pair == pytest.approx(similarity_by_layer(pet, snake), abs=1e-5)
    upper, lower = drawn(view, "percentile-scale-1").reshape(2, -1)
    below = [float(scale.percentile(one, at)) for at, one in enumerate(upper)]
    assert below == pytest.approx([95] * len(upper), abs=0.1)
    below = [float(scale.percentile(one, at)) for at, one in enumerate(lower[::-1])]
    assert below == pytest.approx([5] * len(lower), abs=0.1)
    assert np.array_equal(drawn(view, "percentile-scale-1", trace=1), scale.anisotropy)
    assert view.values["highest"] == f"{scale.anisotropy.max():.2f}"
    table = view.to_frame("anisotropy")
    assert table["50% below"].to_numpy() == pytest.approx(scale.quantiles[:, 59])
    split = made(percentiles, minilm_encoder, SPLIT, 6, scales)
    assert "one piece" in str(split.values["percentile"])
    expected = HIGH_COSINE.condition(scales).numbers
    assert [view.values[name] for name in expected] == list(expected.values())
    assert not made(percentiles, minilm_encoder, PYTHON, 6).pictures, "not measured"
