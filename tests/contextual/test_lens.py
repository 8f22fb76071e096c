from pathlib import Path

import numpy as np
import pytest

from bertviz_core.bert import Bert, load_bert
from bertviz_core.contextual import word_in_context
from bertviz_core.contextual.lens import predictions_by_layer
from bertviz_core.encoder import load_encoder
from bertviz_core.errors import ModelUnavailableError
from tests.tiny import write_checkpoint

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
