"""The views of the page Input Embeddings, as data: their numbers are the core's."""

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.embedding_layer import part_shares
from bertviz_core.encoder import Encoder
from bertviz_core.tokens import InputText, tokenize
from bertviz_core.views.input_embeddings.library_layer import proof
from bertviz_core.views.input_embeddings.shares import layer_norm
from bertviz_core.views.input_embeddings.sum_of_parts import sum_of_parts
from tests.views.reading import sent, traces

TEXT = "I love my pet python"


def test_the_headline_draws_the_cores_numbers(minilm: Bert) -> None:
    typed = InputText("I am Sinan", "She is Zoe")
    parts = input_embeddings(minilm, typed.tokenize(minilm))
    expected = [parts.word, parts.token_type, parts.position, parts.summed, parts.output]
    view = sum_of_parts(minilm, typed, 2)
    assert np.array_equal(traces(view, "input-embeddings", "z"), expected)
    assert len(view.to_frame()) == parts.word.size
    shares, values = part_shares(minilm, parts).shares, view.values
    assert (values["first"], values["part"], values["usual"]) == ("[CLS]", "position", "token")
    assert values["share"] == f"{shares[2, 0]:.0%}" == "70%"
    assert values["usual_share"] == f"{shares[0, 1:].mean():.0%}"
    some = sum_of_parts(minilm, typed, tokens=(2, 4))
    assert np.array_equal(traces(some, "input-embeddings", "z")[0], parts.word[2:5])


def test_600_words_are_cut_and_drawn_as_a_picture(minilm: Bert) -> None:
    view = sum_of_parts(minilm, "dog " * 600, tokens=(0, 511))
    assert sent(view, "input-embeddings")["data"][0]["type"] == "image"
    assert view.values["drawn"] == f"{5 * 512 * 384:,}"
    assert [view.values[name] for name in ("all", "room", "cut")] == ["602", "512", "90"]


def test_one_number_and_all_lengths(minilm: Bert) -> None:
    view = layer_norm(minilm, TEXT, 5, 7)
    parts = input_embeddings(minilm, tokenize(minilm, TEXT))
    steps = view.to_frame("layer-norm")["number after it"]
    assert steps.iloc[-1] == pytest.approx(parts.output[5, 7], abs=1e-6)
    assert view.values["output"] == f"{parts.output[5, 7]:.3f}".replace("-", "−")
    lengths = view.to_frame("lengths")["length: + bias"].to_numpy()
    assert lengths == pytest.approx(np.linalg.norm(parts.output, axis=1), rel=1e-6)
    assert view.values["divided_length"] == pytest.approx(np.sqrt(384), abs=0.01)


def test_the_proof(minilm_encoder: Encoder) -> None:
    view = proof(minilm_encoder, TEXT, 5)
    assert float(str(view.values["difference"])) < 2e-6
    assert view.values["count"] == "2,688"
    ours, own = traces(view, "proof", "z")
    text = tokenize(minilm_encoder.bert, TEXT)
    assert np.array_equal(ours, input_embeddings(minilm_encoder.bert, text).output)
    assert np.abs(ours - own).max() < 2e-6
    gaps = view.to_frame("proof")["largest difference, in 10⁻⁷"]
    assert gaps.to_numpy() == pytest.approx(1e7 * np.abs(ours - own).max(axis=1), abs=0.01)
