import re

import pytest

from bertviz_core.bert import Bert
from bertviz_core.calibration import Calibration, Scales
from bertviz_core.calibration.run import SENTENCES
from bertviz_core.calibration.words import FUNCTION_WORDS
from tests.snippets.running import run_filled

LINE = r"(\w+): (\d+) pairs, mean (\S+), (\S+) percent"


def check(printed: str, ruler: Calibration, cosine: float, layer: int) -> None:
    lines = re.findall(LINE, printed)
    assert [line[0] for line in lines] == ["raw", "centred"]
    means = (ruler.anisotropy, ruler.centred_anisotropy)
    for centred, (_, pairs, mean, percent) in enumerate(lines):
        assert int(pairs) == ruler.pairs
        assert float(mean) == pytest.approx(means[centred][layer], abs=2e-4)
        ours = ruler.percentile(cosine, layer, centred=bool(centred))
        assert float(percent) == pytest.approx(ours, abs=0.2)
        assert 1 < ours < 99


def test_calibration(minilm: Bert, scales: Scales, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SENTENCES.parent)
    printed, _ = run_filled(
        "calibration/layer", minilm, sentences_file=SENTENCES.name, layer=5, cosine=0.2
    )
    check(printed, scales.tokens, 0.2, 5)


@pytest.mark.parametrize(
    ("pieces", "pooling", "alone"),
    [
        ((3, 2), "max", True),
        pytest.param((3, 2), "max", False, marks=pytest.mark.slow),
        pytest.param((1, 1), "mean", True, marks=pytest.mark.slow),
        pytest.param((1, 1), "mean", False, marks=pytest.mark.slow),
    ],
)
def test_words(
    minilm: Bert,
    scales: Scales,
    monkeypatch: pytest.MonkeyPatch,
    pieces: tuple[int, int],
    pooling: str,
    alone: bool,
) -> None:
    monkeypatch.chdir(SENTENCES.parent)
    scale = scales.between(*pieces, pooling, alone=alone)
    cosine = round(float(scale.quantiles[3, 80]), 6)
    printed, _ = run_filled(
        "calibration/words",
        minilm,
        sentences_file=SENTENCES.name,
        function_words_file=FUNCTION_WORDS.name,
        first_pieces=pieces[0],
        second_pieces=pieces[1],
        second_alone=alone,
        pooling=pooling,
        layer=3,
        cosine=cosine,
    )
    check(printed, scale, cosine, 3)
