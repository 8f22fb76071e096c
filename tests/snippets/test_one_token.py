"""The program of Home prints its sum, its nearest words and its path."""

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.embeddings import input_embeddings
from bertviz_core.encoder import Encoder
from bertviz_core.neighbors import nearest_tokens
from bertviz_core.tokens import tokenize
from tests.snippets.running import run_filled

TEXT = "I love my pet python"


@pytest.mark.parametrize("position", [0, 5])
def test_one_token(minilm: Bert, minilm_encoder: Encoder, position: int) -> None:
    printed, _ = run_filled(
        "embeddings/one_token", minilm, text=TEXT, token_at=position, shown=8, k=4
    )
    rows = [line.split() for line in printed.splitlines()]
    text = tokenize(minilm, TEXT)
    parts = input_embeddings(minilm, text)
    for row, name in zip(
        rows, ("word", "token_type", "position", "summed", "output"), strict=False
    ):
        own = getattr(parts, name)[position, :8]
        assert np.array(row[1:], dtype=float) == pytest.approx(own, abs=1e-4)
    near = nearest_tokens(minilm, text.tokens[position], 4, keep="words")
    assert [row[1] for row in rows[5:9]] == list(near.tokens)
    assert [float(row[2]) for row in rows[5:9]] == pytest.approx(near.scores, abs=1e-4)
    states = minilm_encoder.hidden_states(text)
    units = states / np.linalg.norm(states, axis=-1, keepdims=True)
    own = units[:, position]
    assert [float(row[6]) for row in rows[9:]] == pytest.approx(own @ own[0], abs=2e-4)
    others = np.delete(units, position, axis=1)
    means = np.einsum("lnh,lh->l", others, own) / others.shape[1]
    assert [float(row[-1]) for row in rows[9:]] == pytest.approx(means, abs=2e-4)
