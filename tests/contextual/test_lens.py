from pathlib import Path

import numpy as np
import pytest

from bertviz_core.bert import Bert, load_bert
from bertviz_core.contextual import word_in_context
from bertviz_core.contextual.lens import nearest_rows_by_layer, predictions_by_layer
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.errors import ModelUnavailableError
from tests.tiny import write_checkpoint


def test_equals_brute_force(minilm_encoder: Encoder) -> None:
    """scikit-learn's cosines over a copied table."""
    from sklearn.metrics.pairwise import cosine_similarity

    bert = minilm_encoder.bert
    word = word_in_context(minilm_encoder, "I love my pet [python]")
    own = [bert.vocabulary.ids["python"]]
    found = nearest_rows_by_layer(bert, word.vectors, own, 6)
    ids = np.flatnonzero(bert.vocabulary.is_ordinary)
    rows, queries = bert.tables.word_embeddings[ids].astype(np.float64), word.vectors
    cosines = cosine_similarity(queries, rows)
    order = np.argsort(-cosines, axis=1, kind="stable")
    ids, cosines = ids[order], np.take_along_axis(cosines, order, axis=1)
    assert ids.shape == (7, found.candidates)
    assert np.array_equal(found.token_ids, ids[:, :6])
    assert found.cosines == pytest.approx(cosines[:, :6], abs=1e-5)
    assert found.tokens[0][0] == bert.vocabulary.tokens[ids[0, 0]]
    ranks = [1 + int(np.flatnonzero(row == own[0])[0]) for row in ids]
    assert found.own_ranks.tolist() == ranks
    assert (found.tokens[0][0], ranks[0]) == ("python", 1)


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
    mask = ids["[MASK]"]  # a special word may find itself
    assert nearest_rows_by_layer(tiny, table[[mask]], [mask], 1).tokens == (("[MASK]",),)


MARKED = "the [cat] sat on the mat"


@pytest.fixture(scope="module")
def predicting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_checkpoint(tmp_path_factory.mktemp("heads") / "tiny", masked_words=True)


def test_equals_the_library(predicting: Path) -> None:
    """`BertForMaskedLM` itself at the last layer; its head on the hidden states of the others."""
    import torch
    from transformers import BertForMaskedLM

    encoder = load_encoder(load_bert(predicting))
    word = word_in_context(encoder, MARKED)
    (position,) = word.token_positions
    own = [encoder.bert.vocabulary.ids["cat"]]
    found = predictions_by_layer(encoder.bert, word.vectors, own, 5)
    model = BertForMaskedLM.from_pretrained(predicting).eval()
    with torch.no_grad():
        result = model(torch.tensor(word.text.input_ids)[None], output_hidden_states=True)
        logits = model.cls(torch.cat(result.hidden_states)[:, position])
    assert logits[-1].numpy() == pytest.approx(result.logits[0, position].numpy(), abs=1e-5)
    probabilities = logits.softmax(dim=-1)
    expected, ids = probabilities.topk(5)
    assert found.probabilities == pytest.approx(expected.numpy(), abs=1e-5)
    assert np.array_equal(found.token_ids, ids.numpy())
    assert found.tokens[0][0] == encoder.bert.vocabulary.tokens[ids[0, 0]]
    assert found.own_probabilities == pytest.approx(probabilities[:, own[0]].numpy(), abs=1e-5)
    ranks = 1 + (probabilities > probabilities[:, own]).sum(dim=-1)
    assert found.own_ranks.tolist() == ranks.tolist()
    several = predictions_by_layer(encoder.bert, word.vectors, [*own, int(ids[0, 0])], 5)
    assert several.own_ranks[0] == 1, "the rank of the likeliest piece"


def test_a_model_without_the_head(minilm: Bert) -> None:
    with pytest.raises(ModelUnavailableError, match="all-MiniLM-L6-v2"):
        predictions_by_layer(minilm, np.ones((7, 384), np.float32), [8])
