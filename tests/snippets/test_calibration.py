"""The programs of the percentile scales print the scales' numbers."""

import re
from pathlib import Path

import pytest

from bertviz_core.bert import Bert
from bertviz_core.calibration import Calibration, Scales
from bertviz_core.calibration.words import FUNCTION_WORDS
from bertviz_core.encoder import Pooling
from tests.snippets.running import as_it_stands, run_filled

LINE = r"(\w+): (\d+) pairs, mean (\S+), (\S+) percent"


def check(printed: str, ruler: Calibration, cosine: float, layer: int) -> None:
    """Compare both lines of a program, of raw and of centred vectors."""
    lines = re.findall(LINE, printed)
    assert [line[0] for line in lines] == ["raw", "centred"]
    means = (ruler.anisotropy, ruler.centred_anisotropy)
    for centred, (_, pairs, mean, percent) in enumerate(lines):
        assert int(pairs) == ruler.pairs
        assert float(mean) == pytest.approx(means[centred][layer], abs=2e-4)
        ours = ruler.percentile(cosine, layer, centred=bool(centred))
        assert float(percent) == pytest.approx(ours, abs=0.2)
        assert 1 < ours < 99


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize(("pieces", "pooling"), [((3, 2), "max"), ((2, 2), "mean")])
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
        sentences_file=str(sentences_file),
        function_words_file=str(FUNCTION_WORDS),
        first_pieces=pieces[0],
        second_pieces=pieces[1],
        second_alone=alone,
        pooling=pooling,
        layer=1,
        cosine=cosine,
    )
    check(printed, scale, cosine, 1)


@pytest.mark.slow
def test_what_the_app_itself_measures_with(scales: Scales) -> None:
    """Its sentences, through the embedded model: as the program stands."""
    printed, names = as_it_stands("calibration/words")
    scale = scales.between(1, 1, alone=names["second_alone"])
    assert scale is not None
    check(printed, scale, names["cosine"], names["layer"])
