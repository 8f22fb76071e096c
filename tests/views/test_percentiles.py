"""Whether a cosine is high: the view and its program have the core's numbers."""

import re

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.calibration import Scales, calibration_sentences, measure
from bertviz_core.calibration.percentiles import in_words, rounded
from bertviz_core.calibration.words import FUNCTION_WORDS
from bertviz_core.contextual import similarity_by_layer
from bertviz_core.contextual.words import words_in_context
from bertviz_core.encoder import Encoder
from bertviz_core.views.word_in_context.percentiles import PROGRAM, percentiles
from tests.views.reading import PET, PYTHON, SPLIT, drawn, made
from tests.views.running import run_filled


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
    assert drawn(view, "percentile-scale", trace=1) == pytest.approx(by_layer, abs=1e-5)
    upper, lower = drawn(view, "percentile-scale").reshape(2, -1)
    below = [float(scale.percentile(one, at)) for at, one in enumerate(upper)]
    assert below == pytest.approx([95] * len(upper), abs=0.1)
    below = [float(scale.percentile(one, at)) for at, one in enumerate(lower[::-1])]
    assert below == pytest.approx([5] * len(lower), abs=0.1)
    assert np.array_equal(drawn(view, "percentile-scale", trace=2), scale.anisotropy)
    assert view.values["mean"] == f"{scale.anisotropy[6]:.2f}"
    # Two words in sentences have a scale of their own.
    two = made(percentiles, minilm_encoder, PYTHON, 6, scales, against="2 python")
    assert two.to_frame()["mean cosine"].to_numpy() == pytest.approx(inside.anisotropy)
    split = made(percentiles, minilm_encoder, SPLIT, 6, scales)
    assert "one piece" in str(split.values["percentile"])
    assert not made(percentiles, minilm_encoder, PYTHON, 6).pictures, "not measured"


@pytest.mark.parametrize("alone", [True, False])
def test_the_program_of_the_scale(minilm: Bert, minilm_encoder: Encoder, alone: bool) -> None:
    sentences = list(calibration_sentences())[:60]
    scale = measure(minilm_encoder, sentences).between(alone=alone)
    assert scale is not None
    cosine = round(float(scale.quantiles[5, 40]), 6)
    printed, _ = run_filled(
        PROGRAM,
        minilm,
        sentences=sentences,
        function_words=FUNCTION_WORDS.read_text(encoding="utf-8"),
        alone=alone,
        layer=5,
        cosine=cosine,
    )
    found = re.search(r"(\d+) pairs, mean (\S+), (\S+) percent", printed)
    assert found is not None
    pairs, mean, percent = found.groups()
    assert int(pairs) == scale.pairs
    assert float(mean) == pytest.approx(scale.anisotropy[5], abs=2e-4)
    assert float(percent) == pytest.approx(scale.percentile(cosine, 5), abs=0.2)
