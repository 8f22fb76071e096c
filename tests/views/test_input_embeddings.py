"""The views of the page Input Embeddings, as data: their numbers are the core's."""

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.shares import part_shares, waterfall
from bertviz_core.encoder import Encoder
from bertviz_core.tokens import InputText, tokenize
from bertviz_core.views.input_embeddings.layer_norm import one_number
from bertviz_core.views.input_embeddings.library_layer import proof
from bertviz_core.views.input_embeddings.sum_of_parts import sum_of_parts
from bertviz_core.views.view import View

TEXT = "I love my pet python"


def drawn(view: View, name: str, of: str = "z") -> list[np.ndarray]:
    """The numbers that a picture shows, one array a trace."""
    return [trace[of] for trace in view.pictures[name].figure._data]


def test_the_headline_draws_the_cores_numbers(minilm: Bert) -> None:
    typed = InputText("I am Sinan", "She is Zoe")
    parts = input_embeddings(minilm, typed.tokenize(minilm))
    expected = [parts.word, parts.token_type, parts.position, parts.summed, parts.output]
    view = sum_of_parts(minilm, typed, 2)
    assert np.array_equal(drawn(view, "input-embeddings"), expected)
    assert len(view.to_frame()) == parts.word.size
    ends = [trace["zmax"] for trace in view.pictures["input-embeddings"].figure._data]
    assert ends[:4] == [ends[0]] * 4  # one scale for the three parts and their sum
    assert ends[4] > ends[0]
    few = sum_of_parts(minilm, typed, dims="most variable", variable=9)
    assert drawn(few, "input-embeddings")[0].shape == (10, 9)
    shares, values = part_shares(minilm, parts).shares, view.values
    assert (values["first"], values["part"], values["usual"]) == ("[CLS]", "position", "token")
    assert values["share"] == f"{shares[2, 0]:.0%}" == "70%"
    assert values["usual_share"] == f"{shares[0, 1:].mean():.0%}"
    some = sum_of_parts(minilm, typed, tokens=(2, 4))
    assert np.array_equal(drawn(some, "input-embeddings")[0], parts.word[2:5])
    for position, row in ((3, 1), (1, None)):
        some = sum_of_parts(minilm, typed, position, tokens=(2, 4))
        outlines = some.pictures["input-embeddings"].figure._layout["shapes"]
        assert [one["y0"] + 0.5 for one in outlines] == [row] * 5 * (row is not None)


def test_600_words_are_cut_and_drawn_as_a_picture(minilm: Bert) -> None:
    view = sum_of_parts(minilm, "dog " * 600, tokens=(0, 511))
    assert view.pictures["input-embeddings"].figure._data[0]["type"] == "image"
    assert view.values["drawn"] == f"{5 * 512 * 384:,}"
    assert [view.values[name] for name in ("all", "room", "cut")] == ["602", "512", "90"]


def test_one_number_step_by_step(minilm: Bert) -> None:
    view = one_number(minilm, TEXT, 5, dim=267)
    parts = input_embeddings(minilm, tokenize(minilm, TEXT))
    expected = waterfall(minilm, parts, 5, 267)
    assert view.values["token"] == "python"
    assert view.to_frame()["number after it"].tolist() == expected.running.tolist()
    assert drawn(view, "waterfall", "y")[1][-1] == expected.output
    assert np.array_equal(view.to_frame("token-5")["after LayerNorm"], parts.output[5])


def test_the_proof(minilm_encoder: Encoder) -> None:
    view = proof(minilm_encoder, TEXT, 5)
    assert float(str(view.values["difference"])) < 2e-6
    assert (view.values["count"], view.values["exact_orders"]) == ("2,688", 2)
    ours, own = drawn(view, "proof")
    text = tokenize(minilm_encoder.bert, TEXT)
    assert np.array_equal(ours, input_embeddings(minilm_encoder.bert, text).output)
    assert np.abs(ours - own).max() < 2e-6
    gaps = view.to_frame()["largest difference of the output, in 10⁻⁷"]
    assert (gaps == 0).tolist() == [True, False, True, False, False, False]
