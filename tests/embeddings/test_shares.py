from types import SimpleNamespace

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.embeddings import InputEmbeddings, input_embeddings
from bertviz_core.embeddings.embedding_layer import layer_norm, layer_norm_walk, part_shares
from bertviz_core.tokens import tokenize


def by_hand(word, token_type, position, weight, bias) -> tuple[SimpleNamespace, InputEmbeddings]:
    """One token of two dimensions; parts_and_bert without a checkpoint."""
    rows = [np.array([row], np.float32) for row in (word, token_type, position)]
    tables = SimpleNamespace(
        layer_norm_weight=np.array(weight, np.float32), layer_norm_bias=np.array(bias, np.float32)
    )
    bert = SimpleNamespace(tables=tables, layer_norm_eps=0.0)
    summed = rows[0] + rows[1] + rows[2]
    return bert, InputEmbeddings(*rows, summed, summed)


def test_numbers_by_hand() -> None:
    # The sum is (3, -1): mean 1, deviation 2. In the output are (0.75, -1.5) of the token and
    # (0.25, -0.5) of the position; without the bias it is (1, -2), of squared length 5. With the
    # bias (1, 0) it is (2, -2): 2 of its squared length 8 come from the bias.
    bert, parts = by_hand([3, 0], [0, 0], [0, -1], weight=[1, 2], bias=[1, 0])
    found = part_shares(bert, parts)
    assert found.shares[:, 0] == pytest.approx([0.75, 0, 0.25])
    assert found.bias_shares[0] == pytest.approx(2 / 8)
    assert found.norms[:, 0].tolist() == [3, 0, 1]
    assert found.summed_norms[0] == pytest.approx(np.sqrt(10))
    assert found.cosines[:, 0] == pytest.approx([3 / np.sqrt(10), 0, 1 / np.sqrt(10)])
    assert found.output_norms[0] == pytest.approx(np.sqrt(8))
    walk = layer_norm_walk(bert, parts)
    assert (walk.means.tolist(), walk.deviations.tolist()) == ([1], [2])
    steps = [[3, 0], [3, 0], [3, -1], [2, -2], [1, -1], [1, -2], [2, -2]]
    assert walk.vectors[:, 0].tolist() == steps


def test_layer_norm_by_hand() -> None:
    # Mean 2, variance 1 + 3: (1, 3) becomes (-1, 1) / 2; times (2, 3) plus (10, 20).
    bert, _ = by_hand([0, 0], [0, 0], [0, 0], weight=[2, 3], bias=[10, 20])
    bert.layer_norm_eps = 3.0
    norm = layer_norm(bert, np.float32([[1, 3]]))
    assert (norm.mean.tolist(), norm.deviation.tolist()) == ([[2]], [[2]])
    assert norm.centred.tolist() == [[-1, 1]]
    assert norm.divided.tolist() == [[-0.5, 0.5]]
    assert norm.scaled.tolist() == [[-1, 1.5]]
    assert norm.output.tolist() == [[9, 21.5]]


def test_a_share_below_zero_and_nothing_to_share_out() -> None:
    bert, parts = by_hand([4, 0], [0, 0], [-1, 0], weight=[1, 1], bias=[0, 0])
    assert part_shares(bert, parts).shares[:, 0] == pytest.approx([4 / 3, 0, -1 / 3])
    bert, parts = by_hand([1, 2], [0, 0], [0, 0], weight=[0, 0], bias=[1, 1])
    assert part_shares(bert, parts).shares.tolist() == [[0], [0], [0]]


def test_against_torch(minilm: Bert) -> None:
    import torch

    parts = input_embeddings(minilm, tokenize(minilm, "the cat sat on the mat", "She is Zoe"))
    found, walk = part_shares(minilm, parts), layer_norm_walk(minilm, parts)
    assert np.abs(found.shares.sum(axis=0) - 1).max() < 1e-12
    rows = torch.from_numpy(np.stack([parts.word, parts.token_type, parts.position]).copy())
    cosines = torch.cosine_similarity(rows, rows.sum(dim=0)[None], dim=-1)
    assert found.cosines == pytest.approx(cosines.numpy(), abs=1e-6)
    assert found.norms == pytest.approx(rows.norm(dim=-1).numpy(), rel=1e-5)
    assert found.output_norms == pytest.approx(np.linalg.norm(parts.output, axis=1), rel=1e-5)
    plain = torch.nn.functional.layer_norm(rows.sum(dim=0), (384,), eps=minilm.layer_norm_eps)
    assert walk.vectors[4] == pytest.approx(plain.numpy(), abs=1e-5)
    assert walk.vectors[-1] == pytest.approx(parts.output, abs=1e-6)
