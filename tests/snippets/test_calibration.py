"""The programs of the percentile scales print the scales' numbers."""

import re
from pathlib import Path

import pytest

from bertviz_core.bert import Bert
from bertviz_core.calibration import Calibration, Scales, calibration_sentences
from bertviz_core.calibration.run import FUNCTION_WORDS
from bertviz_core.encoder import Pooling
from tests.snippets.running import run_filled


def check(printed: str, scale: Calibration, cosine: float, layer: int) -> None:
    """Compare both lines of a program, of raw and of centred vectors."""
    lines = re.findall(r"(\w+): (\d+) pairs, mean (\S+), (\S+) percent", printed)
    assert [line[0] for line in lines] == ["raw", "centred"]
    means = (scale.anisotropy, scale.centred_anisotropy)
    for centred, (_, pairs, mean, percent) in enumerate(lines):
        assert int(pairs) == scale.pairs
        assert float(mean) == pytest.approx(means[centred][layer], abs=2e-4)
        ours = scale.percentile(cosine, layer, centred=bool(centred))
        assert float(percent) == pytest.approx(ours, abs=0.2)
        assert 1 < ours < 99


@pytest.mark.parametrize(
    ("pieces", "pooling", "alone"), [((3, 2), "max", True), ((2, 2), "mean", False)]
)
def test_words(
    tiny: Bert,
    tiny_scales: Scales,
    sentences_file: Path,
    pieces: tuple[int, int],
    pooling: Pooling,
    alone: bool,
) -> None:
    scale = tiny_scales.between(*pieces, pooling, alone=alone)
    assert scale is not None
    cosine = round(float(scale.quantiles[1, 40]), 6)
    printed, _ = run_filled(
        "calibration/words",
        tiny,
        sentences=sentences_file.read_text(encoding="utf-8").splitlines(),
        function_words=FUNCTION_WORDS.read_text(encoding="utf-8"),
        first_pieces=pieces[0],
        second_pieces=pieces[1],
        second_alone=alone,
        pooling=pooling,
        layer=1,
        cosine=cosine,
    )
    check(printed, scale, cosine, 1)


@pytest.mark.slow
def test_what_the_app_itself_measures_with(minilm: Bert, scales: Scales) -> None:
    """Its sentences, through the embedded model: the values of the template, but for these."""
    texts = {
        "sentences": list(calibration_sentences()),
        "function_words": FUNCTION_WORDS.read_text(encoding="utf-8"),
    }
    pair = {"first_pieces": 1, "second_pieces": 1, "second_alone": True, "pooling": "mean"}
    printed, _ = run_filled("calibration/words", minilm, layer=5, cosine=0.2, **texts, **pair)
    scale = scales.between(1, 1, alone=True)
    assert scale is not None
    check(printed, scale, 0.2, 5)
