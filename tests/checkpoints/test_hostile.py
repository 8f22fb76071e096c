"""Checkpoints that an operator may have by accident: what transformers gives, or a sentence."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from bertviz_core.bert import load_bert
from bertviz_core.embeddings import input_embeddings
from bertviz_core.encoder import load_encoder
from bertviz_core.errors import BertvizError
from bertviz_core.neighbors import nearest_tokens
from bertviz_core.tokens import tokenize
from bertviz_core.tokens.wordpieces import trace_text
from tests.data.hostile_checkpoints import OPENED, REFUSED
from tests.fuzz import answers

TEXTS = (
    *("the cat sat on the mat", "The Dog loves zebras!", "snakes, the king and <e1> or <e2>"),
    *("[MASK] dog [SEP] cat [UNK] </s>", "dog " * 40, "pythón 猫", ""),
)


@pytest.fixture(autouse=True)
def bounded(folder: Path) -> Iterator[None]:
    """No checkpoint takes long, or much memory; to write it does not count."""
    with answers():
        yield


@pytest.mark.parametrize("name", REFUSED)
def test_one_sentence_says_what_is_wrong(name: str, folder: Path) -> None:
    change, message = REFUSED[name]
    change(folder)
    with pytest.raises(BertvizError, match=message) as caught:
        load_encoder(load_bert(folder))
    said = str(caught.value)
    assert "mine" in said
    assert said.endswith(".")
    assert len(said) < 300


@pytest.mark.parametrize("name", OPENED)
def test_ids_and_hidden_states_are_those_of_transformers(name: str, folder: Path) -> None:
    import torch
    from transformers import AutoTokenizer

    OPENED[name](folder)
    encoder = load_encoder(load_bert(folder))
    bert = encoder.bert
    reference = AutoTokenizer.from_pretrained(folder)
    limit = {"truncation": True, "return_token_type_ids": True}
    limit |= {"max_length": bert.max_position_embeddings}
    for text in TEXTS:
        expected = reference(text, **limit)
        if not expected["input_ids"]:
            with pytest.raises(BertvizError, match="no token"):
                tokenize(bert, text)
            continue
        tokenized = tokenize(bert, text)
        assert tokenized.input_ids.tolist() == expected["input_ids"], text
        assert tokenized.token_type_ids.tolist() == expected["token_type_ids"], text
        try:
            both = tokenize(bert, text, "a cat")
            assert both.input_ids.tolist() == reference(text, "a cat", **limit)["input_ids"], text
            assert np.isfinite(input_embeddings(bert, both).output).all()
        except BertvizError:
            assert bert.type_vocab_size < 2
        pieces = bert.tokenizer.encode(text, add_special_tokens=False).tokens
        assert list(trace_text(bert, text).tokens) == [piece.strip() for piece in pieces], text
        states = encoder.hidden_states(tokenized)
        np.testing.assert_array_equal(encoder.embedding_layer(tokenized), states[0])
        assert np.abs(input_embeddings(bert, tokenized).output - states[0]).max() < 1e-5
        with torch.inference_mode():
            last = encoder.model(input_ids=torch.tensor([expected["input_ids"]]))[0][0].numpy()
        assert np.abs(states[-1] - last).max() < 1e-5
    for query in ("cat", "dog - cat + king", "##s"):
        with suppress(BertvizError):
            assert np.isfinite(nearest_tokens(bert, query).scores).all()
