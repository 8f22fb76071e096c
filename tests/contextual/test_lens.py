import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.contextual import word_in_context
from bertviz_core.contextual.lens import nearest_rows_by_layer
from bertviz_core.encoder import Encoder


def brute_force(bert: Bert, vectors, means) -> tuple[np.ndarray, np.ndarray]:
    """The ids of all rows, best first, and scikit-learn's cosines over a copied table."""
    from sklearn.metrics.pairwise import cosine_similarity

    words = bert.vocabulary
    ids = np.flatnonzero(~(words.is_special | words.is_unused))
    rows = bert.tables.word_embeddings[ids].astype(np.float64)
    queries = vectors.astype(np.float64)
    if means is not None:
        rows, queries = rows - rows.mean(axis=0), queries - means
    cosines = cosine_similarity(queries, rows)
    order = np.argsort(-cosines, axis=1, kind="stable")
    return ids[order], np.take_along_axis(cosines, order, axis=1)


@pytest.mark.parametrize("centred", [False, True])
def test_equals_brute_force(minilm_encoder: Encoder, centred: bool) -> None:
    bert = minilm_encoder.bert
    word = word_in_context(minilm_encoder, "I love my pet [python]")
    means = np.random.default_rng(1).normal(0, 0.1, word.vectors.shape).astype(np.float32)
    given = means if centred else None
    own = [bert.vocabulary.ids["python"]]
    found = nearest_rows_by_layer(bert, word.vectors, own, 6, given)
    ids, cosines = brute_force(bert, word.vectors, given)
    assert ids.shape == (7, found.candidates)
    assert np.array_equal(found.token_ids, ids[:, :6])
    assert found.cosines == pytest.approx(cosines[:, :6], abs=1e-5)
    assert found.tokens[0][0] == bert.vocabulary.tokens[ids[0, 0]]
    assert found.centred is centred
    ranks = [1 + int(np.flatnonzero(row == own[0])[0]) for row in ids]
    assert found.own_ranks.tolist() == ranks
    assert centred or (found.tokens[0][0], ranks[0]) == ("python", 1)


def test_by_hand(tiny: Bert) -> None:
    """A layer that is a row of the table finds that row with cosine 1."""
    table, ids = tiny.tables.word_embeddings, tiny.vocabulary.ids
    own = [ids["cat"], ids["dog"]]
    vectors = np.stack([table[ids["dog"]], 3 * table[ids["mat"]], np.zeros(8, np.float32)])
    found = nearest_rows_by_layer(tiny, vectors, own, 2)
    assert [row[0] for row in found.tokens[:2]] == ["dog", "mat"]
    assert found.cosines[:2, 0] == pytest.approx([1, 1])
    assert found.own_ranks[0] == 1
    assert found.cosines[2].tolist() == [0, 0], "a vector of zeros has no direction"
    vectors = np.repeat(table[ids["[MASK]"]][None], 3, axis=0)  # a special word may find itself
    found = nearest_rows_by_layer(tiny, vectors, [ids["[MASK]"]], 1)
    assert found.tokens == (("[MASK]",),) * 3
    assert found.candidates == nearest_rows_by_layer(tiny, vectors, [8], 1).candidates + 1
