"""The views of the page Inside the Model, as data: their numbers are the core's."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from bertviz_core.bert import Bert, load_bert
from bertviz_core.checkpoints.parameters import count_parameters
from bertviz_core.checkpoints.vocabulary import KINDS
from bertviz_core.contextual.marks import read_word_pair
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.encoder.library_modules import pooler_steps
from bertviz_core.encoder.training import TABLES, backward_pass
from bertviz_core.errors import ModelUnavailableError
from bertviz_core.tokens import tokenize
from bertviz_core.views.inside_the_model.norms import token_norms
from bertviz_core.views.inside_the_model.parameters import parameters
from bertviz_core.views.inside_the_model.pooler import pooler
from bertviz_core.views.inside_the_model.training import training
from tests.data.damage import Tensors, change_weights
from tests.views.running import run
from tests.views.test_input_embeddings import drawn

KING_AND_QUEEN = "The [king] spoke to the [queen]"


def test_every_parameter_is_the_files(minilm: Bert) -> None:
    view, census = parameters(minilm), count_parameters(minilm.checkpoint)
    assert (view.values["total"], view.values["in_matrices"]) == ("22,713,216", "22,682,112")
    assert view.values["share_embedding"] == "52%"
    assert view.values["token-table"] == "11,720,448 (51.6%)"
    assert str(view.values["pooler"]).startswith("147,840")
    base = [view.values[name] for name in ("base_total", "base_in_matrices")]
    assert base == [109_482_240, 109_360_128]
    frame = view.to_frame()
    assert tuple(frame["name"]) == census.names
    assert frame["share in %"].sum() == pytest.approx(100)
    (areas,) = view.pictures["parameter-areas"].figure._data
    counts = dict(zip(areas["ids"], areas["values"].tolist(), strict=True))
    assert counts == counts | {"all": census.total} | census.by_group
    assert all(counts[p.name] == p.count for p in census.parameters)
    for part, count in counts.items():
        inside = [i for i, parent in enumerate(areas["parents"]) if parent == part]
        assert not inside or areas["values"][inside].sum() == count


def test_the_programs_count_and_gather_the_same(minilm: Bert) -> None:
    """Whole numbers, which the test of all programs does not compare."""
    printed, names = run(parameters(minilm).programs["parameters"].text)
    census = count_parameters(minilm.checkpoint)
    assert list(names["parameters"]) == list(census.names)
    assert f"all parameters: {census.total}\ntwo-dimensional: {census.two_dimensional}" in printed
    _, names = run(token_norms(minilm).programs["norms"].text)
    kinds = {kind: len(rows) for kind, rows in names["rows"].items()}
    assert kinds == dict(zip(KINDS, np.bincount(minilm.vocabulary.kinds).tolist(), strict=True))


def test_without_a_pooler(tiny_folder: Path, tmp_path: Path) -> None:
    def headless(tensors: Tensors) -> Tensors:
        heads = {f"cls.{name}": np.zeros(3, np.float32) for name in ("bias", "weight")}
        return {k: v for k, v in tensors.items() if not k.startswith("pooler.")} | heads

    folder = shutil.copytree(tiny_folder, tmp_path / "headless")
    change_weights(folder, headless)
    encoder = load_encoder(load_bert(folder))
    view = parameters(encoder.bert)
    assert "pooler" not in view.values
    assert "The file has no pooler" in view.findings[0]
    with pytest.raises(ModelUnavailableError, match="no pooler"):
        pooler(encoder)
    bars = drawn(training(encoder, "the [king] and a [queen]"), "gradient-parts", "x")
    assert len(bars[0]) == 4 + 2  # no bar for a pooler


def test_norms_of_the_token_table(minilm: Bert) -> None:
    view = token_norms(minilm)
    words, norms = minilm.vocabulary, minilm.tables.word_norms
    marked = set()
    for kind, trace in enumerate(view.pictures["token-norms"].figure._data):
        assert np.array_equal(trace["y"], norms[trace["x"]])
        assert set(words.kinds[trace["x"]].tolist()) == {kind}
        marked |= set(trace["x"].tolist())
    assert {norms.argmax(), norms.argmin(), *np.flatnonzero(words.is_special)} <= marked
    assert 200 < len(marked) < 1_000
    frame = view.to_frame()
    assert frame["rows"].sum() == minilm.vocab_size
    untrained, trained = (norms[words.kinds == KINDS.index(kind)] for kind in ("unused", "word"))
    row = frame[frame["kind"] == "[unused]"].iloc[0]
    assert row["median length"] == pytest.approx(np.median(untrained))
    assert view.values["median_unused"] == pytest.approx(np.median(untrained))
    assert view.values["count"] == "994"
    assert view.values["share"] == f"{np.mean(trained > np.quantile(untrained, 0.99)):.2%}"
    (image,) = view.pictures["token-norms"].figure._layout["images"]
    assert image["source"].startswith("data:image/png")


def test_pooler(minilm_encoder: Encoder) -> None:
    view = pooler(minilm_encoder, "a beautiful day")
    steps = pooler_steps(minilm_encoder, tokenize(minilm_encoder.bert, "a beautiful day"))
    assert (view.values["difference"], view.values["cosine"]) == ("exactly", steps.cosine)
    curve, points = drawn(view, "pooler-tanh", "x")
    assert np.array_equal(points, steps.dense)
    assert curve.max() > steps.dense.max()
    assert np.array_equal(drawn(view, "pooler-cls", "x")[0], steps.cls)
    assert np.array_equal(drawn(view, "pooler-cls", "y")[0], steps.output)
    assert np.array_equal(view.to_frame()["after tanh"], view.to_frame()["pooler_output"])


def test_what_training_changes(minilm_encoder: Encoder) -> None:
    bert, view = minilm_encoder.bert, training(minilm_encoder)
    pair = read_word_pair(bert, KING_AND_QUEEN)
    found = backward_pass(minilm_encoder, pair.text, pair.first_positions, pair.second_positions)
    assert (view.values["first"], view.values["second"]) == ("king", "queen")
    assert view.values["cosine"] == found.cosine
    rows = ("words", "positions", "segments")
    assert [view.values[name] for name in rows] == [7, 8, 1]
    assert [view.values[f"all_{name}"] for name in rows] == ["30,522", 512, 2]
    assert "exactly those this text uses" in view.findings[0]
    assert str(view.values["answer"]).startswith("No, none")
    assert view.values["fresh_length"] == pytest.approx(0.392, abs=5e-4)
    assert view.values["fresh_deviation"] == pytest.approx(0.014, abs=5e-4)
    for said, name in zip(("word", "position", "segment"), TABLES, strict=True):
        median = np.median(np.linalg.norm(getattr(bert.tables, name).astype(np.float64), axis=1))
        assert view.values[f"length_{said}"] == pytest.approx(median)
    (parts,) = drawn(view, "gradient-parts", "x")
    assert len(parts) == 4 + 6 + 1
    assert parts[4] == pytest.approx(found.norm_of("encoder.layer.0."))
    assert parts[-1] == 0
    ids = pair.text.input_ids
    assert np.array_equal(drawn(view, "gradient-rows", "y")[0], found.word_rows[ids])


def test_a_second_sentence_and_a_row_that_stays(minilm_encoder: Encoder) -> None:
    view = training(minilm_encoder, KING_AND_QUEEN, "She is Zoe")
    assert (view.values["segments"], view.values["all_segments"]) == (2, 2)
    assert "exactly those" in view.findings[0]
    view = training(minilm_encoder, "a [dog] [PAD] a [cat]")
    assert view.values["padding_token"] == "[PAD]"
    assert "exactly those" not in view.findings[0]
