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
from bertviz_core.encoder.training import backward_pass
from bertviz_core.errors import ModelUnavailableError
from bertviz_core.views.inside_the_model.norms import token_norms
from bertviz_core.views.inside_the_model.parameters import parameters
from bertviz_core.views.inside_the_model.pooler_and_training import pooler, training
from tests.data.damage import Tensors, change_weights
from tests.views.reading import sent
from tests.views.running import run

KING_AND_QUEEN = "The [king] spoke to the [queen]"


def test_every_parameter_is_the_files(minilm: Bert) -> None:
    view, census = parameters(minilm), count_parameters(minilm.checkpoint)
    assert (view.values["total"], view.values["in_matrices"]) == ("22,713,216", "22,682,112")
    assert view.values["share_embedding"] == "52%"
    assert view.values["token table"] == "11,720,448 (51.6%)"
    assert str(view.values["pooler"]).startswith("147,840")
    base = [view.values[name] for name in ("base_total", "base_in_matrices")]
    assert base == [109_482_240, 109_360_128]
    frame = view.to_frame()
    assert list(frame["name"]) == [one.name for one in census.parameters]
    assert frame["share in %"].sum() == pytest.approx(100)
    (areas,) = sent(view, "parameter-areas")["data"]
    counts = dict(zip(areas["ids"], areas["values"], strict=True))
    assert counts == counts | {"all": census.total} | census.by_group
    assert all(counts[p.name] == p.count for p in census.parameters)
    for part, count in counts.items():
        inside = [counts[one] for one, parent in zip(areas["ids"], areas["parents"], strict=True)
                  if parent == part]  # fmt: skip
        assert not inside or sum(inside) == count


def test_the_programs_count_and_gather_the_same(minilm: Bert) -> None:
    """Whole numbers, which the test of all programs does not compare."""
    printed, names = run(parameters(minilm).programs["parameters"].text)
    census = count_parameters(minilm.checkpoint)
    assert list(names["parameters"]) == [one.name for one in census.parameters]
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
    assert training(encoder, "the [king] and a [queen]").values["words"]


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
