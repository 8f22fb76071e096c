import re

import pytest

from bertviz_core.bert import Bert
from bertviz_core.calibration import Calibration, calibrate_table
from bertviz_core.calibration.run import SENTENCES
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


def test_calibration(
    minilm: Bert, calibration: Calibration, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(SENTENCES.parent)
    printed, _ = run_filled(
        "calibration/layer", minilm, sentences_file=SENTENCES.name, layer=5, cosine=0.2
    )
    check(printed, calibration, 0.2, 5)


def test_table(minilm: Bert) -> None:
    printed, _ = run_filled("calibration/table", minilm, cosine=0.1)
    check(printed, calibrate_table(minilm), 0.1, 0)
