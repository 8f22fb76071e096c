import numpy as np
import pytest

from bertviz_core.arrays import cosine
from bertviz_core.contextual import word_in_context
from bertviz_core.contextual.another_row import STARTS, new_token
from bertviz_core.encoder import Encoder

CHATBOT = "I love my [chatbot]"


@pytest.mark.parametrize("start", ["mean of all rows", "mean of its pieces"])
def test_equals_a_token_that_transformers_adds(minilm_encoder: Encoder, start: str) -> None:
    """The tokenizer gets the word, the table a row; what it was is read from the library too."""
    import torch
    from transformers import BertModel, BertTokenizer

    folder = minilm_encoder.bert.checkpoint.folder
    tokenizer = BertTokenizer.from_pretrained(folder)
    library = BertModel.from_pretrained(folder).eval()
    pieces = tokenizer.convert_tokens_to_ids(["chat", "##bot"])

    def run(kept: list[int]) -> np.ndarray:
        with torch.no_grad():
            ids = tokenizer("I love my chatbot", return_tensors="pt")["input_ids"]
            found = library(ids, output_hidden_states=True).hidden_states
        return torch.stack(found)[:, 0, kept].mean(dim=1).numpy()

    before = run([4, 5])
    table = library.embeddings.word_embeddings.weight.data
    ordinary = minilm_encoder.bert.vocabulary.is_ordinary
    row = table[pieces].mean(dim=0) if "pieces" in start else table[ordinary].mean(dim=0)
    tokenizer.add_tokens(["chatbot"])
    library.resize_token_embeddings(len(tokenizer), mean_resizing=False)
    library.embeddings.word_embeddings.weight.data[-1] = row
    found = new_token(minilm_encoder, word_in_context(minilm_encoder, CHATBOT))
    assert found[STARTS.index(start)] == pytest.approx(cosine(run([4]), before), abs=1e-5)


def test_a_word_of_one_piece_keeps_its_row(minilm_encoder: Encoder) -> None:
    """The mean of its pieces is its own row: nothing changes."""
    found = new_token(minilm_encoder, word_in_context(minilm_encoder, "I love my [dog]"))
    assert found[-1] == pytest.approx(1, abs=1e-6)
