"""An embedding as a product and as a look-up."""

import numpy as np
import pytest

from bertviz_core.embeddings.embedding_layer import one_hot_product
from bertviz_core.views.input_embeddings.library_layer import one_hot
from tests.views.reading import drawn


def test_a_product_by_hand() -> None:
    assert one_hot_product(np.float32([[1, 2], [3, 4], [5, 6]]), 1).tolist() == [3, 4]


@pytest.mark.parametrize("model", ["minilm", "tiny"])
def test_the_product_is_the_row_of_the_library(model: str, request: pytest.FixtureRequest) -> None:
    import torch
    from transformers import BertModel, BertTokenizer

    bert, text = request.getfixturevalue(model), "i love my pet python"
    folder = bert.checkpoint.folder
    module = BertModel.from_pretrained(folder).embeddings.word_embeddings
    for position, token_id in enumerate(BertTokenizer.from_pretrained(folder)(text)["input_ids"]):
        view, own = one_hot(bert, text, position), module(torch.tensor(token_id)).detach().numpy()
        assert view.values["difference"] == 0
        assert np.array_equal(view.to_frame()["one-hot × table"], own)
        assert np.array_equal(drawn(view, "one-hot", "z"), [own, own])
    assert view.values["multiplications"] == f"{module.weight.numel():,}"
