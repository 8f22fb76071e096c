"""The program of the percentile scale prints the scale's numbers."""

import re

import pytest

from bertviz_core.bert import Bert
from bertviz_core.calibration import calibration_sentences, measure
from bertviz_core.calibration.words import FUNCTION_WORDS
from bertviz_core.encoder import Encoder
from bertviz_core.views.word_in_context.percentiles import PROGRAM
from tests.views.running import run_filled


@pytest.mark.parametrize("alone", [True, False])
def test_words(minilm: Bert, minilm_encoder: Encoder, alone: bool) -> None:
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
