from dataclasses import replace

import numpy as np
import pytest

from bertviz_core.bert import Bert
from bertviz_core.embeddings import input_embeddings
from bertviz_core.errors import UserInputError
from bertviz_core.tokens import tokenize


def test_parts_are_rows_of_the_tables(tiny: Bert) -> None:
    text = tokenize(tiny, "the cat", "a dog")
    parts = input_embeddings(tiny, text)
    row = text.tokens.index("dog")
    assert np.array_equal(parts.word[row], tiny.tables.word_embeddings[tiny.vocabulary.ids["dog"]])
    assert np.array_equal(parts.token_type[row], tiny.tables.token_type_embeddings[1])
    assert np.array_equal(parts.position[row], tiny.tables.position_embeddings[row])
    kinds = {(array.shape, array.dtype.name) for array in vars(parts).values()}
    assert kinds == {((7, 8), "float32")}


@pytest.mark.parametrize("pair", [None, "She is Zoe"])
def test_equals_the_librarys_embedding_layer(minilm: Bert, library, pair: str | None) -> None:
    import torch

    layer = library.embeddings
    text = tokenize(minilm, "I am Sinan and I love my pet python", pair)
    parts = input_embeddings(minilm, text)
    ids, types = torch.tensor(text.input_ids)[None], torch.tensor(text.token_type_ids)[None]
    with torch.no_grad():
        summed = (
            layer.word_embeddings(ids)
            + layer.token_type_embeddings(types)
            + layer.position_embeddings(torch.arange(len(text)))
        )
        own = layer(ids, types)
    assert np.array_equal(parts.summed, summed[0].numpy())  # to the last bit
    assert np.abs(parts.output - own[0].numpy()).max() < 2e-6


def test_a_text_that_does_not_fit_is_refused(tiny: Bert, minilm: Bert) -> None:
    with pytest.raises(UserInputError, match="tokens for tiny-bert, not for all-MiniLM"):
        input_embeddings(minilm, tokenize(tiny, "the cat"))
    one_segment = replace(tiny, settings=tiny.settings | {"type_vocab_size": 1})
    with pytest.raises(UserInputError, match="leave the second text empty"):
        input_embeddings(one_segment, tokenize(one_segment, "the cat", "a dog"))
