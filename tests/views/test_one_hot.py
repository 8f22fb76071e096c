"""An embedding as a product and as a look-up, and the layer as the library prints it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bertviz_core.bert import load_bert
from bertviz_core.embeddings.embedding_layer import one_hot_product
from bertviz_core.encoder import Encoder, load_encoder
from bertviz_core.views.input_embeddings.library_layer import one_hot, proof
from tests.data.damage import change_settings
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


ODD = {"pad_token_id": None, "hidden_dropout_prob": 0.25, "layer_norm_eps": 1e-05}


@pytest.mark.parametrize("changes", [{}, ODD, {"pad_token_id": 6}], ids=str)
def test_the_layer_as_the_library_prints_it(folder: Path, changes: dict[str, Any]) -> None:
    from transformers import BertModel

    change_settings(folder, **changes)
    is_as_printed(load_encoder(load_bert(folder)), BertModel.from_pretrained(folder))


def test_the_layer_of_the_embedded_model(minilm_encoder: Encoder, library: Any) -> None:
    is_as_printed(minilm_encoder, library)


def is_as_printed(encoder: Encoder, model: Any) -> None:
    """Word by word."""
    frame, layer = proof(encoder, "the cat", 1).to_frame("modules"), model.embeddings
    lines = [one.strip() for one in f"{layer}".splitlines()]
    assert frame["BertEmbeddings"].tolist() == lines[1:-1]
    assert frame["numbers"].sum() == sum(one.numel() for one in layer.parameters())
