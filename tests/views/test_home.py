"""The views of Home, as data."""

import numpy as np
import pytest

from bertviz_core.arrays import cosine
from bertviz_core.bert import Bert
from bertviz_core.embeddings import input_embeddings
from bertviz_core.encoder import Encoder
from bertviz_core.neighbors import nearest_tokens
from bertviz_core.tokens import tokenize
from bertviz_core.views.home.one_token import one_token, through_layers
from bertviz_core.views.home.story import SHOWN

TEXT = "I love my pet python"


def test_the_columns_add_up_step_by_step(minilm: Bert) -> None:
    view = one_token(minilm, TEXT)
    parts = input_embeddings(minilm, tokenize(minilm, TEXT))
    frames = view.pictures["story"].figure.played
    columns = [sum(np.array(trace["y"]) for trace in frame["data"]) for frame in frames]
    row = np.s_[5, :SHOWN]
    added = parts.word[row], (parts.word + parts.token_type)[row], parts.summed[row]
    assert np.allclose(columns[1:4], added, atol=1e-6)
    assert np.allclose(columns[4], parts.output[row], atol=1e-5)
    assert not columns[0].any()
    assert len(frames) == 5
    # Next leads from each step to the one after it, and from the last to the first.
    leads = [frame["layout"]["updatemenus"][0]["buttons"][1]["args"][0] for frame in frames]
    assert leads == [["1"], ["2"], ["3"], ["4"], ["0"]]


def test_a_token_and_its_nearest_row(minilm: Bert) -> None:
    near = nearest_tokens(minilm, "python", 1, keep="words")
    values = one_token(minilm, TEXT).values
    assert values["token"] == "python"
    assert values["nearest"].startswith(f"{near.tokens[0]} ({near.scores[0]:.2f}), ")
    assert one_token(minilm, TEXT, 2).values["token"] == "love"
    empty = one_token(minilm, "", 0)
    assert [empty.values[name] for name in ("token", "remain")] == ["[CLS]", "[CLS] and [SEP]"]
    assert one_token(minilm, "a \N{SNAKE} b").values.get("typed") is None
    assert one_token(minilm, "a \N{SNAKE}").values["typed"] == "\N{SNAKE}"


@pytest.mark.parametrize("position", [0, 2])
def test_the_path_of_a_token(minilm_encoder: Encoder, position: int) -> None:
    text = "the bank of the river"
    view = through_layers(minilm_encoder, text, position)
    states = minilm_encoder.hidden_states(tokenize(minilm_encoder.bert, text))
    own, rest = states[:, position], np.delete(states[-1], position, axis=0)
    figure = view.pictures["story"].figure
    assert np.allclose(figure.data[-2].y, cosine(own, own[0]), atol=1e-5)
    last = figure.played[-1]["data"]
    assert np.allclose(last[3]["y"], own[-1, :SHOWN], atol=1e-6)
    assert not np.any([trace["y"] for trace in last[:3]])
    assert view.values["start"] == pytest.approx(cosine(own[-1], own[0]), abs=1e-5)
    assert figure.data[-1].y[-1] == pytest.approx(cosine(rest, own[-1]).mean(), abs=1e-5)
