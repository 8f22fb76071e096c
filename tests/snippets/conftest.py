"""The percentile scales of the tiny model, and the sentences that it is measured with."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from bertviz_core.calibration import Scales, calibrate
from bertviz_core.encoder import Encoder

STEMS = ("cat", "dog", "mat", "python", "snake", "code", "king", "queen", "man", "woman", "pet")
ENDINGS = ("s", "ing", "un", "an", "b")


@pytest.fixture(scope="session")
def sentences_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sentences of words of one, two and three pieces; some sentences are too long."""
    pieces = product(STEMS, ("", *ENDINGS), ("", *ENDINGS))
    words = np.random.default_rng(0).permutation(["".join(word) for word in pieces])
    lines = [" ".join(words[first : first + 3]) for first in range(0, len(words) - 3, 3)]
    file = tmp_path_factory.mktemp("sentences") / "sentences.txt"
    kept = [f"the {line}{', on a mat' * (number % 3)}" for number, line in enumerate(lines * 5)]
    file.write_text("\n".join(kept), encoding="utf-8")
    return file


@pytest.fixture(scope="session")
def tiny_scales(tiny_encoder: Encoder, sentences_file: Path) -> Scales:
    return calibrate(tiny_encoder, sentences_file.read_text(encoding="utf-8").splitlines())
