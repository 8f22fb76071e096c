"""The views of Home, as data."""

import re

import numpy as np
import pytest

from bertviz_core.arrays import cosine
from bertviz_core.bert import Bert
from bertviz_core.embeddings import input_embeddings
from bertviz_core.encoder import Encoder
from bertviz_core.neighbors import nearest_tokens
from bertviz_core.tokens import tokenize
from bertviz_core.views.home.one_token import NEAREST, SHOWN, one_token
from bertviz_core.views.home.path import path

TEXT = "I love my pet python"


def test_a_token_is_a_sum_of_three_rows(minilm: Bert) -> None:
    view = one_token(minilm, TEXT)
    parts = input_embeddings(minilm, tokenize(minilm, TEXT))
    figure = view.pictures["sum"].figure
    drawn = [strip.z[0] for strip in figure.data]
    rows = (parts.word, parts.token_type, parts.position, parts.summed, parts.output)
    assert np.array_equal(drawn, [part[5, :SHOWN] for part in rows])
    assert np.allclose(drawn[0] + drawn[1] + drawn[2], drawn[3])
    # Each sign is between the strips that it joins.
    signs, middles = figure.layout.annotations, [strip.y0 for strip in figure.data]
    assert [re.sub("<[^>]+>", "", sign.text) for sign in signs] == ["+", "+", "=", "→"]
    for sign, above, below in zip(signs, middles, middles[1:], strict=False):
        assert above + 0.5 < sign.y < below - 0.5
    near = nearest_tokens(minilm, "python", NEAREST, keep="words")
    assert np.array_equal(view.pictures["near"].figure.data[0].x, near.scores)
    assert [view.values[name] for name in ("token", "nearest")] == ["python", near.tokens[0]]
    assert one_token(minilm, TEXT, 2).values["token"] == "love"
    empty = one_token(minilm, "", 0)
    assert [empty.values[name] for name in ("token", "remain")] == ["[CLS]", "[CLS] and [SEP]"]


@pytest.mark.parametrize("position", [0, 2])
def test_the_path_of_a_token(minilm_encoder: Encoder, position: int) -> None:
    text = "the bank of the river"
    view = path(minilm_encoder, text, position)
    states = minilm_encoder.hidden_states(tokenize(minilm_encoder.bert, text))
    own, rest = states[:, position], np.delete(states[-1], position, axis=0)
    to_start, to_others = (curve.y for curve in view.pictures["path"].figure.data)
    assert np.allclose(to_start, cosine(own, own[0]), atol=1e-5)
    assert to_others[-1] == pytest.approx(cosine(rest, own[-1]).mean(), abs=1e-5)
    assert view.values["start"] == to_start[-1]
