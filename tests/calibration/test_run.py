"""A model measured, against brute force over all its pairs."""

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.calibration import (
    CalibrationRun,
    Scales,
    calibrate,
    calibration_sentences,
)
from bertviz_core.calibration import run as run_module
from bertviz_core.calibration.percentiles import PERCENTS
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError
from bertviz_core.tokens import tokenize
from tests.tiny import SENTENCES


def test_sentences_and_too_few_of_them(tiny_encoder: Encoder) -> None:
    sentences = calibration_sentences()
    assert len(set(sentences)) == len(sentences) >= 300
    for unknown in ([], ["zzz qqq"]):
        with pytest.raises(UserInputError):
            calibrate(tiny_encoder, unknown)


def test_a_run_of_the_embedded_model(scales: Scales) -> None:
    calibration = scales.between(1, 1)
    assert calibration.quantiles.shape == calibration.centred_quantiles.shape == (7, len(PERCENTS))
    assert calibration.vectors == 300
    assert 44_000 < calibration.pairs < 300 * 299 / 2
    # Unrelated words are alike inside the model, and less so without the common direction.
    assert calibration.anisotropy[1:-1].min() > 0.1
    assert (calibration.centred_anisotropy < calibration.anisotropy / 2)[1:-1].all()
    for array in (calibration.quantiles, calibration.centred_quantiles, scales.means):
        assert array.dtype == np.float32
        assert not array.flags.writeable


def test_step_by_step(tiny: Bert, tiny_encoder: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_module, "BATCH", 3)  # 48 tokens
    run = CalibrationRun(tiny, SENTENCES)
    assert (run.done, run.total) == (0, 9)  # 3 batches, 6 steps for words
    for done in range(1, 10):
        assert run.scales is None
        run.step(tiny_encoder)
        assert run.done == done
    assert run.scales is not None
    assert run.scales.sentences == len(SENTENCES)
    assert not run.scales.words, "far fewer than 50 content words"


def test_means_of_ordinary_tokens(tiny_encoder: Encoder) -> None:
    # [UNK] twice; the other is longer than the model takes.
    scales = calibrate(tiny_encoder, [*SENTENCES, "zzz qqq", "dog " * 40])
    texts = [tokenize(tiny_encoder.bert, sentence) for sentence in SENTENCES]
    special = tiny_encoder.bert.vocabulary.is_special
    states = [tiny_encoder.hidden_states(text)[:, ~special[text.input_ids]] for text in texts]
    vectors = np.concatenate(states, axis=1)
    assert scales.means == pytest.approx(vectors.mean(axis=1), abs=1e-5)
