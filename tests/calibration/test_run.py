"""A model measured, against brute force over all its pairs."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from bertviz_core.arrays import cosine_matrix, unit_rows
from bertviz_core.bert import Bert
from bertviz_core.calibration import (
    PERCENTS,
    CalibrationRun,
    Scales,
    calibrate,
    calibration_sentences,
)
from bertviz_core.calibration import run as run_module
from bertviz_core.contextual import similarity_by_layer
from bertviz_core.contextual.words import words_in_context
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError
from bertviz_core.tokens import tokenize
from tests.tiny import SENTENCES


def test_sentences_and_too_few_of_them(tiny_encoder: Encoder) -> None:
    sentences = calibration_sentences()
    assert len(set(sentences)) == len(sentences) >= 300
    assert all(sentence == sentence.strip() for sentence in sentences)
    with pytest.raises(UserInputError, match="Only 0 unrelated pairs of tokens can be made for ti"):
        calibrate(tiny_encoder, ["dog dog", "dog"])
    with pytest.raises(UserInputError, match="needs at least 100"):
        calibrate(tiny_encoder, [])


def test_a_run_of_the_embedded_model(scales: Scales, minilm: Bert) -> None:
    calibration = scales.tokens
    assert scales.model == minilm.name
    assert calibration.layers == 7
    assert calibration.quantiles.shape == calibration.centred_quantiles.shape == (7, len(PERCENTS))
    assert calibration.means.shape == (7, 384)
    assert calibration.sentences >= 300
    assert calibration.vectors == 3000
    assert 280_000 < calibration.pairs < 300_000
    assert (np.diff(calibration.quantiles) >= 0).all()
    assert np.abs(calibration.quantiles).max() <= 1
    # Unrelated tokens are alike inside the model, and no longer so without the common direction.
    assert calibration.anisotropy[1:-1].min() > 0.1
    assert np.abs(calibration.centred_anisotropy).max() < 0.03
    for array in (calibration.quantiles, calibration.centred_quantiles, calibration.means):
        assert array.dtype == np.float32
        assert not array.flags.writeable


@pytest.fixture(scope="module")
def every_occurrence(minilm_encoder: Encoder):
    """Vectors, token and sentence of all ordinary tokens of all short sentences."""
    texts = [tokenize(minilm_encoder.bert, sentence) for sentence in calibration_sentences()]
    texts = [text for text in texts if len(text) <= run_module.LONGEST]
    states = minilm_encoder.hidden_states_many(texts)
    special = minilm_encoder.bert.vocabulary.is_special
    kept = [~special[text.input_ids] for text in texts]
    vectors = np.concatenate([s[:, k] for s, k in zip(states, kept, strict=True)], axis=1)
    ids = np.concatenate([t.input_ids[k] for t, k in zip(texts, kept, strict=True)])
    origins = np.repeat(np.arange(len(texts)), [k.sum() for k in kept])
    return vectors, ids, origins


def test_percentiles_against_brute_force(scales: Scales, every_occurrence) -> None:
    """Against all pairs of all occurrences, millions, not only those that were drawn."""
    vectors, ids, origins = every_occurrence
    wanted = np.float32([-0.05, 0, 0.05, 0.1, 0.2, 0.3, 0.58])
    below: dict[tuple[int, bool], Any] = dict.fromkeys(product((0, 3, 6), (False, True)), 0)
    rows = {
        (layer, centred): unit_rows(vectors[layer] - vectors[layer].mean(0) * centred, np.float32)
        for layer, centred in below
    }
    pairs = 0
    for start in range(0, len(ids), 500):
        part = slice(start, start + 500)
        unrelated = (ids[part, None] != ids[start:]) & (origins[part, None] != origins[start:])
        unrelated = np.triu(unrelated)  # each pair once
        pairs += np.count_nonzero(unrelated)
        for kind, vectors in rows.items():
            cosines = (vectors[part] @ vectors[start:].T)[unrelated]
            below[kind] += np.array([np.count_nonzero(cosines < cosine) for cosine in wanted])
    assert pairs > 2_000_000
    for (layer, centred), counted in below.items():
        found = scales.tokens.percentiles(wanted, layer, centred=centred)
        assert found == pytest.approx(100 * counted / pairs, abs=1.0)


@pytest.mark.parametrize("centred", [False, True])
def test_percentiles_against_the_measured_pairs(
    scales: Scales, every_occurrence, centred: bool
) -> None:
    """The documented tolerance: 0.1 points for the pairs that were measured."""
    layer, calibration = 4, scales.tokens
    vectors, ids, origins = every_occurrence
    order = np.random.default_rng(run_module.SEED).permutation(len(ids))[:3000]
    rows, ids, origins = vectors[layer][order], ids[order], origins[order]
    if centred:
        mean = rows.mean(axis=0, dtype=np.float64)
        assert np.abs(mean - calibration.means[layer]).max() < 1e-4
        rows = rows - mean
    cosines = cosine_matrix(rows, rows)
    groups = np.arange(3000) // 100
    unrelated = (ids[:, None] != ids) & (origins[:, None] != origins)
    measured = np.sort(cosines[((groups[:, None] + 1) % 30 == groups) & unrelated])
    assert len(measured) == calibration.pairs
    wanted = np.linspace(measured[0], measured[-1], 301)
    brute = 100 * np.searchsorted(measured, wanted) / len(measured)
    assert np.abs(calibration.percentiles(wanted, layer, centred=centred) - brute).max() < 0.1001
    mean = calibration.centred_anisotropy if centred else calibration.anisotropy
    assert mean[layer] == pytest.approx(measured.mean(), abs=1e-5)


def test_beside_a_words_similarity(scales: Scales, minilm_encoder: Encoder) -> None:
    calibration = scales.tokens
    snake, pet = words_in_context(minilm_encoder, ["snake", "I love my pet [python]"])
    cosines = similarity_by_layer(snake, pet)
    percentiles = calibration.percentiles_by_layer(cosines)
    assert percentiles.shape == (7,)
    assert percentiles[6] == calibration.percentile(cosines[6], 6) > 99
    centred = calibration.centred_cosines(snake.vectors[3:4], pet.vectors[3:4], 3)
    rows = [word.vectors[3] - calibration.means[3] for word in (snake, pet)]
    assert centred == pytest.approx(cosine_matrix(*(row[None] for row in rows)), abs=1e-5)


def test_step_by_step(tiny: Bert, tiny_encoder: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_module, "BATCH", 3)  # 48 tokens
    run = CalibrationRun(tiny, SENTENCES)
    assert (run.done, run.total) == (0, 10)  # 3 batches, the pairs of tokens, 6 steps for words
    for done in range(1, 10):
        run.step(tiny_encoder)
        assert run.done == done
        assert run.scales is None
    run.step(tiny_encoder)
    stepped = run.scales
    run.step(tiny_encoder)
    assert run.scales is stepped is not None
    reported: list[tuple[int, int]] = []
    whole = calibrate(tiny_encoder, SENTENCES, lambda *state: reported.append(state))
    assert reported == [(done, 10) for done in range(1, 11)]
    assert np.array_equal(whole.tokens.quantiles, stepped.tokens.quantiles)
    assert whole.tokens.sentences == len(SENTENCES)
    assert not whole.words, "far fewer than 50 content words"


def test_special_and_unknown_tokens_are_left_out(tiny: Bert, tiny_encoder: Encoder) -> None:
    plain = calibrate(tiny_encoder, SENTENCES).tokens
    unknown = calibrate(tiny_encoder, [*SENTENCES, "zzz qqq", "dog " * 40]).tokens
    assert unknown.vectors == plain.vectors  # [UNK] twice; the other is longer than the model takes
    assert np.array_equal(unknown.anisotropy, plain.anisotropy)
