"""The percentile scales of the tiny model, and the sentences that it is measured with."""

from pathlib import Path

import pytest

from bertviz_core.calibration import Scales, calibrate
from bertviz_core.encoder import Encoder
from tests.tiny import sentences_of_split_words


@pytest.fixture(scope="session")
def sentences_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sentences of words of one, two and three pieces; some sentences are too long."""
    lines = sentences_of_split_words()
    file = tmp_path_factory.mktemp("sentences") / "sentences.txt"
    kept = [f"the {line}{', on a mat' * (number % 3)}" for number, line in enumerate(lines * 5)]
    file.write_text("\n".join(kept), encoding="utf-8")
    return file


@pytest.fixture(scope="session")
def tiny_scales(tiny_encoder: Encoder, sentences_file: Path) -> Scales:
    return calibrate(tiny_encoder, sentences_file.read_text(encoding="utf-8").splitlines())
