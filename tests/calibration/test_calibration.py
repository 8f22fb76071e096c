import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from huggingface_hub import constants

from bertviz_core.bert import Bert, load_bert
from bertviz_core.calibration import (
    QUANTILES,
    Calibration,
    CalibrationRun,
    calibrate,
    calibrate_table,
    calibration_sentences,
)
from bertviz_core.calibration import run as run_module
from bertviz_core.calibration.cosines import calibration_of
from bertviz_core.calibration.disk import cache_file, save_calibration, saved_calibration
from bertviz_core.contextual import similarity_by_layer
from bertviz_core.contextual.words import words_in_context
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.errors import UserInputError
from bertviz_core.tokens import tokenize
from tests.tiny import SENTENCES


@pytest.fixture(scope="module")
def tiny_encoder(tiny: Bert) -> Encoder:
    return load_encoder(tiny)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A hub cache of its own; calibrations lie beside it, in its parent."""
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path


def by_hand(quantiles: list[float]) -> Calibration:
    rows = np.float32([quantiles])
    mean = np.float32([[1, 0]])
    return Calibration("by hand", 2, 4, 500, rows, rows - 1, rows[:, 0], rows[:, 0], mean)


def cosine_matrix(vectors: np.ndarray) -> np.ndarray:
    unit = vectors.astype(np.float64)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    return unit @ unit.T


def test_percentile_by_hand() -> None:
    ruler = by_hand([0, 0.25, 0.5, 0.5, 1])
    assert ruler.percentile(-0.1) == 0
    assert ruler.percentile(0) == 0
    assert ruler.percentile(0.125) == 12.5
    assert ruler.percentile(0.25) == 25
    assert ruler.percentile(0.375) == 37.5
    assert ruler.percentile(0.5) == 62.5  # places 2 and 3 of 4 are equal: the middle
    assert ruler.percentile(0.75) == 87.5
    assert ruler.percentile(1) == ruler.percentile(1.5) == 100
    assert ruler.percentile(-0.75, centred=True) == 25
    assert np.isnan(ruler.percentile(float("nan")))
    many = ruler.percentiles(np.float32([[0.125, 0.5], [2, -2]]))
    assert many.tolist() == [[12.5, 62.5], [100, 0]]
    assert ruler.percentiles_by_layer(np.float32([0.75])).tolist() == [87.5]


def test_percentile_where_all_cosines_are_equal() -> None:
    ruler = by_hand([0.9, 0.9, 0.9])
    assert [ruler.percentile(cosine) for cosine in (0.8, 0.9, 1)] == [0, 50, 100]


def test_centred_cosine_by_hand() -> None:
    ruler = by_hand([0, 1])  # its mean is (1, 0)
    a, b, mean = np.float32([2, 1]), np.float32([0, 1]), np.float32([1, 0])
    assert ruler.centred_cosine(a, b) == pytest.approx(0)  # (1, 1) and (-1, 1)
    assert ruler.centred_cosine(a, a) == pytest.approx(1)
    assert ruler.centred_cosine(a, mean) == 0
    assert ruler.centred_by_layer(a[None], b[None]) == pytest.approx([0], abs=1e-7)


def test_wrong_layers_and_shapes() -> None:
    ruler = by_hand([0, 1])
    with pytest.raises(ValueError, match="layer 1 of by hand; expected 0 to 0"):
        ruler.percentile(0.5, 1)
    with pytest.raises(ValueError, match="layer -1"):
        ruler.centred_cosine(np.zeros(2), np.zeros(2), -1)
    with pytest.raises(ValueError, match=r"shape \(2,\), layers \(1,\)"):
        ruler.percentiles_by_layer(np.float32([0.5, 0.5]))
    with pytest.raises(ValueError, match=r"shape \(1, 3\) and \(1, 2\), mean \(2,\)"):
        ruler.centred_cosine(np.zeros(3), np.zeros(2))
    with pytest.raises(ValueError, match=r"shape \(2,\) and \(2,\), means \(1, 2\)"):
        ruler.centred_by_layer(np.zeros(2), np.zeros(2))


def test_which_pairs_are_unrelated() -> None:
    # 20 vectors make two groups of 10, which meet once: 100 pairs, less those that share a token.
    vectors = np.random.default_rng(3).normal(size=(1, 20, 4)).astype(np.float32)
    origins = np.arange(20)
    apart = calibration_of("x", vectors, np.arange(20), origins, sentences=20)
    assert (apart.pairs, apart.vectors) == (100, 20)
    cosines = cosine_matrix(vectors[0])[:10, 10:].ravel()
    assert apart.anisotropy[0] == pytest.approx(cosines.mean(), abs=1e-6)
    assert apart.quantiles[0, [0, 500, 1000]] == pytest.approx(
        [cosines.min(), np.median(cosines), cosines.max()], abs=1e-6
    )
    three = np.random.default_rng(3).normal(size=(1, 300, 4)).astype(np.float32)
    same = np.arange(300) % 150  # vector i and vector i + 150 are the same token
    found = calibration_of("x", three, same, np.arange(300), sentences=300)
    cosines = cosine_matrix(three[0])
    groups = ((0, 1), (1, 2), (2, 0))
    wanted = [
        cosines[100 * g + i, 100 * h + j]
        for g, h in groups for i in range(100) for j in range(100)
        if same[100 * g + i] != same[100 * h + j]
    ]  # fmt: skip
    assert found.pairs == len(wanted) < 30_000
    assert found.anisotropy[0] == pytest.approx(np.mean(wanted), abs=1e-6)


def test_too_few_pairs(tiny: Bert, tiny_encoder: Encoder) -> None:
    with pytest.raises(UserInputError, match="Only 0 unrelated pairs of tokens can be made for ti"):
        calibrate(tiny_encoder, ["dog dog", "dog"])
    with pytest.raises(UserInputError, match="needs at least 100"):
        calibrate(tiny_encoder, [])


def test_the_sentences() -> None:
    sentences = calibration_sentences()
    assert len(sentences) >= 300
    assert len(set(sentences)) == len(sentences)
    assert all(sentence == sentence.strip() for sentence in sentences)


def test_a_run_of_the_embedded_model(calibration: Calibration, minilm: Bert) -> None:
    assert calibration.model == minilm.name
    assert calibration.layers == 7
    assert calibration.quantiles.shape == calibration.centred_quantiles.shape == (7, QUANTILES)
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


@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("layer", [0, 3, 6])
def test_percentiles_against_brute_force(
    calibration: Calibration, every_occurrence, layer: int, centred: bool
) -> None:
    """Against all pairs of all occurrences, some ten million, not only those that were drawn."""
    vectors, ids, origins = every_occurrence
    rows = vectors[layer] - (vectors[layer].mean(axis=0) if centred else 0)
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    wanted = np.float32([-0.05, 0, 0.05, 0.1, 0.2, 0.3, 0.58])
    below, pairs = np.zeros(len(wanted)), 0
    for start in range(0, len(rows), 500):
        part = slice(start, start + 500)
        unrelated = (ids[part, None] != ids) & (origins[part, None] != origins)
        cosines = (rows[part] @ rows.T)[unrelated]
        pairs += cosines.size
        below += [np.count_nonzero(cosines < cosine) for cosine in wanted]
    assert pairs > 2_000_000
    found = calibration.percentiles(wanted, layer, centred=centred)
    assert found == pytest.approx(100 * below / pairs, abs=1.0)


@pytest.mark.parametrize("centred", [False, True])
def test_percentiles_against_the_measured_pairs(
    calibration: Calibration, every_occurrence, centred: bool
) -> None:
    """The documented tolerance: 0.1 points for the pairs that were measured."""
    layer = 4
    vectors, ids, origins = every_occurrence
    order = np.random.default_rng(run_module.SEED).permutation(len(ids))[:3000]
    rows, ids, origins = vectors[layer][order], ids[order], origins[order]
    if centred:
        rows = rows - rows.mean(axis=0, dtype=np.float64)
        assert np.abs(vectors[layer][order].mean(axis=0) - calibration.means[layer]).max() < 1e-4
    cosines = cosine_matrix(rows)
    groups = np.arange(3000).reshape(30, 100)
    found = []
    for group, other in zip(groups, np.roll(groups, -1, axis=0), strict=True):
        unrelated = (ids[group][:, None] != ids[other]) & (
            origins[group][:, None] != origins[other]
        )
        found.append(cosines[np.ix_(group, other)][unrelated])
    measured = np.sort(np.concatenate(found))
    assert len(measured) == calibration.pairs
    wanted = np.linspace(measured[0], measured[-1], 301)
    brute = 100 * np.searchsorted(measured, wanted) / len(measured)
    assert np.abs(calibration.percentiles(wanted, layer, centred=centred) - brute).max() < 0.1001
    mean = calibration.centred_anisotropy if centred else calibration.anisotropy
    assert mean[layer] == pytest.approx(measured.mean(), abs=1e-5)


def test_beside_a_words_similarity(calibration: Calibration, minilm_encoder: Encoder) -> None:
    snake, pet = words_in_context(minilm_encoder, ["snake", "I love my pet [python]"])
    cosines = similarity_by_layer(snake, pet)
    percentiles = calibration.percentiles_by_layer(cosines)
    assert percentiles.shape == (7,)
    assert percentiles[6] == calibration.percentile(cosines[6], 6) > 99
    centred = calibration.centred_by_layer(snake.vectors, pet.vectors)
    a = snake.vectors[3] - calibration.means[3]
    b = pet.vectors[3] - calibration.means[3]
    expected = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
    assert centred[3] == pytest.approx(expected, abs=1e-5)
    assert calibration.centred_cosine(snake.vectors[3], pet.vectors[3], 3) == centred[3]


def test_step_by_step(tiny: Bert, tiny_encoder: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_module, "BATCH", 3)
    run = CalibrationRun(tiny, SENTENCES)
    assert (run.done, run.of) == (0, 4)
    for done in (1, 2, 3):
        run.step(tiny_encoder)
        assert run.done == done
        assert run.calibration is None
    run.step(tiny_encoder)
    stepped = run.calibration
    run.step(tiny_encoder)
    assert run.calibration is stepped is not None
    assert run.done == run.of
    reported: list[tuple[int, int]] = []
    whole = calibrate(tiny_encoder, SENTENCES, lambda *state: reported.append(state))
    assert reported == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert np.array_equal(whole.quantiles, stepped.quantiles)
    assert whole.sentences == len(SENTENCES)


def test_special_and_unknown_tokens_are_left_out(tiny: Bert, tiny_encoder: Encoder) -> None:
    plain = calibrate(tiny_encoder, SENTENCES)
    unknown = calibrate(tiny_encoder, [*SENTENCES, "zzz qqq", "dog " * 40])
    assert unknown.vectors == plain.vectors  # [UNK] twice; the other is longer than the model takes
    assert np.array_equal(unknown.anisotropy, plain.anisotropy)


@pytest.mark.parametrize("centred", [False, True])
def test_table_against_brute_force(minilm: Bert, centred: bool) -> None:
    ruler = calibrate_table(minilm)
    assert ruler.layers == 1
    assert ruler.pairs == 500_000
    words = minilm.vocabulary
    rows = minilm.tables.word_embeddings[~(words.is_special | words.is_unused)]
    mean = rows.mean(axis=0, dtype=np.float64).astype(np.float32)
    assert np.abs(ruler.means[0] - mean).max() < 1e-6
    rows = rows - mean if centred else rows
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    others = rows[::10]  # rows lie by frequency; each against every tenth: 86 million pairs
    wanted = np.float32([-0.1, 0, 0.05, 0.1, 0.2, 0.3])
    below, pairs = np.zeros(len(wanted)), 0
    for start in range(0, len(rows), 4000):
        cosines = rows[start : start + 4000] @ others.T
        pairs += cosines.size
        below += [np.count_nonzero(cosines < cosine) for cosine in wanted]
    found = ruler.percentiles(wanted, centred=centred)
    assert found == pytest.approx(100 * below / pairs, abs=1.0)


def test_table_of_few_rows(tiny: Bert) -> None:
    ruler = calibrate_table(tiny)
    named = len([t for t in tiny.vocabulary.tokens if t and not t.startswith("[")]) + 1  # "["
    assert ruler.vectors == named // 2 * 2
    assert ruler.pairs == (named // 2) ** 2


def same(a: Calibration | None, b: Calibration) -> bool:
    return a is not None and all(
        np.array_equal(getattr(a, name), getattr(b, name)) for name in Calibration.__annotations__
    )


def test_on_disk_and_back(hub: Path, calibration: Calibration, minilm: Bert) -> None:
    assert saved_calibration(minilm) is None
    assert save_calibration(minilm, calibration)
    (path,) = (hub / "bertviz").iterdir()  # one file, and no part of one left
    assert path == cache_file(minilm)
    assert path.stat().st_size < 200_000
    again = saved_calibration(minilm)
    assert same(again, calibration)
    assert not again.means.flags.writeable


def test_a_damaged_or_foreign_file_is_ignored(
    hub: Path, calibration: Calibration, minilm: Bert
) -> None:
    save_calibration(minilm, calibration)
    path = cache_file(minilm)
    whole = path.read_bytes()
    for damaged in (b"", b"PK", whole[:1000], whole[: len(whole) // 2], b"x" * 5000):
        path.write_bytes(damaged)
        assert saved_calibration(minilm) is None
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 0xFF
    path.write_bytes(flipped)
    assert saved_calibration(minilm) is None
    path.write_bytes(whole)
    with np.load(path) as file:
        parts = dict(file)
    np.savez(path, **{**parts, "key": np.array("another")})
    assert saved_calibration(minilm) is None
    np.savez(path, **{**parts, "means": parts["means"][:, :8]})
    assert saved_calibration(minilm) is None
    np.savez(path, **{**parts, "quantiles": parts["quantiles"][:, ::-1]})
    assert saved_calibration(minilm) is None
    np.savez(path, **{**parts, "means": np.array([{}], dtype=object)})  # would have to be unpickled
    assert saved_calibration(minilm) is None
    assert save_calibration(minilm, calibration)
    assert same(saved_calibration(minilm), calibration)


def test_a_folder_that_cannot_be_written_is_no_error(
    hub: Path, calibration: Calibration, minilm: Bert
) -> None:
    (hub / "bertviz").write_text("a file stands in the way", encoding="utf-8")
    assert not save_calibration(minilm, calibration)
    assert saved_calibration(minilm) is None


def test_the_file_follows_the_model(
    hub: Path, tiny_folder: Path, monkeypatch: pytest.MonkeyPatch, minilm: Bert, tmp_path: Path
) -> None:
    tiny = load_bert(tiny_folder)
    first = cache_file(tiny)
    assert cache_file(load_bert(tiny_folder)) == first != cache_file(minilm)
    stamp = tiny.checkpoint.weights.stat()
    os.utime(tiny.checkpoint.weights, ns=(stamp.st_atime_ns, stamp.st_mtime_ns + 1000))
    assert cache_file(tiny) != first
    pinned = replace(minilm, checkpoint=replace(minilm.checkpoint, revision="a" * 40))
    moved = replace(pinned, checkpoint=replace(pinned.checkpoint, folder=tmp_path))
    assert cache_file(pinned) == cache_file(moved) != cache_file(minilm)
    before = cache_file(pinned)
    other = tmp_path / "sentences.txt"
    other.write_text("The cat sat.\n", encoding="utf-8")
    monkeypatch.setattr(run_module, "SENTENCES", other)
    assert cache_file(pinned) != before
