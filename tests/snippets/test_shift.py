"""The program of two groups prints what the core computes from the same vectors."""

import io
import re
from pathlib import Path

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.corpus.shift.measures import shift
from bertviz_core.corpus.shift.resamples import resample
from tests.snippets.running import arrays_of_two_groups, run_filled

LINE = (
    r"layer (\d) between / within (\S+) .*? distance (\S+) "
    r"\(at random (\S+) to (\S+), p (\S+)\) .*? distance (\S+)"
)


def test_shift(minilm: Bert, tmp_path: Path) -> None:
    written = arrays_of_two_groups()
    (tmp_path / "a.npz").write_bytes(written)
    arrays = np.load(io.BytesIO(written))
    texts, first = arrays["sentence_number"].tolist(), arrays["in_first"]
    vectors = arrays["vectors"]
    layers = [(vectors[first, layer], vectors[~first, layer]) for layer in range(3)]
    expected = shift(layers, resample(texts[:40], texts[40:]))
    printed, _ = run_filled("senses/shift", minilm, file=str(tmp_path / "a.npz"))
    assert printed.splitlines()[0] == "occurrences 40 20"
    found = np.array(re.findall(LINE, printed), dtype=float).T
    average, prototype = expected.average, expected.prototype
    wanted = (
        *(expected.relative, average.values, average.chance_low, average.chance_high),
        *(average.p, prototype.values),
    )
    assert found[0].tolist() == [0, 1, 2]
    for ours, theirs in zip(wanted, found[1:], strict=True):
        assert ours == pytest.approx(theirs, abs=6e-4)
    assert average.p.min() < 0.01 < 0.1 < average.p.max()
