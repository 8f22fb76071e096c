"""The page Sentence Vectors: the nearest pair by each way, and the judged pairs."""

import numpy as np
import pytest

from bertviz_core.encoder import Encoder
from bertviz_core.views.sentence_vectors.matrix import matrix
from bertviz_core.views.sentence_vectors.ways import best_way
from tests.views.reading import drawn, said, sent

SENTENCES = ("How old are you?", "What is your age?", "How are you?", "My train leaves at noon.")


def test_the_example_makes_its_point(minilm_encoder: Encoder) -> None:
    """By the tuned mean the paraphrase is nearest, by the token table the shared words."""
    view = matrix(minilm_encoder, SENTENCES)
    assert (view.values["first"], view.values["second"]) == SENTENCES[:2]
    frame = view.to_frame()
    cells = drawn(view, "sentence-cosines", "z")
    assert frame["cosine"].to_numpy() == pytest.approx(cells[np.triu_indices(4, 1)])
    assert view.values["cosine"] == f"{frame['cosine'].max():.3f}"
    (trace,) = sent(view, "sentence-cosines")["data"]
    assert trace["customdata"][0][1] == "higher than all of such pairs"
    table = matrix(minilm_encoder, SENTENCES, "token table")
    assert (table.values["first"], table.values["second"]) == (SENTENCES[0], SENTENCES[2])
    assert matrix(minilm_encoder, SENTENCES, "mean", 6).values == view.values
    assert "layer" not in table.made


def test_a_high_cosine_is_called_ordinary_where_it_is(minilm_encoder: Encoder) -> None:
    unrelated = ("My train leaves at noon.", "She painted the old fence green.")
    view = matrix(minilm_encoder, unrelated, "max")
    assert float(str(view.values["cosine"])) > 0.6
    assert view.to_frame()["percentile"][0] < 95
    ordinary = "may be as near as these two"
    assert ordinary in said(view)
    assert ordinary not in said(matrix(minilm_encoder, SENTENCES, "max"))


def test_a_text_longer_than_all_measured_ones_gets_no_percentile(minilm_encoder: Encoder) -> None:
    view = matrix(minilm_encoder, ("dog " * 40, "My train leaves at noon.", "How are you?"))
    assert view.to_frame()["percentile"].notna().tolist() == [False, False, True]


def test_what_the_library_cuts_is_said(minilm_encoder: Encoder, tiny_encoder: Encoder) -> None:
    """254 tokens beside [CLS] and [SEP] are all that it reads."""
    dogs, cats = "dog " * 254, "cat " * 100
    assert matrix(minilm_encoder, (dogs + cats, dogs)).values["cut_at"] == 256
    assert "cut_at" not in matrix(minilm_encoder, (dogs, cats)).values
    assert "cut_at" not in matrix(tiny_encoder, ("the " * 300, "a cat")).values


@pytest.mark.parametrize("sentences", [(), ("one",)])
def test_one_sentence_is_asked_for_company(
    sentences: tuple[str, ...], minilm_encoder: Encoder
) -> None:
    assert not matrix(minilm_encoder, sentences).pictures


def test_which_way_is_best(minilm_encoder: Encoder, tiny_encoder: Encoder) -> None:
    view = best_way(minilm_encoder, "mean", 6)
    frame = view.to_frame("ways").set_index("layer")
    layer, way = frame.stack().idxmax()
    assert view.values["way"] == f"{way} at layer {layer}"
    assert view.values["correlation"] == f"{frame.max().max():.2f}"
    assert view.values["model"] == "all-MiniLM-L6-v2"
    assert len(view.to_frame("judged-pairs")) == 40
    # A random model with 45 tokens knows next to none of the words.
    chance = best_way(tiny_encoder, "mean", 2)
    assert float(str(chance.values["low"]).replace("−", "-")) <= 0
    assert "beyond chance" in said(chance)
    assert "beyond chance" not in said(view)
