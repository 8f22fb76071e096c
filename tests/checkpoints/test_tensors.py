"""The embedding layer from files of every kind; one tensor in numbers, slice by slice."""

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from bertviz_core.bert import Bert
from bertviz_core.checkpoints import tensors as module
from bertviz_core.checkpoints.checkpoint import Checkpoint
from bertviz_core.checkpoints.tensors import extreme_rows, norms_by_kind, tensor_statistics
from bertviz_core.errors import UserInputError
from tests.data.damage import POSITIONS, SEGMENTS, WORDS

TABLES = {
    "word_embeddings": WORDS,
    "position_embeddings": POSITIONS,
    "token_type_embeddings": SEGMENTS,
    "layer_norm_weight": "embeddings.LayerNorm.weight",
    "layer_norm_bias": "embeddings.LayerNorm.bias",
}


@pytest.mark.parametrize("which", ["tiny", "minilm"])
def test_the_tables_are_the_files_tensors(which: str, request: pytest.FixtureRequest) -> None:
    bert: Bert = request.getfixturevalue(which)
    tensors = load_file(bert.checkpoint.weights)
    norms = np.linalg.norm(tensors[WORDS], axis=1)
    np.testing.assert_allclose(bert.tables.word_norms, norms, rtol=1e-6)
    for name, tensor in TABLES.items():
        np.testing.assert_array_equal(getattr(bert.tables, name), tensors[tensor])
    for array in vars(bert.tables).values():
        assert array.dtype == np.float32
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


def made(folder: Path, values: np.ndarray, name: str = WORDS) -> Checkpoint:
    save_file({name: values}, folder / "model.safetensors", metadata={"format": "pt"})
    return Checkpoint("made", folder, "folder")


def test_by_hand(tmp_path: Path) -> None:
    found = tensor_statistics(made(tmp_path, np.float32([[3, 4], [0, 0], [-1, 0]])), WORDS, bins=5)
    assert (found.smallest, found.largest, found.mean, found.zeros) == (-1, 4, 1, 3)
    assert found.norm == pytest.approx(np.sqrt(26))
    assert found.std == pytest.approx(np.sqrt((4 + 9 + 1 + 1 + 4 + 1) / 6))
    assert found.edges.tolist() == [-1, 0, 1, 2, 3, 4]
    assert found.counts.tolist() == [1, 3, 0, 0, 2]  # the last bin holds both its ends
    assert found.row_norms.tolist() == [5, 0, 1]
    assert not found.row_norms.flags.writeable
    assert found.row_norms.dtype == np.float32


def test_a_vector_equal_numbers_and_half_precision(tmp_path: Path) -> None:
    name = "embeddings.LayerNorm.bias"
    found = tensor_statistics(made(tmp_path, np.float32([-2, 1]), name), name, bins=2)
    assert found.row_norms.tolist() == [2, 1]  # rows of one number
    assert found.counts.tolist() == [1, 1]
    found = tensor_statistics(made(tmp_path, np.full((2, 3), 0.5, np.float32)), WORDS, bins=4)
    assert sorted(found.counts) == [0, 0, 0, 6]
    assert found.std == 0
    found = tensor_statistics(made(tmp_path, np.float16([[300, 400]])), WORDS)
    assert found.norm == 500  # its square would overflow float16


@pytest.mark.parametrize(
    "name", [WORDS, "encoder.layer.5.intermediate.dense.weight", "pooler.dense.bias"]
)
def test_of_the_embedded_model_equal_numpys(minilm: Bert, name: str) -> None:
    tensor = load_file(minilm.checkpoint.weights)[name].astype(np.float64)
    found = tensor_statistics(minilm.checkpoint, name)
    counts, edges = np.histogram(tensor, bins=100)
    np.testing.assert_array_equal(found.counts, counts)
    np.testing.assert_allclose(found.edges, edges)
    assert found.mean == pytest.approx(tensor.mean(), abs=1e-12)
    assert found.std == pytest.approx(tensor.std(), rel=1e-9)
    assert found.norm == pytest.approx(np.linalg.norm(tensor), rel=1e-12)
    assert found.counts.sum() == found.parameter.count == tensor.size


def test_no_more_than_a_slice_is_read_at_once(
    minilm: Bert, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = tensor_statistics(minilm.checkpoint, WORDS)
    read: list[tuple[int, ...]] = []
    taken = module._slices

    def watched(part, shape):
        for rows in taken(part, shape):
            read.append(rows.shape)
            yield rows

    monkeypatch.setattr(module, "_slices", watched)
    monkeypatch.setattr(module, "SLICE", 100_000)
    sliced = tensor_statistics(minilm.checkpoint, WORDS)
    assert max(rows * width for rows, width in read) <= 100_000
    assert sum(rows for rows, _ in read) == 2 * 30_522
    np.testing.assert_array_equal(sliced.counts, whole.counts)
    np.testing.assert_array_equal(sliced.row_norms, whole.row_norms)
    np.testing.assert_allclose(whole.row_norms, minilm.tables.word_norms, rtol=1e-6)
    assert sliced.std == pytest.approx(whole.std)


def test_only_names_of_the_census_and_at_least_one_bin(minilm: Bert) -> None:
    for name in ("", "embeddings.position_ids", "../config.json"):
        with pytest.raises(UserInputError):
            tensor_statistics(minilm.checkpoint, name)
    with pytest.raises(UserInputError):
        tensor_statistics(minilm.checkpoint, WORDS, bins=0)


def test_extreme_rows() -> None:
    longest, shortest = extreme_rows(np.float32([2, 5, 1, 5, 1]), 3)
    assert longest.tolist() == [1, 3, 0]
    assert shortest.tolist() == [2, 4, 0]


def test_norms_by_kind() -> None:
    found = norms_by_kind(np.float32([1, 3, 8, 10]), np.int8([0, 0, 2, 0]), 3)
    assert found["median"][[0, 2]].tolist() == [3, 8]
    assert all(np.isnan(values[1]) for values in found.values())
    assert found["mean"][0] == pytest.approx(14 / 3)
    assert (found["smallest"][0], found["largest"][0], found["std"][2]) == (1, 10, 0)
