"""Sentence vectors beside transformers."""

from pathlib import Path

import pytest
import torch
from transformers import BertModel, BertTokenizer

from bertviz_core.bert import load_bert
from bertviz_core.contextual.sentence_vectors import WAYS, sentence_vectors
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.tokens import tokenize
from bertviz_core.views.sentence_vectors.matrix import ways_of
from tests.tiny import write_checkpoint

TEXTS = ["The cat sat on the mat.", "I love my pet python", "a", ""]


@pytest.mark.parametrize("name", ["minilm_encoder", "tiny_encoder"])
def test_every_way_is_that_of_transformers(name: str, request: pytest.FixtureRequest) -> None:
    encoder: Encoder = request.getfixturevalue(name)
    bert = encoder.bert
    own = sentence_vectors(encoder, [tokenize(bert, text) for text in TEXTS])
    assert tuple(own) == WAYS == ways_of(bert)
    assert {way: len(vectors) for way, vectors in own.items()} == dict.fromkeys(
        ("mean", "[CLS]", "max"), bert.num_hidden_layers + 1
    ) | {"pooler": 1, "token table": 1}
    model = BertModel.from_pretrained(bert.checkpoint.folder).eval()
    tokenizer = BertTokenizer.from_pretrained(bert.checkpoint.folder)
    for number, text in enumerate(TEXTS):  # one by one, so that nothing is padded
        inputs = tokenizer(text, return_tensors="pt")
        with torch.no_grad():
            result = model(**inputs, output_hidden_states=True)
            rows = model.embeddings.word_embeddings(inputs["input_ids"])[0]
        for layer, states in enumerate(result.hidden_states):
            for way, expected in {
                "mean": states[0].mean(dim=0),
                "[CLS]": states[0, 0],
                "max": states[0].max(dim=0).values,
            }.items():
                assert own[way][layer, number] == pytest.approx(expected.numpy(), abs=5e-6), way
        pooled, table = own["pooler"][0, number], own["token table"][0, number]
        assert pooled == pytest.approx(result.pooler_output[0].numpy(), abs=5e-6)
        assert table == pytest.approx(rows.mean(dim=0).numpy(), abs=1e-6)


def test_a_checkpoint_without_a_pooler(tmp_path: Path) -> None:
    bert = load_bert(write_checkpoint(tmp_path / "heads", masked_words=True))
    found = sentence_vectors(load_encoder(bert), [tokenize(bert, "the cat")])
    assert tuple(found) == ways_of(bert) == tuple(way for way in WAYS if way != "pooler")
