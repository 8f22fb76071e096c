"""Rows found again from their sum, angles between tables, and the parts of layer 1's scores."""

from typing import Any

import numpy as np
import pytest
import torch
from scipy.linalg import subspace_angles

from bertviz_core.bert import Bert
from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.apart import nearest_rows, table_angles
from bertviz_core.embeddings.shares import queries_and_keys, score_shares
from bertviz_core.encoder import Encoder
from bertviz_core.tokens import tokenize
from bertviz_core.views.input_embeddings.apart import apart
from bertviz_core.views.input_embeddings.shares import first_scores

TEXT = "the cat sat on the mat"


def test_by_hand() -> None:
    # (3, 4) was made with the first row, but is nearer to (0, 2): cosines 0.6 and 0.8.
    table = np.float32([[1, 0], [0, 2], [-1, 0]])
    own, other = nearest_rows(np.float32([[3, 4], [-1, 0]]), table, np.array([0, 2]))
    assert own == pytest.approx([0.6, 1])
    assert other == pytest.approx([0.8, 0])


def test_shares_by_hand() -> None:
    # One head of one number. Query and key of the token are 1, -1, of the position 0, 2: a key
    # gives token terms ±1 and position terms that do not depend on who asks.
    token, position, rest = np.array([[1.0], [-1.0]]), np.array([[0.0], [2.0]]), np.zeros((2, 1))
    vectors = np.stack([token, position, rest])[:, None]
    shares = score_shares(vectors, vectors)
    # Scores (q)(k) with q = k = (1, 1): no key differs from another.
    assert shares.tolist() == [[0]] * 5
    shares = score_shares(vectors, np.stack([token, rest, rest])[:, None])
    # Queries (1, 1), keys (1, -1): tokens ask with (1, -1), positions with (0, 2).
    assert shares[:, 0] == pytest.approx([0, 0, 0, 1, 0])


@pytest.mark.parametrize("name", ["tiny_encoder", "minilm_encoder"])
def test_the_parts_add_up_to_the_models_own_scores(
    name: str, request: pytest.FixtureRequest
) -> None:
    encoder: Encoder = request.getfixturevalue(name)
    bert, model = encoder.bert, encoder.model
    text = tokenize(bert, TEXT, "a dog")
    attention = model.encoder.layer[0].attention.self
    heads = attention.num_attention_heads
    queries, keys = queries_and_keys(bert, input_embeddings(bert, text), heads)
    scores = queries.sum(axis=0) @ keys.sum(axis=0).swapaxes(-1, -2)
    with torch.no_grad():
        ids, segments = (torch.tensor(a)[None] for a in (text.input_ids, text.token_type_ids))
        states = model.embeddings(ids, segments)[0]
        query, key = (
            one(states).unflatten(-1, (heads, -1)).transpose(0, 1)
            for one in (attention.query, attention.key)
        )
        own = query @ key.mT / query.shape[-1] ** 0.5
    assert np.abs(scores - own.numpy()).max() < 1e-4
    assert score_shares(queries, keys).sum(axis=0) == pytest.approx(np.ones(heads))


def test_angles_are_scipys(minilm: Bert) -> None:
    found, _ = table_angles(minilm)
    spans: dict[str, Any] = {}
    for name in ("word", "position"):
        table = getattr(minilm.tables, f"{name}_embeddings").astype(np.float64)
        spans[name] = np.linalg.svd(table - table.mean(axis=0), full_matrices=False)[2][:10].T
    expected = np.degrees(subspace_angles(spans["word"], spans["position"]))[::-1]
    assert found == pytest.approx(expected, abs=1e-4)


def test_the_views(minilm: Bert, tiny: Bert) -> None:
    view, other = apart(minilm, TEXT), apart(tiny, TEXT)
    assert (view.values["token"], view.values["position"]) == ("100.0%", "100.0%")
    # What LayerNorm hides is its weight and bias; late positions are harder to tell.
    shares = [view.values[f"position_{kind}"] for kind in ("normed", "undone", "late")]
    assert shares == ["70.0%", "100.0%", "92.3%"]
    assert "position_late" not in other.values
    assert (view.values["verdict"], other.values["verdict"]) == ("more", "not more")
    heads = first_scores(minilm, "I love my pet python")
    assert (heads.values["head"], heads.values["largest"]) == (3, "85%")
